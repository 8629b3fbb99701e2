//! Views: the names that point into the store (store-format/directory.md).
//!
//! A view object is either complete or a list of changes to another view, so that
//! moving one of ten thousand names does not write ten thousand names. Each view in
//! such a chain has at least twice the changes of the one above it: a chain is as
//! long as the logarithm of the number of names, and over time each name is written
//! again about as often.
//!
//! Names are text and never file names: no case, no Unicode form and no `CON` matters.

use std::collections::BTreeMap;

use crate::{
    Error, Hash, Kind, Objects,
    cbor::{self, Decoder, Encoder},
};

/// What a name points to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Target {
    pub kind: Kind,
    pub key: Hash,
}

/// Names and their targets at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct View {
    pub refs: BTreeMap<String, Target>,
    /// The operations that the view is the outcome of: none in an empty store, and
    /// several where writers that did not see each other have yet to be joined by the
    /// next commit. Sorted.
    pub heads: Vec<Hash>,
}

impl View {
    pub fn get(&self, name: &str) -> Option<Target> {
        self.refs.get(name).copied()
    }
}

/// Names to new targets; `None` removes a name.
pub(crate) type Changes = BTreeMap<String, Option<Target>>;

/// A name is at most this many bytes.
pub const MAX_NAME: usize = 4096;
/// Far more than a chain of doubling lengths can have.
const MAX_CHAIN: usize = 64;

/// Succeeds if a ref may have this name.
pub(crate) fn check_name(name: &str) -> Result<(), Error> {
    if name.is_empty() || name.len() > MAX_NAME || name.chars().any(char::is_control) {
        return Err(Error::Name {
            what: "ref",
            name: name.chars().take(80).collect(),
            expected: "1 to 4096 bytes without control characters",
        });
    }
    Ok(())
}

/// A view object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ViewObject {
    pub(crate) base: Option<Hash>,
    pub(crate) changes: Changes,
}

impl ViewObject {
    /// The view that `changes` make of `base`, folded with what lies below as far as
    /// the rule about chains demands.
    pub(crate) fn on(objects: &dyn Objects, base: Option<Hash>, mut changes: Changes) -> Result<Self, Error> {
        let mut base = base;
        while let Some(key) = base {
            let below = Self::load(objects, &key)?;
            if below.changes.len() >= changes.len() * 2 {
                break;
            }
            for (name, target) in below.changes {
                changes.entry(name).or_insert(target);
            }
            base = below.base;
        }
        if base.is_none() {
            changes.retain(|_, target| target.is_some());
        }
        Ok(Self { base, changes })
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut encoder = Encoder::new();
        encoder.array(2);
        match &self.base {
            Some(base) => encoder.byte_string(base.as_bytes()),
            None => encoder.null(),
        };
        encoder.array(self.changes.len());
        for (name, target) in &self.changes {
            match target {
                Some(target) => encoder
                    .array(3)
                    .text(name)
                    .uint(target.kind as u64)
                    .byte_string(target.key.as_bytes()),
                None => encoder.array(1).text(name),
            };
        }
        encoder.into_bytes()
    }

    pub(crate) fn decode(bytes: &[u8]) -> cbor::Result<Self> {
        let mut decoder = Decoder::new(bytes);
        decoder.array_of(2)?;
        let base = match decoder.null()? {
            true => None,
            false => Some(Hash(decoder.bytes_of()?)),
        };
        let mut changes = Changes::new();
        for _ in 0..decoder.array()? {
            let offset = decoder.offset();
            let wrong = |expected, found: String| cbor::Error {
                offset,
                expected,
                found,
            };
            let items = decoder.array()?;
            let name = decoder.text()?;
            let target = match items {
                1 if base.is_some() => None,
                3 => {
                    let number = decoder.uint()?;
                    let kind = u8::try_from(number).ok().and_then(Kind::from_number);
                    let kind = kind.ok_or_else(|| wrong("the number of a kind", number.to_string()))?;
                    let key = Hash(decoder.bytes_of()?);
                    Some(Target { kind, key })
                }
                _ => return Err(wrong("a name with kind and key", format!("{items} items"))),
            };
            if changes.last_key_value().is_some_and(|(last, _)| **last >= *name) {
                return Err(wrong(
                    "names in order, each once",
                    format!("`{}`", name.escape_debug()),
                ));
            }
            changes.insert(name.to_owned(), target);
        }
        decoder.end()?;
        Ok(Self { base, changes })
    }

