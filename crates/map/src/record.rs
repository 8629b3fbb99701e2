//! The record of a component: what its members' texts say, computed once.
//!
//! A record is a cached projection beside the identity of a `Component` object:
//! `[schema, [member ...]]` with one member for each rank. It is never evidence;
//! whoever doubts it derives it again from the canonical texts.
//!
//! Invariants: nothing here depends on layout or on names, so members with one
//! id have one record; token ranges ascend.

use store::{
    Hash, Kind, Objects,
    cbor::{self, Decoder, Encoder},
};

use crate::{
    Capabilities,
    decode::{self, refuse},
    identity::Component,
};

/// The number that opens a record. Records of another schema are ignored.
pub const SCHEMA: u64 = 2;

/// The record of one component, its members by rank.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Record {
    pub members: Vec<MemberRecord>,
}

/// What is recorded of one member.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MemberRecord {
    pub metrics: Metrics,
    /// The failures it can end in, as ranges of its canonical tokens.
    pub failures: Vec<TokenRange>,
    /// What its own tokens reach, as far as library names tell: a lower bound.
    pub effects: Capabilities,
    /// The effects it declares, as written; only some languages have them.
    pub declared: Vec<String>,
    /// A hash of its text with local names replaced by the order in which they are bound, where
    /// the language tells them: members of one shape differ in local names alone.
    pub shape: Option<Hash>,
}

/// Measures that no formatter changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Metrics {
    /// The deepest nesting of blocks.
    pub depth: u32,
    /// The number of places where control takes one of several ways.
    pub branches: u32,
}

/// Some of the tokens of a canonical text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TokenRange {
    pub start: u32,
    pub len: u32,
}

impl Record {
    pub fn encode(&self) -> Vec<u8> {
        let mut encoder = Encoder::new();
        encoder.array(2).uint(SCHEMA).array(self.members.len());
        for member in &self.members {
            member.encode(&mut encoder);
        }
        encoder.into_bytes()
    }

    /// Reads the record of a component of `members` members; `None` when it has
    /// another schema, and so has to be derived again.
    pub fn decode(bytes: &[u8], members: usize) -> Result<Option<Self>, store::Error> {
        decode::object(Kind::Component, None, bytes, |decoder| {
            decoder.array_of(2)?;
            if decoder.uint()? != SCHEMA {
                decoder.skip()?;
                return Ok(None);
            }
            decoder.array_of(members)?;
            let members = (0..members)
                .map(|_| MemberRecord::decode(decoder))
                .collect::<cbor::Result<_>>()?;
            Ok(Some(Self { members }))
        })
    }
}

/// The component under a hash, and its record if there is one of this schema.
pub fn read_component(
    objects: &dyn Objects,
    hash: &Hash,
) -> Result<(Component, Option<Record>), store::Error> {
    let Some(object) = objects.get(Kind::Component, hash)? else {
        return Err(store::Error::Missing {
            kind: Kind::Component,
            key: *hash,
        });
    };
    let component = Component::decode(&object.identity)?;
    let record = match &object.record {
        Some(bytes) => Record::decode(bytes, component.len())?,
        None => None,
    };
    Ok((component, record))
}

impl MemberRecord {
    fn encode(&self, encoder: &mut Encoder) {
        encoder.array(5).array(2);
        encoder.uint(u64::from(self.metrics.depth));
        encoder.uint(u64::from(self.metrics.branches));
        let mut failures = self.failures.clone();
        failures.sort_unstable();
        failures.dedup();
        encoder.array(failures.len());
        for range in failures {
            encoder.array(2).uint(u64::from(range.start));
            encoder.uint(u64::from(range.len));
        }
        encoder.array(self.effects.len());
        self.effects.encode_items(encoder);
        let mut declared: Vec<&String> = self.declared.iter().collect();
        declared.sort_unstable();
        declared.dedup();
        encoder.array(declared.len());
        for effect in declared {
            encoder.text(effect);
        }
        match &self.shape {
            Some(shape) => encoder.array(1).byte_string(shape.as_bytes()),
            None => encoder.array(0),
        };
    }

    fn decode(decoder: &mut Decoder<'_>) -> cbor::Result<Self> {
        decoder.array_of(5)?;
        decoder.array_of(2)?;
        let metrics = Metrics {
            depth: decoder.u32()?,
            branches: decoder.u32()?,
        };
        let failures = decode::ascending(decoder, token_range)?;
        let mut effects = Capabilities::EMPTY;
        for _ in 0..decoder.array()? {
            effects.decode_item(decoder)?;
        }
        let declared = decode::ascending(decoder, Decoder::text)?;
        let offset = decoder.offset();
        let shape = match decoder.array()? {
            0 => None,
            1 => Some(decode::hash(decoder)?),
            other => return refuse(offset, "at most one shape", other.to_string()),
        };
        Ok(Self {
            shape,
            metrics,
            failures,
            effects,
            declared: declared.into_iter().map(str::to_owned).collect(),
        })
    }
}

fn token_range(decoder: &mut Decoder<'_>) -> cbor::Result<TokenRange> {
    decoder.array_of(2)?;
    let offset = decoder.offset();
    let (start, len) = (decoder.u32()?, decoder.u32()?);
    if start.checked_add(len).is_none() {
        return refuse(offset, "a range of tokens", format!("{len} tokens from {start}"));
    }
    Ok(TokenRange { start, len })
}

#[cfg(test)]
mod tests {
    use store::Batch;

    use super::*;
    use crate::{
        Capability,
        identity::{Graph, Target, identify},
    };

    #[test]
    fn what_is_written_is_read_back() {
        let record = Record {
            members: vec![
                MemberRecord::default(),
                MemberRecord {
                    metrics: Metrics {
                        depth: 3,
                        branches: 12,
                    },
                    failures: vec![TokenRange { start: 4, len: 1 }, TokenRange { start: 9, len: 30 }],
                    effects: [Capability::Time, Capability::Console].into_iter().collect(),
                    declared: vec!["Clock".into(), "Console".into()],
                    shape: Some(Hash([9; 32])),
                },
            ],
        };
        let bytes = record.encode();
        assert_eq!(Record::decode(&bytes, 2).expect("just written"), Some(record));
        assert!(Record::decode(&bytes, 1).is_err(), "another number of members");
    }

    #[test]
    fn components_are_read_with_their_records() {
        let mut graph = Graph::new();
        graph.add(Hash([1; 32]), []);
        graph.add(Hash([2; 32]), [Target::Node(0)]);
        let identified = identify(&graph);
        let record = Record {
            members: vec![MemberRecord::default()],
        };
        let mut batch = Batch::new();
        for component in identified.components() {
            let record = (component.members == [1]).then(|| record.encode());
            batch.put(Kind::Component, component.identity.to_vec(), record);
        }
        let read = |node: usize| read_component(&batch, &identified.ids[node].component);
        assert_eq!(read(0).expect("just put").1, None);
        let (component, found) = read(1).expect("just put");
        assert_eq!(found, Some(record));
        assert_eq!(component.outward, [identified.ids[0]]);
        let missing = read_component(&batch, &Hash([0; 32])).expect_err("no such component");
        assert!(matches!(missing, store::Error::Missing { .. }));
    }

    #[test]
    fn another_schema_is_no_record() {
        let mut encoder = Encoder::new();
        encoder.array(2).uint(SCHEMA + 1).array(1).text("who knows");
        assert_eq!(Record::decode(encoder.as_bytes(), 1).expect("well formed"), None);
    }
}
