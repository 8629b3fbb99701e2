//! Declarations: functions, types, constants and tests.

use tree_sitter::Node;

use super::{
    Kind,
    functions::Name,
    literals,
    walker::{Function, Walker},
};
use crate::{builder::Declared, model::*, syntax::span};

/// A call that is a test, or a group of tests.
struct TestCall<'t> {
    callee: Node<'t>,
    arguments: Node<'t>,
    title: Node<'t>,
    /// The function of a group.
    group: Option<Node<'t>>,
}

impl<'s, 't> Walker<'s, 't> {
    /// Reads what was declared as `index`.
    pub fn define(&mut self, index: DefinitionIndex, node: Node<'t>, whole: Node<'t>, heads: &[Node<'t>]) {
        let frame = std::mem::take(&mut self.frame);
        self.builder.open(index);
        match self.kind(node) {
            Kind::ClassDeclaration | Kind::AbstractClass | Kind::Class => {
                self.decorators_of(whole, node);
                self.class(index, node);
            }
            Kind::InterfaceDeclaration => self.interface(index, node),
            Kind::TypeAlias => self.type_alias(index, node),
            Kind::EnumDeclaration => self.enumeration(index, node),
            _ => self.function(index, node, heads),
        }
        self.builder.close();
        self.set_metrics(index, frame);
    }

    /// Decorators before `export`.
    fn decorators_of(&mut self, whole: Node<'t>, node: Node<'t>) {
        if whole == node {
            return;
        }
        for child in self.children(whole) {
            if self.kind(child) == Kind::Decorator {
                self.visit(child);
            }
        }
    }

    fn function(&mut self, index: DefinitionIndex, node: Node<'t>, heads: &[Node<'t>]) {
        if let Some(first) = heads.first() {
            let start = first.start_byte() as u32;
            let line = self.builder.line_of(start);
            let definition = self.builder.definition_mut(index);
            if start < definition.span.start {
                definition.span.start = start;
                definition.lines.0 = line;
            }
        }
        let unknown = self.builder.unknown();
        let constructs = self.function.constructs.take();
        let place = self.enter_place(index);
        let overloaded = self.heads(heads);
        let result = self.callable_with(node, Some((unknown, unknown)), Name::Own);
        self.function.constructs = constructs;
        self.place = place;
        let body = self.field(node, self.grammar.fields.body);
        self.sign_callable(index, heads, node, body);
        self.builder.definition_mut(index).value = Some(overloaded.unwrap_or(result));
    }

