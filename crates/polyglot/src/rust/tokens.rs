//! Canonical tokens of bodies and types, and what expressions are values of.

use tree_sitter::{Node, TreeCursor};

use super::{Extractor, Kind, names::is_capitalised, prelude};
use crate::{model::*, syntax};

impl<'s> Extractor<'s> {
    /// Writes a node.
    pub(super) fn emit(&mut self, node: Node<'_>) -> PathId {
        self.walk(&mut node.walk())
    }

    /// Writes the node of the cursor and gives the value it has.
    pub(super) fn walk(&mut self, cursor: &mut TreeCursor<'_>) -> PathId {
        if self.depth >= syntax::MAX_DEPTH {
            self.leaves(cursor.node());
            return self.builder.unknown();
        }
        self.depth += 1;
        let value = self.node(cursor);
        self.depth -= 1;
        value
    }

    fn node(&mut self, cursor: &mut TreeCursor<'_>) -> PathId {
        let unknown = self.builder.unknown();
        let node = cursor.node();
        match self.kind(node) {
            Kind::LineComment | Kind::BlockComment | Kind::EmptyStatement => unknown,
            Kind::Identifier => self.variable(node, false),
            Kind::TypeIdentifier => self.path(cursor, false),
            Kind::SelfWord => {
                self.builder.text("self");
                self.locals.get("self").unwrap_or(unknown)
            }
            Kind::ScopedIdentifier | Kind::ScopedTypeIdentifier => self.path(cursor, false),
            Kind::FieldIdentifier
            | Kind::ShorthandFieldIdentifier
            | Kind::Lifetime
            | Kind::Label
            | Kind::Metavariable
            | Kind::PrimitiveType
            | Kind::CharLiteral
            | Kind::IntegerLiteral
            | Kind::FloatLiteral => {
                self.whole(node);
                unknown
            }
            Kind::StringLiteral | Kind::RawStringLiteral => {
                self.whole(node);
                self.builder.library("str")
            }
            Kind::Block => self.block(cursor, true),
            Kind::CallExpression => self.call(cursor),
            Kind::FieldExpression => self.member(cursor, false),
            Kind::MacroInvocation => self.macro_call(cursor),
            Kind::Parenthesized => self.parenthesized(cursor),
            Kind::ClosureExpression => {
                self.closure(cursor, unknown);
                unknown
            }
            Kind::LetDeclaration => self.let_declaration(cursor),
            Kind::LetCondition => self.let_condition(cursor),
            Kind::IfExpression => self.if_expression(cursor),
            Kind::MatchExpression => self.match_expression(cursor),
            Kind::WhileExpression | Kind::ForExpression | Kind::LoopExpression => {
                self.loop_expression(cursor)
            }
            Kind::StructExpression => {
                let mut value = unknown;
                self.each(cursor, |this, cursor, at| match at {
                    0 => {
                        let path = this.path(cursor, false);
                        value = this.builder.instance(path);
                    }
                    _ => {
                        this.walk(cursor);
                    }
                });
                value
            }
            Kind::ShorthandFieldInitializer => {
                self.each(cursor, |this, cursor, _| {
                    let node = cursor.node();
                    if this.kind(node) == Kind::Identifier {
                        this.whole(node);
                        this.builder.text(":");
                    }
                    this.walk(cursor);
                });
                unknown
            }
            Kind::ReferenceExpression => self.last_value(cursor),
            Kind::UnaryExpression => {
                let dereferences = self.slice(node).starts_with('*');
                let value = self.last_value(cursor);
                if dereferences { value } else { unknown }
            }
            Kind::TryExpression | Kind::AwaitExpression => {
                let value = self.first_value(cursor);
                self.builder.element(value)
            }
            Kind::IndexExpression => {
                let range = node
                    .named_child(1)
                    .is_some_and(|index| self.kind(index) == Kind::RangeExpression);
                let value = self.first_value(cursor);
                if range { value } else { self.builder.element(value) }
            }
            Kind::CastExpression => {
                self.children(cursor);
                match self.field(node, self.grammar.fields.type_) {
                    Some(target) => self.lower(target),
                    None => unknown,
                }
            }
            Kind::AsyncBlock => {
                let value = self.last_value(cursor);
                self.container_of(unknown, value)
            }
            Kind::UnsafeBlock => self.last_value(cursor),
            Kind::ArrayExpression => {
                let mut element = unknown;
                self.each(cursor, |this, cursor, _| match this.kind(cursor.node()) {
                    // Those of `vec!` may be others in the text.
                    Kind::OpenBracket => this.builder.text("["),
                    Kind::CloseBracket => this.builder.text("]"),
                    _ => {
                        let value = this.value(cursor);
                        if element == this.builder.unknown() {
                            element = value;
                        }
                    }
                });
                self.container_of(unknown, element)
            }
            Kind::AssignmentExpression
            | Kind::ReturnExpression
            | Kind::BreakExpression
            | Kind::FieldInitializer
            | Kind::ElseClause
            | Kind::LetChain => {
                self.each(cursor, |this, cursor, _| {
                    this.value(cursor);
                });
                unknown
            }
            Kind::TokenTree => {
                self.token_tree(node, false);
                unknown
            }
            Kind::AttributeItem | Kind::InnerAttributeItem => {
                self.attribute(node);
                unknown
            }
            Kind::TypeBinding | Kind::TypeParameter | Kind::ConstParameter => {
                self.each(cursor, |this, cursor, at| {
                    if at == 0 || this.kind(cursor.node()) == Kind::Identifier {
                        this.whole(cursor.node());
                    } else {
                        this.walk(cursor);
                    }
                });
                unknown
            }
            Kind::Parameter => {
                self.parameter(cursor);
                unknown
            }
            Kind::GenericType | Kind::GenericTypeWithTurbofish => self.path(cursor, false),
            Kind::GenericFunction => self.callee(cursor),
            Kind::ExternModifier => {
                self.extern_modifier(cursor, false);
                unknown
            }
            Kind::Visibility => {
                self.visibility(node);
                unknown
            }
            Kind::WhereClause => {
                if node.named_child_count() > 0 {
                    self.children(cursor);
                }
                unknown
            }
            Kind::MatchPattern | Kind::TupleStructPattern | Kind::StructPattern | Kind::OrPattern => {
                self.pattern(cursor);
                unknown
            }
            Kind::FunctionItem
            | Kind::StructItem
            | Kind::EnumItem
            | Kind::UnionItem
            | Kind::TraitItem
            | Kind::ImplItem
            | Kind::ModItem
            | Kind::ConstItem
            | Kind::StaticItem
            | Kind::TypeItem
            | Kind::MacroDefinition => {
                // Where no item is expected: inside what the parser could not read.
                self.leaves(node);
                unknown
            }
            _ => {
                self.children(cursor);
                unknown
            }
        }
    }

