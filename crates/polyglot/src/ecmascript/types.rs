//! Types: their tokens, and what a value of them is.

use tree_sitter::Node;

use super::{Kind, literals, scope::Binding, walker::Walker};
use crate::{model::*, syntax::span};

impl<'s, 't> Walker<'s, 't> {
    /// Reads a type; the path is a value of it.
    pub fn type_(&mut self, node: Node<'t>) -> PathId {
        let unknown = self.builder.unknown();
        self.guarded(node, unknown, |walker| walker.type_inner(node))
    }

    fn type_inner(&mut self, node: Node<'t>) -> PathId {
        let unknown = self.builder.unknown();
        match self.kind(node) {
            Kind::TypeIdentifier | Kind::Identifier | Kind::NestedTypeIdentifier => {
                let path = self.type_reference(node);
                match path {
                    Ok(path) => self.builder.instance(path),
                    Err(value) => value,
                }
            }
            Kind::GenericType => self.generic_type(node),
            Kind::ArrayType => {
                let element = self.first_named(node).map(|element| self.type_operand(element));
                self.text("[");
                self.text("]");
                self.container("Array", element.unwrap_or(unknown))
            }
            Kind::UnionType => self.type_chain(node, Kind::UnionType, "|"),
            Kind::IntersectionType => self.type_chain(node, Kind::IntersectionType, "&"),
            Kind::ParenthesizedType => match self.first_named(node) {
                Some(inner) => self.type_(inner),
                None => unknown,
            },
            Kind::ReadonlyType | Kind::IndexTypeQuery | Kind::RestType | Kind::OptionalType => {
                let mut value = unknown;
                for child in self.children(node) {
                    if child.is_named() {
                        value = self.type_operand(child);
                    } else {
                        self.leaf(child);
                    }
                }
                match self.kind(node) {
                    Kind::IndexTypeQuery => unknown,
                    _ => value,
                }
            }
            Kind::TypeAnnotation => {
                let mut value = unknown;
                for child in self.children(node) {
                    if child.is_named() {
                        value = self.type_(child);
                    } else {
                        self.leaf(child);
                    }
                }
                value
            }
            Kind::TypePredicateAnnotation | Kind::TypePredicate | Kind::Asserts => {
                for child in self.children(node) {
                    match self.kind(child) {
                        Kind::Identifier => self.leaf(child),
                        _ if child.is_named() => {
                            self.type_(child);
                        }
                        _ => self.leaf(child),
                    }
                }
                unknown
            }
            Kind::ThisType | Kind::This => {
                self.leaf(node);
                self.builder.path(PathNode::Receiver)
            }
            Kind::TypeQuery => {
                let mut value = unknown;
                for child in self.children(node) {
                    if child.is_named() {
                        value = self.visit(child);
                    } else {
                        self.leaf(child);
                    }
                }
                value
            }
            Kind::LookupType => self.lookup_type(node),
            Kind::ObjectType => {
                self.object_type(node, None);
                unknown
            }
            Kind::FunctionType | Kind::ConstructorType | Kind::CallSignature | Kind::ConstructSignature => {
                self.callable_type(node);
                unknown
            }
            Kind::ConditionalType => {
                self.enter_scope();
                let children = self.children(node);
                let last = children.len().saturating_sub(1);
                for (at, child) in children.into_iter().enumerate() {
                    if !child.is_named() {
                        self.leaf(child);
                    } else if at == last {
                        self.type_(child);
                    } else {
                        self.type_operand(child);
                    }
                }
                self.leave_scope();
                unknown
            }
            Kind::Infer => {
                for child in self.children(node) {
                    if self.kind(child) == Kind::TypeIdentifier {
                        let name = self.slice(child);
                        self.types.bind(name, Binding::Local(unknown));
                        self.leaf(child);
                    } else {
                        self.visit(child);
                    }
                }
                unknown
            }
            Kind::LiteralType => {
                self.each(node);
                unknown
            }
            Kind::PredefinedType => {
                self.leaf(node);
                unknown
            }
            _ => self.visit(node),
        }
    }

