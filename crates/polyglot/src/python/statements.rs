//! Statements: their tokens, and what they bind.

use tree_sitter::Node;

use super::{Kind, scope::*, walker::*};
use crate::{builder::fold_space, model::*, syntax};

impl<'a, 't> Walker<'a, 't> {
    /// The block of a definition.
    pub fn body(&mut self, block: Node<'t>) -> bool {
        self.text("→");
        let leaves = self.statements(block);
        self.text("←");
        leaves
    }

    fn block(&mut self, block: Node<'t>) -> bool {
        if let Some((depth, metrics)) = self.metrics.last_mut() {
            *depth += 1;
            metrics.depth = metrics.depth.max(*depth);
        }
        let leaves = self.body(block);
        if let Some((depth, _)) = self.metrics.last_mut() {
            *depth -= 1;
        }
        leaves
    }

    fn statements(&mut self, block: Node<'t>) -> bool {
        let parts = self.parts(block);
        let mut leaves = false;
        for index in parts.start..parts.end {
            let part = self.parts[index];
            leaves = self.statement(part) || leaves && part.kind == Kind::Semicolon;
        }
        self.release(parts);
        leaves
    }

    /// Reads a statement. Tells whether what follows it in its block is not reached.
    pub fn statement(&mut self, part: Part<'t>) -> bool {
        if self.depth >= syntax::MAX_DEPTH {
            self.leaves(part.node);
            return false;
        }
        self.depth += 1;
        let leaves = self.statement_at(part);
        self.depth -= 1;
        leaves
    }

    fn statement_at(&mut self, part: Part<'t>) -> bool {
        let node = part.node;
        match part.kind {
            Kind::Semicolon => {}
            Kind::ExpressionStatement => self.expression_statement(part),
            Kind::ImportStatement => {
                self.add_import(node);
                if self.in_function() {
                    self.import_statement(node, &mut |walker, name, _, value| {
                        walker.set(name, Bound { value, refers: true });
                    });
                }
            }
            Kind::ImportFromStatement => {
                self.add_import(node);
                if self.in_function() {
                    self.import_from_statement(node, &mut |walker, name, _, value| {
                        walker.set(name, Bound { value, refers: true });
                    });
                }
            }
            Kind::FutureImportStatement => self.add_import(node),
            Kind::FunctionDefinition => self.definition(node, None),
            Kind::ClassDefinition => self.definition(node, None),
            Kind::DecoratedDefinition => {
                let parts = self.parts(node);
                let definition = self.field(parts, self.grammar.fields.definition);
                self.release(parts);
                if let Some(definition) = definition {
                    self.definition(definition.node, Some(node));
                }
            }
            Kind::TypeAliasStatement => self.type_alias(node),
            Kind::IfStatement => return self.if_statement(node),
            Kind::ForStatement => self.for_statement(node),
            Kind::WhileStatement => self.while_statement(node),
            Kind::TryStatement => return self.try_statement(node),
            Kind::WithStatement => return self.with_statement(node),
            Kind::MatchStatement => return self.match_statement(node),
            Kind::ReturnStatement => {
                self.return_statement(node);
                return true;
            }
            Kind::RaiseStatement => {
                self.raise_statement(node);
                return true;
            }
            Kind::BreakStatement | Kind::ContinueStatement => {
                self.simple(node);
                return true;
            }
            Kind::PassStatement if self.scopes.len() == 1 => {}
            Kind::GlobalStatement
            | Kind::NonlocalStatement
            | Kind::PassStatement
            | Kind::AssertStatement
            | Kind::DeleteStatement
            | Kind::PrintStatement
            | Kind::ExecStatement => {
                self.simple(node);
                if part.kind == Kind::AssertStatement {
                    self.assert_narrows(node);
                }
            }
            Kind::Block => return self.statements(node),
            _ => {
                // Not a statement: what an error left.
                self.expression(node, false);
            }
        }
        false
    }

    fn in_function(&self) -> bool {
        self.scopes.len() > 1
    }

    fn definition(&mut self, node: Node<'t>, decorated: Option<Node<'t>>) {
        let parts = self.parts(node);
        let name = self.field(parts, self.grammar.fields.name);
        self.release(parts);
        let Some(name) = name else { return };
        let is_class = self.kind(node) == Kind::ClassDefinition;
        let Some(&index) = self.declared.get(&(name.node.start_byte() as u32)) else {
            self.leaves(node);
            return;
        };
        if is_class {
            self.class(node, decorated);
        } else {
            self.function(node, decorated);
        }
        let value = self.builder.definition_path(index);
        let text = self.slice(name.node);
        match self.scopes.last().map(|scope| scope.kind) {
            Some(ScopeKind::Class) => {
                self.set(text, Bound { value, refers: true });
                let class = self.classes.last().map(|class| class.index);
                if let Some(class) = class
                    && self.builder.definition(class).kind == DefinitionKind::Ability
                    && self.is_stub(node)
                {
                    self.required(index, text);
                }
            }
            Some(ScopeKind::Function) => {
                // It stands in the text of the function around it.
                self.builder
                    .reference(syntax::span(name.node), text, value, false);
                self.text(";");
                self.set(text, Bound { value, refers: true });
            }
            _ => {}
        }
    }

