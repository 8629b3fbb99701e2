//! Operations: the history of the view, and how two histories are joined
//! (store-format/directory.md).
//!
//! An operation names its parents and the view it made. Heads are operations that no
//! other one has as a parent; each is an empty file named by its key. Writers do not
//! wait for each other: two that start from one head leave two heads, and whoever
//! reads next joins them in memory, always in the same way. The next commit writes
//! that down by having both as parents.
//!
//! Joining takes, name by name, what changed since the nearest common ancestors. If
//! both sides moved a name to different targets, the target of the head with the
//! later time stays, of equal times that of the larger key, and the other one is kept
//! as `conflict/<name>/<12 digits of the head's key>`. A move beats a removal, since a
//! removal loses something and a move does not. Times order only conflicts: a wrong
//! clock can choose the other target but lose neither.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet, BinaryHeap},
    rc::Rc,
};

use crate::{
    Error, Hash, Kind, Objects,
    cbor::{self, Decoder, Encoder},
    view::{Target, View, load_refs},
};

/// A change of the view, as it was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    pub key: Hash,
    /// Sorted.
    pub parents: Vec<Hash>,
    /// Key of the view object that the operation made.
    pub view: Hash,
    /// One more than the deepest parent's; 1 without parents.
    pub depth: u64,
    /// Seconds since 1970, as the writer said.
    pub time: u64,
    pub description: String,
}

impl Operation {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut encoder = Encoder::new();
        encoder.array(5).array(self.parents.len());
        for parent in &self.parents {
            encoder.byte_string(parent.as_bytes());
        }
        encoder
            .byte_string(self.view.as_bytes())
            .uint(self.depth)
            .uint(self.time)
            .text(&self.description);
        encoder.into_bytes()
    }

    pub(crate) fn decode(key: Hash, bytes: &[u8]) -> cbor::Result<Self> {
        let mut decoder = Decoder::new(bytes);
        decoder.array_of(5)?;
        let mut parents: Vec<Hash> = Vec::new();
        for _ in 0..decoder.array()? {
            let offset = decoder.offset();
            let parent = Hash(decoder.bytes_of()?);
            if parents.last().is_some_and(|last| *last >= parent) {
                return Err(cbor::Error {
                    offset,
                    expected: "parents in order, each once",
                    found: parent.to_string(),
                });
            }
            parents.push(parent);
        }
        let operation = Self {
            key,
            parents,
            view: Hash(decoder.bytes_of()?),
            depth: decoder.uint()?,
            time: decoder.uint()?,
            description: decoder.text()?.to_owned(),
        };
        decoder.end()?;
        Ok(operation)
    }
}

/// The operations below some heads, each loaded once.
pub(crate) struct History<'a> {
    objects: &'a dyn Objects,
    loaded: RefCell<BTreeMap<Hash, Rc<Operation>>>,
}

/// What a name points to on one side of a join, and the head that says so.
type Side = BTreeMap<String, (Target, Hash)>;

impl<'a> History<'a> {
    pub(crate) fn new(objects: &'a dyn Objects) -> Self {
        Self {
            objects,
            loaded: RefCell::default(),
        }
    }

    pub(crate) fn operation(&self, key: &Hash) -> Result<Rc<Operation>, Error> {
        if let Some(operation) = self.loaded.borrow().get(key) {
            return Ok(operation.clone());
        }
        let kind = Kind::Operation;
        let object = self
            .objects
            .get(kind, key)?
            .ok_or(Error::Missing { kind, key: *key })?;
        let malformed = |source| Error::Malformed {
            kind,
            key: Some(*key),
            source,
        };
        let operation = Rc::new(Operation::decode(*key, &object.identity).map_err(malformed)?);
        for parent in &operation.parents {
            // Walks rely on parents being less deep than their children.
            if self.depth(parent)? >= operation.depth {
                return Err(malformed(cbor::Error {
                    offset: 0,
                    expected: "a depth greater than each parent's",
                    found: operation.depth.to_string(),
                }));
            }
        }
        self.loaded.borrow_mut().insert(*key, operation.clone());
        Ok(operation)
    }

    /// The depth that an operation claims; its parents are not looked at.
    fn depth(&self, key: &Hash) -> Result<u64, Error> {
        if let Some(operation) = self.loaded.borrow().get(key) {
            return Ok(operation.depth);
        }
        let kind = Kind::Operation;
        let object = self
            .objects
            .get(kind, key)?
            .ok_or(Error::Missing { kind, key: *key })?;
        let operation = Operation::decode(*key, &object.identity).map_err(|source| Error::Malformed {
            kind,
            key: Some(*key),
            source,
        })?;
        Ok(operation.depth)
    }

    /// Those of the operations that are no ancestors of others, sorted. A head whose
    /// removal did not reach the disk is such an ancestor.
    pub(crate) fn without_ancestors(&self, keys: &[Hash]) -> Result<Vec<Hash>, Error> {
        let mut heads: BTreeSet<Hash> = keys.iter().copied().collect();
        if heads.len() < 2 {
            return Ok(heads.into_iter().collect());
        }
        let mut queue = BTreeSet::new();
        let mut lowest = u64::MAX;
        for key in keys {
            let operation = self.operation(key)?;
            lowest = lowest.min(operation.depth);
            queue.insert((operation.depth, *key));
        }
        while let Some((depth, key)) = queue.pop_last() {
            if depth <= lowest {
                break;
            }
            for parent in &self.operation(&key)?.parents {
                heads.remove(parent);
                queue.insert((self.depth(parent)?, *parent));
            }
        }
        Ok(heads.into_iter().collect())
    }

