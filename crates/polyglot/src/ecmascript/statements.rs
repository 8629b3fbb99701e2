//! Statements, blocks and what they declare before they are read.

use tree_sitter::Node;

use super::{Kind, scope::Binding, walker::Walker};
use crate::model::*;

impl<'s, 't> Walker<'s, 't> {
    pub fn is_statement(&self, node: Node<'_>) -> bool {
        matches!(
            self.kind(node),
            Kind::StatementBlock
                | Kind::ExpressionStatement
                | Kind::LexicalDeclaration
                | Kind::UsingDeclaration
                | Kind::VariableDeclaration
                | Kind::If
                | Kind::ForStatement
                | Kind::ForIn
                | Kind::While
                | Kind::DoStatement
                | Kind::Return
                | Kind::Throw
                | Kind::Break
                | Kind::Continue
                | Kind::Debugger
                | Kind::Switch
                | Kind::Try
                | Kind::Labeled
                | Kind::With
                | Kind::EmptyStatement
                | Kind::ImportStatement
                | Kind::ExportStatement
                | Kind::ImportAlias
        ) || self.is_declaration(node)
    }

    fn is_declaration(&self, node: Node<'_>) -> bool {
        matches!(
            self.kind(node),
            Kind::FunctionDeclaration
                | Kind::GeneratorDeclaration
                | Kind::FunctionSignature
                | Kind::ClassDeclaration
                | Kind::AbstractClass
                | Kind::InterfaceDeclaration
                | Kind::TypeAlias
                | Kind::EnumDeclaration
                | Kind::InternalModule
                | Kind::Module
                | Kind::AmbientDeclaration
        )
    }

    /// Binds what `var` declares anywhere in a function's body.
    pub fn hoist_variables(&mut self, body: Node<'t>) {
        let mut pending = vec![body];
        while let Some(at) = pending.pop() {
            match self.kind(at) {
                Kind::VariableDeclaration => self.bind_declarators(at),
                Kind::StatementBlock
                | Kind::If
                | Kind::Else
                | Kind::ForStatement
                | Kind::ForIn
                | Kind::While
                | Kind::DoStatement
                | Kind::Try
                | Kind::Catch
                | Kind::Finally
                | Kind::Switch
                | Kind::SwitchBody
                | Kind::SwitchCase
                | Kind::SwitchDefault
                | Kind::Labeled
                | Kind::With => {
                    let mut cursor = at.walk();
                    pending.extend(at.named_children(&mut cursor));
                }
                _ => {}
            }
        }
    }

    fn bind_declarators(&mut self, node: Node<'t>) {
        for child in self.children(node) {
            if self.kind(child) == Kind::VariableDeclarator
                && let Some(name) = self.field(child, self.grammar.fields.name)
            {
                self.bind_pattern(name);
            }
        }
    }

