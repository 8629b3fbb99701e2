//! What the grammar cannot read though the language allows it.
//!
//! A file with errors is read again with a few bytes of its text replaced, never
//! moved, so that every span stays true: members of an interface that only line
//! ends part, `in` and `out` before a type parameter, `import("x").Y` as a type,
//! `export type *`. The second reading counts if it has fewer errors.

use tree_sitter::{Node, Tree};

use super::{Grammar, Kind};
use crate::syntax;

/// A better tree for a text with errors, if there is one.
pub(super) fn repaired(grammar: &Grammar, source: &str, tree: &Tree) -> Option<Tree> {
    let mut text = source.as_bytes().to_vec();
    let mut changed = false;
    changed |= part_members(grammar, tree, &mut text);
    changed |= hide_words(&mut text);
    if !changed {
        return None;
    }
    let text = String::from_utf8(text).ok()?;
    let better = syntax::parse(&grammar.language, &text)?;
    (count_errors(&better) < count_errors(tree)).then_some(better)
}

fn count_errors(tree: &Tree) -> usize {
    let mut cursor = tree.walk();
    let mut count = 0;
    loop {
        let node = cursor.node();
        if node.is_error() || node.is_missing() {
            count += 1 + (node.end_byte() - node.start_byte());
        } else if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return count;
            }
        }
    }
}

/// Writes `;` before a member that starts with a bracket on a line of its own.
fn part_members(grammar: &Grammar, tree: &Tree, text: &mut [u8]) -> bool {
    let kind = |node: Node<'_>| {
        grammar
            .kinds
            .get(node.kind_id() as usize)
            .copied()
            .unwrap_or(Kind::Error)
    };
    let mut cursor = tree.walk();
    // Whether a node around is a body of members, innermost last.
    let mut bodies = vec![false];
    // The same by the braces alone, which a tree with errors may not show.
    let mut braces = vec![false];
    let mut head = false;
    let mut before = 0;
    let mut last_byte = b';';
    let mut changed = false;
    loop {
        let node = cursor.node();
        let inside = match kind(node) {
            Kind::InterfaceBody | Kind::ObjectType | Kind::Error => true,
            Kind::ClassBody | Kind::StatementBlock | Kind::Program | Kind::Arguments | Kind::Object => false,
            _ => bodies.last().copied().unwrap_or(false),
        };
        if cursor.goto_first_child() {
            bodies.push(inside);
            continue;
        }
        if !matches!(kind(node), Kind::Comment | Kind::HtmlComment) && node.end_byte() > node.start_byte() {
            let start = node.start_byte();
            let leaf = &text[start..node.end_byte()];
            let opens = matches!(leaf[0], b'(' | b'<' | b'[') || leaf == b"in";
            match leaf {
                b"interface" => head = true,
                b"{" => {
                    let body = head && !matches!(last_byte, b'=' | b'<' | b',' | b'|' | b'&');
                    braces.push(body || braces.last().copied().unwrap_or(false));
                    head &= !body;
                }
                b"}" if braces.len() > 1 => {
                    braces.pop();
                }
                _ => {}
            }
            last_byte = leaf[leaf.len() - 1];
            let inside = inside || braces.last().copied().unwrap_or(false);
            if inside && opens && ends_member(text, before) && start > before {
                let gap = &text[before..start];
                let last = start - 1;
                if gap.contains(&b'\n') && text[last].is_ascii_whitespace() {
                    text[last] = b';';
                    changed = true;
                }
            }
            before = node.end_byte();
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return changed;
            }
            bodies.pop();
        }
    }
}

fn ends_member(text: &[u8], end: usize) -> bool {
    let Some(&last) = end.checked_sub(1).and_then(|at| text.get(at)) else {
        return false;
    };
    let arrow = last == b'>' && end > 1 && text[end - 2] == b'=';
    is_word(last) || !arrow && matches!(last, b'>' | b')' | b']' | b'}' | b'"' | b'\'' | b'`')
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
}

fn hide_words(text: &mut [u8]) -> bool {
    let mut changed = false;
    let mut at = 0;
    // The last byte before the word that is no blank.
    let mut before = b';';
    while at < text.len() {
        let byte = text[at];
        let comment = match (byte, text.get(at + 1)) {
            (b'/', Some(b'/')) => Some(&b"\n"[..]),
            (b'/', Some(b'*')) => Some(&b"*/"[..]),
            _ => None,
        };
        if let Some(close) = comment {
            let end = text[at + 2..]
                .windows(close.len())
                .position(|window| window == close);
            at = end.map_or(text.len(), |end| at + 2 + end + close.len());
            continue;
        }
        if !is_word(byte) {
            if !byte.is_ascii_whitespace() {
                before = byte;
            }
            at += 1;
            continue;
        }
        let mut end = at;
        while end < text.len() && is_word(text[end]) {
            end += 1;
        }
        let next = |from: usize| {
            let rest = &text[from..];
            rest.iter().find(|byte| !byte.is_ascii_whitespace()).copied()
        };
        match &text[at..end] {
            b"in" | b"out" if matches!(before, b'<' | b',') && next(end).is_some_and(is_word) => {
                text[at..end].fill(b' ');
                changed = true;
                at = end;
                continue;
            }
            b"type" if before == b'\x01' && next(end) == Some(b'*') => {
                text[at..end].fill(b' ');
                changed = true;
            }
            b"import"
                if text.get(end) == Some(&b'(')
                    && matches!(before, b':' | b'<' | b'|' | b'&' | b',' | b'=' | b'(') =>
            {
                let close = text[end..]
                    .iter()
                    .take(400)
                    .position(|&byte| byte == b')')
                    .map(|skip| end + skip);
                if let Some(close) = close.filter(|&close| text.get(close + 1) == Some(&b'.')) {
                    if text[end..=close].is_ascii() {
                        text[end..=close].fill(b'_');
                        changed = true;
                    }
                    at = close + 1;
                    before = b'_';
                    continue;
                }
            }
            _ => {}
        }
        // A mark that no text has, for what follows `export`.
        before = if &text[at..end] == b"export" {
            b'\x01'
        } else {
            b'_'
        };
        at = end;
    }
    changed
}
