//! A comparison as text, as Markdown and as JSON.

mod json;
mod markdown;
mod specified;
mod text;

use std::fmt::Write;

pub use json::to_json;
pub use markdown::to_markdown;
pub use specified::{specified_json, specified_text};
pub use text::to_text;

/// What a map is called.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Header {
    pub project: String,
    pub revision: String,
    pub toolchain: String,
}

/// What the two maps are called.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Headers {
    pub old: Header,
    pub new: Header,
}

/// A text without characters that move the cursor, hide or reorder others.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        let hides = matches!(c,
            '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}');
        if c.is_control() || hides {
            let _ = write!(plain, "{}", c.escape_default());
        } else {
            plain.push(c);
        }
    }
    plain
}

/// A number and a noun, in the plural where it belongs.
fn counted(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}
