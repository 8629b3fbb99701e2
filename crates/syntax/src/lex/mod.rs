//! From characters to tokens (section 1 of the language).
//!
//! Any text at all gives tokens: what is wrong becomes a diagnostic and an `Error` token, and
//! lexing goes on. Whether a line break means something is decided here, so that the parser
//! sees one `Newline` where the grammar has a break and none elsewhere.

mod text;
mod token;
mod words;

use std::ops::Range;

pub use token::{Lexed, LexedPart, LexedText, Token, TokenKind};
pub use words::Word;

use crate::tree::{Comment, Span};
use crate::{Code, Diagnostic};

/// Lexical diagnostics kept per file; a file that has more is not a Renyi file, and the
/// memory of a report must stay in proportion.
pub const MAX_LEXICAL_DIAGNOSTICS: usize = 10_000;

/// Longest source in bytes; spans are 32 bits wide. What lies beyond is not read, which one
/// diagnostic says.
pub const MAX_SOURCE: usize = 1 << 30;

/// The tokens of a file.
pub fn lex(source: &str) -> Lexed {
    let mut end = source.len().min(MAX_SOURCE);
    while !source.is_char_boundary(end) {
        end -= 1;
    }
    let mut lexer = Lexer::new(source, 0, end);
    lexer.run();
    if end < source.len() {
        lexer.report(
            Code::UnknownCharacter,
            end,
            end,
            format!("the file is longer than {MAX_SOURCE} bytes"),
            "split the file into modules",
        );
    }
    lexer.finish()
}

struct Lexer<'a> {
    source: &'a str,
    /// The source up to where this lexer may read.
    bytes: &'a [u8],
    at: usize,
    /// Inside a hole of a text: one line, no texts, no comments, no breaks.
    in_hole: bool,
    /// Open brackets.
    depth: u32,
    /// The first line break since the last token.
    pending_break: Option<Span>,
    /// A line of which the end is known: so that many tokens on a long line do not look for
    /// it again and again.
    line: Range<usize>,
    /// No line from here on closes a block text.
    no_block_end: bool,
    out: Lexed,
}

impl<'a> Lexer<'a> {
    fn new(source: &'a str, start: usize, end: usize) -> Self {
        Self {
            source,
            bytes: &source.as_bytes()[..end],
            at: start,
            in_hole: false,
            depth: 0,
            pending_break: None,
            line: 0..0,
            no_block_end: false,
            out: Lexed::default(),
        }
    }

