//! `renyi parse`: the tree of a Renyi file, and what the parser says about it.

use std::path::PathBuf;

use clap::Args;
use syntax::report::{layout_warnings, text_form};
use syntax::{Mode, Severity};

use super::renyi_source;
use crate::{Verdict, output::Output};

/// Print the syntax tree of a Renyi file and its lexical, syntax and layout diagnostics
#[derive(Debug, Args)]
#[command(
    after_help = "The form of the tree is free and may change; spans are bytes, half open. Any error \
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
        if !self.diagnostics {
            output.line(format_args!("{:#?}", parsed.module))?;
        }
        let mut diagnostics = parsed.diagnostics;
        diagnostics.extend(layout_warnings(&source, &syntax::lex::lex(&source)));
        output.raw(text_form(&self.file.display().to_string(), &source, &diagnostics, false).as_bytes())?;
        let failed = diagnostics
            .iter()
            .any(|diagnostic| diagnostic.severity() == Severity::Error);
        Ok(if failed { Verdict::Different } else { Verdict::Done })
    }
}
