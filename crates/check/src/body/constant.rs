//! Literals, and conditions evaluated over them (5.3 of the language). What is too large for
//! the numbers here, or calls a function of the program, is not evaluated.

use std::sync::Arc;

use syntax::tree::{Comparison, Expression, ExpressionKind, ItemKind, Operator};

use super::Body;
use crate::declaration::DefinitionKind;
use crate::program::{ModuleId, Program};
use crate::types::Type;

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Constant {
    Integer(i128),
    Decimal(Decimal),
    Text(Arc<str>),
    Boolean(bool),
    Nothing,
    List(Vec<Constant>),
    /// Later entries of a key stand for earlier ones.
    Map(Vec<(Constant, Constant)>),
}

/// `coefficient / 10^scale`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Decimal {
    coefficient: i128,
    scale: u32,
}

impl Body<'_> {
    /// The value of a literal where a type is expected.
    pub(super) fn literal(&self, expression: &Expression, expected: &Type) -> Option<Constant> {
        let mut numbers = self.bottom(expected);
        // The numbers of a container are those of its items; of a map either side may have them.
        loop {
            numbers = match &numbers {
                Type::Maybe(inner) => self.bottom(inner),
                Type::Named {
                    definition,
                    arguments,
                } if *definition == self.program.prelude.list => self.bottom(&arguments[0]),
                Type::Named { definition, .. } if *definition == self.program.prelude.map => {
                    return literal(expression, &self.module.source, false).filter(Constant::is_countable);
                }
                _ => break,
            };
        }
        let decimal = numbers.head() == Some(self.program.prelude.decimal);
        if numbers.head() == Some(self.program.prelude.float) {
            return None;
        }
        literal(expression, &self.module.source, decimal)
    }
}

impl Constant {
    /// A map: only how many entries it has, and of which texts, is the same for numbers of any type.
    fn has_decimals(&self) -> bool {
        match self {
            Self::Decimal(_) => true,
            Self::List(items) => items.iter().any(Self::has_decimals),
            _ => false,
        }
    }

    fn is_countable(&self) -> bool {
        matches!(self, Self::Map(_) | Self::Nothing)
    }
}

/// A literal, or a subtype made of one.
fn literal(expression: &Expression, source: &str, decimal: bool) -> Option<Constant> {
    match &expression.kind {
        ExpressionKind::Integer { .. } => {
            let digits = expression.span.text(source).replace([' ', '_'], "");
            let value: i128 = digits.parse().ok()?;
            Some(if decimal {
                Constant::Decimal(Decimal {
                    coefficient: value,
                    scale: 0,
                })
            } else {
                Constant::Integer(value)
            })
        }
        ExpressionKind::Decimal { .. } => {
            let digits = expression.span.text(source).replace([' ', '_'], "");
            let (whole, fraction) = digits.split_once('.')?;
            Some(Constant::Decimal(Decimal {
                coefficient: format!("{whole}{fraction}").parse().ok()?,
                scale: u32::try_from(fraction.len()).ok()?,
            }))
        }
        ExpressionKind::Boolean(value) => Some(Constant::Boolean(*value)),
        ExpressionKind::Text(text) => text.plain().map(Constant::Text),
        ExpressionKind::Nothing => Some(Constant::Nothing),
        ExpressionKind::List(elements) => {
            let items: Option<Vec<Constant>> = elements
                .iter()
                .map(|element| literal(element, source, decimal))
                .collect();
            items.map(Constant::List)
        }
        ExpressionKind::Map(list) => {
            let mut entries: Vec<(Constant, Constant)> = Vec::with_capacity(list.len());
            for entry in list {
                let key = literal(&entry.key, source, decimal)?;
                let value = literal(&entry.value, source, decimal)?;
                match entries.iter_mut().find(|(known, _)| *known == key) {
                    Some(known) => known.1 = value,
                    None => entries.push((key, value)),
                }
            }
            Some(Constant::Map(entries))
        }
        ExpressionKind::Parenthesised(inner) => literal(inner, source, decimal),
        ExpressionKind::Construct { arguments, .. } => match &arguments.list[..] {
            [only] if only.name.is_none() => literal(&only.value, source, decimal),
            _ => None,
        },
        _ => None,
    }
}

/// A condition with the one value that it reads.
pub(super) struct Evaluation<'a> {
    pub(super) program: &'a Program,
    /// Where the condition stands.
    pub(super) module: ModuleId,
    pub(super) name: &'a str,
    pub(super) value: &'a Constant,
}