    fn run(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b' ' => self.at += 1,
                b'\n' => {
                    if self.pending_break.is_none() {
                        self.pending_break = Some(span(self.at, self.at + 1));
                    }
                    self.at += 1;
                }
                b'\r' => {
                    self.report_carriage_return(self.at);
                    self.at += 1;
                }
                b'\t' => {
                    self.report(
                        Code::Tab,
                        self.at,
                        self.at + 1,
                        "a tab character",
                        "indent with two spaces",
                    );
                    self.at += 1;
                }
                b'#' if !self.in_hole => self.comment(),
                b'a'..=b'z' => self.lower(),
                b'A'..=b'Z' => self.upper(),
                b'0'..=b'9' => self.number(),
                b'"' => self.quote(),
                b'_' => self.underscore(),
                _ => match punctuation(byte) {
                    Some(kind) => self.punctuation(kind),
                    None => self.foreign_character(byte),
                },
            }
        }
    }

    fn finish(mut self) -> Lexed {
        let end = self.bytes.len();
        if !self.in_hole {
            let ends_line = matches!(
                self.out.tokens.last(),
                Some(Token {
                    kind: TokenKind::Newline,
                    ..
                }) | None
            );
            if !ends_line {
                let place = self.pending_break.unwrap_or(span(end, end));
                self.out.tokens.push(Token {
                    kind: TokenKind::Newline,
                    span: place,
                });
            }
        }
        self.out.tokens.push(Token {
            kind: TokenKind::EndOfFile,
            span: span(end, end),
        });
        self.out
    }

    /// Adds a token, and before it the line break that precedes it if that means something.
    fn push(&mut self, kind: TokenKind, start: usize, end: usize) {
        if let Some(break_span) = self.pending_break.take() {
            if self.depth > 0 && self.starts_afresh(kind, start) {
                self.depth = 0;
            }
            let continues = matches!(kind, TokenKind::Word(word) if word.continues_line());
            let open = matches!(
                self.out.tokens.last().map(|token| token.kind),
                None | Some(TokenKind::Comma | TokenKind::Newline)
            );
            if self.depth == 0 && !continues && !open {
                self.out.tokens.push(Token {
                    kind: TokenKind::Newline,
                    span: break_span,
                });
            }
        }
        self.out.tokens.push(Token {
            kind,
            span: span(start, end),
        });
    }

    /// Whether a line that starts with this token cannot be inside brackets: a bracket left
    /// open before it must not swallow the rest of the file.
    fn starts_afresh(&self, kind: TokenKind, start: usize) -> bool {
        let TokenKind::Word(word) = kind else {
            return false;
        };
        let at_margin = start == 0 || self.bytes[start - 1] == b'\n';
        match word {
            Word::Let | Word::Change | Word::Check | Word::Ignore => true,
            Word::Public | Word::Type | Word::Test | Word::Import | Word::Ability => at_margin,
            Word::Function => {
                at_margin
                    && self.source[start..]
                        .strip_prefix("function ")
                        .is_some_and(|rest| rest.starts_with(|next: char| next.is_ascii_lowercase()))
            }
            _ => false,
        }
    }

    fn report(
        &mut self,
        code: Code,
        start: usize,
        end: usize,
        message: impl Into<String>,
        fix: impl Into<String>,
    ) {
        if self.out.diagnostics.len() < MAX_LEXICAL_DIAGNOSTICS {
            self.out
                .diagnostics
                .push(Diagnostic::new(code, span(start, end), message, fix));
        }
    }

    fn report_carriage_return(&mut self, at: usize) {
        self.report(
            Code::Crlf,
            at,
            at + 1,
            "a carriage return",
            "end lines with a line feed alone",
        );
    }

    fn comment(&mut self) {
        let start = self.at;
        let end = self.line_end(start);
        for at in start..end {
            if self.bytes[at] == b'\r' {
                self.report_carriage_return(at);
            }
        }
        let trimmed = self.source[start..end].trim_end_matches([' ', '\t', '\r']).len();
        let alone = self.bytes[..start]
            .iter()
            .rev()
            .take_while(|&&byte| byte != b'\n')
            .all(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
        self.out.comments.push(Comment {
            span: span(start, start + trimmed),
            alone,
        });
        self.at = end;
    }

    /// Where the line that holds `at` ends: at its LF, or at the end of what may be read.
    fn line_end(&mut self, at: usize) -> usize {
        if !self.line.contains(&at) {
            let end = self.bytes[at..]
                .iter()
                .position(|&byte| byte == b'\n')
                .map_or(self.bytes.len(), |length| at + length);
            self.line = at..end;
        }
        self.line.end
    }

    fn word_end(&self, start: usize) -> usize {
        self.bytes[start..]
            .iter()
            .position(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_'))
            .map_or(self.bytes.len(), |length| start + length)
    }

    fn lower(&mut self) {
        let start = self.at;
        let end = self.word_end(start);
        let text = &self.source[start..end];
        self.at = end;
        if self.after_dot_at(start) {
            self.check_shape(text, start, end);
            self.push(TokenKind::Member, start, end);
            return;
        }
        let Some(word) = Word::from_spelling(text) else {
            if text.len() == 1 {
                self.report(
                    Code::SingleLetterIdentifier,
                    start,
                    end,
                    format!("`{text}` is a name of one letter"),
                    "give it a name of at least two characters that says what it is",
                );
            } else {
                self.check_shape(text, start, end);
            }
            self.push(TokenKind::Identifier, start, end);
            return;
        };
        let word = match word.phrase_at(&self.source[start..self.bytes.len()]) {
            Some(phrase) => {
                self.at = start + phrase.spelling().len();
                phrase
            }
            None => word,
        };
        let clause = matches!(
            word,
            Word::Purpose | Word::Tags | Word::SeeAlso | Word::Deprecated
        ) && self.bytes.get(self.at) == Some(&b':')
            && self.starts_line(start);
        if clause {
            self.clause(word, start);
        } else {
            self.push(TokenKind::Word(word), start, self.at);
        }
    }

    fn after_dot_at(&self, start: usize) -> bool {
        self.out
            .tokens
            .last()
            .is_some_and(|token| token.kind == TokenKind::Dot && token.span.end as usize == start)
    }

    /// Nothing but spaces stands before it on its line.
    fn starts_line(&self, start: usize) -> bool {
        self.bytes[..start]
            .iter()
            .rev()
            .find(|&&byte| byte != b' ')
            .is_none_or(|&byte| byte == b'\n')
    }

    /// `purpose: …`: the word, the colon, and the rest of the line.
    fn clause(&mut self, word: Word, start: usize) {
        self.depth = 0;
        let colon = self.at;
        self.push(TokenKind::Word(word), start, colon);
        self.push(TokenKind::Colon, colon, colon + 1);
        let end = self.line_end(colon + 1);
        for at in colon + 1..end {
            if self.bytes[at] == b'\r' {
                self.report_carriage_return(at);
            }
        }
        let rest = &self.source[colon + 1..end];
        let trimmed = rest.trim_matches([' ', '\t', '\r']);
        let text_start = if trimmed.is_empty() {
            colon + 1
        } else {
            colon + 1 + (rest.len() - rest.trim_start_matches([' ', '\t', '\r']).len())
        };
        self.push(TokenKind::ClauseText, text_start, text_start + trimmed.len());
        self.at = end;
    }

    fn check_shape(&mut self, text: &str, start: usize, end: usize) {
        let bad_case = text.bytes().any(|byte| byte.is_ascii_uppercase());
        if bad_case || text.ends_with('_') || text.contains("__") {
            let right = snake_case(text);
            self.report(
                Code::IdentifierShape,
                start,
                end,
                format!("`{text}` is not in snake_case"),
                format!("write `{right}`"),
            );
        }
    }

    fn upper(&mut self) {
        let start = self.at;
        let end = self.word_end(start);
        let text = &self.source[start..end];
        self.at = end;
        if text.contains('_') {
            self.report(
                Code::TypeNameShape,
                start,
                end,
                format!("`{text}` is not in PascalCase"),
                format!("write `{}`", pascal_case(text)),
            );
        }
        self.push(TokenKind::TypeName, start, end);
    }

    fn underscore(&mut self) {
        let start = self.at;
        let end = self.word_end(start);
        let text = &self.source[start..end];
        let right = snake_case(text);
        let fix = if right.is_empty() {
            "start the name with a letter".to_owned()
        } else {
            format!("start the name with a letter: `{right}`")
        };
        self.report(
            Code::IdentifierShape,
            start,
            end,
            format!("`{text}` starts with `_`"),
            fix,
        );
        self.at = end;
        self.push(TokenKind::Error, start, end);
    }

    fn number(&mut self) {
        let start = self.at;
        let mut end = self.digits_end(start);
        let whole_ends_badly = self.bytes[end - 1] == b'_';
        let mut kind = TokenKind::Integer;
        let point =
            self.bytes.get(end) == Some(&b'.') && self.bytes.get(end + 1).is_some_and(u8::is_ascii_digit);
        if point {
            kind = TokenKind::Decimal;
            end = self.bytes[end + 1..]
                .iter()
                .position(|byte| !byte.is_ascii_digit())
                .map_or(self.bytes.len(), |length| end + 1 + length);
        }
        let runs_on = self
            .bytes
            .get(end)
            .is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
        if whole_ends_badly || runs_on {
            end = self.word_end(end);
            let text = &self.source[start..end];
            self.report(
                Code::NumberShape,
                start,
                end,
                format!("`{text}` is not a number"),
                "write digits, with `_` only between digits, and one `.` before decimals",
            );
            kind = TokenKind::Error;
        }
        self.at = end;
        self.push(kind, start, end);
    }

    fn digits_end(&self, start: usize) -> usize {
        self.bytes[start..]
            .iter()
            .position(|byte| !(byte.is_ascii_digit() || *byte == b'_'))
            .map_or(self.bytes.len(), |length| start + length)
    }

    fn quote(&mut self) {
        let start = self.at;
        if self.in_hole {
            // Reported where the hole was found; what follows could be inside the text or not.
            self.at = self.bytes.len();
            self.push(TokenKind::Error, start, self.at);
            return;
        }
        let after_raw = self.pending_break.is_none()
            && self
                .out
                .tokens
                .last()
                .is_some_and(|token| token.kind == TokenKind::Word(Word::Raw));
        let text = if after_raw {
            self.raw_text()
        } else if self.bytes[start..].starts_with(b"\"\"\"") {
            self.block_text()
        } else {
            self.line_text()
        };
        let index = self.out.texts.len() as u32;
        self.out.texts.push(text);
        self.push(TokenKind::Text(index), start, self.at);
    }

    fn punctuation(&mut self, kind: TokenKind) {
        let start = self.at;
        self.at += 1;
        self.push(kind, start, start + 1);
        match kind {
            TokenKind::OpenParenthesis | TokenKind::OpenBracket | TokenKind::OpenBrace => self.depth += 1,
            TokenKind::CloseParenthesis | TokenKind::CloseBracket | TokenKind::CloseBrace => {
                self.depth = self.depth.saturating_sub(1);
            }
            _ => {}
        }
    }

    fn foreign_character(&mut self, byte: u8) {
        let start = self.at;
        if byte == b';' {
            self.at += 1;
            self.report(
                Code::Semicolon,
                start,
                self.at,
                "`;` separates nothing here",
                "write one statement per line, without `;`",
            );
        } else if matches!(byte, b'=' | b'<' | b'>') || SYMBOLS.contains(&byte) {
            self.operator_run(byte);
        } else {
            self.unknown_characters();
        }
        self.push(TokenKind::Error, start, self.at);
    }

    fn operator_run(&mut self, first: u8) {
        let start = self.at;
        self.at += 1;
        while self
            .bytes
            .get(self.at)
            .is_some_and(|byte| b"=<>!&|".contains(byte))
        {
            self.at += 1;
        }
        let text = &self.source[start..self.at];
        let (code, fix) = match first {
            b'=' => (
                Code::EqualsSign,
                "write `let … be`, `change … to`, or `is` to compare",
            ),
            b'<' | b'>' => (
                Code::AngleComparison,
                "write `is less than`, `is at most`, `is greater than` or `is at least`",
            ),
            _ => (Code::SymbolicOperator, symbol_fix(text)),
        };
        self.report(
            code,
            start,
            self.at,
            format!("`{text}` is not an operator of this language"),
            fix,
        );
    }

    fn unknown_characters(&mut self) {
        let start = self.at;
        let rest = &self.source[start..self.bytes.len()];
        let alphabetic = rest.starts_with(char::is_alphabetic);
        let mut characters = rest.char_indices();
        let mut length = characters.next().map_or(1, |(_, first)| first.len_utf8());
        if alphabetic {
            for (offset, next) in characters {
                if next.is_ascii() || !next.is_alphabetic() {
                    break;
                }
                length = offset + next.len_utf8();
            }
        }
        self.at = start + length;
        let shown: String = rest[..length]
            .chars()
            .take(20)
            .flat_map(char::escape_default)
            .collect();
        let shown = if alphabetic {
            &rest[..length]
        } else {
            shown.as_str()
        };
        self.report(
            Code::UnknownCharacter,
            start,
            self.at,
            format!("`{shown}` is not a character of the language"),
            "remove it, or put it in a text",
        );
    }
}

const SYMBOLS: &[u8] = b"!&%^~?@$`\\'|";

fn symbol_fix(run: &str) -> &'static str {
    match run {
        "!" => "write `not`",
        "!=" | "!==" => "write `is not`",
        "&&" | "&" => "write `and`",
        "||" | "|" => "write `or`",
        "%" => "write `remainder`",
        "^" => "write `power`",
        "?" => "write `maybe T` for a type, `otherwise` for a fallback",
        "'" | "`" => "write a text between double quotes",
        _ => "write the English word for it",
    }
}

