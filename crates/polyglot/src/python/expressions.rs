//! Expressions: their tokens, and what their values are.

use tree_sitter::Node;

use super::{Kind, scope::*, walker::*};
use crate::{model::*, syntax};

/// A parameter of a function or lambda.
#[derive(Debug)]
pub(super) struct Parameter<'a> {
    pub name: &'a str,
    pub value: PathId,
    pub annotation: &'a str,
    pub splat: bool,
}

impl<'a, 't> Walker<'a, 't> {
    /// Writes an expression. `tight`: it is an operand, so that one made of an
    /// operator is grouped.
    pub fn expression(&mut self, node: Node<'t>, tight: bool) -> PathId {
        if self.depth >= syntax::MAX_DEPTH {
            self.leaves(node);
            return self.builder.unknown();
        }
        self.depth += 1;
        let value = self.expression_at(node, tight);
        self.depth -= 1;
        value
    }

    fn expression_at(&mut self, node: Node<'t>, tight: bool) -> PathId {
        let unknown = self.builder.unknown();
        match self.kind(node) {
            Kind::Identifier | Kind::KeywordIdentifier => self.name(node, false),
            Kind::Attribute => self.attribute(node, false),
            Kind::Call => self.call(node),
            Kind::String | Kind::ConcatenatedString => self.string(node),
            Kind::Integer | Kind::Float => self.number(node),
            Kind::None => {
                self.text("None");
                self.none
            }
            Kind::True | Kind::False => {
                self.leaf(node);
                self.builder.library("builtins.bool")
            }
            Kind::ParenthesizedExpression => {
                let parts = self.parts(node);
                let inner = self.first_named(parts);
                self.release(parts);
                match inner {
                    Some(inner) => self.expression(inner.node, tight),
                    None => {
                        self.leaves(node);
                        unknown
                    }
                }
            }
            Kind::Subscript => self.subscript(node),
            Kind::Tuple | Kind::ExpressionList | Kind::PatternList | Kind::TuplePattern => {
                let parts = self.parts(node);
                if let Some(inner) = self.grouped(node, parts) {
                    self.release(parts);
                    return self.expression(inner, tight);
                }
                let values = self.sequence(parts, "(", ")", true);
                self.release(parts);
                self.tuple(&values)
            }
            Kind::List | Kind::ListPattern => {
                let parts = self.parts(node);
                let values = self.sequence(parts, "[", "]", false);
                self.release(parts);
                self.same_elements("builtins.list", &values)
            }
            Kind::Set => {
                let parts = self.parts(node);
                let values = self.sequence(parts, "{", "}", false);
                self.release(parts);
                self.same_elements("builtins.set", &values)
            }
            Kind::Dictionary => self.dictionary(node),
            Kind::ListComprehension => self.comprehension(node, "[", "]", "builtins.list"),
            Kind::SetComprehension => self.comprehension(node, "{", "}", "builtins.set"),
            Kind::DictionaryComprehension => self.comprehension(node, "{", "}", "builtins.dict"),
            Kind::GeneratorExpression => self.comprehension(node, "(", ")", "types.GeneratorType"),
            Kind::BinaryOperator
            | Kind::BooleanOperator
            | Kind::ComparisonOperator
            | Kind::NotOperator
            | Kind::UnaryOperator
            | Kind::ConditionalExpression
            | Kind::Lambda
            | Kind::NamedExpression
            | Kind::Await
            | Kind::Yield => {
                if tight {
                    self.text("(");
                }
                let value = self.operator(node);
                if tight {
                    self.text(")");
                }
                value
            }
            Kind::Slice => {
                let parts = self.parts(node);
                for index in parts.start..parts.end {
                    let part = self.parts[index];
                    // A last colon without a step says nothing.
                    let idle = part.kind == Kind::Colon
                        && index + 1 == parts.end
                        && self.parts[parts.start..index]
                            .iter()
                            .any(|part| part.kind == Kind::Colon);
                    if part.node.is_named() {
                        self.expression(part.node, true);
                    } else if !idle {
                        self.leaf(part.node);
                    }
                }
                self.release(parts);
                unknown
            }
            Kind::AsPattern => {
                self.generic(node);
                unknown
            }
            Kind::Type => self.annotation(node),
            Kind::DottedName => self.dotted_reference(node, false),
            Kind::Block => {
                self.body(node);
                unknown
            }
            kind if is_statement(kind) => {
                self.statement(Part { node, kind, field: 0 });
                unknown
            }
            _ => self.generic(node),
        }
    }

