//! Tokens.

use std::borrow::Cow;
use std::sync::Arc;

use super::words::Word;
use crate::Diagnostic;
use crate::tree::{Comment, Span, TextForm};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    pub kind: TokenKind,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenKind {
    Word(Word),
    Identifier,
    TypeName,
    /// A lower-case word right after a dot, reserved or not.
    Member,
    Integer,
    Decimal,
    /// A text of any form: its position in [`Lexed::texts`].
    Text(u32),
    ClauseText,
    /// A line break that means something.
    Newline,
    OpenParenthesis,
    CloseParenthesis,
    OpenBracket,
    CloseBracket,
    OpenBrace,
    CloseBrace,
    Comma,
    Colon,
    Dot,
    Plus,
    Minus,
    Star,
    Slash,
    EndOfFile,
    /// Reported by the lexer; the parser says nothing more about it.
    Error,
}

/// The tokens of one file, ending in a `Newline` and an `EndOfFile`.
#[derive(Clone, Debug, Default)]
pub struct Lexed {
    pub tokens: Vec<Token>,
    pub texts: Vec<LexedText>,
    pub comments: Vec<Comment>,
    pub diagnostics: Vec<Diagnostic>,
}

#[derive(Clone, Debug)]
pub struct LexedText {
    pub form: TextForm,
    pub parts: Vec<LexedPart>,
}

#[derive(Clone, Debug)]
pub enum LexedPart {
    Characters {
        span: Span,
        value: Arc<str>,
    },
    /// With its braces; the tokens between them, ending in an `EndOfFile`.
    Hole {
        span: Span,
        tokens: Vec<Token>,
    },
}

impl TokenKind {
    /// The name that `renyi tokens` prints, for all but texts, whose form decides.
    pub fn name(self) -> Cow<'static, str> {
        match self {
            Self::Word(word) => Cow::Owned(format!("word({})", word.spelling())),
            other => Cow::Borrowed(other.description()),
        }
    }

    /// What an error message calls it.
    pub fn description(self) -> &'static str {
        match self {
            Self::Word(word) => word.spelling(),
            Self::Identifier => "identifier",
            Self::TypeName => "type-name",
            Self::Member => "member",
            Self::Integer => "integer",
            Self::Decimal => "decimal",
            Self::Text(_) => "text",
            Self::ClauseText => "clause-text",
            Self::Newline => "newline",
            Self::OpenParenthesis => "(",
            Self::CloseParenthesis => ")",
            Self::OpenBracket => "[",
            Self::CloseBracket => "]",
            Self::OpenBrace => "{",
            Self::CloseBrace => "}",
            Self::Comma => ",",
            Self::Colon => ":",
            Self::Dot => ".",
            Self::Plus => "+",
            Self::Minus => "-",
            Self::Star => "*",
            Self::Slash => "/",
            Self::EndOfFile => "eof",
            Self::Error => "error",
        }
    }
}

impl TextForm {
    /// The kind that `renyi tokens` prints.
    pub fn token_name(self) -> &'static str {
        match self {
            Self::Line => "text",
            Self::Block => "block-text",
            Self::Raw => "raw-text",
        }
    }
}
