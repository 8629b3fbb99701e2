//! What paths, types and patterns mean.

use tree_sitter::{Node, TreeCursor};

use super::{Extractor, Kind, prelude};
use crate::model::*;

/// Whether a name is written like a type, variant or constant: such a name in a
/// pattern refers, it does not bind.
pub(super) fn is_capitalised(name: &str) -> bool {
    name.trim_start_matches(['_', '#'])
        .chars()
        .next()
        .is_some_and(char::is_uppercase)
        && !name.starts_with("r#")
}

impl<'s> Extractor<'s> {
    /// A name that no variable has.
    pub(super) fn free(&mut self, name: &'s str) -> PathId {
        self.builder.name(self.namespace, name)
    }

    /// The first name of a path.
    pub(super) fn head(&mut self, name: &'s str) -> PathId {
        if name == "Self" {
            return self.self_type.unwrap_or(self.builder.unknown());
        }
        if self.generics.iter().any(|&(generic, _)| generic == name) {
            return self.builder.unknown();
        }
        if !is_capitalised(name) {
            self.bind_extern(name);
        }
        self.free(name)
    }

    fn bind_extern(&mut self, name: &'s str) {
        if self.extern_names.insert(name) {
            let module = self.external(name);
            let externs = self.externs;
            self.builder.bind(externs, name, module);
        }
    }

    pub(super) fn external(&mut self, name: &str) -> PathId {
        self.builder.module(&format!("extern {name}"))
    }

    pub(super) fn this_module(&mut self) -> PathId {
        let module = self.modules[self.modules.len() - 1];
        self.builder.path(PathNode::Namespace(module))
    }

    /// The module `levels` above this one.
    pub(super) fn module_above(&mut self, levels: usize) -> PathId {
        let inline = self.modules.len() - 1;
        match inline.checked_sub(levels) {
            Some(at) => {
                let module = self.modules[at];
                self.builder.path(PathNode::Namespace(module))
            }
            None => {
                let specifier = vec!["super"; levels - inline].join("::");
                self.builder.module(&specifier)
            }
        }
    }

    /// The value of a path node, without writing tokens.
    pub(super) fn path_of(&mut self, node: Node<'_>) -> PathId {
        self.path_within(node, 0)
    }

    fn path_within(&mut self, node: Node<'_>, depth: u32) -> PathId {
        let unknown = self.builder.unknown();
        if depth > 64 {
            return unknown;
        }
        let fields = &self.grammar.fields;
        match self.kind(node) {
            Kind::Identifier | Kind::TypeIdentifier | Kind::PrimitiveType => {
                let name = self.slice(node);
                self.head(name)
            }
            Kind::Crate => self.builder.module("crate"),
            Kind::SelfWord => self.this_module(),
            Kind::Super => self.module_above(1),
            Kind::Metavariable if self.slice(node) == "$crate" => self.builder.module("crate"),
            Kind::ScopedIdentifier | Kind::ScopedTypeIdentifier => {
                let Some(name) = self.field(node, fields.name) else {
                    return unknown;
                };
                let Some(path) = self.field(node, fields.path) else {
                    // `::name`
                    let name = self.slice(name);
                    return self.external(name);
                };
                if self.kind(name) == Kind::Super {
                    let levels = self.slice(node).matches("super").count();
                    return self.module_above(levels);
                }
                let base = self.path_within(path, depth + 1);
                let name = self.slice(name);
                self.segment(path, base, name)
            }
            Kind::GenericType | Kind::GenericTypeWithTurbofish => match self.field(node, fields.type_) {
                Some(inner) => self.path_within(inner, depth + 1),
                None => unknown,
            },
            Kind::BracketedType => match node.named_child(0) {
                Some(inner) if self.kind(inner) != Kind::QualifiedType => self.path_within(inner, depth + 1),
                _ => unknown,
            },
            _ => unknown,
        }
    }

    /// `base::name`, where `base` is written as `path`.
    pub(super) fn segment(&mut self, path: Node<'_>, base: PathId, name: &'s str) -> PathId {
        if matches!(self.kind(path), Kind::Identifier | Kind::TypeIdentifier) && self.slice(path) == "Self" {
            let associated = self.associated.iter().find(|(known, _)| *known == name);
            if let Some(&(_, value)) = associated {
                return value;
            }
        }
        self.builder.member(base, name)
    }

