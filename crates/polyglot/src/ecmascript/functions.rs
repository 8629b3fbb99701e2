//! Functions, their parameters and patterns.

use tree_sitter::Node;

use super::{
    Kind,
    scope::Binding,
    walker::{Function, Walker},
};
use crate::model::*;

/// Whose a function's name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    /// The open definition's, whose signature ends at the body.
    Own,
    /// Of the function alone; its head ends the open definition's signature.
    Inner,
    /// Of the function alone.
    None,
}

impl<'s, 't> Walker<'s, 't> {
    /// Reads anything with parameters and a body. `this` and `super` are those
    /// around it for arrow functions, else what `own` says, else unknown. The path
    /// is what a call gives.
    pub fn callable(&mut self, node: Node<'t>, own: Option<(PathId, PathId)>) -> PathId {
        self.callable_with(node, own, Name::None)
    }

    pub fn callable_with(&mut self, node: Node<'t>, own: Option<(PathId, PathId)>, names: Name) -> PathId {
        let fields = &self.grammar.fields;
        let unknown = self.builder.unknown();
        let arrow = self.kind(node) == Kind::ArrowFunction;
        let hint = std::mem::replace(&mut self.hint, unknown);
        let (this, super_) = own.unwrap_or(if arrow {
            (self.function.this, self.function.super_)
        } else {
            (unknown, unknown)
        });
        let constructs = self.function.constructs.filter(|_| arrow || own.is_some());
        let outer = std::mem::replace(
            &mut self.function,
            Function {
                this,
                super_,
                result: None,
                constructs,
            },
        );
        let tests = std::mem::replace(&mut self.tests, false);
        self.local += 1;
        self.enter_scope();
        let mut annotated = None;
        let (mut is_async, mut generator) = (false, false);
        let mut evident = None;
        for (field, child) in self.children_with_fields(node) {
            match self.kind(child) {
                _ if field == fields.name => {
                    if names == Name::Own {
                        self.builder.own_name();
                    } else {
                        if self.kind(child) == Kind::Identifier {
                            let name = self.slice(child);
                            self.values.bind(name, Binding::Local(unknown));
                        }
                        self.property_name(child);
                    }
                }
                Kind::TypeParameters => self.type_parameters(child),
                Kind::FormalParameters => {
                    self.hint = hint;
                    self.parameters(child);
                }
                _ if field == fields.parameter => {
                    let name = self.slice(child);
                    self.values.bind(name, Binding::Local(hint));
                    self.text("(");
                    self.text(name);
                    self.text(")");
                }
                _ if field == fields.return_type => {
                    let value = self.type_(child);
                    annotated = Some(value);
                }
                _ if field == fields.body => {
                    if names != Name::None {
                        self.builder.end_signature();
                    }
                    evident = self.body(child);
                }
                Kind::Semicolon => {}
                Kind::Decorator => {
                    self.visit(child);
                }
                kind => {
                    is_async |= kind == Kind::Async;
                    generator |= kind == Kind::Star;
                    self.visit(child);
                }
            }
        }
        self.leave_scope();
        self.local -= 1;
        self.tests = tests;
        self.function = outer;
        match (annotated, evident) {
            (Some(value), _) => value,
            (None, Some(value)) if value != unknown && !generator => {
                if is_async {
                    self.container("Promise", value)
                } else {
                    value
                }
            }
            _ => unknown,
        }
    }

    /// Reads a function's body; what it evidently gives.
    fn body(&mut self, node: Node<'t>) -> Option<PathId> {
        if self.kind(node) == Kind::StatementBlock {
            self.hoist_variables(node);
            self.block(node);
            return self.function.result;
        }
        let inner = self.bare(node);
        let object = self.kind(inner) == Kind::Object;
        if object {
            self.text("(");
        }
        let value = self.visit(inner);
        if object {
            self.text(")");
        }
        Some(value)
    }

