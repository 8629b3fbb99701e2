//! How definitions are described: signatures on one line, documentation.
//!
//! A signature is spaced by its tokens alone, so that layout never shows in it.

use tree_sitter::Node;

use super::{Extractor, Kind};
use crate::model::*;

const MAX_SIGNATURE: usize = 4_000;

impl Extractor<'_> {
    pub(super) fn set_signature(
        &mut self,
        definition: DefinitionIndex,
        node: Node<'_>,
        end: Option<Node<'_>>,
    ) {
        let end = end.map_or(usize::MAX, |end| end.start_byte());
        let text = self.one_line(node, end);
        let text = self.builder.intern(&text);
        self.builder.definition_mut(definition).signature = text;
    }

    /// The text of a node up to a byte, on one line, in a fixed spacing.
    fn one_line(&self, node: Node<'_>, end: usize) -> String {
        let mut line = Line::default();
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            if child.start_byte() >= end {
                break;
            }
            if self.kind(child) == Kind::Visibility {
                continue;
            }
            self.push_words(&mut line, child);
        }
        line.finish()
    }

    /// The text of a type on one line.
    pub(super) fn text_of(&self, node: Node<'_>) -> String {
        let mut line = Line::default();
        self.push_words(&mut line, node);
        line.finish()
    }

    /// The `mut` of a parameter, which concerns its body only.
    fn is_assignable(&self, node: Node<'_>) -> bool {
        self.kind(node) == Kind::Mut
            && node.parent().is_some_and(|around| match self.kind(around) {
                Kind::Parameter => true,
                Kind::SelfParameter => !self.slice(around).starts_with('&'),
                _ => false,
            })
    }

    fn push_words(&self, line: &mut Line, node: Node<'_>) {
        let mut cursor = node.walk();
        loop {
            let at = cursor.node();
            let whole = matches!(
                self.kind(at),
                Kind::StringLiteral
                    | Kind::RawStringLiteral
                    | Kind::Lifetime
                    | Kind::LineComment
                    | Kind::BlockComment
            );
            if !whole && cursor.goto_first_child() {
                continue;
            }
            if line.text.len() < MAX_SIGNATURE && !self.is_comment(at) && !self.is_assignable(at) {
                line.push(self.slice(at));
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
            }
        }
    }
}

/// Tokens on one line, spaced as the formatter would.
#[derive(Default)]
struct Line {
    text: String,
    comma: bool,
}

impl Line {
    fn push(&mut self, token: &str) {
        if token.is_empty() {
            return;
        }
        let closes = matches!(token, ")" | "]" | "}" | ">");
        if std::mem::take(&mut self.comma) && !closes {
            self.text.push_str(", ");
        }
        if token == "," {
            self.comma = true;
            return;
        }
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '\'' | '"' | '#');
        let word = token.starts_with(is_word);
        let after = self.text.chars().next_back();
        let spaced = matches!(token, "->" | "=>" | "=" | "+" | "for" | "where" | "as" | "==");
        let space = match after {
            None | Some(' ' | '(' | '[' | '&' | '!' | '\'') => false,
            Some('<') => spaced && token != "for",
            Some('>') if self.text.ends_with("->") || self.text.ends_with("=>") => true,
            Some('>') => word || matches!(token, "->" | "=" | "+" | "=>" | "{" | "<" | "&" | "*"),
            Some(':') => !self.text.ends_with("::"),
            Some('=' | '+' | ';') => true,

            Some('*') => spaced,
            Some(last) => {
                spaced
                    || word && (is_word(last) || last == ')' || last == ']' || last == '}')
                    || matches!(token, "&" | "*" | "[" | "{" | "?" | "!")
                        && (is_word(last) || last == ')')
                        && !matches!(token, "?")
                        && !(token == "!" && self.text.ends_with("macro_rules"))
            }
        };
        if space {
            self.text.push(' ');
        }
        self.text.push_str(token);
    }

    fn finish(self) -> String {
        self.text.trim().trim_end_matches([';', '=']).trim().to_owned()
    }
}

/// The text of an outer documentation comment.
pub(super) fn outer_documentation(comment: &str) -> Option<String> {
    if let Some(text) = comment.strip_prefix("///") {
        if text.starts_with('/') {
            return None;
        }
        return Some(text.trim_end().to_owned());
    }
    let text = comment.strip_prefix("/**")?.strip_suffix("*/")?;
    if text.starts_with('*') || text.is_empty() {
        return None;
    }
    let lines: Vec<&str> = text
        .lines()
        .map(|line| line.trim().trim_start_matches('*').trim())
        .collect();
    Some(lines.join("\n").trim().to_owned())
}

/// Whether documentation has a code block that is run as a test.
pub(super) fn has_example(documentation: &str) -> bool {
    let mut inside = false;
    for line in documentation.lines() {
        let line = line.trim();
        let Some(words) = line.strip_prefix("```").or_else(|| line.strip_prefix("~~~")) else {
            continue;
        };
        inside = !inside;
        if !inside {
            continue;
        }
        let runs = words
            .split([',', ' '])
            .filter(|word| !word.is_empty())
            .all(|word| word == "rust" || word == "should_panic" || word.starts_with("edition"));
        if runs {
            return true;
        }
    }
    false
}
