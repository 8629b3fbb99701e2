//! Skeletons as bytes, for the cache. Derived and deletable, so the layout is
//! private: [`LAYOUT`] is part of the key under which a skeleton is kept.
//!
//! A stream of LEB128 integers and length-prefixed texts. Decoding checks every
//! index, so that later code may index without care.

use crate::model::*;

/// Rises with every change of this module or of the skeleton's fields.
pub const LAYOUT: u32 = 1;

struct Writer(Vec<u8>);

impl Writer {
    fn uint(&mut self, mut value: u32) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn text(&mut self, text: &str) {
        self.uint(text.len() as u32);
        self.0.extend_from_slice(text.as_bytes());
    }

    /// `None` is zero, others are one more than their number.
    fn option(&mut self, value: Option<u32>) {
        self.uint(value.map_or(0, |value| value + 1));
    }

    fn list<T>(&mut self, items: &[T], mut item: impl FnMut(&mut Self, &T)) {
        self.uint(items.len() as u32);
        for each in items {
            item(self, each);
        }
    }

    fn span(&mut self, span: Span) {
        self.uint(span.start);
        self.uint(span.end.wrapping_sub(span.start));
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    fn uint(&mut self) -> Option<u32> {
        let mut value = 0u32;
        for shift in (0..35).step_by(7) {
            let (&byte, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            value |= u32::from(byte & 0x7f).checked_shl(shift)?;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    /// An integer below `limit`.
    fn index(&mut self, limit: usize) -> Option<u32> {
        self.uint().filter(|&value| (value as usize) < limit)
    }

    fn option(&mut self) -> Option<Option<u32>> {
        Some(self.uint()?.checked_sub(1))
    }

    fn bool(&mut self) -> Option<bool> {
        Some(self.uint()? != 0)
    }

    fn text(&mut self) -> Option<&'a str> {
        let len = self.uint()? as usize;
        let (text, rest) = self.bytes.split_at_checked(len)?;
        self.bytes = rest;
        std::str::from_utf8(text).ok()
    }

    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let len = self.uint()? as usize;
        // Every item takes a byte at least.
        let mut items = Vec::with_capacity(len.min(self.bytes.len()));
        for _ in 0..len {
            items.push(item(self)?);
        }
        Some(items)
    }

    fn span(&mut self) -> Option<Span> {
        let start = self.uint()?;
        Some(Span {
            start,
            end: start.wrapping_add(self.uint()?),
        })
    }
}

/// The bytes of a skeleton.
pub fn encode(skeleton: &Skeleton) -> Vec<u8> {
    let mut out = Writer(Vec::with_capacity(skeleton.tokens.len() * 3 + 1024));
    out.list(&skeleton.strings, |out, text| out.text(text));
    out.list(&skeleton.paths, |out, &path| encode_path(out, path));
    out.list(&skeleton.references, |out, reference| {
        out.span(reference.span);
        out.uint(reference.text.0);
        out.uint(reference.path.0 << 1 | u32::from(reference.call));
    });
    out.list(&skeleton.tokens, |out, token| {
        let (tag, index) = match token.view() {
            TokenView::Text(text) => (0, text.0),
            TokenView::Reference(index) => (1, index),
            TokenView::OwnName => (2, 0),
        };
        // References are numbered in order, so most would take four bytes as
        // they stand; three bits of tag keep the common texts in one or two.
        out.uint(index << 2 | tag);
    });
    out.list(&skeleton.definitions, encode_definition);
    out.list(&skeleton.namespaces, |out, namespace| {
        let name = |out: &mut Writer, &(name, path): &(Str, PathId)| {
            out.uint(name.0);
            out.uint(path.0);
        };
        out.list(&namespace.names, name);
        out.uint(u32::from(namespace.exports.is_some()));
        out.list(namespace.exports.as_deref().unwrap_or_default(), name);
        out.list(&namespace.stars, |out, path| out.uint(path.0));
        out.option(namespace.parent.map(|parent| parent.0));
        out.uint(u32::from(namespace.inherits));
    });
    out.list(&skeleton.implements, |out, implements| {
        out.uint(implements.target.0);
        out.uint(implements.ability.0);
    });
    out.list(&skeleton.imports, |out, import| out.uint(import.0));
    out.option(skeleton.module.map(|text| text.0));
    out.option(skeleton.purpose.map(|text| text.0));
    out.uint(skeleton.lines);
    out.uint(skeleton.errors);
    out.list(&skeleton.diagnostics, |out, diagnostic| {
        out.span(diagnostic.span);
        out.uint(diagnostic.line);
        out.uint(diagnostic.column);
        out.text(&diagnostic.message);
    });
    out.0
}

fn encode_path(out: &mut Writer, path: PathNode) {
    let (tag, operands): (u32, [Option<u32>; 2]) = match path {
        PathNode::Unknown => (0, [None, None]),
        PathNode::Definition(index) => (1, [Some(index.0), None]),
        PathNode::Name(namespace, name) => (2, [Some(namespace.0), Some(name.0)]),
        PathNode::Namespace(namespace) => (3, [Some(namespace.0), None]),
        PathNode::Module(name) => (4, [Some(name.0), None]),
        PathNode::Library(name) => (5, [Some(name.0), None]),
        PathNode::Member(base, name) => (6, [Some(base.0), Some(name.0)]),
        PathNode::Call(base) => (7, [Some(base.0), None]),
        PathNode::Instance(base) => (8, [Some(base.0), None]),
        PathNode::Element(base) => (9, [Some(base.0), None]),
        PathNode::Container(outer, element) => (10, [Some(outer.0), Some(element.0)]),
        PathNode::Super(base) => (11, [Some(base.0), None]),
        PathNode::Receiver => (12, [None, None]),
        PathNode::Value(base) => (13, [Some(base.0), None]),
    };
    out.uint(tag);
    for operand in operands.into_iter().flatten() {
        out.uint(operand);
    }
}

fn encode_definition(out: &mut Writer, definition: &Definition) {
    out.uint(definition.name.0);
    out.uint(definition.qualified.0);
    out.uint(definition.kind as u32);
    out.uint(definition.reach as u32);
    out.uint(definition.visibility.0);
    out.option(definition.container.map(|index| index.0));
    out.option(definition.owner.map(|path| path.0));
    out.span(definition.span);
    out.span(definition.name_span);
    out.uint(definition.lines.0);
    out.uint(definition.lines.1);
    out.uint(definition.tokens.0);
    out.uint(definition.tokens.1);
    out.uint(definition.signature_tokens);
    out.uint(definition.signature.0);
    out.uint(definition.purpose.0);
    out.list(&definition.failures, |out, &(start, len)| {
        out.uint(start);
        out.uint(len);
    });
    out.uint(definition.metrics.depth);
    out.uint(definition.metrics.branches);
    let flags = [definition.has_example, definition.deprecated, definition.property];
    out.uint(
        flags
            .iter()
            .rev()
            .fold(0, |bits, &flag| bits << 1 | u32::from(flag)),
    );
    out.list(&definition.bases, |out, path| out.uint(path.0));
    out.option(definition.value.map(|path| path.0));
    out.list(&definition.fields, |out, field| {
        out.uint(field.name.0);
        out.uint(field.value.0 << 1 | u32::from(field.callable));
    });
}

/// The skeleton of bytes that [`encode`] made; `None` for any others.
pub fn decode(bytes: &[u8]) -> Option<Skeleton> {
    let mut from = Reader { bytes };
    let strings = from.list(|from| Some(from.text()?.into()))?;
    let limits = Limits {
        strings: strings.len(),
        ..Limits::default()
    };
    let paths = from.list(decode_path)?;
    let limits = Limits {
        paths: paths.len(),
        ..limits
    };
    let references = from.list(|from| {
        let span = from.span()?;
        let text = limits.str(from)?;
        let packed = from.uint()?;
        Some(Reference {
            span,
            text,
            path: PathId(packed >> 1).checked(limits.paths)?,
            call: packed & 1 != 0,
        })
    })?;
    let tokens = from.list(|from| {
        let packed = from.uint()?;
        let index = packed >> 2;
        Some(match packed & 3 {
            0 if (index as usize) < limits.strings => Token::text(Str(index)),
            1 if (index as usize) < references.len() => Token::reference(index),
            2 => Token::OWN_NAME,
            _ => return None,
        })
    })?;
    let limits = Limits {
        tokens: tokens.len(),
        ..limits
    };
    let definitions = from.list(|from| decode_definition(from, &limits))?;
    let namespaces = from.list(|from| decode_namespace(from, &limits))?;
    let implements = from.list(|from| {
        Some(Implements {
            target: limits.path(from)?,
            ability: limits.path(from)?,
        })
    })?;
    let imports = from.list(|from| limits.str(from))?;
    let optional_str = |from: &mut Reader<'_>| match from.option()? {
        Some(index) if index as usize >= limits.strings => None,
        index => Some(index.map(Str)),
    };
    let module = optional_str(&mut from)?;
    let purpose = optional_str(&mut from)?;
    let lines = from.uint()?;
    let errors = from.uint()?;
    let diagnostics = from.list(|from| {
        Some(Diagnostic {
            span: from.span()?,
            line: from.uint()?,
            column: from.uint()?,
            message: from.text()?.to_owned(),
        })
    })?;
    let skeleton = Skeleton {
        strings,
        definitions,
        tokens,
        references,
        paths,
        namespaces,
        implements,
        imports,
        module,
        purpose,
        lines,
        diagnostics,
        errors,
    };
    (from.bytes.is_empty() && is_sound(&skeleton)).then_some(skeleton)
}

/// Lengths of the tables that indexes point into.
#[derive(Default, Clone, Copy)]
struct Limits {
    strings: usize,
    paths: usize,
    tokens: usize,
}

impl Limits {
    fn str(&self, from: &mut Reader<'_>) -> Option<Str> {
        from.index(self.strings).map(Str)
    }

