//! One name of a leaf: what it stands for, and what only the source can say.
//!
//! Invariants: lists of indexes ascend without repeats, as sets do; the place in
//! the file is not part of an entry's bytes (`leaf` keeps places together, so
//! that a line added at the top does not rewrite every run of entries).

use std::borrow::Cow;

use store::cbor::{self, Decoder, Encoder};

use super::{Text, text};
use crate::{
    Capabilities, DefinitionId, DefinitionKind,
    decode::{self, refuse},
};

/// What a leaf says of one name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry<'a> {
    /// Unique in the leaf: qualified by the type for a method, by the ability
    /// for an implementation's methods, by an ordinal among twins.
    pub name: Text<'a>,
    pub kind: DefinitionKind,
    pub id: DefinitionId,
    pub visibility: Visibility,
    /// The visibility as the language spells it, which may be nothing.
    pub spelling: Text<'a>,
    pub location: Location,
    /// The signature as a reader wants to see it.
    pub signature: Text<'a>,
    /// The first sentence of its documentation.
    pub purpose: Text<'a>,
    /// Lines that hold code.
    pub lines: u32,
    pub flags: Flags,
    /// What it reaches, through all that it calls.
    pub effects: Effects<'a>,
    /// The failures it can end in, through all that it calls.
    pub failures: Vec<Text<'a>>,
    /// Indexes into the leaf's targets.
    pub calls: Vec<u32>,
    /// Indexes into the leaf's targets: references that are not calls.
    pub uses: Vec<u32>,
    /// Names that lead to nothing known.
    pub unresolved: Vec<Text<'a>>,
}

impl<'a> Entry<'a> {
    /// An entry with nothing but a name, a kind and an id.
    pub fn new(name: impl Into<Text<'a>>, kind: DefinitionKind, id: DefinitionId) -> Self {
        Self {
            name: name.into(),
            kind,
            id,
            visibility: Visibility::Private,
            spelling: Cow::Borrowed(""),
            location: Location::default(),
            signature: Cow::Borrowed(""),
            purpose: Cow::Borrowed(""),
            lines: 0,
            flags: Flags::default(),
            effects: Effects::default(),
            failures: Vec::new(),
            calls: Vec::new(),
            uses: Vec::new(),
            unresolved: Vec::new(),
        }
    }
}

/// Who may use a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Visibility {
    Private = 0,
    /// More than its module, and not everybody.
    Restricted = 1,
    Public = 2,
}

impl Visibility {
    fn decode(decoder: &mut Decoder<'_>) -> cbor::Result<Self> {
        let start = decoder.offset();
        match decoder.uint()? {
            0 => Ok(Self::Private),
            1 => Ok(Self::Restricted),
            2 => Ok(Self::Public),
            other => refuse(start, "the number of a visibility", other.to_string()),
        }
    }
}

/// Where a definition stands in its source: bytes from 0, lines from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Location {
    pub start: u32,
    /// The first byte after it.
    pub end: u32,
    pub first_line: u32,
    pub last_line: u32,
}

impl Location {
    pub(super) fn encode(self, encoder: &mut Encoder) {
        encoder.uint(u64::from(self.start));
        encoder.uint(u64::from(self.end.saturating_sub(self.start)));
        encoder.uint(u64::from(self.first_line));
        encoder.uint(u64::from(self.last_line.saturating_sub(self.first_line)));
    }

    pub(super) fn decode(decoder: &mut Decoder<'_>) -> cbor::Result<Self> {
        let offset = decoder.offset();
        let mut span = || -> cbor::Result<_> {
            let start = decoder.u32()?;
            Ok((start, start.checked_add(decoder.u32()?)))
        };
        match (span()?, span()?) {
            ((start, Some(end)), (first_line, Some(last_line))) => Ok(Self {
                start,
                end,
                first_line,
                last_line,
            }),
            _ => refuse(offset, "a place in a source", "one that ends past 2^32"),
        }
    }
}

/// Marks of a definition. Bits are only ever added; unknown ones are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Flags(pub u32);

impl Flags {
    /// Its documentation shows an example.
    pub const DOC_EXAMPLE: Flags = Flags(1);
    pub const TEST: Flags = Flags(2);
    pub const DEPRECATED: Flags = Flags(4);
    /// Made by a tool, not by a person.
    pub const GENERATED: Flags = Flags(8);

    pub fn contains(self, flags: Flags) -> bool {
        self.0 & flags.0 == flags.0
    }

