//! The module line, imports, items and their documentation.

use super::statements::Closers;
use super::{Bail, Mode, Parse, Parser, foreign_keyword};
use crate::Code;
use crate::lex::{TokenKind, Word};
use crate::tree::{
    Ability, Bound, ClauseText, Comparison, Constant, Derive, DocClause, DocClauseKind, Docs, Example,
    ExampleOutcome, ExpressionKind, Field, Function, Head, Implementation, Import, Item, ItemKind, Module,
    Name, NamedType, Parameter, Path, Span, Test, TypeDeclaration, TypeDeclarationKind, TypeKind,
    TypeParameters, Variant,
};

impl Parser<'_> {
    pub(super) fn module(&mut self) -> Module {
        let header = self.module_header();
        self.nodes = 0;
        let docs = self.docs();
        let nodes = self.nodes;
        let mut imports = Vec::new();
        let mut items = Vec::new();
        loop {
            self.skip_newlines();
            if self.kind() == TokenKind::EndOfFile {
                break;
            }
            let before = self.at;
            self.depth = 0;
            self.open_map_keys = 0;
            self.open_value_blocks = 0;
            self.open_matches = 0;
            if self.at_word(Word::Import) {
                match self.import() {
                    Ok(import) => imports.push(import),
                    Err(Bail) => self.skip_line(),
                }
                continue;
            }
            match self.item() {
                Ok(item) => items.push(item),
                Err(Bail) => {
                    if self.at == before || !self.at_item() {
                        self.skip_item();
                    }
                }
            }
        }
        Module {
            span: Span::new(0, self.source.len() as u32),
            header,
            docs,
            nodes,
            imports,
            items,
            comments: Vec::new(),
        }
    }

    fn module_header(&mut self) -> Option<Path> {
        self.skip_newlines();
        if self.eat_word(Word::Module).is_none() {
            let refused: Parse<()> = self.refuse(
                Code::ModuleHeader,
                "a file starts with its module's name",
                "write `module` and the name on the first line",
            );
            let _ = refused;
            return None;
        }
        let path = self.path("the module's name").and_then(|path| {
            self.end_of_line()?;
            Ok(path)
        });
        if path.is_err() {
            self.skip_line();
        }
        path.ok()
    }

    fn import(&mut self) -> Parse<Import> {
        let start = self.start();
        self.advance();
        let path = self.path("the name of a module")?;
        let alias = match self.eat_word(Word::As) {
            Some(_) => Some(self.name("a name for the module")?),
            None => None,
        };
        let exposing = match self.eat_word(Word::Exposing) {
            Some(_) => self.type_names("the name of a type or ability")?,
            None => Vec::new(),
        };
        let span = self.since(start);
        self.end_of_line()?;
        Ok(Import {
            span,
            path,
            alias,
            exposing,
        })
    }

    fn type_names(&mut self, what: &str) -> Parse<Vec<Name>> {
        let mut names = vec![self.type_name(what)?];
        while self.eat(TokenKind::Comma).is_some() {
            names.push(self.type_name(what)?);
        }
        Ok(names)
    }

    fn item(&mut self) -> Parse<Item> {
        self.nodes = 0;
        let start = self.start();
        let public = self.eat_word(Word::Public);
        let kind = match self.kind() {
            TokenKind::Word(Word::Function) => self
                .function(None, self.mode == Mode::Module)
                .map(ItemKind::Function),
            TokenKind::Word(Word::Type) => self.type_declaration().map(ItemKind::Type),
            TokenKind::Word(Word::Ability) => self.ability(public),
            TokenKind::Word(Word::Let) => self.constant().map(ItemKind::Constant),
            TokenKind::Word(Word::Test) if public.is_none() => self.test().map(ItemKind::Test),
            TokenKind::Identifier => {
                let text = self.span().text(self.source);
                match foreign_keyword(text) {
                    Some(fix) => {
                        let message = format!("`{text}` is a word of another language");
                        self.refuse(Code::ForeignKeyword, message, fix)
                    }
                    None => self.no_item(),
                }
            }
            _ => self.no_item(),
        }?;
        Ok(Item {
            span: self.since_visible(start),
            public,
            kind,
        })
    }

    fn no_item<T>(&mut self) -> Parse<T> {
        self.unexpected(
            "an item",
            "start it with `function`, `type`, `ability`, `let` or `test`, or `import` a module",
        )
    }

    /// As [`Parser::since`], without a line break that was taken last.
    fn since_visible(&self, start: u32) -> Span {
        let mut last = self.at;
        while last > 0 && self.tokens[last - 1].kind == TokenKind::Newline {
            last -= 1;
        }
        let end = match last.checked_sub(1) {
            Some(before) => self.tokens[before].span.end,
            None => start,
        };
        Span::new(start, end.max(start))
    }

    /// A function or method, or without a body a head alone.
    fn function(&mut self, public: Option<Span>, with_body: bool) -> Parse<Function> {
        let start = self.start();
        let head = self.function_head()?;
        self.end_of_line()?;
        let docs = self.docs();
        let body = if with_body {
            let body = self.block(Closers::End);
            self.close_item();
            Some(body)
        } else {
            None
        };
        let span = self.since_visible(start);
        Ok(Function {
            span,
            public,
            head,
            docs,
            body,
            nodes: self.nodes,
        })
    }

    fn function_head(&mut self) -> Parse<Head> {
        let start = self.start();
        self.expect_word(Word::Function)?;
        let name = match self.kind() {
            TokenKind::Word(word)
                if !word.is_phrase()
                    && self.peek(1) == TokenKind::OpenParenthesis
                    && self.peek(2) == TokenKind::Word(Word::SelfWord) =>
            {
                self.take_name()
            }
            _ => self.name("the name of a function")?,
        };
        self.expect(TokenKind::OpenParenthesis)?;
        let mut parameters = Vec::new();
        if self.eat(TokenKind::CloseParenthesis).is_none() {
            loop {
                parameters.push(self.parameter()?);
                if self.eat(TokenKind::Comma).is_none() {
                    break;
                }
                if self.kind() == TokenKind::CloseParenthesis {
                    return self.trailing_comma();
                }
            }
            self.expect(TokenKind::CloseParenthesis)?;
        }
        let returns = match self.eat_word(Word::Returns) {
            Some(_) => Some(self.type_expression()?),
            None => None,
        };
        let fails = self.failure_types()?;
        let needs = match self.eat_word(Word::Needs) {
            Some(_) => self.capabilities(false)?,
            None => Vec::new(),
        };
        let type_parameters = self.type_parameters()?;
        if let TokenKind::Word(Word::Returns | Word::OrFailsWith | Word::Needs | Word::ForAny) = self.kind() {
            return self.refuse(
                Code::Expected,
                format!("expected the end of the head, found {}", self.found()),
                "write the clauses once each, in the order `returns`, `or fails with`, `needs`, `for any`",
            );
        }
        Ok(Head {
            span: self.since(start),
            name,
            parameters,
            returns,
            fails,
            needs,
            type_parameters,
        })
    }

    fn parameter(&mut self) -> Parse<Parameter> {
        let id = self.node();
        let start = self.start();
        let is_self = self.at_word(Word::SelfWord);
        let name = if is_self {
            self.take_name()
        } else {
            self.name("the name of a parameter")?
        };
        let annotation = if self.eat(TokenKind::Colon).is_some() {
            Some(self.type_expression()?)
        } else if is_self {
            None
        } else {
            return self.unexpected("`:`", "write the parameter's type after `:`");
        };
        Ok(Parameter {
            id,
            span: self.since(start),
            name,
            is_self,
            annotation,
        })
    }

    fn type_parameters(&mut self) -> Parse<Option<TypeParameters>> {
        let Some(span) = self.eat_word(Word::ForAny) else {
            return Ok(None);
        };
        let names = self.type_names("the name of a type parameter")?;
        let mut bounds = Vec::new();
        if self.eat_word(Word::Where).is_some() {
            loop {
                let parameter = self.type_name("a type parameter")?;
                bounds.push(self.bound(parameter)?);
                if self.eat_word(Word::And).is_none() {
                    break;
                }
            }
        }
        Ok(Some(TypeParameters {
            span: self.since(span.start),
            names,
            bounds,
        }))
    }

    /// `can Ability …` of a parameter that was read.
    fn bound(&mut self, parameter: Name) -> Parse<Bound> {
        self.expect_word(Word::Can)?;
        let ability = self.named_type("an ability")?;
        Ok(Bound {
            span: self.since(parameter.span.start),
            parameter,
            ability,
        })
    }

    fn type_declaration(&mut self) -> Parse<TypeDeclaration> {
        let start = self.start();
        self.advance();
        let name = self.type_name("the name of a type")?;
        let parameters = match self.eat_word(Word::Of) {
            Some(_) => self.type_names("the name of a type parameter")?,
            None => Vec::new(),
        };
        let (docs, kind) = if self.eat_word(Word::IsOneOf).is_some() {
            self.end_of_line()?;
            let docs = self.docs();
            let mut variants = Vec::new();
            let mut derives = Vec::new();
            self.members(|parser| {
                if parser.at_word(Word::Can) {
                    derives.push(parser.derive()?);
                } else {
                    variants.push(parser.variant()?);
                }
                Ok(())
            });
            (docs, TypeDeclarationKind::Sum { variants, derives })
        } else if self.eat_word(Word::Is).is_some() {
            let base = self.type_expression()?;
            let condition = match self.eat_word(Word::Where) {
                Some(_) => Some(self.expression()?),
                None => None,
            };
            self.end_of_line()?;
            (self.docs(), TypeDeclarationKind::Subtype { base, condition })
        } else {
            self.end_of_line()?;
            let docs = self.docs();
            let mut fields = Vec::new();
            let mut derives = Vec::new();
            self.members(|parser| {
                if parser.at_word(Word::Can) {
                    derives.push(parser.derive()?);
                } else {
                    fields.push(parser.record_field()?);
                }
                Ok(())
            });
            (docs, TypeDeclarationKind::Record { fields, derives })
        };
        Ok(TypeDeclaration {
            span: self.since_visible(start),
            name,
            parameters,
            docs,
            kind,
            nodes: self.nodes,
        })
    }

    /// Lines up to `end`, which is taken with its line break. A bad line is skipped.
    fn members(&mut self, mut member: impl FnMut(&mut Self) -> Parse<()>) {
        loop {
            self.skip_newlines();
            if matches!(self.kind(), TokenKind::EndOfFile | TokenKind::Word(Word::End))
                || self.at_item_in_block()
            {
                break;
            }
            let before = self.at;
            let depth = self.depth;
            let read = member(self).and_then(|()| self.end_of_line());
            if read.is_err() {
                self.depth = depth;
                if self.at == before || !self.at_item_in_block() {
                    self.skip_line();
                }
            }
        }
        self.close_item();
    }

    /// The `end` of an item or method, and its line break.
    fn close_item(&mut self) {
        if self.close() && self.end_of_line().is_err() {
            self.skip_line();
        }
    }

    fn record_field(&mut self) -> Parse<Field> {
        let start = self.start();
        if self.eat_word(Word::Has).is_none() {
            return self.unexpected("`has`, `can` or `end`", "write a field as `has name: Type`");
        }
        let mut field = self.field()?;
        if self.eat_word(Word::As).is_some() {
            if !matches!(self.kind(), TokenKind::Text(_)) {
                let message = format!("the external name of a field is a text, found {}", self.found());
                return self.refuse(Code::ExternalName, message, "write it in quotes: `as \"name\"`");
            }
            field.external_name = Some(self.plain_text("the external name")?);
        }
        field.span = self.since(start);
        Ok(field)
    }

    /// `name: T where …`
    fn field(&mut self) -> Parse<Field> {
        let name = self.name("the name of a field")?;
        self.expect(TokenKind::Colon)?;
        let annotation = self.type_expression()?;
        let condition = match self.eat_word(Word::Where) {
            Some(_) => Some(self.expression()?),
            None => None,
        };
        Ok(Field {
            span: self.since(name.span.start),
            name,
            annotation,
            condition,
            external_name: None,
        })
    }

    fn variant(&mut self) -> Parse<Variant> {
        let name = self.type_name("a variant")?;
        let mut fields = Vec::new();
        if self.eat(TokenKind::OpenParenthesis).is_some() {
            loop {
                if self.kind() == TokenKind::CloseParenthesis {
                    return self.unexpected("a field", "write a variant without fields without parentheses");
                }
                fields.push(self.field()?);
                if self.eat(TokenKind::Comma).is_none() {
                    break;
                }
            }
            self.expect(TokenKind::CloseParenthesis)?;
        }
        Ok(Variant {
            span: self.since(name.span.start),
            name,
            fields,
        })
    }

    fn derive(&mut self) -> Parse<Derive> {
        let start = self.start();
        self.advance();
        let ability = self.type_name("an ability")?;
        let mut by = Vec::new();
        if self.eat_word(Word::By).is_some() {
            by.push(self.name("the name of a field")?);
            while self.eat(TokenKind::Comma).is_some() {
                by.push(self.name("the name of a field")?);
            }
        }
        Ok(Derive {
            span: self.since(start),
            ability,
            by,
        })
    }

    /// An ability, or (with `for`) an implementation.
    fn ability(&mut self, public: Option<Span>) -> Parse<ItemKind> {
        let start = self.start();
        self.advance();
        let named = self.named_type("the name of an ability")?;
        if self.eat_word(Word::For).is_some() {
            if let Some(span) = public {
                self.report(
                    Code::PublicImplementation,
                    span,
                    "an implementation is as visible as its ability",
                    "remove `public`",
                );
            }
            return self.implementation(start, named).map(ItemKind::Implementation);
        }
        let mut parameters = Vec::new();
        for argument in &named.arguments {
            match &argument.kind {
                TypeKind::Named(inner) if inner.arguments.is_empty() => parameters.push(inner.name.clone()),
                _ => {
                    self.report(
                        Code::Expected,
                        argument.span,
                        "expected the name of a type parameter",
                        "an ability is declared over plain names: `ability Convert of From`",
                    );
                    return Err(Bail);
                }
            }
        }
        let mut requirements = Vec::new();
        if self.eat_word(Word::Where).is_some() {
            loop {
                if !self.at_word(Word::SelfWord) {
                    return self.unexpected("`self`", "write a requirement as `self can Ability`");
                }
                let receiver = self.take_name();
                requirements.push(self.bound(receiver)?);
                if self.eat_word(Word::And).is_none() {
                    break;
                }
            }
        }
        self.end_of_line()?;
        let docs = self.docs();
        let nodes = self.nodes;
        let methods = self.methods(false);
        Ok(ItemKind::Ability(Ability {
            span: self.since_visible(start),
            name: named.name,
            parameters,
            requirements,
            docs,
            methods,
            nodes,
        }))
    }

    fn implementation(&mut self, start: u32, ability: NamedType) -> Parse<Implementation> {
        let target = self.type_expression()?;
        let type_parameters = self.type_parameters()?;
        self.end_of_line()?;
        let nodes = self.nodes;
        let methods = self.methods(self.mode == Mode::Module);
        Ok(Implementation {
            span: self.since_visible(start),
            ability,
            target,
            type_parameters,
            methods,
            nodes,
        })
    }

    fn methods(&mut self, with_bodies: bool) -> Vec<Function> {
        let mut methods = Vec::new();
        self.members_of_functions(|parser| {
            parser.nodes = 0;
            let public = parser.eat_word(Word::Public);
            if let Some(span) = public {
                parser.report(
                    Code::PublicMethod,
                    span,
                    "a method is as visible as its ability",
                    "remove `public`",
                );
            }
            methods.push(parser.function(public, with_bodies)?);
            Ok(())
        });
        methods
    }

    /// As [`Parser::members`], of members that take their own line breaks.
    fn members_of_functions(&mut self, mut member: impl FnMut(&mut Self) -> Parse<()>) {
        loop {
            self.skip_newlines();
            if matches!(self.kind(), TokenKind::EndOfFile | TokenKind::Word(Word::End)) || self.at_item() {
                break;
            }
            let before = self.at;
            let depth = self.depth;
            if member(self).is_err() {
                self.depth = depth;
                if self.at == before || !self.at_item() {
                    self.skip_line();
                }
            }
        }
        self.close_item();
    }

    fn constant(&mut self) -> Parse<Constant> {
        let start = self.start();
        self.advance();
        let name = self.name("the name of a constant")?;
        if self.eat(TokenKind::Colon).is_none() {
            return self.unexpected("`:`", "a constant says its type: `let name: Type be value`");
        }
        let annotation = self.type_expression()?;
        self.expect_word(Word::Be)?;
        self.optional_newline();
        let value = self.expression()?;
        self.end_of_line()?;
        let docs = self.docs();
        Ok(Constant {
            span: self.since_visible(start),
            name,
            annotation,
            value,
            docs,
            nodes: self.nodes,
        })
    }

    fn test(&mut self) -> Parse<Test> {
        let start = self.start();
        self.advance();
        let name = self.plain_text("the name of the test")?;
        let needs = match self.eat_word(Word::Needs) {
            Some(_) => self.capabilities(false)?,
            None => Vec::new(),
        };
        let replays = match self.eat_word(Word::Replays) {
            Some(_) => Some(self.plain_text("the path of a recording")?),
            None => None,
        };
        self.end_of_line()?;
        let body = self.block(Closers::End);
        self.close_item();
        let span = self.since_visible(start);
        Ok(Test {
            span,
            name,
            needs,
            replays,
            body,
            nodes: self.nodes,
        })
    }

    fn docs(&mut self) -> Docs {
        let mut clauses = Vec::new();
        while self.at_clause() {
            let depth = self.depth;
            let clause = self.clause().and_then(|clause| {
                self.end_of_line()?;
                Ok(clause)
            });
            match clause {
                Ok(clause) => clauses.push(clause),
                Err(Bail) => {
                    self.depth = depth;
                    self.open_value_blocks = 0;
                    self.skip_line();
                }
            }
        }
        Docs { clauses }
    }

    fn at_clause(&self) -> bool {
        matches!(
            self.kind(),
            TokenKind::Word(
                Word::Purpose
                    | Word::Tags
                    | Word::SeeAlso
                    | Word::Deprecated
                    | Word::ExposeAsTool
                    | Word::Example
            )
        )
    }

    fn clause(&mut self) -> Parse<DocClause> {
        let start = self.start();
        let TokenKind::Word(word) = self.kind() else {
            return Err(Bail);
        };
        self.advance();
        let kind = match word {
            Word::ExposeAsTool => DocClauseKind::ExposeAsTool,
            Word::Example => {
                self.expect(TokenKind::Colon)?;
                DocClauseKind::Example(self.example()?)
            }
            _ => {
                self.expect(TokenKind::Colon)?;
                if self.kind() != TokenKind::ClauseText {
                    return self.unexpected(
                        "the text of the clause",
                        format!(
                            "write `{}:` first on its line, without a blank before the colon",
                            word.spelling()
                        ),
                    );
                }
                let span = self.advance();
                let text = ClauseText {
                    span,
                    text: self.text_of(span),
                };
                match word {
                    Word::Purpose => DocClauseKind::Purpose(text),
                    Word::Tags => DocClauseKind::Tags(text),
                    Word::SeeAlso => DocClauseKind::SeeAlso(text),
                    _ => DocClauseKind::Deprecated(text),
                }
            }
        };
        Ok(DocClause {
            span: self.since(start),
            kind,
        })
    }

    fn example(&mut self) -> Parse<Example> {
        let start = self.start();
        let value = self.expression()?;
        if self.eat_word(Word::Fails).is_some() {
            self.expect_word(Word::With)?;
            let pattern = self.pattern()?;
            return Ok(Example {
                span: self.since(start),
                subject: value,
                outcome: ExampleOutcome::FailsWith(pattern),
            });
        }
        let span = self.since(start);
        match value.kind {
            ExpressionKind::Compare {
                left,
                operator: Comparison::Is,
                right,
                ..
            } => Ok(Example {
                span,
                subject: *left,
                outcome: ExampleOutcome::Is(*right),
            }),
            _ => {
                if !self.beside_error() {
                    self.report(
                        Code::ExampleShape,
                        span,
                        "an example says what an expression is, or how it fails",
                        "write `example: call is value` or `example: call fails with Error`",
                    );
                }
                Ok(Example {
                    span,
                    subject: value,
                    outcome: ExampleOutcome::Error,
                })
            }
        }
    }
}
