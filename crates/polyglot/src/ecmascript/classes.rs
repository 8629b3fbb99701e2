//! Classes and their members.

use tree_sitter::Node;

use super::{
    Kind,
    functions::Name,
    scope::Binding,
    walker::{Function, Walker},
};
use crate::model::*;

/// A member that is read later or now.
struct Member<'t> {
    node: Node<'t>,
    comment: Option<Node<'t>>,
    decorators: Vec<Node<'t>>,
}

impl<'s, 't> Walker<'s, 't> {
    /// Reads a class that is the open definition.
    pub fn class(&mut self, index: DefinitionIndex, node: Node<'t>) {
        let fields = &self.grammar.fields;
        let path = self.builder.definition_path(index);
        let place = self.enter_place(index);
        self.enter_scope();
        let mut start = node.start_byte();
        for (field, child) in self.children_with_fields(node) {
            match self.kind(child) {
                _ if field == fields.name => {
                    self.builder.own_name();
                    // A class expression knows its name only inside.
                    let name = self.slice(child);
                    if self.kind(node) == Kind::Class {
                        self.values.bind(name, Binding::Named(path));
                        self.types.bind(name, Binding::Named(path));
                    }
                }
                Kind::TypeParameters => self.type_parameters(child),
                Kind::ClassHeritage => self.heritage(child, Some(index)),
                Kind::Decorator => {
                    self.visit(child);
                    start = child.end_byte();
                }
                Kind::ClassBody => {
                    self.builder.end_signature();
                    self.sign(index, start, child.start_byte());
                    self.class_body(child, index);
                }
                _ => {
                    self.visit(child);
                }
            }
        }
        self.leave_scope();
        self.place = place;
    }

    /// A class without a definition of its own: all of it stands in the text.
    pub fn class_expression(&mut self, node: Node<'t>) {
        let unknown = self.builder.unknown();
        self.enter_scope();
        for (field, child) in self.children_with_fields(node) {
            match self.kind(child) {
                _ if field == self.grammar.fields.name => {
                    let name = self.slice(child);
                    self.values.bind(name, Binding::Local(unknown));
                    self.types.bind(name, Binding::Local(unknown));
                    self.leaf(child);
                }
                Kind::ClassHeritage => self.heritage(child, None),
                Kind::ClassBody => {
                    for part in self.children(child) {
                        match self.kind(part) {
                            Kind::Semicolon => {}
                            Kind::PublicField | Kind::FieldDefinition => {
                                self.field_definition(part, None);
                            }
                            Kind::MethodDefinition => {
                                self.callable(part, Some((unknown, unknown)));
                            }
                            Kind::MethodSignature | Kind::AbstractMethod => {
                                self.callable_type(part);
                                self.text(";");
                            }
                            Kind::StaticBlock => self.static_block(part),
                            _ => {
                                self.visit(part);
                            }
                        }
                    }
                }
                _ => {
                    self.visit(child);
                }
            }
        }
        self.leave_scope();
    }

    /// `extends A implements B` (in JavaScript the base stands without a clause).
    fn heritage(&mut self, node: Node<'t>, class: Option<DefinitionIndex>) {
        for child in self.children(node) {
            match self.kind(child) {
                Kind::ExtendsClause => {
                    for (field, part) in self.children_with_fields(child) {
                        if field == self.grammar.fields.value {
                            let base = self.operand(part);
                            self.add_base(class, base);
                        } else {
                            self.visit(part);
                        }
                    }
                }
                Kind::ImplementsClause => {
                    let mut comma = false;
                    for part in self.children(child) {
                        match self.kind(part) {
                            Kind::Comma => comma = true,
                            _ if part.is_named() => {
                                if comma {
                                    self.text(",");
                                }
                                comma = false;
                                let base = self.type_(part);
                                self.add_base(class, base);
                            }
                            _ => self.leaf(part),
                        }
                    }
                }
                _ if child.is_named() => {
                    let base = self.operand(child);
                    self.add_base(class, base);
                }
                _ => self.leaf(child),
            }
        }
    }

    pub fn add_base(&mut self, of: Option<DefinitionIndex>, base: PathId) {
        if let Some(index) = of
            && base != self.builder.unknown()
        {
            self.builder.definition_mut(index).bases.push(base);
        }
    }

    fn class_body(&mut self, node: Node<'t>, class: DefinitionIndex) {
        let mut cursor = node.walk();
        let mut comment = None;
        let mut decorators = Vec::new();
        let mut heads: Vec<Node<'t>> = Vec::new();
        if !cursor.goto_first_child() {
            return;
        }
        loop {
            let child = cursor.node();
            match self.kind(child) {
                Kind::Comment => comment = Some(child),
                Kind::Decorator => decorators.push(child),
                Kind::Semicolon | Kind::Comma => {}
                Kind::MethodSignature => {
                    if heads
                        .first()
                        .is_some_and(|&head| self.member_name(head) != self.member_name(child))
                    {
                        self.flush_heads(&mut heads, comment);
                    }
                    heads.push(child);
                }
                kind => {
                    let same = kind == Kind::MethodDefinition
                        && heads
                            .first()
                            .is_some_and(|&head| self.member_name(head) == self.member_name(child));
                    if !same {
                        self.flush_heads(&mut heads, comment);
                    }
                    let member = Member {
                        node: child,
                        comment: comment.take(),
                        decorators: std::mem::take(&mut decorators),
                    };
                    let heads = std::mem::take(&mut heads);
                    self.class_member(kind, member, class, &heads);
                }
            }
            if !cursor.goto_next_sibling() {
                break;
            }
        }
        self.flush_heads(&mut heads, comment);
    }

