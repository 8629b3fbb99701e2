//! Expressions, and what stands for one: outcomes and queries.

use super::{Bail, Parse, Parser};
use crate::Code;
use crate::lex::{LexedPart, TokenKind, Word};
use crate::tree::{
    Argument, Arguments, Comparison, Concurrently, Entry, Expression, ExpressionKind, Link, LoopVariable,
    Operand, Operator, Order, Outcome, OutcomeKind, Query, Source, Span, Terminal, TerminalKind, TextLiteral,
    TextPart, Update, ValueArm, ValueBranch,
};

impl Parser<'_> {
    fn finish(&mut self, start: u32, kind: ExpressionKind) -> Expression {
        Expression {
            id: self.node(),
            span: self.since(start),
            kind,
        }
    }

    /// `expr`
    pub(super) fn expression(&mut self) -> Parse<Expression> {
        let start = self.start();
        let value = self.disjunction()?;
        if !self.at_word(Word::Otherwise) {
            return Ok(value);
        }
        let mut outcomes = Vec::new();
        while self.eat_word(Word::Otherwise).is_some() {
            outcomes.push(self.outcome()?);
        }
        let value = Box::new(value);
        Ok(self.finish(start, ExpressionKind::Otherwise { value, outcomes }))
    }

    pub(super) fn outcome(&mut self) -> Parse<Outcome> {
        let id = self.node();
        let start = self.start();
        let kind = match self.kind() {
            TokenKind::Word(Word::Fail) => {
                self.advance();
                OutcomeKind::Fail(match self.eat_word(Word::With) {
                    Some(_) => Some(self.disjunction()?),
                    None => None,
                })
            }
            TokenKind::Word(Word::Return) => {
                self.advance();
                OutcomeKind::Return(if self.starts_value() {
                    Some(self.disjunction()?)
                } else {
                    None
                })
            }
            TokenKind::Word(Word::Crash) => {
                self.advance();
                self.expect_word(Word::With)?;
                OutcomeKind::Crash(self.disjunction()?)
            }
            TokenKind::Word(Word::Break) => {
                self.advance();
                OutcomeKind::Break
            }
            TokenKind::Word(Word::Continue) => {
                self.advance();
                OutcomeKind::Continue
            }
            _ => OutcomeKind::Value(self.disjunction()?),
        };
        Ok(Outcome {
            id,
            span: self.since(start),
            kind,
        })
    }

    /// Whether the token at hand may start the value of a `return`.
    pub(super) fn starts_value(&self) -> bool {
        match self.kind() {
            TokenKind::Newline
            | TokenKind::EndOfFile
            | TokenKind::Comma
            | TokenKind::CloseParenthesis
            | TokenKind::CloseBracket
            | TokenKind::CloseBrace => false,
            TokenKind::Word(word) => !matches!(word, Word::End | Word::Otherwise | Word::When),
            _ => true,
        }
    }

    /// `or`
    pub(super) fn disjunction(&mut self) -> Parse<Expression> {
        self.nested(|parser| {
            parser.chain(
                |kind| (kind == TokenKind::Word(Word::Or)).then_some(Operator::Or),
                |parser| {
                    parser.chain(
                        |kind| (kind == TokenKind::Word(Word::And)).then_some(Operator::And),
                        Self::negation,
                    )
                },
            )
        })
    }

    /// Operands of one binding strength.
    fn chain(
        &mut self,
        operator: impl Fn(TokenKind) -> Option<Operator>,
        operand: impl Fn(&mut Self) -> Parse<Expression>,
    ) -> Parse<Expression> {
        let start = self.start();
        let first = operand(self)?;
        let mut rest = Vec::new();
        while let Some(found) = operator(self.kind()) {
            let operator_span = self.advance();
            let value = operand(self)?;
            rest.push(Operand {
                id: self.node(),
                operator: found,
                operator_span,
                value,
            });
        }
        if rest.is_empty() {
            return Ok(first);
        }
        let first = Box::new(first);
        Ok(self.finish(start, ExpressionKind::Operators { first, rest }))
    }

    fn negation(&mut self) -> Parse<Expression> {
        let start = self.start();
        if self.eat_word(Word::Not).is_none() {
            return self.comparison();
        }
        let inner = Box::new(self.nested(Self::negation)?);
        Ok(self.finish(start, ExpressionKind::Not(inner)))
    }

    fn comparison(&mut self) -> Parse<Expression> {
        let start = self.start();
        let left = self.update()?;
        let Some(operator) = self.comparison_operator() else {
            return Ok(left);
        };
        let operator_span = self.advance();
        let right = Box::new(self.update()?);
        if self.comparison_operator().is_some() {
            return self.unexpected(
                "one comparison",
                "comparisons are not chained: join two of them by `and`, or use parentheses",
            );
        }
        let left = Box::new(left);
        let kind = ExpressionKind::Compare {
            left,
            operator,
            operator_span,
            right,
        };
        Ok(self.finish(start, kind))
    }

    fn comparison_operator(&self) -> Option<Comparison> {
        let TokenKind::Word(word) = self.kind() else {
            return None;
        };
        Some(match word {
            Word::Is => Comparison::Is,
            Word::IsNot => Comparison::IsNot,
            Word::IsLessThan => Comparison::IsLessThan,
            Word::IsAtMost => Comparison::IsAtMost,
            Word::IsGreaterThan => Comparison::IsGreaterThan,
            Word::IsAtLeast => Comparison::IsAtLeast,
            _ => return None,
        })
    }

    fn update(&mut self) -> Parse<Expression> {
        let start = self.start();
        let value = self.sum()?;
        if self.eat_word(Word::With).is_none() {
            return Ok(value);
        }
        let mut updates = Vec::new();
        loop {
            let name = self.name("the name of a field")?;
            let update_start = name.span.start;
            self.expect(TokenKind::Colon)?;
            let value = self.sum()?;
            updates.push(Update {
                span: self.since(update_start),
                name,
                value,
            });
            let another = self.kind() == TokenKind::Comma
                && matches!(
                    (self.peek(1), self.peek(2)),
                    (TokenKind::Identifier, TokenKind::Colon)
                );
            if !another {
                break;
            }
            self.advance();
        }
        let value = Box::new(value);
        Ok(self.finish(start, ExpressionKind::With { value, updates }))
    }

    fn sum(&mut self) -> Parse<Expression> {
        self.chain(
            |kind| match kind {
                TokenKind::Plus => Some(Operator::Add),
                TokenKind::Minus => Some(Operator::Subtract),
                _ => None,
            },
            |parser| {
                parser.chain(
                    |kind| match kind {
                        TokenKind::Star => Some(Operator::Multiply),
                        TokenKind::Slash => Some(Operator::Divide),
                        TokenKind::Word(Word::Remainder) => Some(Operator::Remainder),
                        _ => None,
                    },
                    Self::power,
                )
            },
        )
    }

    fn power(&mut self) -> Parse<Expression> {
        let start = self.start();
        let base = self.postfix()?;
        if self.eat_word(Word::Power).is_none() {
            return Ok(base);
        }
        let exponent = Box::new(self.nested(Self::power)?);
        let base = Box::new(base);
        Ok(self.finish(start, ExpressionKind::Power { base, exponent }))
    }

    fn postfix(&mut self) -> Parse<Expression> {
        let start = self.start();
        let first = self.primary()?;
        let mut links = Vec::new();
        while self.kind() == TokenKind::Dot {
            let dot = self.advance();
            let name = match self.kind() {
                TokenKind::Member => self.take_name(),
                TokenKind::TypeName => {
                    let name = self.take_name();
                    self.value_name_shape(&name);
                    name
                }
                _ => {
                    return self
                        .unexpected("a name right after `.`", "write a field or method after the dot");
                }
            };
            let arguments = self.optional_arguments()?;
            links.push(Link {
                id: self.node(),
                span: self.since(dot.start),
                name,
                arguments,
            });
        }
        if links.is_empty() {
            return Ok(first);
        }
        let first = Box::new(first);
        Ok(self.finish(start, ExpressionKind::Chain { first, links }))
    }

    fn optional_arguments(&mut self) -> Parse<Option<Arguments>> {
        if self.kind() != TokenKind::OpenParenthesis {
            return Ok(None);
        }
        let open = self.advance();
        let mut list = Vec::new();
        self.listed(TokenKind::CloseParenthesis, |parser| {
            let named = parser.peek(1) == TokenKind::Colon
                && matches!(
                    parser.kind(),
                    TokenKind::Identifier | TokenKind::TypeName | TokenKind::Word(_)
                );
            let name = if named {
                let name = parser.name("the name of a parameter or field")?;
                parser.advance();
                Some(name)
            } else {
                None
            };
            let value = parser.expression()?;
            list.push(Argument { name, value });
            Ok(())
        })?;
        Ok(Some(Arguments {
            span: self.since(open.start),
            list,
        }))
    }

    /// Elements up to the closing bracket, which is taken.
    fn listed(&mut self, close: TokenKind, mut element: impl FnMut(&mut Self) -> Parse<()>) -> Parse<()> {
        if self.eat(close).is_some() {
            return Ok(());
        }
        loop {
            element(self)?;
            if self.eat(TokenKind::Comma).is_none() {
                break;
            }
            if self.kind() == close {
                return self.trailing_comma();
            }
        }
        self.expect(close)?;
        Ok(())
    }

    pub(super) fn primary(&mut self) -> Parse<Expression> {
        let start = self.start();
        let kind = match self.kind() {
            TokenKind::Identifier => return self.named_value(),
            TokenKind::TypeName => {
                let name = self.take_name();
                match self.optional_arguments()? {
                    Some(arguments) => ExpressionKind::Construct { name, arguments },
                    None => ExpressionKind::TypeName(name),
                }
            }
            TokenKind::Integer => {
                self.advance();
                ExpressionKind::Integer { negative: false }
            }
            TokenKind::Decimal => {
                self.advance();
                ExpressionKind::Decimal { negative: false }
            }
            TokenKind::Minus => self.negative_number()?,
            TokenKind::Text(index) => {
                self.advance();
                ExpressionKind::Text(self.text_literal(index))
            }
            TokenKind::OpenParenthesis => {
                self.advance();
                let inner = Box::new(self.expression()?);
                self.expect(TokenKind::CloseParenthesis)?;
                ExpressionKind::Parenthesised(inner)
            }
            TokenKind::OpenBracket => {
                self.advance();
                let mut list = Vec::new();
                self.listed(TokenKind::CloseBracket, |parser| {
                    list.push(parser.expression()?);
                    Ok(())
                })?;
                ExpressionKind::List(list)
            }
            TokenKind::OpenBrace => {
                self.advance();
                let mut entries = Vec::new();
                self.listed(TokenKind::CloseBrace, |parser| {
                    let key = parser.disjunction()?;
                    parser.expect(TokenKind::Colon)?;
                    let value = parser.expression()?;
                    entries.push(Entry { key, value });
                    Ok(())
                })?;
                ExpressionKind::Map(entries)
            }
            TokenKind::Word(word) => return self.word_value(word),
            _ => return self.no_value(),
        };
        Ok(self.finish(start, kind))
    }

    fn no_value<T>(&mut self) -> Parse<T> {
        self.unexpected("a value", "write a value here")
    }

    fn named_value(&mut self) -> Parse<Expression> {
        let start = self.start();
        let name = self.take_name();
        let kind = match self.optional_arguments()? {
            Some(arguments) => ExpressionKind::Call { name, arguments },
            None => ExpressionKind::Name(name),
        };
        Ok(self.finish(start, kind))
    }

    /// `-` is a prefix only right before a number.
    fn negative_number(&mut self) -> Parse<ExpressionKind> {
        let minus = self.advance();
        let kind = match self.kind() {
            TokenKind::Integer => ExpressionKind::Integer { negative: true },
            TokenKind::Decimal => ExpressionKind::Decimal { negative: true },
            _ => ExpressionKind::Error,
        };
        if kind == ExpressionKind::Error || self.start() != minus.end {
            if !self.beside_error() {
                self.report(
                    Code::UnaryMinus,
                    minus,
                    "`-` is a sign only right before a number",
                    "subtract from zero: `0 - x`",
                );
            }
            if kind == ExpressionKind::Error {
                self.nested(Self::postfix)?;
                return Ok(ExpressionKind::Error);
            }
        }
        self.advance();
        Ok(kind)
    }

    fn word_value(&mut self, word: Word) -> Parse<Expression> {
        let start = self.start();
        let kind = match word {
            Word::True | Word::False => {
                self.advance();
                ExpressionKind::Boolean(word == Word::True)
            }
            Word::Nothing => {
                self.advance();
                ExpressionKind::Nothing
            }
            Word::SelfWord => {
                self.advance();
                ExpressionKind::SelfValue
            }
            Word::Raw => {
                self.advance();
                let TokenKind::Text(index) = self.kind() else {
                    return self.unexpected("a text after `raw`", "write `raw \"…\"` on one line");
                };
                self.advance();
                ExpressionKind::Text(self.text_literal(index))
            }
            Word::From => self.range()?,
            Word::If => self.value_if()?,
            Word::Match => self.value_match()?,
            Word::ForEach => ExpressionKind::Query(Box::new(self.query()?)),
            _ if may_be_meant_as_name(word) => {
                let name = self.take_name();
                self.reserved(&name);
                match self.optional_arguments()? {
                    Some(arguments) => ExpressionKind::Call { name, arguments },
                    None => ExpressionKind::Name(name),
                }
            }
            _ => return self.no_value(),
        };
        Ok(self.finish(start, kind))
    }

    fn range(&mut self) -> Parse<ExpressionKind> {
        self.expect_word(Word::From)?;
        let from = Box::new(self.sum()?);
        self.expect_word(Word::To)?;
        let to = Box::new(self.sum()?);
        let by = match self.eat_word(Word::By) {
            Some(_) => Some(Box::new(self.sum()?)),
            None => None,
        };
        Ok(ExpressionKind::Range { from, to, by })
    }

    fn value_if(&mut self) -> Parse<ExpressionKind> {
        self.open_value_blocks += 1;
        let mut branches = Vec::new();
        let mut otherwise = None;
        let mut start = self.start();
        self.expect_word(Word::If)?;
        loop {
            let condition = self.expression()?;
            self.expect_word(Word::Then)?;
            self.optional_newline();
            let outcome = self.outcome()?;
            self.optional_newline();
            branches.push(ValueBranch {
                span: self.since(start),
                condition,
                outcome,
            });
            start = self.start();
            if self.eat_word(Word::Otherwise).is_none() {
                break;
            }
            if self.eat_word(Word::If).is_some() {
                continue;
            }
            self.optional_newline();
            otherwise = Some(Box::new(self.outcome()?));
            self.optional_newline();
            break;
        }
        if otherwise.is_none() {
            return self.unexpected(
                "`otherwise`",
                "an `if` that gives a value needs a value for both cases",
            );
        }
        self.expect_word(Word::End)?;
        self.open_value_blocks -= 1;
        Ok(ExpressionKind::If { branches, otherwise })
    }

    fn value_match(&mut self) -> Parse<ExpressionKind> {
        self.open_value_blocks += 1;
        self.expect_word(Word::Match)?;
        let subject = Box::new(self.expression()?);
        self.optional_newline();
        let mut arms = Vec::new();
        while self.at_word(Word::When) {
            let start = self.start();
            self.advance();
            let pattern = self.pattern()?;
            let guard = match self.eat_word(Word::Where) {
                Some(_) => Some(self.expression()?),
                None => None,
            };
            self.expect_word(Word::Then)?;
            self.optional_newline();
            let outcome = self.outcome()?;
            arms.push(ValueArm {
                span: self.since(start),
                pattern,
                guard,
                outcome,
            });
            self.optional_newline();
        }
        let mut otherwise = None;
        if self.eat_word(Word::Otherwise).is_some() {
            self.optional_newline();
            otherwise = Some(Box::new(self.outcome()?));
            self.optional_newline();
        }
        self.expect_word(Word::End)?;
        self.open_value_blocks -= 1;
        Ok(ExpressionKind::Match {
            subject,
            arms,
            otherwise,
        })
    }

    fn query(&mut self) -> Parse<Query> {
        let start = self.start();
        self.expect_word(Word::ForEach)?;
        let mut sources = vec![self.source()?];
        while self.eat(TokenKind::Comma).is_some() {
            sources.push(self.source()?);
        }
        let concurrently = match self.eat_word(Word::Concurrently) {
            Some(span) => {
                let within = match self.eat_word(Word::Within) {
                    Some(_) => Some(self.disjunction()?),
                    None => None,
                };
                Some(Concurrently {
                    span: self.since(span.start),
                    within,
                })
            }
            None => None,
        };
        let filter = match self.eat_word(Word::Where) {
            Some(_) => Some(self.disjunction()?),
            None => None,
        };
        let order = self.order()?;
        let group_by = match self.eat_word(Word::GroupBy) {
            Some(_) => Some(self.disjunction()?),
            None => None,
        };
        let terminal = self.terminal()?;
        if terminal.is_none() && group_by.is_none() {
            if !self.beside_error() {
                self.report(
                    Code::QueryShape,
                    self.since(start),
                    "a query says what it gives",
                    "end it with `collect`, `sum`, `count`, `first`, `any`, `all` or `group by`",
                );
            }
            return Err(Bail);
        }
        Ok(Query {
            sources,
            concurrently,
            filter,
            order,
            group_by,
            terminal,
        })
    }

    fn terminal(&mut self) -> Parse<Option<Terminal>> {
        let TokenKind::Word(word) = self.kind() else {
            return Ok(None);
        };
        let start = self.start();
        let kind = match word {
            Word::Count | Word::First => {
                self.advance();
                if word == Word::Count {
                    TerminalKind::Count
                } else {
                    TerminalKind::First
                }
            }
            Word::Collect | Word::Sum | Word::Any | Word::All => {
                self.advance();
                let value = self.expression()?;
                match word {
                    Word::Collect => TerminalKind::Collect(value),
                    Word::Sum => TerminalKind::Sum(value),
                    Word::Any => TerminalKind::Any(value),
                    _ => TerminalKind::All(value),
                }
            }
            _ => return Ok(None),
        };
        Ok(Some(Terminal {
            span: self.since(start),
            kind,
        }))
    }

    pub(super) fn order(&mut self) -> Parse<Option<Order>> {
        let Some(span) = self.eat_word(Word::SortedBy) else {
            return Ok(None);
        };
        let key = self.disjunction()?;
        let descending = self.eat_word(Word::Descending);
        Ok(Some(Order {
            span: self.since(span.start),
            key,
            descending,
        }))
    }

    pub(super) fn source(&mut self) -> Parse<Source> {
        let start = self.start();
        let mut variables = Vec::new();
        loop {
            let id = self.node();
            let name = self.name("a loop variable")?;
            variables.push(LoopVariable { id, name });
            if self.eat(TokenKind::Comma).is_none() {
                break;
            }
        }
        let in_span = self.eat_word(Word::In);
        let value_start = self.start();
        let value = if in_span.is_none() {
            if !self.at_word(Word::From) {
                return self.unexpected(
                    "`in` or `from`",
                    "write `for each x in list` or `for each x from 1 to 9`",
                );
            }
            let range = self.range()?;
            self.finish(value_start, range)
        } else {
            if self.at_word(Word::From) {
                self.report(
                    Code::RangeLoop,
                    self.span(),
                    "a loop over a range has no `in`",
                    "write `for each x from … to …`",
                );
            }
            self.disjunction()?
        };
        Ok(Source {
            span: self.since(start),
            variables,
            in_span,
            value,
        })
    }

    fn text_literal(&mut self, index: u32) -> TextLiteral {
        let texts = self.texts;
        let text = &texts[index as usize];
        let parts = text
            .parts
            .iter()
            .map(|part| match part {
                LexedPart::Characters { span, value } => TextPart::Characters {
                    span: *span,
                    value: value.clone(),
                },
                LexedPart::Hole { span, tokens } => TextPart::Hole {
                    span: *span,
                    value: self.hole(*span, tokens),
                },
            })
            .collect();
        TextLiteral {
            form: text.form,
            parts,
        }
    }

    /// The one expression of a hole; what was reported becomes an `Error`.
    fn hole(&mut self, span: Span, tokens: &[crate::lex::Token]) -> Expression {
        let mut inside = Parser {
            source: self.source,
            texts: self.texts,
            tokens,
            at: 0,
            mode: self.mode,
            depth: self.depth,
            nodes: self.nodes,
            open_map_keys: 0,
            open_value_blocks: 0,
            open_matches: 0,
            missing_end: false,
            diagnostics: std::mem::take(&mut self.diagnostics),
        };
        let blank = tokens.len() <= 1;
        let value = if blank { Err(Bail) } else { inside.expression() };
        if value.is_ok() && inside.kind() != TokenKind::EndOfFile && !inside.beside_error() {
            inside.report(
                Code::HoleSyntax,
                inside.span(),
                "a hole holds one expression",
                "close the hole with `}` after the expression",
            );
        }
        self.nodes = inside.nodes;
        self.diagnostics = inside.diagnostics;
        value.unwrap_or_else(|Bail| Expression {
            id: self.node(),
            span,
            kind: ExpressionKind::Error,
        })
    }
}

/// A reserved word that someone may have written as the name of a value; the others belong
/// to a construct around the place where they stand.
fn may_be_meant_as_name(word: Word) -> bool {
    matches!(
        word,
        Word::All
            | Word::Also
            | Word::Any
            | Word::At
            | Word::Count
            | Word::Deprecated
            | Word::Each
            | Word::Example
            | Word::Expose
            | Word::Failure
            | Word::First
            | Word::Greater
            | Word::Group
            | Word::Lazy
            | Word::Least
            | Word::Less
            | Word::Module
            | Word::Most
            | Word::Mutable
            | Word::One
            | Word::Only
            | Word::Public
            | Word::Purpose
            | Word::Replays
            | Word::Run
            | Word::See
            | Word::Some
            | Word::Sorted
            | Word::Success
            | Word::Sum
            | Word::Tags
            | Word::Test
            | Word::Tool
            | Word::Type
    )
}