    /// Writes the text of a node as one token.
    pub(super) fn whole(&mut self, node: Node<'_>) {
        let text = self.slice(node);
        if text.contains('\r') {
            let text = text.replace("\r\n", "\n");
            self.builder.text(&text);
        } else if !text.is_empty() {
            self.builder.text(text);
        }
    }

    /// Writes the leaves of a node without looking at what they mean.
    pub(super) fn leaves(&mut self, node: Node<'_>) {
        syntax::for_each_leaf(node, |leaf| {
            if !self.is_comment(leaf) {
                self.whole(leaf);
            }
        });
    }

    pub(super) fn children(&mut self, cursor: &mut TreeCursor<'_>) {
        self.each(cursor, |this, cursor, _| {
            this.walk(cursor);
        });
    }

    fn first_value(&mut self, cursor: &mut TreeCursor<'_>) -> PathId {
        let mut first = None;
        self.each(cursor, |this, cursor, _| {
            let value = this.walk(cursor);
            first.get_or_insert(value);
        });
        first.unwrap_or(self.builder.unknown())
    }

    fn last_value(&mut self, cursor: &mut TreeCursor<'_>) -> PathId {
        let mut last = self.builder.unknown();
        self.each(cursor, |this, cursor, _| last = this.value(cursor));
        last
    }

    /// Calls `write` at every child that is written: comments are left out, and
    /// commas before a closing bracket. A leaf is written whole.
    pub(super) fn each<'t>(
        &mut self,
        cursor: &mut TreeCursor<'t>,
        mut write: impl FnMut(&mut Self, &mut TreeCursor<'t>, usize),
    ) {
        let parent = self.kind(cursor.node());
        if !cursor.goto_first_child() {
            self.whole(cursor.node());
            return;
        }
        let (mut pending, mut commas, mut at) = (false, 0u32, 0);
        loop {
            let kind = self.kind(cursor.node());
            match kind {
                Kind::LineComment | Kind::BlockComment => {}
                Kind::Comma => {
                    if pending {
                        self.builder.text(",");
                    }
                    pending = true;
                    commas += 1;
                }
                _ => {
                    if pending && !(closes(kind, parent) && !(commas == 1 && is_tuple(parent))) {
                        self.builder.text(",");
                    }
                    pending = false;
                    write(self, cursor, at);
                    at += 1;
                }
            }
            if !cursor.goto_next_sibling() {
                break;
            }
        }
        cursor.goto_parent();
    }