impl Evaluation<'_> {
    /// Whether the condition holds; none if it cannot be evaluated here.
    pub(super) fn truth(&self, condition: &Expression) -> Option<bool> {
        match self.evaluate(condition, 0)? {
            Constant::Boolean(value) => Some(value),
            _ => None,
        }
    }

    fn evaluate(&self, expression: &Expression, depth: usize) -> Option<Constant> {
        const MAX_DEPTH: usize = 100;
        if depth > MAX_DEPTH {
            return None;
        }
        let evaluate = |expression: &Expression| self.evaluate(expression, depth + 1);
        let source = &self.program.module(self.module).source;
        match &expression.kind {
            ExpressionKind::Name(name) if &*name.text == self.name => Some(self.value.clone()),
            ExpressionKind::Name(name) => self.constant(self.module, &name.text, depth),
            ExpressionKind::Parenthesised(inner) => evaluate(inner),
            ExpressionKind::Not(inner) => match evaluate(inner)? {
                Constant::Boolean(value) => Some(Constant::Boolean(!value)),
                _ => None,
            },
            ExpressionKind::Compare {
                left,
                operator,
                right,
                ..
            } => compare(&evaluate(left)?, *operator, &evaluate(right)?).map(Constant::Boolean),
            ExpressionKind::Operators { first, rest } => {
                let mut value = evaluate(first)?;
                for operand in rest {
                    // `and` and `or` stop early, as they do when the program runs.
                    match (operand.operator, &value) {
                        (Operator::And, Constant::Boolean(false))
                        | (Operator::Or, Constant::Boolean(true)) => {
                            continue;
                        }
                        _ => {}
                    }
                    value = operate(&value, operand.operator, &evaluate(&operand.value)?)?;
                }
                Some(value)
            }
            ExpressionKind::Chain { first, links } => {
                let mut links = links.iter();
                let mut value = match &first.kind {
                    ExpressionKind::Name(name)
                        if &*name.text != self.name
                            && self.program.module(self.module).import(&name.text).is_some() =>
                    {
                        let import = self.program.module(self.module).import(&name.text)?;
                        let link = links.next().filter(|link| link.arguments.is_none())?;
                        self.constant(import.module, &link.name.text, depth)?
                    }
                    _ => evaluate(first)?,
                };
                for link in links {
                    let arguments = link.arguments.as_ref()?;
                    let arguments: Option<Vec<Constant>> = arguments
                        .list
                        .iter()
                        .map(|argument| evaluate(&argument.value))
                        .collect();
                    value = method(&value, &link.name.text, &arguments?)?;
                }
                Some(value)
            }
            _ => literal(expression, source, self.value.has_decimals()),
        }
    }

    /// A constant of a module.
    fn constant(&self, module: ModuleId, name: &str, depth: usize) -> Option<Constant> {
        let id = self.program.find(module, name)?;
        let definition = self.program.definition(id);
        let DefinitionKind::Constant(_) = definition.kind else {
            return None;
        };
        let ItemKind::Constant(constant) = &self.program.module(module).item(definition).kind else {
            return None;
        };
        let inner = Evaluation {
            program: self.program,
            module,
            // No name of a program: there is no parameter inside.
            name: "",
            value: self.value,
        };
        inner.evaluate(&constant.value, depth + 1)
    }
}

fn compare(left: &Constant, operator: Comparison, right: &Constant) -> Option<bool> {
    use std::cmp::Ordering;
    if !operator.is_ordering() {
        let same = match (left, right) {
            (Constant::List(left), Constant::List(right)) => {
                let mut same = left.len() == right.len();
                for (left, right) in left.iter().zip(right) {
                    same = same && compare(left, Comparison::Is, right)?;
                }
                Some(same)
            }
            (Constant::Map(left), Constant::Map(right)) if left.is_empty() || right.is_empty() => {
                Some(left.len() == right.len())
            }
            (Constant::Nothing, Constant::Nothing) => Some(true),
            (Constant::Nothing, _) | (_, Constant::Nothing) => Some(false),
            _ => None,
        };
        if let Some(same) = same {
            return Some(same == (operator == Comparison::Is));
        }
    }
    let ordering = match (left, right) {
        (Constant::Integer(left), Constant::Integer(right)) => left.cmp(right),
        (Constant::Text(left), Constant::Text(right)) => left.chars().cmp(right.chars()),
        (Constant::Boolean(left), Constant::Boolean(right)) if !operator.is_ordering() => left.cmp(right),
        (left, right) => {
            let (left, right) = aligned(decimal(left)?, decimal(right)?)?;
            left.cmp(&right)
        }
    };
    Some(match operator {
        Comparison::Is => ordering == Ordering::Equal,
        Comparison::IsNot => ordering != Ordering::Equal,
        Comparison::IsLessThan => ordering == Ordering::Less,
        Comparison::IsAtMost => ordering != Ordering::Greater,
        Comparison::IsGreaterThan => ordering == Ordering::Greater,
        Comparison::IsAtLeast => ordering != Ordering::Less,
    })
}

/// The number as a decimal: a number literal beside a `Decimal` is one.
fn decimal(of: &Constant) -> Option<Decimal> {
    match of {
        Constant::Integer(value) => Some(Decimal {
            coefficient: *value,
            scale: 0,
        }),
        Constant::Decimal(value) => Some(*value),
        _ => None,
    }
}

