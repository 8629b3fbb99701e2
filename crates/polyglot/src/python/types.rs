//! Annotations: their tokens, and the value that something of the type is.

use tree_sitter::Node;

use super::{
    Kind,
    library::{self, Generic},
    walker::*,
};
use crate::{model::*, syntax};

impl<'a, 't> Walker<'a, 't> {
    /// Writes an annotation. Gives a value of its type; [`PathNode::Receiver`]
    /// for `Self`.
    pub fn annotation(&mut self, node: Node<'t>) -> PathId {
        if self.depth >= syntax::MAX_DEPTH {
            self.leaves(node);
            return self.builder.unknown();
        }
        self.depth += 1;
        let value = self.annotation_at(node, true);
        self.depth -= 1;
        value
    }

    /// A value of the type that an expression writes, without tokens.
    pub fn type_of(&mut self, node: Node<'t>) -> PathId {
        if self.depth >= syntax::MAX_DEPTH {
            return self.builder.unknown();
        }
        self.depth += 1;
        let value = self.annotation_at(node, false);
        self.depth -= 1;
        value
    }

    /// What a module-level value is if it is a type by another name.
    pub fn alias_type(&mut self, node: Node<'t>) -> Option<PathId> {
        match self.kind(node) {
            Kind::Subscript => {
                let parts = self.parts(node);
                let base = self.first_named(parts);
                self.release(parts);
                let base = self.slice(base?.node);
                let last = base.rsplit('.').next().unwrap_or("");
                library::generic(last).map(|_| self.type_of(node))
            }
            Kind::Call => {
                let name = self.slice(node).split('(').next().unwrap_or("");
                let last = name.rsplit('.').next().unwrap_or("");
                // What a type variable stands for is not known.
                matches!(last, "TypeVar" | "ParamSpec" | "TypeVarTuple").then(|| self.builder.unknown())
            }
            Kind::BinaryOperator => Some(self.builder.unknown()),
            _ => None,
        }
    }

    fn write(&mut self, tokens: bool, text: &str) {
        if tokens {
            self.text(text);
        }
    }

    fn inner(&mut self, node: Node<'t>, tokens: bool) -> PathId {
        if tokens {
            self.annotation(node)
        } else {
            self.type_of(node)
        }
    }

    fn annotation_at(&mut self, node: Node<'t>, tokens: bool) -> PathId {
        let unknown = self.builder.unknown();
        match self.kind(node) {
            Kind::Type | Kind::ParenthesizedExpression => {
                let parts = self.parts(node);
                let inner = self.first_named(parts);
                self.release(parts);
                inner.map_or(unknown, |inner| self.inner(inner.node, tokens))
            }
            Kind::None => {
                self.write(tokens, "None");
                self.none
            }
            Kind::Identifier | Kind::KeywordIdentifier | Kind::Attribute => {
                let path = if tokens {
                    self.expression(node, false)
                } else {
                    self.path_of(node)
                };
                let text = self.slice(node);
                self.named_type(text, path)
            }
            Kind::MemberType => {
                let parts = self.parts(node);
                let base = self.first_named(parts);
                let name = self.parts[parts.start..parts.end].last().copied();
                self.release(parts);
                let (Some(base), Some(name)) = (base, name) else {
                    return unknown;
                };
                let base = self.inner(base.node, tokens);
                let base = self.class_of(base);
                let text = self.slice(name.node);
                let path = self.member(base, text);
                if tokens {
                    self.text(".");
                    self.builder.reference(syntax::span(name.node), text, path, false);
                }
                self.builder.instance(path)
            }
            Kind::BinaryOperator | Kind::UnionType => self.union(node, tokens),
            Kind::GenericType | Kind::Subscript => self.generic_type(node, tokens),
            Kind::String => self.string_type(node, tokens),
            _ => {
                if tokens {
                    self.expression(node, false);
                }
                unknown
            }
        }
    }

    /// A value of the type that a name means.
    fn named_type(&mut self, text: &str, path: PathId) -> PathId {
        match text.rsplit('.').next().unwrap_or("") {
            "Any" | "AnyStr" => self.builder.unknown(),
            "Self" => self.builder.path(PathNode::Receiver),
            _ => {
                let path = self.known(path);
                // A variable's value is no type, unless it is a class.
                match self.builder.node(path) {
                    PathNode::Instance(_) | PathNode::Call(_) | PathNode::Container(..) => {
                        self.builder.unknown()
                    }
                    _ => self.builder.instance(path),
                }
            }
        }
    }