    pub fn with(self, flags: Flags) -> Self {
        Self(self.0 | flags.0)
    }
}

/// What a definition reaches outside itself: capabilities that were inferred,
/// and effects by name in a language that has them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Effects<'a> {
    pub capabilities: Capabilities,
    pub named: Vec<Text<'a>>,
}

impl<'a> Effects<'a> {
    /// One array: numbers ascending, then names ascending.
    fn encode(&self, encoder: &mut Encoder) {
        let named = as_set(&self.named);
        encoder.array(self.capabilities.len() + named.len());
        self.capabilities.encode_items(encoder);
        for name in named {
            encoder.text(name);
        }
    }

    fn decode(decoder: &mut Decoder<'a>) -> cbor::Result<Self> {
        let mut effects = Self::default();
        for _ in 0..decoder.array()? {
            if effects.named.is_empty() && decoder.next_is_uint() {
                effects.capabilities.decode_item(decoder)?;
                continue;
            }
            let start = decoder.offset();
            let name = text(decoder)?;
            if effects.named.last().is_some_and(|last| *last >= name) {
                return refuse(start, "effects in ascending order", name);
            }
            effects.named.push(name);
        }
        Ok(effects)
    }
}

/// The items, ascending and each once: how every set is written.
pub(super) fn as_set<T: Ord>(items: &[T]) -> Vec<&T> {
    let mut set: Vec<&T> = items.iter().collect();
    set.sort_unstable();
    set.dedup();
    set
}

/// The number of items of an entry.
const ITEMS: usize = 14;

impl<'a> Entry<'a> {
    /// Writes the entry; `renumber` says the place of a target in the table that
    /// is written with it.
    pub(super) fn encode(&self, encoder: &mut Encoder, renumber: impl Fn(u32) -> u32) {
        encoder.array(ITEMS);
        encoder.text(&self.name).uint(self.kind as u64);
        encoder.byte_string(self.id.component.as_bytes());
        encoder.uint(u64::from(self.id.rank));
        encoder.uint(self.visibility as u64).text(&self.spelling);
        encoder.text(&self.signature).text(&self.purpose);
        encoder.uint(u64::from(self.lines));
        encoder.uint(u64::from(self.flags.0));
        self.effects.encode(encoder);
        encode_texts(encoder, &as_set(&self.failures));
        encoder.array(2);
        for edges in [&self.calls, &self.uses] {
            let renumbered: Vec<u32> = edges.iter().map(|&target| renumber(target)).collect();
            let set = as_set(&renumbered);
            encoder.array(set.len());
            for &target in set {
                encoder.uint(u64::from(target));
            }
        }
        encode_texts(encoder, &as_set(&self.unresolved));
    }

    /// Reads an entry that may refer to the first `targets` targets.
    pub(super) fn decode(decoder: &mut Decoder<'a>, targets: usize) -> cbor::Result<Self> {
        decoder.array_of(ITEMS)?;
        let name = text(decoder)?;
        let kind = DefinitionKind::decode(decoder)?;
        let id = DefinitionId::new(decode::hash(decoder)?, decoder.u32()?);
        let visibility = Visibility::decode(decoder)?;
        let (spelling, signature, purpose) = (text(decoder)?, text(decoder)?, text(decoder)?);
        let (lines, flags) = (decoder.u32()?, Flags(decoder.u32()?));
        let effects = Effects::decode(decoder)?;
        let failures = decode::ascending(decoder, text)?;
        decoder.array_of(2)?;
        let calls = edges(decoder, targets)?;
        let uses = edges(decoder, targets)?;
        let unresolved = decode::ascending(decoder, text)?;
        Ok(Self {
            name,
            kind,
            id,
            visibility,
            spelling,
            location: Location::default(),
            signature,
            purpose,
            lines,
            flags,
            effects,
            failures,
            calls,
            uses,
            unresolved,
        })
    }
}

pub(super) fn encode_texts(encoder: &mut Encoder, texts: &[&Text<'_>]) {
    encoder.array(texts.len());
    for text in texts {
        encoder.text(text);
    }
}

fn edges(decoder: &mut Decoder<'_>, targets: usize) -> cbor::Result<Vec<u32>> {
    let start = decoder.offset();
    let edges = decode::ascending(decoder, Decoder::u32)?;
    match edges.last() {
        Some(&last) if last as usize >= targets => refuse(
            start,
            "targets of the table",
            format!("target {last} of {targets}"),
        ),
        _ => Ok(edges),
    }
}