fn punctuation(byte: u8) -> Option<TokenKind> {
    Some(match byte {
        b'(' => TokenKind::OpenParenthesis,
        b')' => TokenKind::CloseParenthesis,
        b'[' => TokenKind::OpenBracket,
        b']' => TokenKind::CloseBracket,
        b'{' => TokenKind::OpenBrace,
        b'}' => TokenKind::CloseBrace,
        b',' => TokenKind::Comma,
        b':' => TokenKind::Colon,
        b'.' => TokenKind::Dot,
        b'+' => TokenKind::Plus,
        b'-' => TokenKind::Minus,
        b'*' => TokenKind::Star,
        b'/' => TokenKind::Slash,
        _ => return None,
    })
}

fn span(start: usize, end: usize) -> Span {
    Span::new(start as u32, end as u32)
}

/// `HTTPClient` and `userName` as `http_client` and `user_name`; underscores that may not stay
/// are dropped.
pub fn snake_case(text: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len() + 4);
    for (position, &character) in characters.iter().enumerate() {
        if character == '_' {
            if !out.is_empty() && !out.ends_with('_') {
                out.push('_');
            }
            continue;
        }
        if character.is_ascii_uppercase() {
            let before = position.checked_sub(1).map(|place| characters[place]);
            let after_lower =
                before.is_some_and(|before| before.is_ascii_lowercase() || before.is_ascii_digit());
            let ends_acronym = before.is_some_and(|before| before.is_ascii_uppercase())
                && characters
                    .get(position + 1)
                    .is_some_and(|next| next.is_ascii_lowercase());
            if (after_lower || ends_acronym) && !out.is_empty() && !out.ends_with('_') {
                out.push('_');
            }
        }
        out.push(character.to_ascii_lowercase());
    }
    out.trim_end_matches('_').to_owned()
}

