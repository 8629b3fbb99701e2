//! Changing leaves of a map: a new tree that shares what did not change.
//!
//! Level by level from the leaves. In each level the nodes that hold a changed
//! item are cut again from their start, which is a cut whatever happens inside,
//! until a new cut falls on an old one; from there on the old nodes stand. The
//! new nodes, and the old ones that are gone, are the changes of the level above.
//!
//! The result is the tree that [`super::build_tree`] makes of the same leaves.

use std::{
    collections::{BTreeMap, HashMap},
    iter::Peekable,
    sync::Arc,
};

use store::{Batch, Hash, Kind, Objects};

use super::{
    LeafRef, TreeRef,
    tree::{Chunker, Item, Node, cut},
};

/// What becomes of one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TreeChange {
    /// The leaf is there, new or in place of another.
    Set(LeafRef),
    /// No leaf of this path is there; it need not have been.
    Remove(String),
}

/// The tree with some leaves changed. New objects go into `batch`; the old tree
/// is read from `objects` and from `batch`. Of several changes of one path the
/// last one holds.
pub fn update_tree(
    objects: &dyn Objects,
    batch: &mut Batch,
    tree: &TreeRef,
    changes: impl IntoIterator<Item = TreeChange>,
) -> Result<TreeRef, store::Error> {
    let changes = changes
        .into_iter()
        .map(|change| match change {
            TreeChange::Set(leaf) => (leaf.path.clone(), Some(Item::from(leaf))),
            TreeChange::Remove(path) => (path, None),
        })
        .collect();
    let mut update = Update::new(objects, batch, tree)?;
    let root = update.run(changes)?;
    let created = update.created;
    // What was made above the root would be nodes of one item.
    for node in created.into_values().filter(|node| node.level <= root.level) {
        batch.put(Kind::Tree, node.encode(), None);
    }
    Ok(TreeRef {
        key: store::hash(Kind::Tree, &root.encode()),
        counts: root.counts(),
    })
}

/// What becomes of items of a level, by key.
type Changes = BTreeMap<String, Option<Item>>;

struct Update<'a> {
    objects: &'a dyn Objects,
    batch: &'a Batch,
    root: (Item, Arc<Node>),
    opened: HashMap<Hash, Arc<Node>>,
    created: BTreeMap<Hash, Node>,
}

/// A node of the old tree.
struct Old {
    item: Item,
    node: Arc<Node>,
    /// Whether it is the last one of its level.
    is_last: bool,
}

impl<'a> Update<'a> {
    fn new(objects: &'a dyn Objects, batch: &'a Batch, tree: &TreeRef) -> Result<Self, store::Error> {
        let node = read(objects, batch, &tree.key)?;
        Ok(Self {
            objects,
            batch,
            root: (node.item(tree.key), Arc::new(node)),
            opened: HashMap::new(),
            created: BTreeMap::new(),
        })
    }

    fn run(&mut self, mut changes: Changes) -> Result<Node, store::Error> {
        let mut level = self.root.1.level;
        for level in 0..=level {
            changes = self.update_level(level, changes)?;
            if changes.is_empty() {
                return Ok((*self.root.1).clone());
            }
        }
        let mut items: Vec<Item> = changes.into_values().flatten().collect();
        while items.len() > 1 {
            level += 1;
            let nodes = cut(items, level);
            items = nodes.into_iter().map(|node| self.create(node)).collect();
        }
        match items.pop() {
            Some(top) => self.lowest(&top, level),
            None => {
                let empty = Node {
                    level: 0,
                    items: Vec::new(),
                };
                self.create(empty.clone());
                Ok(empty)
            }
        }
    }

