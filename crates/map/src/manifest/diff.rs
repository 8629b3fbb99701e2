//! Which leaves differ between two maps.
//!
//! Level by level from the top: a node that both maps have covers the same
//! leaves in both, so it is dropped from both sides unopened, and only what is
//! left is opened. The cost follows the size of the change.

use std::{cmp::Ordering, collections::HashSet};

use store::Hash;

use super::{LeafRef, MapReader, reader::Level, tree::Item};

/// A leaf that is not the same in both maps. At least one side is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeafChange {
    pub path: String,
    pub old: Option<LeafRef>,
    pub new: Option<LeafRef>,
}

/// The leaves that differ, by path.
pub fn diff_leaves(old: &MapReader<'_>, new: &MapReader<'_>) -> Result<Vec<LeafChange>, store::Error> {
    if old.root().tree == new.root().tree {
        return Ok(Vec::new());
    }
    let (mut a, mut b) = (old.top()?, new.top()?);
    while a.level > 0 || b.level > 0 {
        // The higher side goes down first; on one level both do, without what they share.
        let (a_first, b_first) = (a.level >= b.level, b.level >= a.level);
        if a_first && b_first {
            drop_shared(&mut a, &mut b);
        }
        if a_first && let Some(below) = old.below(&a)? {
            a = below;
        }
        if b_first && let Some(below) = new.below(&b)? {
            b = below;
        }
    }
    Ok(changes(a.items, b.items))
}

fn drop_shared(a: &mut Level, b: &mut Level) {
    let keys = |level: &Level| -> HashSet<Hash> { level.items.iter().map(|item| item.key).collect() };
    let (of_a, of_b) = (keys(a), keys(b));
    a.items.retain(|item| !of_b.contains(&item.key));
    b.items.retain(|item| !of_a.contains(&item.key));
}

fn changes(old: Vec<Item>, new: Vec<Item>) -> Vec<LeafChange> {
    let (mut old, mut new) = (old.into_iter().peekable(), new.into_iter().peekable());
    let mut changes = Vec::new();
    loop {
        let order = match (old.peek(), new.peek()) {
            (None, None) => return changes,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(a), Some(b)) => a.last.cmp(&b.last),
        };
        let a = if order.is_le() { old.next() } else { None };
        let b = if order.is_ge() { new.next() } else { None };
        if a == b {
            continue;
        }
        let path = a.as_ref().or(b.as_ref()).map(|item| item.last.clone());
        changes.push(LeafChange {
            path: path.unwrap_or_default(),
            old: a.map(LeafRef::from),
            new: b.map(LeafRef::from),
        });
    }
}
