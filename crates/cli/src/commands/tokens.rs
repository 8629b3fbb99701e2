//! `renyi tokens`: what the lexer makes of a Renyi file.

use std::path::PathBuf;

use clap::Args;
use syntax::lex::{LexedPart, LexedText, Token, TokenKind, lex};
use syntax::report::{Lines, Position, text_form};
use syntax::tree::Span;

use super::renyi_source;
use crate::{Verdict, output::Output};

/// Print the tokens of a Renyi file, comments and holes of texts included
#[derive(Debug, Args)]
#[command(
    after_help = "Each line: line and column (from 1, in characters), kind, spelling. Lexical \
    diagnostics follow, and make the exit code 1.\n\nExample:\n  renyi tokens examples/welcome.ry"
)]
pub struct Tokens {
    file: PathBuf,
}

impl Tokens {
    pub fn run(&self, output: &mut Output) -> anyhow::Result<Verdict> {
        let source = renyi_source(&self.file)?;
        let lexed = lex(&source);
        let lines = Lines::new(&source);
        let mut rows = Vec::new();
        add(&source, &lexed.tokens, &lexed.texts, &mut rows);
        for comment in &lexed.comments {
            let spelling = quoted(comment.span.text(&source));
            rows.push((comment.span, "comment".to_owned(), spelling));
        }
        rows.sort_by_key(|(span, ..)| *span);
        for (span, kind, spelling) in rows {
            let Position { line, column } = lines.position(span.start);
            let row = format!("{line:>4}:{column:<3} {kind:<22} {spelling}");
            output.line(row.trim_end())?;
        }
        if lexed.diagnostics.is_empty() {
            return Ok(Verdict::Done);
        }
        output.raw(
            text_form(
                &self.file.display().to_string(),
                &source,
                &lexed.diagnostics,
                false,
            )
            .as_bytes(),
        )?;
        Ok(Verdict::Different)
    }
}

fn add(source: &str, tokens: &[Token], texts: &[LexedText], rows: &mut Vec<(Span, String, String)>) {
    for token in tokens {
        let spelling = token.span.text(source);
        let (kind, spelling) = match token.kind {
            TokenKind::Text(index) => {
                let text = &texts[index as usize];
                for part in &text.parts {
                    if let LexedPart::Hole { tokens, .. } = part {
                        // Without the mark at the end of the hole.
                        add(source, &tokens[..tokens.len() - 1], texts, rows);
                    }
                }
                (text.form.token_name().to_owned(), quoted(spelling))
            }
            TokenKind::Newline | TokenKind::EndOfFile => (token.kind.name().into_owned(), String::new()),
            TokenKind::ClauseText | TokenKind::Error => (token.kind.name().into_owned(), quoted(spelling)),
            kind => (kind.name().into_owned(), spelling.to_owned()),
        };
        rows.push((token.span, kind, spelling));
    }
}

/// On one line, whatever it holds.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            control if control.is_control() => out.extend(control.escape_unicode()),
            other => out.push(other),
        }
    }
    out.push('"');
    out
}
