//! Expressions: their types, and what they refer to.

use syntax::Code;
use syntax::tree::{Comparison, Expression, ExpressionKind, Link, Name, Operand, Operator, Span, TextPart};

use super::{Body, Outcome};
use crate::declaration::{DefinitionKind, TypeKind};
use crate::facts::{ImplicitCall, Role, Target};
use crate::names::nearest;
use crate::program::DefId;
use crate::types::Type;

impl Body<'_> {
    /// The type of an expression that must have a value.
    pub(super) fn expression(&mut self, expression: &Expression, expected: Option<&Type>) -> Type {
        let outcome = self.fallible(expression, expected);
        if !outcome.fails.is_empty() {
            self.missing_otherwise(&outcome.fails, expression.span);
        }
        outcome.value
    }

    fn missing_otherwise(&mut self, fails: &[Type], span: Span) {
        let listed: Vec<String> = fails.iter().map(|failure| self.spelling(failure)).collect();
        self.report(
            Code::MissingOtherwise,
            span,
            format!("this can fail with {}", listed.join(" or ")),
            "say what happens then: `… otherwise fail`, `… otherwise value`, or `match` on it",
        );
    }

    /// What an expression gives, whether or not it can fail.
    pub(super) fn fallible(&mut self, expression: &Expression, expected: Option<&Type>) -> Outcome {
        let outcome = self.inside_of(expression, expected);
        self.set_type(expression.id, &outcome.value);
        outcome
    }

    fn inside_of(&mut self, expression: &Expression, expected: Option<&Type>) -> Outcome {
        let prelude = &self.program.prelude;
        let of = |id: DefId| Outcome::of(Type::named(id));
        match &expression.kind {
            ExpressionKind::Integer { .. } => {
                let wanted = expected.and_then(|expected| self.wanted_number(expected));
                of(wanted.unwrap_or(prelude.integer))
            }
            ExpressionKind::Decimal { .. } => {
                let wanted = expected.and_then(|expected| self.wanted_number(expected));
                let float = wanted == Some(prelude.float);
                of(if float { prelude.float } else { prelude.decimal })
            }
            ExpressionKind::Text(text) => {
                let text_type = prelude.text;
                for part in &text.parts {
                    if let TextPart::Hole { value, .. } = part {
                        self.hole(value);
                    }
                }
                of(text_type)
            }
            ExpressionKind::Boolean(_) => of(prelude.boolean),
            ExpressionKind::Nothing => {
                let wanted = expected.map(|expected| self.shallow(expected));
                if let Some(wanted @ Type::Maybe(_)) = wanted {
                    return Outcome::of(wanted);
                }
                let inner = self.fresh();
                self.pending.push((inner.clone(), expression.span, "`nothing`"));
                Outcome::of(Type::maybe(inner))
            }
            ExpressionKind::SelfValue => match self.find_local("self") {
                Some(index) => {
                    let value = self.read_local(index, expression.span, Role::Read);
                    Outcome::of(value)
                }
                None => {
                    self.report(
                        Code::UnknownName,
                        expression.span,
                        "there is no `self` here",
                        "only methods have `self`",
                    );
                    Outcome::of(Type::Error)
                }
            },
            ExpressionKind::List(elements) => {
                let list = prelude.list;
                let wanted = self.wanted_argument(expected, list, 0);
                let element = match wanted {
                    Some(wanted) => wanted,
                    None => {
                        let fresh = self.fresh();
                        self.pending
                            .push((fresh.clone(), expression.span, "the items of this list"));
                        fresh
                    }
                };
                self.elements(elements.iter().collect(), &element);
                Outcome::of(Type::generic(list, [element]))
            }
            ExpressionKind::Map(entries) => {
                let map = prelude.map;
                let part = |body: &mut Self, position: usize, what: &'static str| {
                    body.wanted_argument(expected, map, position).unwrap_or_else(|| {
                        let fresh = body.fresh();
                        body.pending.push((fresh.clone(), expression.span, what));
                        fresh
                    })
                };
                let key = part(self, 0, "the keys of this map");
                let value = part(self, 1, "the values of this map");
                self.elements(entries.iter().map(|entry| &entry.key).collect(), &key);
                self.elements(entries.iter().map(|entry| &entry.value).collect(), &value);
                if let Some(first) = entries.first() {
                    self.needs_hash(&key, first.key.span, "a key of a map");
                }
                Outcome::of(Type::generic(map, [key, value]))
            }
            ExpressionKind::Name(name) => self.name(name),
            ExpressionKind::TypeName(name) => self.bare(name, expected),
            ExpressionKind::Call { name, arguments } => self.call(name, arguments, expected),
            ExpressionKind::Construct { name, arguments } => {
                self.construct(name, arguments, expected, expression.span)
            }
            ExpressionKind::Chain { first, links } => self.chain(first, links, expected),
            ExpressionKind::Operators { first, rest } => self.operators(first, rest, expected),
            ExpressionKind::Power { base, exponent } => self.power(base, exponent, expected),
            ExpressionKind::Not(inner) => {
                self.truth(inner);
                of(self.program.prelude.boolean)
            }
            ExpressionKind::Compare {
                left,
                operator,
                right,
                operator_span,
            } => {
                self.comparison(expression, left, *operator, *operator_span, right);
                of(self.program.prelude.boolean)
            }
            ExpressionKind::With { value, updates } => self.update(value, updates),
            ExpressionKind::Otherwise { value, outcomes } => self.otherwise(value, outcomes, expected),
            ExpressionKind::Parenthesised(inner) => self.fallible(inner, expected),
            ExpressionKind::Range { from, to, by } => {
                let (integer, range) = (Type::named(prelude.integer), prelude.range);
                self.value(from, &integer);
                self.value(to, &integer);
                if let Some(by) = by {
                    self.value(by, &integer);
                }
                of(range)
            }
            ExpressionKind::If { branches, otherwise } => {
                self.if_value(branches, otherwise.as_deref(), expected)
            }
            ExpressionKind::Match {
                subject,
                arms,
                otherwise,
            } => self.match_value(subject, arms, otherwise.as_deref(), expected, expression.span),
            ExpressionKind::Query(query) => self.query(query, expression, expected),
            ExpressionKind::Error => Outcome::of(Type::Error),
        }
    }

    /// Items of a literal: those that do not hang on the others first.
    fn elements(&mut self, elements: Vec<&Expression>, of: &Type) {
        let (later, first): (Vec<&Expression>, Vec<&Expression>) =
            elements.into_iter().partition(|element| is_literal_like(element));
        for element in first.into_iter().chain(later) {
            self.value(element, of);
        }
    }

    /// A type argument of an expected container.
    fn wanted_argument(&self, expected: Option<&Type>, container: DefId, position: usize) -> Option<Type> {
        let mut wanted = self.shallow(expected?);
        while let Type::Maybe(inner) = wanted {
            wanted = self.shallow(&inner);
        }
        match wanted {
            Type::Named {
                definition,
                arguments,
            } if definition == container => arguments.get(position).cloned(),
            _ => None,
        }
    }

    /// The number type that an expected type asks a literal to be.
    fn wanted_number(&self, expected: &Type) -> Option<DefId> {
        let mut wanted = self.shallow(expected);
        while let Type::Maybe(inner) = wanted {
            wanted = self.shallow(&inner);
        }
        self.number(&self.bottom(&wanted))
    }

    /// `Integer`, `Decimal` or `Float` itself.
    pub(super) fn number(&self, of: &Type) -> Option<DefId> {
        let prelude = &self.program.prelude;
        let head = self.shallow(of).head()?;
        [prelude.integer, prelude.decimal, prelude.float]
            .contains(&head)
            .then_some(head)
    }

    fn hole(&mut self, value: &Expression) {
        let of = self.some_value(value);
        let subject = self.deep(&of);
        let ability = self.program.prelude.to_text;
        if self.program.has(&subject, ability, self.inside) {
            self.implicit.push(ImplicitCall {
                node: value.id,
                ability,
                subject,
            });
            return;
        }
        let spelling = self.spelling(&subject);
        self.report(
            Code::MissingAbility,
            value.span,
            format!("a `{spelling}` has no `ToText`, so it cannot stand in a text"),
            match subject {
                Type::Parameter(_) => format!("add the bound: `where {spelling} can ToText`"),
                _ => format!("add `can ToText` to `{spelling}`, or write out what to show"),
            },
        );
    }

    fn name(&mut self, name: &Name) -> Outcome {
        if let Some(index) = self.find_local(&name.text) {
            return Outcome::of(self.read_local(index, name.span, Role::Read));
        }
        if let Some(id) = self.own(&name.text)
            && matches!(
                self.program.definition(id).kind,
                DefinitionKind::Function(_) | DefinitionKind::Constant(_)
            )
        {
            return self.name_of(id, name);
        }
        if !name.is_missing() {
            self.unknown_name(name);
        }
        Outcome::of(Type::Error)
    }

    /// A binding is read.
    pub(super) fn read_local(&mut self, index: usize, span: Span, role: Role) -> Type {
        self.locals[index].read = true;
        let local = self.locals[index].clone();
        self.refer(span, Target::Local(local.node), role);
        let (depth, task) = local.task;
        if depth > 0 && depth <= self.tasks.len() && self.tasks[depth - 1] != task {
            self.report(
                Code::TaskIndependence,
                span,
                format!(
                    "a task reads `{}`, which another task of the block binds",
                    local.name
                ),
                "read it after the block, or bind both in one task",
            );
        }
        local.annotation
    }

    pub(super) fn unknown_name(&mut self, name: &Name) {
        if let Some(import) = self.module.import(&name.text) {
            let module = &self.program.module(import.module).name;
            self.report(
                Code::UnknownName,
                name.span,
                format!("`{}` is the module `{module}`, not a value", name.text),
                format!("write `{}.name`", name.text),
            );
            return;
        }
        if self.siblings.contains(&name.text) {
            self.report(
                Code::RefinementField,
                name.span,
                format!(
                    "a condition reads its own field alone, and `{}` is another",
                    name.text
                ),
                "check what two fields have to do with each other in a function that constructs the type",
            );
            return;
        }
        let visible = self.visible.iter().filter(|index| **index != usize::MAX);
        let locals: Vec<&str> = visible.map(|index| &*self.locals[*index].name).collect();
        let globals = self.module.outline.names.keys().map(|known| &**known);
        let mut candidates: Vec<&str> = locals.into_iter().chain(globals).collect();
        candidates.sort_unstable();
        let fix = match nearest(&name.text, candidates) {
            Some(near) => format!("did you mean `{near}`?"),
            None => match (&*name.text, self.home_of_function(&name.text)) {
                ("null" | "nil" | "none" | "undefined", _) => "write `nothing`".to_owned(),
                ("this", _) => "write `self`".to_owned(),
                (_, Some((namespace, true))) => format!("write `{namespace}.{}`", name.text),
                (_, Some((module, false))) => format!("import `{module}` and write `….{}`", name.text),
                (_, None) => format!("bind it: `let {} be …`", name.text),
            },
        };
        self.report(
            Code::UnknownName,
            name.span,
            format!("there is no `{}` here", name.text),
            fix,
        );
    }

    /// `first.a.b(…)`
    fn chain(&mut self, first: &Expression, links: &[Link], expected: Option<&Type>) -> Outcome {
        let mut rest = links.iter().enumerate();
        let mut current = None;
        if let ExpressionKind::Name(name) = &first.kind
            && self.find_local(&name.text).is_none()
            && let Some(import) = self
                .module
                .imports
                .iter()
                .position(|import| import.namespace == name.text)
            && let Some((_, link)) = rest.next()
        {
            let expected = expected.filter(|_| links.len() == 1);
            let outcome = self.qualified(name, import, link, expected);
            self.set_type(link.id, &outcome.value);
            current = Some((outcome, first.span.to(link.span)));
        }
        let (mut outcome, mut span) = match current {
            Some(current) => current,
            None => (self.fallible(first, None), first.span),
        };
        for (position, link) in rest {
            if !outcome.fails.is_empty() {
                self.missing_otherwise(&outcome.fails.clone(), span);
            }
            span = first.span.to(link.span);
            let expected = expected.filter(|_| position + 1 == links.len());
            outcome = match &link.arguments {
                Some(arguments) => self.call_method(&outcome.value, link, arguments, expected),
                None => Outcome::of(self.field(&outcome.value, link)),
            };
            self.set_type(link.id, &outcome.value);
        }
        outcome
    }

    /// `value.name`
    fn field(&mut self, of: &Type, link: &Link) -> Type {
        let of = self.shallow(of);
        let name = &link.name;
        match &of {
            Type::Error | Type::Never => return Type::Error,
            Type::Maybe(_) => {
                let found = self.spelling(&of);
                self.report(
                    Code::MaybeValue,
                    link.span,
                    format!("this is a `{found}`, which may have no fields"),
                    "say what happens without one: `(… otherwise …)`, or `match` on it",
                );
                return Type::Error;
            }
            _ => {}
        }
        let program = self.program;
        if let Type::Named {
            definition,
            arguments,
        } = self.bottom(&of)
            && let Some(fields) = program
                .definition(definition)
                .as_type()
                .and_then(TypeKind::fields)
        {
            if let Some(position) = fields.iter().position(|field| field.name == name.text) {
                self.refer(
                    name.span,
                    Target::Field {
                        owner: definition,
                        variant: None,
                        field: position as u32,
                    },
                    Role::Read,
                );
                return fields[position].annotation.substitute(&arguments, None);
            }
            self.unknown_field(name, &of, fields);
            return Type::Error;
        }
        if of == Type::NoValue {
            self.report(
                Code::TypeMismatch,
                link.span,
                "what is before the dot returns nothing",
                "read a field of a value",
            );
            return Type::Error;
        }
        self.unknown_field(name, &of, &[]);
        Type::Error
    }

    // Operators.

    fn operators(&mut self, first: &Expression, rest: &[Operand], expected: Option<&Type>) -> Outcome {
        if matches!(
            rest.first().map(|operand| operand.operator),
            Some(Operator::And | Operator::Or)
        ) {
            self.truth(first);
            let boolean = Type::named(self.program.prelude.boolean);
            for operand in rest {
                self.truth(&operand.value);
                self.set_type(operand.id, &boolean);
            }
            return Outcome::of(boolean);
        }
        let operands: Vec<&Expression> = std::iter::once(first)
            .chain(rest.iter().map(|operand| &operand.value))
            .collect();
        // Number literals take the type of the first operand that is none, else what is expected.
        let wanted = expected
            .and_then(|expected| self.wanted_number(expected))
            .map(Type::named);
        let mut types: Vec<Option<Type>> = vec![None; operands.len()];
        let mut known: Option<Type> = None;
        for (position, operand) in operands.iter().enumerate() {
            if !is_literal_like(operand) {
                let found = self.expression(operand, wanted.as_ref());
                let number = self.operand(&found, operand.span);
                if known.is_none() && number.is_some() {
                    known = number.clone();
                }
                types[position] = Some(number.unwrap_or(Type::Error));
            }
        }
        let hint = known.or(wanted);
        for (position, operand) in operands.iter().enumerate() {
            if types[position].is_none() {
                let found = self.expression(operand, hint.as_ref());
                let number = self.operand(&found, operand.span);
                types[position] = Some(number.unwrap_or(Type::Error));
            }
        }
        let mut types = types.into_iter().flatten();
        let mut result = types.next().unwrap_or(Type::Error);
        for (operand, right) in rest.iter().zip(types) {
            let division = operand.operator == Operator::Divide;
            let integers = self.number(&result) == Some(self.program.prelude.integer) && result == right;
            if result == Type::Error {
                result = right;
            } else if right == Type::Error {
            } else if result != right {
                let (left, right) = (self.spelling(&result), self.spelling(&right));
                self.report(
                    Code::TypeMismatch,
                    operand.operator_span,
                    format!(
                        "`{}` takes two numbers of one type, here a `{left}` and a `{right}`",
                        operand.operator.spelling()
                    ),
                    "convert one of them: `.to_decimal()`, `.to_float()`",
                );
                result = Type::Error;
            } else if division && integers {
                self.report(
                    Code::IntegerDivision,
                    operand.operator_span,
                    "whole numbers are not divided by `/`",
                    "write `left.quotient(right)`, or convert both with `.to_decimal()`",
                );
                result = Type::Error;
            }
            self.set_type(operand.id, &result);
        }
        Outcome::of(result)
    }

    /// The number type of an operand, or what is wrong with it is told.
    fn operand(&mut self, found: &Type, span: Span) -> Option<Type> {
        let bottom = self.bottom(found);
        if self.number(&bottom).is_some() {
            return Some(bottom);
        }
        match &bottom {
            Type::Error | Type::Never => {}
            Type::Maybe(inner) if self.number(&self.bottom(inner)).is_some() => {
                let spelling = self.spelling(found);
                self.report(
                    Code::MaybeValue,
                    span,
                    format!("this is a `{spelling}`, and a number is needed"),
                    "say what happens without one: `(… otherwise …)`",
                );
            }
            Type::NoValue => self.report(
                Code::TypeMismatch,
                span,
                "this call returns nothing, and a number is needed",
                "calculate with values",
            ),
            _ => {
                let spelling = self.spelling(found);
                let text = bottom.head() == Some(self.program.prelude.text);
                self.report(
                    Code::TypeMismatch,
                    span,
                    format!("numbers are calculated with, and this is a `{spelling}`"),
                    if text {
                        "put texts together in one: `\"{first}{second}\"`"
                    } else {
                        "write an `Integer`, `Decimal` or `Float`"
                    },
                );
            }
        }
        None
    }

    fn power(&mut self, base: &Expression, exponent: &Expression, expected: Option<&Type>) -> Outcome {
        let wanted = expected
            .and_then(|expected| self.wanted_number(expected))
            .map(Type::named);
        let found = self.expression(base, wanted.as_ref());
        let Some(number) = self.operand(&found, base.span) else {
            self.expression(exponent, None);
            return Outcome::of(Type::Error);
        };
        let prelude = &self.program.prelude;
        let wanted = if self.number(&number) == Some(prelude.float) {
            prelude.float
        } else {
            prelude.integer
        };
        self.value(exponent, &Type::named(wanted));
        Outcome::of(number)
    }

    fn comparison(
        &mut self,
        whole: &Expression,
        left: &Expression,
        operator: Comparison,
        operator_span: Span,
        right: &Expression,
    ) {
        let (first, second) = if is_literal_like(left) && !is_literal_like(right) {
            let second = self.some_value(right);
            (self.expression(left, Some(&second)), second)
        } else {
            let first = self.some_value(left);
            let second = self.expression(right, Some(&first));
            (first, second)
        };
        let first = self.deep(&first);
        let second = self.deep(&second);
        if operator.is_ordering() {
            for (of, span) in [(&first, left.span), (&second, right.span)] {
                let both = matches!((&first, &second), (Type::Maybe(_), Type::Maybe(_)));
                if matches!(of, Type::Maybe(_)) && !both {
                    let spelling = self.spelling(of);
                    self.report(
                        Code::MaybeValue,
                        span,
                        format!("this is a `{spelling}`, and a value is compared"),
                        "say what happens without one: `(… otherwise …)`",
                    );
                    return;
                }
            }
        }
        if !self.comparable(&first, &second, whole.span) {
            return;
        }
        if operator.is_ordering() {
            self.needs_compare(&first, operator_span, whole.id, "what is ordered");
        } else {
            self.needs_equal(&first, operator_span);
        }
    }

    /// Two sides of a comparison have one type, as far as one is accepted where the other is.
    pub(super) fn comparable(&mut self, left: &Type, right: &Type, span: Span) -> bool {
        if self.accept(right, left).is_ok() || self.accept(left, right).is_ok() {
            return true;
        }
        // Two subtypes of one base.
        let (first, second) = (self.bottom(left), self.bottom(right));
        if (first != *left || second != *right) && self.try_unify(&first, &second) {
            return true;
        }
        if *left == Type::NoValue || *right == Type::NoValue {
            self.report(
                Code::TypeMismatch,
                span,
                "a call that returns nothing is compared",
                "compare values",
            );
            return false;
        }
        let (first, second) = (self.spelling(left), self.spelling(right));
        self.report(
            Code::TypeMismatch,
            span,
            format!("a `{first}` is compared with a `{second}`"),
            "compare values of one type",
        );
        false
    }

    pub(super) fn needs_equal(&mut self, of: &Type, span: Span) {
        let of = self.deep(of);
        if !self.program.has(&of, self.program.prelude.equal, self.inside) && of != Type::NoValue {
            let spelling = self.spelling(&of);
            self.report(
                Code::MissingAbility,
                span,
                format!("a `{spelling}` has no `Equal`: functions are not compared"),
                "compare what the functions give",
            );
        }
    }

    pub(super) fn needs_compare(&mut self, of: &Type, span: Span, node: syntax::tree::NodeId, what: &str) {
        let of = self.deep(of);
        let ability = self.program.prelude.compare;
        if self.program.has(&of, ability, self.inside) {
            self.implicit.push(ImplicitCall {
                node,
                ability,
                subject: of,
            });
            return;
        }
        let spelling = self.spelling(&of);
        self.report(
            Code::MissingAbility,
            span,
            format!("{what} needs `Compare`, which `{spelling}` does not have"),
            match of {
                Type::Parameter(_) => format!("add the bound: `where {spelling} can Compare`"),
                _ => format!("add `can Compare by …` to `{spelling}`, or order by a part of it"),
            },
        );
    }

    pub(super) fn needs_hash(&mut self, of: &Type, span: Span, what: &str) {
        let of = self.deep(of);
        if self.program.has(&of, self.program.prelude.hash, self.inside) {
            return;
        }
        let spelling = self.spelling(&of);
        self.report(
            Code::MissingAbility,
            span,
            format!("{what} needs `Hash`, which `{spelling}` does not have"),
            match of {
                Type::Parameter(_) => format!("add the bound: `where {spelling} can Hash`"),
                _ => format!("add `can Hash` to `{spelling}`"),
            },
        );
    }
}

