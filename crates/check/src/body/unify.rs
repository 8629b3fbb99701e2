//! Variables of inference, and which type is accepted where (5.4 and 5.5 of the language).

use std::sync::Arc;

use syntax::Code;
use syntax::tree::{Expression, Span};

use super::Body;
use crate::declaration::TypeKind;
use crate::types::{FunctionType, Type};

/// Deepest type that inference builds.
const MAX_DEPTH: usize = 64;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mismatch {
    /// A `maybe T` stands where a `T` is needed.
    Maybe,
    Other,
}

impl Body<'_> {
    pub(super) fn fresh(&mut self) -> Type {
        self.variables.push(None);
        Type::Variable((self.variables.len() - 1) as u32)
    }

    /// The type with a variable at its head replaced by what is known of it.
    pub(super) fn shallow(&self, of: &Type) -> Type {
        let mut current = of;
        while let Type::Variable(index) = current {
            match self.variables.get(*index as usize) {
                Some(Some(known)) => current = known,
                _ => break,
            }
        }
        current.clone()
    }

    /// The type with everything known put in.
    pub(super) fn deep(&self, of: &Type) -> Type {
        of.map(&mut |part| match part {
            Type::Variable(_) => match self.shallow(part) {
                Type::Variable(index) => Some(Type::Variable(index)),
                known => Some(self.deep(&known)),
            },
            _ => None,
        })
    }

    pub(super) fn is_settled(&self, of: &Type) -> bool {
        let mut open = false;
        self.deep(of).map(&mut |part| {
            open |= matches!(part, Type::Variable(_));
            None
        });
        !open
    }

    /// Makes two types the same, if they can be.
    pub(super) fn unify(&mut self, left: &Type, right: &Type) -> bool {
        self.unify_within(left, right, 0)
    }

    fn unify_within(&mut self, left: &Type, right: &Type, depth: usize) -> bool {
        if depth > MAX_DEPTH {
            return false;
        }
        let left = self.shallow(left);
        let right = self.shallow(right);
        match (&left, &right) {
            (Type::Error | Type::Never, _) | (_, Type::Error | Type::Never) => true,
            (Type::Variable(first), Type::Variable(second)) if first == second => true,
            (Type::Variable(index), other) | (other, Type::Variable(index)) => {
                if self.occurs(*index, other) || matches!(other, Type::NoValue) {
                    return false;
                }
                self.variables[*index as usize] = Some(other.clone());
                self.trail.push(*index);
                true
            }
            (
                Type::Named {
                    definition: first,
                    arguments: left,
                },
                Type::Named {
                    definition: second,
                    arguments: right,
                },
            ) => {
                first == second
                    && left.len() == right.len()
                    && left
                        .iter()
                        .zip(right.iter())
                        .all(|(left, right)| self.unify_within(left, right, depth + 1))
            }
            (Type::Maybe(left), Type::Maybe(right)) => self.unify_within(left, right, depth + 1),
            (Type::Function(left), Type::Function(right)) => {
                let (left, right) = (left.clone(), right.clone());
                self.unify_functions(&left, &right, depth)
            }
            (left, right) => left == right,
        }
    }

    /// The parts agree, and the left one fails with nothing that the right one does not.
    fn unify_functions(&mut self, left: &Arc<FunctionType>, right: &Arc<FunctionType>, depth: usize) -> bool {
        left.parameters.len() == right.parameters.len()
            && left
                .parameters
                .iter()
                .zip(&right.parameters)
                .all(|(left, right)| self.unify_within(left, right, depth + 1))
            && match (&left.returns, &right.returns) {
                (Some(left), Some(right)) => self.unify_within(left, right, depth + 1),
                (None, None) => true,
                _ => false,
            }
            && left.fails.iter().all(|failure| {
                right
                    .fails
                    .iter()
                    .any(|known| self.unify_within(failure, known, depth + 1))
            })
    }

    fn occurs(&self, index: u32, within: &Type) -> bool {
        let mut found = false;
        self.deep(within).map(&mut |part| {
            found |= *part == Type::Variable(index);
            None
        });
        found
    }

    /// Takes back what was learned since the trail was as long as `mark`.
    pub(super) fn forget(&mut self, mark: usize) {
        for index in self.trail.drain(mark..) {
            self.variables[index as usize] = None;
        }
    }

    /// Makes two types the same, or learns nothing.
    pub(super) fn try_unify(&mut self, left: &Type, right: &Type) -> bool {
        let mark = self.trail.len();
        let fits = self.unify(left, right);
        if !fits {
            self.forget(mark);
        }
        fits
    }

    /// Whether a value of one type may stand where another is expected.
    pub(super) fn accept(&mut self, actual: &Type, expected: &Type) -> Result<(), Mismatch> {
        let actual = self.shallow(actual);
        let expected = self.shallow(expected);
        match (&actual, &expected) {
            (Type::Error | Type::Never, _) | (_, Type::Error | Type::Never) => Ok(()),
            (Type::NoValue, _) => Err(Mismatch::Other),
            (Type::Variable(_), _) | (_, Type::Variable(_)) => self.fit(&actual, &expected),
            (Type::Maybe(_), Type::Maybe(_)) => self.fit(&actual, &expected),
            (_, Type::Maybe(inner)) => self.accept(&actual, inner),
            (Type::Maybe(inner), _) => {
                let inner = inner.clone();
                // The better advice when the inner type would not fit either.
                match self.accept(&inner, &expected) {
                    Ok(()) => Err(Mismatch::Maybe),
                    Err(_) => Err(Mismatch::Other),
                }
            }
            (
                Type::Named {
                    definition: first, ..
                },
                Type::Named {
                    definition: second, ..
                },
            ) if first != second => match self.base(&actual) {
                Some(base) => self.accept(&base, &expected),
                None => Err(Mismatch::Other),
            },
            (Type::Named { .. }, _) if !matches!(expected, Type::Named { .. }) => match self.base(&actual) {
                Some(base) => self.accept(&base, &expected),
                None => Err(Mismatch::Other),
            },
            _ => self.fit(&actual, &expected),
        }
    }

    fn fit(&mut self, actual: &Type, expected: &Type) -> Result<(), Mismatch> {
        if self.try_unify(actual, expected) {
            Ok(())
        } else {
            Err(Mismatch::Other)
        }
    }

    /// What a subtype stands on.
    pub(super) fn base(&self, of: &Type) -> Option<Type> {
        let Type::Named {
            definition,
            arguments,
        } = of
        else {
            return None;
        };
        match self.program.definition(*definition).as_type()? {
            TypeKind::Subtype { base, .. } => Some(base.substitute(arguments, None)),
            _ => None,
        }
    }

    /// A type and what it stands on, down to the bottom; cut where the declarations make it endless.
    pub(super) fn bases(&self, of: &Type) -> Vec<Type> {
        let mut chain = vec![self.shallow(of)];
        while let Some(base) = chain.last().and_then(|last| self.base(last)) {
            if chain.len() >= MAX_DEPTH || chain.contains(&base) {
                break;
            }
            chain.push(base);
        }
        chain
    }

    /// The type at the bottom of a chain of subtypes; an error if there is none.
    pub(super) fn bottom(&self, of: &Type) -> Type {
        match self.bases(of).pop() {
            Some(last) if self.base(&last).is_none() => last,
            _ => Type::Error,
        }
    }

    /// Checks that an expression's type is what is expected, and says it when not.
    pub(super) fn expect(&mut self, actual: &Type, expected: &Type, span: Span) {
        match self.accept(actual, expected) {
            Ok(()) => {}
            Err(mismatch) => self.mismatch(mismatch, actual, expected, span),
        }
    }

    pub(super) fn mismatch(&mut self, mismatch: Mismatch, actual: &Type, expected: &Type, span: Span) {
        let wanted = self.spelling(expected);
        if *actual == Type::NoValue {
            self.report(
                Code::TypeMismatch,
                span,
                format!("expected a `{wanted}`, found a call that returns nothing"),
                "call it as a statement of its own",
            );
            return;
        }
        let found = self.spelling(actual);
        match mismatch {
            Mismatch::Maybe => self.report(
                Code::MaybeValue,
                span,
                format!("this is a `{found}`, and a `{wanted}` is needed"),
                "say what happens without one: `… otherwise …`, or `match` on it",
            ),
            Mismatch::Other => {
                let actual = self.shallow(actual);
                let wraps = self.wraps(&actual, expected);
                let fix = match wraps {
                    Some(fix) => fix,
                    None => format!("write a `{wanted}`"),
                };
                self.report(
                    Code::TypeMismatch,
                    span,
                    format!("expected a `{wanted}`, found a `{found}`"),
                    fix,
                );
            }
        }
    }

    /// How a value becomes what is expected, when one conversion does it.
    fn wraps(&self, actual: &Type, expected: &Type) -> Option<String> {
        let prelude = &self.program.prelude;
        let expected = self.shallow(expected);
        if let Some(base) = self.base(&expected)
            && self.deep(&base) == self.deep(actual)
        {
            return Some(format!("construct it: `{}(…)`", self.spelling(&expected)));
        }
        let bottom = self.bottom(actual);
        let (from, to) = (bottom.head()?, expected.head()?);
        let number = |head| [prelude.integer, prelude.decimal, prelude.float].contains(&head);
        if number(from) && to == prelude.decimal {
            return Some("convert it: `.to_decimal()`".to_owned());
        }
        if number(from) && to == prelude.float {
            return Some("convert it: `.to_float()`".to_owned());
        }
        if number(from) && to == prelude.text {
            return Some("write it into a text: `\"{…}\"`".to_owned());
        }
        None
    }

    /// An expression whose type must be accepted where another is expected.
    pub(super) fn value(&mut self, expression: &Expression, expected: &Type) -> Type {
        let actual = self.expression(expression, Some(expected));
        self.expect(&actual, expected, expression.span);
        actual
    }

    /// At the end of a statement: what is still open is an error, told once.
    pub(super) fn settle(&mut self) {
        let bounds = std::mem::take(&mut self.pending_bounds);
        for bound in bounds {
            self.check_bound(&bound);
        }
        let pending = std::mem::take(&mut self.pending);
        for (variable, span, what) in pending {
            if let Type::Variable(index) = self.shallow(&variable) {
                self.report(
                    Code::TypeMismatch,
                    span,
                    format!("the type of {what} cannot be told from what is around it"),
                    "write the type: `let name: Type be …`",
                );
                self.variables[index as usize] = Some(Type::Error);
            }
        }
    }
}
