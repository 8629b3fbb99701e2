//! Diagnostics as `renyi` prints them (7.1), and the warnings about a file's layout.

use std::fmt::Write as _;

use crate::lex::{Lexed, TokenKind};
use crate::tree::{Span, TextForm};
use crate::{Code, Diagnostic};

/// Widest line in characters.
pub const MAX_LINE_WIDTH: usize = 100;

/// Where the lines of a source start, to turn offsets into lines and columns.
pub struct Lines<'a> {
    source: &'a str,
    starts: Vec<u32>,
}

/// A line and a column, both from 1; columns count characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

impl<'a> Lines<'a> {
    pub fn new(source: &'a str) -> Self {
        let breaks = source.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0)
            .chain(breaks.map(|(at, _)| at as u32 + 1))
            .collect();
        Self { source, starts }
    }

    pub fn position(&self, offset: u32) -> Position {
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self.starts[line - 1];
        Position {
            line,
            column: Span::new(start, offset).text(self.source).chars().count() + 1,
        }
    }
}

/// `FILE:LINE:COLUMN: SEVERITY [CODE]: MESSAGE`, and the fix on a line of its own.
pub fn text_form(file: &str, source: &str, diagnostics: &[Diagnostic], strict: bool) -> String {
    let lines = Lines::new(source);
    let mut out = String::new();
    for diagnostic in diagnostics {
        let Position { line, column } = lines.position(diagnostic.span.start);
        // A `String` takes whatever is written to it.
        let _ = writeln!(
            out,
            "{file}:{line}:{column}: {} [{}]: {}\n  fix: {}",
            diagnostic.severity_under(strict),
            diagnostic.code,
            diagnostic.message,
            diagnostic.fix
        );
    }
    out
}

/// A JSON array with an object per line, keys and escapes as 7.1 gives them.
pub fn json_form(file: &str, source: &str, diagnostics: &[Diagnostic], strict: bool) -> String {
    let lines = Lines::new(source);
    let mut out = String::from("[");
    for (position, diagnostic) in diagnostics.iter().enumerate() {
        let start = lines.position(diagnostic.span.start);
        let end = lines.position(diagnostic.span.end);
        out.push_str(if position == 0 { "\n  " } else { ",\n  " });
        let _ = write!(
            out,
            "{{\"file\": {}, \"line\": {}, \"column\": {}, \"end_line\": {}, \"end_column\": {}, \
             \"severity\": \"{}\", \"code\": \"{}\", \"message\": {}, \"fix\": {}}}",
            json_text(file),
            start.line,
            start.column,
            end.line,
            end.column,
            diagnostic.severity_under(strict),
            diagnostic.code,
            json_text(&diagnostic.message),
            json_text(&diagnostic.fix)
        );
    }
    out.push_str(if diagnostics.is_empty() { "]\n" } else { "\n]\n" });
    out
}

/// A JSON string: controls, quotes and backslashes escaped, everything else as it is.
pub fn json_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            control if control < ' ' => {
                let _ = write!(out, "\\u{:04x}", control as u32);
            }
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

/// `line-width` and `trailing-whitespace`, in the order of their lines. Blanks at the end of
/// a line of a block text belong to the text.
pub fn layout_warnings(source: &str, lexed: &Lexed) -> Vec<Diagnostic> {
    let texts: Vec<Span> = lexed
        .tokens
        .iter()
        .filter(|token| match token.kind {
            TokenKind::Text(index) => lexed.texts[index as usize].form == TextForm::Block,
            _ => false,
        })
        .map(|token| token.span)
        .collect();
    let mut warnings = Vec::new();
    let mut start = 0;
    for line in source.split_inclusive('\n') {
        let content = line.trim_end_matches(['\n', '\r']);
        let end = start + content.len();
        let visible = start + content.trim_end_matches([' ', '\t']).len();
        let width = content.chars().count();
        if width > MAX_LINE_WIDTH {
            warnings.push(Diagnostic::new(
                Code::LineWidth,
                Span::new(start as u32, end as u32),
                format!("the line is {width} columns wide; {MAX_LINE_WIDTH} are the most"),
                "break the line, or give parts of it names",
            ));
        }
        let after = texts.partition_point(|text| (text.end as usize) <= end);
        let in_text = texts
            .get(after)
            .is_some_and(|text| (text.start as usize) < visible && end < text.end as usize);
        if visible < end && !in_text {
            warnings.push(Diagnostic::new(
                Code::TrailingWhitespace,
                Span::new(visible as u32, end as u32),
                "blanks at the end of the line",
                "remove them",
            ));
        }
        start += line.len();
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lex::lex;

    fn warned(source: &str) -> Vec<String> {
        layout_warnings(source, &lex(source))
            .iter()
            .map(|warning| format!("{} {:?}", warning.code, warning.span))
            .collect()
    }

    #[test]
    fn layout_is_warned_of_outside_of_block_texts() {
        assert_eq!(warned("module aa \n\n"), ["trailing-whitespace 9..10"]);
        assert_eq!(warned(&format!("# {}\n", "é".repeat(98))), [""; 0]);
        assert_eq!(warned(&format!("# {}\n", "é".repeat(99))), ["line-width 0..200"]);
        assert_eq!(
            warned("let aa be \"\"\"\n  bb  \n  \"\"\" \n"),
            ["trailing-whitespace 26..27"]
        );
    }

    #[test]
    fn columns_count_characters() {
        let lines = Lines::new("é é\nab");
        assert_eq!(lines.position(3), Position { line: 1, column: 3 });
        assert_eq!(lines.position(6), Position { line: 2, column: 1 });
        assert_eq!(lines.position(8), Position { line: 2, column: 3 });
    }
}
