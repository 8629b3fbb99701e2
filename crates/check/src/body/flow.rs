//! Which statements are reached, and whether a body ends in a way out.

use syntax::Code;
use syntax::tree::{Block, Expression, ExpressionKind, Function, OutcomeKind, Statement, StatementKind};

use super::Body;

/// Longest body in lines, from its first to its last statement.
const MAX_BODY_LINES: usize = 60;

impl Body<'_> {
    pub(super) fn missing_return(&mut self, function: &Function, block: &Block) {
        if function.head.returns.is_none() || block_leaves(block) {
            return;
        }
        let name = &function.head.name;
        self.report(
            Code::MissingReturn,
            name.span,
            format!(
                "`{}` returns a value, and can reach its end without one",
                name.text
            ),
            "end every path in `return …`, `fail with …` or `crash with …`",
        );
    }

    pub(super) fn body_length(&mut self, block: &Block) {
        let text = block.span.text(&self.module.source);
        let lines = text.matches('\n').count() + 1;
        if lines > MAX_BODY_LINES {
            let span = block.statements.first().map_or(block.span, |first| first.span);
            self.report(
                Code::BodyLength,
                span,
                format!("the body is {lines} lines long; {MAX_BODY_LINES} are the most"),
                "move a part of it into a function of its own",
            );
        }
    }

    /// Says once per block what cannot be reached in it.
    pub(super) fn unreachable(&mut self, block: &Block) {
        let leaves = |statement: &Statement| {
            matches!(
                statement.kind,
                StatementKind::Return(_) | StatementKind::Fail(_) | StatementKind::Crash(_)
            )
        };
        let Some(position) = block.statements.iter().position(leaves) else {
            return;
        };
        if let Some(next) = block.statements.get(position + 1) {
            self.report(
                Code::Unreachable,
                next.span,
                "this is never reached",
                "remove it, or move it before the way out",
            );
        }
    }
}

/// Every path through the block ends in `return`, `fail` or `crash`.
pub(super) fn block_leaves(block: &Block) -> bool {
    block.statements.iter().any(statement_leaves)
}

fn statement_leaves(statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::Return(_) | StatementKind::Fail(_) | StatementKind::Crash(_) => true,
        StatementKind::If { branches, otherwise } => {
            otherwise
                .as_ref()
                .is_some_and(|otherwise| block_leaves(&otherwise.body))
                && branches.iter().all(|branch| block_leaves(&branch.body))
        }
        // A match is exhaustive, or an error was reported.
        StatementKind::Match { arms, otherwise, .. } => {
            (otherwise.is_some() || !arms.is_empty())
                && arms.iter().all(|arm| block_leaves(&arm.body))
                && otherwise
                    .as_ref()
                    .is_none_or(|otherwise| block_leaves(&otherwise.body))
        }
        StatementKind::Expression(expression)
        | StatementKind::Ignore(expression)
        | StatementKind::Let {
            value: expression, ..
        } => expression_leaves(expression),
        StatementKind::Error => true,
        _ => false,
    }
}

/// A `match` or `if` expression whose every branch is a way out.
fn expression_leaves(expression: &Expression) -> bool {
    let leaves = |kind: &OutcomeKind| match kind {
        OutcomeKind::Fail(_) | OutcomeKind::Return(_) | OutcomeKind::Crash(_) => true,
        OutcomeKind::Value(value) => expression_leaves(value),
        OutcomeKind::Break | OutcomeKind::Continue => false,
    };
    match &expression.kind {
        ExpressionKind::If { branches, otherwise } => {
            otherwise
                .as_ref()
                .is_some_and(|otherwise| leaves(&otherwise.kind))
                && branches.iter().all(|branch| leaves(&branch.outcome.kind))
        }
        ExpressionKind::Match { arms, otherwise, .. } => {
            !arms.is_empty()
                && arms.iter().all(|arm| leaves(&arm.outcome.kind))
                && otherwise.as_ref().is_none_or(|otherwise| leaves(&otherwise.kind))
        }
        _ => false,
    }
}