    /// Cuts the nodes of a level again where they hold changed items, and says
    /// what that changes in the level above.
    fn update_level(&mut self, level: u8, changes: Changes) -> Result<Changes, store::Error> {
        let mut changes = changes.into_iter().peekable();
        let mut gone: BTreeMap<String, Item> = BTreeMap::new();
        let mut made: Vec<Node> = Vec::new();
        while let Some((key, _)) = changes.peek() {
            let mut old = self.seek(level, |last| last < key.as_str())?;
            let mut chunker = Chunker::new(level);
            let mut open = Vec::new();
            loop {
                for item in merge(&old, &mut changes) {
                    let closes = chunker.closes_after(item.last.as_bytes());
                    open.push(item);
                    if closes {
                        let items = std::mem::take(&mut open);
                        made.push(Node { level, items });
                    }
                }
                let Old { item, is_last, .. } = old;
                let passed = item.last.clone();
                gone.insert(passed.clone(), item);
                if open.is_empty() {
                    break;
                }
                if is_last {
                    made.push(Node { level, items: open });
                    break;
                }
                old = self.seek(level, |last| last <= passed.as_str())?;
            }
        }
        Ok(self.changes_above(gone, made))
    }

    /// What changes above when some nodes are gone and others are made, leaving
    /// out those that were made again.
    fn changes_above(&mut self, mut gone: BTreeMap<String, Item>, made: Vec<Node>) -> Changes {
        let mut changes = Changes::new();
        for node in made {
            let item = node.item(store::hash(Kind::Tree, &node.encode()));
            if gone.remove(&item.last).as_ref() != Some(&item) {
                self.created.insert(item.key, node);
                changes.insert(item.last.clone(), Some(item));
            }
        }
        changes.extend(gone.into_keys().map(|last| (last, None)));
        changes
    }

    /// The first node of a level whose last key is not `before`, else the last one.
    fn seek(&mut self, level: u8, before: impl Fn(&str) -> bool) -> Result<Old, store::Error> {
        let (item, node) = self.root.clone();
        let mut old = Old {
            item,
            node,
            is_last: true,
        };
        while old.node.level > level {
            let items = &old.node.items;
            let end = items.len() - 1;
            let at = items.partition_point(|item| before(&item.last)).min(end);
            let item = items[at].clone();
            old = Old {
                node: self.open(&item, old.node.level - 1)?,
                item,
                is_last: old.is_last && at == end,
            };
        }
        Ok(old)
    }

    fn open(&mut self, item: &Item, level: u8) -> Result<Arc<Node>, store::Error> {
        if let Some(node) = self.opened.get(&item.key) {
            return Ok(node.clone());
        }
        let node = Arc::new(read(self.objects, self.batch, &item.key)?.check(item, level)?);
        self.opened.insert(item.key, node.clone());
        Ok(node)
    }

    fn create(&mut self, node: Node) -> Item {
        let item = node.item(store::hash(Kind::Tree, &node.encode()));
        self.created.insert(item.key, node);
        item
    }

    /// The node below a lone one that is not itself lone: the root.
    fn lowest(&mut self, top: &Item, level: u8) -> Result<Node, store::Error> {
        let mut item = top.clone();
        let mut level = level;
        loop {
            let node = match self.created.get(&item.key) {
                Some(node) => node.clone(),
                None => (*self.open(&item, level)?).clone(),
            };
            match &node.items[..] {
                [below] if level > 0 => item = below.clone(),
                _ => return Ok(node),
            }
            level -= 1;
        }
    }
}

fn read(objects: &dyn Objects, batch: &Batch, key: &Hash) -> Result<Node, store::Error> {
    let in_batch = batch.contains(Kind::Tree, key)?;
    Node::read(if in_batch { batch } else { objects }, key)
}

/// The items of an old node with the changes that belong to it.
fn merge(old: &Old, changes: &mut Peekable<impl Iterator<Item = (String, Option<Item>)>>) -> Vec<Item> {
    let mut merged = Vec::with_capacity(old.node.items.len() + 1);
    let mut kept = old.node.items.iter().peekable();
    while let Some((key, change)) =
        changes.next_if(|(key, _)| old.is_last || key.as_str() <= old.item.last.as_str())
    {
        while let Some(item) = kept.next_if(|item| item.last < key) {
            merged.push(item.clone());
        }
        kept.next_if(|item| item.last == key);
        merged.extend(change);
    }
    merged.extend(kept.cloned());
    merged
}