    /// A node of no special rule: its parts in order. Gives the value of the only
    /// expression in it.
    fn generic(&mut self, node: Node<'t>) -> PathId {
        let parts = self.parts(node);
        let mut value = self.builder.unknown();
        if parts.start == parts.end {
            self.leaf(node);
        }
        for index in parts.start..parts.end {
            let part = self.parts[index];
            if part.node.is_named() {
                value = self.expression(part.node, true);
            } else {
                self.leaf(part.node);
            }
        }
        if parts.end - parts.start != 1 {
            value = self.builder.unknown();
        }
        self.release(parts);
        value
    }

    // Names.

    pub fn name(&mut self, node: Node<'t>, call: bool) -> PathId {
        let name = self.slice(node);
        match self.look_up(name, node.start_byte() as u32) {
            Meaning::Local(value) => {
                self.text(name);
                value
            }
            Meaning::Refers(path) => {
                self.builder.reference(syntax::span(node), name, path, call);
                self.note_failure(node);
                path
            }
        }
    }

    fn note_failure(&mut self, node: Node<'t>) {
        if self.failure == Some(node.end_byte() as u32) {
            self.failure = None;
            let start = self.failure_start;
            self.builder.failure_since(start);
        }
    }

    fn attribute(&mut self, node: Node<'t>, call: bool) -> PathId {
        let parts = self.parts(node);
        let object = self.first_named(parts);
        let name = self.parts[parts.start..parts.end].last().copied();
        self.release(parts);
        let (Some(object), Some(name)) = (object, name) else {
            self.leaves(node);
            return self.builder.unknown();
        };
        let base = self.expression(object.node, true);
        self.text(".");
        let text = self.slice(name.node);
        let span = syntax::span(name.node);
        if text == "__class__" {
            // The class may be one that inherits.
            let unknown = self.builder.unknown();
            self.builder.reference(span, text, unknown, call);
            return self.class_of(base);
        }
        let path = self.member(base, text);
        self.builder.reference(syntax::span(name.node), text, path, call);
        self.note_failure(name.node);
        path
    }

    /// What a chain of names leads to, without writing it.
    pub fn path_of(&mut self, node: Node<'t>) -> PathId {
        let mut names = Vec::new();
        let mut at = node;
        while self.kind(at) == Kind::Attribute {
            let parts = self.parts(at);
            let object = self.first_named(parts);
            let name = self.parts[parts.start..parts.end].last().copied();
            self.release(parts);
            let (Some(object), Some(name)) = (object, name) else {
                break;
            };
            names.push(self.slice(name.node));
            at = object.node;
        }
        if self.kind(at) != Kind::Identifier {
            return self.builder.unknown();
        }
        let first = self.slice(at);
        let mut path = match self.look_up(first, at.start_byte() as u32) {
            Meaning::Local(path) | Meaning::Refers(path) => path,
        };
        for name in names.into_iter().rev() {
            path = self.member(path, name);
        }
        path
    }

    /// Whether a name means the built-in of that name here.
    fn is_builtin(&mut self, node: Node<'t>, path: PathId) -> bool {
        self.kind(node) == Kind::Identifier
            && matches!(self.builder.node(path), PathNode::Name(FILE_NAMESPACE, _))
            && !self.module_names.contains_key(self.slice(node))
    }

    // Calls.

    fn call(&mut self, node: Node<'t>) -> PathId {
        let parts = self.parts(node);
        let (Some(function), Some(arguments)) = (
            self.parts.get(parts.start).copied(),
            self.parts[parts.start..parts.end].last().copied(),
        ) else {
            self.release(parts);
            return self.builder.unknown();
        };
        self.release(parts);
        let callee = self.unwrap(function.node);
        let path = match self.kind(callee) {
            Kind::Identifier => self.name(callee, true),
            Kind::Attribute => self.attribute(callee, true),
            _ => self.expression(callee, true),
        };
        if self.kind(arguments.node) == Kind::GeneratorExpression {
            self.text("(");
            let value = self.expression(arguments.node, false);
            self.text(")");
            return self.result(callee, path, &[value], None);
        }
        let parts = self.parts(arguments.node);
        let first = self.first_named(parts);
        self.text("(");
        let mut values = Vec::new();
        let mut written = 0;
        for index in parts.start..parts.end {
            let part = self.parts[index];
            if !part.node.is_named() {
                continue;
            }
            if written > 0 {
                self.text(",");
            }
            written += 1;
            let value = self.argument(part);
            if part.kind != Kind::KeywordArgument {
                values.push(value);
            }
        }
        self.text(")");
        self.release(parts);
        self.result(callee, path, &values, first.map(|first| first.node))
    }