    fn flush_heads(&mut self, heads: &mut Vec<Node<'t>>, comment: Option<Node<'t>>) {
        if let Some(last) = heads.pop() {
            let earlier = std::mem::take(heads);
            let class = self.place.container;
            if let Some(class) = class {
                let member = Member {
                    node: last,
                    comment,
                    decorators: Vec::new(),
                };
                self.method(member, last, class, &earlier);
            }
        }
    }

    fn member_name(&self, node: Node<'t>) -> &'s str {
        let fields = &self.grammar.fields;
        self.field(node, fields.name)
            .or_else(|| self.field(node, fields.property))
            .map_or("", |name| self.plain_name(name))
    }

    fn class_member(&mut self, kind: Kind, member: Member<'t>, class: DefinitionIndex, heads: &[Node<'t>]) {
        match kind {
            Kind::MethodDefinition | Kind::AbstractMethod => {
                let node = member.node;
                self.method(member, node, class, heads);
            }
            Kind::PublicField | Kind::FieldDefinition => {
                let value = self
                    .field(member.node, self.grammar.fields.value)
                    .map(|value| self.bare(value));
                match value {
                    Some(value)
                        if matches!(
                            self.kind(value),
                            Kind::ArrowFunction | Kind::FunctionExpression | Kind::GeneratorFunction
                        ) =>
                    {
                        self.method(member, value, class, heads);
                    }
                    _ => {
                        for &decorator in &member.decorators {
                            self.visit(decorator);
                        }
                        let outer = self.member_function(member.node, class);
                        self.field_definition(member.node, Some(class));
                        self.function = outer;
                    }
                }
            }
            Kind::StaticBlock => {
                let outer = self.member_function(member.node, class);
                self.static_block(member.node);
                self.function = outer;
            }
            _ if member.node.is_named() => {
                self.visit(member.node);
                self.text(";");
            }
            _ => {}
        }
    }

    fn static_block(&mut self, node: Node<'t>) {
        self.local += 1;
        self.text("static");
        if let Some(body) = self.field(node, self.grammar.fields.body) {
            self.hoist_variables(body);
            self.block(body);
        }
        self.local -= 1;
    }

    /// What `this` and `super` mean in a member.
    fn member_function(&mut self, node: Node<'t>, class: DefinitionIndex) -> Function {
        let path = self.builder.definition_path(class);
        let super_ = self.builder.path(PathNode::Super(path));
        let is_static = self.kind(node) == Kind::StaticBlock
            || self
                .children(node)
                .iter()
                .any(|&child| self.kind(child) == Kind::Static || self.slice(child) == "static");
        let this = if is_static {
            path
        } else {
            self.builder.instance(path)
        };
        let constructs = (self.member_name(node) == "constructor").then_some(class);
        std::mem::replace(
            &mut self.function,
            Function {
                this,
                super_,
                result: None,
                constructs,
            },
        )
    }

    pub fn accessor(&self, node: Node<'t>) -> Option<Kind> {
        self.children(node)
            .into_iter()
            .map(|child| self.kind(child))
            .find(|kind| matches!(kind, Kind::Get | Kind::Set))
    }