    /// Reads a type's name. The type itself, or a value of what is known only so.
    pub fn type_reference(&mut self, node: Node<'t>) -> Result<PathId, PathId> {
        let unknown = self.builder.unknown();
        match self.kind(node) {
            Kind::NestedTypeIdentifier | Kind::NestedIdentifier | Kind::Member => {
                let mut parts = Vec::new();
                let mut at = node;
                while matches!(
                    self.kind(at),
                    Kind::NestedTypeIdentifier | Kind::NestedIdentifier | Kind::Member
                ) {
                    let children = self.children(at);
                    let (Some(&first), Some(&last)) = (children.first(), children.last()) else {
                        break;
                    };
                    parts.push(last);
                    if first == at || children.len() < 2 {
                        break;
                    }
                    at = first;
                }
                let mut path = self.type_reference_name(at).unwrap_or(unknown);
                for part in parts.into_iter().rev() {
                    self.text(".");
                    let name = self.slice(part);
                    path = self.builder.member(path, name);
                    self.builder.reference(span(part), name, path, false);
                }
                Ok(path)
            }
            _ => self.type_reference_name(node),
        }
    }

    fn type_reference_name(&mut self, node: Node<'t>) -> Result<PathId, PathId> {
        let name = self.slice(node);
        if let Some(specifier) = name.strip_prefix("import(") {
            let specifier = literals::content(specifier.trim_end_matches(')').trim());
            let module = self.builder.module(specifier);
            self.builder.add_import(specifier);
            self.builder.reference(span(node), "import", module, false);
            return Ok(module);
        }
        match self.type_name(name) {
            Binding::Local(value) => {
                self.text(name);
                Err(value)
            }
            Binding::Named(path) => {
                self.builder.reference(span(node), name, path, false);
                Ok(path)
            }
        }
    }

    fn generic_type(&mut self, node: Node<'t>) -> PathId {
        let unknown = self.builder.unknown();
        let mut children = self.children(node).into_iter();
        let Some(name) = children.next() else {
            return unknown;
        };
        let outer = self.type_reference(name);
        let mut arguments = Vec::new();
        for child in children {
            if self.kind(child) == Kind::TypeArguments {
                arguments = self.type_arguments(child);
            } else {
                self.visit(child);
            }
        }
        let path = match outer {
            Err(value) => return value,
            Ok(path) if path != unknown => return self.builder.instance(path),
            Ok(path) => path,
        };
        let first = arguments.first().copied().unwrap_or(unknown);
        let name = self.slice(name);
        match name {
            "Array"
            | "ReadonlyArray"
            | "Set"
            | "ReadonlySet"
            | "WeakSet"
            | "Promise"
            | "PromiseLike"
            | "Iterable"
            | "Iterator"
            | "IterableIterator"
            | "AsyncIterable"
            | "AsyncIterator"
            | "AsyncIterableIterator"
            | "Generator"
            | "AsyncGenerator"
            | "ArrayLike"
            | "WeakRef" => self.container(name, first),
            "Map" | "ReadonlyMap" | "WeakMap" | "Record" => {
                let value = arguments.get(1).copied().unwrap_or(unknown);
                self.container(name, value)
            }
            "Partial" | "Required" | "Readonly" | "NonNullable" | "Pick" | "Omit" => first,
            _ => path,
        }
    }

    pub fn type_arguments(&mut self, node: Node<'t>) -> Vec<PathId> {
        let mut arguments = Vec::new();
        let mut comma = false;
        for child in self.children(node) {
            match self.kind(child) {
                Kind::Comma => comma = true,
                _ if child.is_named() => {
                    if comma {
                        self.text(",");
                    }
                    comma = false;
                    arguments.push(self.type_(child));
                }
                _ => self.leaf(child),
            }
        }
        arguments
    }