    /// A value of the type that a type node names.
    pub(super) fn lower(&mut self, node: Node<'_>) -> PathId {
        self.lower_within(node, 0)
    }

    fn lower_within(&mut self, node: Node<'_>, depth: u32) -> PathId {
        let unknown = self.builder.unknown();
        if depth > 64 {
            return unknown;
        }
        let fields = &self.grammar.fields;
        match self.kind(node) {
            Kind::TypeIdentifier | Kind::Identifier => {
                let name = self.slice(node);
                if name == "Self" && self.self_is_receiver {
                    return self.builder.path(PathNode::Receiver);
                }
                if let Some(&(_, bound)) = self.generics.iter().rev().find(|(generic, _)| *generic == name) {
                    return bound;
                }
                let path = self.head(name);
                self.builder.instance(path)
            }
            Kind::PrimitiveType => {
                let name = self.slice(node);
                self.builder.library(name)
            }
            Kind::ScopedTypeIdentifier | Kind::ScopedIdentifier => {
                let path = self.path_of(node);
                self.builder.instance(path)
            }
            Kind::GenericType => self.lower_generic(node, depth),
            Kind::ReferenceType | Kind::PointerType => match self.field(node, fields.type_) {
                Some(inner) => self.lower_within(inner, depth + 1),
                None => unknown,
            },
            Kind::ArrayType => match self.field(node, fields.element) {
                Some(element) => {
                    let element = self.lower_within(element, depth + 1);
                    self.container_of(unknown, element)
                }
                None => unknown,
            },
            Kind::AbstractType | Kind::DynamicType => match self.field(node, fields.trait_) {
                Some(inner) => self.lower_within(inner, depth + 1),
                None => unknown,
            },
            Kind::BoundedType => {
                let mut cursor = node.walk();
                let parts: Vec<Node<'_>> = node.named_children(&mut cursor).take(8).collect();
                self.lower_bounds(&parts, depth)
            }
            Kind::HigherRanked => match self.field(node, fields.type_) {
                Some(inner) => self.lower_within(inner, depth + 1),
                None => unknown,
            },
            Kind::TupleType if node.named_child_count() == 1 && !self.slice(node).contains(',') => {
                match node.named_child(0) {
                    Some(inner) => self.lower_within(inner, depth + 1),
                    None => unknown,
                }
            }
            _ => unknown,
        }
    }

    pub(super) fn container_of(&mut self, outer: PathId, element: PathId) -> PathId {
        self.builder.path(PathNode::Container(outer, element))
    }

    /// The first of several bounds that says something, markers aside.
    pub(super) fn lower_bounds(&mut self, bounds: &[Node<'_>], depth: u32) -> PathId {
        for &bound in bounds {
            if matches!(
                self.kind(bound),
                Kind::Lifetime | Kind::RemovedBound | Kind::UseBounds
            ) {
                continue;
            }
            if !prelude::is_marker(self.last_name(bound)) {
                return self.lower_within(bound, depth + 1);
            }
        }
        self.builder.unknown()
    }

    /// The last name of a path, its arguments aside.
    pub(super) fn last_name(&self, node: Node<'_>) -> &'s str {
        let fields = &self.grammar.fields;
        let mut node = node;
        for _ in 0..8 {
            let inner = match self.kind(node) {
                Kind::GenericType | Kind::GenericTypeWithTurbofish => self.field(node, fields.type_),
                Kind::ScopedTypeIdentifier | Kind::ScopedIdentifier => self.field(node, fields.name),
                Kind::GenericFunction => self.field(node, fields.function),
                Kind::FieldExpression => self.field(node, fields.field),
                _ => None,
            };
            match inner {
                Some(inner) => node = inner,
                None => break,
            }
        }
        self.slice(node)
    }

    fn lower_generic(&mut self, node: Node<'_>, depth: u32) -> PathId {
        let unknown = self.builder.unknown();
        let fields = &self.grammar.fields;
        let (Some(base), Some(arguments)) =
            (self.field(node, fields.type_), self.field(node, fields.arguments))
        else {
            return unknown;
        };
        let name = self.last_name(base);
        if prelude::is_transparent(name) {
            return match self.type_argument(arguments, 0) {
                Some(inner) => self.lower_within(inner, depth + 1),
                None => unknown,
            };
        }
        let element = match prelude::element_argument(name) {
            Some(at) => self.type_argument(arguments, at),
            None => prelude::element_binding(name).and_then(|binding| self.binding(arguments, binding)),
        };
        let path = self.path_of(base);
        match element {
            Some(element) => {
                let element = self.lower_within(element, depth + 1);
                self.container_of(path, element)
            }
            None => self.builder.instance(path),
        }
    }

    /// The `at`-th type among type arguments.
    pub(super) fn type_argument<'t>(&self, arguments: Node<'t>, at: usize) -> Option<Node<'t>> {
        let mut cursor = arguments.walk();
        arguments
            .named_children(&mut cursor)
            .filter(|&node| {
                !matches!(
                    self.kind(node),
                    Kind::Lifetime | Kind::LineComment | Kind::BlockComment
                )
            })
            .nth(at)
    }

