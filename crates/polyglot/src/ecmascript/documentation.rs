//! What JSDoc comments say, and signatures as one line.

use crate::builder::first_paragraph;

/// A documentation comment taken apart.
#[derive(Debug, Default)]
pub(super) struct Documentation {
    pub purpose: String,
    pub has_example: bool,
    pub deprecated: bool,
    /// Whether it speaks of the whole file.
    pub of_file: bool,
}

/// Reads `/** ... */`; anything else says nothing.
pub(super) fn read(comment: &str) -> Documentation {
    let mut documentation = Documentation::default();
    let Some(inner) = comment.strip_prefix("/**") else {
        return documentation;
    };
    let inner = inner.strip_suffix("*/").unwrap_or(inner);
    let mut text = String::new();
    let mut in_text = true;
    for line in inner.lines() {
        let line = line.trim();
        let line = line.strip_prefix('*').map_or(line, str::trim);
        if let Some(tag) = line.strip_prefix('@') {
            let word = tag.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
            documentation.has_example |= word == "example";
            documentation.deprecated |= word == "deprecated";
            documentation.of_file |=
                matches!(word, "file" | "fileoverview" | "module" | "packageDocumentation");
            in_text = false;
            if matches!(word, "description" | "summary" | "desc" | "file" | "fileoverview") {
                text.push_str(tag[word.len()..].trim());
                text.push('\n');
                in_text = true;
            }
        } else if in_text {
            text.push_str(line);
            text.push('\n');
        }
    }
    documentation.purpose = first_paragraph(&text);
    documentation
}

/// A piece of source on one line without comments.
pub(super) fn one_line(source: &str) -> String {
    let mut line = String::with_capacity(source.len());
    let mut rest = source;
    let mut quote = None;
    let mut blank = false;
    while let Some(next) = rest.chars().next() {
        if quote.is_none() {
            if rest.starts_with("//") {
                rest = rest.split_once('\n').map_or("", |(_, after)| after);
                blank = true;
                continue;
            }
            if let Some(comment) = rest.strip_prefix("/*") {
                rest = comment.split_once("*/").map_or("", |(_, after)| after);
                blank = true;
                continue;
            }
        }
        let mut len = next.len_utf8();
        if next.is_whitespace() {
            blank = true;
        } else {
            if blank && !line.is_empty() {
                line.push(' ');
            }
            blank = false;
            line.push(next);
            match quote {
                None if matches!(next, '"' | '\'' | '`') => quote = Some(next),
                Some(open) if open == next => quote = None,
                Some(_) if next == '\\' => {
                    if let Some(escaped) = rest[len..].chars().next() {
                        line.push(escaped);
                        len += escaped.len_utf8();
                    }
                }
                _ => {}
            }
        }
        rest = &rest[len..];
    }
    line.replace("( ", "(").replace(", )", ")").replace(" )", ")")
}