    /// A method, or a field whose value is a function (`callable`).
    fn method(&mut self, member: Member<'t>, callable: Node<'t>, class: DefinitionIndex, heads: &[Node<'t>]) {
        let fields = &self.grammar.fields;
        let node = member.node;
        let Some(name_node) = self
            .field(node, fields.name)
            .or_else(|| self.field(node, fields.property))
        else {
            self.visit(node);
            return;
        };
        let accessor = self.accessor(node);
        let mut name = self.plain_name(name_node).to_owned();
        if accessor == Some(Kind::Set) {
            name.push('=');
        }
        let index = self.declare(&name, DefinitionKind::Method, node, Some(name_node));
        if let Some(first) = heads.first().or(member.decorators.first()) {
            let start = first.start_byte() as u32;
            let line = self.builder.line_of(start);
            let definition = self.builder.definition_mut(index);
            definition.span.start = definition.span.start.min(start);
            definition.lines.0 = definition.lines.0.min(line);
        }
        self.document(index, member.comment);
        self.member_reach(index, node, &name);
        let outer = self.member_function(node, class);
        let frame = std::mem::take(&mut self.frame);
        let place = self.enter_place(index);
        self.builder.open(index);
        for &decorator in &member.decorators {
            self.visit(decorator);
        }
        let overloaded = self.heads(heads);
        let own = (self.function.this, self.function.super_);
        let result = if callable == node {
            let result = self.callable_with(node, Some(own), Name::Own);
            let body = self.field(node, fields.body);
            self.sign_callable(index, heads, node, body);
            overloaded.unwrap_or(result)
        } else {
            let mut result = self.builder.unknown();
            for (field, child) in self.children_with_fields(node) {
                if field == fields.name || field == fields.property {
                    self.builder.own_name();
                } else if field == fields.value {
                    result = self.function_value(index, node.start_byte(), callable);
                } else if self.kind(child) != Kind::Semicolon {
                    self.visit(child);
                }
            }
            result
        };
        self.builder.close();
        self.place = place;
        self.function = outer;
        self.set_metrics(index, frame);
        let definition = self.builder.definition_mut(index);
        definition.value = Some(result);
        definition.property = accessor == Some(Kind::Get);
    }

    /// The heads of overloads, which belong to what follows them. What all of them
    /// give, if there are any.
    pub fn heads(&mut self, heads: &[Node<'t>]) -> Option<PathId> {
        let unknown = self.builder.unknown();
        let mut result = None;
        for &head in heads {
            let here = self.head(head);
            result = Some(match result {
                Some(known) if known != here => unknown,
                _ => here,
            });
        }
        result
    }

    fn head(&mut self, node: Node<'t>) -> PathId {
        let fields = &self.grammar.fields;
        let mut result = self.builder.unknown();
        self.local += 1;
        self.enter_scope();
        for (field, child) in self.children_with_fields(node) {
            match self.kind(child) {
                _ if field == fields.name => self.builder.own_name(),
                Kind::TypeParameters => self.type_parameters(child),
                Kind::FormalParameters => self.parameters(child),
                Kind::Semicolon => {}
                _ if field == fields.return_type => result = self.type_(child),
                _ => {
                    self.visit(child);
                }
            }
        }
        self.text(";");
        self.leave_scope();
        self.local -= 1;
        result
    }

    /// Signs with the heads of overloads, or with the head of the implementation.
    pub fn sign_callable(
        &mut self,
        index: DefinitionIndex,
        heads: &[Node<'t>],
        node: Node<'t>,
        body: Option<Node<'t>>,
    ) {
        match (heads.first(), heads.last()) {
            (Some(first), Some(last)) => {
                let end = match body {
                    Some(_) => last.end_byte(),
                    None => node.end_byte(),
                };
                self.sign(index, first.start_byte(), end);
            }
            _ => {
                let mut start = node.start_byte();
                for child in self.children(node) {
                    if self.kind(child) == Kind::Decorator {
                        start = child.end_byte();
                    }
                }
                let end = body.map_or(node.end_byte(), |body| body.start_byte());
                self.sign(index, start, end);
            }
        }
    }

    fn member_reach(&mut self, index: DefinitionIndex, node: Node<'t>, name: &str) {
        let modifier = self
            .children(node)
            .into_iter()
            .find(|&child| self.kind(child) == Kind::AccessibilityModifier)
            .map_or("", |modifier| self.slice(modifier));
        let reach = match modifier {
            "private" => Reach::Private,
            "protected" => Reach::Restricted,
            _ if name.starts_with('#') => Reach::Private,
            _ => Reach::Public,
        };
        let visibility = self.builder.intern(modifier);
        let definition = self.builder.definition_mut(index);
        definition.reach = reach;
        definition.visibility = visibility;
    }

    /// A field, ended by `;`.
    fn field_definition(&mut self, node: Node<'t>, class: Option<DefinitionIndex>) {
        let fields = &self.grammar.fields;
        let unknown = self.builder.unknown();
        let mut value = unknown;
        let mut name = None;
        self.local += 1;
        for (field, child) in self.children_with_fields(node) {
            if field == fields.name || field == fields.property {
                name = Some(child);
                self.property_name(child);
            } else if field == fields.type_ {
                value = self.type_(child);
            } else if field == fields.value {
                let here = self.visit(child);
                if value == unknown {
                    value = here;
                }
            } else if self.kind(child) != Kind::Semicolon {
                self.visit(child);
            }
        }
        self.local -= 1;
        self.text(";");
        if let (Some(class), Some(name)) = (class, name) {
            let name = self.plain_name(name);
            self.add_named_field(class, name, value, false);
        }
    }

    /// A function that is the value of the open definition.
    pub fn function_value(&mut self, index: DefinitionIndex, start: usize, function: Node<'t>) -> PathId {
        let own = (self.function.this, self.function.super_);
        let result = self.callable_with(function, Some(own), Name::Inner);
        let body = self.field(function, self.grammar.fields.body);
        let end = body.map_or(function.end_byte(), |body| body.start_byte());
        self.sign(index, start, end);
        result
    }
}