    /// A protocol owns the heads of the methods it requires.
    fn required(&mut self, method: DefinitionIndex, name: &str) {
        let definition = self.builder.definition(method);
        let start = definition.tokens.0 as usize;
        let end = start + definition.signature_tokens as usize;
        let head = self.builder.skeleton().tokens[start..end].to_vec();
        for token in head {
            match token.view() {
                TokenView::OwnName => self.text(name),
                _ => self.builder.push(token),
            }
        }
        self.text(";");
    }

    /// Whether a method has no body worth the name: documentation, `...`, `pass`.
    fn is_stub(&mut self, node: Node<'t>) -> bool {
        let parts = self.parts(node);
        let body = self.field(parts, self.grammar.fields.body);
        self.release(parts);
        let Some(body) = body.filter(|_| self.kind(node) == Kind::FunctionDefinition) else {
            return false;
        };
        let parts = self.parts(body.node);
        let mut stub = true;
        for index in parts.start..parts.end {
            let part = self.parts[index];
            stub &= match part.kind {
                Kind::PassStatement | Kind::Semicolon => true,
                Kind::ExpressionStatement => self.slice(part.node) == "..." || self.is_string_statement(part),
                Kind::RaiseStatement => self.slice(part.node).contains("NotImplementedError"),
                _ => false,
            };
        }
        self.release(parts);
        stub
    }

    fn add_import(&mut self, node: Node<'t>) {
        let text = self.slice(node);
        let text: String = text
            .lines()
            .map(|line| line.split('#').next().unwrap_or("").trim_end_matches([' ', '\\']))
            .flat_map(|line| [line, " "])
            .collect();
        let text = fold_space(&text.replace(['(', ')'], " "));
        self.builder.add_import(text.trim_end_matches(','));
    }

    /// A statement that is a keyword and expressions.
    fn simple(&mut self, node: Node<'t>) {
        let parts = self.parts(node);
        for index in parts.start..parts.end {
            let part = self.parts[index];
            if part.kind == Kind::Comma && index + 1 == parts.end {
                continue;
            }
            self.token_or_expression(part);
        }
        self.release(parts);
        self.text(";");
    }

    fn token_or_expression(&mut self, part: Part<'t>) {
        if part.node.is_named() {
            self.expression(part.node, false);
        } else {
            self.leaf(part.node);
        }
    }

    fn expression_statement(&mut self, part: Part<'t>) {
        if self.is_string_statement(part) {
            return;
        }
        let parts = self.parts(part.node);
        let named = self.parts[parts.start..parts.end]
            .iter()
            .filter(|part| part.node.is_named())
            .count();
        let comma = self.parts[parts.start..parts.end]
            .iter()
            .any(|part| part.kind == Kind::Comma);
        let first = self.first_named(parts);
        if named > 1 || comma {
            self.sequence(parts, "(", ")", true);
            self.text(";");
        } else if let Some(first) = first {
            match first.kind {
                Kind::Assignment => {
                    if let Some(index) = self.declared_name(first.node) {
                        self.constant(index, first.node);
                        self.release(parts);
                        return;
                    }
                    self.assignment(first.node);
                }
                Kind::AugmentedAssignment => self.augmented(first.node),
                _ => {
                    self.expression(first.node, false);
                }
            }
            self.text(";");
        }
        self.release(parts);
    }

