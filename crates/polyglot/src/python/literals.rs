//! Strings and numbers in one spelling.

use tree_sitter::Node;

use super::{Kind, walker::*};
use crate::{model::*, syntax};

/// A part of a string.
enum Piece<'t> {
    Text(String),
    Inserted(Node<'t>),
}

impl<'a, 't> Walker<'a, 't> {
    /// Writes a string, adjacent ones as one.
    pub fn string(&mut self, node: Node<'t>) -> PathId {
        let mut pieces = Vec::new();
        let mut bytes = false;
        self.pieces(node, &mut pieces, &mut bytes);
        let inserted = pieces.iter().any(|piece| matches!(piece, Piece::Inserted(_)));
        let library = if bytes { "builtins.bytes" } else { "builtins.str" };
        if !inserted {
            let content: String = pieces
                .into_iter()
                .map(|piece| match piece {
                    Piece::Text(text) => text,
                    Piece::Inserted(_) => String::new(),
                })
                .collect();
            let prefix = if bytes { "b" } else { "" };
            self.text(&format!("{prefix}\"{content}\""));
            return self.builder.library(library);
        }
        self.text("f\"");
        let mut text = String::new();
        for piece in pieces {
            match piece {
                Piece::Text(more) => text.push_str(&more),
                Piece::Inserted(node) => {
                    if !text.is_empty() {
                        self.text(&format!("\"{}\"", std::mem::take(&mut text)));
                    }
                    self.interpolation(node);
                }
            }
        }
        if !text.is_empty() {
            self.text(&format!("\"{text}\""));
        }
        self.text("\"");
        self.builder.library(library)
    }

    /// `{value!r:format}`.
    fn interpolation(&mut self, node: Node<'t>) {
        if self.depth >= syntax::MAX_DEPTH {
            self.leaves(node);
            return;
        }
        self.depth += 1;
        let parts = self.parts(node);
        for index in parts.start..parts.end {
            let part = self.parts[index];
            match part.kind {
                Kind::FormatSpecifier => self.format_specifier(part.node),
                Kind::TypeConversion => self.leaf(part.node),
                _ if part.node.is_named() => {
                    self.expression(part.node, false);
                }
                _ => self.leaf(part.node),
            }
        }
        self.release(parts);
        self.depth -= 1;
    }

    fn format_specifier(&mut self, node: Node<'t>) {
        // Its plain text has no nodes of its own.
        let parts = self.parts(node);
        let mut at = node.start_byte();
        for index in parts.start..parts.end {
            let part = self.parts[index];
            if part.node.is_named() {
                let text = self.source.get(at..part.node.start_byte()).unwrap_or("");
                if !text.is_empty() {
                    self.text(text);
                }
                self.interpolation(part.node);
                at = part.node.end_byte();
            }
        }
        self.release(parts);
        let text = self.source.get(at..node.end_byte()).unwrap_or("");
        if !text.is_empty() {
            self.text(text);
        }
    }

    fn pieces(&mut self, node: Node<'t>, pieces: &mut Vec<Piece<'t>>, bytes: &mut bool) {
        let parts = self.parts(node);
        if self.kind(node) == Kind::ConcatenatedString {
            for index in parts.start..parts.end {
                let part = self.parts[index];
                if part.kind == Kind::String {
                    self.pieces(part.node, pieces, bytes);
                }
            }
            self.release(parts);
            return;
        }
        // Not all content has a node of its own.
        let mut style = Style::default();
        let mut at = node.start_byte();
        for index in parts.start..parts.end {
            let part = self.parts[index];
            match part.kind {
                Kind::StringStart => {
                    style = Style::of(self.slice(part.node));
                    *bytes |= style.bytes;
                }
                Kind::Interpolation | Kind::StringEnd => {
                    let mut text = String::new();
                    let mut end = part.node.start_byte();
                    if part.kind == Kind::StringEnd {
                        // Where a raw string ends in an escaped quote, the grammar
                        // takes that for a part of the end.
                        end = part.node.end_byte().saturating_sub(style.quotes).max(end);
                    }
                    let content = self.source.get(at..end);
                    decode(content.unwrap_or(""), style, &mut text);
                    pieces.push(Piece::Text(text));
                    if part.kind == Kind::Interpolation {
                        pieces.push(Piece::Inserted(part.node));
                    }
                }
                _ => continue,
            }
            at = part.node.end_byte();
        }
        self.release(parts);
    }

    /// The content of a string without insertions.
    pub fn plain_string(&mut self, node: Node<'t>) -> Option<String> {
        let mut pieces = Vec::new();
        let mut bytes = false;
        self.pieces(node, &mut pieces, &mut bytes);
        if bytes {
            return None;
        }
        let mut content = String::new();
        for piece in pieces {
            match piece {
                Piece::Text(text) => content.push_str(&text),
                Piece::Inserted(_) => return None,
            }
        }
        Some(unescape(&content))
    }

