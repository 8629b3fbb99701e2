//! Texts: one line, block and raw, with their escapes and holes (sections 1.4 and 1.5).

use std::mem;

use super::token::{LexedPart, LexedText};
use super::{Lexer, span};
use crate::Code;
use crate::tree::TextForm;

/// The parts of a text as they are found; neighbouring characters are one part.
#[derive(Default)]
struct Parts {
    done: Vec<LexedPart>,
    value: String,
    start: usize,
    end: usize,
}

impl Parts {
    fn add(&mut self, value: &str, start: usize, end: usize) {
        if self.value.is_empty() {
            self.start = start;
        }
        self.value.push_str(value);
        self.end = end;
    }

    fn flush(&mut self) {
        if !self.value.is_empty() {
            let value = mem::take(&mut self.value);
            self.done.push(LexedPart::Characters {
                span: span(self.start, self.end),
                value: value.into(),
            });
        }
    }

    fn finish(mut self, form: TextForm) -> LexedText {
        self.flush();
        LexedText {
            form,
            parts: self.done,
        }
    }
}

impl Lexer<'_> {
    pub(super) fn raw_text(&mut self) -> LexedText {
        let start = self.at;
        let line_end = self.line_end(start);
        let close = self.bytes[start + 1..line_end]
            .iter()
            .position(|&byte| byte == b'"')
            .map(|length| start + 1 + length);
        let content_end = close.unwrap_or(line_end);
        self.at = close.map_or(line_end, |close| close + 1);
        if close.is_none() {
            self.report_unterminated_text(start, line_end);
        }
        let mut parts = Parts::default();
        self.characters_without_returns(start + 1, content_end, &mut parts);
        parts.finish(TextForm::Raw)
    }

    fn report_unterminated_text(&mut self, start: usize, end: usize) {
        self.report(
            Code::UnterminatedText,
            start,
            end,
            "the text does not end on its line",
            "close it with `\"`, or write a block text between `\"\"\"` lines",
        );
    }

    /// Adds what stands between, without carriage returns, which are reported.
    fn characters_without_returns(&mut self, start: usize, end: usize, parts: &mut Parts) {
        let mut from = start;
        for at in start..end {
            if self.bytes[at] == b'\r' {
                self.report_carriage_return(at);
                if from < at {
                    parts.add(&self.source[from..at], from, at);
                }
                from = at + 1;
            }
        }
        if from < end {
            parts.add(&self.source[from..end], from, end);
        }
    }

    pub(super) fn line_text(&mut self) -> LexedText {
        let start = self.at;
        let line_end = self.line_end(start);
        let mut parts = Parts::default();
        let closed = self.content(start + 1, line_end, true, &mut parts);
        match closed {
            Closed::AtQuote => self.at += 1,
            Closed::AtEnd => self.report_unterminated_text(start, line_end),
            Closed::InHole => {}
        }
        parts.finish(TextForm::Line)
    }

    /// Reads characters, escapes and holes up to `end`, or up to a quote where one closes the
    /// text; leaves `self.at` there.
    fn content(&mut self, start: usize, end: usize, quote_closes: bool, parts: &mut Parts) -> Closed {
        self.at = start;
        while self.at < end {
            let at = self.at;
            match self.bytes[at] {
                b'"' if quote_closes => return Closed::AtQuote,
                b'\\' => self.escape(end, parts),
                b'{' => {
                    if !self.hole(end, parts) {
                        // The text ends at the next quote, if there is one, so that what
                        // follows it on the line is still read.
                        if quote_closes {
                            let quote = self.bytes[at..end].iter().position(|&byte| byte == b'"');
                            self.at = quote.map_or(end, |length| at + length + 1);
                        } else {
                            self.at = end;
                        }
                        return Closed::InHole;
                    }
                }
                b'\r' => {
                    self.report_carriage_return(at);
                    self.at += 1;
                }
                _ => {
                    let stop = self.bytes[at + 1..end]
                        .iter()
                        .position(|byte| matches!(byte, b'"' | b'\\' | b'{' | b'\r'))
                        .map_or(end, |length| at + 1 + length);
                    parts.add(&self.source[at..stop], at, stop);
                    self.at = stop;
                }
            }
        }
        Closed::AtEnd
    }

    fn escape(&mut self, end: usize, parts: &mut Parts) {
        let at = self.at;
        let next = self.source[at + 1..end].chars().next();
        let value = match next {
            Some('n') => "\n",
            Some('t') => "\t",
            Some('"') => "\"",
            Some('\\') => "\\",
            Some('{') => "{",
            _ => {
                let length = next.map_or(0, char::len_utf8);
                let spelled = &self.source[at..at + 1 + length];
                self.report(
                    Code::UnknownEscape,
                    at,
                    at + 1 + length,
                    format!("`{spelled}` is not an escape"),
                    "write one of `\\n`, `\\t`, `\\\"`, `\\\\`, `\\{`",
                );
                parts.add("\u{fffd}", at, at + 1 + length);
                self.at = at + 1 + length;
                return;
            }
        };
        parts.add(value, at, at + 2);
        self.at = at + 2;
    }

    /// Reads `{…}`; false when it is not closed.
    fn hole(&mut self, end: usize, parts: &mut Parts) -> bool {
        let open = self.at;
        let close = self.bytes[open..end]
            .iter()
            .position(|&byte| byte == b'}')
            .map(|length| open + length);
        let Some(close) = close else {
            self.report(
                Code::UnterminatedHole,
                open,
                open + 1,
                "the hole is not closed on its line",
                "close it with `}`, or write `\\{` for the character",
            );
            return false;
        };
        parts.flush();
        let inside = &self.source[open + 1..close];
        if inside.trim_matches([' ', '\t', '\r']).is_empty() {
            self.report(
                Code::EmptyHole,
                open,
                close + 1,
                "the hole is empty",
                "write an expression between the braces, or `\\{` for the character",
            );
        }
        if let Some(quote) = inside.find('"') {
            let quote = open + 1 + quote;
            self.report(
                Code::TextInHole,
                quote,
                quote + 1,
                "a text inside a hole",
                "bind the text with `let` and name it in the hole",
            );
        }
        let mut lexer = Lexer::new(self.source, open + 1, close);
        lexer.in_hole = true;
        lexer.run();
        let lexed = lexer.finish();
        for diagnostic in lexed.diagnostics {
            if self.out.diagnostics.len() < super::MAX_LEXICAL_DIAGNOSTICS {
                self.out.diagnostics.push(diagnostic);
            }
        }
        parts.done.push(LexedPart::Hole {
            span: span(open, close + 1),
            tokens: lexed.tokens,
        });
        self.at = close + 1;
        true
    }

    pub(super) fn block_text(&mut self) -> LexedText {
        let start = self.at;
        let first_end = self.line_end(start + 3);
        let after = self.source[start + 3..first_end].trim_matches([' ', '\t', '\r']);
        if !after.is_empty() {
            self.report(
                Code::BlockTextStart,
                start + 3,
                first_end,
                "text after the opening `\"\"\"`",
                "start the text on the next line",
            );
            if let Some(close) = self.source[start + 3..first_end].find("\"\"\"") {
                self.at = start + 3 + close + 3;
                return Parts::default().finish(TextForm::Block);
            }
        } else {
            for at in start + 3..first_end {
                if self.bytes[at] == b'\r' {
                    self.report_carriage_return(at);
                }
            }
        }
        let (lines, close) = self.block_lines(first_end);
        let indent = lines
            .iter()
            .filter(|&&(from, to)| !blank(&self.source[from..to]))
            .map(|&(from, to)| leading_spaces(&self.source[from..to]))
            .min()
            .unwrap_or(0);
        let mut parts = Parts::default();
        for (position, &(from, to)) in lines.iter().enumerate() {
            if position > 0 {
                parts.add("\n", from - 1, from);
            }
            let dropped = leading_spaces(&self.source[from..to]).min(indent);
            self.content(from + dropped, to, false, &mut parts);
        }
        match close {
            Ok(end) => self.at = end,
            Err(end) => {
                self.report(
                    Code::UnterminatedBlockText,
                    start,
                    start + 3,
                    "the block text does not end",
                    "close it with `\"\"\"` on a line of its own",
                );
                self.at = end;
            }
        }
        parts.finish(TextForm::Block)
    }

    /// The content lines after the opening one, and where the text ends: after its closing
    /// quotes, or, when there are none, before a line that is plainly outside or at the end.
    fn block_lines(&mut self, first_end: usize) -> (Vec<(usize, usize)>, Result<usize, usize>) {
        let mut lines = Vec::new();
        let mut outside: Option<usize> = None;
        let mut at = first_end;
        while at < self.bytes.len() {
            let from = at + 1;
            if from > self.bytes.len() {
                break;
            }
            let to = self.line_end(from);
            let line = &self.source[from..to];
            if self.no_block_end && starts_item(line) {
                return (lines, Err(at));
            }
            if line.trim_matches([' ', '\t', '\r']) == "\"\"\"" {
                let quotes = from + line.find('"').unwrap_or(0);
                return (lines, Ok(quotes + 3));
            }
            if outside.is_none() && starts_item(line) {
                outside = Some(lines.len());
            }
            lines.push((from, to));
            at = to;
        }
        self.no_block_end = true;
        match outside {
            Some(count) => {
                lines.truncate(count);
                let end = lines.last().map_or(first_end, |&(_, to)| to);
                (lines, Err(end))
            }
            None => (lines, Err(self.bytes.len())),
        }
    }
}