    fn union(&mut self, node: Node<'t>, tokens: bool) -> PathId {
        let parts = self.parts(node);
        // `None | A` is written `A | None`, as `Optional[A]` is.
        if tokens
            && let [none, bar, other] = self.parts[parts.start..parts.end]
            && self.slice(none.node) == "None"
            && bar.node.kind() == "|"
        {
            let value = self.inner(other.node, tokens);
            self.leaf(bar.node);
            self.inner(none.node, tokens);
            self.release(parts);
            return value;
        }
        let mut value: Option<PathId> = None;
        let mut is_union = true;
        for index in parts.start..parts.end {
            let part = self.parts[index];
            if part.node.is_named() {
                let next = self.inner(part.node, tokens);
                value = Some(value.map_or(next, |value| self.either(value, next)));
            } else {
                is_union &= part.node.kind() == "|";
                if tokens {
                    self.leaf(part.node);
                }
            }
        }
        self.release(parts);
        match value {
            Some(value) if is_union => value,
            _ => self.builder.unknown(),
        }
    }

    fn generic_type(&mut self, node: Node<'t>, tokens: bool) -> PathId {
        let unknown = self.builder.unknown();
        let parts = self.parts(node);
        let Some(base) = self.first_named(parts) else {
            self.release(parts);
            return unknown;
        };
        let mut arguments: Vec<Part<'t>> = Vec::new();
        let mut comma = false;
        for index in parts.start + 1..parts.end {
            let part = self.parts[index];
            comma |= part.kind == Kind::Comma;
            if part.kind == Kind::TypeParameter {
                let inner = self.parts(part.node);
                for index in inner.start..inner.end {
                    let part = self.parts[index];
                    comma |= part.kind == Kind::Comma;
                    if part.node.is_named() {
                        arguments.push(part);
                    }
                }
                self.release(inner);
            } else if part.node.is_named() {
                arguments.push(part);
            }
        }
        self.release(parts);
        let typing = self.typing_name(base.node);
        match typing {
            Some("Union") if tokens => return self.written_union(&arguments, false),
            Some("Optional") if tokens && !comma => return self.written_union(&arguments, true),
            _ => {}
        }
        let builtin = typing.and_then(library::builtin_of);
        let path = match (tokens, base.kind) {
            _ if let Some(builtin) = builtin => {
                let path = self.builder.library(builtin);
                if tokens {
                    let text = self.slice(base.node);
                    self.builder.reference(syntax::span(base.node), text, path, false);
                }
                path
            }
            (true, Kind::Identifier) => self.name(base.node, false),
            (true, _) => self.expression(base.node, true),
            _ => self.path_of(base.node),
        };
        let text = self.slice(base.node);
        let generic = library::generic(text.rsplit('.').next().unwrap_or(""));
        let mut values = Vec::new();
        self.write(tokens, "[");
        let last = text.rsplit('.').next().unwrap_or("");
        if tokens {
            self.subscripts(&arguments, comma, |walker, part| {
                // The arguments of `Literal` are values, all but the first of
                // `Annotated` too.
                let is_value = last == "Literal" || last == "Annotated" && !values.is_empty();
                let value = match (is_value, part.kind) {
                    (true, Kind::Type) => {
                        let parts = walker.parts(part.node);
                        let inner = walker.first_named(parts).unwrap_or(part);
                        walker.release(parts);
                        walker.expression(inner.node, false);
                        walker.builder.unknown()
                    }
                    (true, _) => {
                        walker.expression(part.node, false);
                        walker.builder.unknown()
                    }
                    (_, Kind::List) => walker.type_list(part.node),
                    _ => walker.annotation(part.node),
                };
                values.push(value);
            });
        } else {
            for &argument in &arguments {
                let value = self.type_of(argument.node);
                values.push(value);
            }
        }
        self.write(tokens, "]");
        self.generic_value(
            generic,
            path,
            &values,
            arguments.last().map(|part| self.slice(part.node)),
        )
    }

