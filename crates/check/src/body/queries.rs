//! Sources of loops, and queries (8.3 and 8.4 of the language).

use syntax::Code;
use syntax::tree::{Expression, ExpressionKind, Order, Query, Source, TerminalKind};

use super::{Body, Outcome};
use crate::abilities::Evidence;
use crate::facts::ImplicitCall;
use crate::types::Type;

impl Body<'_> {
    /// The type of the items that a source gives.
    pub(super) fn source(&mut self, source: &Source) -> Type {
        let walked = self.expression(&source.value, None);
        let walked = self.shallow(&walked);
        let prelude = &self.program.prelude;
        match &walked {
            Type::Error | Type::Never => return Type::Error,
            Type::NoValue => {
                self.report(
                    Code::TypeMismatch,
                    source.value.span,
                    "this call returns nothing, so there is nothing to walk",
                    "walk a list, set, map, range or text",
                );
                return Type::Error;
            }
            Type::Maybe(_) => {
                let found = self.spelling(&walked);
                self.report(
                    Code::MaybeValue,
                    source.value.span,
                    format!("this is a `{found}`, and something to walk is needed"),
                    "say what happens without one: `… otherwise []`",
                );
                return Type::Error;
            }
            // The items of a literal that nothing else types.
            Type::Named {
                definition,
                arguments,
            } if *definition == prelude.list || *definition == prelude.set => {
                self.implicit.push(ImplicitCall {
                    node: source.value.id,
                    ability: prelude.iterable,
                    subject: walked.clone(),
                });
                return arguments.first().cloned().unwrap_or(Type::Error);
            }
            _ => {}
        }
        let iterable = prelude.iterable;
        let subject = self.deep(&walked);
        match self.program.evidence(&subject, iterable, self.inside) {
            Some(Evidence::Arguments(arguments)) => {
                self.implicit.push(ImplicitCall {
                    node: source.value.id,
                    ability: iterable,
                    subject,
                });
                arguments.first().cloned().unwrap_or(Type::Error)
            }
            Some(Evidence::Unknown) => Type::Error,
            None => {
                let found = self.spelling(&walked);
                self.report(
                    Code::TypeMismatch,
                    source.value.span,
                    format!("a `{found}` cannot be walked"),
                    format!(
                        "walk a list, set, map, range or text, or write `ability Iterable of … for {found}`"
                    ),
                );
                Type::Error
            }
        }
    }

    /// Binds the one or two variables of a source.
    pub(super) fn bind_source(&mut self, source: &Source, items: &Type) {
        let items = self.deep(items);
        match &source.variables[..] {
            [] => {}
            [variable] => {
                self.bind(&variable.name, variable.id, items, "loop variable");
            }
            [left, right, rest @ ..] => {
                let (first, second) = match &items {
                    Type::Named {
                        definition,
                        arguments,
                    } if *definition == self.program.prelude.pair && arguments.len() == 2 => {
                        (arguments[0].clone(), arguments[1].clone())
                    }
                    Type::Error => (Type::Error, Type::Error),
                    _ => {
                        if rest.is_empty() {
                            let found = self.spelling(&items);
                            self.report(
                                Code::LoopVariables,
                                left.name.span.to(right.name.span),
                                format!("two variables take a pair apart, and each item is a `{found}`"),
                                "write one variable, or walk a map or `….with_index()`",
                            );
                        }
                        (Type::Error, Type::Error)
                    }
                };
                if let Some(third) = rest.first() {
                    self.report(
                        Code::LoopVariables,
                        third.name.span,
                        "a loop has at most two variables",
                        "walk the items with one variable, and take them apart inside",
                    );
                }
                self.bind(&left.name, left.id, first, "loop variable");
                self.bind(&right.name, right.id, second, "loop variable");
                for variable in rest {
                    let index = self.bind(&variable.name, variable.id, Type::Error, "loop variable");
                    self.locals[index].exempt = true;
                }
            }
        }
    }

    /// A sort key can be compared.
    pub(super) fn order(&mut self, order: &Order) {
        let key = self.expression(&order.key, None);
        self.needs_compare(&key, order.key.span, order.key.id, "a sort key");
    }

    pub(super) fn query(
        &mut self,
        query: &Query,
        expression: &Expression,
        expected: Option<&Type>,
    ) -> Outcome {
        self.open_scope();
        let mut item = Type::Error;
        let mut last = Vec::new();
        if let Some(concurrently) = &query.concurrently
            && let Some(within) = &concurrently.within
        {
            self.deadline(within);
        }
        for source in &query.sources {
            item = self.source(source);
            let first = self.locals.len();
            self.bind_source(source, &item);
            last = (first..self.locals.len()).collect();
        }
        if let Some(filter) = &query.filter {
            self.truth(filter);
        }
        if let Some(order) = &query.order {
            self.order(order);
        }
        let prelude = &self.program.prelude;
        let (integer, boolean) = (Type::named(prelude.integer), Type::named(prelude.boolean));
        let (list, map) = (prelude.list, prelude.map);
        let wanted = |container, position: usize| match expected.map(|expected| self.shallow(expected)) {
            Some(Type::Named {
                definition,
                arguments,
            }) if definition == container => arguments.get(position).cloned(),
            Some(Type::Maybe(inner)) => match self.shallow(&inner) {
                Type::Named {
                    definition,
                    arguments,
                } if definition == container => arguments.get(position).cloned(),
                _ => None,
            },
            _ => None,
        };
        // What the terminal is to give: per group it is the value of a map.
        let wanted = match &query.group_by {
            Some(_) => wanted(map, 1),
            None => expected.cloned(),
        };
        let key = query.group_by.as_ref().map(|key| {
            let found = self.expression(key, None);
            self.needs_hash(&found, key.span, "a group key");
            found
        });
        let result = match query.terminal.as_ref().map(|terminal| &terminal.kind) {
            Some(TerminalKind::Collect(value)) => {
                let wanted = wanted.map(|wanted| self.shallow(&wanted));
                let element = match &wanted {
                    Some(Type::Named {
                        definition,
                        arguments,
                    }) if *definition == list => arguments.first().cloned(),
                    Some(Type::Maybe(inner)) => match self.shallow(inner) {
                        Type::Named {
                            definition,
                            arguments,
                        } if definition == list => arguments.first().cloned(),
                        _ => None,
                    },
                    _ => None,
                };
                let element = match element {
                    Some(element) => {
                        let actual = self.value(value, &element);
                        match self.shallow(&element) {
                            Type::Variable(_) => actual,
                            _ => element,
                        }
                    }
                    None => self.some_value(value),
                };
                Type::generic(list, [element])
            }
            Some(TerminalKind::Sum(value)) => {
                let found = self.expression(value, wanted.as_ref());
                let number = self.bottom(&found);
                if self.number(&number).is_none() && !matches!(number, Type::Error | Type::Never) {
                    let spelling = self.spelling(&found);
                    self.report(
                        Code::TypeMismatch,
                        value.span,
                        format!("numbers are summed, and this is a `{spelling}`"),
                        "sum an `Integer`, `Decimal` or `Float`",
                    );
                    Type::Error
                } else {
                    number
                }
            }
            Some(TerminalKind::Any(value) | TerminalKind::All(value)) => {
                self.truth(value);
                boolean
            }
            Some(TerminalKind::Count) => integer,
            Some(TerminalKind::First) => {
                for index in last {
                    self.locals[index].read = true;
                }
                Type::maybe(item.clone())
            }
            None => {
                for index in last {
                    self.locals[index].read = true;
                }
                Type::generic(list, [item.clone()])
            }
        };
        if matches!(
            query.terminal.as_ref().map(|terminal| &terminal.kind),
            Some(TerminalKind::Count)
        ) {
            self.close_counting_scope(query, expression);
        } else {
            self.close_scope();
        }
        match key {
            Some(key) => Outcome::of(Type::generic(map, [key, result])),
            None => Outcome::of(result),
        }
    }

    /// A variable that is only counted: the source knows its length.
    fn close_counting_scope(&mut self, query: &Query, expression: &Expression) {
        let unread = |body: &Self, name: &str| {
            body.find_local(name).filter(|index| {
                let local = &body.locals[*index];
                !local.read && !local.exempt
            })
        };
        if let [source] = &query.sources[..]
            && let [variable] = &source.variables[..]
            && let Some(index) = unread(self, &variable.name.text)
            && query.filter.is_none()
            && query.group_by.is_none()
        {
            self.locals[index].exempt = true;
            let counted = match &source.value.kind {
                ExpressionKind::Name(name) => name.text.to_string(),
                _ => "…".to_owned(),
            };
            let _ = expression;
            self.report(
                Code::UnusedBinding,
                variable.name.span,
                format!(
                    "the loop variable `{}` is never read, only counted",
                    variable.name.text
                ),
                format!("write `{counted}.length()`"),
            );
        }
        self.close_scope();
    }

    /// An expression that must have a value, of whichever type.
    pub(super) fn some_value(&mut self, value: &Expression) -> Type {
        let found = self.expression(value, None);
        if found == Type::NoValue {
            self.report(
                Code::TypeMismatch,
                value.span,
                "this call returns nothing, and a value is needed",
                "give a value",
            );
            return Type::Error;
        }
        found
    }
}