    /// `A | B | C`, however it is nested.
    fn type_chain(&mut self, node: Node<'t>, kind: Kind, operator: &str) -> PathId {
        let mut members = Vec::new();
        let mut pending = vec![node];
        while let Some(at) = pending.pop() {
            let is_chain = self.kind(at) == kind
                || self.kind(at) == Kind::ParenthesizedType
                    && self
                        .first_named(at)
                        .is_some_and(|inner| matches!(self.kind(inner), inner if inner == kind || inner == Kind::ParenthesizedType));
            if is_chain {
                let children = self.children(at);
                pending.extend(children.into_iter().filter(|child| child.is_named()).rev());
            } else {
                members.push(at);
            }
        }
        let unknown = self.builder.unknown();
        let alone = members.len() == 1;
        let mut value: Option<PathId> = None;
        for (at, member) in members.into_iter().enumerate() {
            if at > 0 {
                self.text(operator);
            }
            let inner = self.bare_type(member);
            let nothing = self.kind(inner) == Kind::LiteralType
                && matches!(self.slice(inner), "null" | "undefined" | "false")
                || self.kind(inner) == Kind::PredefinedType && self.slice(inner) == "void"
                || self.kind(inner) == Kind::Undefined;
            let here = if alone {
                self.type_(member)
            } else {
                self.type_operand(member)
            };
            if nothing {
                continue;
            }
            value = Some(match (value, kind) {
                (None, _) => here,
                (Some(known), Kind::IntersectionType) if known != unknown => known,
                (Some(_), Kind::IntersectionType) => here,
                (Some(known), _) if known == here => known,
                _ => unknown,
            });
        }
        value.unwrap_or(unknown)
    }

