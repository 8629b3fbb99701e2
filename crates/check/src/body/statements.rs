//! Statements and blocks.

use syntax::Code;
use syntax::tree::{Block, Expression, ExpressionKind, ForEach, Link, Statement, StatementKind};

use super::{Body, Context};
use crate::facts::{Role, Target};
use crate::types::Type;

/// Deepest nesting of blocks inside a body.
const MAX_NESTING: usize = 4;

impl Body<'_> {
    pub(super) fn block_of_body(&mut self, block: &Block) {
        self.place = crate::facts::Place::Body;
        self.body_length(block);
        // Parameters share the scope of the body.
        self.visible.insert(0, usize::MAX);
        self.statements(block);
        self.close_scope();
    }

    fn statements(&mut self, block: &Block) {
        for statement in &block.statements {
            self.statement(statement);
        }
        self.unreachable(block);
    }

    /// A block one level deeper, with a scope of its own.
    fn inner_block(&mut self, block: &Block) {
        self.nesting += 1;
        if self.nesting == MAX_NESTING + 1
            && let Some(first) = block.statements.first()
        {
            self.report(
                Code::NestingDepth,
                first.span,
                format!(
                    "this is nested in {} blocks; {MAX_NESTING} are the most",
                    self.nesting
                ),
                "move the inner part into a function of its own",
            );
        }
        self.statements(block);
        self.nesting -= 1;
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Let {
                mutable,
                name,
                annotation,
                value,
            } => {
                let annotation = annotation.as_ref().map(|spelled| self.resolve_type(spelled));
                let value_type = match &annotation {
                    Some(annotation) => {
                        self.value(value, annotation);
                        annotation.clone()
                    }
                    None => {
                        let found = self.expression(value, None);
                        if found == Type::NoValue {
                            self.report(
                                Code::TypeMismatch,
                                value.span,
                                "this call returns nothing, so there is nothing to bind",
                                "call it as a statement of its own",
                            );
                            Type::Error
                        } else {
                            found
                        }
                    }
                };
                self.settle();
                let bound = self.deep(&value_type);
                let index = self.bind(name, statement.id, bound, "binding");
                self.locals[index].mutable = *mutable;
            }
            StatementKind::Change { name, value } => self.change(name, value),
            StatementKind::If { branches, otherwise } => {
                for branch in branches {
                    self.truth(&branch.condition);
                    self.settle();
                    self.open_scope();
                    self.inner_block(&branch.body);
                    self.close_scope();
                }
                if let Some(otherwise) = otherwise {
                    self.open_scope();
                    self.inner_block(&otherwise.body);
                    self.close_scope();
                }
            }
            StatementKind::Match {
                subject,
                arms,
                otherwise,
            } => {
                let hint = self.success_hint(arms.iter().map(|arm| &arm.pattern));
                let of = self.fallible(subject, hint.as_ref());
                self.settle();
                let mut rows = Vec::with_capacity(arms.len());
                for arm in arms {
                    self.open_scope();
                    let pattern = self.pattern(&arm.pattern, &of);
                    if let Some(guard) = &arm.guard {
                        self.truth(guard);
                        self.settle();
                    }
                    rows.push((pattern, arm.guard.is_some()));
                    self.inner_block(&arm.body);
                    self.close_scope();
                }
                if let Some(otherwise) = otherwise {
                    self.open_scope();
                    self.inner_block(&otherwise.body);
                    self.close_scope();
                }
                self.exhaustive(subject, &of, rows, otherwise.is_some(), statement.span);
            }
            StatementKind::ForEach(each) => self.for_each(each),
            StatementKind::RepeatUntil { condition, body } => {
                self.truth(condition);
                self.settle();
                self.open_scope();
                self.loops += 1;
                self.inner_block(body);
                self.loops -= 1;
                self.close_scope();
            }
            StatementKind::RunConcurrently { within, body } => {
                if let Some(within) = within {
                    self.deadline(within);
                    self.settle();
                }
                self.tasks_of(body);
            }
            StatementKind::Return(value) => {
                self.return_way(value.as_ref(), statement.span);
                self.settle();
            }
            StatementKind::Fail(value) => {
                match value {
                    Some(value) => self.fail_way(value),
                    None => self.bare_fail(statement.span),
                }
                self.settle();
            }
            StatementKind::Crash(message) => {
                let text = Type::named(self.program.prelude.text);
                self.value(message, &text);
                self.settle();
            }
            StatementKind::Break | StatementKind::Continue => self.loop_way(statement.span),
            StatementKind::Ignore(value) => self.ignore(value),
            StatementKind::Check(condition) => {
                if self.context != Context::Test {
                    self.report(
                        Code::CheckOutsideTest,
                        statement.span,
                        "`check` stands in tests alone",
                        "decide with `if`, and `fail with` or `crash with` what is wrong",
                    );
                }
                self.truth(condition);
                self.settle();
            }
            StatementKind::Expression(expression) => {
                let value = self.expression(expression, None);
                self.settle();
                let value = self.shallow(&value);
                if is_call(called(expression)) && !matches!(value, Type::NoValue | Type::Never | Type::Error)
                {
                    let spelling = self.spelling(&value);
                    self.report(
                        Code::UnusedResult,
                        expression.span,
                        format!("the result, a `{spelling}`, is dropped"),
                        "bind it: `let name be …`, `change name to …`, or say `ignore …`",
                    );
                }
            }
            StatementKind::Error => {}
        }
    }

    fn change(&mut self, name: &syntax::tree::Name, value: &Expression) {
        let Some(index) = self.find_local(&name.text) else {
            self.expression(value, None);
            self.settle();
            if self.own(&name.text).is_some() {
                self.report(
                    Code::ImmutableBinding,
                    name.span,
                    format!("`{}` is not a binding that can change", name.text),
                    "bind a variable of the function: `let mutable name be …`",
                );
            } else if !name.is_missing() {
                self.unknown_name(name);
            }
            return;
        };
        let local = self.locals[index].clone();
        self.refer(name.span, Target::Local(local.node), Role::Write);
        if !local.mutable {
            self.report(
                Code::ImmutableBinding,
                name.span,
                format!("`{}` cannot change", name.text),
                if local.noun == "binding" {
                    format!("bind it with `let mutable {}`", name.text)
                } else {
                    format!("bind a copy of it: `let mutable … be {}`", name.text)
                },
            );
        }
        if local.task.0 < self.tasks.len() {
            self.report(
                Code::TaskIndependence,
                name.span,
                format!("a task changes `{}`, which is bound outside of it", name.text),
                "bind the result inside the task, and change it after the block",
            );
        }
        self.value(value, &local.annotation);
        self.settle();
    }

    fn for_each(&mut self, each: &ForEach) {
        let items = self.source(&each.source);
        self.settle();
        self.open_scope();
        self.bind_source(&each.source, &items);
        if let Some(filter) = &each.filter {
            self.truth(filter);
            self.settle();
        }
        if let Some(order) = &each.order {
            self.order(order);
            self.settle();
        }
        self.loops += 1;
        self.inner_block(&each.body);
        self.loops -= 1;
        self.close_scope();
    }

    /// `run concurrently`: each direct statement is a task, whose bindings are seen after the block.
    fn tasks_of(&mut self, body: &Block) {
        let outside = std::mem::replace(&mut self.loops_outside, self.loops);
        self.nesting += 1;
        for (task, statement) in body.statements.iter().enumerate() {
            self.tasks.push(task);
            self.statement(statement);
            self.tasks.pop();
        }
        self.nesting -= 1;
        self.loops_outside = outside;
        // From here on they are bindings like all others.
        let depth = self.tasks.len();
        let task = self.tasks.last().copied().unwrap_or_default();
        for index in self.visible.clone() {
            if let Some(local) = self.locals.get_mut(index)
                && local.task.0 == depth + 1
            {
                local.task = (depth, task);
            }
        }
    }

    fn ignore(&mut self, value: &Expression) {
        let before = self.effectful;
        let result = self.expression(value, None);
        self.settle();
        if result == Type::NoValue {
            self.report(
                Code::IgnoreNothing,
                value.span,
                "this call returns nothing, so there is nothing to ignore",
                "write the call alone",
            );
        } else if self.effectful == before && result != Type::Error {
            self.report(
                Code::IgnorePure,
                value.span,
                "this has no effects, so to ignore its result is to do nothing",
                "remove the statement, or use the result",
            );
        }
    }

    /// A condition.
    pub(super) fn truth(&mut self, condition: &Expression) {
        let boolean = Type::named(self.program.prelude.boolean);
        self.value(condition, &boolean);
    }
}

/// What a statement calls, `otherwise` and parentheses apart.
fn called(expression: &Expression) -> &Expression {
    match &expression.kind {
        ExpressionKind::Otherwise { value, .. } | ExpressionKind::Parenthesised(value) => called(value),
        _ => expression,
    }
}

fn is_call(expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Call { .. } => true,
        ExpressionKind::Chain { links, .. } => {
            matches!(
                links.last(),
                Some(Link {
                    arguments: Some(_),
                    ..
                })
            )
        }
        _ => false,
    }
}