/// `user_name` and `Big_box` as `UserName` and `BigBox`.
pub fn pascal_case(text: &str) -> String {
    text.split('_')
        .filter(|part| !part.is_empty())
        .map(|part| {
            let (first, rest) = part.split_at(1);
            format!("{}{rest}", first.to_ascii_uppercase())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(source: &str) -> String {
        let names: Vec<String> = lex(source)
            .tokens
            .iter()
            .map(|token| token.kind.name().into_owned())
            .collect();
        names.join(" ")
    }

    fn codes(source: &str) -> Vec<&'static str> {
        lex(source)
            .diagnostics
            .iter()
            .map(|diagnostic| diagnostic.code.spelling())
            .collect()
    }

    #[test]
    fn names_change_case() {
        for (from, to) in [
            ("userName", "user_name"),
            ("HTTPClient", "http_client"),
            ("_x__y_", "x_y"),
            ("a1B", "a1_b"),
        ] {
            assert_eq!(snake_case(from), to);
        }
        assert_eq!(pascal_case("big_Box_"), "BigBox");
    }

    #[test]
    fn phrases_and_members() {
        assert_eq!(
            kinds("aa is at  most bb.at most"),
            "identifier word(is) word(at) word(most) identifier . member word(most) newline eof"
        );
        assert_eq!(
            kinds("aa is at most bb"),
            "identifier word(is at most) identifier newline eof"
        );
        assert_eq!(kinds("3.to_text()"), "integer . member ( ) newline eof");
        assert_eq!(kinds("3.5"), "decimal newline eof");
    }

    #[test]
    fn breaks_that_mean_nothing() {
        assert_eq!(
            kinds("\n\naa(\nbb,\n\ncc)\n# note\nwhere dd\n\n\nee"),
            "identifier ( identifier , identifier ) word(where) identifier newline identifier newline eof"
        );
    }

    #[test]
    fn an_open_bracket_swallows_no_item() {
        assert_eq!(
            kinds("aa(bb\n  let cc"),
            "identifier ( identifier newline word(let) identifier newline eof"
        );
        assert_eq!(
            kinds("aa(bb\ntest \"x\""),
            "identifier ( identifier newline word(test) text newline eof"
        );
    }

    #[test]
    fn clause_text_is_the_rest_of_the_line() {
        let source = "  purpose:  a \"b # c  \nsee also: x\npurpose : y";
        let lexed = lex(source);
        let clause = lexed.tokens[2];
        assert_eq!(clause.span.text(source), "a \"b # c");
        assert_eq!(
            kinds(source),
            "word(purpose) : clause-text newline word(see also) : clause-text newline \
             word(purpose) : identifier newline eof"
        );
    }

    #[test]
    fn bad_characters_have_their_codes() {
        let source = "aa == bb <= cc; dd != ee _ff 12x 1_ é\u{feff}";
        assert_eq!(
            codes(source),
            [
                "equals-sign",
                "angle-comparison",
                "semicolon",
                "symbolic-operator",
                "identifier-shape",
                "number-shape",
                "number-shape",
                "unknown-character",
                "unknown-character"
            ]
        );
        assert_eq!(
            codes("\taa\r\nx userName Big_box"),
            [
                "tab",
                "crlf",
                "single-letter-identifier",
                "identifier-shape",
                "type-name-shape"
            ]
        );
    }
}
