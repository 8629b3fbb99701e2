//! Calls and definitions of macros.
//!
//! The arguments of a call are parsed apart and written as expressions if they
//! are expressions. Otherwise, and in definitions, they are tokens among which
//! paths and calls may refer.

use tree_sitter::{Node, Parser, TreeCursor};

use super::{Extractor, Kind, names::is_capitalised, tokens::closes};
use crate::{model::*, syntax};

/// Arguments of macros nested deeper than this are read as tokens: each level is
/// parsed again.
const MAX_MACROS: u32 = 3;

/// Longer arguments are data.
const MAX_MACRO_BYTES: usize = 1 << 16;

impl<'s> Extractor<'s> {
    pub(super) fn macro_call(&mut self, cursor: &mut TreeCursor<'_>) -> PathId {
        let mut result = self.builder.unknown();
        let mut name = "";
        self.each(cursor, |this, cursor, at| {
            let part = cursor.node();
            match this.kind(part) {
                Kind::Identifier if at == 0 => {
                    name = this.slice(part);
                    let path = this.free_macro(name);
                    this.refer(part, name, path, true);
                }
                Kind::ScopedIdentifier if at == 0 => {
                    name = this.last_name(part);
                    this.macro_path(part);
                }
                Kind::TokenTree => result = this.macro_arguments(part, name),
                _ => this.whole(part),
            }
        });
        match name {
            "format" => self.builder.library("std::string::String"),
            _ => result,
        }
    }

    pub(super) fn free_macro(&mut self, name: &str) -> PathId {
        self.builder.name(self.namespace, &format!("{name}!"))
    }

    fn macro_path(&mut self, node: Node<'_>) {
        let fields = &self.grammar.fields;
        let (Some(path), Some(name)) = (self.field(node, fields.path), self.field(node, fields.name)) else {
            self.leaves(node);
            return;
        };
        let base = self.path(&mut path.walk(), false);
        self.builder.text("::");
        let text = self.slice(name);
        let member = self.builder.member(base, &format!("{text}!"));
        self.refer(name, text, member, true);
    }

    /// Writes the arguments of a macro: as expressions if they are.
    fn macro_arguments(&mut self, tree: Node<'_>, name: &str) -> PathId {
        let text = self.slice(tree);
        let vector = name == "vec";
        let delimited = text.starts_with('(') || text.starts_with('[');
        if delimited
            && self.macros < MAX_MACROS
            && (3..MAX_MACRO_BYTES).contains(&text.len())
            && self.may_hold_expressions(tree)
        {
            let inner = &text[1..text.len() - 1];
            let as_array = vector || text.starts_with('[');
            let fragment = if as_array {
                format!(" [{inner}];")
            } else {
                format!("f({inner});")
            };
            if let Some(value) = self.fragment(&fragment, self.span(tree).start) {
                let outer = self.free("Vec");
                return match self.builder.node(value) {
                    PathNode::Container(_, element) if vector => self.container_of(outer, element),
                    _ => self.builder.unknown(),
                };
            }
        }
        if vector {
            self.token_tree_as(tree, "[", "]");
        } else {
            self.token_tree(tree, false);
        }
        self.builder.unknown()
    }

    /// Whether reading the arguments as expressions can tell more than their
    /// tokens do: parsing them costs as much as they are long.
    fn may_hold_expressions(&self, tree: Node<'_>) -> bool {
        let mut cursor = tree.walk();
        tree.children(&mut cursor)
            .any(|part| matches!(self.kind(part), Kind::TokenTree | Kind::Bar | Kind::Bars))
    }

    /// Parses the arguments of a macro behind one byte and writes them. The bytes
    /// of the fragment are those of the file from `start` on, that byte aside.
    fn fragment(&mut self, fragment: &str, start: u32) -> Option<PathId> {
        let mut parser = match self.parser.take() {
            Some(parser) => parser,
            None => {
                let mut parser = Parser::new();
                parser.set_language(&self.grammar.language).ok()?;
                parser
            }
        };
        let tree = parser.parse(fragment, None);
        self.parser = Some(parser);
        let tree = tree?;
        let root = tree.root_node();
        if root.has_error() || root.named_child_count() != 1 {
            return None;
        }
        let expression = root.named_child(0)?.named_child(0)?;
        let shift = std::mem::replace(&mut self.shift, start.wrapping_sub(1));
        self.macros += 1;
        let value = match self.kind(expression) {
            Kind::CallExpression => {
                let unknown = self.builder.unknown();
                if let Some(arguments) = self.field(expression, self.grammar.fields.call_arguments) {
                    self.arguments(&mut arguments.walk(), None, unknown);
                }
                Some(unknown)
            }
            Kind::ArrayExpression => Some(self.emit(expression)),
            _ => None,
        };
        self.macros -= 1;
        self.shift = shift;
        value
    }

