//! Walking tree-sitter trees: node kinds as numbers, errors, safe depth.

use std::ops::ControlFlow;

use tree_sitter::{Language, Node, ParseOptions, Parser, Tree};

use crate::{builder::Builder, model::Span};

/// Nodes nested deeper than this are read as plain tokens: front ends recurse.
pub const MAX_DEPTH: u32 = 400;

/// Files longer than this are not parsed.
pub const MAX_BYTES: usize = 16 << 20;

/// How often a parse asks whether to go on, at most. Bounds the time of inputs
/// made to be slow; deterministic, unlike a clock.
const MAX_PARSE_STEPS: usize = 4_000_000;

pub fn span(node: Node<'_>) -> Span {
    Span {
        start: node.start_byte() as u32,
        end: node.end_byte() as u32,
    }
}

/// Parses a text. `None` when it is too long or the parser gives up.
pub fn parse(language: &Language, source: &str) -> Option<Tree> {
    if source.len() > MAX_BYTES {
        return None;
    }
    let mut parser = Parser::new();
    parser.set_language(language).ok()?;
    let mut steps = 0;
    let mut progress = |_: &tree_sitter::ParseState| {
        steps += 1;
        if steps > MAX_PARSE_STEPS {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let bytes = source.as_bytes();
    parser.parse_with_options(&mut |at, _| &bytes[at.min(bytes.len())..], None, Some(options))
}

/// Records a diagnostic for each outermost error and missing node of the tree.
pub fn report_errors(builder: &mut Builder<'_>, tree: &Tree) {
    if !tree.root_node().has_error() {
        return;
    }
    let mut cursor = tree.walk();
    let mut found = false;
    loop {
        let node = cursor.node();
        if node.is_error() || node.is_missing() {
            found = true;
            let message = if node.is_missing() {
                format!("expected `{}`", node.kind())
            } else {
                let text: String = builder.slice(span(node)).chars().take(40).collect();
                format!("cannot read `{}`", text.escape_debug())
            };
            builder.error(span(node), message);
        } else if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                if !found {
                    // Some grammars flag an error that no node shows.
                    builder.error(
                        span(tree.root_node()),
                        "the text is not of the language".to_owned(),
                    );
                }
                return;
            }
        }
    }
}

/// Calls `visit` for every leaf below `node` in order, without recursion.
pub fn for_each_leaf<'t>(node: Node<'t>, mut visit: impl FnMut(Node<'t>)) {
    let mut cursor = node.walk();
    loop {
        if cursor.goto_first_child() {
            continue;
        }
        visit(cursor.node());
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

/// Declares an enumeration of node kinds and a table from a grammar's numbers
/// to it, so that matching on a kind costs an array read:
///
/// ```text
/// node_kinds! { enum Kind { FunctionDefinition = "function_definition", Plus = "+" } }
/// let kinds = Kind::table(&language); // Vec<Kind>; Kind::Other for the rest
/// match kinds[node.kind_id() as usize] { Kind::Plus => ..., _ => ... }
/// ```
#[macro_export]
macro_rules! node_kinds {
    (enum $name:ident { $($variant:ident = $text:literal),* $(,)? }) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        enum $name { Other, $($variant),* }

        impl $name {
            fn table(language: &tree_sitter::Language) -> Vec<$name> {
                (0..language.node_kind_count())
                    .map(|id| match language.node_kind_for_id(id as u16) {
                        $(Some($text) => $name::$variant,)*
                        _ => $name::Other,
                    })
                    .collect()
            }
        }
    };
}