/// Both coefficients at the larger scale.
fn aligned(left: Decimal, right: Decimal) -> Option<(i128, i128)> {
    let scale = left.scale.max(right.scale);
    let at = |value: Decimal| {
        let factor = 10_i128.checked_pow(scale - value.scale)?;
        value.coefficient.checked_mul(factor)
    };
    Some((at(left)?, at(right)?))
}

fn operate(left: &Constant, operator: Operator, right: &Constant) -> Option<Constant> {
    match (operator, left, right) {
        (Operator::And, Constant::Boolean(left), Constant::Boolean(right)) => {
            Some(Constant::Boolean(*left && *right))
        }
        (Operator::Or, Constant::Boolean(left), Constant::Boolean(right)) => {
            Some(Constant::Boolean(*left || *right))
        }
        (_, Constant::Integer(left), Constant::Integer(right)) => {
            let value = match operator {
                Operator::Add => left.checked_add(*right),
                Operator::Subtract => left.checked_sub(*right),
                Operator::Multiply => left.checked_mul(*right),
                Operator::Remainder => left.checked_rem(*right),
                _ => None,
            };
            value.map(Constant::Integer)
        }
        (_, left, right) => {
            let (first, second) = (decimal(left)?, decimal(right)?);
            let scale = first.scale.max(second.scale);
            let (left, right) = aligned(first, second)?;
            let value = match operator {
                Operator::Add => Decimal {
                    coefficient: left.checked_add(right)?,
                    scale,
                },
                Operator::Subtract => Decimal {
                    coefficient: left.checked_sub(right)?,
                    scale,
                },
                Operator::Multiply => Decimal {
                    coefficient: first.coefficient.checked_mul(second.coefficient)?,
                    scale: first.scale + second.scale,
                },
                Operator::Remainder => Decimal {
                    coefficient: left.checked_rem(right)?,
                    scale,
                },
                _ => return None,
            };
            Some(Constant::Decimal(value))
        }
    }
}

fn method(of: &Constant, name: &str, arguments: &[Constant]) -> Option<Constant> {
    let count = |count: usize| i128::try_from(count).ok().map(Constant::Integer);
    match (of, name, arguments) {
        (Constant::Text(text), "length", []) => count(text.chars().count()),
        (Constant::Text(text), "is_empty", []) => Some(Constant::Boolean(text.is_empty())),
        (Constant::Text(text), "trim", []) => Some(Constant::Text(text.trim().into())),
        (Constant::Text(text), "to_lower", []) => Some(Constant::Text(text.to_lowercase().into())),
        (Constant::Text(text), "to_upper", []) => Some(Constant::Text(text.to_uppercase().into())),
        (Constant::Text(text), "contains", [Constant::Text(part)]) => {
            Some(Constant::Boolean(text.contains(&**part)))
        }
        (Constant::Text(text), "starts_with", [Constant::Text(part)]) => {
            Some(Constant::Boolean(text.starts_with(&**part)))
        }
        (Constant::Text(text), "ends_with", [Constant::Text(part)]) => {
            Some(Constant::Boolean(text.ends_with(&**part)))
        }
        (Constant::Text(text), "matches", [Constant::Text(pattern)]) => {
            let whole = regex::Regex::new(&format!(r"\A(?:{pattern})\z")).ok()?;
            Some(Constant::Boolean(whole.is_match(text)))
        }
        (Constant::List(items), "length", []) => count(items.len()),
        (Constant::List(items), "is_empty", []) => Some(Constant::Boolean(items.is_empty())),
        (Constant::Map(entries), "length", []) => count(entries.len()),
        (Constant::Map(entries), "is_empty", []) => Some(Constant::Boolean(entries.is_empty())),
        (Constant::List(items), "first", []) => Some(items.first().cloned().unwrap_or(Constant::Nothing)),
        (Constant::List(items), "last", []) => Some(items.last().cloned().unwrap_or(Constant::Nothing)),
        (Constant::List(items), "contains", [item]) => {
            for known in items {
                if compare(known, Comparison::Is, item)? {
                    return Some(Constant::Boolean(true));
                }
            }
            Some(Constant::Boolean(false))
        }
        (Constant::List(items), "sorted", []) => {
            let mut sorted: Vec<Constant> = Vec::with_capacity(items.len());
            for item in items {
                let mut at = sorted.len();
                while at > 0 && compare(item, Comparison::IsLessThan, &sorted[at - 1])? {
                    at -= 1;
                }
                sorted.insert(at, item.clone());
            }
            Some(Constant::List(sorted))
        }
        (Constant::Integer(value), "absolute", []) => value.checked_abs().map(Constant::Integer),
        (Constant::Integer(value), "quotient", [Constant::Integer(divisor)]) => {
            value.checked_div(*divisor).map(Constant::Integer)
        }
        (Constant::Integer(value), "to_decimal", []) => Some(Constant::Decimal(Decimal {
            coefficient: *value,
            scale: 0,
        })),
        _ => None,
    }
}
