//! From tokens to the tree (section 2 of the language): recursive descent that reports every
//! error it can and never gives up on a file.
//!
//! A bad statement, clause or import is skipped to the end of its line, a bad item to the
//! next line that starts an item; a head of a block that cannot be read still opens its
//! block, so that its `end` closes nothing else. The parser says nothing about what the
//! lexer has reported.

mod expressions;
mod items;
mod patterns;
mod statements;
mod types;

use std::sync::Arc;

use crate::lex::{self, LexedText, Token, TokenKind, Word, pascal_case, snake_case};
use crate::tree::{MAX_DEPTH, Module, Name, NodeId, Path, PlainText, Span, TextForm};
use crate::{Code, Diagnostic};

/// Diagnostics of the parser kept per file.
pub const MAX_SYNTAX_DIAGNOSTICS: usize = 10_000;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// A file of a program.
    Module,
    /// A file of declarations: functions and methods have heads and no bodies.
    Declarations,
}

#[derive(Clone, Debug)]
pub struct Parsed {
    pub module: Module,
    /// Of the lexer, then of the parser.
    pub diagnostics: Vec<Diagnostic>,
}

impl Parsed {
    /// No token and no construct was refused: the file may be formatted and checked.
    pub fn is_well_formed(&self) -> bool {
        self.diagnostics.is_empty()
    }
}