    /// Writes a token tree in which paths and calls may refer. In the definition
    /// of a macro only `$crate` paths and macros do.
    pub(super) fn token_tree(&mut self, tree: Node<'_>, definition: bool) {
        if self.depth >= syntax::MAX_DEPTH {
            self.leaves(tree);
            return;
        }
        self.depth += 1;
        let mut cursor = tree.walk();
        let parts: Vec<Node<'_>> = tree
            .children(&mut cursor)
            .filter(|&part| !self.is_comment(part))
            .collect();
        self.tokens(&parts, definition);
        self.depth -= 1;
    }

    fn token_tree_as(&mut self, tree: Node<'_>, open: &str, close: &str) {
        let mut cursor = tree.walk();
        let parts: Vec<Node<'_>> = tree
            .children(&mut cursor)
            .filter(|&part| !self.is_comment(part))
            .collect();
        self.builder.text(open);
        if let Some(inner) = parts.get(1..parts.len().saturating_sub(1)) {
            let inner = match inner.last() {
                Some(&last) if self.kind(last) == Kind::Comma => &inner[..inner.len() - 1],
                _ => inner,
            };
            self.tokens(inner, false);
        }
        self.builder.text(close);
    }

    /// The inside of a token tree as the body of a macro's rule.
    pub(super) fn rule_body(&mut self, tree: Node<'_>) {
        let mut cursor = tree.walk();
        let parts: Vec<Node<'_>> = tree
            .children(&mut cursor)
            .filter(|&part| !self.is_comment(part))
            .collect();
        self.builder.text("{");
        if let Some(inner) = parts.get(1..parts.len().saturating_sub(1)) {
            self.tokens(inner, true);
        }
        self.builder.text("}");
    }

    /// Writes the tokens of an attribute: they refer to nothing.
    pub(super) fn plain_tree(&mut self, tree: Node<'_>) {
        let mut pending = false;
        syntax::for_each_leaf(tree, |leaf| {
            let kind = self.kind(leaf);
            if matches!(kind, Kind::LineComment | Kind::BlockComment) {
                return;
            }
            if pending && !closes(kind, Kind::TokenTree) {
                self.builder.text(",");
            }
            pending = kind == Kind::Comma;
            if !pending {
                self.whole(leaf);
            }
        });
    }

