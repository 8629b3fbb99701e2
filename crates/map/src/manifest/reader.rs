//! Reading a map: its root, its leaves in order, one leaf by its path.
//!
//! A reader holds nothing but the root; it can be shared between threads. Every
//! node is checked against what the node above says of it.

use std::sync::atomic::{AtomicU64, Ordering};

use store::{Batch, Hash, Kind, Objects};

use super::{
    LeafRef, MapRoot, StoredLeaf, build_tree,
    leaf::is_path,
    tree::{Item, Node},
};
use crate::{decode, fetch};

/// A map in a store.
pub struct MapReader<'o> {
    objects: &'o (dyn Objects + Sync),
    key: Hash,
    root: MapRoot,
    opened: AtomicU64,
}

impl<'o> MapReader<'o> {
    /// Opens the map under a key.
    pub fn open(objects: &'o (dyn Objects + Sync), key: &Hash) -> Result<Self, store::Error> {
        let bytes = fetch(objects, Kind::Map, key)?;
        let root = MapRoot::decode(&bytes).map_err(|error| with_key(error, *key))?;
        Ok(Self {
            objects,
            key: *key,
            root,
            opened: AtomicU64::new(0),
        })
    }

    /// The key of the map.
    pub fn key(&self) -> Hash {
        self.key
    }

    pub fn root(&self) -> &MapRoot {
        &self.root
    }

    /// How many `Tree` objects were read so far.
    pub fn opened(&self) -> u64 {
        self.opened.load(Ordering::Relaxed)
    }

    /// All leaves by path. Opens the tree and no leaf.
    pub fn leaves(&self) -> Result<Vec<LeafRef>, store::Error> {
        let mut level = self.top()?;
        while let Some(below) = self.below(&level)? {
            level = below;
        }
        Ok(level.items.into_iter().map(LeafRef::from).collect())
    }

    /// The leaf of a source file. Opens one node of each level.
    pub fn find(&self, path: &str) -> Result<Option<LeafRef>, store::Error> {
        let mut node = self.root_node()?;
        loop {
            let at = node.items.partition_point(|item| item.last.as_str() < path);
            let Some(item) = node.items.get(at) else {
                return Ok(None);
            };
            if node.level == 0 {
                return Ok(Some(item.clone().into()).filter(|leaf: &LeafRef| leaf.path == path));
            }
            node = self.node(item, node.level - 1)?;
        }
    }

    /// The bytes of a leaf. Decoding them checks that they are of this path.
    pub fn leaf(&self, leaf: &LeafRef) -> Result<StoredLeaf, store::Error> {
        StoredLeaf::read_listed(self.objects, leaf)
    }

    /// Whether the tree is the one that its leaves have. Reading does not depend
    /// on it; changing the tree does.
    pub fn has_canonical_tree(&self) -> Result<bool, store::Error> {
        let leaves = self.leaves()?;
        let ascend = leaves.windows(2).all(|pair| pair[0].path < pair[1].path);
        let are_paths = leaves.iter().all(|leaf| is_path(&leaf.path));
        Ok(ascend && are_paths && build_tree(leaves, &mut Batch::new()) == self.root.tree)
    }

    pub(super) fn root_node(&self) -> Result<Node, store::Error> {
        self.opened.fetch_add(1, Ordering::Relaxed);
        let node = Node::read(self.objects, &self.root.tree.key)?;
        let level = node.level;
        let item = Item {
            counts: self.root.tree.counts,
            ..node.item(self.root.tree.key)
        };
        if node.items.is_empty() && node.counts() == item.counts {
            return Ok(node);
        }
        node.check(&item, level)
    }

    pub(super) fn node(&self, item: &Item, level: u8) -> Result<Node, store::Error> {
        self.opened.fetch_add(1, Ordering::Relaxed);
        Node::read(self.objects, &item.key)?.check(item, level)
    }

    /// The items of the root.
    pub(super) fn top(&self) -> Result<Level, store::Error> {
        let Node { level, items } = self.root_node()?;
        Ok(Level { level, items })
    }

    /// The items of the nodes that these items stand for, or `None` for leaves.
    pub(super) fn below(&self, above: &Level) -> Result<Option<Level>, store::Error> {
        let Some(level) = above.level.checked_sub(1) else {
            return Ok(None);
        };
        let mut items: Vec<Item> = Vec::new();
        for item in &above.items {
            items.append(&mut self.node(item, level)?.items);
        }
        decode::object(Kind::Tree, Some(self.root.tree.key), &[], |_| {
            if items.windows(2).all(|pair| pair[0].last < pair[1].last) {
                return Ok(Some(Level { level, items }));
            }
            decode::refuse(0, "paths in ascending order", "nodes that overlap")
        })
    }
}

/// Some of the items of the nodes of one level, by path.
pub(super) struct Level {
    pub level: u8,
    pub items: Vec<Item>,
}

fn with_key(error: store::Error, key: Hash) -> store::Error {
    match error {
        store::Error::Malformed { kind, source, .. } => store::Error::Malformed {
            kind,
            key: Some(key),
            source,
        },
        other => other,
    }
}
