//! Expressions, patterns and types (3.2, 3.5).

use super::Builder;
use super::layout::{Doc, concat, flat, group, indent, text};
use super::statements::is_wrapped;
use crate::tree::{
    Arguments, Capability, CapabilityPath, Expression, ExpressionKind, FunctionType, NamedType, Operator,
    Order, Outcome, OutcomeKind, Pattern, PatternKind, Query, Source, TerminalKind, TextForm, TextLiteral,
    TextPart, Type, TypeKind,
};

impl Builder<'_> {
    pub(super) fn expression(&mut self, expression: &Expression) -> Doc {
        match &expression.kind {
            ExpressionKind::Integer { .. } | ExpressionKind::Decimal { .. } | ExpressionKind::Error => {
                text(expression.span.text(self.source))
            }
            ExpressionKind::Text(literal) => self.text_literal(literal),
            ExpressionKind::Boolean(value) => text(if *value { "true" } else { "false" }),
            ExpressionKind::Nothing => text("nothing"),
            ExpressionKind::SelfValue => text("self"),
            ExpressionKind::Name(name) | ExpressionKind::TypeName(name) => text(&*name.text),
            ExpressionKind::List(list) => {
                let items = list
                    .iter()
                    .map(|item| (item.span.start, item.span.end, item))
                    .collect();
                self.bracketed("[", items, "]", |builder, item| builder.expression(item))
            }
            ExpressionKind::Map(entries) => {
                let items = entries
                    .iter()
                    .map(|entry| (entry.key.span.start, entry.value.span.end, entry))
                    .collect();
                self.bracketed("{", items, "}", |builder, entry| {
                    let key = builder.expression(&entry.key);
                    concat(vec![key, text(": "), builder.expression(&entry.value)])
                })
            }
            ExpressionKind::Call { name, arguments } | ExpressionKind::Construct { name, arguments } => {
                let arguments = self.arguments(arguments);
                concat(vec![text(&*name.text), arguments])
            }
            ExpressionKind::Chain { first, links } => {
                let mut docs = vec![self.expression(first)];
                for link in links {
                    docs.push(text(format!(".{}", link.name.text)));
                    if let Some(arguments) = &link.arguments {
                        docs.push(self.arguments(arguments));
                    }
                }
                concat(docs)
            }
            ExpressionKind::Operators { first, rest } => {
                if matches!(
                    rest.first().map(|operand| operand.operator),
                    Some(Operator::And | Operator::Or)
                ) {
                    let mut operands = Vec::new();
                    self.connected(expression, "", &mut operands);
                    return group(chained(operands));
                }
                let mut docs = vec![self.expression(first)];
                for operand in rest {
                    docs.push(text(format!(" {} ", operand.operator.spelling())));
                    docs.push(self.expression(&operand.value));
                }
                concat(docs)
            }
            ExpressionKind::Power { base, exponent } => {
                let base = self.expression(base);
                concat(vec![base, text(" power "), self.expression(exponent)])
            }
            ExpressionKind::Not(inner) => concat(vec![text("not "), self.expression(inner)]),
            ExpressionKind::Compare {
                left,
                operator,
                right,
                ..
            } => {
                let left = self.expression(left);
                let operator = text(format!(" {} ", operator.spelling()));
                concat(vec![left, operator, self.expression(right)])
            }
            ExpressionKind::With { value, updates } => {
                let value = self.expression(value);
                let mut docs = vec![Doc::Soft, text("with ")];
                for (position, update) in updates.iter().enumerate() {
                    let comma = if position > 0 { ", " } else { "" };
                    docs.push(text(format!("{comma}{}: ", update.name.text)));
                    docs.push(self.expression(&update.value));
                }
                group(concat(vec![value, indent(concat(docs))]))
            }
            ExpressionKind::Otherwise { value, outcomes } => {
                let mut left = self.expression(value);
                for outcome in outcomes {
                    let right = concat(vec![text("otherwise "), self.outcome(outcome)]);
                    left = read_by_otherwise(left, right);
                }
                left
            }
            ExpressionKind::Parenthesised(inner) => {
                // The clauses of a query in parentheses belong to nothing around them.
                let query = is_wrapped(inner, |kind| matches!(kind, ExpressionKind::Query(_)));
                let inner = self.expression(inner);
                let inner = if query { group(indent(inner)) } else { inner };
                concat(vec![text("("), inner, text(")")])
            }
            ExpressionKind::Range { from, to, by } => {
                let mut docs = vec![text("from "), self.expression(from)];
                docs.extend([text(" to "), self.expression(to)]);
                if let Some(by) = by {
                    docs.extend([text(" by "), self.expression(by)]);
                }
                concat(docs)
            }
            ExpressionKind::If { branches, otherwise } => {
                let mut docs = Vec::new();
                for (position, branch) in branches.iter().enumerate() {
                    if position > 0 {
                        docs.push(Doc::Soft);
                        docs.extend(self.above(branch.span.start));
                        docs.push(text("otherwise "));
                    }
                    docs.push(text("if "));
                    docs.push(self.expression(&branch.condition));
                    docs.push(text(" then "));
                    docs.push(self.outcome(&branch.outcome));
                    docs.push(self.trailing(branch.outcome.span.end));
                }
                if let Some(outcome) = otherwise {
                    docs.push(Doc::Soft);
                    docs.extend(self.above(outcome.span.start));
                    docs.push(text("otherwise "));
                    docs.push(self.outcome(outcome));
                    docs.push(self.trailing(outcome.span.end));
                }
                docs.extend([Doc::Soft, text("end")]);
                group(concat(docs))
            }
            ExpressionKind::Match {
                subject,
                arms,
                otherwise,
            } => {
                let mut docs = vec![text("match "), self.expression(subject)];
                let mut inside = Vec::new();
                for arm in arms {
                    inside.push(Doc::Hard);
                    inside.extend(self.above(arm.span.start));
                    let mut head = vec![text("when "), self.pattern(&arm.pattern)];
                    if let Some(guard) = &arm.guard {
                        head.extend([text(" where "), self.expression(guard)]);
                    }
                    head.push(text(" then"));
                    head.push(indent(concat(vec![Doc::Soft, self.outcome(&arm.outcome)])));
                    inside.push(group(concat(head)));
                    inside.push(self.trailing(arm.span.end));
                }
                if let Some(outcome) = otherwise {
                    inside.push(Doc::Hard);
                    inside.extend(self.above(outcome.span.start));
                    let value = indent(concat(vec![Doc::Soft, self.outcome(outcome)]));
                    inside.push(group(concat(vec![text("otherwise"), value])));
                    inside.push(self.trailing(outcome.span.end));
                }
                docs.push(indent(concat(inside)));
                docs.extend([Doc::Hard, text("end")]);
                concat(docs)
            }
            ExpressionKind::Query(query) => self.query(query),
        }
    }

    /// The operands of an `and`/`or` chain, each with the operator before it.
    pub(super) fn connected(&mut self, expression: &Expression, operator: &str, into: &mut Vec<Doc>) {
        if let ExpressionKind::Operators { first, rest } = &expression.kind
            && matches!(
                rest.first().map(|operand| operand.operator),
                Some(Operator::And | Operator::Or)
            )
        {
            self.connected(first, operator, into);
            for operand in rest {
                let operator = format!("{} ", operand.operator.spelling());
                self.connected(&operand.value, &operator, into);
            }
            return;
        }
        let doc = self.expression(expression);
        into.push(concat(vec![text(operator), doc]));
    }

    /// `open item, item close`; each item with its start and end in the source.
    pub(super) fn bracketed<T>(
        &mut self,
        open: &str,
        items: Vec<(u32, u32, T)>,
        close: &str,
        mut item: impl FnMut(&mut Self, T) -> Doc,
    ) -> Doc {
        if items.is_empty() {
            return text(format!("{open}{close}"));
        }
        let mut docs = vec![Doc::Gap];
        let last = items.len() - 1;
        for (position, (start, stop, value)) in items.into_iter().enumerate() {
            if position > 0 {
                docs.push(Doc::Soft);
            }
            let above = self.above(start);
            docs.extend(above);
            docs.push(item(self, value));
            if position < last {
                docs.push(text(","));
            }
            docs.push(self.trailing(stop));
        }
        concat(vec![text(open), indent(concat(docs)), Doc::Gap, text(close)]).into_group()
    }

    fn arguments(&mut self, arguments: &Arguments) -> Doc {
        if arguments.list.is_empty() {
            return text("()");
        }
        let items = arguments
            .list
            .iter()
            .map(|argument| {
                let start = argument
                    .name
                    .as_ref()
                    .map_or(argument.value.span.start, |name| name.span.start);
                (start, argument.value.span.end, argument)
            })
            .collect();
        let doc = self.bracketed("(", items, ")", |builder, argument| {
            let value = builder.expression(&argument.value);
            match &argument.name {
                Some(name) => concat(vec![text(format!("{}: ", name.text)), value]),
                None => value,
            }
        });
        match doc {
            Doc::Group(inside) => Doc::Arguments(inside),
            other => other,
        }
    }

    pub(super) fn outcome(&mut self, outcome: &Outcome) -> Doc {
        match &outcome.kind {
            OutcomeKind::Value(value) => self.expression(value),
            OutcomeKind::Fail(None) => text("fail"),
            OutcomeKind::Fail(Some(value)) => concat(vec![text("fail with "), self.expression(value)]),
            OutcomeKind::Return(None) => text("return"),
            OutcomeKind::Return(Some(value)) => concat(vec![text("return "), self.expression(value)]),
            OutcomeKind::Crash(value) => concat(vec![text("crash with "), self.expression(value)]),
            OutcomeKind::Break => text("break"),
            OutcomeKind::Continue => text("continue"),
        }
    }

    fn query(&mut self, query: &Query) -> Doc {
        let mut docs = vec![text("for each ")];
        let mut end = 0;
        for (position, source) in query.sources.iter().enumerate() {
            if position > 0 {
                docs.push(text(", "));
            }
            docs.push(self.query_source(source));
            end = source.span.end;
        }
        if let Some(concurrently) = &query.concurrently {
            docs.push(text(" concurrently"));
            if let Some(within) = &concurrently.within {
                docs.extend([text(" within "), self.expression(within)]);
            }
            end = concurrently.span.end;
        }
        docs.push(self.trailing(end));
        if let Some(filter) = &query.filter {
            docs.push(Doc::Soft);
            docs.extend(self.above(filter.span.start));
            docs.extend([
                text("where "),
                self.expression(filter),
                self.trailing(filter.span.end),
            ]);
        }
        if let Some(order) = &query.order {
            docs.push(Doc::Soft);
            docs.extend(self.above(order.span.start));
            docs.extend([self.order(order), self.trailing(order.span.end)]);
        }
        if let Some(key) = &query.group_by {
            docs.push(Doc::Soft);
            docs.extend(self.above(key.span.start));
            docs.extend([
                text("group by "),
                self.expression(key),
                self.trailing(key.span.end),
            ]);
        }
        if let Some(terminal) = &query.terminal {
            docs.push(Doc::Soft);
            docs.extend(self.above(terminal.span.start));
            let (word, value) = match &terminal.kind {
                TerminalKind::Collect(value) => ("collect ", Some(value)),
                TerminalKind::Sum(value) => ("sum ", Some(value)),
                TerminalKind::Any(value) => ("any ", Some(value)),
                TerminalKind::All(value) => ("all ", Some(value)),
                TerminalKind::Count => ("count", None),
                TerminalKind::First => ("first", None),
            };
            docs.push(text(word));
            if let Some(value) = value {
                docs.push(self.expression(value));
            }
        }
        concat(docs)
    }

    pub(super) fn query_source(&mut self, source: &Source) -> Doc {
        let names: Vec<&str> = source
            .variables
            .iter()
            .map(|variable| &*variable.name.text)
            .collect();
        let word = if source.in_span.is_some() { " in " } else { " " };
        let value = self.expression(&source.value);
        concat(vec![text(names.join(", ")), text(word), value])
    }

    pub(super) fn order(&mut self, order: &Order) -> Doc {
        let mut docs = vec![text("sorted by "), self.expression(&order.key)];
        if order.descending.is_some() {
            docs.push(text(" descending"));
        }
        concat(docs)
    }

    fn text_literal(&mut self, literal: &TextLiteral) -> Doc {
        match literal.form {
            TextForm::Raw => text(format!("raw \"{}\"", literal.plain().unwrap_or_default())),
            TextForm::Line => {
                let mut docs = vec![text("\"")];
                for part in &literal.parts {
                    match part {
                        TextPart::Characters { value, .. } => docs.push(text(escaped(value, true))),
                        TextPart::Hole { value, .. } => docs.push(self.hole(value)),
                    }
                }
                docs.push(text("\""));
                concat(docs)
            }
            TextForm::Block => {
                let mut docs = vec![Doc::Hard];
                for part in &literal.parts {
                    match part {
                        TextPart::Characters { value, .. } => {
                            for (position, line) in value.split('\n').enumerate() {
                                if position > 0 {
                                    docs.push(Doc::Hard);
                                }
                                let line = match line.trim() {
                                    "\"\"\"" => line.replace('"', "\\\""),
                                    _ => escaped(line, false),
                                };
                                docs.push(Doc::Content(line));
                            }
                        }
                        TextPart::Hole { value, .. } => docs.push(self.hole(value)),
                    }
                }
                docs.extend([Doc::Hard, text("\"\"\"")]);
                concat(vec![text("\"\"\""), indent(concat(docs))])
            }
        }
    }

    fn hole(&mut self, value: &Expression) -> Doc {
        concat(vec![text("{"), flat(self.expression(value)), text("}")])
    }

    pub(super) fn pattern(&mut self, pattern: &Pattern) -> Doc {
        let wrapped = |word: &str, inner: Doc| concat(vec![text(format!("{word}(")), inner, text(")")]);
        match &pattern.kind {
            PatternKind::Construction { name, fields: None } => text(&*name.text),
            PatternKind::Construction {
                name,
                fields: Some(fields),
            } => {
                let items = fields
                    .iter()
                    .map(|field| (field.span.start, field.span.end, field))
                    .collect();
                let fields = self.bracketed("(", items, ")", |builder, field| match &field.pattern {
                    Some(inner) => {
                        let inner = builder.pattern(inner);
                        concat(vec![text(format!("{}: ", field.name.text)), inner])
                    }
                    None => text(&*field.name.text),
                });
                concat(vec![text(&*name.text), fields])
            }
            PatternKind::Nothing => text("nothing"),
            PatternKind::Some(inner) => wrapped("some", self.pattern(inner)),
            PatternKind::Success(inner) => wrapped("success", self.pattern(inner)),
            PatternKind::Failure(inner) => wrapped("failure", self.pattern(inner)),
            PatternKind::Binding { name, annotation } => match annotation {
                Some(annotation) => text(format!("{}: {}", name.text, self.type_text(annotation))),
                None => text(&*name.text),
            },
            PatternKind::Literal(value) => self.expression(value),
            PatternKind::Error => text(pattern.span.text(self.source)),
        }
    }

    pub(super) fn type_text(&self, of: &Type) -> String {
        match &of.kind {
            TypeKind::Named(named) => self.named_text(named),
            TypeKind::Maybe(inner) => format!("maybe {}", self.type_text(inner)),
            TypeKind::Function(function) => self.function_text(function),
            TypeKind::Error => of.span.text(self.source).to_owned(),
        }
    }

    pub(super) fn types_text(&self, types: &[Type], separator: &str) -> String {
        let spelled: Vec<String> = types.iter().map(|part| self.type_text(part)).collect();
        spelled.join(separator)
    }

    pub(super) fn named_text(&self, named: &NamedType) -> String {
        if named.arguments.is_empty() {
            return named.name.text.to_string();
        }
        let separator = if named.with_to { " to " } else { ", " };
        format!(
            "{} of {}",
            named.name.text,
            self.types_text(&named.arguments, separator)
        )
    }

    fn function_text(&self, function: &FunctionType) -> String {
        let mut out = format!("function({})", self.types_text(&function.parameters, ", "));
        if let Some(returns) = &function.returns {
            out.push_str(" returns ");
            out.push_str(&self.type_text(returns));
        }
        if !function.fails.is_empty() {
            out.push_str(" or fails with ");
            out.push_str(&self.types_text(&function.fails, " or "));
        }
        if !function.needs.is_empty() {
            let needs: Vec<String> = function.needs.iter().map(capability_text).collect();
            out.push_str(" needs ");
            out.push_str(&needs.join(", "));
        }
        out
    }
}

