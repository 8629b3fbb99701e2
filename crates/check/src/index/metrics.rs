//! How deep a body nests, and how often it branches (10.2 of the language).

use syntax::tree::{
    Arguments, Block, Expression, ExpressionKind, ForEach, Operator, Outcome, OutcomeKind, Query, Statement,
    StatementKind, TerminalKind, TextPart,
};

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Shape {
    /// The body itself is 0.
    pub depth: u32,
    pub branches: u32,
}

pub fn of_block(block: &Block) -> Shape {
    let mut count = Count::default();
    count.block(block, 0);
    count.shape
}

pub fn of_expression(expression: &Expression) -> Shape {
    let mut count = Count::default();
    count.expression(expression);
    count.shape
}

#[derive(Default)]
struct Count {
    shape: Shape,
}

impl Count {
    fn branch(&mut self) {
        self.shape.branches += 1;
    }

    fn block(&mut self, block: &Block, depth: u32) {
        self.shape.depth = self.shape.depth.max(depth);
        for statement in &block.statements {
            self.statement(statement, depth);
        }
    }

    fn statement(&mut self, statement: &Statement, depth: u32) {
        match &statement.kind {
            StatementKind::Let { value, .. }
            | StatementKind::Change { value, .. }
            | StatementKind::Crash(value)
            | StatementKind::Ignore(value)
            | StatementKind::Check(value)
            | StatementKind::Expression(value) => self.expression(value),
            StatementKind::Return(value) | StatementKind::Fail(value) => {
                if let Some(value) = value {
                    self.expression(value);
                }
            }
            StatementKind::If { branches, otherwise } => {
                for branch in branches {
                    self.branch();
                    self.expression(&branch.condition);
                    self.block(&branch.body, depth + 1);
                }
                if let Some(otherwise) = otherwise {
                    self.block(&otherwise.body, depth + 1);
                }
            }
            StatementKind::Match {
                subject,
                arms,
                otherwise,
            } => {
                self.expression(subject);
                for arm in arms {
                    self.branch();
                    if let Some(guard) = &arm.guard {
                        self.expression(guard);
                    }
                    self.block(&arm.body, depth + 1);
                }
                if let Some(otherwise) = otherwise {
                    self.branch();
                    self.block(&otherwise.body, depth + 1);
                }
            }
            StatementKind::ForEach(each) => self.for_each(each, depth),
            StatementKind::RepeatUntil { condition, body } => {
                self.branch();
                self.expression(condition);
                self.block(body, depth + 1);
            }
            StatementKind::RunConcurrently { within, body } => {
                if let Some(within) = within {
                    self.expression(within);
                }
                self.block(body, depth + 1);
            }
            StatementKind::Break | StatementKind::Continue | StatementKind::Error => {}
        }
    }

    fn for_each(&mut self, each: &ForEach, depth: u32) {
        self.branch();
        self.expression(&each.source.value);
        if let Some(filter) = &each.filter {
            self.expression(filter);
        }
        if let Some(order) = &each.order {
            self.expression(&order.key);
        }
        self.block(&each.body, depth + 1);
    }

    fn arguments(&mut self, arguments: &Arguments) {
        for argument in &arguments.list {
            self.expression(&argument.value);
        }
    }

    fn outcome(&mut self, outcome: &Outcome) {
        match &outcome.kind {
            OutcomeKind::Value(value) | OutcomeKind::Crash(value) => self.expression(value),
            OutcomeKind::Fail(value) | OutcomeKind::Return(value) => {
                if let Some(value) = value {
                    self.expression(value);
                }
            }
            OutcomeKind::Break | OutcomeKind::Continue => {}
        }
    }

    fn expression(&mut self, expression: &Expression) {
        match &expression.kind {
            ExpressionKind::Text(text) => {
                for part in &text.parts {
                    if let TextPart::Hole { value, .. } = part {
                        self.expression(value);
                    }
                }
            }
            ExpressionKind::List(elements) => elements.iter().for_each(|element| self.expression(element)),
            ExpressionKind::Map(entries) => {
                for entry in entries {
                    self.expression(&entry.key);
                    self.expression(&entry.value);
                }
            }
            ExpressionKind::Call { arguments, .. } | ExpressionKind::Construct { arguments, .. } => {
                self.arguments(arguments);
            }
            ExpressionKind::Chain { first, links } => {
                self.expression(first);
                for link in links {
                    if let Some(arguments) = &link.arguments {
                        self.arguments(arguments);
                    }
                }
            }
            ExpressionKind::Operators { first, rest } => {
                self.expression(first);
                for operand in rest {
                    if matches!(operand.operator, Operator::And | Operator::Or) {
                        self.branch();
                    }
                    self.expression(&operand.value);
                }
            }
            ExpressionKind::Power { base, exponent } => {
                self.expression(base);
                self.expression(exponent);
            }
            ExpressionKind::Not(inner) | ExpressionKind::Parenthesised(inner) => self.expression(inner),
            ExpressionKind::Compare { left, right, .. } => {
                self.expression(left);
                self.expression(right);
            }
            ExpressionKind::With { value, updates } => {
                self.expression(value);
                updates.iter().for_each(|update| self.expression(&update.value));
            }
            ExpressionKind::Otherwise { value, outcomes } => {
                self.expression(value);
                for outcome in outcomes {
                    self.branch();
                    self.outcome(outcome);
                }
            }
            ExpressionKind::Range { from, to, by } => {
                self.expression(from);
                self.expression(to);
                if let Some(by) = by {
                    self.expression(by);
                }
            }
            ExpressionKind::If { branches, otherwise } => {
                for branch in branches {
                    self.branch();
                    self.expression(&branch.condition);
                    self.outcome(&branch.outcome);
                }
                if let Some(otherwise) = otherwise {
                    self.outcome(otherwise);
                }
            }
            ExpressionKind::Match {
                subject,
                arms,
                otherwise,
            } => {
                self.expression(subject);
                for arm in arms {
                    self.branch();
                    if let Some(guard) = &arm.guard {
                        self.expression(guard);
                    }
                    self.outcome(&arm.outcome);
                }
                if let Some(otherwise) = otherwise {
                    self.branch();
                    self.outcome(otherwise);
                }
            }
            ExpressionKind::Query(query) => self.query(query),
            _ => {}
        }
    }

    fn query(&mut self, query: &Query) {
        self.branch();
        for source in &query.sources {
            self.expression(&source.value);
        }
        let concurrently = query.concurrently.as_ref();
        let within = concurrently.and_then(|concurrently| concurrently.within.as_ref());
        let order = query.order.as_ref().map(|order| &order.key);
        let terminal = query.terminal.as_ref().and_then(|terminal| match &terminal.kind {
            TerminalKind::Collect(value)
            | TerminalKind::Sum(value)
            | TerminalKind::Any(value)
            | TerminalKind::All(value) => Some(value),
            TerminalKind::Count | TerminalKind::First => None,
        });
        let parts = [
            within,
            query.filter.as_ref(),
            order,
            query.group_by.as_ref(),
            terminal,
        ];
        parts.into_iter().flatten().for_each(|part| self.expression(part));
    }
}
