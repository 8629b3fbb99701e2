//! The one canonical layout (section 3 of the language).
//!
//! No options, no other tokens than the source's; formatting what was formatted changes
//! nothing. Files with lexical or syntax errors are refused.

mod expressions;
mod items;
mod layout;
mod statements;

use crate::tree::{Comment, Module, Span};
use crate::{Diagnostic, Mode, parse};

use layout::{Doc, Printer, concat, text};

/// The canonical text of a file, or why there is none.
pub fn format(source: &str, mode: Mode) -> Result<String, Vec<Diagnostic>> {
    let parsed = parse(source, mode);
    if !parsed.is_well_formed() {
        return Err(parsed.diagnostics);
    }
    Ok(format_module(source, &parsed.module))
}

/// The canonical text of a tree that was parsed from `source` without an error.
pub fn format_module(source: &str, module: &Module) -> String {
    let mut builder = Builder {
        source,
        comments: &module.comments,
        held: Vec::new(),
    };
    let doc = builder.module(module);
    let mut printer = Printer::new();
    printer.print(&doc, 0, false);
    let mut out = printer.finish();
    out.push('\n');
    out
}

struct Builder<'a> {
    source: &'a str,
    /// Those not printed yet.
    comments: &'a [Comment],
    /// Those above a head that takes none, for the next place that does.
    held: Vec<Doc>,
}

impl Builder<'_> {
    fn comment(&mut self) -> Option<Doc> {
        let (first, rest) = self.comments.split_first()?;
        self.comments = rest;
        Some(text(first.span.text(self.source).trim_end()))
    }

    /// Comments before a place that accepts them, each on its own line.
    fn above(&mut self, start: u32) -> Vec<Doc> {
        let mut docs = std::mem::take(&mut self.held);
        while self
            .comments
            .first()
            .is_some_and(|comment| comment.span.start < start)
        {
            docs.extend(self.comment());
            docs.extend([Doc::Break, Doc::Hard]);
        }
        docs
    }

    /// The comment that ends the line on which `end` is.
    fn trailing(&mut self, end: u32) -> Doc {
        let Some(comment) = self.comments.first() else {
            return concat(Vec::new());
        };
        let between = Span::new(end, comment.span.start).text(self.source);
        let follows = comment.span.start >= end
            && !comment.alone
            && between.bytes().all(|byte| matches!(byte, b' ' | b','));
        if !follows {
            return concat(Vec::new());
        }
        let mut docs = vec![text("  ")];
        docs.extend(self.comment());
        docs.push(Doc::Break);
        concat(docs)
    }

    fn has_blank_line(&self, from: u32, to: u32) -> bool {
        let between = Span::new(from, to).text(self.source);
        between
            .split('\n')
            .skip(1)
            .collect::<Vec<_>>()
            .split_last()
            .is_some_and(|(_, lines)| lines.iter().any(|line| line.trim().is_empty()))
    }
}
