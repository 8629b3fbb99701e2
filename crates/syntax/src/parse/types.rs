//! Type expressions and capabilities.

use super::{Parse, Parser};
use crate::Code;
use crate::lex::{TokenKind, Word};
use crate::tree::{Budget, BudgetUnit, Capability, CapabilityPath, FunctionType, NamedType, Type, TypeKind};

impl Parser<'_> {
    pub(super) fn type_expression(&mut self) -> Parse<Type> {
        self.nested(Self::type_inside)
    }

    fn type_inside(&mut self) -> Parse<Type> {
        let id = self.node();
        let start = self.start();
        let kind = match self.kind() {
            TokenKind::Word(Word::Maybe) => {
                self.advance();
                TypeKind::Maybe(Box::new(self.type_expression()?))
            }
            TokenKind::Word(Word::Function) => TypeKind::Function(Box::new(self.function_type()?)),
            _ => TypeKind::Named(self.named_type("a type")?),
        };
        Ok(Type {
            id,
            span: self.since(start),
            kind,
        })
    }

    /// `Name`, `Name of …`
    pub(super) fn named_type(&mut self, what: &str) -> Parse<NamedType> {
        let name = self.type_name(what)?;
        let start = name.span.start;
        let mut arguments = Vec::new();
        let mut with_to = false;
        if self.eat_word(Word::Of).is_some() {
            let is_map = &*name.text == "Map";
            if is_map {
                self.open_map_keys += 1;
            }
            let first = self.type_expression();
            if is_map {
                self.open_map_keys -= 1;
            }
            arguments.push(first?);
            if self.at_word(Word::To) && (is_map || self.open_map_keys == 0) {
                self.advance();
                with_to = true;
                arguments.push(self.type_expression()?);
            } else {
                while self.kind() == TokenKind::Comma && self.starts_listed_type(1) {
                    self.advance();
                    arguments.push(self.type_expression()?);
                }
            }
        }
        Ok(NamedType {
            span: self.since(start),
            name,
            arguments,
            with_to,
        })
    }

    fn starts_listed_type(&self, ahead: usize) -> bool {
        matches!(
            self.peek(ahead),
            TokenKind::TypeName | TokenKind::Word(Word::Maybe | Word::Function)
        )
    }

    fn function_type(&mut self) -> Parse<FunctionType> {
        self.advance();
        self.expect(TokenKind::OpenParenthesis)?;
        let mut parameters = Vec::new();
        if self.kind() != TokenKind::CloseParenthesis {
            // The brackets end whatever key is open outside.
            let outer = std::mem::take(&mut self.open_map_keys);
            let listed = self.listed_types(&mut parameters);
            self.open_map_keys = outer;
            listed?;
        }
        self.expect(TokenKind::CloseParenthesis)?;
        let returns = match self.eat_word(Word::Returns) {
            Some(_) => Some(self.type_expression()?),
            None => None,
        };
        let fails = self.failure_types()?;
        let needs = match self.eat_word(Word::Needs) {
            Some(_) => self.capabilities(true)?,
            None => Vec::new(),
        };
        Ok(FunctionType {
            parameters,
            returns,
            fails,
            needs,
        })
    }

    fn listed_types(&mut self, into: &mut Vec<Type>) -> Parse<()> {
        loop {
            into.push(self.type_expression()?);
            if self.eat(TokenKind::Comma).is_none() {
                return Ok(());
            }
        }
    }

    /// `or fails with A or B`, or nothing.
    pub(super) fn failure_types(&mut self) -> Parse<Vec<Type>> {
        let mut fails = Vec::new();
        if self.eat_word(Word::OrFailsWith).is_some() {
            fails.push(self.type_expression()?);
            while self.eat_word(Word::Or).is_some() {
                fails.push(self.type_expression()?);
            }
        }
        Ok(fails)
    }

    /// What follows `needs`. In the type of a parameter, `, name:` starts the next parameter.
    pub(super) fn capabilities(&mut self, in_type: bool) -> Parse<Vec<Capability>> {
        let mut list = vec![self.capability()?];
        loop {
            let starts_capability = match (self.peek(1), self.peek(2)) {
                (TokenKind::Identifier, next) => next != TokenKind::Colon,
                _ => false,
            };
            let continues = self.kind() == TokenKind::Comma && (starts_capability || !in_type);
            if !continues {
                return Ok(list);
            }
            self.advance();
            list.push(self.capability()?);
        }
    }

    fn capability(&mut self) -> Parse<Capability> {
        let start = self.start();
        let target = self.capability_path()?;
        let budget = match self.eat_word(Word::AtMost) {
            Some(span) => Some(self.budget(span.start)?),
            None => None,
        };
        let mut sinks = Vec::new();
        if self.eat_word(Word::OnlyTo).is_some() {
            sinks.push(self.capability_path()?);
            while self.eat_word(Word::Or).is_some() {
                sinks.push(self.capability_path()?);
            }
        }
        Ok(Capability {
            span: self.since(start),
            target,
            budget,
            sinks,
        })
    }

    fn capability_path(&mut self) -> Parse<CapabilityPath> {
        let path = self.path("a capability")?;
        let start = path.span.start;
        let mut scope = None;
        if self.eat(TokenKind::OpenParenthesis).is_some() {
            if matches!(self.kind(), TokenKind::Text(_)) {
                scope = Some(self.plain_text("the scope")?);
                self.expect(TokenKind::CloseParenthesis)?;
            } else {
                if !self.beside_error() {
                    let found = self.found();
                    self.report(
                        Code::CapabilityScope,
                        self.span(),
                        format!("the scope of a capability is a text, found {found}"),
                        "write the scope in quotes: `filesystem.read(\"conf\")`",
                    );
                }
                while !matches!(
                    self.kind(),
                    TokenKind::CloseParenthesis | TokenKind::Newline | TokenKind::EndOfFile
                ) {
                    self.advance();
                }
                self.expect(TokenKind::CloseParenthesis)?;
            }
        }
        Ok(CapabilityPath {
            span: self.since(start),
            path,
            scope,
        })
    }

    fn budget(&mut self, start: u32) -> Parse<Budget> {
        if self.kind() != TokenKind::Integer {
            return self.unexpected(
                "a whole number of calls",
                "write a budget as `at most 20 per minute`",
            );
        }
        let count = self.take_name();
        self.expect_word(Word::Per)?;
        let unit = match self.kind() {
            TokenKind::Word(Word::Run) => Some(BudgetUnit::Run),
            TokenKind::Identifier => match self.span().text(self.source) {
                "second" => Some(BudgetUnit::Second),
                "minute" => Some(BudgetUnit::Minute),
                "hour" => Some(BudgetUnit::Hour),
                "day" => Some(BudgetUnit::Day),
                _ => None,
            },
            _ => None,
        };
        let Some(unit) = unit else {
            return self.unexpected(
                "`second`, `minute`, `hour`, `day` or `run`",
                "write a budget as `at most 20 per minute`",
            );
        };
        self.advance();
        Ok(Budget {
            span: self.since(start),
            count,
            unit,
        })
    }
}