    pub(super) fn tokens(&mut self, parts: &[Node<'_>], definition: bool) {
        let mut at = 0;
        // Whether an arm of a `match` in the definition of a macro is open.
        let mut arm = false;
        while let Some(&part) = parts.get(at) {
            let kind = self.kind(part);
            let after = |offset: usize| parts.get(at + offset).copied();
            match kind {
                Kind::Comma => {
                    let closed = after(1).is_some_and(|next| closes(self.kind(next), Kind::TokenTree));
                    if !closed || arm {
                        self.builder.text(",");
                    }
                    arm = false;
                }
                Kind::FatArrow if definition => {
                    self.builder.text("=>");
                    arm = true;
                    if let Some(tree) = after(1)
                        && self.kind(tree) == Kind::TokenTree
                        && self.slice(tree).starts_with('{')
                    {
                        self.arm_block(tree);
                        self.builder.text(",");
                        arm = false;
                        at += 1 + usize::from(after(2).is_some_and(|next| self.kind(next) == Kind::Comma));
                    }
                }
                Kind::Identifier | Kind::SelfWord | Kind::Crate | Kind::Super | Kind::Metavariable => {
                    let previous = at.checked_sub(1).map(|at| self.kind(parts[at]));
                    at += self.chain(&parts[at..], previous, definition);
                    continue;
                }
                Kind::StringLiteral
                | Kind::RawStringLiteral
                | Kind::CharLiteral
                | Kind::Lifetime
                | Kind::Label
                | Kind::PrimitiveType => self.whole(part),
                // Two closing brackets of types, for all one knows.
                Kind::Shift => {
                    self.builder.text(">");
                    self.builder.text(">");
                }
                Kind::CloseBrace if std::mem::take(&mut arm) => {
                    self.builder.text(",");
                    self.builder.text("}");
                }
                Kind::TokenTree
                    if definition
                        && at
                            .checked_sub(1)
                            .is_some_and(|before| is_bar(self.kind(parts[before])))
                        && self.slice(part).starts_with('{') =>
                {
                    self.arm_block(part);
                }
                _ if part.child_count() > 0 => self.token_tree(part, definition),
                _ => self.whole(part),
            }
            at += 1;
        }
        if arm {
            self.builder.text(",");
        }
    }

    /// Writes the block of an arm or closure in the definition of a macro; an expression
    /// stands for the block around it.
    fn arm_block(&mut self, tree: Node<'_>) {
        let mut cursor = tree.walk();
        let parts: Vec<Node<'_>> = tree
            .children(&mut cursor)
            .filter(|&part| !self.is_comment(part))
            .collect();
        let inner = parts.get(1..parts.len().saturating_sub(1)).unwrap_or_default();
        let statements = inner.iter().any(|&part| self.kind(part) == Kind::Semicolon);
        if inner.is_empty() || statements || self.depth >= syntax::MAX_DEPTH {
            self.token_tree(tree, true);
        } else {
            self.depth += 1;
            self.tokens(inner, true);
            self.depth -= 1;
        }
    }

    /// Writes the name, path or call that a run of tokens starts with, and gives
    /// how many tokens it took.
    fn chain(&mut self, parts: &[Node<'_>], previous: Option<Kind>, definition: bool) -> usize {
        let first = parts[0];
        let mut length = 1;
        while parts.get(length).is_some_and(|&at| self.kind(at) == Kind::Colons)
            && parts
                .get(length + 1)
                .is_some_and(|&at| matches!(self.kind(at), Kind::Identifier | Kind::Super))
        {
            length += 2;
        }
        let next = parts.get(length).copied();
        let opens =
            next.is_some_and(|next| self.kind(next) == Kind::TokenTree && self.slice(next).starts_with('('));
        let bang = next.is_some_and(|next| self.kind(next) == Kind::Bang)
            && parts
                .get(length + 1)
                .is_some_and(|&at| self.kind(at) == Kind::TokenTree);
        let name = self.slice(first);
        let unknown = self.builder.unknown();
        let first_kind = self.kind(first);
        if length == 1 {
            if previous == Some(Kind::Dot) && first_kind == Kind::Identifier && opens {
                self.refer(first, name, unknown, true);
            } else if first_kind == Kind::Identifier && bang {
                let path = self.free_macro(name);
                self.refer(first, name, path, true);
            } else if first_kind != Kind::Identifier
                || definition
                || previous == Some(Kind::Dot)
                || previous == Some(Kind::Colons)
                || self.locals.get(name).is_some()
                || !(opens || is_capitalised(name))
            {
                self.whole(first);
            } else {
                self.variable(first, opens);
            }
            return 1;
        }
        let mut path = match first_kind {
            Kind::Identifier if !definition => self.head(name),
            Kind::Identifier => unknown,
            _ if definition && !matches!(first_kind, Kind::Metavariable | Kind::Crate) => unknown,
            _ => self.path_of(first),
        };
        if path == unknown || first_kind != Kind::Identifier {
            self.whole(first);
        } else {
            self.refer(first, name, path, false);
        }
        let mut levels = usize::from(first_kind == Kind::Super);
        for (at, &part) in parts.iter().enumerate().take(length).skip(1) {
            if at % 2 == 1 {
                self.builder.text("::");
                continue;
            }
            let name = self.slice(part);
            if self.kind(part) == Kind::Super {
                levels += 1;
                path = self.module_above(levels);
                self.whole(part);
                continue;
            }
            let last = at + 1 == length;
            path = if last && bang {
                self.builder.member(path, &format!("{name}!"))
            } else {
                self.builder.member(path, name)
            };
            if path == unknown {
                self.whole(part);
            } else {
                self.refer(part, name, path, last && (opens || bang));
            }
        }
        length
    }
}

/// Whether a closure's parameters may end here.
fn is_bar(kind: Kind) -> bool {
    matches!(kind, Kind::Bar | Kind::Bars)
}
