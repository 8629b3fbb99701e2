//! The inner nodes of a map: the `Tree` objects.
//!
//! The leaves, by path, are cut into nodes; the nodes, by the last path below
//! them, into nodes of the next level; and so on until one is left. A node is cut
//! after an item whose key says so by its hash, so where cuts are follows from
//! the paths alone: not from contents, and not from the order of edits.
//!
//! Invariants: a node has at most [`MAX_ITEMS`] items, keys ascending; all but
//! the last node of a level have at least two, so every level is at most half as
//! long as the one below (rounded up), even under keys chosen to be cuts.

use store::{
    Batch, Hash, Kind, Objects,
    cbor::{self, Decoder, Encoder},
};

use super::{Counts, LeafRef, TreeRef};
use crate::{
    decode::{self, refuse},
    fetch,
};

/// No node has more items.
pub const MAX_ITEMS: usize = 256;

/// No tree is higher: 2^40 leaves at the least.
pub(super) const MAX_LEVEL: u64 = 40;

/// Whether a key asks for a cut after it, at a level: one key in 32 does.
pub fn is_boundary(level: u8, key: &[u8]) -> bool {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"renyi boundary 1");
    hasher.update(&[level]);
    hasher.update(key);
    hasher.finalize().as_bytes()[0] < 8
}

/// Cuts a sequence of keys.
#[derive(Debug, Clone)]
pub(super) struct Chunker {
    level: u8,
    len: usize,
}

impl Chunker {
    pub fn new(level: u8) -> Self {
        Self { level, len: 0 }
    }

    /// Takes the next key and says whether there is a cut after it.
    pub fn closes_after(&mut self, key: &[u8]) -> bool {
        self.len += 1;
        let closes = self.len == MAX_ITEMS || (self.len >= 2 && is_boundary(self.level, key));
        if closes {
            self.len = 0;
        }
        closes
    }
}

/// An item of a node: a leaf at level 0, a node of the level below above it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    /// The path of the leaf, or the last path below the node.
    pub last: String,
    pub key: Hash,
    pub counts: Counts,
}

impl From<LeafRef> for Item {
    fn from(leaf: LeafRef) -> Self {
        Self {
            last: leaf.path,
            key: leaf.key,
            counts: leaf.counts,
        }
    }
}

impl From<Item> for LeafRef {
    fn from(item: Item) -> Self {
        Self {
            path: item.last,
            key: item.key,
            counts: item.counts,
        }
    }
}

/// One node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Node {
    pub level: u8,
    pub items: Vec<Item>,
}

impl Node {
    pub fn encode(&self) -> Vec<u8> {
        let mut encoder = Encoder::with_capacity(16 + 80 * self.items.len());
        encoder
            .array(2)
            .uint(u64::from(self.level))
            .array(self.items.len());
        for item in &self.items {
            encoder.array(3).text(&item.last).byte_string(item.key.as_bytes());
            item.counts.encode(&mut encoder);
        }
        encoder.into_bytes()
    }

    fn decode(decoder: &mut Decoder<'_>) -> cbor::Result<Self> {
        decoder.array_of(2)?;
        let start = decoder.offset();
        let level = decoder.uint()?;
        if level > MAX_LEVEL {
            return refuse(start, "a level of at most 40", level.to_string());
        }
        let start = decoder.offset();
        let items = decode::list(decoder, decode_item)?;
        if items.len() > MAX_ITEMS {
            return refuse(start, "at most 256 items", items.len().to_string());
        }
        if items.windows(2).any(|pair| pair[0].last >= pair[1].last) {
            return refuse(
                start,
                "paths in ascending order",
                "one that is not above the last",
            );
        }
        if items.is_empty() && level > 0 {
            return refuse(start, "items in a node above the leaves", "none");
        }
        Ok(Self {
            level: level as u8,
            items,
        })
    }

    /// Reads the node under a key.
    pub fn read(objects: &dyn Objects, key: &Hash) -> Result<Self, store::Error> {
        let bytes = fetch(objects, Kind::Tree, key)?;
        decode::object(Kind::Tree, Some(*key), &bytes, Self::decode)
    }

    /// Refuses a node that is not what the item above it says.
    pub fn check(self, item: &Item, level: u8) -> Result<Self, store::Error> {
        let last = self.items.last().map(|item| item.last.as_str());
        if self.level == level && last == Some(&item.last) && self.counts() == item.counts {
            return Ok(self);
        }
        let source = cbor::Error {
            offset: 0,
            expected: "a node as the one above it lists it",
            found: format!("another level, last path or count, under `{}`", item.last),
        };
        Err(store::Error::Malformed {
            kind: Kind::Tree,
            key: Some(item.key),
            source,
        })
    }

    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for item in &self.items {
            counts += item.counts;
        }
        counts
    }

    /// The item that stands for this node one level up.
    pub fn item(&self, key: Hash) -> Item {
        Item {
            last: self
                .items
                .last()
                .map(|item| item.last.clone())
                .unwrap_or_default(),
            key,
            counts: self.counts(),
        }
    }
}

fn decode_item(decoder: &mut Decoder<'_>) -> cbor::Result<Item> {
    decoder.array_of(3)?;
    let start = decoder.offset();
    let last = decoder.text()?.to_owned();
    if !super::leaf::is_path(&last) {
        return refuse(start, "a relative path", format!("`{last}`"));
    }
    Ok(Item {
        last,
        key: decode::hash(decoder)?,
        counts: Counts::decode(decoder)?,
    })
}

/// Builds the tree over leaves from nothing.
///
/// # Panics
///
/// When paths do not strictly ascend.
pub fn build_tree(leaves: impl IntoIterator<Item = LeafRef>, batch: &mut Batch) -> TreeRef {
    let mut items: Vec<Item> = leaves.into_iter().map(Item::from).collect();
    assert!(
        items.windows(2).all(|pair| pair[0].last < pair[1].last),
        "leaves are given by path, each once"
    );
    let mut level = 0;
    loop {
        let nodes = cut(items, level);
        items = nodes
            .iter()
            .map(|node| node.item(batch.put(Kind::Tree, node.encode(), None)))
            .collect();
        if let [root] = &items[..] {
            return TreeRef {
                key: root.key,
                counts: root.counts,
            };
        }
        level += 1;
    }
}

/// The nodes over all the items of a level; one node without items over none.
pub(super) fn cut(items: Vec<Item>, level: u8) -> Vec<Node> {
    let mut chunker = Chunker::new(level);
    let mut nodes = Vec::new();
    let mut open = Vec::new();
    for item in items {
        let closes = chunker.closes_after(item.last.as_bytes());
        open.push(item);
        if closes {
            let items = std::mem::take(&mut open);
            nodes.push(Node { level, items });
        }
    }
    if !open.is_empty() || nodes.is_empty() {
        nodes.push(Node { level, items: open });
    }
    nodes
}