    /// `target = value`, `target: type = value`, `target = target = value`.
    fn assignment(&mut self, node: Node<'t>) -> PathId {
        if self.depth >= syntax::MAX_DEPTH {
            self.leaves(node);
            return self.builder.unknown();
        }
        self.depth += 1;
        let fields = &self.grammar.fields;
        let parts = self.parts(node);
        let target = self.field(parts, fields.left);
        let annotation = self.field(parts, fields.type_);
        let value = self.field(parts, fields.right);
        self.release(parts);
        let Some(target) = target else {
            self.depth -= 1;
            return self.builder.unknown();
        };
        self.target(target.node);
        let mut evident = None;
        if let Some(annotation) = annotation {
            self.text(":");
            let path = self.annotation(annotation.node);
            evident = (path != self.builder.unknown()).then_some(path);
        }
        let mut found = self.none;
        if let Some(value) = value {
            self.text("=");
            found = match value.kind {
                Kind::Assignment => self.assignment(value.node),
                Kind::AugmentedAssignment => {
                    self.augmented(value.node);
                    self.builder.unknown()
                }
                _ => self.expression(value.node, false),
            };
        }
        if let Some(mut declared) = evident {
            if declared == self.builder.path(PathNode::Receiver) {
                declared = self.receiver_value();
            }
            found = declared;
        }
        if value.is_some() || annotation.is_some() {
            self.annotated = evident.is_some();
            self.bind(target.node, found);
            self.annotated = false;
        }
        self.depth -= 1;
        found
    }

    fn receiver_value(&self) -> PathId {
        self.classes
            .last()
            .map_or(self.builder.unknown(), |class| class.value)
    }

    fn augmented(&mut self, node: Node<'t>) {
        let parts = self.parts(node);
        let target = self.field(parts, self.grammar.fields.left);
        for index in parts.start..parts.end {
            let part = self.parts[index];
            if part.field == self.grammar.fields.left {
                self.target(part.node);
            } else {
                self.token_or_expression(part);
            }
        }
        self.release(parts);
        if let Some(target) = target.filter(|target| target.kind == Kind::Identifier) {
            let name = self.slice(target.node);
            let numeric = match self.look_up(name, target.node.start_byte() as u32) {
                Meaning::Local(path) => path,
                Meaning::Refers(_) => return,
            };
            self.set(
                name,
                Bound {
                    value: numeric,
                    refers: false,
                },
            );
        }
    }

    // Targets.

    /// Tokens of what is assigned to.
    pub fn target(&mut self, node: Node<'t>) {
        // In a class, a name that is assigned to is a field.
        let in_class = self
            .scopes
            .last()
            .is_some_and(|scope| scope.kind == ScopeKind::Class);
        if in_class && self.kind(node) == Kind::Identifier {
            self.leaf(node);
        } else {
            self.expression(node, false);
        }
    }

    /// Makes the names of a target mean parts of a value.
    pub fn bind(&mut self, node: Node<'t>, value: PathId) {
        if self.depth >= syntax::MAX_DEPTH {
            return;
        }
        match self.kind(node) {
            Kind::Identifier | Kind::KeywordIdentifier => {
                let name = self.slice(node);
                match self.scopes.last().map(|scope| scope.kind) {
                    Some(ScopeKind::Expression) => self.set_here(name, value),
                    Some(ScopeKind::Class) => {
                        self.set(name, Bound { value, refers: false });
                        self.add_field(self.classes.len() - 1, name, value);
                    }
                    _ => self.set(name, Bound { value, refers: false }),
                }
            }
            Kind::Attribute => self.bind_attribute(node, value),
            Kind::PatternList
            | Kind::TuplePattern
            | Kind::ListPattern
            | Kind::ExpressionList
            | Kind::Tuple
            | Kind::List => {
                self.depth += 1;
                let parts = self.parts(node);
                if let Some(inner) = self.grouped(node, parts) {
                    self.release(parts);
                    self.bind(inner, value);
                    self.depth -= 1;
                    return;
                }
                let mut rest = value;
                for index in parts.start..parts.end {
                    let part = self.parts[index];
                    if !part.node.is_named() {
                        continue;
                    }
                    let first = self.member(rest, "(first)");
                    let first = self.element(first);
                    rest = self.member(rest, "(rest)");
                    self.bind(part.node, first);
                }
                self.release(parts);
                self.depth -= 1;
            }
            Kind::ListSplatPattern | Kind::ListSplat => {
                let unknown = self.builder.unknown();
                let parts = self.parts(node);
                if let Some(inner) = self.first_named(parts) {
                    self.bind(inner.node, unknown);
                }
                self.release(parts);
            }
            Kind::ParenthesizedExpression | Kind::AsPatternTarget => {
                self.depth += 1;
                let parts = self.parts(node);
                if let Some(inner) = self.first_named(parts) {
                    self.bind(inner.node, value);
                }
                self.release(parts);
                self.depth -= 1;
            }
            _ => {}
        }
    }