    fn binding<'t>(&self, arguments: Node<'t>, name: &str) -> Option<Node<'t>> {
        let mut cursor = arguments.walk();
        arguments
            .named_children(&mut cursor)
            .filter(|&node| self.kind(node) == Kind::TypeBinding)
            .find(|&node| {
                self.field(node, self.grammar.fields.name)
                    .is_some_and(|at| self.slice(at) == name)
            })
            .and_then(|node| self.field(node, self.grammar.fields.type_))
    }

    /// Brings the parameters of an item into scope, with what bounds them.
    pub(super) fn enter_generics(&mut self, item: Node<'_>) {
        let fields = &self.grammar.fields;
        let Some(parameters) = self.field(item, fields.parameters) else {
            return;
        };
        let unknown = self.builder.unknown();
        let start = self.generics.len();
        let mut cursor = parameters.walk();
        for parameter in parameters.named_children(&mut cursor) {
            if matches!(self.kind(parameter), Kind::TypeParameter | Kind::ConstParameter)
                && let Some(name) = self.field(parameter, fields.name)
            {
                let name = self.slice(name);
                self.generics.push((name, unknown));
            }
        }
        // Bounds may name any of the parameters.
        let mut at = start;
        for parameter in parameters.named_children(&mut cursor) {
            if matches!(self.kind(parameter), Kind::TypeParameter | Kind::ConstParameter) {
                if let Some(bounds) = self.field(parameter, fields.bounds)
                    && let Some(generic) = self.bounded_by(bounds)
                    && at < self.generics.len()
                {
                    self.generics[at].1 = generic;
                }
                at += 1;
            }
        }
        for child in item.named_children(&mut cursor) {
            if self.kind(child) == Kind::WhereClause {
                self.enter_where(child, start);
            }
        }
    }

    fn enter_where(&mut self, clause: Node<'_>, start: usize) {
        let fields = &self.grammar.fields;
        let mut cursor = clause.walk();
        for predicate in clause.named_children(&mut cursor) {
            let (Some(left), Some(bounds)) = (
                self.field(predicate, fields.left),
                self.field(predicate, fields.bounds),
            ) else {
                continue;
            };
            let name = self.slice(left);
            let at = self.generics[start..]
                .iter()
                .position(|&(generic, bound)| generic == name && bound == self.builder.unknown());
            if let Some(at) = at
                && let Some(bound) = self.bounded_by(bounds)
            {
                self.generics[start + at].1 = bound;
            }
        }
    }

    fn bounded_by(&mut self, bounds: Node<'_>) -> Option<PathId> {
        let mut cursor = bounds.walk();
        let parts: Vec<Node<'_>> = bounds.named_children(&mut cursor).take(8).collect();
        let bound = self.lower_bounds(&parts, 0);
        (bound != self.builder.unknown()).then_some(bound)
    }

    /// Binds the variables of a pattern that a value matches.
    pub(super) fn bind(&mut self, pattern: Node<'_>, value: PathId) {
        self.bind_within(pattern, value, 0);
    }

    fn bind_within(&mut self, pattern: Node<'_>, value: PathId, depth: u32) {
        if depth > 64 {
            return;
        }
        let unknown = self.builder.unknown();
        let fields = &self.grammar.fields;
        match self.kind(pattern) {
            Kind::Identifier | Kind::ShorthandFieldIdentifier => {
                let name = self.slice(pattern);
                if !is_capitalised(name) {
                    self.locals.bind(name, value);
                }
            }
            Kind::SelfWord => self.locals.bind("self", value),
            Kind::MutPattern
            | Kind::RefPattern
            | Kind::ReferencePattern
            | Kind::OrPattern
            | Kind::MatchPattern => {
                let mut cursor = pattern.walk();
                for (at, part) in pattern.children(&mut cursor).enumerate() {
                    // The condition of an arm is no pattern.
                    if self.kind(pattern) == Kind::MatchPattern && at > 0 {
                        break;
                    }
                    self.bind_within(part, value, depth + 1);
                }
            }
            Kind::CapturedPattern => {
                let mut cursor = pattern.walk();
                let parts: Vec<_> = pattern.named_children(&mut cursor).take(4).collect();
                for part in parts {
                    self.bind_within(part, value, depth + 1);
                }
            }
            Kind::SlicePattern => {
                let element = self.builder.element(value);
                self.bind_children(pattern, element, depth);
            }
            Kind::TuplePattern => {
                let inner = if pattern.named_child_count() == 1 && !self.slice(pattern).contains(',') {
                    value
                } else {
                    unknown
                };
                self.bind_children(pattern, inner, depth);
            }
            Kind::TupleStructPattern => {
                let Some(name) = self.field(pattern, fields.type_) else {
                    return;
                };
                let last = self.last_name(name);
                if matches!(last, "Some" | "Ok") {
                    let element = self.builder.element(value);
                    self.bind_parts(pattern, depth, |_, _| element);
                } else {
                    let owner = self.matched(name);
                    self.bind_parts(pattern, depth, |this, at| match owner {
                        (owner, None) => this.field_of(owner, &at.to_string()),
                        (owner, Some(variant)) => this.builder.member(owner, &format!("{variant}.{at}")),
                    });
                }
            }
            Kind::StructPattern => {
                let Some(name) = self.field(pattern, fields.type_) else {
                    return;
                };
                let owner = self.matched(name);
                let mut cursor = pattern.walk();
                let parts: Vec<_> = pattern.named_children(&mut cursor).collect();
                for part in parts {
                    if self.kind(part) != Kind::FieldPattern {
                        continue;
                    }
                    let Some(field) = self.field(part, fields.name) else {
                        continue;
                    };
                    let name = self.slice(field);
                    let value = match owner {
                        (owner, None) => self.field_of(owner, name),
                        (owner, Some(variant)) => self.builder.member(owner, &format!("{variant}.{name}")),
                    };
                    let inner = self.field(part, fields.pattern).unwrap_or(field);
                    self.bind_within(inner, value, depth + 1);
                }
            }
            _ => {}
        }
    }

    /// The type whose fields a pattern names, and the variant if it is of one.
    fn matched(&mut self, name: Node<'_>) -> (PathId, Option<&'s str>) {
        let fields = &self.grammar.fields;
        if let Some(path) = self.field(name, fields.path) {
            let owner = self.last_name(path);
            if is_capitalised(owner) {
                let variant = self.last_name(name);
                return (self.path_of(path), Some(variant));
            }
        }
        (self.path_of(name), None)
    }

    fn bind_children(&mut self, pattern: Node<'_>, value: PathId, depth: u32) {
        let mut cursor = pattern.walk();
        let parts: Vec<_> = pattern.named_children(&mut cursor).collect();
        for part in parts {
            self.bind_within(part, value, depth + 1);
        }
    }

    fn bind_parts(
        &mut self,
        pattern: Node<'_>,
        depth: u32,
        mut value: impl FnMut(&mut Self, usize) -> PathId,
    ) {
        let mut cursor = pattern.walk();
        let parts: Vec<_> = pattern.named_children(&mut cursor).skip(1).collect();
        let mut at = 0;
        for part in parts {
            if self.is_comment(part) {
                continue;
            }
            if self.kind(part) == Kind::RemainingField {
                // What comes after `..` is counted from the end.
                at = usize::MAX / 2;
                continue;
            }
            let value = value(self, at);
            self.bind_within(part, value, depth + 1);
            at += 1;
        }
    }

    /// Writes a path and gives what it means.
    pub(super) fn path(&mut self, cursor: &mut TreeCursor<'_>, call: bool) -> PathId {
        if self.depth >= crate::syntax::MAX_DEPTH {
            self.leaves(cursor.node());
            return self.builder.unknown();
        }
        self.depth += 1;
        let node = cursor.node();
        let path = match self.kind(node) {
            Kind::Identifier | Kind::TypeIdentifier => {
                let name = self.slice(node);
                let generic = self.generics.iter().any(|&(generic, _)| generic == name);
                let path = self.head(name);
                if generic {
                    self.builder.text(name);
                } else {
                    self.refer(node, name, path, call);
                }
                path
            }
            Kind::ScopedIdentifier | Kind::ScopedTypeIdentifier => self.scoped(cursor, call),
            Kind::GenericType | Kind::GenericTypeWithTurbofish => {
                let mut path = self.builder.unknown();
                if cursor.goto_first_child() {
                    path = self.path(cursor, false);
                    while cursor.goto_next_sibling() {
                        self.walk(cursor);
                    }
                    cursor.goto_parent();
                }
                path
            }
            Kind::Crate | Kind::SelfWord | Kind::Super | Kind::BracketedType | Kind::Metavariable => {
                let path = self.path_of(node);
                self.children(cursor);
                path
            }
            _ => self.walk(cursor),
        };
        self.depth -= 1;
        path
    }

    fn scoped(&mut self, cursor: &mut TreeCursor<'_>, call: bool) -> PathId {
        let node = cursor.node();
        let fields = &self.grammar.fields;
        let name = self.field(node, fields.name);
        let mut base = None;
        let start = self.builder.position();
        if !cursor.goto_first_child() {
            return self.builder.unknown();
        }
        let mut result = self.builder.unknown();
        loop {
            let part = cursor.node();
            let kind = self.kind(part);
            if Some(part) == name {
                result = match (kind, base) {
                    (Kind::Super, _) => {
                        self.builder.text("super");
                        let levels = self.slice(node).matches("super").count();
                        self.module_above(levels)
                    }
                    (_, base) => {
                        let name = self.slice(part);
                        let path = match base {
                            Some((path, base)) => self.segment(path, base, name),
                            None => self.external(name),
                        };
                        match base {
                            // The modules on the way say nothing of where it leads.
                            Some((before, _)) if path != self.builder.unknown() && self.is_module(before) => {
                                self.builder.split_off(start);
                                let whole = self.without_blanks(node);
                                self.refer(part, &whole, path, call);
                            }
                            _ => self.refer(part, name, path, call),
                        }
                        path
                    }
                };
            } else if kind == Kind::Colons {
                self.builder.text("::");
            } else if !self.is_comment(part) {
                base = Some((part, self.path(cursor, false)));
            }
            if !cursor.goto_next_sibling() {
                break;
            }
        }
        cursor.goto_parent();
        result
    }

    /// Whether a path is spelled as that of a module is.
    fn is_module(&self, path: Node<'_>) -> bool {
        let text = self.slice(path);
        let mut parts = text.split("::").map(str::trim);
        text.len() < MAX_MODULE
            && parts.all(|part| {
                let is_word = |c: char| c == '_' || c.is_ascii_digit() || c.is_lowercase();
                part.chars().all(is_word) && !part.is_empty() && !is_primitive(part)
            })
    }

    fn without_blanks(&self, node: Node<'_>) -> String {
        self.slice(node).split_whitespace().collect()
    }

    pub(super) fn refer(&mut self, node: Node<'_>, name: &str, path: PathId, call: bool) {
        let span = self.span(node);
        self.builder.reference(span, name, path, call);
    }
}

/// Longer paths are left as they stand.
const MAX_MODULE: usize = 256;

fn is_primitive(name: &str) -> bool {
    matches!(
        name,
        "bool"
            | "char"
            | "str"
            | "f32"
            | "f64"
            | "i8"
            | "i16"
            | "i32"
            | "i64"
            | "i128"
            | "isize"
            | "u8"
            | "u16"
            | "u32"
            | "u64"
            | "u128"
            | "usize"
    )
}