    /// An argument of a call.
    pub fn argument(&mut self, part: Part<'t>) -> PathId {
        if part.kind != Kind::KeywordArgument {
            return self.expression(part.node, false);
        }
        let fields = &self.grammar.fields;
        let parts = self.parts(part.node);
        let name = self.field(parts, fields.name);
        let value = self.field(parts, fields.value);
        self.release(parts);
        if let Some(name) = name {
            self.leaf(name.node);
        }
        self.text("=");
        if let Some(value) = value {
            self.expression(value.node, false);
        }
        self.builder.unknown()
    }

    /// What a call gives.
    fn result(
        &mut self,
        callee: Node<'t>,
        path: PathId,
        values: &[PathId],
        first: Option<Node<'t>>,
    ) -> PathId {
        let unknown = self.builder.unknown();
        let name = self.slice(callee);
        let given = values.first().copied().unwrap_or(unknown);
        if self.is_builtin(callee, path) {
            match name {
                "super" => {
                    let class = self.method_class();
                    return match class {
                        Some(class) => self.builder.path(PathNode::Super(class)),
                        None => unknown,
                    };
                }
                "type" if values.len() == 1 => return self.class_of(given),
                "enumerate" => {
                    let item = self.item(given);
                    let number = self.builder.library("builtins.int");
                    let entry = self.tuple(&[number, item]);
                    return self.library_container("builtins.enumerate", entry);
                }
                "zip" => {
                    let items: Vec<PathId> = values.iter().map(|&value| self.item(value)).collect();
                    let entry = self.tuple(&items);
                    return self.library_container("builtins.zip", entry);
                }
                "list" | "tuple" | "set" | "frozenset" | "sorted" | "reversed" | "iter"
                    if !values.is_empty() =>
                {
                    let item = self.item(given);
                    return self.library_container(&format!("builtins.{name}"), item);
                }
                "next" | "min" | "max" if values.len() == 1 => return self.item(given),
                _ => {}
            }
        }
        if matches!(name, "cast" | "typing.cast" | "t.cast")
            && let Some(first) = first
        {
            return self.type_of(first);
        }
        self.call_of(path)
    }

    /// The class whose method is being read.
    fn method_class(&self) -> Option<PathId> {
        let mut scopes = self.scopes.iter().rev();
        let class = scopes.find(|scope| scope.kind == ScopeKind::Class)?;
        let index = class.definition?;
        let class = self.classes.iter().rev().find(|class| class.index == index)?;
        Some(class.path)
    }

    fn subscript(&mut self, node: Node<'t>) -> PathId {
        let parts = self.parts(node);
        let Some(value) = self.first_named(parts) else {
            self.release(parts);
            self.leaves(node);
            return self.builder.unknown();
        };
        let base = self.expression(value.node, true);
        let inner: Vec<Part<'t>> = self.parts[parts.start + 1..parts.end]
            .iter()
            .filter(|part| part.node.is_named())
            .copied()
            .collect();
        let comma = self.parts[parts.start..parts.end]
            .iter()
            .any(|part| part.kind == Kind::Comma);
        self.release(parts);
        self.text("[");
        let literal = self.slice(value.node).ends_with("Literal");
        self.subscripts(&inner, comma, |walker, part| {
            // The strings of `Literal` are no types.
            let _ = literal;
            walker.expression(part.node, false);
        });
        self.text("]");
        match &inner[..] {
            [only] if only.kind == Kind::Slice => base,
            [_] if !comma => self.element(base),
            _ => self.builder.unknown(),
        }
    }