    /// `self.name = value` in a method says what the attribute is.
    fn bind_attribute(&mut self, node: Node<'t>, value: PathId) {
        let parts = self.parts(node);
        let (object, name) = (
            self.parts.get(parts.start).copied(),
            self.parts[parts.start..parts.end].last().copied(),
        );
        self.release(parts);
        let (Some(object), Some(name)) = (object, name) else {
            return;
        };
        if object.kind != Kind::Identifier || name.kind != Kind::Identifier {
            return;
        }
        let receiver = self.scopes.iter().rev().find_map(|scope| scope.receiver);
        if let Some((receiver, class)) = receiver
            && receiver == self.slice(object.node)
            && class < self.classes.len()
        {
            let name = self.slice(name.node);
            self.add_field(class, name, value);
        }
    }

    fn add_field(&mut self, class: usize, name: &'a str, value: PathId) {
        let annotated = self.annotated;
        match self.classes[class].field_at.get(name).copied() {
            Some(at) => {
                let field = &self.classes[class].fields[at];
                let before = field.value;
                // An annotation says more than what is assigned.
                let joined = match (field.annotated, annotated) {
                    (true, _) => before,
                    (false, true) => value,
                    (false, false) => self.union_of(before, value),
                };
                let field = &mut self.classes[class].fields[at];
                field.value = joined;
                field.annotated |= annotated;
            }
            None => {
                let at_class = self
                    .scopes
                    .last()
                    .is_some_and(|scope| scope.kind == ScopeKind::Class);
                let class = &mut self.classes[class];
                let value = if class.enumeration && at_class && !name.starts_with('_') {
                    class.value
                } else {
                    value
                };
                class.field_at.insert(name, class.fields.len());
                class.fields.push(Attribute {
                    name,
                    value,
                    annotated,
                    set: !at_class,
                });
            }
        }
    }

    // Compound statements.

    fn if_statement(&mut self, node: Node<'t>) -> bool {
        if self.scopes.len() == 1 && self.only_imports_for_checking(node) {
            let parts = self.parts(node);
            for index in parts.start..parts.end {
                let part = self.parts[index];
                if part.kind == Kind::Block {
                    let inner = self.parts(part.node);
                    for index in inner.start..inner.end {
                        let part = self.parts[index];
                        self.statement(part);
                    }
                    self.release(inner);
                }
            }
            self.release(parts);
            return false;
        }
        let parts = self.parts(node);
        let mut branches = Vec::new();
        let mut has_else = false;
        // What the tests so far say when they fail.
        let mut opposite = Vec::new();
        let mut condition = None;
        for index in parts.start..parts.end {
            let part = self.parts[index];
            match part.kind {
                Kind::Block => {
                    self.branch_point();
                    let mark = self.begin_branch();
                    self.narrow(condition, true);
                    let leaves = self.block(part.node);
                    branches.push(self.end_branch(mark, leaves));
                    opposite.extend(condition);
                }
                Kind::ElifClause => {
                    self.branch_point();
                    let inner = self.parts(part.node);
                    let mut test = None;
                    let mark = self.begin_branch();
                    let mut leaves = false;
                    for index in inner.start..inner.end {
                        let part = self.parts[index];
                        if part.kind == Kind::Block {
                            self.narrow(test, true);
                            leaves = self.block(part.node);
                        } else if part.node.is_named() {
                            test = Some(part.node);
                            self.expression(part.node, false);
                        } else {
                            self.leaf(part.node);
                        }
                    }
                    branches.push(self.end_branch(mark, leaves));
                    self.release(inner);
                }
                Kind::ElseClause => {
                    has_else = true;
                    let mark = self.begin_branch();
                    for &test in &opposite {
                        self.narrow(Some(test), false);
                    }
                    let leaves = self.clause(part.node);
                    branches.push(self.end_branch(mark, leaves));
                }
                _ if part.node.is_named() => {
                    condition = Some(part.node);
                    self.expression(part.node, false);
                }
                _ => self.leaf(part.node),
            }
        }
        self.release(parts);
        if !has_else {
            let mark = self.begin_branch();
            for &test in &opposite {
                self.narrow(Some(test), false);
            }
            branches.push(self.end_branch(mark, false));
        }
        self.join(&branches);
        branches.iter().all(|branch| branch.leaves)
    }

    /// `else: ...`, `finally: ...`: words and a block.
    fn clause(&mut self, node: Node<'t>) -> bool {
        let parts = self.parts(node);
        let mut leaves = false;
        for index in parts.start..parts.end {
            let part = self.parts[index];
            if part.kind == Kind::Block {
                leaves = self.block(part.node);
            } else {
                self.token_or_expression(part);
            }
        }
        self.release(parts);
        leaves
    }

