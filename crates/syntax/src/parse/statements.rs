//! Statements and blocks.

use super::{Bail, Parse, Parser, foreign_keyword};
use crate::Code;
use crate::lex::{TokenKind, Word};
use crate::tree::{
    Arm, Block, Branch, Expression, ExpressionKind, ForEach, OtherwiseBlock, Span, Statement, StatementKind,
};

/// Which words close the block at hand besides `end`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Closers {
    End,
    /// An `if`: `otherwise`.
    Otherwise,
    /// An arm of a `match`: `otherwise` and `when`.
    Arm,
}

impl Parser<'_> {
    /// The statements up to a closing word, which is left.
    pub(super) fn block(&mut self, closers: Closers) -> Block {
        let mut statements = Vec::new();
        loop {
            self.skip_newlines();
            match self.kind() {
                TokenKind::EndOfFile | TokenKind::Word(Word::End) => break,
                TokenKind::Word(Word::Otherwise) if closers != Closers::End => break,
                TokenKind::Word(Word::When) if closers == Closers::Arm || self.open_matches > 0 => break,
                TokenKind::Word(Word::Otherwise) => {
                    self.report(
                        Code::OtherwiseLine,
                        self.span(),
                        "no `if` or `match` is open here, and a line break ends a statement before `otherwise`",
                        "write `otherwise` on the line of the value it reads",
                    );
                    self.skip_line();
                }
                _ if self.at_item_in_block() => break,
                _ => statements.push(self.statement_and_end()),
            }
        }
        let span = match (statements.first(), statements.last()) {
            (Some(first), Some(last)) => first.span.to(last.span),
            _ => Span::at(self.start()),
        };
        Block { span, statements }
    }

    fn statement_and_end(&mut self) -> Statement {
        let start = self.start();
        let before = self.open_value_blocks;
        let depth = self.depth;
        let kind = self.nested(Self::statement).and_then(|kind| {
            let closed = matches!(
                self.kind(),
                TokenKind::Newline
                    | TokenKind::EndOfFile
                    | TokenKind::Word(Word::End | Word::Otherwise | Word::When)
            );
            if closed || self.at_item_in_block() {
                return Ok(kind);
            }
            self.unexpected(
                "the end of the line",
                "start the next statement on a line of its own",
            )
        });
        let kind = kind.unwrap_or_else(|Bail| {
            self.depth = depth;
            self.skip_statement(before);
            StatementKind::Error
        });
        Statement {
            id: self.node(),
            span: self.since(start),
            kind,
        }
    }

    /// To the end of the line, and past the `end` of every `if` and `match` expression that
    /// was open in the statement.
    fn skip_statement(&mut self, open_before: u32) {
        let mut open = self.open_value_blocks.saturating_sub(open_before);
        self.open_value_blocks = open_before;
        loop {
            match self.kind() {
                TokenKind::EndOfFile => return,
                TokenKind::Newline if open == 0 => return,
                TokenKind::Word(Word::If)
                    if !matches!(self.previous_word(), Some(Word::Otherwise)) && open > 0 =>
                {
                    open += 1;
                }
                TokenKind::Word(Word::Match) if open > 0 => open += 1,
                TokenKind::Word(Word::End) if open > 0 => open -= 1,
                // The `end` of a block around the statement.
                TokenKind::Word(Word::End) if self.peek(1) == TokenKind::Newline => return,
                _ if open > 0 && self.at_item_in_block() => return,
                _ => {}
            }
            self.advance();
        }
    }

    fn previous_word(&self) -> Option<Word> {
        match self.tokens.get(self.at.checked_sub(1)?)?.kind {
            TokenKind::Word(word) => Some(word),
            _ => None,
        }
    }

    fn statement(&mut self) -> Parse<StatementKind> {
        let TokenKind::Word(word) = self.kind() else {
            return self.call_statement();
        };
        match word {
            Word::Let => self.let_statement(),
            Word::Change => {
                self.advance();
                let name = self.name("the name of a binding")?;
                self.expect_word(Word::To)?;
                self.optional_newline();
                let value = self.expression()?;
                Ok(StatementKind::Change { name, value })
            }
            Word::If => self.if_statement(),
            Word::Match => self.match_statement(),
            Word::ForEach => self.for_each(),
            Word::RepeatUntil => {
                self.advance();
                let condition = self.head(|parser| parser.expression());
                let body = self.closed_block();
                condition.map(|condition| StatementKind::RepeatUntil { condition, body })
            }
            Word::RunConcurrently => {
                self.advance();
                let within = self.head(|parser| match parser.eat_word(Word::Within) {
                    Some(_) => parser.expression().map(Some),
                    None => Ok(None),
                });
                let body = self.closed_block();
                within.map(|within| StatementKind::RunConcurrently { within, body })
            }
            Word::Return => {
                self.advance();
                Ok(StatementKind::Return(if self.starts_value() {
                    Some(self.expression()?)
                } else {
                    None
                }))
            }
            Word::Fail => {
                self.advance();
                Ok(StatementKind::Fail(match self.eat_word(Word::With) {
                    Some(_) => Some(self.expression()?),
                    None => None,
                }))
            }
            Word::Crash => {
                self.advance();
                self.expect_word(Word::With)?;
                self.expression().map(StatementKind::Crash)
            }
            Word::Break => {
                self.advance();
                Ok(StatementKind::Break)
            }
            Word::Continue => {
                self.advance();
                Ok(StatementKind::Continue)
            }
            Word::Ignore => {
                self.advance();
                self.expression().map(StatementKind::Ignore)
            }
            Word::Check => {
                self.advance();
                self.expression().map(StatementKind::Check)
            }
            Word::For | Word::Repeat | Word::Until => {
                let refused = self.unexpected("a statement", "write a statement");
                self.skip_block_of_bad_head();
                refused
            }
            _ => self.call_statement(),
        }
    }

    fn let_statement(&mut self) -> Parse<StatementKind> {
        self.advance();
        let mutable = self.eat_word(Word::Mutable).is_some();
        let name = self.name("the name of a binding")?;
        let annotation = match self.eat(TokenKind::Colon) {
            Some(_) => Some(self.type_expression()?),
            None => None,
        };
        self.expect_word(Word::Be)?;
        self.optional_newline();
        let value = self.expression()?;
        Ok(StatementKind::Let {
            mutable,
            name,
            annotation,
            value,
        })
    }

    fn call_statement(&mut self) -> Parse<StatementKind> {
        if self.kind() == TokenKind::Identifier
            && !matches!(self.peek(1), TokenKind::OpenParenthesis | TokenKind::Dot)
        {
            let text = self.span().text(self.source);
            if let Some(fix) = foreign_keyword(text) {
                let opens = matches!(
                    text,
                    "while" | "loop" | "foreach" | "switch" | "def" | "fn" | "func" | "fun"
                );
                let message = format!("`{text}` is a word of another language");
                let refused = self.refuse(Code::ForeignKeyword, message, fix);
                if opens {
                    self.skip_block_of_bad_head();
                }
                return refused;
            }
        }
        let value = self.expression()?;
        let is_call = match &value.kind {
            ExpressionKind::Call { .. } | ExpressionKind::Otherwise { .. } | ExpressionKind::Error => true,
            ExpressionKind::Chain { links, .. } => links.last().is_some_and(|link| link.arguments.is_some()),
            _ => false,
        };
        if !is_call {
            self.report(
                Code::StatementShape,
                value.span,
                "a value stands here that nothing uses",
                "a statement is a call, a binding or a control word: write `let … be`, `return` or `check`",
            );
        }
        Ok(StatementKind::Expression(value))
    }

    /// A head of a block; a bad one is skipped, so that its block is still read.
    fn head<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        let before = self.open_value_blocks;
        let depth = self.depth;
        let result = parse(self).and_then(|value| {
            self.end_of_line()?;
            Ok(value)
        });
        if result.is_err() {
            self.depth = depth;
            self.skip_statement(before);
        }
        result
    }

    /// The block of a construct that cannot be read, with its `end`, unless that closed on
    /// the same line.
    fn skip_block_of_bad_head(&mut self) {
        while !matches!(
            self.kind(),
            TokenKind::Newline | TokenKind::EndOfFile | TokenKind::Word(Word::End)
        ) {
            self.advance();
        }
        self.closed_block();
    }

    fn closed_block(&mut self) -> Block {
        let matches = std::mem::take(&mut self.open_matches);
        let body = self.block(Closers::End);
        self.open_matches = matches;
        self.close();
        body
    }

    /// The `end` of a block; a missing one is reported and the block ends all the same.
    /// Says whether there was one.
    pub(super) fn close(&mut self) -> bool {
        if self.eat_word(Word::End).is_some() {
            return true;
        }
        if self.missing_end {
            return false;
        }
        if self.kind() == TokenKind::EndOfFile {
            self.missing_end = true;
            self.report(
                Code::MissingEnd,
                self.span(),
                "the file ends inside a block",
                "close the block with `end`",
            );
        } else {
            // One word where several blocks are open is told once.
            let told = self
                .diagnostics
                .last()
                .is_some_and(|last| last.span == self.span());
            if !told {
                let _: Parse<()> = self.unexpected("`end`", "close the block with `end`");
            }
        }
        false
    }

    fn if_statement(&mut self) -> Parse<StatementKind> {
        let mut branches = Vec::new();
        let mut otherwise = None;
        let mut start = self.start();
        self.advance();
        let mut readable = Ok(());
        let matches = std::mem::take(&mut self.open_matches);
        loop {
            let condition = self.branch_head();
            let body = self.block(Closers::Otherwise);
            let span = self.since(start);
            match condition {
                Ok(condition) => branches.push(Branch {
                    span,
                    condition,
                    body,
                }),
                Err(Bail) => readable = Err(Bail),
            }
            start = self.start();
            if self.eat_word(Word::Otherwise).is_none() {
                break;
            }
            if self.eat_word(Word::If).is_some() {
                continue;
            }
            let body = self.block(Closers::End);
            otherwise = Some(OtherwiseBlock {
                span: self.since(start),
                body,
            });
            break;
        }
        self.open_matches = matches;
        self.close();
        readable.map(|()| StatementKind::If { branches, otherwise })
    }

    /// `condition then`; a bad one is skipped up to its `then` or line end.
    fn branch_head(&mut self) -> Parse<Expression> {
        let before = self.open_value_blocks;
        let depth = self.depth;
        let result = self.expression().and_then(|condition| {
            self.expect_word(Word::Then)?;
            Ok(condition)
        });
        if result.is_err() {
            self.depth = depth;
            self.open_value_blocks = before;
            while !matches!(
                self.kind(),
                TokenKind::Newline | TokenKind::EndOfFile | TokenKind::Word(Word::Then)
            ) {
                self.advance();
            }
            self.eat_word(Word::Then);
        }
        result
    }

    fn match_statement(&mut self) -> Parse<StatementKind> {
        self.advance();
        let subject = self.head(|parser| parser.expression());
        let mut arms = Vec::new();
        let mut otherwise = None;
        let mut readable = Ok(());
        self.open_matches += 1;
        loop {
            self.skip_newlines();
            if !self.at_word(Word::When) {
                break;
            }
            let start = self.start();
            self.advance();
            let head = self.arm_head();
            let body = self.block(Closers::Arm);
            let span = self.since(start);
            match head {
                Ok((pattern, guard)) => arms.push(Arm {
                    span,
                    pattern,
                    guard,
                    body,
                }),
                Err(Bail) => readable = Err(Bail),
            }
        }
        self.open_matches -= 1;
        let start = self.start();
        if self.eat_word(Word::Otherwise).is_some() {
            let body = self.block(Closers::End);
            otherwise = Some(OtherwiseBlock {
                span: self.since(start),
                body,
            });
        }
        self.close();
        readable?;
        Ok(StatementKind::Match {
            subject: subject?,
            arms,
            otherwise,
        })
    }

    fn arm_head(&mut self) -> Parse<(crate::tree::Pattern, Option<Expression>)> {
        let before = self.open_value_blocks;
        let depth = self.depth;
        let result = self.pattern().and_then(|pattern| {
            let guard = match self.eat_word(Word::Where) {
                Some(_) => Some(self.expression()?),
                None => None,
            };
            self.expect_word(Word::Then)?;
            Ok((pattern, guard))
        });
        if result.is_err() {
            self.depth = depth;
            self.open_value_blocks = before;
            while !matches!(
                self.kind(),
                TokenKind::Newline | TokenKind::EndOfFile | TokenKind::Word(Word::Then)
            ) {
                self.advance();
            }
            self.eat_word(Word::Then);
        }
        result
    }

    fn for_each(&mut self) -> Parse<StatementKind> {
        let start = self.start();
        self.advance();
        let before = self.diagnostics.len();
        let mut is_query = false;
        let head = self.head(|parser| {
            let source = parser.source()?;
            let filter = match parser.eat_word(Word::Where) {
                Some(_) => Some(parser.expression()?),
                None => None,
            };
            let order = parser.order()?;
            if let TokenKind::Word(
                Word::Collect | Word::Sum | Word::Count | Word::First | Word::Any | Word::All | Word::GroupBy,
            ) = parser.kind()
            {
                is_query = true;
                let span = parser.since(start);
                parser.report(
                    Code::StatementShape,
                    span,
                    "a query is a value, and nothing uses it here",
                    "give it to `let … be` or `return`",
                );
                return Err(Bail);
            }
            Ok((source, filter, order))
        });
        if is_query && before < self.diagnostics.len() {
            return Err(Bail);
        }
        let body = self.closed_block();
        let (source, filter, order) = head?;
        Ok(StatementKind::ForEach(Box::new(ForEach {
            source,
            filter,
            order,
            body,
        })))
    }
}