    /// What stands alone between the parentheses of a pattern.
    pub fn grouped(&self, node: Node<'t>, parts: Parts) -> Option<Node<'t>> {
        match &self.parts[parts.start..parts.end] {
            [_, inner, _] if self.kind(node) == Kind::TuplePattern && inner.node.is_named() => {
                Some(inner.node)
            }
            _ => None,
        }
    }

    /// Several subscripts are a tuple.
    pub fn subscripts(
        &mut self,
        inner: &[Part<'t>],
        comma: bool,
        mut write: impl FnMut(&mut Self, Part<'t>),
    ) {
        if comma {
            self.text("(");
        }
        for (at, &part) in inner.iter().enumerate() {
            if at > 0 {
                self.text(",");
            }
            write(self, part);
        }
        if comma {
            if inner.len() == 1 {
                self.text(",");
            }
            self.text(")");
        }
    }

    // Collections.

    /// Elements between brackets. A tuple of one keeps its comma.
    pub fn sequence(&mut self, parts: Parts, open: &str, close: &str, tuple: bool) -> Vec<PathId> {
        self.text(open);
        let mut values = Vec::new();
        for index in parts.start..parts.end {
            let part = self.parts[index];
            if !part.node.is_named() {
                continue;
            }
            if !values.is_empty() {
                self.text(",");
            }
            let value = self.expression(part.node, false);
            values.push(value);
        }
        if tuple && values.len() == 1 {
            self.text(",");
        }
        self.text(close);
        values
    }

    fn same_elements(&mut self, container: &str, values: &[PathId]) -> PathId {
        let mut element = values.first().copied().unwrap_or(self.builder.unknown());
        for &value in values {
            element = self.either(element, value);
        }
        self.library_container(container, element)
    }

    fn dictionary(&mut self, node: Node<'t>) -> PathId {
        let parts = self.parts(node);
        self.text("{");
        let mut written = 0;
        let mut entry: Option<(PathId, PathId)> = None;
        for index in parts.start..parts.end {
            let part = self.parts[index];
            if !part.node.is_named() {
                continue;
            }
            if written > 0 {
                self.text(",");
            }
            written += 1;
            let (key, value) = if part.kind == Kind::Pair {
                self.pair(part.node)
            } else {
                self.expression(part.node, false);
                (self.builder.unknown(), self.builder.unknown())
            };
            entry = Some(match entry {
                Some(before) => (self.either(before.0, key), self.either(before.1, value)),
                None => (key, value),
            });
        }
        self.text("}");
        self.release(parts);
        let unknown = self.builder.unknown();
        let (key, value) = entry.unwrap_or((unknown, unknown));
        let outer = self.builder.library("builtins.dict");
        self.map(outer, key, value)
    }

    fn pair(&mut self, node: Node<'t>) -> (PathId, PathId) {
        let parts = self.parts(node);
        let mut values = [self.builder.unknown(); 2];
        let mut written = 0;
        for index in parts.start..parts.end {
            let part = self.parts[index];
            if part.node.is_named() && written < 2 {
                values[written] = self.expression(part.node, written == 0);
                written += 1;
            } else {
                self.leaf(part.node);
            }
        }
        self.release(parts);
        (values[0], values[1])
    }

    /// The clauses come first, for what they bind, but stand last.
    fn comprehension(&mut self, node: Node<'t>, open: &str, close: &str, container: &str) -> PathId {
        self.scopes.push(Scope::new(ScopeKind::Expression, None));
        self.text(open);
        let parts = self.parts(node);
        let start = self.builder.position();
        let mut body = None;
        for index in parts.start..parts.end {
            let part = self.parts[index];
            match part.kind {
                Kind::ForInClause => self.for_in(part.node),
                Kind::IfClause => self.if_clause(part.node),
                _ if body.is_none() && part.node.is_named() => body = Some(part),
                _ => {}
            }
        }
        let clauses = self.builder.split_off(start);
        let mut key = None;
        let mut value = self.builder.unknown();
        if let Some(body) = body {
            if body.kind == Kind::Pair {
                let (first, second) = self.pair(body.node);
                key = Some(first);
                value = second;
            } else {
                value = self.expression(body.node, false);
            }
        }
        for token in clauses {
            self.builder.push(token);
        }
        self.release(parts);
        self.text(close);
        self.scopes.pop();
        match key {
            Some(key) => {
                let outer = self.builder.library(container);
                self.map(outer, key, value)
            }
            None => self.library_container(container, value),
        }
    }

    fn for_in(&mut self, node: Node<'t>) {
        let fields = &self.grammar.fields;
        let parts = self.parts(node);
        let mut target = None;
        let several = self.parts[parts.start..parts.end]
            .iter()
            .any(|part| part.kind == Kind::Comma);
        let mut iterated = self.builder.unknown();
        let mut written = 0;
        for index in parts.start..parts.end {
            let part = self.parts[index];
            if part.field == fields.left {
                target = Some(part.node);
                // The names are not known before.
                let unknown = self.builder.unknown();
                self.bind(part.node, unknown);
                self.target(part.node);
            } else if part.field == fields.right && part.node.is_named() {
                if several {
                    self.text(if written == 0 { "(" } else { "," });
                }
                written += 1;
                iterated = self.expression(part.node, true);
            } else if part.kind != Kind::Comma {
                self.leaf(part.node);
            }
        }
        if several {
            self.text(")");
            iterated = self.builder.unknown();
        }
        self.release(parts);
        if let Some(target) = target {
            let value = self.item(iterated);
            self.bind(target, value);
        }
    }

    fn if_clause(&mut self, node: Node<'t>) {
        let parts = self.parts(node);
        for index in parts.start..parts.end {
            let part = self.parts[index];
            if part.node.is_named() {
                self.expression(part.node, true);
            } else {
                self.leaf(part.node);
            }
        }
        self.release(parts);
    }

    // Operators.

    fn operator(&mut self, node: Node<'t>) -> PathId {
        let unknown = self.builder.unknown();
        match self.kind(node) {
            Kind::BinaryOperator => self.chain(node, Kind::BinaryOperator),
            Kind::BooleanOperator => self.chain(node, Kind::BooleanOperator),
            Kind::ComparisonOperator => {
                let parts = self.parts(node);
                for index in parts.start..parts.end {
                    let part = self.parts[index];
                    if part.field == self.grammar.fields.operators {
                        match part.node.kind() {
                            "<>" => self.text("!="),
                            kind => self.text(kind),
                        }
                    } else {
                        self.expression(part.node, true);
                    }
                }
                self.release(parts);
                self.builder.library("builtins.bool")
            }
            Kind::ConditionalExpression => {
                self.branch_point();
                self.conditional(node)
            }
            Kind::Lambda => {
                self.lambda(node);
                unknown
            }
            Kind::NamedExpression => {
                let fields = &self.grammar.fields;
                let parts = self.parts(node);
                let name = self.field(parts, fields.name);
                let value = self.field(parts, fields.value);
                self.release(parts);
                let (Some(name), Some(value)) = (name, value) else {
                    return self.generic(node);
                };
                self.target(name.node);
                self.text(":=");
                let value = self.expression(value.node, false);
                let name = self.slice(name.node);
                self.set(name, Bound { value, refers: false });
                value
            }
            Kind::Await => {
                let value = self.generic_last(node);
                match self.builder.node(value) {
                    PathNode::Library(_) => value,
                    _ => self.element(value),
                }
            }
            Kind::Yield => {
                if let Some(scope) = self.function_scope() {
                    scope.yields = true;
                }
                let parts = self.parts(node);
                for index in parts.start..parts.end {
                    let part = self.parts[index];
                    if part.node.is_named() {
                        self.expression(part.node, false);
                    } else {
                        self.leaf(part.node);
                    }
                }
                self.release(parts);
                unknown
            }
            Kind::NotOperator => {
                self.generic(node);
                self.builder.library("builtins.bool")
            }
            _ => {
                self.generic(node);
                unknown
            }
        }
    }

    /// Parts in order; the value of the last.
    fn generic_last(&mut self, node: Node<'t>) -> PathId {
        let parts = self.parts(node);
        let mut value = self.builder.unknown();
        for index in parts.start..parts.end {
            let part = self.parts[index];
            if part.node.is_named() {
                value = self.expression(part.node, true);
            } else {
                self.leaf(part.node);
            }
        }
        self.release(parts);
        value
    }

    /// `a + b - c`: the left operands are unfolded, so that long chains are not deep.
    fn chain(&mut self, node: Node<'t>, kind: Kind) -> PathId {
        let mut right = Vec::new();
        let mut at = node;
        let (level, _) = self.level(node);
        loop {
            let parts = self.parts(at);
            let (left, operator, operand) = match &self.parts[parts.start..parts.end] {
                [left, operator, operand] => (*left, *operator, *operand),
                _ => {
                    self.release(parts);
                    break;
                }
            };
            self.release(parts);
            right.push((operator, operand));
            at = left.node;
            let inner = self.unwrap(at);
            let (inner_level, chains) = if self.kind(inner) == kind {
                self.level(inner)
            } else {
                (0, false)
            };
            if inner_level != level || !chains {
                break;
            }
            at = inner;
        }
        let mut value = self.expression(at, true);
        let mut left = at;
        let boolean = kind == Kind::BooleanOperator;
        for (operator, operand) in right.into_iter().rev() {
            self.leaf(operator.node);
            let conjunction = boolean && operator.node.kind() == "and";
            let mark = conjunction.then(|| {
                let mark = self.begin_branch();
                self.narrow(Some(left), true);
                mark
            });
            let next = self.expression(operand.node, true);
            if let Some(mark) = mark {
                // What the right side binds is kept; what the left says of it is not.
                self.end_branch(mark, false);
            }
            left = operand.node;
            value = if boolean {
                self.union_of(value, next)
            } else {
                self.builder.unknown()
            };
        }
        value
    }

    /// How tightly an operator binds, and whether it groups to the left.
    fn level(&mut self, node: Node<'t>) -> (u32, bool) {
        let parts = self.parts(node);
        let operator = match &self.parts[parts.start..parts.end] {
            [_, operator, _] => operator.node.kind(),
            _ => "",
        };
        self.release(parts);
        match operator {
            "or" => (1, true),
            "and" => (2, true),
            "|" => (3, true),
            "^" => (4, true),
            "&" => (5, true),
            "<<" | ">>" => (6, true),
            "+" | "-" => (7, true),
            "*" | "@" | "/" | "//" | "%" => (8, true),
            _ => (9, false),
        }
    }

    fn conditional(&mut self, node: Node<'t>) -> PathId {
        let parts = self.parts(node);
        let named: Vec<Part<'t>> = self.parts[parts.start..parts.end]
            .iter()
            .filter(|part| part.node.is_named())
            .copied()
            .collect();
        self.release(parts);
        let [then, condition, otherwise] = named[..] else {
            return self.generic(node);
        };
        let mark = self.begin_branch();
        self.narrow(Some(condition.node), true);
        let first = self.expression(then.node, true);
        self.end_branch(mark, false);
        self.text("if");
        self.expression(condition.node, true);
        self.text("else");
        let second = self.expression(otherwise.node, false);
        self.union_of(first, second)
    }

    fn lambda(&mut self, node: Node<'t>) {
        let fields = &self.grammar.fields;
        let parts = self.parts(node);
        let parameters = self.field(parts, fields.parameters);
        let body = self.field(parts, fields.body);
        self.release(parts);
        self.text("lambda");
        let mut scope = Scope::new(ScopeKind::Expression, None);
        if let Some(parameters) = parameters {
            for parameter in self.parameter_list(parameters.node) {
                let value = self.builder.unknown();
                scope.names.insert(
                    parameter.name,
                    Local {
                        bound: Some(Bound { value, refers: false }),
                        times: 1,
                    },
                );
            }
        }
        self.text(":");
        self.scopes.push(scope);
        if let Some(body) = body {
            self.expression(body.node, false);
        }
        self.scopes.pop();
    }

    // Parameters.

    pub fn parameters(&mut self, node: Node<'t>) -> Vec<Parameter<'a>> {
        self.text("(");
        let parameters = self.parameter_list(node);
        self.text(")");
        parameters
    }

    fn parameter_list(&mut self, node: Node<'t>) -> Vec<Parameter<'a>> {
        let parts = self.parts(node);
        let mut parameters = Vec::new();
        let mut written = 0;
        for index in parts.start..parts.end {
            let part = self.parts[index];
            if !part.node.is_named() && part.node.kind() != "*" && part.node.kind() != "/" {
                continue;
            }
            if written > 0 {
                self.text(",");
            }
            written += 1;
            self.parameter(part, &mut parameters);
        }
        self.release(parts);
        parameters
    }

    fn parameter(&mut self, part: Part<'t>, parameters: &mut Vec<Parameter<'a>>) {
        let fields = &self.grammar.fields;
        let node = part.node;
        let unknown = self.builder.unknown();
        let mut parameter = Parameter {
            name: "",
            value: unknown,
            annotation: "",
            splat: false,
        };
        match part.kind {
            Kind::Identifier => {
                parameter.name = self.slice(node);
                self.leaf(node);
                parameters.push(parameter);
            }
            Kind::DefaultParameter | Kind::TypedDefaultParameter | Kind::TypedParameter => {
                let parts = self.parts(node);
                let name = self.first_named(parts);
                let annotation = self.field(parts, fields.type_);
                let value = self.field(parts, fields.value);
                self.release(parts);
                let Some(name) = name else { return };
                let stars = match name.kind {
                    Kind::ListSplatPattern => "*",
                    Kind::DictionarySplatPattern => "**",
                    _ => "",
                };
                parameter.splat = !stars.is_empty();
                parameter.name = self.slice(name.node).trim_start_matches('*').trim();
                if name.kind == Kind::TuplePattern {
                    self.tuple_parameter(name.node, parameters);
                    parameter.name = "";
                } else {
                    if parameter.splat {
                        self.text(stars);
                    }
                    self.text(parameter.name);
                }
                if let Some(annotation) = annotation {
                    self.text(":");
                    parameter.annotation = self.slice(annotation.node).trim_matches(['"', '\'']);
                    parameter.value = self.annotation(annotation.node);
                    match stars {
                        "*" => {
                            parameter.value = self.library_container("builtins.tuple", parameter.value);
                        }
                        "**" => {
                            let dict = self.builder.library("builtins.dict");
                            let key = self.builder.library("builtins.str");
                            let element = self.known(parameter.value);
                            parameter.value = self.map(dict, key, element);
                        }
                        _ => {}
                    }
                }
                if let Some(value) = value {
                    self.text("=");
                    self.expression(value.node, false);
                }
                if !parameter.name.is_empty() {
                    parameters.push(parameter);
                }
            }
            Kind::ListSplatPattern | Kind::DictionarySplatPattern => {
                parameter.splat = true;
                parameter.name = self.slice(node).trim_start_matches('*').trim();
                self.text(if part.kind == Kind::ListSplatPattern {
                    "*"
                } else {
                    "**"
                });
                self.text(parameter.name);
                parameters.push(parameter);
            }
            Kind::TuplePattern => self.tuple_parameter(node, parameters),
            _ => self.leaf(node),
        }
    }

    /// A parameter of old that takes a tuple apart.
    fn tuple_parameter(&mut self, node: Node<'t>, parameters: &mut Vec<Parameter<'a>>) {
        let value = self.builder.unknown();
        let mut found = Vec::new();
        syntax::for_each_leaf(node, |leaf| found.push(leaf));
        for leaf in found {
            if self.kind(leaf) == Kind::Identifier {
                parameters.push(Parameter {
                    name: self.slice(leaf),
                    value,
                    annotation: "",
                    splat: true,
                });
            }
            if !matches!(self.kind(leaf), Kind::Comment | Kind::LineContinuation) {
                self.leaf(leaf);
            }
        }
    }
}

fn is_statement(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::ExpressionStatement
            | Kind::ImportStatement
            | Kind::ImportFromStatement
            | Kind::FutureImportStatement
            | Kind::AssertStatement
            | Kind::ReturnStatement
            | Kind::DeleteStatement
            | Kind::RaiseStatement
            | Kind::PassStatement
            | Kind::BreakStatement
            | Kind::ContinueStatement
            | Kind::GlobalStatement
            | Kind::NonlocalStatement
            | Kind::PrintStatement
            | Kind::ExecStatement
            | Kind::TypeAliasStatement
            | Kind::IfStatement
            | Kind::ForStatement
            | Kind::WhileStatement
            | Kind::TryStatement
            | Kind::WithStatement
            | Kind::MatchStatement
            | Kind::FunctionDefinition
            | Kind::ClassDefinition
            | Kind::DecoratedDefinition
    )
}
