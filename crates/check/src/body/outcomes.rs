//! `otherwise`, ways out, and the branches of `if` and `match` expressions.

use syntax::Code;
use syntax::tree::{self, Expression, ExpressionKind, OutcomeKind, Span, ValueArm, ValueBranch};

use super::expressions::is_literal_like;
use super::{Body, Context, Outcome};
use crate::types::Type;

impl Body<'_> {
    /// `value otherwise o otherwise p`
    pub(super) fn otherwise(
        &mut self,
        value: &Expression,
        outcomes: &[tree::Outcome],
        expected: Option<&Type>,
    ) -> Outcome {
        let mut current = self.fallible(value, expected);
        for outcome in outcomes {
            current = self.read(current, outcome);
            self.set_type(outcome.id, &current.value.clone());
        }
        current
    }

    /// One `otherwise` reads the failure if there is one, else that there may be nothing.
    fn read(&mut self, value: Outcome, outcome: &tree::Outcome) -> Outcome {
        let of = self.shallow(&value.value);
        let result = if !value.fails.is_empty() || value.open {
            of
        } else {
            match of {
                Type::Maybe(inner) => {
                    if matches!(outcome.kind, OutcomeKind::Fail(None)) {
                        self.report(
                            Code::OtherwiseFailMaybe,
                            outcome.span,
                            "there is no failure to pass on: the value may only be absent",
                            "say what fails: `otherwise fail with …`",
                        );
                        return Outcome::of(self.shallow(&inner));
                    }
                    self.shallow(&inner)
                }
                Type::Error | Type::Never => {
                    self.way(outcome, None, &Some(Vec::new()));
                    return Outcome::of(Type::Error);
                }
                other => {
                    self.report(
                        Code::SuperfluousOtherwise,
                        outcome.span,
                        "what is before this `otherwise` always has a value",
                        "remove `otherwise` and what follows it",
                    );
                    let expected = other.clone();
                    self.way(outcome, Some(&expected), &Some(Vec::new()));
                    return Outcome::of(other);
                }
            }
        };
        let passing = Some(value.fails);
        match &outcome.kind {
            OutcomeKind::Value(default) if result == Type::NoValue => {
                let found = self.with_passing(passing, |body| body.expression(default, None));
                if !matches!(self.shallow(&found), Type::NoValue | Type::Never | Type::Error) {
                    self.report(
                        Code::TypeMismatch,
                        default.span,
                        "what is before this `otherwise` gives no value, so nothing stands in for it",
                        "write a way out: `otherwise fail`, `otherwise return`, `otherwise crash with …`",
                    );
                }
            }
            _ => self.way(outcome, Some(&result), &passing),
        }
        Outcome::of(result)
    }

    fn with_passing<T>(&mut self, passing: Option<Vec<Type>>, inner: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.passing, passing);
        let result = inner(self);
        self.passing = before;
        result
    }

    /// A default of an expected type, or a way out.
    fn way(&mut self, outcome: &tree::Outcome, expected: Option<&Type>, passing: &Option<Vec<Type>>) {
        let passing = passing.clone();
        self.with_passing(passing, |body| {
            match (&outcome.kind, expected) {
                (OutcomeKind::Value(value), Some(expected)) => {
                    body.value(value, expected);
                }
                _ => {
                    body.branch(outcome, expected);
                }
            };
        });
    }

    /// What a branch gives: its value's type, or `Never` for a way out.
    fn branch(&mut self, outcome: &tree::Outcome, expected: Option<&Type>) -> Type {
        match &outcome.kind {
            OutcomeKind::Value(value) => match expected {
                Some(expected) => {
                    let found = self.value(value, expected);
                    match self.shallow(&found) {
                        Type::Never => Type::Never,
                        _ => expected.clone(),
                    }
                }
                None => self.expression(value, None),
            },
            OutcomeKind::Fail(Some(value)) => {
                self.fail_way(value);
                Type::Never
            }
            OutcomeKind::Fail(None) => {
                self.bare_fail(outcome.span);
                Type::Never
            }
            OutcomeKind::Return(value) => {
                self.return_way(value.as_ref(), outcome.span);
                Type::Never
            }
            OutcomeKind::Crash(message) => {
                let text = Type::named(self.program.prelude.text);
                self.value(message, &text);
                Type::Never
            }
            OutcomeKind::Break | OutcomeKind::Continue => {
                self.loop_way(outcome.span);
                Type::Never
            }
        }
    }

    pub(super) fn return_way(&mut self, value: Option<&Expression>, span: Span) {
        match (value, self.returns.clone(), self.context) {
            (Some(value), Some(expected), Context::Function) => {
                self.value(value, &expected);
            }
            (None, Some(expected), Context::Function) => {
                let spelling = self.spelling(&expected);
                self.report(
                    Code::MissingValue,
                    span,
                    format!("a `{spelling}` is to be returned"),
                    "write the value after `return`",
                );
            }
            (Some(value), _, _) => {
                self.expression(value, None);
                let what = match self.context {
                    Context::Test => "a test returns no value",
                    Context::Function => "this function declares no result",
                    Context::Pure => "there is nothing to return from here",
                };
                self.report(
                    Code::ReturnValue,
                    value.span,
                    what,
                    "write `return` alone, or declare `returns …`",
                );
            }
            (None, _, _) => {}
        }
    }

    pub(super) fn loop_way(&mut self, span: Span) {
        if self.loops > self.loops_outside {
            return;
        }
        let (message, fix) = if self.loops > 0 {
            (
                "this would leave `run concurrently`, whose tasks end by themselves",
                "decide after the block whether to go on",
            )
        } else {
            (
                "there is no loop around this",
                "leave with `return`, or write a loop",
            )
        };
        self.report(Code::OutsideLoop, span, message, fix);
    }

    pub(super) fn fail_way(&mut self, value: &Expression) {
        let hint = self.declared_failure_of(value);
        let found = self.expression(value, hint.as_ref());
        if self.context == Context::Function {
            self.declared(&found, value.span);
        }
    }

    /// The declared failure that a variant shared by several sums belongs to.
    fn declared_failure_of(&self, value: &Expression) -> Option<Type> {
        let (ExpressionKind::TypeName(name) | ExpressionKind::Construct { name, .. }) = &value.kind else {
            return None;
        };
        let variants = self.module.variants.get(&name.text)?;
        let mut declared = self
            .fails
            .iter()
            .filter(|failure| variants.iter().any(|variant| failure.head() == Some(variant.sum)));
        let found = declared.next()?;
        declared.next().is_none().then(|| found.clone())
    }

    /// Checks that the function lists a failure.
    pub(super) fn declared(&mut self, failure: &Type, span: Span) {
        let failure = self.shallow(failure);
        if matches!(failure, Type::Error | Type::Never) {
            return;
        }
        let fails = self.fails.clone();
        if fails.iter().any(|known| self.try_unify(&failure, known)) {
            return;
        }
        let spelling = self.spelling(&failure);
        let fix = if fails.is_empty() {
            format!("declare `or fails with {spelling}`")
        } else {
            format!("add `or {spelling}` to the failures of the function")
        };
        self.report(
            Code::ErrorNotDeclared,
            span,
            format!("this can fail with `{spelling}`, which the function does not declare"),
            fix,
        );
    }

    /// `fail` that passes on the failure at hand.
    pub(super) fn bare_fail(&mut self, span: Span) {
        match self.passing.clone() {
            Some(fails) => {
                if self.context == Context::Function {
                    for failure in fails {
                        self.declared(&failure, span);
                    }
                }
            }
            None => self.report(
                Code::BareFail,
                span,
                "there is no failure here to pass on",
                "say what fails: `fail with …`",
            ),
        }
    }

    pub(super) fn deadline(&mut self, within: &Expression) {
        let duration = Type::named(self.program.prelude.duration);
        self.value(within, &duration);
        if self.context == Context::Function {
            let timed_out = Type::named(self.program.prelude.timed_out);
            self.declared(&timed_out, within.span);
        }
    }

    // Branches with values.

    pub(super) fn if_value(
        &mut self,
        branches: &[ValueBranch],
        otherwise: Option<&tree::Outcome>,
        expected: Option<&Type>,
    ) -> Outcome {
        for branch in branches {
            self.truth(&branch.condition);
        }
        let outcomes: Vec<&tree::Outcome> = branches
            .iter()
            .map(|branch| &branch.outcome)
            .chain(otherwise)
            .collect();
        let mut found = expected.cloned();
        for position in order_of(&outcomes) {
            self.agree(outcomes[position], &mut found, expected.is_some());
        }
        Outcome::of(found.unwrap_or(Type::Never))
    }

    pub(super) fn match_value(
        &mut self,
        subject: &Expression,
        arms: &[ValueArm],
        otherwise: Option<&tree::Outcome>,
        expected: Option<&Type>,
        span: Span,
    ) -> Outcome {
        let hint = self.success_hint(arms.iter().map(|arm| &arm.pattern));
        let of = self.fallible(subject, hint.as_ref());
        let mut found = expected.cloned();
        let mut rows = Vec::with_capacity(arms.len());
        let outcomes: Vec<&tree::Outcome> = arms.iter().map(|arm| &arm.outcome).chain(otherwise).collect();
        // Patterns are bound around their outcomes, so each arm is read where it stands; a
        // literal that another arm would type comes later.
        let order = order_of(&outcomes);
        let mut patterns: Vec<Option<_>> = (0..arms.len()).map(|_| None).collect();
        for position in order {
            let Some(arm) = arms.get(position) else {
                self.agree(outcomes[position], &mut found, expected.is_some());
                continue;
            };
            self.open_scope();
            let pattern = self.pattern(&arm.pattern, &of);
            if let Some(guard) = &arm.guard {
                self.truth(guard);
            }
            patterns[position] = Some((pattern, arm.guard.is_some()));
            self.agree(&arm.outcome, &mut found, expected.is_some());
            self.close_scope();
        }
        rows.extend(patterns.into_iter().flatten());
        self.exhaustive(subject, &of, rows, otherwise.is_some(), span);
        Outcome::of(found.unwrap_or(Type::Never))
    }

    /// One more branch: its value agrees with those before it.
    fn agree(&mut self, outcome: &tree::Outcome, found: &mut Option<Type>, fixed: bool) {
        let Some(known) = found.clone() else {
            let value = self.branch(outcome, None);
            if value == Type::NoValue {
                self.report(
                    Code::TypeMismatch,
                    outcome.span,
                    "this branch gives no value",
                    "write an `if` or `match` statement, or give a value",
                );
                *found = Some(Type::Error);
            } else if self.shallow(&value) != Type::Never {
                *found = Some(value);
            }
            return;
        };
        let OutcomeKind::Value(value) = &outcome.kind else {
            self.branch(outcome, Some(&known));
            return;
        };
        let actual = self.expression(value, Some(&known));
        if self.accept(&actual, &known).is_ok() {
            return;
        }
        if !fixed && self.accept(&known, &actual).is_ok() {
            *found = Some(actual);
            return;
        }
        self.expect(&actual, &known, value.span);
    }
}

/// Branches whose type does not hang on the others come first.
fn order_of(outcomes: &[&tree::Outcome]) -> Vec<usize> {
    let open = |outcome: &tree::Outcome| match &outcome.kind {
        OutcomeKind::Value(value) => is_literal_like(value),
        _ => false,
    };
    let (later, first): (Vec<usize>, Vec<usize>) =
        (0..outcomes.len()).partition(|position| open(outcomes[*position]));
    first.into_iter().chain(later).collect()
}