    fn for_statement(&mut self, node: Node<'t>) {
        self.branch_point();
        let fields = &self.grammar.fields;
        let parts = self.parts(node);
        let mut branches = Vec::new();
        let mut target = None;
        let mut iterated = self.builder.unknown();
        for index in parts.start..parts.end {
            let part = self.parts[index];
            match part.kind {
                Kind::Block => {
                    let mark = self.begin_branch();
                    self.forget_rebound(part.node);
                    if let Some(target) = target {
                        let value = self.item(iterated);
                        self.bind(target, value);
                    }
                    self.block(part.node);
                    branches.push(self.end_branch(mark, false));
                    let mark = self.begin_branch();
                    branches.push(self.end_branch(mark, false));
                    self.join(&branches);
                }
                Kind::ElseClause => {
                    self.clause(part.node);
                }
                _ if part.field == fields.left => {
                    target = Some(part.node);
                    self.target(part.node);
                }
                _ if part.field == fields.right => {
                    iterated = self.expression(part.node, false);
                }
                _ => self.token_or_expression(part),
            }
        }
        self.release(parts);
    }

    fn while_statement(&mut self, node: Node<'t>) {
        self.branch_point();
        let parts = self.parts(node);
        let mark = self.begin_branch();
        self.forget_rebound(node);
        let mut alternative = None;
        let mut condition = None;
        for index in parts.start..parts.end {
            let part = self.parts[index];
            match part.kind {
                Kind::Block => {
                    self.narrow(condition, true);
                    self.block(part.node);
                }
                Kind::ElseClause => alternative = Some(part.node),
                _ => {
                    if part.node.is_named() {
                        condition = Some(part.node);
                    }
                    self.token_or_expression(part);
                }
            }
        }
        let body = self.end_branch(mark, false);
        let mark = self.begin_branch();
        let base = self.end_branch(mark, false);
        self.join(&[body, base]);
        if let Some(alternative) = alternative {
            self.clause(alternative);
        }
        self.release(parts);
    }

    fn try_statement(&mut self, node: Node<'t>) -> bool {
        let parts = self.parts(node);
        let mut branches = Vec::new();
        let mut mark = self.begin_branch();
        let mut leaves = false;
        let mut joined = false;
        let mut finally_leaves = false;
        for index in parts.start..parts.end {
            let part = self.parts[index];
            match part.kind {
                Kind::Block => leaves = self.block(part.node),
                // The grammar puts `else` last, but it goes on from the body.
                Kind::ElseClause => {
                    if let Some(body) = branches.first_mut() {
                        let Branch { changes, leaves } = std::mem::replace(
                            body,
                            Branch {
                                changes: Default::default(),
                                leaves: true,
                            },
                        );
                        mark = self.begin_branch();
                        for (&name, &bound) in &changes {
                            self.set(name, bound);
                        }
                        let after = self.clause(part.node) || leaves;
                        branches[0] = self.end_branch(mark, after);
                    } else {
                        leaves |= self.clause(part.node);
                    }
                }
                Kind::ExceptClause => {
                    if branches.is_empty() {
                        branches.push(self.end_branch(mark, leaves));
                    }
                    self.branch_point();
                    mark = self.begin_branch();
                    let leaves = self.except(part.node);
                    branches.push(self.end_branch(mark, leaves));
                }
                Kind::FinallyClause => {
                    if branches.is_empty() {
                        branches.push(self.end_branch(mark, leaves));
                    }
                    self.join(&branches);
                    joined = true;
                    finally_leaves = self.clause(part.node);
                }
                _ => self.token_or_expression(part),
            }
        }
        self.release(parts);
        if branches.is_empty() {
            branches.push(self.end_branch(mark, leaves));
        }
        if !joined {
            self.join(&branches);
        }
        finally_leaves || branches.iter().all(|branch| branch.leaves)
    }

    fn except(&mut self, node: Node<'t>) -> bool {
        let fields = &self.grammar.fields;
        let parts = self.parts(node);
        let mut leaves = false;
        let mut class = None;
        let values = self.parts[parts.start..parts.end]
            .iter()
            .filter(|part| part.field == fields.value)
            .count();
        let mut written = 0;
        for index in parts.start..parts.end {
            let part = self.parts[index];
            if part.kind == Kind::Block {
                leaves = self.block(part.node);
            } else if part.field == fields.value {
                if values > 1 {
                    self.text(if written == 0 { "(" } else { "," });
                }
                written += 1;
                if part.kind == Kind::AsPattern {
                    self.as_pattern(part.node, true);
                } else {
                    class = Some(self.expression(part.node, false));
                }
                if values > 1 && written == values {
                    self.text(")");
                }
            } else if part.field == fields.alias {
                self.target(part.node);
                let value = match class {
                    Some(class) => {
                        let class = self.known(class);
                        self.builder.instance(class)
                    }
                    None => self.builder.unknown(),
                };
                self.bind(part.node, value);
            } else if part.kind != Kind::Comma {
                self.token_or_expression(part);
            }
        }
        self.release(parts);
        leaves
    }

