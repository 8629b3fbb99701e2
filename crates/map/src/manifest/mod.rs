//! The manifest: which names a set of source files gives to which ids
//! (store-format/map.md).
//!
//! A map is a Merkle tree: a root (`MapRoot`) over inner nodes (`tree`) over one
//! leaf per source file (`leaf`). Two maps share every equal part, so comparing
//! them opens only what differs (`diff`), and changing one rewrites only the way
//! to what changed (`update`).
//!
//! Invariants: the same set of leaves has the same root, whatever the history;
//! nothing in a map depends on a directory's name, a time or a revision.
//!
//! Not here: what changed between two definitions, and where maps are kept.

mod diff;
mod entry;
mod leaf;
mod reader;
mod tree;
mod update;

use std::{borrow::Cow, ops::AddAssign};

use store::{
    Batch, Hash, Kind,
    cbor::{self, Decoder, Encoder},
};

use crate::decode;

pub use diff::{LeafChange, diff_leaves};
pub use entry::{Effects, Entry, Flags, Location, Visibility};
pub use leaf::{Leaf, MAX_ENTRIES, StoredLeaf, TargetName, is_path};
pub use reader::MapReader;
pub use tree::{MAX_ITEMS, build_tree, is_boundary};
pub use update::{TreeChange, update_tree};

/// How much a part of a map holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Counts {
    pub modules: u64,
    pub definitions: u64,
    /// Syntax errors.
    pub errors: u64,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        // Saturating: the numbers may come from a hostile object.
        self.modules = self.modules.saturating_add(other.modules);
        self.definitions = self.definitions.saturating_add(other.definitions);
        self.errors = self.errors.saturating_add(other.errors);
    }
}

impl Counts {
    fn encode(self, encoder: &mut Encoder) {
        encoder.array(3).uint(self.modules);
        encoder.uint(self.definitions).uint(self.errors);
    }

    fn decode(decoder: &mut Decoder<'_>) -> cbor::Result<Self> {
        decoder.array_of(3)?;
        Ok(Self {
            modules: decoder.uint()?,
            definitions: decoder.uint()?,
            errors: decoder.uint()?,
        })
    }
}

/// Where a leaf is, and what the tree says of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LeafRef {
    /// The path of the source file relative to the root, with `/`; a path that
    /// [`is_path`] refuses makes a tree that cannot be read.
    pub path: String,
    /// The key of the leaf's `Module` object.
    pub key: Hash,
    pub counts: Counts,
}

/// The root of a tree over leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TreeRef {
    /// The key of the `Tree` object.
    pub key: Hash,
    pub counts: Counts,
}

/// The `Map` object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MapRoot {
    /// The version of each language's extractor, by language.
    pub extractors: Vec<(String, u64)>,
    pub tree: TreeRef,
}

impl MapRoot {
    /// The identity bytes. Extractors are written in order, each language once.
    pub fn encode(&self) -> Vec<u8> {
        let mut extractors = self.extractors.clone();
        extractors.sort_unstable();
        extractors.dedup_by(|a, b| a.0 == b.0);
        let mut encoder = Encoder::new();
        encoder.array(3).array(extractors.len());
        for (language, version) in &extractors {
            encoder.array(2).text(language).uint(*version);
        }
        self.tree.counts.encode(&mut encoder);
        encoder.byte_string(self.tree.key.as_bytes());
        encoder.into_bytes()
    }

    /// Puts the object into a batch and says its key.
    pub fn put(&self, batch: &mut Batch) -> Hash {
        batch.put(Kind::Map, self.encode(), None)
    }

    pub fn decode(identity: &[u8]) -> Result<Self, store::Error> {
        decode::object(Kind::Map, None, identity, |decoder| {
            decoder.array_of(3)?;
            let start = decoder.offset();
            let extractors: Vec<(String, u64)> = decode::list(decoder, |decoder| {
                decoder.array_of(2)?;
                Ok((decoder.text()?.to_owned(), decoder.uint()?))
            })?;
            if extractors.windows(2).any(|pair| pair[0].0 >= pair[1].0) {
                return decode::refuse(
                    start,
                    "languages in ascending order",
                    "one that is not above the last",
                );
            }
            let counts = Counts::decode(decoder)?;
            let key = decode::hash(decoder)?;
            Ok(Self {
                extractors,
                tree: TreeRef { key, counts },
            })
        })
    }
}

/// Texts that mostly borrow from the object they were read from.
type Text<'a> = Cow<'a, str>;

fn text<'a>(decoder: &mut Decoder<'a>) -> cbor::Result<Text<'a>> {
    decoder.text().map(Cow::Borrowed)
}