    /// The name in `typing` of what a name certainly is.
    fn typing_name(&self, node: Node<'t>) -> Option<&'a str> {
        let text = self.slice(node);
        let is_typing = |path| match self.builder.node(path) {
            PathNode::Module(name) => matches!(self.builder.str(name), "typing" | "typing_extensions"),
            _ => false,
        };
        let (first, last) = text.split_once('.').unwrap_or((text, text));
        let all = |holds: &dyn Fn(PathId) -> bool| {
            self.module_names.get(first).is_some_and(|bindings| {
                !bindings.is_empty() && bindings.iter().all(|binding| holds(binding.path))
            })
        };
        let certain = match text.contains('.') {
            true => all(&is_typing),
            false => all(&|path| match self.builder.node(path) {
                PathNode::Member(module, name) => is_typing(module) && self.builder.str(name) == text,
                _ => false,
            }),
        };
        certain.then_some(last)
    }

    /// `Union[A, B]` and `Optional[A]` as `A | B` and `A | None`.
    fn written_union(&mut self, arguments: &[Part<'t>], optional: bool) -> PathId {
        let mut value = None;
        for (at, argument) in arguments.iter().enumerate() {
            if at > 0 {
                self.text("|");
            }
            let next = self.annotation(argument.node);
            value = Some(value.map_or(next, |value| self.either(value, next)));
        }
        if optional {
            self.text("|");
            self.text("None");
        }
        value.unwrap_or_else(|| self.builder.unknown())
    }

    /// The list of parameter types of a `Callable`.
    fn type_list(&mut self, node: Node<'t>) -> PathId {
        let parts = self.parts(node);
        self.text("[");
        let mut written = 0;
        for index in parts.start..parts.end {
            let part = self.parts[index];
            if part.node.is_named() {
                if written > 0 {
                    self.text(",");
                }
                written += 1;
                self.annotation(part.node);
            }
        }
        self.text("]");
        self.release(parts);
        self.builder.unknown()
    }

    fn generic_value(
        &mut self,
        generic: Option<Generic>,
        path: PathId,
        values: &[PathId],
        last: Option<&str>,
    ) -> PathId {
        let unknown = self.builder.unknown();
        let first = values.first().copied().unwrap_or(unknown);
        match generic {
            Some(Generic::Transparent) => first,
            Some(Generic::Union) => values
                .iter()
                .skip(1)
                .fold(first, |value, &next| self.either(value, next)),
            Some(Generic::Class) => self.class_of(first),
            Some(Generic::Elements) => {
                let outer = self.known(path);
                self.container(outer, first)
            }
            Some(Generic::Last) => {
                let outer = self.known(path);
                self.container(outer, values.last().copied().unwrap_or(unknown))
            }
            Some(Generic::Tuple) if last == Some("...") => self.library_container("builtins.tuple", first),
            Some(Generic::Tuple) => self.tuple(values),
            Some(Generic::Map) => {
                let outer = self.known(path);
                let value = values.get(1).copied().unwrap_or(unknown);
                self.map(outer, first, value)
            }
            Some(Generic::Opaque) => unknown,
            None => {
                let path = self.known(path);
                self.builder.instance(path)
            }
        }
    }

    // Types in strings.

    /// `"Name"`: what it says is written as if it had no quotes.
    fn string_type(&mut self, node: Node<'t>, tokens: bool) -> PathId {
        let unknown = self.builder.unknown();
        let parts = self.parts(node);
        let content = self.parts[parts.start..parts.end]
            .iter()
            .find(|part| part.kind == Kind::StringContent)
            .copied();
        let count = parts.end - parts.start;
        self.release(parts);
        let (Some(content), 3) = (content, count) else {
            if tokens {
                self.string(node);
            }
            return unknown;
        };
        let text = self.slice(content.node);
        let plain = text.chars().all(|character| {
            character.is_alphanumeric() || matches!(character, '_' | '.' | '[' | ']' | ',' | '|' | ' ')
        });
        if !plain || text.len() > 1_000 {
            if tokens {
                self.string(node);
            }
            return unknown;
        }
        let mut reader = TypeReader {
            text,
            at: 0,
            start: content.node.start_byte() as u32,
            tokens,
            depth: 0,
        };
        let value = self.read_union(&mut reader);
        // What does not read as a type stays as it is.
        let rest = &text[reader.at..];
        if !rest.trim().is_empty() {
            self.write(tokens, rest.trim());
        }
        if rest.trim().is_empty() { value } else { unknown }
    }

    fn read_union(&mut self, reader: &mut TypeReader<'a>) -> PathId {
        let mut value = self.read_type(reader);
        while reader.eat('|') {
            self.write(reader.tokens, "|");
            let next = self.read_type(reader);
            value = self.either(value, next);
        }
        value
    }

    fn read_type(&mut self, reader: &mut TypeReader<'a>) -> PathId {
        let unknown = self.builder.unknown();
        let Some((first, at)) = reader.name() else {
            return unknown;
        };
        if first == "None" {
            self.write(reader.tokens, "None");
            return self.none;
        }
        let mut path = self.string_name(first, at, None, reader.tokens);
        let mut last = first;
        while reader.eat('.') {
            let Some((name, at)) = reader.name() else {
                return unknown;
            };
            self.write(reader.tokens, ".");
            path = self.string_name(name, at, Some(path), reader.tokens);
            last = name;
        }
        if !reader.eat('[') {
            return self.named_type(last, path);
        }
        reader.depth += 1;
        self.write(reader.tokens, "[");
        let mut values = Vec::new();
        let mut ends_in_dots = false;
        if reader.depth < 20 {
            loop {
                if reader.eat('[') {
                    // Parameters of a callable: only their names matter.
                    self.write(reader.tokens, "[");
                    while !reader.eat(']') {
                        let before = reader.at;
                        self.read_union(reader);
                        if reader.eat(',') {
                            self.write(reader.tokens, ",");
                        }
                        if reader.at == before {
                            break;
                        }
                    }
                    self.write(reader.tokens, "]");
                    values.push(unknown);
                } else if reader.dots() {
                    self.write(reader.tokens, "...");
                    ends_in_dots = true;
                    values.push(unknown);
                } else {
                    let before = reader.at;
                    let value = self.read_union(reader);
                    values.push(value);
                    if reader.at == before {
                        break;
                    }
                }
                if !reader.eat(',') {
                    break;
                }
                self.write(reader.tokens, ",");
            }
        }
        reader.depth -= 1;
        if reader.eat(']') {
            self.write(reader.tokens, "]");
        }
        self.generic_value(
            library::generic(last),
            path,
            &values,
            ends_in_dots.then_some("..."),
        )
    }

    fn string_name(&mut self, name: &'a str, at: u32, base: Option<PathId>, tokens: bool) -> PathId {
        let meaning = match base {
            Some(base) => Meaning::Refers(self.member(base, name)),
            // A type in a string is read when all names are known.
            None => self.look_up(name, u32::MAX),
        };
        let span = Span {
            start: at,
            end: at + name.len() as u32,
        };
        match meaning {
            Meaning::Refers(path) => {
                if tokens {
                    self.builder.reference(span, name, path, false);
                }
                path
            }
            Meaning::Local(path) => {
                self.write(tokens, name);
                path
            }
        }
    }
}

/// Reads a type from a string.
struct TypeReader<'a> {
    text: &'a str,
    at: usize,
    /// Where the text starts in the file.
    start: u32,
    tokens: bool,
    depth: u32,
}

impl<'a> TypeReader<'a> {
    fn skip_blanks(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn eat(&mut self, wanted: char) -> bool {
        self.skip_blanks();
        let found = self.text[self.at..].starts_with(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    fn dots(&mut self) -> bool {
        self.skip_blanks();
        let found = self.text[self.at..].starts_with("...");
        if found {
            self.at += 3;
        }
        found
    }

    fn name(&mut self) -> Option<(&'a str, u32)> {
        self.skip_blanks();
        let rest = &self.text[self.at..];
        let len = rest
            .find(|character: char| !character.is_alphanumeric() && character != '_')
            .unwrap_or(rest.len());
        if len == 0 {
            return None;
        }
        let at = self.start + self.at as u32;
        self.at += len;
        Some((&rest[..len], at))
    }
}