    fn with_statement(&mut self, node: Node<'t>) -> bool {
        let parts = self.parts(node);
        let mut leaves = false;
        for index in parts.start..parts.end {
            let part = self.parts[index];
            match part.kind {
                Kind::WithClause => {
                    let mut written = 0;
                    self.with_clause(part.node, &mut written);
                }
                Kind::Block => leaves = self.block(part.node),
                _ => self.token_or_expression(part),
            }
        }
        self.release(parts);
        // It may swallow what the block raises.
        let _ = leaves;
        leaves
    }

    fn with_clause(&mut self, node: Node<'t>, written: &mut u32) {
        let parts = self.parts(node);
        for index in parts.start..parts.end {
            let part = self.parts[index];
            if !part.node.is_named() {
                continue;
            }
            let inner = if part.kind == Kind::WithItem {
                let inner = self.parts(part.node);
                let value = self.first_named(inner).map_or(part.node, |part| part.node);
                self.release(inner);
                value
            } else {
                part.node
            };
            let inner = self.unwrap(inner);
            if self.kind(inner) == Kind::Tuple && self.kind(node) == Kind::WithClause {
                self.with_clause(inner, written);
                continue;
            }
            if *written > 0 {
                self.text(",");
            }
            *written += 1;
            if self.kind(inner) == Kind::AsPattern {
                self.as_pattern(inner, false);
            } else {
                self.expression(inner, false);
            }
        }
        self.release(parts);
    }

    /// `value as target` of a `with` or an `except`.
    fn as_pattern(&mut self, node: Node<'t>, handler: bool) {
        let parts = self.parts(node);
        let value = self.first_named(parts);
        let alias = self.field(parts, self.grammar.fields.alias);
        self.release(parts);
        let mut path = self.builder.unknown();
        if let Some(value) = value {
            path = self.expression(value.node, false);
        }
        self.text("as");
        let Some(alias) = alias else { return };
        let parts = self.parts(alias.node);
        let target = self.first_named(parts).unwrap_or(alias);
        self.release(parts);
        let target = self.unwrap(target.node);
        self.target(target);
        let value = if handler {
            let class = self.known(path);
            self.builder.instance(class)
        } else {
            self.member(path, "(enter)")
        };
        self.bind(target, value);
    }

    fn match_statement(&mut self, node: Node<'t>) -> bool {
        let parts = self.parts(node);
        let mut branches = Vec::new();
        let mut subjects = 0;
        let mut subject = None;
        for index in parts.start..parts.end {
            let part = self.parts[index];
            match part.kind {
                Kind::Block => {
                    self.text("→");
                    let inner = self.parts(part.node);
                    for index in inner.start..inner.end {
                        let part = self.parts[index];
                        if part.kind == Kind::CaseClause {
                            self.branch_point();
                            let mark = self.begin_branch();
                            let leaves = self.case(part.node, subject.filter(|_| subjects == 1));
                            branches.push(self.end_branch(mark, leaves));
                        } else {
                            self.statement(part);
                        }
                    }
                    self.release(inner);
                    self.text("←");
                }
                Kind::Comma => {}
                _ => {
                    if part.node.is_named() {
                        subjects += 1;
                        subject = Some(part.node);
                        if subjects > 1 {
                            self.text(",");
                        }
                    }
                    self.token_or_expression(part);
                }
            }
        }
        self.release(parts);
        let mark = self.begin_branch();
        branches.push(self.end_branch(mark, false));
        self.join(&branches);
        false
    }

    fn case(&mut self, node: Node<'t>, subject: Option<Node<'t>>) -> bool {
        let parts = self.parts(node);
        let patterns = self.parts[parts.start..parts.end]
            .iter()
            .filter(|part| part.kind == Kind::CasePattern)
            .count();
        let comma = self.parts[parts.start..parts.end]
            .iter()
            .any(|part| part.kind == Kind::Comma);
        let mut leaves = false;
        let mut written = 0;
        for index in parts.start..parts.end {
            let part = self.parts[index];
            match part.kind {
                Kind::Block => leaves = self.block(part.node),
                Kind::Comma => {}
                Kind::CasePattern => {
                    if comma {
                        self.text(if written == 0 { "(" } else { "," });
                    }
                    written += 1;
                    let class = self.pattern(part.node);
                    if let Some(subject) = subject.filter(|_| !comma)
                        && self.kind(subject) == Kind::Identifier
                        && class != self.builder.unknown()
                    {
                        let name = self.slice(subject);
                        self.narrow_to(name, subject, class);
                    }
                    if comma && written == patterns {
                        self.text(")");
                    }
                }
                _ => self.token_or_expression(part),
            }
        }
        self.release(parts);
        leaves
    }