    /// Binds what the statements of a block declare, and declares its definitions.
    pub fn hoist(&mut self, statements: &[Node<'t>]) {
        for &statement in statements {
            match self.kind(statement) {
                Kind::LexicalDeclaration | Kind::UsingDeclaration => self.bind_declarators(statement),
                Kind::VariableDeclaration if self.local == 0 => self.bind_declarators(statement),
                Kind::FunctionDeclaration | Kind::GeneratorDeclaration => {
                    self.predeclare(statement, DefinitionKind::Function);
                }
                Kind::ClassDeclaration | Kind::AbstractClass | Kind::EnumDeclaration | Kind::TypeAlias => {
                    self.predeclare(statement, DefinitionKind::Type);
                }
                Kind::InterfaceDeclaration => self.predeclare(statement, DefinitionKind::Ability),
                _ => {}
            }
        }
    }

    fn predeclare(&mut self, node: Node<'t>, kind: DefinitionKind) {
        let Some(name_node) = self.field(node, self.grammar.fields.name) else {
            return;
        };
        let name = self.slice(name_node);
        let index = self.declare(name, kind, node, Some(name_node));
        let path = self.builder.definition_path(index);
        self.predeclared.insert(node.id(), index);
        let alias = self.kind(node) == Kind::TypeAlias;
        if kind != DefinitionKind::Ability && !alias {
            self.values.bind(name, Binding::Named(path));
        }
        if kind != DefinitionKind::Function {
            self.types.bind(name, Binding::Named(path));
        }
    }

    /// `{ ... }` with its own scope.
    pub fn block(&mut self, node: Node<'t>) {
        let children = self.children(node);
        self.enter_scope();
        self.text("{");
        self.hoist(&children);
        self.statements(node);
        self.text("}");
        self.leave_scope();
    }

    /// Reads the statements among a node's children, with their documentation.
    pub fn statements(&mut self, node: Node<'t>) {
        let mut cursor = node.walk();
        let mut comment = None;
        let mut heads = Vec::new();
        if !cursor.goto_first_child() {
            return;
        }
        loop {
            let child = cursor.node();
            match self.kind(child) {
                Kind::Comment => comment = Some(child),
                Kind::FunctionSignature => heads.push(child),
                _ if child.is_named() => {
                    if self.predeclared.contains_key(&child.id()) {
                        let heads = std::mem::take(&mut heads);
                        self.inner_definition(child, comment, heads);
                    } else {
                        self.statement(child);
                    }
                    comment = None;
                }
                _ => {}
            }
            if !cursor.goto_next_sibling() {
                break;
            }
        }
    }

    /// A definition inside a function: a reference stands at its place.
    fn inner_definition(&mut self, node: Node<'t>, comment: Option<Node<'t>>, heads: Vec<Node<'t>>) {
        let Some(&index) = self.predeclared.get(&node.id()) else {
            return;
        };
        let path = self.builder.definition_path(index);
        let name = self
            .field(node, self.grammar.fields.name)
            .map_or("", |name| self.slice(name));
        let start = node.start_byte() as u32;
        self.builder
            .reference(Span { start, end: start }, name, path, false);
        self.document(index, comment);
        self.define(index, node, node, &heads);
    }

    pub fn statement(&mut self, node: Node<'t>) {
        self.guarded(node, (), |walker| walker.statement_inner(node));
    }

    fn statement_inner(&mut self, node: Node<'t>) {
        match self.kind(node) {
            Kind::StatementBlock => self.block(node),
            Kind::ExpressionStatement => {
                if let Some(inner) = self.first_named(node) {
                    if self.tests && self.test(inner) {
                        return;
                    }
                    let tests = std::mem::replace(&mut self.tests, false);
                    self.visit(inner);
                    self.tests = tests;
                }
                self.text(";");
            }
            Kind::LexicalDeclaration | Kind::VariableDeclaration | Kind::UsingDeclaration => {
                self.variables(node, true);
            }
            Kind::If => self.if_statement(node),
            Kind::ForStatement => self.for_statement(node),
            Kind::ForIn => self.for_in(node),
            Kind::While | Kind::With => self.nested(1, |walker| {
                for child in walker.children(node) {
                    walker.part(child);
                }
            }),
            Kind::DoStatement => self.nested(1, |walker| {
                for child in walker.children(node) {
                    walker.part(child);
                }
                walker.text(";");
            }),
            Kind::Return => {
                self.text("return");
                let inner = self.first_named(node);
                let value = match inner {
                    Some(inner) => self.visit(inner),
                    None => self.builder.unknown(),
                };
                self.returned(inner, value);
                self.text(";");
            }
            Kind::Throw => {
                self.text("throw");
                if let Some(inner) = self.first_named(node) {
                    self.thrown(inner);
                }
                self.text(";");
            }
            Kind::Break | Kind::Continue | Kind::Debugger => {
                if node.child_count() == 0 {
                    self.leaf(node);
                }
                self.each(node);
                self.text(";");
            }
            Kind::Switch => self.nested(0, |walker| {
                for child in walker.children(node) {
                    walker.part(child);
                }
            }),
            Kind::Try => self.nested(0, |walker| {
                for child in walker.children(node) {
                    match walker.kind(child) {
                        Kind::Catch => walker.catch(child),
                        Kind::Finally => walker.each(child),
                        _ => walker.part(child),
                    }
                }
            }),
            Kind::Labeled => {
                for child in self.children(node) {
                    self.part(child);
                }
            }
            Kind::EmptyStatement => {}
            Kind::ImportStatement | Kind::ImportAlias => self.import(node),
            Kind::ExportStatement => {
                if let Some(declaration) = self.field(node, self.grammar.fields.declaration) {
                    self.statement(declaration);
                } else {
                    self.each(node);
                }
            }
            _ if self.predeclared.contains_key(&node.id()) => self.inner_definition(node, None, Vec::new()),
            Kind::FunctionDeclaration
            | Kind::GeneratorDeclaration
            | Kind::ClassDeclaration
            | Kind::AbstractClass
            | Kind::EnumDeclaration
            | Kind::TypeAlias
            | Kind::InterfaceDeclaration => {
                // The body of an `if` without braces.
                self.enter_scope();
                self.hoist(&[node]);
                self.inner_definition(node, None, Vec::new());
                self.leave_scope();
            }
            _ => self.each(node),
        }
    }

    /// Reads something one level deeper that is `branches` decisions.
    fn nested(&mut self, branches: u32, inner: impl FnOnce(&mut Self)) {
        self.frame.branches += branches;
        self.frame.depth += 1;
        self.frame.deepest = self.frame.deepest.max(self.frame.depth);
        inner(self);
        self.frame.depth -= 1;
    }

    /// A part of a statement: a condition, a body or a word.
    fn part(&mut self, node: Node<'t>) {
        match self.kind(node) {
            Kind::Parenthesized => {
                self.text("(");
                let inner = self.bare(node);
                self.visit(inner);
                self.text(")");
            }
            Kind::EmptyStatement => self.text(";"),
            Kind::Semicolon => {}
            Kind::SwitchBody => self.switch_body(node),
            _ if self.is_statement(node) => self.statement(node),
            _ => {
                self.visit(node);
            }
        }
    }

    fn if_statement(&mut self, node: Node<'t>) {
        self.frame.depth += 1;
        self.frame.deepest = self.frame.deepest.max(self.frame.depth);
        let mut next = Some(node);
        while let Some(at) = next.take() {
            self.frame.branches += 1;
            for child in self.children(at) {
                if self.kind(child) != Kind::Else {
                    self.part(child);
                    continue;
                }
                self.text("else");
                let Some(inner) = self.first_named(child) else {
                    continue;
                };
                if self.kind(inner) == Kind::If {
                    next = Some(inner);
                } else {
                    self.part(inner);
                }
            }
        }
        self.frame.depth -= 1;
    }

    fn for_statement(&mut self, node: Node<'t>) {
        let fields = &self.grammar.fields;
        self.enter_scope();
        self.nested(1, |walker| {
            walker.text("for");
            walker.text("(");
            let children = walker.children_with_fields(node);
            let of = |field: u16| {
                children
                    .iter()
                    .filter(move |(here, child)| *here == field && child.is_named())
                    .map(|(_, child)| *child)
            };
            for child in of(fields.initializer) {
                match walker.kind(child) {
                    Kind::LexicalDeclaration => {
                        walker.hoist(&[child]);
                        walker.variables(child, false);
                    }
                    Kind::VariableDeclaration => walker.variables(child, false),
                    Kind::EmptyStatement => {}
                    Kind::ExpressionStatement => walker.each(child),
                    _ => {
                        walker.visit(child);
                    }
                }
            }
            walker.text(";");
            for child in of(fields.condition) {
                match walker.kind(child) {
                    Kind::EmptyStatement => {}
                    Kind::ExpressionStatement => walker.each(child),
                    _ => {
                        walker.visit(child);
                    }
                }
            }
            walker.text(";");
            for child in of(fields.increment) {
                walker.visit(child);
            }
            walker.text(")");
            for child in of(fields.body) {
                walker.part(child);
            }
        });
        self.leave_scope();
    }

    fn for_in(&mut self, node: Node<'t>) {
        let fields = &self.grammar.fields;
        self.enter_scope();
        self.nested(1, |walker| {
            let children = walker.children_with_fields(node);
            let declares = children.iter().any(|(field, _)| *field == fields.kind);
            let left = children
                .iter()
                .find(|(field, _)| *field == fields.left)
                .map(|(_, child)| *child);
            let mut values = false;
            for (field, child) in children {
                if field == fields.left {
                    if declares {
                        walker.pattern(child, true);
                    } else {
                        let inner = walker.bare(child);
                        walker.visit(inner);
                    }
                } else if field == fields.operator {
                    values = walker.slice(child) == "of";
                    walker.leaf(child);
                } else if field == fields.right {
                    let value = walker.visit(child);
                    if declares && let Some(left) = left {
                        walker.bind_pattern(left);
                        if values {
                            let element = walker.builder.element(value);
                            walker.pattern_values(left, element);
                        }
                    }
                } else if field == fields.body {
                    walker.part(child);
                } else if !child.is_named() {
                    walker.leaf(child);
                } else {
                    walker.visit(child);
                }
            }
        });
        self.leave_scope();
    }

    fn switch_body(&mut self, node: Node<'t>) {
        self.enter_scope();
        let cases = self.children(node);
        for &case in &cases {
            let statements = self.children(case);
            self.hoist(&statements);
        }
        self.text("{");
        for case in cases {
            match self.kind(case) {
                Kind::SwitchCase => {
                    self.frame.branches += 1;
                    let mut body = false;
                    for (field, child) in self.children_with_fields(case) {
                        if field == self.grammar.fields.value {
                            self.visit(child);
                        } else if body || field == self.grammar.fields.body {
                            body = true;
                            self.statement(child);
                        } else {
                            self.leaf(child);
                        }
                    }
                }
                Kind::SwitchDefault => {
                    for child in self.children(case) {
                        if child.is_named() {
                            self.statement(child);
                        } else {
                            self.leaf(child);
                        }
                    }
                }
                _ if case.is_named() => {
                    self.visit(case);
                }
                _ => {}
            }
        }
        self.text("}");
        self.leave_scope();
    }

    fn catch(&mut self, node: Node<'t>) {
        let fields = &self.grammar.fields;
        self.frame.branches += 1;
        self.enter_scope();
        let mut pattern = None;
        for (field, child) in self.children_with_fields(node) {
            if field == fields.parameter {
                self.bind_pattern(child);
                self.pattern(child, true);
                pattern = Some(child);
            } else if field == fields.type_ {
                let value = self.type_(child);
                if let Some(pattern) = pattern {
                    self.pattern_values(pattern, value);
                }
            } else if field == fields.body {
                self.block(child);
            } else {
                self.leaf(child);
            }
        }
        self.leave_scope();
    }

    /// `let a = 1, b = 2` where the names are local.
    fn variables(&mut self, node: Node<'t>, ends: bool) {
        let mut written = 0;
        let start = self.builder.position();
        let mut comma = false;
        for child in self.children(node) {
            match self.kind(child) {
                Kind::VariableDeclarator => {
                    if self.local > 0 && self.local_import(child) {
                        continue;
                    }
                    if comma {
                        self.text(",");
                    }
                    comma = true;
                    written += 1;
                    self.declarator(child);
                }
                Kind::Comma | Kind::Semicolon => {}
                _ if child.is_named() => {
                    self.visit(child);
                }
                _ => self.leaf(child),
            }
        }
        if written == 0 {
            self.builder.split_off(start);
        } else if ends {
            self.text(";");
        }
    }

    pub fn declarator(&mut self, node: Node<'t>) {
        let fields = &self.grammar.fields;
        let unknown = self.builder.unknown();
        let mut pattern = None;
        let mut value = unknown;
        for (field, child) in self.children_with_fields(node) {
            if field == fields.name {
                pattern = Some(child);
                self.pattern(child, true);
            } else if field == fields.type_ {
                // Wrapped once more, which means the same, to tell that it stays when
                // the variable is assigned to: see `reassigned`.
                let declared = self.type_(child);
                value = self.builder.instance(declared);
            } else if field == fields.value {
                let here = self.visit(child);
                if value == unknown {
                    value = here;
                }
            } else {
                self.leaf(child);
            }
        }
        if let Some(pattern) = pattern {
            self.pattern_values(pattern, value);
        }
    }
}