    /// A value that the function returns.
    pub fn returned(&mut self, node: Option<Node<'t>>, value: PathId) {
        let value = match node.map(|node| self.kind(self.bare(node))) {
            Some(Kind::This) => self.builder.path(PathNode::Receiver),
            Some(Kind::Null | Kind::Undefined) | None => return,
            _ => value,
        };
        self.function.result = Some(match self.function.result {
            None => value,
            Some(known) if known == value => known,
            Some(_) => self.builder.unknown(),
        });
    }

    /// Reads parameters in parentheses and binds them in the innermost scope.
    pub fn parameters(&mut self, node: Node<'t>) {
        let unknown = self.builder.unknown();
        let mut hint = std::mem::replace(&mut self.hint, unknown);
        let children = self.children(node);
        for &child in &children {
            self.bind_pattern(child);
        }
        let mut comma = false;
        for child in children {
            match self.kind(child) {
                Kind::Comma => comma = true,
                _ if child.is_named() => {
                    if comma {
                        self.text(",");
                    }
                    comma = false;
                    self.parameter(child, hint);
                    hint = unknown;
                }
                _ => self.leaf(child),
            }
        }
    }

    fn parameter(&mut self, node: Node<'t>, hint: PathId) {
        let fields = &self.grammar.fields;
        if !matches!(self.kind(node), Kind::RequiredParameter | Kind::OptionalParameter) {
            self.pattern(node, true);
            self.pattern_values(node, hint);
            return;
        }
        let mut pattern = None;
        let mut property = false;
        let mut value = hint;
        for (field, child) in self.children_with_fields(node) {
            match self.kind(child) {
                _ if field == fields.pattern || field == fields.name => {
                    pattern = Some(child);
                    self.pattern(child, true);
                }
                Kind::TypeAnnotation => value = self.type_(child),
                kind => {
                    property |= matches!(kind, Kind::AccessibilityModifier | Kind::Readonly);
                    let default = self.visit(child);
                    if field == fields.value && value == self.builder.unknown() {
                        value = default;
                    }
                }
            }
        }
        let Some(pattern) = pattern else { return };
        if self.kind(pattern) == Kind::This {
            self.function.this = value;
            return;
        }
        self.pattern_values(pattern, value);
        if property && let Some(class) = self.function.constructs {
            let name = self.slice(pattern);
            self.add_named_field(class, name, value, false);
        }
    }

    /// Binds the names of a pattern, so far without a meaning.
    pub fn bind_pattern(&mut self, node: Node<'t>) {
        let unknown = self.builder.unknown();
        for name in self.names_of(node) {
            self.values.bind(name, Binding::Local(unknown));
        }
    }