    /// A name that may be a variable.
    pub(super) fn variable(&mut self, node: Node<'_>, call: bool) -> PathId {
        let name = self.slice(node);
        if let Some(local) = self.locals.get(name) {
            self.builder.text(name);
            return local;
        }
        if name == "Self" || self.generics.iter().any(|&(generic, _)| generic == name) {
            return self.path_name(node, name, call);
        }
        let path = self.free(name);
        self.refer(node, name, path, call);
        path
    }

    fn path_name(&mut self, node: Node<'_>, name: &'s str, call: bool) -> PathId {
        let path = self.head(name);
        if name == "Self" {
            self.refer(node, name, path, call);
        } else {
            self.builder.text(name);
        }
        path
    }

    /// Writes a value, without the parentheses around all of it.
    pub(super) fn value(&mut self, cursor: &mut TreeCursor<'_>) -> PathId {
        let mut levels = 0;
        while self.kind(cursor.node()) == Kind::Parenthesized && self.enter_parentheses(cursor) {
            levels += 1;
        }
        let value = self.walk(cursor);
        for _ in 0..levels {
            cursor.goto_parent();
        }
        value
    }

    fn parenthesized(&mut self, cursor: &mut TreeCursor<'_>) -> PathId {
        if !self.enter_parentheses(cursor) {
            self.children(cursor);
            return self.builder.unknown();
        }
        self.builder.text("(");
        let value = self.value(cursor);
        self.builder.text(")");
        cursor.goto_parent();
        value
    }

    /// Moves to the expression inside parentheses.
    fn enter_parentheses(&self, cursor: &mut TreeCursor<'_>) -> bool {
        if !cursor.goto_first_child() {
            return false;
        }
        while self.is_comment(cursor.node()) || self.kind(cursor.node()) == Kind::OpenParenthesis {
            if !cursor.goto_next_sibling() {
                break;
            }
        }
        if self.kind(cursor.node()) == Kind::CloseParenthesis || cursor.node().is_error() {
            cursor.goto_parent();
            return false;
        }
        true
    }

    /// Writes the body of an arm or closure: the one expression of a block stands
    /// for the block.
    fn body(&mut self, cursor: &mut TreeCursor<'_>) -> PathId {
        let mut levels = 0;
        loop {
            match self.kind(cursor.node()) {
                Kind::Parenthesized if self.enter_parentheses(cursor) => levels += 1,
                Kind::Block => match self.enter_simple_block(cursor) {
                    0 => break,
                    entered => levels += entered,
                },
                _ => break,
            }
        }
        let value = match self.kind(cursor.node()) {
            Kind::Block => self.block(cursor, false),
            _ => self.walk(cursor),
        };
        for _ in 0..levels {
            cursor.goto_parent();
        }
        value
    }

    /// Moves to the expression that is all of a block, and says how many levels
    /// down that is.
    fn enter_simple_block(&self, cursor: &mut TreeCursor<'_>) -> u32 {
        let Some(inner) = self.only_child(cursor) else {
            return 0;
        };
        let statement = match self.kind(inner) {
            Kind::ExpressionStatement => true,
            Kind::LetDeclaration | Kind::EmptyStatement => return 0,
            kind if is_item(kind) || kind == Kind::AttributeItem || kind == Kind::InnerAttributeItem => {
                return 0;
            }
            _ => false,
        };
        if statement {
            let jump = inner.child(0).is_some_and(|first| is_jump(self.kind(first)));
            if self.slice(inner).ends_with(';') && !jump {
                return 0;
            }
        }
        cursor.goto_first_child();
        while cursor.node().id() != inner.id() && cursor.goto_next_sibling() {}
        if statement && cursor.goto_first_child() {
            return 2;
        }
        1
    }

    fn is_loop_statement(&self, node: Node<'_>) -> bool {
        self.kind(node) == Kind::ExpressionStatement
            && node.child(0).is_some_and(|first| is_loop(self.kind(first)))
    }