impl Doc {
    fn into_group(self) -> Doc {
        group(self)
    }
}

/// Operands on one line, or each after the first on a line of its own.
fn chained(operands: Vec<Doc>) -> Doc {
    let mut operands = operands.into_iter();
    let first = operands.next().unwrap_or_else(|| concat(Vec::new()));
    let rest = operands.flat_map(|operand| [Doc::Soft, operand]).collect();
    concat(vec![first, indent(concat(rest))])
}

/// `value otherwise outcome`: all flat, or one of the two outermost argument lists broken.
fn read_by_otherwise(value: Doc, outcome: Doc) -> Doc {
    let joined = |left: Doc, right: Doc| concat(vec![left, text(" "), right]);
    let (left_broken, right_broken) = (value.with_broken_arguments(), outcome.with_broken_arguments());
    let mut alternatives = vec![flat(joined(value.clone(), outcome.clone()))];
    let left = left_broken
        .clone()
        .map(|left| joined(left, flat(outcome.clone())));
    let right = right_broken
        .clone()
        .map(|right| joined(flat(value.clone()), right));
    let right_is_longer =
        outcome.flat_width().unwrap_or(usize::MAX) > value.flat_width().unwrap_or(usize::MAX);
    let in_turn = if right_is_longer {
        [right, left]
    } else {
        [left, right]
    };
    alternatives.extend(in_turn.into_iter().flatten());
    alternatives.push(joined(value.clone(), outcome.clone()));
    if let (Some(left), Some(right)) = (left_broken, right_broken) {
        alternatives.push(joined(left, right));
    }
    alternatives.push(joined(value, outcome));
    Doc::Choice(alternatives)
}

/// The fewest escapes.
pub(super) fn escaped(value: &str, on_one_line: bool) -> String {
    let mut out = String::with_capacity(value.len());
    for character in value.chars() {
        match character {
            '\\' => out.push_str("\\\\"),
            '{' => out.push_str("\\{"),
            '\t' => out.push_str("\\t"),
            '"' if on_one_line => out.push_str("\\\""),
            '\n' if on_one_line => out.push_str("\\n"),
            other => out.push(other),
        }
    }
    out
}

pub(super) fn capability_text(capability: &Capability) -> String {
    let mut out = path_text(&capability.target);
    if let Some(budget) = &capability.budget {
        out.push_str(&format!(
            " at most {} per {}",
            budget.count.text,
            budget.unit.word()
        ));
    }
    for (position, sink) in capability.sinks.iter().enumerate() {
        out.push_str(if position == 0 { " only to " } else { " or " });
        out.push_str(&path_text(sink));
    }
    out
}

fn path_text(path: &CapabilityPath) -> String {
    match &path.scope {
        Some(scope) => format!("{}(\"{}\")", path.path, escaped(&scope.value, true)),
        None => path.path.to_string(),
    }
}