    /// Tokens of a `case` pattern. Gives the value it matches, if that is evident.
    fn pattern(&mut self, node: Node<'t>) -> PathId {
        let unknown = self.builder.unknown();
        if self.depth >= syntax::MAX_DEPTH {
            self.leaves(node);
            return unknown;
        }
        self.depth += 1;
        let value = self.pattern_at(node);
        self.depth -= 1;
        value
    }

    fn pattern_at(&mut self, node: Node<'t>) -> PathId {
        let unknown = self.builder.unknown();
        let kind = self.kind(node);
        let parts = self.parts(node);
        let mut value = unknown;
        match kind {
            Kind::String | Kind::ConcatenatedString | Kind::Integer | Kind::Float => {
                self.release(parts);
                self.expression(node, false);
                return unknown;
            }
            Kind::DottedName => {
                self.release(parts);
                self.dotted_pattern(node);
                return unknown;
            }
            Kind::TuplePattern | Kind::ListPattern => {
                let (open, close) = if kind == Kind::TuplePattern {
                    ("(", ")")
                } else {
                    ("[", "]")
                };
                let inner: Vec<Part<'t>> = self.parts[parts.start..parts.end]
                    .iter()
                    .filter(|part| part.node.is_named())
                    .copied()
                    .collect();
                let comma = self.parts[parts.start..parts.end]
                    .iter()
                    .any(|part| part.kind == Kind::Comma);
                if let ([only], Kind::TuplePattern, false) = (&inner[..], kind, comma) {
                    value = self.pattern(only.node);
                } else {
                    self.text(open);
                    for (at, part) in inner.iter().enumerate() {
                        if at > 0 {
                            self.text(",");
                        }
                        self.pattern(part.node);
                    }
                    if inner.len() == 1 {
                        self.text(",");
                    }
                    self.text(close);
                }
            }
            Kind::AsPattern => {
                for index in parts.start..parts.end {
                    let part = self.parts[index];
                    if part.kind == Kind::Identifier {
                        self.target(part.node);
                        self.bind(part.node, value);
                    } else if part.node.is_named() {
                        value = self.pattern(part.node);
                    } else {
                        self.leaf(part.node);
                    }
                }
            }
            Kind::ClassPattern => {
                for index in parts.start..parts.end {
                    let part = self.parts[index];
                    if part.kind == Kind::DottedName {
                        let class = self.dotted_reference(part.node, true);
                        value = self.builder.instance(class);
                    } else if part.kind == Kind::Comma {
                        if index + 2 < parts.end {
                            self.text(",");
                        }
                    } else if part.node.is_named() {
                        self.pattern(part.node);
                    } else {
                        self.leaf(part.node);
                    }
                }
            }
            Kind::KeywordPattern => {
                for index in parts.start..parts.end {
                    let part = self.parts[index];
                    if part.kind == Kind::Identifier || !part.node.is_named() {
                        self.leaf(part.node);
                    } else {
                        self.pattern(part.node);
                    }
                }
            }
            _ if parts.start == parts.end => self.leaf(node),
            _ => {
                for index in parts.start..parts.end {
                    let part = self.parts[index];
                    if part.kind == Kind::Comma {
                        if index + 2 < parts.end {
                            self.text(",");
                        }
                    } else if part.kind == Kind::Identifier {
                        self.target(part.node);
                        self.bind(part.node, unknown);
                    } else if part.node.is_named() {
                        value = self.pattern(part.node);
                    } else {
                        self.leaf(part.node);
                    }
                }
                if kind != Kind::CasePattern {
                    value = unknown;
                }
            }
        }
        self.release(parts);
        value
    }

    /// A name captures; a dotted name is a value to compare with.
    fn dotted_pattern(&mut self, node: Node<'t>) {
        if node.child_count() > 1 {
            self.dotted_reference(node, false);
            return;
        }
        let unknown = self.builder.unknown();
        if let Some(name) = node.child(0) {
            self.target(name);
            self.bind(name, unknown);
        }
    }

    /// The references of a dotted name.
    pub fn dotted_reference(&mut self, node: Node<'t>, call: bool) -> PathId {
        let parts = self.parts(node);
        let mut path = self.builder.unknown();
        for index in parts.start..parts.end {
            let part = self.parts[index];
            let last = index + 1 == parts.end;
            if part.kind != Kind::Identifier {
                self.leaf(part.node);
            } else if index == parts.start {
                path = self.name(part.node, call && last);
            } else {
                let name = self.slice(part.node);
                path = self.member(path, name);
                self.builder
                    .reference(syntax::span(part.node), name, path, call && last);
            }
        }
        self.release(parts);
        path
    }