    fn only_child<'t>(&self, cursor: &mut TreeCursor<'t>) -> Option<Node<'t>> {
        if !cursor.goto_first_child() {
            return None;
        }
        let mut only = None;
        let mut simple = self.kind(cursor.node()) == Kind::OpenBrace;
        while simple && cursor.goto_next_sibling() {
            let node = cursor.node();
            match self.kind(node) {
                Kind::LineComment | Kind::BlockComment => {}
                Kind::CloseBrace => break,
                Kind::EmptyStatement if only.is_some_and(|only| self.is_loop_statement(only)) => {}
                _ if only.is_none() && !node.is_error() => only = Some(node),
                _ => simple = false,
            }
        }
        cursor.goto_parent();
        only.filter(|_| simple)
    }

    /// Writes a block and gives the value of its last expression.
    pub(super) fn block(&mut self, cursor: &mut TreeCursor<'_>, counts: bool) -> PathId {
        let mark = self.locals.order.len();
        let namespace = self.namespace;
        if self.has_items(cursor) {
            self.namespace = self.builder.add_namespace(namespace, true);
            self.block_uses(cursor);
        }
        if counts {
            self.block_depth += 1;
            self.metrics.depth = self.metrics.depth.max(self.block_depth.saturating_sub(1));
        }
        let value = self.statements(cursor);
        if counts {
            self.block_depth -= 1;
        }
        self.namespace = namespace;
        self.locals.leave(mark);
        value
    }

    fn has_items(&self, cursor: &mut TreeCursor<'_>) -> bool {
        let mut found = false;
        if cursor.goto_first_child() {
            loop {
                found = is_item(self.kind(cursor.node()));
                if found || !cursor.goto_next_sibling() {
                    break;
                }
            }
            cursor.goto_parent();
        }
        found
    }

    fn block_uses(&mut self, cursor: &mut TreeCursor<'_>) {
        if cursor.goto_first_child() {
            loop {
                if self.kind(cursor.node()) == Kind::UseDeclaration {
                    self.use_declaration(cursor.node());
                }
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
            cursor.goto_parent();
        }
    }

    fn statements(&mut self, cursor: &mut TreeCursor<'_>) -> PathId {
        let unknown = self.builder.unknown();
        if !cursor.goto_first_child() {
            return unknown;
        }
        let mut pending = super::items::Pending::default();
        // A semicolon not written yet, and whether it may go before `}`.
        let mut semicolon: Option<bool> = None;
        let mut tail = unknown;
        // Whether the statement before is an expression without a semicolon.
        let mut bare = false;
        loop {
            let node = cursor.node();
            let kind = self.kind(node);
            match kind {
                Kind::LineComment | Kind::BlockComment => pending.comment(self, node),
                // The grammar takes the semicolon after a block for a statement.
                Kind::EmptyStatement => {
                    if std::mem::take(&mut bare) {
                        semicolon = Some(false);
                    }
                }
                Kind::AttributeItem => pending.attribute(node),
                Kind::UseDeclaration | Kind::ExternCrate => pending.clear(),
                Kind::CloseBrace => {
                    if semicolon == Some(false) {
                        self.builder.text(";");
                        tail = unknown;
                    }
                    self.builder.text("}");
                }
                _ => {
                    if semicolon.take().is_some() {
                        self.builder.text(";");
                    }
                    bare = false;
                    if is_item(kind) {
                        tail = unknown;
                        self.nested_item(node, &mut pending);
                    } else {
                        for attribute in std::mem::take(&mut pending).attributes {
                            self.attribute(attribute);
                        }
                        match kind {
                            Kind::ExpressionStatement => {
                                (tail, semicolon) = self.expression_statement(cursor);
                                let looping = node.child(0).is_some_and(|first| is_loop(self.kind(first)));
                                bare = semicolon.is_none() && !looping;
                            }
                            Kind::OpenBrace => self.builder.text("{"),
                            Kind::Label => self.whole(node),
                            Kind::LetDeclaration => {
                                self.walk(cursor);
                                tail = unknown;
                            }
                            _ => tail = self.value(cursor),
                        }
                        if matches!(
                            kind,
                            Kind::ReturnExpression | Kind::BreakExpression | Kind::ContinueExpression
                        ) {
                            tail = unknown;
                        }
                    }
                }
            }
            if !cursor.goto_next_sibling() {
                break;
            }
        }
        cursor.goto_parent();
        tail
    }

    /// Writes an expression statement but for its semicolon, and says whether
    /// there is one that must be written, and whether it may go before `}`.
    fn expression_statement(&mut self, cursor: &mut TreeCursor<'_>) -> (PathId, Option<bool>) {
        let mut value = self.builder.unknown();
        let mut semicolon = None;
        let mut expression = Kind::Other;
        if !cursor.goto_first_child() {
            return (value, None);
        }
        loop {
            let kind = self.kind(cursor.node());
            match kind {
                Kind::LineComment | Kind::BlockComment => {}
                Kind::Semicolon => {
                    let looping = is_loop(expression);
                    semicolon = (!looping).then(|| is_jump(expression));
                    value = self.builder.unknown();
                }
                _ => {
                    expression = kind;
                    value = self.value(cursor);
                }
            }
            if !cursor.goto_next_sibling() {
                break;
            }
        }
        cursor.goto_parent();
        (value, semicolon)
    }

    fn let_declaration(&mut self, cursor: &mut TreeCursor<'_>) -> PathId {
        let fields = &self.grammar.fields;
        let node = cursor.node();
        let pattern = self.field(node, fields.pattern);
        let declared = self.field(node, fields.type_);
        let assigned = self.field(node, fields.value);
        let mut value = self.builder.unknown();
        self.each(cursor, |this, cursor, _| {
            let part = cursor.node();
            if Some(part) == pattern {
                this.pattern(cursor);
            } else if Some(part) == assigned {
                value = this.value(cursor);
            } else {
                if this.kind(part) == Kind::Block {
                    this.metrics.branches += 1;
                }
                this.walk(cursor);
            }
        });
        if let Some(declared) = declared {
            let lowered = self.lower(declared);
            if lowered != self.builder.unknown() || self.slice(declared) != "_" {
                value = self.refine(lowered, value, declared);
            }
        }
        if let Some(pattern) = pattern {
            self.bind(pattern, value);
        }
        self.builder.unknown()
    }

    /// The declared type, unless it leaves to be found out what the value says.
    fn refine(&mut self, declared: PathId, value: PathId, node: Node<'_>) -> PathId {
        if self.slice(node).contains('_') && declared == self.builder.unknown() {
            value
        } else {
            declared
        }
    }

    fn let_condition(&mut self, cursor: &mut TreeCursor<'_>) -> PathId {
        let fields = &self.grammar.fields;
        let node = cursor.node();
        let pattern = self.field(node, fields.pattern);
        let mut value = self.builder.unknown();
        self.each(cursor, |this, cursor, _| {
            if Some(cursor.node()) == pattern {
                this.pattern(cursor);
            } else {
                value = this.value(cursor);
            }
        });
        if let Some(pattern) = pattern {
            self.bind(pattern, value);
        }
        self.builder.unknown()
    }

    fn if_expression(&mut self, cursor: &mut TreeCursor<'_>) -> PathId {
        self.metrics.branches += 1;
        let consequence = self.field(cursor.node(), self.grammar.fields.consequence);
        let mark = self.locals.order.len();
        let mut value = self.builder.unknown();
        self.each(cursor, |this, cursor, _| {
            let node = cursor.node();
            if Some(node) == consequence {
                value = this.walk(cursor);
                this.locals.leave(mark);
            } else {
                this.value(cursor);
            }
        });
        self.locals.leave(mark);
        value
    }

    fn match_expression(&mut self, cursor: &mut TreeCursor<'_>) -> PathId {
        let unknown = self.builder.unknown();
        let (mut matched, mut result) = (unknown, unknown);
        self.each(cursor, |this, cursor, at| {
            if this.kind(cursor.node()) == Kind::MatchBlock {
                this.block_depth += 1;
                this.metrics.depth = this.metrics.depth.max(this.block_depth.saturating_sub(1));
                this.each(cursor, |this, cursor, _| {
                    if this.kind(cursor.node()) == Kind::MatchArm {
                        let value = this.match_arm(cursor, matched);
                        if result == unknown {
                            result = value;
                        }
                    } else {
                        this.walk(cursor);
                    }
                });
                this.block_depth -= 1;
            } else {
                let value = this.value(cursor);
                if at > 0 {
                    matched = value;
                }
            }
        });
        result
    }

    fn match_arm(&mut self, cursor: &mut TreeCursor<'_>, matched: PathId) -> PathId {
        self.metrics.branches += 1;
        let value = self.field(cursor.node(), self.grammar.fields.value);
        let mark = self.locals.order.len();
        let mut result = self.builder.unknown();
        self.each(cursor, |this, cursor, _| {
            let node = cursor.node();
            match this.kind(node) {
                Kind::MatchPattern => this.match_pattern(cursor, matched),
                _ if Some(node) == value => result = this.body(cursor),
                _ => {
                    this.walk(cursor);
                }
            }
        });
        self.builder.text(",");
        self.locals.leave(mark);
        result
    }

    fn match_pattern(&mut self, cursor: &mut TreeCursor<'_>, matched: PathId) {
        self.each(cursor, |this, cursor, at| {
            if at == 0 {
                this.pattern(cursor);
                this.bind(cursor.node(), matched);
            } else {
                this.value(cursor);
            }
        });
    }

    fn loop_expression(&mut self, cursor: &mut TreeCursor<'_>) -> PathId {
        self.metrics.branches += 1;
        let fields = &self.grammar.fields;
        let pattern = self.field(cursor.node(), fields.pattern);
        let iterated = self.field(cursor.node(), fields.value);
        let mark = self.locals.order.len();
        self.each(cursor, |this, cursor, _| {
            let node = cursor.node();
            if Some(node) == pattern {
                this.pattern(cursor);
            } else if Some(node) == iterated {
                let value = this.value(cursor);
                let element = this.builder.element(value);
                if let Some(pattern) = pattern {
                    this.bind(pattern, element);
                }
            } else {
                this.value(cursor);
            }
        });
        self.locals.leave(mark);
        self.builder.unknown()
    }

    /// Writes a closure whose only parameter is `given`, if that is known.
    fn closure(&mut self, cursor: &mut TreeCursor<'_>, given: PathId) {
        let node = cursor.node();
        let fields = &self.grammar.fields;
        let body = self.field(node, fields.body);
        let typed = self.field(node, fields.return_type).is_some();
        let mark = self.locals.order.len();
        let depth = std::mem::take(&mut self.block_depth);
        self.block_depth = depth;
        self.each(cursor, |this, cursor, _| {
            let part = cursor.node();
            if this.kind(part) == Kind::ClosureParameters {
                let only = part.named_child_count() == 1;
                this.each(cursor, |this, cursor, _| {
                    let parameter = cursor.node();
                    match this.kind(parameter) {
                        Kind::Bar => this.builder.text("|"),
                        Kind::Parameter => this.bound_parameter(cursor),
                        _ => {
                            this.pattern(cursor);
                            let value = if only { given } else { this.builder.unknown() };
                            this.bind(parameter, value);
                        }
                    }
                });
            } else if Some(part) == body && !typed {
                this.body(cursor);
            } else if Some(part) == body {
                this.block(cursor, false);
            } else {
                this.walk(cursor);
            }
        });
        self.locals.leave(mark);
    }

    fn parameter(&mut self, cursor: &mut TreeCursor<'_>) {
        let pattern = self.field(cursor.node(), self.grammar.fields.pattern);
        self.each(cursor, |this, cursor, _| {
            if Some(cursor.node()) == pattern {
                this.pattern(cursor);
            } else {
                this.walk(cursor);
            }
        });
    }

    pub(super) fn bound_parameter(&mut self, cursor: &mut TreeCursor<'_>) {
        let node = cursor.node();
        self.parameter(cursor);
        self.bind_parameter(node);
    }

    pub(super) fn bind_parameter(&mut self, node: Node<'_>) {
        let fields = &self.grammar.fields;
        if let Some(pattern) = self.field(node, fields.pattern) {
            let value = match self.field(node, fields.type_) {
                Some(declared) => self.lower(declared),
                None => self.builder.unknown(),
            };
            self.bind(pattern, value);
        }
    }

    /// Writes a pattern; [`Extractor::bind`] brings its variables into scope.
    pub(super) fn pattern(&mut self, cursor: &mut TreeCursor<'_>) {
        if self.depth >= syntax::MAX_DEPTH {
            self.leaves(cursor.node());
            return;
        }
        self.depth += 1;
        let node = cursor.node();
        match self.kind(node) {
            Kind::Identifier => {
                let name = self.slice(node);
                if is_capitalised(name) {
                    let path = self.free(name);
                    self.refer(node, name, path, false);
                } else {
                    self.whole(node);
                }
            }
            Kind::SelfWord => self.builder.text("self"),
            Kind::TupleStructPattern | Kind::StructPattern => {
                self.each(cursor, |this, cursor, at| {
                    if at == 0 {
                        this.path(cursor, false);
                    } else {
                        this.pattern(cursor);
                    }
                });
            }
            Kind::OrPattern => {
                self.each(cursor, |this, cursor, at| {
                    if !(at == 0 && this.kind(cursor.node()) == Kind::Bar) {
                        this.pattern(cursor);
                    }
                });
            }
            Kind::TuplePattern
            | Kind::SlicePattern
            | Kind::MutPattern
            | Kind::RefPattern
            | Kind::ReferencePattern
            | Kind::CapturedPattern
            | Kind::FieldPattern
            | Kind::MatchPattern => {
                self.each(cursor, |this, cursor, _| this.pattern(cursor));
            }
            _ => {
                self.walk(cursor);
            }
        }
        self.depth -= 1;
    }

    fn call(&mut self, cursor: &mut TreeCursor<'_>) -> PathId {
        let unknown = self.builder.unknown();
        let node = cursor.node();
        let function = self.field(node, self.grammar.fields.function);
        let mut callee = unknown;
        let mut first = None;
        self.each(cursor, |this, cursor, _| {
            let part = cursor.node();
            if Some(part) == function {
                callee = this.callee(cursor);
            } else if this.kind(part) == Kind::Arguments {
                first = this.arguments(cursor, function, callee);
            } else {
                this.walk(cursor);
            }
        });
        if let Some(function) = function
            && self.kind(function) == Kind::Identifier
            && matches!(self.slice(function), "Some" | "Ok")
            && let Some(first) = first
        {
            let outer = if self.slice(function) == "Some" {
                "Option"
            } else {
                "Result"
            };
            let outer = self.free(outer);
            return self.container_of(outer, first);
        }
        self.builder.call(callee)
    }

    /// Writes arguments and gives the value of the first.
    pub(super) fn arguments(
        &mut self,
        cursor: &mut TreeCursor<'_>,
        function: Option<Node<'_>>,
        callee: PathId,
    ) -> Option<PathId> {
        let given = match (function, self.builder.node(callee)) {
            (Some(function), PathNode::Member(receiver, _))
                if self.kind(function) == Kind::FieldExpression
                    && prelude::gives_element(self.last_name(function)) =>
            {
                self.builder.element(receiver)
            }
            _ => self.builder.unknown(),
        };
        let mut first = None;
        self.each(cursor, |this, cursor, _| match this.kind(cursor.node()) {
            Kind::OpenParenthesis => this.builder.text("("),
            Kind::CloseParenthesis => this.builder.text(")"),
            Kind::ClosureExpression => this.closure(cursor, given),
            _ => {
                let value = this.value(cursor);
                first.get_or_insert(value);
            }
        });
        first
    }

    fn callee(&mut self, cursor: &mut TreeCursor<'_>) -> PathId {
        let node = cursor.node();
        match self.kind(node) {
            Kind::Identifier => self.variable(node, true),
            Kind::ScopedIdentifier => self.path(cursor, true),
            Kind::FieldExpression => self.member(cursor, true),
            Kind::GenericFunction => {
                let mut value = self.builder.unknown();
                self.each(cursor, |this, cursor, at| {
                    if at == 0 {
                        value = this.callee(cursor);
                    } else {
                        this.walk(cursor);
                    }
                });
                value
            }
            _ => self.walk(cursor),
        }
    }

    /// `value.field`.
    fn member(&mut self, cursor: &mut TreeCursor<'_>, call: bool) -> PathId {
        // A chain of calls recurses twice a link.
        let mut base = self.builder.unknown();
        let mut path = base;
        let fields = &self.grammar.fields;
        let value = self.field(cursor.node(), fields.value);
        self.each(cursor, |this, cursor, _| {
            let part = cursor.node();
            match this.kind(part) {
                Kind::FieldIdentifier => {
                    let name = this.slice(part);
                    if call {
                        path = this.builder.member(base, name);
                        this.refer(part, name, path, true);
                    } else {
                        path = this.field_of(base, name);
                        this.whole(part);
                    }
                }
                Kind::IntegerLiteral if Some(part) != value => {
                    let name = this.slice(part);
                    path = this.field_of(base, name);
                    this.whole(part);
                }
                Kind::Dot => this.builder.text("."),
                _ => base = this.walk(cursor),
            }
        });
        path
    }

    /// A field of a value. Methods may have the name of a field; only a call
    /// means them.
    pub(super) fn field_of(&mut self, base: PathId, name: &str) -> PathId {
        self.builder.member(base, &format!(".{name}"))
    }

    /// Writes `extern "C"`; what a block of them declares is foreign code.
    pub(super) fn extern_modifier(&mut self, cursor: &mut TreeCursor<'_>, block: bool) {
        let node = cursor.node();
        let named = node.named_child_count() > 0;
        self.each(cursor, |this, cursor, _| {
            let part = cursor.node();
            if block && this.kind(part) == Kind::Extern {
                let foreign = this.builder.library("extern");
                this.refer(part, "extern", foreign, false);
            } else {
                this.whole(part);
            }
        });
        if !named {
            self.builder.text("\"C\"");
        }
    }

    fn visibility(&mut self, node: Node<'_>) {
        let text = visibility_text(self.slice(node));
        self.builder.text(&text);
    }

    /// Writes an attribute; documentation is none.
    pub(super) fn attribute(&mut self, node: Node<'_>) {
        if self.is_documentation(node) {
            return;
        }
        let derive = self.attribute_name(node) == "derive";
        let mut cursor = node.walk();
        self.each(&mut cursor, |this, cursor, _| {
            if this.kind(cursor.node()) != Kind::Attribute {
                this.whole(cursor.node());
                return;
            }
            this.each(cursor, |this, cursor, _| {
                let part = cursor.node();
                match this.kind(part) {
                    Kind::TokenTree if derive => this.token_tree(part, false),
                    Kind::TokenTree => this.plain_tree(part),
                    _ => this.leaves(part),
                }
            });
        });
    }

    /// Whether an attribute only documents: `doc`, other than `doc(hidden)`, also
    /// under a condition.
    fn is_documentation(&self, node: Node<'_>) -> bool {
        match self.attribute_name(node) {
            "doc" => !self.slice(node).contains("hidden"),
            "cfg_attr" => {
                let arguments = self.attribute_arguments(node);
                arguments.len() > 1
                    && arguments[1..].iter().all(|argument| {
                        let last = argument.last().map_or("", |part| self.slice(*part));
                        let first = argument.first().map_or("", |part| self.slice(*part));
                        first == "doc" && !last.contains("hidden")
                    })
            }
            _ => false,
        }
    }

    /// The tokens of each argument of an attribute.
    pub(super) fn attribute_arguments<'n>(&self, attribute: Node<'n>) -> Vec<Vec<Node<'n>>> {
        let mut arguments = Vec::new();
        let mut cursor = attribute.walk();
        for part in attribute.named_children(&mut cursor) {
            let tree = self.field(part, self.grammar.fields.call_arguments);
            let Some(tree) = tree else { continue };
            let mut inner = tree.walk();
            let parts: Vec<Node<'n>> = tree
                .children(&mut inner)
                .filter(|&part| {
                    !self.is_comment(part)
                        && !matches!(self.kind(part), Kind::OpenParenthesis | Kind::CloseParenthesis)
                })
                .collect();
            let split = parts.split(|&part| self.kind(part) == Kind::Comma);
            arguments.extend(split.filter(|group| !group.is_empty()).map(<[_]>::to_vec));
        }
        arguments
    }

    pub(super) fn attribute_name(&self, node: Node<'_>) -> &'s str {
        // Behind `#[`; only comments could come between.
        (0..node.named_child_count().min(4))
            .filter_map(|at| node.named_child(at as u32))
            .find(|&part| self.kind(part) == Kind::Attribute)
            .and_then(|attribute| attribute.named_child(0))
            .map_or("", |path| self.last_name(path))
    }
}