    /// The names that a pattern binds.
    pub fn names_of(&self, node: Node<'t>) -> Vec<&'s str> {
        let fields = &self.grammar.fields;
        let mut names = Vec::new();
        let mut pending = vec![node];
        while let Some(at) = pending.pop() {
            match self.kind(at) {
                Kind::Identifier | Kind::ShorthandPattern => names.push(self.slice(at)),
                Kind::RequiredParameter | Kind::OptionalParameter => {
                    pending.extend(self.field(at, fields.pattern).or(self.field(at, fields.name)));
                }
                Kind::AssignmentPattern | Kind::ObjectAssignmentPattern => {
                    pending.extend(self.field(at, fields.left))
                }
                Kind::PairPattern => pending.extend(self.field(at, fields.value)),
                Kind::ObjectPattern | Kind::ArrayPattern | Kind::RestPattern => {
                    pending.extend(
                        self.children(at)
                            .into_iter()
                            .filter(|child| child.is_named())
                            .rev(),
                    );
                }
                _ => {}
            }
        }
        names
    }

    /// The tokens of a pattern. One that declares binds names that are bound
    /// already; one that does not assigns to whatever its names mean.
    pub fn pattern(&mut self, node: Node<'t>, declares: bool) {
        self.guarded(node, (), |walker| walker.pattern_inner(node, declares));
    }

    fn pattern_inner(&mut self, node: Node<'t>, declares: bool) {
        let fields = &self.grammar.fields;
        match self.kind(node) {
            Kind::Identifier if declares => self.leaf(node),
            Kind::ShorthandPattern => {
                self.leaf(node);
                self.text(":");
                if declares {
                    self.leaf(node);
                } else {
                    self.value_reference(node, false);
                }
            }
            Kind::ObjectPattern => {
                let mut comma = false;
                for child in self.children(node) {
                    match self.kind(child) {
                        Kind::Comma => comma = true,
                        _ if child.is_named() => {
                            if comma {
                                self.text(",");
                            }
                            comma = false;
                            self.pattern(child, declares);
                        }
                        _ => self.leaf(child),
                    }
                }
            }
            Kind::ArrayPattern if declares => {
                let mut after_element = false;
                let (mut pending, mut trailing) = (false, false);
                for child in self.children(node) {
                    match self.kind(child) {
                        Kind::Comma => {
                            if pending {
                                self.text(",");
                            }
                            pending = true;
                            trailing = after_element;
                            after_element = false;
                            continue;
                        }
                        Kind::CloseBracket if trailing => {}
                        _ if pending => self.text(","),
                        _ => {}
                    }
                    pending = false;
                    after_element = child.is_named();
                    if after_element {
                        self.pattern(child, declares);
                    } else {
                        self.leaf(child);
                    }
                }
            }
            Kind::AssignmentPattern | Kind::ObjectAssignmentPattern => {
                for (field, child) in self.children_with_fields(node) {
                    if field == fields.left {
                        self.pattern(child, declares);
                    } else {
                        self.visit(child);
                    }
                }
            }
            Kind::PairPattern => {
                for (field, child) in self.children_with_fields(node) {
                    if field == fields.key {
                        self.property_name(child);
                    } else if field == fields.value {
                        self.pattern(child, declares);
                    } else {
                        self.leaf(child);
                    }
                }
            }
            Kind::RestPattern => {
                for child in self.children(node) {
                    if child.is_named() {
                        self.pattern(child, declares);
                    } else {
                        self.leaf(child);
                    }
                }
            }
            _ => {
                self.visit(node);
            }
        }
    }

    /// Says what the names of a pattern mean when it takes `value` apart.
    pub fn pattern_values(&mut self, node: Node<'t>, value: PathId) {
        let unknown = self.builder.unknown();
        if value == unknown {
            return;
        }
        let fields = &self.grammar.fields;
        let mut pending = vec![(node, value)];
        while let Some((at, value)) = pending.pop() {
            match self.kind(at) {
                Kind::Identifier => {
                    let name = self.slice(at);
                    self.values.update(name, Binding::Local(value));
                }
                Kind::ShorthandPattern => {
                    let name = self.slice(at);
                    let member = self.builder.member(value, name);
                    self.values.update(name, Binding::Local(member));
                }
                Kind::ObjectPattern => {
                    for child in self.children(at).into_iter().filter(|child| child.is_named()) {
                        pending.push((child, value));
                    }
                }
                Kind::PairPattern => {
                    if let (Some(key), Some(inner)) =
                        (self.field(at, fields.key), self.field(at, fields.value))
                    {
                        let name = self.plain_name(key);
                        let member = self.builder.member(value, name);
                        pending.push((inner, member));
                    }
                }
                Kind::AssignmentPattern | Kind::ObjectAssignmentPattern => {
                    if let Some(left) = self.field(at, fields.left) {
                        pending.push((left, value));
                    }
                }
                Kind::ArrayPattern => {
                    let element = self.builder.element(value);
                    for child in self.children(at).into_iter().filter(|child| child.is_named()) {
                        pending.push((child, element));
                    }
                }
                _ => {}
            }
        }
    }
}