/// A literal without holes, of whichever kind, and subtypes made of one.
pub(super) fn is_literal(expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Integer { .. }
        | ExpressionKind::Decimal { .. }
        | ExpressionKind::Boolean(_)
        | ExpressionKind::Nothing => true,
        ExpressionKind::Text(text) => text.plain().is_some(),
        ExpressionKind::List(elements) => elements.iter().all(is_literal),
        ExpressionKind::Map(entries) => entries
            .iter()
            .all(|entry| is_literal(&entry.key) && is_literal(&entry.value)),
        ExpressionKind::Parenthesised(inner) => is_literal(inner),
        ExpressionKind::Construct { arguments, .. } => match &arguments.list[..] {
            [only] => only.name.is_none() && is_literal(&only.value),
            _ => false,
        },
        _ => false,
    }
}

/// What takes its type from what is around it: number literals and what is calculated from
/// them alone, `nothing`, empty lists and maps.
pub(super) fn is_literal_like(expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Nothing => true,
        ExpressionKind::List(elements) => elements.iter().all(is_literal_like),
        ExpressionKind::Map(entries) => entries.iter().all(|entry| is_literal_like(&entry.value)),
        _ => is_number(expression),
    }
}

/// A number literal, or a calculation with nothing else in it.
pub(super) fn is_number(expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Integer { .. } | ExpressionKind::Decimal { .. } => true,
        ExpressionKind::Parenthesised(inner) => is_number(inner),
        ExpressionKind::Operators { first, rest } => {
            is_number(first)
                && rest.iter().all(|operand| {
                    !matches!(operand.operator, Operator::And | Operator::Or) && is_number(&operand.value)
                })
        }
        ExpressionKind::Power { base, exponent } => is_number(base) && is_number(exponent),
        _ => false,
    }
}