/// Whether a comma before this token says nothing.
pub(super) fn closes(kind: Kind, parent: Kind) -> bool {
    match kind {
        Kind::CloseParenthesis | Kind::CloseBracket | Kind::CloseBrace => true,
        Kind::Greater => matches!(
            parent,
            Kind::TypeParameters
                | Kind::TypeArguments
                | Kind::ForLifetimes
                | Kind::UseBounds
                | Kind::TokenTree
        ),
        Kind::Shift => parent == Kind::TokenTree,
        Kind::Bar => parent == Kind::ClosureParameters,
        _ => false,
    }
}

fn is_tuple(kind: Kind) -> bool {
    matches!(kind, Kind::TupleExpression | Kind::TuplePattern | Kind::TupleType)
}

fn is_loop(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::WhileExpression | Kind::LoopExpression | Kind::ForExpression
    )
}

fn is_jump(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::ReturnExpression | Kind::BreakExpression | Kind::ContinueExpression
    )
}

pub(super) fn is_item(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::FunctionItem
            | Kind::FunctionSignatureItem
            | Kind::StructItem
            | Kind::UnionItem
            | Kind::EnumItem
            | Kind::TraitItem
            | Kind::ImplItem
            | Kind::ModItem
            | Kind::ConstItem
            | Kind::StaticItem
            | Kind::TypeItem
            | Kind::MacroDefinition
            | Kind::UseDeclaration
            | Kind::ExternCrate
            | Kind::ForeignModItem
    )
}

/// A visibility as it is kept: without blanks, and without the `in` that the
/// formatter drops.
pub(super) fn visibility_text(source: &str) -> String {
    let inside: String = match source.split_once('(') {
        None => return source.split_whitespace().collect(),
        Some((_, rest)) => rest.trim_end_matches(')').trim().to_owned(),
    };
    let path: String = inside
        .strip_prefix("in ")
        .unwrap_or(&inside)
        .split_whitespace()
        .collect();
    if matches!(path.as_str(), "crate" | "self" | "super") {
        format!("pub({path})")
    } else {
        format!("pub(in {path})")
    }
}