    /// The nearest operations that are ancestors of, or among, both sets.
    fn common_ancestors(&self, left: &BTreeSet<Hash>, right: &BTreeSet<Hash>) -> Result<Vec<Hash>, Error> {
        const LEFT: u8 = 1;
        const RIGHT: u8 = 2;
        const BELOW: u8 = 4;
        let mut queue: BTreeMap<(u64, Hash), u8> = BTreeMap::new();
        for (keys, mark) in [(left, LEFT), (right, RIGHT)] {
            for key in keys {
                *queue.entry((self.depth(key)?, *key)).or_default() |= mark;
            }
        }
        let mut nearest = Vec::new();
        // Deepest first, so an operation is met after all that come from it.
        while queue.values().any(|marks| marks & BELOW == 0) {
            let Some(((_, key), marks)) = queue.pop_last() else {
                break;
            };
            let mut handed_on = marks;
            if marks & (LEFT | RIGHT) == LEFT | RIGHT {
                if marks & BELOW == 0 {
                    nearest.push(key);
                }
                handed_on |= BELOW;
            }
            for parent in &self.operation(&key)?.parents {
                *queue.entry((self.depth(parent)?, *parent)).or_default() |= handed_on;
            }
        }
        nearest.sort_unstable();
        Ok(nearest)
    }

    /// The view that these operations make together.
    pub(crate) fn join(&self, heads: &[Hash]) -> Result<View, Error> {
        let heads = self.without_ancestors(heads)?;
        let refs = self.join_heads(&heads)?;
        Ok(View { refs, heads })
    }

    fn side(&self, head: &Hash) -> Result<Side, Error> {
        let refs = load_refs(self.objects, &self.operation(head)?.view)?;
        Ok(refs
            .into_iter()
            .map(|(name, target)| (name, (target, *head)))
            .collect())
    }

    fn join_heads(&self, heads: &[Hash]) -> Result<BTreeMap<String, Target>, Error> {
        let mut heads = heads.iter();
        let Some(first) = heads.next() else {
            return Ok(BTreeMap::new());
        };
        let mut joined = self.side(first)?;
        let mut seen = BTreeSet::from([*first]);
        for head in heads {
            let ancestors = self.common_ancestors(&seen, &BTreeSet::from([*head]))?;
            // Several nearest ancestors are joined themselves; they lie strictly below
            // the heads, so this ends.
            let base = self.join_heads(&ancestors)?;
            joined = self.join_sides(&base, joined, self.side(head)?)?;
            seen.insert(*head);
        }
        Ok(joined
            .into_iter()
            .map(|(name, (target, _))| (name, target))
            .collect())
    }

    fn join_sides(&self, base: &BTreeMap<String, Target>, left: Side, right: Side) -> Result<Side, Error> {
        let names: BTreeSet<&String> = left.keys().chain(right.keys()).collect();
        let mut joined = Side::new();
        for name in names {
            let old = base.get(name).copied();
            let (from_left, from_right) = (left.get(name).copied(), right.get(name).copied());
            let target = |side: Option<(Target, Hash)>| side.map(|(target, _)| target);
            let kept = match (from_left, from_right) {
                _ if target(from_left) == target(from_right) => from_left,
                _ if target(from_left) == old => from_right,
                _ if target(from_right) == old => from_left,
                (Some(left), Some(right)) => {
                    let rank = |side: (Target, Hash)| -> Result<_, Error> {
                        Ok((self.operation(&side.1)?.time, side.1))
                    };
                    let (winner, loser) = match rank(left)? > rank(right)? {
                        true => (left, right),
                        false => (right, left),
                    };
                    joined.insert(format!("conflict/{name}/{}", &loser.1.to_hex()[..12]), loser);
                    Some(winner)
                }
                (moved, None) | (None, moved) => moved,
            };
            if let Some(kept) = kept {
                joined.insert(name.clone(), kept);
            }
        }
        Ok(joined)
    }
}

/// Operations from the newest to the oldest, each before its parents.
pub struct Operations<'a> {
    history: History<'a>,
    queue: BinaryHeap<(u64, u64, Hash)>,
    seen: BTreeSet<Hash>,
}

impl<'a> Operations<'a> {
    pub(crate) fn below(objects: &'a dyn Objects, heads: &[Hash]) -> Result<Self, Error> {
        let mut operations = Self {
            history: History::new(objects),
            queue: BinaryHeap::new(),
            seen: BTreeSet::new(),
        };
        for head in heads {
            operations.push(head)?;
        }
        Ok(operations)
    }

    fn push(&mut self, key: &Hash) -> Result<(), Error> {
        if self.seen.insert(*key) {
            let operation = self.history.operation(key)?;
            self.queue.push((operation.depth, operation.time, *key));
        }
        Ok(())
    }
}

impl Iterator for Operations<'_> {
    type Item = Result<Operation, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let (_, _, key) = self.queue.pop()?;
        let step = |operations: &mut Self| {
            let operation = operations.history.operation(&key)?;
            for parent in &operation.parents {
                operations.push(parent)?;
            }
            Ok((*operation).clone())
        };
        Some(step(self))
    }
}
