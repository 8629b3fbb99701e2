//! JSX: elements, and text with its white space folded.

use tree_sitter::Node;

use super::{Kind, literals, walker::Walker};

const SPACE: [char; 4] = [' ', '\t', '\n', '\r'];

impl<'s, 't> Walker<'s, 't> {
    pub fn jsx(&mut self, node: Node<'t>) {
        if self.kind(node) == Kind::JsxSelfClosing {
            self.jsx_tag(node, true);
            return;
        }
        let mut text = String::new();
        for child in self.children(node) {
            match self.kind(child) {
                Kind::JsxOpening => self.jsx_tag(child, true),
                Kind::JsxClosing => {
                    self.jsx_text(&mut text);
                    self.jsx_tag(child, false);
                }
                Kind::JsxText | Kind::HtmlCharacter => push_text(&mut text, self.slice(child)),
                Kind::JsxExpression => match self.first_named(child) {
                    Some(inner) if self.kind(inner) == Kind::String && is_blank(self.slice(inner)) => {
                        text.push(' ')
                    }
                    Some(_) => {
                        self.jsx_text(&mut text);
                        self.each(child);
                    }
                    None => {}
                },
                _ => {
                    self.jsx_text(&mut text);
                    self.visit(child);
                }
            }
        }
        self.jsx_text(&mut text);
    }

    /// Writes the text so far, word by word.
    fn jsx_text(&mut self, text: &mut String) {
        if text.is_empty() {
            return;
        }
        let folded = fold(text);
        text.clear();
        self.text(&folded);
    }

    /// Of a closing tag only the brackets count: its name is that of the opening.
    fn jsx_tag(&mut self, node: Node<'t>, names: bool) {
        let fields = &self.grammar.fields;
        for (field, child) in self.children_with_fields(node) {
            match self.kind(child) {
                _ if field == fields.name => {
                    if names {
                        self.jsx_name(child);
                    }
                }
                Kind::JsxAttribute => self.jsx_attribute(child),
                Kind::Identifier | Kind::Member if names => self.jsx_name(child),
                Kind::Identifier | Kind::Member => {}
                _ => {
                    self.visit(child);
                }
            }
        }
    }

    fn jsx_name(&mut self, node: Node<'t>) {
        let intrinsic = self.kind(node) != Kind::Member
            && self
                .slice(node)
                .starts_with(|first: char| first.is_ascii_lowercase());
        if intrinsic || self.kind(node) != Kind::Identifier && self.kind(node) != Kind::Member {
            self.plain(node);
        } else {
            self.visit(node);
        }
    }

    fn jsx_attribute(&mut self, node: Node<'t>) {
        for child in self.children(node) {
            match self.kind(child) {
                Kind::String => {
                    let text = literals::content(self.slice(child));
                    self.jsx_string(text);
                }
                Kind::JsxExpression => {
                    let inner = self.first_named(child).filter(|&inner| {
                        let raw = self.slice(inner);
                        self.kind(inner) == Kind::String && !raw.contains(['\\', '\n'])
                    });
                    match inner {
                        Some(inner) => {
                            let text = literals::content(self.slice(inner));
                            self.jsx_string(text);
                        }
                        None => self.each(child),
                    }
                }
                Kind::JsxElement | Kind::JsxSelfClosing => {
                    self.visit(child);
                }
                _ => self.plain(child),
            }
        }
    }

    fn jsx_string(&mut self, content: &str) {
        let text = content.replace("&apos;", "'").replace("&quot;", "\"");
        self.text(&format!("\"{text}\""));
    }
}

fn is_blank(raw: &str) -> bool {
    let content = literals::content(raw);
    !content.is_empty() && content.bytes().all(|byte| byte == b' ')
}

/// Appends what a piece of text means: lines without their margins.
fn push_text(text: &mut String, raw: &str) {
    let mut lines = raw.split('\n').peekable();
    let mut first = true;
    let before = text.len();
    while let Some(line) = lines.next() {
        let mut line = line.trim_end_matches('\r');
        if !first {
            line = line.trim_start_matches(SPACE);
        }
        if lines.peek().is_some() {
            line = line.trim_end_matches(SPACE);
        }
        if !line.is_empty() {
            if text.len() > before {
                text.push(' ');
            }
            text.push_str(line);
        }
        first = false;
    }
}

/// Runs of white space as one blank.
fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for part in text.split_inclusive(SPACE) {
        let word = part.trim_end_matches(SPACE);
        folded.push_str(word);
        if word.len() < part.len() && !folded.ends_with(' ') {
            folded.push(' ');
        }
    }
    folded
}