    fn interface(&mut self, index: DefinitionIndex, node: Node<'t>) {
        let fields = &self.grammar.fields;
        self.enter_scope();
        for (field, child) in self.children_with_fields(node) {
            match self.kind(child) {
                _ if field == fields.name => self.builder.own_name(),
                Kind::TypeParameters => self.type_parameters(child),
                Kind::ExtendsTypeClause => {
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
                                self.add_base(Some(index), base);
                            }
                            _ => self.leaf(part),
                        }
                    }
                }
                _ if field == fields.body => {
                    self.builder.end_signature();
                    self.sign(index, node.start_byte(), child.start_byte());
                    self.object_type(child, Some(index));
                }
                _ => {
                    self.visit(child);
                }
            }
        }
        self.leave_scope();
    }

    fn type_alias(&mut self, index: DefinitionIndex, node: Node<'t>) {
        let fields = &self.grammar.fields;
        self.enter_scope();
        let mut end = node.end_byte();
        for (field, child) in self.children_with_fields(node) {
            match self.kind(child) {
                _ if field == fields.name => self.builder.own_name(),
                Kind::TypeParameters => self.type_parameters(child),
                _ if field == fields.value => {
                    if self.kind(child) == Kind::ObjectType {
                        self.object_type(child, Some(index));
                        end = child.start_byte();
                    } else {
                        let value = self.type_(child);
                        self.builder.definition_mut(index).value = Some(value);
                    }
                }
                Kind::Equals => {
                    self.leaf(child);
                    self.builder.end_signature();
                }
                Kind::Semicolon => end = end.min(child.start_byte()),
                _ => {
                    self.visit(child);
                }
            }
        }
        self.leave_scope();
        self.sign(index, node.start_byte(), end);
    }

    fn enumeration(&mut self, index: DefinitionIndex, node: Node<'t>) {
        let fields = &self.grammar.fields;
        let path = self.builder.definition_path(index);
        let value = self.builder.instance(path);
        for (field, child) in self.children_with_fields(node) {
            if field == fields.name {
                self.builder.own_name();
            } else if self.kind(child) == Kind::EnumBody {
                self.builder.end_signature();
                self.sign(index, node.start_byte(), child.start_byte());
                let mut comma = false;
                for member in self.children(child) {
                    match self.kind(member) {
                        Kind::Comma => comma = true,
                        _ if member.is_named() => {
                            if comma {
                                self.text(",");
                            }
                            comma = false;
                            self.enum_member(index, member, value);
                        }
                        _ => self.leaf(member),
                    }
                }
            } else {
                self.visit(child);
            }
        }
    }

    fn enum_member(&mut self, index: DefinitionIndex, node: Node<'t>, value: PathId) {
        let mut name = node;
        if self.kind(node) == Kind::EnumAssignment {
            for (field, child) in self.children_with_fields(node) {
                if field == self.grammar.fields.name {
                    name = child;
                    self.property_name(child);
                } else {
                    self.visit(child);
                }
            }
        } else {
            self.property_name(node);
        }
        let name = self.plain_name(name);
        self.add_named_field(index, name, value, false);
    }

    /// Whether a value is a function or a class, which the name then defines.
    pub fn defining_value(&self, value: Node<'t>) -> Option<DefinitionKind> {
        match self.kind(self.bare(value)) {
            Kind::ArrowFunction | Kind::FunctionExpression | Kind::GeneratorFunction => {
                Some(DefinitionKind::Function)
            }
            Kind::Class => Some(DefinitionKind::Type),
            _ => None,
        }
    }

    /// `const name: Type = value` of a module. The words before it (`let`) are its too.
    pub fn constant(&mut self, index: DefinitionIndex, keyword: &str, node: Node<'t>) {
        let fields = &self.grammar.fields;
        let frame = std::mem::take(&mut self.frame);
        let unknown = self.builder.unknown();
        self.builder.open(index);
        if !keyword.is_empty() {
            self.text(keyword);
        }
        let place = self.enter_place(index);
        let mut value = unknown;
        let mut end = node.end_byte();
        let kind = self.builder.definition(index).kind;
        for (field, child) in self.children_with_fields(node) {
            if field == fields.name {
                self.builder.own_name();
            } else if field == fields.type_ {
                value = self.type_(child);
            } else if field == fields.value {
                let inner = self.bare(child);
                let here = match kind {
                    DefinitionKind::Function => {
                        let function = self.plain_function();
                        let result = self.function_value(index, node.start_byte(), inner);
                        self.function = function;
                        result
                    }
                    DefinitionKind::Type => {
                        self.builder.end_signature();
                        self.place = place.clone();
                        self.class(index, inner);
                        let body = self
                            .field(inner, fields.body)
                            .map_or(end, |body| body.start_byte());
                        self.sign(index, node.start_byte(), body);
                        self.enter_place(index);
                        unknown
                    }
                    _ => {
                        self.builder.end_signature();
                        end = child.start_byte();
                        self.visit(child)
                    }
                };
                if value == unknown || kind == DefinitionKind::Function {
                    value = here;
                }
            } else {
                self.visit(child);
            }
        }
        self.place = place;
        self.builder.close();
        self.set_metrics(index, frame);
        if kind == DefinitionKind::Constant {
            self.sign(index, node.start_byte(), end.min(node.end_byte()));
        }
        if kind != DefinitionKind::Type {
            self.builder.definition_mut(index).value = Some(value);
        }
        if !keyword.is_empty() {
            let line = self
                .builder
                .str(self.builder.definition(index).signature)
                .to_owned();
            let line = line.trim_end_matches('=').trim_end();
            let signature = self.builder.intern(&format!("{keyword} {line}"));
            self.builder.definition_mut(index).signature = signature;
        }
    }

    /// `this` and `super` unknown; gives what they were.
    pub fn plain_function(&mut self) -> Function {
        let unknown = self.builder.unknown();
        std::mem::replace(
            &mut self.function,
            Function {
                this: unknown,
                super_: unknown,
                result: None,
                constructs: None,
            },
        )
    }

    // Tests.

    /// Reads a call that describes or is a test; otherwise reads nothing.
    pub fn test(&mut self, node: Node<'t>) -> bool {
        let node = self.awaited(node);
        let Some(call) = self.test_call(node) else {
            return false;
        };
        let text = literals::content(self.slice(call.title)).trim().to_owned();
        match call.group {
            Some(body) => self.describe(call.callee, &text, body),
            None => self.test_definition(node, call.callee, call.arguments, call.title, &text),
        }
        true
    }

    fn awaited(&self, node: Node<'t>) -> Node<'t> {
        match self.kind(node) {
            Kind::Await => self.first_named(node).unwrap_or(node),
            _ => node,
        }
    }

    /// Statements of a `describe`, none of a test; nothing if it is neither.
    pub fn test_body(&self, node: Node<'t>) -> Option<Vec<Node<'t>>> {
        let call = self.test_call(self.awaited(node))?;
        let Some(body) = call.group else {
            return Some(Vec::new());
        };
        if self.kind(call.callee) == Kind::Call {
            return None;
        }
        let body = self.field(body, self.grammar.fields.body)?;
        let mut cursor = body.walk();
        match self.kind(body) {
            Kind::StatementBlock => Some(body.named_children(&mut cursor).collect()),
            _ => Some(vec![body]),
        }
    }

    fn test_call(&self, node: Node<'t>) -> Option<TestCall<'t>> {
        let fields = &self.grammar.fields;
        if self.kind(node) != Kind::Call {
            return None;
        }
        let callee = self.field(node, fields.function)?;
        let arguments = self.field(node, fields.arguments)?;
        let word = self.test_word(callee)?;
        let mut cursor = arguments.walk();
        let mut parts = arguments
            .named_children(&mut cursor)
            .filter(|&part| self.kind(part) != Kind::Comment);
        let title = parts.next()?;
        if !matches!(self.kind(title), Kind::String | Kind::Template) {
            return None;
        }
        let group = if matches!(word, "describe" | "suite" | "context") {
            Some(parts.find(|&part| {
                matches!(
                    self.kind(part),
                    Kind::ArrowFunction | Kind::FunctionExpression | Kind::GeneratorFunction
                )
            })?)
        } else {
            None
        };
        Some(TestCall {
            callee,
            arguments,
            title,
            group,
        })
    }

    /// The first word of `test`, `it.only`, `describe.each(table)`.
    fn test_word(&self, callee: Node<'t>) -> Option<&'s str> {
        let fields = &self.grammar.fields;
        let mut at = callee;
        loop {
            match self.kind(at) {
                Kind::Member => at = self.field(at, fields.object)?,
                Kind::Call => at = self.field(at, fields.function)?,
                Kind::Identifier => break,
                _ => return None,
            }
        }
        let word = self.slice(at);
        let known = matches!(
            word,
            "describe" | "suite" | "context" | "it" | "test" | "specify" | "fit" | "xit" | "xtest" | "bench"
        );
        let own = self
            .declared
            .get(word)
            .is_some_and(|declares| declares.value && !declares.import);
        (known && !own).then_some(word)
    }

    fn describe(&mut self, callee: Node<'t>, title: &str, body: Node<'t>) {
        if self.kind(callee) == Kind::Call {
            self.visit(callee);
            self.text(";");
        }
        let fields = &self.grammar.fields;
        let before = self.titles.len();
        self.titles.push_str(title);
        self.titles.push(' ');
        self.enter_scope();
        self.local += 1;
        if let Some(parameters) = self.field(body, fields.parameters) {
            for child in self.children(parameters) {
                self.bind_pattern(child);
            }
        } else if let Some(parameter) = self.field(body, fields.parameter) {
            self.bind_pattern(parameter);
        }
        if let Some(body) = self.field(body, fields.body) {
            if self.kind(body) == Kind::StatementBlock {
                let children = self.children(body);
                self.hoist_variables(body);
                self.hoist(&children);
                let tests = std::mem::replace(&mut self.tests, true);
                self.statements(body);
                self.tests = tests;
            } else {
                self.test(body);
            }
        }
        self.local -= 1;
        self.leave_scope();
        self.titles.truncate(before);
    }

    fn test_definition(
        &mut self,
        node: Node<'t>,
        callee: Node<'t>,
        arguments: Node<'t>,
        title: Node<'t>,
        text: &str,
    ) {
        let qualified = format!("test:{}{text}", self.titles);
        let index = self.builder.declare(&Declared {
            name: text,
            qualified: &qualified,
            kind: DefinitionKind::Test,
            container: None,
            span: span(node),
            name_span: span(title),
        });
        self.sign(index, callee.start_byte(), title.end_byte());
        let signature = format!("{})", self.builder.str(self.builder.definition(index).signature));
        let signature = self.builder.intern(&signature);
        self.builder.definition_mut(index).signature = signature;
        let frame = std::mem::take(&mut self.frame);
        let tests = std::mem::replace(&mut self.tests, false);
        let place = self.enter_place(index);
        self.builder.open(index);
        self.visit(callee);
        self.text("(");
        self.builder.own_name();
        self.builder.end_signature();
        for part in self.children(arguments) {
            if part.is_named() && part != title {
                self.text(",");
                self.visit(part);
            }
        }
        self.text(")");
        self.builder.close();
        self.place = place;
        self.tests = tests;
        self.set_metrics(index, frame);
    }
}