/// The name that a file gives its module, without reading further.
pub fn header(source: &str) -> Option<String> {
    let line = source
        .lines()
        .find(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'))?;
    let line = line.split('#').next().unwrap_or(line);
    parse(line, Mode::Module)
        .module
        .header
        .map(|path| path.to_string())
}

/// The tree of a file.
pub fn parse(source: &str, mode: Mode) -> Parsed {
    let lexed = lex::lex(source);
    let mut parser = Parser {
        source,
        texts: &lexed.texts,
        tokens: &lexed.tokens,
        at: 0,
        mode,
        depth: 0,
        nodes: 0,
        open_map_keys: 0,
        open_value_blocks: 0,
        open_matches: 0,
        missing_end: false,
        diagnostics: Vec::new(),
    };
    let mut module = parser.module();
    let mut diagnostics = lexed.diagnostics;
    parser.diagnostics.sort_by_key(|diagnostic| diagnostic.span);
    diagnostics.append(&mut parser.diagnostics);
    module.comments = lexed.comments;
    Parsed { module, diagnostics }
}

/// An error was reported; whoever can go on does.
#[derive(Debug)]
struct Bail;

type Parse<T> = Result<T, Bail>;

struct Parser<'a> {
    source: &'a str,
    texts: &'a [LexedText],
    /// Those of the file, or of the hole at hand; they end in an `EndOfFile`.
    tokens: &'a [Token],
    at: usize,
    mode: Mode,
    depth: usize,
    /// Nodes of the definition at hand.
    nodes: u32,
    /// Keys of `Map of K to V` that are being read: their `to` is not for an inner type.
    open_map_keys: u32,
    /// `if` and `match` expressions whose `end` has not been seen.
    open_value_blocks: u32,
    /// `match` statements around the block at hand.
    open_matches: u32,
    /// The end of the file inside a block was reported.
    missing_end: bool,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Parser<'a> {
    fn kind(&self) -> TokenKind {
        self.tokens[self.at].kind
    }

    fn peek(&self, ahead: usize) -> TokenKind {
        self.tokens
            .get(self.at + ahead)
            .map_or(TokenKind::EndOfFile, |token| token.kind)
    }

    fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    /// The last token that was taken.
    fn previous(&self) -> Span {
        match self.at.checked_sub(1) {
            Some(before) => self.tokens[before].span,
            None => Span::at(self.span().start),
        }
    }

    /// From `start` to the last token that was taken.
    fn since(&self, start: u32) -> Span {
        Span::new(start, self.previous().end.max(start))
    }

    fn start(&self) -> u32 {
        self.span().start
    }

    fn advance(&mut self) -> Span {
        let span = self.span();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        span
    }

    fn at_word(&self, word: Word) -> bool {
        self.kind() == TokenKind::Word(word)
    }

    fn eat(&mut self, kind: TokenKind) -> Option<Span> {
        (self.kind() == kind).then(|| self.advance())
    }

    fn eat_word(&mut self, word: Word) -> Option<Span> {
        self.eat(TokenKind::Word(word))
    }

    fn expect(&mut self, kind: TokenKind) -> Parse<Span> {
        match self.eat(kind) {
            Some(span) => Ok(span),
            None => {
                let wanted = format!("`{}`", kind.description());
                self.unexpected(&wanted, format!("write {wanted} here"))
            }
        }
    }

    fn expect_word(&mut self, word: Word) -> Parse<Span> {
        self.expect(TokenKind::Word(word))
    }

    fn skip_newlines(&mut self) {
        while self.eat(TokenKind::Newline).is_some() {}
    }

    /// `¶?`
    fn optional_newline(&mut self) {
        self.eat(TokenKind::Newline);
    }

    fn node(&mut self) -> NodeId {
        let id = NodeId(self.nodes);
        self.nodes += 1;
        id
    }

    fn report(&mut self, code: Code, span: Span, message: impl Into<String>, fix: impl Into<String>) {
        if self.diagnostics.len() < MAX_SYNTAX_DIAGNOSTICS {
            self.diagnostics.push(Diagnostic::new(code, span, message, fix));
        }
    }

    /// Reports `code` at the token at hand, unless the lexer has reported it or the one before.
    fn refuse<T>(&mut self, code: Code, message: impl Into<String>, fix: impl Into<String>) -> Parse<T> {
        if !self.beside_error() {
            self.report(code, self.span(), message, fix);
        }
        Err(Bail)
    }

    fn beside_error(&self) -> bool {
        self.kind() == TokenKind::Error
            || self
                .at
                .checked_sub(1)
                .is_some_and(|before| self.tokens[before].kind == TokenKind::Error)
    }

    /// `expected`, saying what was wanted and what stands here.
    fn unexpected<T>(&mut self, wanted: &str, fix: impl Into<String>) -> Parse<T> {
        let found = self.found();
        let fix = self.foreign_fix().map_or_else(|| fix.into(), str::to_owned);
        self.refuse(Code::Expected, format!("expected {wanted}, found {found}"), fix)
    }

    fn found(&self) -> String {
        match self.kind() {
            TokenKind::Newline => "the end of the line".to_owned(),
            TokenKind::EndOfFile => "the end".to_owned(),
            TokenKind::ClauseText => "the text of a clause".to_owned(),
            TokenKind::Text(_) => "a text".to_owned(),
            _ => {
                let text = self.span().text(self.source);
                format!("`{}`", text.chars().take(40).collect::<String>())
            }
        }
    }

    fn foreign_fix(&self) -> Option<&'static str> {
        match self.kind() {
            TokenKind::Identifier | TokenKind::TypeName => foreign_keyword(self.span().text(self.source)),
            TokenKind::Word(Word::For) => Some("write `for each … in …` for a loop"),
            TokenKind::Word(Word::Than) => {
                Some("write `is less than`, `is greater than`, `is at most` or `is at least`")
            }
            TokenKind::OpenBrace | TokenKind::CloseBrace => {
                Some("a block has no braces: it starts after its head and closes with `end`")
            }
            TokenKind::Word(Word::Repeat) => {
                Some("write `repeat until` and the condition that ends the loop")
            }
            TokenKind::Word(Word::Until) => Some("write `repeat until` and the condition that ends the loop"),
            _ => None,
        }
    }

    /// Runs `parse` one level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth == MAX_DEPTH {
            return self.refuse(
                Code::Expected,
                format!("expected less nesting: {MAX_DEPTH} levels are the most that is read"),
                "give inner parts names of their own",
            );
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    fn text_of(&self, span: Span) -> Arc<str> {
        span.text(self.source).into()
    }

    fn take_name(&mut self) -> Name {
        let span = self.advance();
        Name {
            text: self.text_of(span),
            span,
        }
    }

    /// An `Ident`. A reserved word or a type name in its place is reported and taken.
    fn name(&mut self, what: &str) -> Parse<Name> {
        match self.kind() {
            TokenKind::Identifier => Ok(self.take_name()),
            TokenKind::TypeName => {
                let name = self.take_name();
                self.value_name_shape(&name);
                Ok(name)
            }
            TokenKind::Word(word) if !word.is_phrase() => {
                let name = self.take_name();
                self.reserved(&name);
                Ok(name)
            }
            _ => self.unexpected(what, format!("write {what} in snake_case")),
        }
    }

    fn value_name_shape(&mut self, name: &Name) {
        let right = snake_case(&name.text);
        self.report(
            Code::IdentifierShape,
            name.span,
            format!(
                "`{}` is spelled like a type; the name of a value is wanted here",
                name.text
            ),
            format!("write `{right}`"),
        );
    }

    fn reserved(&mut self, name: &Name) {
        self.report(
            Code::ReservedWord,
            name.span,
            format!("`{}` is a reserved word and cannot be a name", name.text),
            "choose another name",
        );
    }

    /// A `TypeName`. A name spelled like a value's is reported and taken.
    fn type_name(&mut self, what: &str) -> Parse<Name> {
        match self.kind() {
            TokenKind::TypeName => Ok(self.take_name()),
            TokenKind::Identifier => {
                let name = self.take_name();
                let right = pascal_case(&name.text);
                let fix = match foreign_keyword(&name.text) {
                    Some(fix) => fix.to_owned(),
                    None => format!("write `{right}`"),
                };
                self.report(
                    Code::TypeNameShape,
                    name.span,
                    format!("`{}` is spelled like a value; {what} is wanted here", name.text),
                    fix,
                );
                Ok(name)
            }
            _ => self.unexpected(what, format!("write {what} in PascalCase")),
        }
    }

    /// `a.b.c` without blanks around the dots.
    fn path(&mut self, what: &str) -> Parse<Path> {
        let first = self.name(what)?;
        let start = first.span.start;
        let mut segments = vec![first];
        while self.kind() == TokenKind::Dot {
            if self.span().start != self.previous().end {
                return self.unexpected("no blank before `.`", "write the path without blanks");
            }
            self.advance();
            if self.kind() != TokenKind::Member {
                return self.unexpected("a name right after `.`", "write the path without blanks");
            }
            segments.push(self.take_name());
        }
        Ok(Path {
            segments,
            span: self.since(start),
        })
    }

    /// A text without holes.
    fn plain_text(&mut self, what: &str) -> Parse<PlainText> {
        let TokenKind::Text(index) = self.kind() else {
            return self.unexpected(what, format!("write {what} in quotes"));
        };
        let text = &self.texts[index as usize];
        let value = match text.parts.as_slice() {
            [] => "".into(),
            [lex::LexedPart::Characters { value, .. }] => value.clone(),
            _ => return self.unexpected(&format!("{what} without holes"), "write `\\{` for a brace"),
        };
        if text.form != TextForm::Line {
            return self.unexpected(&format!("{what} on one line"), "write it between `\"` and `\"`");
        }
        let span = self.advance();
        Ok(PlainText { span, value })
    }

    /// The `¶` after a head, clause, field, variant or item.
    fn end_of_line(&mut self) -> Parse<()> {
        if self.eat(TokenKind::Newline).is_some() || self.kind() == TokenKind::EndOfFile {
            return Ok(());
        }
        self.unexpected("the end of the line", "start what follows on a line of its own")
    }

    /// Past the end of the line at hand.
    fn skip_line(&mut self) {
        while !matches!(self.kind(), TokenKind::Newline | TokenKind::EndOfFile) {
            self.advance();
        }
        self.optional_newline();
    }

    /// Whether the token at hand starts a line at the margin.
    fn at_margin(&self) -> bool {
        let start = self.start() as usize;
        start == 0 || self.source.as_bytes().get(start - 1) == Some(&b'\n')
    }

    /// Whether an item starts here: one of its words at the margin.
    fn at_item(&self) -> bool {
        let word = match self.kind() {
            TokenKind::Word(word) => word,
            _ => return false,
        };
        let starts = matches!(
            word,
            Word::Function
                | Word::Type
                | Word::Ability
                | Word::Test
                | Word::Import
                | Word::Public
                | Word::Let
        );
        starts && self.at_margin()
    }

    /// Whether an item starts here that cannot be a statement.
    fn at_item_in_block(&self) -> bool {
        self.at_item() && !self.at_word(Word::Let)
    }

    fn skip_item(&mut self) {
        while self.kind() != TokenKind::EndOfFile {
            self.skip_line();
            if self.at_item() {
                break;
            }
        }
    }
}

/// What to write instead of a keyword of another language (1.3).
fn foreign_keyword(text: &str) -> Option<&'static str> {
    Some(match text {
        "while" => "write `repeat until` with the opposite condition",
        "loop" | "do" => "write `repeat until` and the condition that ends the loop",
        "else" => "write `otherwise`",
        "elif" | "elsif" | "elseif" => "write `otherwise if … then`",
        "def" | "fn" | "func" | "fun" | "lambda" => "write `function`",
        "var" => "write `let mutable … be …`",
        "const" | "val" => "write `let … be …`",
        "switch" => "write `match`",
        "case" => "write `when … then`",
        "foreach" => "write `for each`",
        "throw" | "raise" => "write `fail with`",
        "null" | "nil" | "undefined" | "None" | "Null" | "Nil" => "write `nothing`",
        "True" => "write `true`",
        "False" => "write `false`",
        "this" => "write `self`",
        "class" | "struct" | "record" | "enum" => "write `type`",
        "interface" | "trait" => "write `ability`",
        _ => return None,
    })
}