    fn bare_type(&self, node: Node<'t>) -> Node<'t> {
        let mut at = node;
        while self.kind(at) == Kind::ParenthesizedType {
            match self.first_named(at) {
                Some(inner) => at = inner,
                None => break,
            }
        }
        at
    }

    /// A type that is a part of another, grouped where it needs to be.
    pub fn type_operand(&mut self, node: Node<'t>) -> PathId {
        let inner = self.bare_type(node);
        let group = matches!(
            self.kind(inner),
            Kind::UnionType
                | Kind::IntersectionType
                | Kind::FunctionType
                | Kind::ConstructorType
                | Kind::ConditionalType
                | Kind::IndexTypeQuery
                | Kind::ReadonlyType
                | Kind::TypeQuery
                | Kind::Infer
        );
        // A leading `|` before a single type is nothing.
        let single = matches!(self.kind(inner), Kind::UnionType | Kind::IntersectionType) && {
            let mut cursor = inner.walk();
            inner.named_children(&mut cursor).count() < 2
        };
        if group && !single {
            self.text("(");
        }
        let value = self.type_(inner);
        if group && !single {
            self.text(")");
        }
        value
    }

    fn lookup_type(&mut self, node: Node<'t>) -> PathId {
        let mut object = self.builder.unknown();
        let mut name = None;
        for (at, child) in self.children(node).into_iter().enumerate() {
            if at == 0 {
                object = self.type_operand(child);
            } else if child.is_named() {
                name = Some(child);
                self.type_(child);
            } else {
                self.leaf(child);
            }
        }
        match name.filter(|&name| self.kind(name) == Kind::LiteralType) {
            Some(name) => {
                let raw = self.slice(name);
                match raw.starts_with(['"', '\'']) {
                    true => self.builder.member(object, literals::content(raw)),
                    false => self.builder.unknown(),
                }
            }
            None => self.builder.unknown(),
        }
    }

    /// Function types and signatures without a name; what a call of it gives.
    pub fn callable_type(&mut self, node: Node<'t>) -> PathId {
        self.enter_scope();
        let mut result = self.builder.unknown();
        for (field, child) in self.children_with_fields(node) {
            match self.kind(child) {
                Kind::FormalParameters => self.parameters(child),
                Kind::TypeParameters => self.type_parameters(child),
                _ if field != 0
                    && (field == self.grammar.fields.return_type || field == self.grammar.fields.type_) =>
                {
                    result = self.type_(child);
                }
                _ if field == self.grammar.fields.name => self.property_name(child),
                _ => {
                    self.visit(child);
                }
            }
        }
        self.leave_scope();
        result
    }

    /// `<T extends A = B>`: binds the names in the innermost scope.
    pub fn type_parameters(&mut self, node: Node<'t>) {
        let unknown = self.builder.unknown();
        let children = self.children(node);
        for &child in &children {
            if self.kind(child) == Kind::TypeParameter
                && let Some(name) = self.field(child, self.grammar.fields.name)
            {
                self.types.bind(self.slice(name), Binding::Local(unknown));
            }
        }
        let mut comma = false;
        let mut before = node.start_byte();
        for child in children {
            match self.kind(child) {
                Kind::Comma => comma = true,
                Kind::TypeParameter => {
                    if comma {
                        self.text(",");
                    }
                    comma = false;
                    self.variance(before, child.start_byte());
                    self.type_parameter(child);
                }
                _ => self.leaf(child),
            }
            before = child.end_byte();
        }
    }

    /// Words before a type parameter that the grammar does not know.
    fn variance(&mut self, start: usize, end: usize) {
        let gap = self.builder.slice(Span {
            start: start as u32,
            end: end as u32,
        });
        if gap.len() > 2 {
            let words = super::documentation::one_line(gap);
            for word in words
                .split_whitespace()
                .filter(|word| matches!(*word, "in" | "out"))
            {
                self.text(word);
            }
        }
    }

    fn type_parameter(&mut self, node: Node<'t>) {
        let mut name = "";
        for (field, child) in self.children_with_fields(node) {
            if field == self.grammar.fields.name {
                name = self.slice(child);
                self.leaf(child);
            } else if child.is_named() {
                let mut value = self.builder.unknown();
                let constraint = self.kind(child) != Kind::DefaultType;
                for part in self.children(child) {
                    if part.is_named() {
                        value = self.type_(part);
                    } else {
                        self.leaf(part);
                    }
                }
                if constraint {
                    self.types.update(name, Binding::Local(value));
                }
            } else {
                self.leaf(child);
            }
        }
    }

    /// Members of an interface or an object type, each ended by `;`. Their names
    /// become fields of `owner`.
    pub fn object_type(&mut self, node: Node<'t>, owner: Option<DefinitionIndex>) {
        for child in self.children(node) {
            match self.kind(child) {
                Kind::Comma | Kind::Semicolon => continue,
                Kind::PropertySignature => self.property_signature(child, owner),
                Kind::MethodSignature => {
                    let result = self.callable_type(child);
                    let accessor = self.accessor(child);
                    if let Some(owner) = owner {
                        self.add_field(owner, child, result, accessor.is_none());
                    }
                }
                Kind::CallSignature | Kind::ConstructSignature => {
                    self.callable_type(child);
                }
                _ if child.is_named() => {
                    self.visit(child);
                }
                _ => {
                    self.leaf(child);
                    continue;
                }
            }
            self.text(";");
        }
    }

    fn property_signature(&mut self, node: Node<'t>, owner: Option<DefinitionIndex>) {
        let mut value = self.builder.unknown();
        let mut callable = false;
        for (field, child) in self.children_with_fields(node) {
            if field == self.grammar.fields.name {
                self.property_name(child);
            } else if self.kind(child) == Kind::TypeAnnotation {
                let inner = self.first_named(child).map(|inner| self.bare_type(inner));
                match inner.filter(|&inner| self.kind(inner) == Kind::FunctionType) {
                    Some(inner) => {
                        self.text(":");
                        value = self.callable_type(inner);
                        callable = true;
                    }
                    None => value = self.type_(child),
                }
            } else {
                self.visit(child);
            }
        }
        if let Some(owner) = owner {
            self.add_field(owner, node, value, callable);
        }
    }

    pub fn add_field(&mut self, owner: DefinitionIndex, node: Node<'t>, value: PathId, callable: bool) {
        if let Some(name) = self.field(node, self.grammar.fields.name) {
            let name = self.plain_name(name);
            self.add_named_field(owner, name, value, callable);
        }
    }

    pub fn add_named_field(&mut self, owner: DefinitionIndex, name: &str, value: PathId, callable: bool) {
        let name = self.builder.intern(name);
        self.builder.definition_mut(owner).fields.push(Field {
            name,
            value,
            callable,
        });
    }
}