    // Simple statements.

    fn return_statement(&mut self, node: Node<'t>) {
        let parts = self.parts(node);
        let mut value = self.none;
        self.text("return");
        if let Some(returned) = self.first_named(parts) {
            value = self.expression(returned.node, false);
        }
        self.release(parts);
        self.text(";");
        if let Some(before) = self.function_scope().map(|scope| scope.returns) {
            let joined = before.map_or(value, |before| self.union_of(before, value));
            if let Some(scope) = self.function_scope() {
                scope.returns = Some(joined);
            }
        }
    }

    fn raise_statement(&mut self, node: Node<'t>) {
        let parts = self.parts(node);
        let mut first = true;
        for index in parts.start..parts.end {
            let part = self.parts[index];
            if part.node.is_named() && first && part.field != self.grammar.fields.cause {
                first = false;
                self.raised(part.node);
            } else {
                self.token_or_expression(part);
            }
        }
        self.release(parts);
        self.text(";");
    }

    /// What `raise` raises: its class is a failure, if it is named here.
    fn raised(&mut self, node: Node<'t>) {
        let node = self.unwrap(node);
        let class = if self.kind(node) == Kind::Call {
            let parts = self.parts(node);
            let function = self.first_named(parts);
            self.release(parts);
            function.map_or(node, |function| function.node)
        } else {
            node
        };
        let text = self.slice(class);
        let first = text.split('.').next().unwrap_or("");
        let named = matches!(self.kind(class), Kind::Identifier | Kind::Attribute)
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.' || !byte.is_ascii())
            && matches!(self.look_up(first, class.start_byte() as u32), Meaning::Refers(_));
        self.failure = named.then_some(class.end_byte() as u32);
        let position = self.builder.position();
        self.failure_start = position;
        self.expression(node, false);
        self.failure = None;
    }

    // Narrowing.

    fn assert_narrows(&mut self, node: Node<'t>) {
        let parts = self.parts(node);
        let condition = self.first_named(parts).map(|part| part.node);
        self.release(parts);
        self.narrow(condition, true);
    }

    /// What a test says of names when it holds, or when it does not.
    pub fn narrow(&mut self, condition: Option<Node<'t>>, holds: bool) {
        let Some(condition) = condition else { return };
        if self.depth >= syntax::MAX_DEPTH {
            return;
        }
        self.depth += 1;
        let node = self.unwrap(condition);
        let parts = self.parts(node);
        match self.kind(node) {
            Kind::NotOperator => {
                let inner = self.first_named(parts).map(|part| part.node);
                self.narrow(inner, !holds);
            }
            Kind::BooleanOperator if parts.end - parts.start == 3 => {
                let operator = self.parts[parts.start + 1].node.kind();
                if (operator == "and") == holds {
                    let (left, right) = (self.parts[parts.start].node, self.parts[parts.end - 1].node);
                    self.narrow(Some(left), holds);
                    self.narrow(Some(right), holds);
                }
            }
            Kind::Call if holds && parts.end - parts.start == 2 => {
                let (function, arguments) = (self.parts[parts.start], self.parts[parts.end - 1]);
                if function.kind == Kind::Identifier && self.slice(function.node) == "isinstance" {
                    self.narrow_instance(arguments.node);
                }
            }
            _ => {}
        }
        self.release(parts);
        self.depth -= 1;
    }

    fn narrow_instance(&mut self, arguments: Node<'t>) {
        let parts = self.parts(arguments);
        let mut named = self.parts[parts.start..parts.end]
            .iter()
            .filter(|part| part.node.is_named())
            .copied();
        let (first, second) = (named.next(), named.next());
        drop(named);
        self.release(parts);
        if let (Some(first), Some(second)) = (first, second)
            && first.kind == Kind::Identifier
        {
            let value = match second.kind {
                Kind::Identifier | Kind::Attribute => {
                    let class = self.path_of(second.node);
                    let class = self.known(class);
                    self.builder.instance(class)
                }
                _ => self.builder.unknown(),
            };
            let name = self.slice(first.node);
            self.narrow_to(name, first.node, value);
        }
    }

    fn narrow_to(&mut self, name: &'a str, node: Node<'t>, value: PathId) {
        if let Meaning::Local(_) = self.look_up(name, node.start_byte() as u32)
            && self
                .function_scope()
                .is_some_and(|scope| scope.names.contains_key(name))
        {
            self.set(name, Bound { value, refers: false });
        }
    }
}
