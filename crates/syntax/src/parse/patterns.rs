//! Patterns.

use super::{Parse, Parser};
use crate::Code;
use crate::lex::{TokenKind, Word};
use crate::tree::{FieldPattern, Pattern, PatternKind};

impl Parser<'_> {
    pub(super) fn pattern(&mut self) -> Parse<Pattern> {
        self.nested(Self::pattern_inside)
    }

    fn pattern_inside(&mut self) -> Parse<Pattern> {
        let id = self.node();
        let start = self.start();
        let kind = match self.kind() {
            TokenKind::TypeName => self.construction_pattern()?,
            TokenKind::Word(Word::Nothing) => {
                self.advance();
                PatternKind::Nothing
            }
            TokenKind::Word(word @ (Word::Some | Word::Success | Word::Failure)) => {
                self.advance();
                self.expect(TokenKind::OpenParenthesis)?;
                let inner = Box::new(self.pattern()?);
                self.expect(TokenKind::CloseParenthesis)?;
                match word {
                    Word::Some => PatternKind::Some(inner),
                    Word::Success => PatternKind::Success(inner),
                    _ => PatternKind::Failure(inner),
                }
            }
            TokenKind::Identifier => {
                if let Some(fix) = self.foreign_fix() {
                    return self.unexpected("a pattern", fix);
                }
                let name = self.take_name();
                let annotation = match self.eat(TokenKind::Colon) {
                    Some(_) => Some(self.type_expression()?),
                    None => None,
                };
                PatternKind::Binding { name, annotation }
            }
            TokenKind::Integer
            | TokenKind::Decimal
            | TokenKind::Minus
            | TokenKind::Text(_)
            | TokenKind::OpenBracket
            | TokenKind::OpenBrace
            | TokenKind::Word(Word::True | Word::False | Word::Raw) => {
                PatternKind::Literal(Box::new(self.primary()?))
            }
            TokenKind::Word(word)
                if !word.is_phrase() && !matches!(word, Word::Then | Word::Where | Word::End) =>
            {
                let name = self.take_name();
                self.reserved(&name);
                PatternKind::Binding {
                    name,
                    annotation: None,
                }
            }
            _ => {
                return self.unexpected(
                    "a pattern",
                    "write a variant, a record, a literal, a name, `nothing`, `some(…)`, `success(…)` or `failure(…)`",
                );
            }
        };
        Ok(Pattern {
            id,
            span: self.since(start),
            kind,
        })
    }

    fn construction_pattern(&mut self) -> Parse<PatternKind> {
        let name = self.take_name();
        if self.eat(TokenKind::OpenParenthesis).is_none() {
            return Ok(PatternKind::Construction { name, fields: None });
        }
        let mut fields = Vec::new();
        loop {
            if self.kind() == TokenKind::CloseParenthesis {
                return self.unexpected(
                    "a field",
                    "name a field, or write the variant or record without parentheses",
                );
            }
            let id = self.node();
            let field = self.name("the name of a field")?;
            let pattern = match self.eat(TokenKind::Colon) {
                Some(_) => Some(self.pattern()?),
                None => None,
            };
            fields.push(FieldPattern {
                id,
                span: self.since(field.span.start),
                name: field,
                pattern,
            });
            if self.eat(TokenKind::Comma).is_none() {
                break;
            }
        }
        self.expect(TokenKind::CloseParenthesis)?;
        Ok(PatternKind::Construction {
            name,
            fields: Some(fields),
        })
    }

    /// `expected` for a `,` before a closing bracket.
    pub(super) fn trailing_comma<T>(&mut self) -> Parse<T> {
        self.refuse(
            Code::Expected,
            format!("expected another element after `,`, found {}", self.found()),
            "remove the comma",
        )
    }
}