    pub fn number(&mut self, node: Node<'t>) -> PathId {
        let text = self.slice(node).to_ascii_lowercase();
        if self.kind(node) != Kind::Float {
            let imaginary = text.ends_with('j');
            self.text(&text);
            let name = if imaginary {
                "builtins.complex"
            } else {
                "builtins.int"
            };
            return self.builder.library(name);
        }
        let split = text.find(['e', 'j']).unwrap_or(text.len());
        let (mantissa, rest) = text.split_at(split);
        let spelled = match mantissa.split_once('.') {
            Some((whole, part)) => {
                let whole = if whole.is_empty() { "0" } else { whole };
                let part = if part.is_empty() { "0" } else { part };
                format!("{whole}.{part}{}", rest.replace("e+", "e"))
            }
            None => format!("{mantissa}{}", rest.replace("e+", "e")),
        };
        self.text(&spelled);
        self.builder.library("builtins.float")
    }
}

/// What a string's prefix says.
#[derive(Debug, Clone, Copy, Default)]
struct Style {
    raw: bool,
    bytes: bool,
    format: bool,
    /// Length of the quote.
    quotes: usize,
}

impl Style {
    fn of(start: &str) -> Self {
        let has = |lower: char| start.chars().any(|found| found.to_ascii_lowercase() == lower);
        Self {
            raw: has('r'),
            bytes: has('b'),
            format: has('f') || has('t'),
            quotes: start.len() - start.trim_end_matches(['"', '\'']).len(),
        }
    }
}

/// Rewrites the content of a string so that equal contents have equal spellings:
/// what escapes stand for, with only backslashes, quotes and controls escaped.
fn decode(content: &str, style: Style, out: &mut String) {
    let mut characters = content.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\r' => {
                characters.next_if_eq(&'\n');
                push(out, '\n', style.bytes);
            }
            '{' | '}' if style.format => {
                characters.next_if_eq(&character);
                push(out, character, style.bytes);
            }
            '\\' if !style.raw => escape(&mut characters, style, out),
            _ => push(out, character, style.bytes),
        }
    }
}

fn escape(characters: &mut std::iter::Peekable<std::str::Chars<'_>>, style: Style, out: &mut String) {
    let Some(next) = characters.next() else {
        out.push_str("\\\\");
        return;
    };
    let simple = match next {
        '\n' => return,
        '\r' => {
            characters.next_if_eq(&'\n');
            return;
        }
        '\\' | '\'' | '"' => Some(next),
        'n' => Some('\n'),
        't' => Some('\t'),
        'r' => Some('\r'),
        'a' => Some('\u{7}'),
        'b' => Some('\u{8}'),
        'f' => Some('\u{c}'),
        'v' => Some('\u{b}'),
        _ => None,
    };
    if let Some(simple) = simple {
        push(out, simple, style.bytes);
        return;
    }
    let digits = match next {
        'x' => 2,
        'u' if !style.bytes => 4,
        'U' if !style.bytes => 8,
        '0'..='7' => {
            let mut number = next.to_digit(8).unwrap_or(0);
            for _ in 0..2 {
                match characters.peek().and_then(|digit| digit.to_digit(8)) {
                    Some(digit) => {
                        number = number * 8 + digit;
                        characters.next();
                    }
                    None => break,
                }
            }
            push_number(out, number, style.bytes);
            return;
        }
        'N' if !style.bytes && characters.peek() == Some(&'{') => {
            out.push_str("\\N");
            for character in characters.by_ref() {
                out.extend(character.to_uppercase());
                if character == '}' {
                    break;
                }
            }
            return;
        }
        _ => {
            // Not an escape: the backslash stays.
            out.push_str("\\\\");
            push(out, next, style.bytes);
            return;
        }
    };
    let mut ahead = characters.clone();
    let mut number = 0_u32;
    for _ in 0..digits {
        match ahead.next().and_then(|digit| digit.to_digit(16)) {
            Some(digit) => number = number.wrapping_mul(16).wrapping_add(digit),
            None => {
                out.push_str("\\\\");
                out.push(next);
                return;
            }
        }
    }
    *characters = ahead;
    push_number(out, number, style.bytes);
}

fn push_number(out: &mut String, number: u32, bytes: bool) {
    match char::from_u32(number) {
        Some(character) if !bytes || number < 128 => push(out, character, bytes),
        _ if bytes => out.push_str(&format!("\\x{:02x}", number & 0xff)),
        _ => out.push_str(&format!("\\U{number:08x}")),
    }
}

fn push(out: &mut String, character: char, _bytes: bool) {
    match character {
        '\\' => out.push_str("\\\\"),
        '"' => out.push_str("\\\""),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        character if (character as u32) < 32 || character as u32 == 127 => {
            out.push_str(&format!("\\x{:02x}", character as u32));
        }
        _ => out.push(character),
    }
}

/// The text that a canonical spelling stands for.
fn unescape(content: &str) -> String {
    let mut text = String::with_capacity(content.len());
    let mut characters = content.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            text.push(character);
            continue;
        }
        match characters.next() {
            Some('n') => text.push('\n'),
            Some('r') => text.push('\r'),
            Some('t') => text.push('\t'),
            Some(other @ ('\\' | '"')) => text.push(other),
            Some(other) => text.extend(['\\', other]),
            None => {}
        }
    }
    text
}