enum Closed {
    AtQuote,
    AtEnd,
    InHole,
}

fn blank(line: &str) -> bool {
    line.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
}

fn leading_spaces(line: &str) -> usize {
    line.bytes().take_while(|&byte| byte == b' ').count()
}

fn starts_item(line: &str) -> bool {
    ["public ", "function ", "type ", "ability ", "test \""]
        .iter()
        .any(|word| line.starts_with(word))
}

#[cfg(test)]
mod tests {
    use super::super::{LexedPart, lex};

    /// The parts of the only text: characters between bars, holes as their token count.
    fn parts(source: &str) -> String {
        let lexed = lex(source);
        let mut out = String::new();
        for part in lexed.texts.iter().flat_map(|text| &text.parts) {
            match part {
                LexedPart::Characters { value, .. } => out.push_str(&format!("|{value}|")),
                LexedPart::Hole { tokens, .. } => out.push_str(&format!("<{}>", tokens.len() - 1)),
            }
        }
        for diagnostic in lexed.diagnostics {
            out.push_str(&format!(" {}", diagnostic.code));
        }
        out
    }

    #[test]
    fn lines_have_escapes_and_holes() {
        assert_eq!(parts(r#""a\n\{{name}b}""#), "|a\n{|<1>|b}|");
        assert_eq!(parts(r#"raw "a\n{b""#), r"|a\n{b|");
        assert_eq!(parts(r#""{aa + bb.cc()}""#), "<7>");
    }

    #[test]
    fn blocks_lose_their_indent() {
        assert_eq!(
            parts("\"\"\"\n    one \"two\"\n\n      {three}\n  \"\"\"\n"),
            "|one \"two\"\n\n  |<1>"
        );
        assert_eq!(parts("\"\"\"\n\"\"\""), "");
    }

    #[test]
    fn faults_are_named_once() {
        assert_eq!(parts("\"abc"), "|abc| unterminated-text");
        assert_eq!(parts("\"a{bc\" + dd"), "|a| unterminated-hole");
        assert_eq!(parts("\"{}\""), "<0> empty-hole");
        assert_eq!(parts("\"{aa(\"b\")}\""), "<3> text-in-hole");
        assert_eq!(parts(r#""\q""#), "|\u{fffd}| unknown-escape");
        assert_eq!(parts("\"\"\"abc\n  def\n\"\"\""), "|def| block-text-start");
        assert_eq!(parts("\"\"\"\n  def\ntype Foo"), "|def| unterminated-block-text");
        assert_eq!(parts("\"\"\""), " unterminated-block-text");
    }
}