    pub(crate) fn load(objects: &dyn Objects, key: &Hash) -> Result<Self, Error> {
        let object = objects.get(Kind::View, key)?.ok_or(Error::Missing {
            kind: Kind::View,
            key: *key,
        })?;
        Self::decode(&object.identity).map_err(|source| Error::Malformed {
            kind: Kind::View,
            key: Some(*key),
            source,
        })
    }
}

/// Where one name of a view points.
pub(crate) fn lookup(objects: &dyn Objects, key: &Hash, name: &str) -> Result<Option<Target>, Error> {
    let mut next = Some(*key);
    for _ in 0..MAX_CHAIN {
        let Some(key) = next else { break };
        let view = ViewObject::load(objects, &key)?;
        if let Some(target) = view.changes.get(name) {
            return Ok(*target);
        }
        next = view.base;
    }
    Ok(None)
}

/// The names of a view, through its chain.
pub(crate) fn load_refs(objects: &dyn Objects, key: &Hash) -> Result<BTreeMap<String, Target>, Error> {
    let mut changes = Changes::new();
    let mut next = Some(*key);
    for _ in 0..MAX_CHAIN {
        let Some(key) = next else { break };
        let view = ViewObject::load(objects, &key)?;
        for (name, target) in view.changes {
            changes.entry(name).or_insert(target);
        }
        next = view.base;
    }
    if next.is_some() {
        return Err(Error::Malformed {
            kind: Kind::View,
            key: Some(*key),
            source: cbor::Error {
                offset: 0,
                expected: "a chain of at most 64 views",
                found: "a longer one".into(),
            },
        });
    }
    Ok(changes
        .into_iter()
        .filter_map(|(name, target)| Some((name, target?)))
        .collect())
}

/// What makes one set of names of another.
pub(crate) fn changes_between(old: &BTreeMap<String, Target>, new: &BTreeMap<String, Target>) -> Changes {
    let mut changes = Changes::new();
    for (name, target) in new {
        if old.get(name) != Some(target) {
            changes.insert(name.clone(), Some(*target));
        }
    }
    for name in old.keys().filter(|&name| !new.contains_key(name)) {
        changes.insert(name.clone(), None);
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Batch, hash};

    fn target(number: u32) -> Option<Target> {
        let key = hash(Kind::Map, &number.to_be_bytes());
        Some(Target { kind: Kind::Map, key })
    }

    #[test]
    fn a_chain_of_views_is_short_and_says_what_was_changed() {
        let mut batch = Batch::new();
        let mut base = None;
        let mut model = BTreeMap::new();
        let mut bytes = 0;
        for step in 0u32..1000 {
            let name = format!("git/{:04}", step.wrapping_mul(2_654_435_761) % 700);
            let new = (step % 5 != 0).then(|| target(step)).flatten();
            match new {
                Some(target) => model.insert(name.clone(), target),
                None => model.remove(&name),
            };
            let view = ViewObject::on(&batch, base, Changes::from([(name, new)])).expect("sound");
            let encoded = view.encode();
            assert_eq!(ViewObject::decode(&encoded), Ok(view));
            bytes += encoded.len();
            let key = batch.put(Kind::View, encoded, None);
            assert_eq!(load_refs(&batch, &key).expect("sound"), model);
            let mut depth = 0;
            let mut next = Some(key);
            while let Some(key) = next {
                depth += 1;
                next = ViewObject::load(&batch, &key).expect("sound").base;
            }
            assert!(depth <= 12, "{depth} views at step {step}");
            base = Some(key);
        }
        // Writing all names each time would take some 17 MB.
        assert!(bytes < 700_000, "{bytes}");
    }

    #[test]
    fn other_forms_of_a_view_are_refused() {
        let refused = |view: &[u8]| ViewObject::decode(view).expect_err("not a view").to_string();
        let mut encoder = Encoder::new();
        encoder.array(2).null().array(1).array(1).text("gone");
        assert!(
            refused(encoder.as_bytes()).contains("1 items"),
            "nothing to remove from"
        );
        let mut encoder = Encoder::new();
        encoder.array(2).byte_string(&[0; 32]).array(2);
        encoder.array(1).text("b").array(1).text("a");
        assert!(refused(encoder.as_bytes()).contains("in order"));
        assert!(refused(&[0x80]).contains("0 items"));
    }
}
