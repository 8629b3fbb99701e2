//! Operations: the history of the view, and how two histories are joined
//! (store-format/directory.md).
//!
//! An operation names its parents and the view it made. Heads are operations that no
//! other one has as a parent; each is an empty file named by its key. Writers do not
//! wait for each other: two that start from one head leave two heads, and whoever
//! reads next joins them in memory, always in the same way. The next commit writes
//! that down by having both as parents.
//!
//! Joining goes name by name. An operation records which names it wrote; of the writes
//! of a name that not all heads have seen, those count that no later one has seen. If
//! they disagree, the target written at the later time stays, of equal times that of
//! the larger operation key, and each other target is kept as
//! `conflict/<name>/<12 digits of the operation's key>`. A move beats a removal, since a
//! removal loses something and a move does not. Times order only conflicts: a wrong
//! clock can choose the other target but lose neither. The commit that writes a join
//! down writes the names it decided. (Joining views against their common ancestors
//! instead, as version control does, needs ancestors joined by recursion wherever
//! histories cross: with thirty writers that does not end.)

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet, BinaryHeap},
    rc::Rc,
};

use crate::{
    Error, Hash, Kind, Objects,
    cbor::{self, Decoder, Encoder},
    view::{Target, View, load_refs, lookup},
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
    /// The names that were moved, removed, or decided between parents. Sorted.
    pub names: Vec<String>,
}

impl Operation {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut encoder = Encoder::new();
        encoder.array(6).array(self.parents.len());
        for parent in &self.parents {
            encoder.byte_string(parent.as_bytes());
        }
        encoder
            .byte_string(self.view.as_bytes())
            .uint(self.depth)
            .uint(self.time)
            .text(&self.description)
            .array(self.names.len());
        for name in &self.names {
            encoder.text(name);
        }
        encoder.into_bytes()
    }

    pub(crate) fn decode(key: Hash, bytes: &[u8]) -> cbor::Result<Self> {
        let mut decoder = Decoder::new(bytes);
        decoder.array_of(6)?;
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
        let mut operation = Self {
            key,
            parents,
            view: Hash(decoder.bytes_of()?),
            depth: decoder.uint()?,
            time: decoder.uint()?,
            description: decoder.text()?.to_owned(),
            names: Vec::new(),
        };
        for _ in 0..decoder.array()? {
            let offset = decoder.offset();
            let name = decoder.text()?;
            if operation.names.last().is_some_and(|last| **last >= *name) {
                return Err(cbor::Error {
                    offset,
                    expected: "names in order, each once",
                    found: format!("`{}`", name.escape_debug()),
                });
            }
            operation.names.push(name.to_owned());
        }
        decoder.end()?;
        Ok(operation)
    }
}

/// The operations below some heads, each loaded once.
pub(crate) struct History<'a> {
    objects: &'a dyn Objects,
    loaded: RefCell<BTreeMap<Hash, Rc<Operation>>>,
}

/// Heads joined to a view.
pub(crate) struct Joined {
    pub(crate) view: View,
    /// Names on which the heads did not agree by themselves.
    pub(crate) decided: BTreeSet<String>,
}

/// What is known of an operation before it is walked over.
#[derive(Default)]
struct Reached {
    /// Which heads have seen it, one bit each.
    heads: Vec<u64>,
    /// Names that operations above it wrote.
    above: BTreeSet<String>,
}

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

    /// The writes that decide the names on which heads may differ: of those that not
    /// all heads have seen, each that no other one has seen.
    fn last_writes(&self, heads: &[Hash]) -> Result<BTreeMap<String, Vec<Rc<Operation>>>, Error> {
        let words = heads.len().div_ceil(64);
        let is_common = |reached: &Reached| {
            let seen: u32 = reached.heads.iter().map(|word| word.count_ones()).sum();
            seen as usize == heads.len()
        };
        let mut queue: BTreeMap<(u64, Hash), Reached> = BTreeMap::new();
        for (at, head) in heads.iter().enumerate() {
            let reached = queue.entry((self.depth(head)?, *head)).or_default();
            reached.heads.resize(words, 0);
            reached.heads[at / 64] |= 1 << (at % 64);
        }
        let mut writes: BTreeMap<String, Vec<Rc<Operation>>> = BTreeMap::new();
        // Deepest first, so an operation is met after all that come from it.
        while !queue.values().all(is_common) {
            let Some(((_, key), mut reached)) = queue.pop_last() else {
                break;
            };
            let operation = self.operation(&key)?;
            if is_common(&reached) {
                reached.above.clear();
            } else {
                for name in &operation.names {
                    if reached.above.insert(name.clone()) {
                        writes.entry(name.clone()).or_default().push(operation.clone());
                    }
                }
            }
            for (at, parent) in operation.parents.iter().enumerate() {
                let below = queue.entry((self.depth(parent)?, *parent)).or_default();
                below.heads.resize(words, 0);
                for (word, more) in below.heads.iter_mut().zip(&reached.heads) {
                    *word |= more;
                }
                // A long line of operations hands one set down and copies none.
                let mut above = match at + 1 == operation.parents.len() {
                    true => std::mem::take(&mut reached.above),
                    false => reached.above.clone(),
                };
                if above.len() > below.above.len() {
                    std::mem::swap(&mut above, &mut below.above);
                }
                below.above.append(&mut above);
            }
        }
        Ok(writes)
    }

    /// The view that these operations make together.
    pub(crate) fn join(&self, heads: &[Hash]) -> Result<Joined, Error> {
        let heads = self.without_ancestors(heads)?;
        let mut decided = BTreeSet::new();
        let mut refs = match heads.first() {
            // Where no write decides, all heads agree.
            Some(first) => load_refs(self.objects, &self.operation(first)?.view)?,
            None => BTreeMap::new(),
        };
        if heads.len() > 1 {
            for (name, writes) in self.last_writes(&heads)? {
                let mut targets: Vec<(u64, Hash, Target)> = Vec::new();
                let mut removed = false;
                for write in writes {
                    match lookup(self.objects, &write.view, &name)? {
                        Some(target) => targets.push((write.time, write.key, target)),
                        None => removed = true,
                    }
                }
                targets.sort_unstable();
                let Some((_, _, winner)) = targets.pop() else {
                    refs.remove(&name);
                    continue;
                };
                let mut differs = removed;
                for (_, key, target) in targets {
                    if target != winner {
                        differs = true;
                        let kept = format!("conflict/{name}/{}", &key.to_hex()[..12]);
                        decided.insert(kept.clone());
                        refs.insert(kept, target);
                    }
                }
                if differs {
                    decided.insert(name.clone());
                }
                refs.insert(name, winner);
            }
        }
        let view = View { refs, heads };
        Ok(Joined { view, decided })
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
