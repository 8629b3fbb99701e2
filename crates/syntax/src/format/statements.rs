//! Statements and blocks (3.4).

use super::Builder;
use super::layout::{Doc, concat, group, indent, text};
use crate::tree::{Block, Expression, ExpressionKind, ForEach, OtherwiseBlock, Statement, StatementKind};

impl Builder<'_> {
    /// The statements on lines of their own, each after a line break.
    pub(super) fn block(&mut self, block: &Block) -> Doc {
        let mut docs = Vec::new();
        let mut previous = None;
        for statement in &block.statements {
            let above = self.above(statement.span.start);
            if let Some(end) = previous
                && above.is_empty()
                && self.has_blank_line(end, statement.span.start)
            {
                docs.push(Doc::Hard);
            }
            docs.push(Doc::Hard);
            docs.extend(above);
            docs.push(self.statement(statement));
            docs.push(self.trailing(statement.span.end));
            previous = Some(statement.span.end);
        }
        indent(concat(docs))
    }

    /// One statement after a head: on its line when that fits.
    fn one_statement(&mut self, statement: &Statement) -> Doc {
        let mut docs = vec![Doc::Soft];
        docs.extend(self.above(statement.span.start));
        docs.push(self.statement(statement));
        docs.push(self.trailing(statement.span.end));
        indent(concat(docs))
    }

    fn statement(&mut self, statement: &Statement) -> Doc {
        match &statement.kind {
            StatementKind::Let {
                mutable,
                name,
                annotation,
                value,
            } => {
                let mutable = if *mutable { "mutable " } else { "" };
                let annotation = match annotation {
                    Some(annotation) => format!(": {}", self.type_text(annotation)),
                    None => String::new(),
                };
                self.binding(format!("let {mutable}{}{annotation} be", name.text), value)
            }
            StatementKind::Change { name, value } => self.binding(format!("change {} to", name.text), value),
            StatementKind::If { branches, otherwise } => {
                if let ([branch], None) = (branches.as_slice(), otherwise)
                    && let [only] = branch.body.statements.as_slice()
                {
                    let condition = self.expression(&branch.condition);
                    let body = self.one_statement(only);
                    return group(concat(vec![
                        text("if "),
                        condition,
                        text(" then"),
                        body,
                        Doc::Soft,
                        text("end"),
                    ]));
                }
                let mut docs = Vec::new();
                for (position, branch) in branches.iter().enumerate() {
                    if position > 0 {
                        docs.push(Doc::Hard);
                        docs.extend(self.above(branch.span.start));
                        docs.push(text("otherwise "));
                    }
                    docs.push(text("if "));
                    docs.push(self.expression(&branch.condition));
                    docs.push(text(" then"));
                    docs.push(self.block(&branch.body));
                }
                if let Some(OtherwiseBlock { body, .. }) = otherwise {
                    docs.extend([Doc::Hard, text("otherwise")]);
                    docs.push(self.block(body));
                }
                docs.extend([Doc::Hard, text("end")]);
                concat(docs)
            }
            StatementKind::Match {
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
                    inside.push(self.arm(head, &arm.body));
                }
                if let Some(OtherwiseBlock { span, body }) = otherwise {
                    inside.push(Doc::Hard);
                    inside.extend(self.above(span.start));
                    inside.push(self.arm(vec![text("otherwise")], body));
                }
                docs.push(indent(concat(inside)));
                docs.extend([Doc::Hard, text("end")]);
                concat(docs)
            }
            StatementKind::ForEach(each) => self.for_each(each),
            StatementKind::RepeatUntil { condition, body } => {
                let head = vec![text("repeat until "), self.expression(condition)];
                self.closed(head, body)
            }
            StatementKind::RunConcurrently { within, body } => {
                let mut head = vec![text("run concurrently")];
                if let Some(within) = within {
                    head.extend([text(" within "), self.expression(within)]);
                }
                self.closed(head, body)
            }
            StatementKind::Return(None) => text("return"),
            StatementKind::Return(Some(value)) => {
                let is_query = is_wrapped(value, |kind| matches!(kind, ExpressionKind::Query(_)));
                let value = self.expression(value);
                let value = if is_query { group(indent(value)) } else { value };
                concat(vec![text("return "), value])
            }
            StatementKind::Fail(None) => text("fail"),
            StatementKind::Fail(Some(value)) => self.worded("fail with ", value),
            StatementKind::Crash(value) => self.worded("crash with ", value),
            StatementKind::Break => text("break"),
            StatementKind::Continue => text("continue"),
            StatementKind::Ignore(value) => self.worded("ignore ", value),
            StatementKind::Check(value) => self.worded("check ", value),
            StatementKind::Expression(value) => self.expression(value),
            StatementKind::Error => text(statement.span.text(self.source)),
        }
    }

    fn worded(&mut self, word: &str, value: &Expression) -> Doc {
        concat(vec![text(word), self.expression(value)])
    }

    /// `head value`: a query or `if` moves to the next line when it does not fit, a `match`
    /// always does.
    pub(super) fn binding(&mut self, head: String, value: &Expression) -> Doc {
        let doc = self.expression(value);
        let moves = is_wrapped(value, |kind| {
            matches!(kind, ExpressionKind::Query(_) | ExpressionKind::If { .. })
        });
        if moves {
            group(concat(vec![text(head), indent(concat(vec![Doc::Soft, doc]))]))
        } else if is_wrapped(value, |kind| matches!(kind, ExpressionKind::Match { .. })) {
            concat(vec![text(head), indent(concat(vec![Doc::Hard, doc]))])
        } else {
            concat(vec![text(head), text(" "), doc])
        }
    }

    fn arm(&mut self, head: Vec<Doc>, body: &Block) -> Doc {
        let mut docs = head;
        match body.statements.as_slice() {
            [only] => {
                let mut body = vec![Doc::Soft];
                body.extend(self.above(only.span.start));
                body.push(self.statement(only));
                docs.push(indent(concat(body)));
                concat(vec![group(concat(docs)), self.trailing(only.span.end)])
            }
            _ => {
                docs.push(self.block(body));
                concat(docs)
            }
        }
    }

    fn closed(&mut self, mut head: Vec<Doc>, body: &Block) -> Doc {
        head.push(self.block(body));
        head.extend([Doc::Hard, text("end")]);
        concat(head)
    }

    fn for_each(&mut self, each: &ForEach) -> Doc {
        let source = self.query_source(&each.source);
        let mut clauses = Vec::new();
        if let Some(filter) = &each.filter {
            clauses.extend([Doc::Soft, text("where "), self.expression(filter)]);
        }
        if let Some(order) = &each.order {
            clauses.push(Doc::Soft);
            clauses.push(self.order(order));
        }
        let head = group(concat(vec![text("for each "), source, indent(concat(clauses))]));
        self.closed(vec![head], &each.body)
    }
}

/// Whether an expression is of a kind, by itself or read by one `otherwise`.
pub(super) fn is_wrapped(value: &Expression, is: impl Fn(&ExpressionKind) -> bool) -> bool {
    match &value.kind {
        ExpressionKind::Otherwise { value, outcomes } if outcomes.len() == 1 => is(&value.kind),
        kind => is(kind),
    }
}