    fn path(&self, from: &mut Reader<'_>) -> Option<PathId> {
        from.index(self.paths).map(PathId)
    }
}

impl PathId {
    fn checked(self, limit: usize) -> Option<Self> {
        ((self.0 as usize) < limit).then_some(self)
    }
}

fn decode_path(from: &mut Reader<'_>) -> Option<PathNode> {
    let tag = from.uint()?;
    let mut next = || from.uint();
    Some(match tag {
        0 => PathNode::Unknown,
        1 => PathNode::Definition(DefinitionIndex(next()?)),
        2 => PathNode::Name(NamespaceId(next()?), Str(next()?)),
        3 => PathNode::Namespace(NamespaceId(next()?)),
        4 => PathNode::Module(Str(next()?)),
        5 => PathNode::Library(Str(next()?)),
        6 => PathNode::Member(PathId(next()?), Str(next()?)),
        7 => PathNode::Call(PathId(next()?)),
        8 => PathNode::Instance(PathId(next()?)),
        9 => PathNode::Element(PathId(next()?)),
        10 => PathNode::Container(PathId(next()?), PathId(next()?)),
        11 => PathNode::Super(PathId(next()?)),
        12 => PathNode::Receiver,
        13 => PathNode::Value(PathId(next()?)),
        _ => return None,
    })
}

fn decode_definition(from: &mut Reader<'_>, limits: &Limits) -> Option<Definition> {
    let name = limits.str(from)?;
    let qualified = limits.str(from)?;
    let kind = DefinitionKind::from_number(from.uint()?.into())?;
    let reach = match from.uint()? {
        0 => Reach::Private,
        1 => Reach::Restricted,
        2 => Reach::Public,
        _ => return None,
    };
    let visibility = limits.str(from)?;
    let container = from.option()?.map(DefinitionIndex);
    let owner = from.option()?.map(PathId);
    let span = from.span()?;
    let name_span = from.span()?;
    let lines = (from.uint()?, from.uint()?);
    let tokens = (from.uint()?, from.uint()?);
    if tokens.0 > tokens.1 || tokens.1 as usize > limits.tokens {
        return None;
    }
    let count = tokens.1 - tokens.0;
    let signature_tokens = from.uint()?;
    if signature_tokens > count {
        return None;
    }
    let signature = limits.str(from)?;
    let purpose = limits.str(from)?;
    let failures = from.list(|from| {
        let (start, len) = (from.uint()?, from.uint()?);
        (start.checked_add(len)? <= count).then_some((start, len))
    })?;
    let metrics = Metrics {
        depth: from.uint()?,
        branches: from.uint()?,
    };
    let flags = from.uint()?;
    let bases = from.list(|from| limits.path(from))?;
    let value = from.option()?.map(PathId);
    let fields = from.list(|from| {
        let name = limits.str(from)?;
        let packed = from.uint()?;
        Some(Field {
            name,
            value: PathId(packed >> 1).checked(limits.paths)?,
            callable: packed & 1 != 0,
        })
    })?;
    Some(Definition {
        name,
        qualified,
        kind,
        reach,
        visibility,
        container,
        owner,
        span,
        name_span,
        lines,
        tokens,
        signature_tokens,
        signature,
        purpose,
        failures,
        metrics,
        has_example: flags & 1 != 0,
        deprecated: flags & 2 != 0,
        property: flags & 4 != 0,
        bases,
        value,
        fields,
    })
}

fn decode_namespace(from: &mut Reader<'_>, limits: &Limits) -> Option<Namespace> {
    let name = |from: &mut Reader<'_>| Some((limits.str(from)?, limits.path(from)?));
    let names = from.list(name)?;
    let has_exports = from.bool()?;
    let exports = from.list(name)?;
    Some(Namespace {
        names,
        exports: has_exports.then_some(exports),
        stars: from.list(|from| limits.path(from))?,
        parent: from.option()?.map(NamespaceId),
        inherits: from.bool()?,
    })
}

/// Whether the indexes that could not be checked while reading are in range,
/// and paths lead only to earlier paths.
fn is_sound(skeleton: &Skeleton) -> bool {
    let definition = |index: DefinitionIndex| (index.0 as usize) < skeleton.definitions.len();
    let namespace = |id: NamespaceId| (id.0 as usize) < skeleton.namespaces.len();
    let text = |text: Str| (text.0 as usize) < skeleton.strings.len();
    let path = |path: PathId| (path.0 as usize) < skeleton.paths.len();
    let sound_path = |(at, node): (usize, &PathNode)| {
        let earlier = |path: PathId| (path.0 as usize) < at;
        match *node {
            PathNode::Unknown | PathNode::Receiver => true,
            PathNode::Definition(index) => definition(index),
            PathNode::Name(id, name) => namespace(id) && text(name),
            PathNode::Namespace(id) => namespace(id),
            PathNode::Module(name) | PathNode::Library(name) => text(name),
            PathNode::Member(base, name) => earlier(base) && text(name),
            PathNode::Container(outer, element) => earlier(outer) && earlier(element),
            PathNode::Call(base)
            | PathNode::Instance(base)
            | PathNode::Element(base)
            | PathNode::Super(base)
            | PathNode::Value(base) => earlier(base),
        }
    };
    !skeleton.namespaces.is_empty()
        && skeleton.paths.iter().enumerate().all(sound_path)
        && parents_end(&skeleton.namespaces)
        && skeleton.definitions.iter().all(|each| {
            each.container.is_none_or(definition)
                && each.owner.is_none_or(path)
                && each.value.is_none_or(path)
        })
}

/// Whether each namespace's parents are there and lead to an outermost one. A parent
/// may come later: what surrounds a whole file is known when the file was read.
fn parents_end(namespaces: &[Namespace]) -> bool {
    let mut end = vec![false; namespaces.len()];
    let mut path = Vec::new();
    for start in 0..namespaces.len() {
        let mut at = start;
        while !end[at] {
            path.push(at);
            match namespaces[at].parent {
                // A path longer than there are namespaces is a circle.
                Some(id) if (id.0 as usize) < namespaces.len() && path.len() <= namespaces.len() => {
                    at = id.0 as usize;
                }
                Some(_) => return false,
                None => break,
            }
        }
        for at in path.drain(..) {
            end[at] = true;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{Builder, Declared};

    fn sample() -> Skeleton {
        let mut builder = Builder::new("def greet(name):\n    log(name)\n");
        let span = Span { start: 0, end: 31 };
        let greet = builder.declare(&Declared {
            name: "greet",
            qualified: "greet",
            kind: DefinitionKind::Function,
            container: None,
            span,
            name_span: Span { start: 4, end: 9 },
        });
        let path = builder.definition_path(greet);
        builder.bind(FILE_NAMESPACE, "greet", path);
        builder.open(greet);
        builder.own_name();
        builder.end_signature();
        let log = builder.name(FILE_NAMESPACE, "log");
        builder.reference(Span { start: 21, end: 24 }, "log", log, true);
        builder.failure_since(1);
        builder.close();
        builder.error(span, "é".to_owned());
        builder.finish()
    }

    #[test]
    fn what_is_encoded_is_decoded() {
        let skeleton = sample();
        assert_eq!(decode(&encode(&skeleton)), Some(skeleton));
    }

    /// Every Rust file has such a namespace, and none was found in the cache.
    #[test]
    fn a_parent_may_come_later() {
        let mut skeleton = sample();
        let parent = NamespaceId(skeleton.namespaces.len() as u32);
        let outermost = Namespace {
            parent: None,
            ..skeleton.namespaces[0].clone()
        };
        skeleton.namespaces[0].parent = Some(parent);
        skeleton.namespaces.push(outermost);
        assert_eq!(decode(&encode(&skeleton)), Some(skeleton.clone()));
        skeleton.namespaces[parent.0 as usize].parent = Some(FILE_NAMESPACE);
        assert_eq!(decode(&encode(&skeleton)), None, "a circle");
        skeleton.namespaces[parent.0 as usize].parent = Some(NamespaceId(9));
        assert_eq!(decode(&encode(&skeleton)), None, "no such namespace");
    }

    #[test]
    fn damaged_bytes_are_refused_or_sound() {
        let bytes = encode(&sample());
        for at in 0..bytes.len() {
            assert!(decode(&bytes[..at]).is_none_or(|skeleton| is_sound(&skeleton)));
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << bit;
                assert!(decode(&damaged).is_none_or(|skeleton| is_sound(&skeleton)));
            }
        }
    }
}
