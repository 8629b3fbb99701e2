//! `renyi parse`: the tree of a Renyi file, and what the parser says about it.

use std::path::PathBuf;

use clap::Args;
use serde_json::Value;
use syntax::report::{json_form, layout_warnings, text_form};
use syntax::{Mode, Severity};

use super::renyi_source;
use crate::{Verdict, output::Output};

/// Print the syntax tree of a Renyi file and its lexical, syntax and layout diagnostics
#[derive(Debug, Args)]
#[command(
    after_help = "Without --json the form of the tree is free and may change, and spans are bytes. In JSON \
    a variant has its `kind` first, what is absent is null, and spans are characters; both are half open. Any error \
    makes the exit code 1.\n\nExamples:\n  renyi parse examples/welcome.ry\n  \
    renyi parse --diagnostics examples/welcome.ry\n  renyi parse --declarations library/console.ry"
)]
pub struct Parse {
    file: PathBuf,

    /// The file declares functions without bodies, as the library does
    #[arg(long)]
    declarations: bool,

    /// Print the diagnostics alone
    #[arg(long)]
    diagnostics: bool,

    /// Print the tree as JSON, then the diagnostics, if there are any, as a second document
    #[arg(long, conflicts_with = "diagnostics")]
    json: bool,
}

impl Parse {
    pub fn run(&self, output: &mut Output) -> anyhow::Result<Verdict> {
        let source = renyi_source(&self.file)?;
        let mode = if self.declarations {
            Mode::Declarations
        } else {
            Mode::Module
        };
        let parsed = syntax::parse(&source, mode);
        if self.json {
            let mut tree = serde_json::to_value(&parsed.module)?;
            in_characters(&mut tree, &Characters::of(&source));
            output.json(&tree)?;
        } else if !self.diagnostics {
            output.line(format_args!("{:#?}", parsed.module))?;
        }
        let mut diagnostics = parsed.diagnostics;
        diagnostics.extend(layout_warnings(&source, &syntax::lex::lex(&source)));
        let file = self.file.display().to_string();
        if !self.json {
            output.raw(text_form(&file, &source, &diagnostics, false).as_bytes())?;
        } else if !diagnostics.is_empty() {
            output.raw(json_form(&file, &source, &diagnostics, false).as_bytes())?;
        }
        let failed = diagnostics
            .iter()
            .any(|diagnostic| diagnostic.severity() == Severity::Error);
        Ok(if failed { Verdict::Different } else { Verdict::Done })
    }
}

/// How many characters stand before each byte.
struct Characters {
    before: Option<Vec<u32>>,
}

impl Characters {
    fn of(source: &str) -> Self {
        if source.is_ascii() {
            return Self { before: None };
        }
        let mut before = Vec::with_capacity(source.len() + 1);
        let mut count = 0;
        for character in source.chars() {
            before.extend(std::iter::repeat_n(count, character.len_utf8()));
            count += 1;
        }
        before.push(count);
        Self { before: Some(before) }
    }

    fn at(&self, byte: u64) -> u64 {
        let found = |before: &Vec<u32>| {
            usize::try_from(byte)
                .ok()
                .and_then(|byte| before.get(byte).copied())
        };
        match &self.before {
            None => byte,
            Some(before) => found(before).map_or(byte, u64::from),
        }
    }
}

/// Counts every span in characters.
fn in_characters(value: &mut Value, characters: &Characters) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| in_characters(item, characters)),
        Value::Object(fields) => {
            for (name, field) in fields.iter_mut() {
                match field.as_u64() {
                    Some(byte) if name == "start" || name == "stop" => *field = characters.at(byte).into(),
                    _ => in_characters(field, characters),
                }
            }
        }
        _ => {}
    }
}
