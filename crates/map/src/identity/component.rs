//! The `Component` object: a strongly connected component described in full.
//!
//! Identity bytes: `[[outward id ...], [[text hash, [reference ...]] ...]]`. A
//! reference below the number of members is a member's rank, any other an index
//! into the outward ids, less that number.
//!
//! Invariants: outward ids are listed once each, in the order of first use;
//! members stand in the order of `order`, no two of them alike.

use std::{collections::HashMap, ops::Range};

use store::{
    Hash, Kind,
    cbor::{self, Decoder, Encoder},
};

use super::{DefinitionId, Graph, Target, identify};
use crate::decode::{self, refuse};

/// A component as read. [`Component::decode`] checks its shape, and
/// [`Component::is_canonical`] that it is the description its members have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Component {
    pub outward: Vec<DefinitionId>,
    members: Vec<(Hash, Range<usize>)>,
    references: Vec<u32>,
}

/// One member of a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member<'a> {
    /// The key of the member's `Text` object.
    pub text: Hash,
    references: &'a [u32],
    component: &'a Component,
}

/// Where a member's reference leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reference {
    /// The member of this rank of the same component.
    Inner(u32),
    Outward(DefinitionId),
}

impl<'a> Member<'a> {
    /// The member's references, in order.
    pub fn references(&self) -> impl ExactSizeIterator<Item = Reference> + use<'a> {
        let component = self.component;
        self.references
            .iter()
            .map(move |&reference| component.resolve(reference))
    }
}

impl Component {
    pub fn decode(identity: &[u8]) -> Result<Self, store::Error> {
        decode::object(Kind::Component, None, identity, Self::decode_from)
    }

    fn decode_from(decoder: &mut Decoder<'_>) -> cbor::Result<Self> {
        decoder.array_of(2)?;
        let outward = decode::list(decoder, decode_id)?;
        let start = decoder.offset();
        let mut references = Vec::new();
        let members = decode::list(decoder, |decoder| {
            decoder.array_of(2)?;
            let text = decode::hash(decoder)?;
            let first = references.len();
            references.extend(decode::list(decoder, Decoder::u32)?);
            Ok((text, first..references.len()))
        })?;
        let component = Self {
            outward,
            members,
            references,
        };
        match component.fault() {
            None => Ok(component),
            Some(fault) => refuse(start, "a component", fault),
        }
    }

    /// What is wrong with the references, if anything.
    fn fault(&self) -> Option<&'static str> {
        let members = self.members.len();
        if members == 0 {
            return Some("one without members");
        }
        let mut used = 0;
        for &reference in &self.references {
            let reference = reference as usize;
            if reference >= members + self.outward.len() {
                return Some("a reference past the outward ids");
            }
            if reference > members + used {
                return Some("outward ids that are not in the order of their use");
            }
            used += usize::from(reference == members + used);
        }
        if used < self.outward.len() {
            return Some("an outward id that nothing refers to");
        }
        let mut sorted: Vec<_> = self.outward.iter().collect();
        sorted.sort_unstable();
        if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
            return Some("an outward id that is there twice");
        }
        None
    }

    /// The number of members: at least one.
    #[expect(clippy::len_without_is_empty, reason = "a component is never empty")]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    pub fn member(&self, rank: u32) -> Option<Member<'_>> {
        let (text, range) = self.members.get(rank as usize)?;
        Some(Member {
            text: *text,
            references: &self.references[range.clone()],
            component: self,
        })
    }

    pub fn members(&self) -> impl ExactSizeIterator<Item = Member<'_>> {
        self.members.iter().map(|(text, range)| Member {
            text: *text,
            references: &self.references[range.clone()],
            component: self,
        })
    }

    fn resolve(&self, reference: u32) -> Reference {
        match (reference as usize).checked_sub(self.members.len()) {
            None => Reference::Inner(reference),
            Some(index) => Reference::Outward(self.outward[index]),
        }
    }

    /// Whether identifying these members gives this description: they are one
    /// strongly connected component, none two alike, in their order. A component
    /// under its own hash for which this fails was made by a faulty writer.
    pub fn is_canonical(&self) -> bool {
        let mut graph = Graph::with_capacity(self.len(), self.references.len());
        for member in self.members() {
            let targets = member.references().map(|reference| match reference {
                Reference::Inner(rank) => Target::Node(rank),
                Reference::Outward(id) => Target::Known(id),
            });
            graph.add(member.text, targets);
        }
        let identified = identify(&graph);
        let mut ranks = (0..).zip(&identified.ids);
        identified.len() == 1
            && identified
                .components()
                .all(|component| component.members.len() == self.len())
            && ranks.all(|(rank, id)| id.rank == rank)
    }
}

fn decode_id(decoder: &mut Decoder<'_>) -> cbor::Result<DefinitionId> {
    if !decoder.next_is_array() {
        return Ok(DefinitionId::new(decode::hash(decoder)?, 0));
    }
    decoder.array_of(2)?;
    let component = decode::hash(decoder)?;
    let start = decoder.offset();
    match decoder.u32()? {
        0 => refuse(start, "a rank above 0", "0"),
        rank => Ok(DefinitionId::new(component, rank)),
    }
}

fn encode_id(encoder: &mut Encoder, id: &DefinitionId) {
    if id.rank > 0 {
        encoder.array(2);
    }
    encoder.byte_string(id.component.as_bytes());
    if id.rank > 0 {
        encoder.uint(u64::from(id.rank));
    }
}

/// The outward ids of a component as they are met.
pub(super) struct Outward {
    ids: Vec<DefinitionId>,
    /// Only for long lists: most have a few ids and are scanned faster.
    index: HashMap<DefinitionId, u32>,
}

const SCANNED: usize = 16;

impl Outward {
    pub fn new() -> Self {
        Self {
            ids: Vec::new(),
            index: HashMap::new(),
        }
    }

    pub fn clear(&mut self) {
        self.ids.clear();
        // A new map, since clearing one costs its capacity every time.
        if !self.index.is_empty() {
            self.index = HashMap::new();
        }
    }

    /// The index of an id, which is added if it is new.
    pub fn index_of(&mut self, id: DefinitionId) -> u32 {
        let known = if self.ids.len() <= SCANNED {
            self.ids.iter().position(|&known| known == id).map(|at| at as u32)
        } else {
            self.index.get(&id).copied()
        };
        known.unwrap_or_else(|| self.add(id))
    }

    fn add(&mut self, id: DefinitionId) -> u32 {
        let new = self.ids.len() as u32;
        self.ids.push(id);
        if self.ids.len() == SCANNED + 1 {
            self.index = self.ids.iter().copied().zip(0..).collect();
        } else if self.ids.len() > SCANNED {
            self.index.insert(id, new);
        }
        new
    }
}

/// The identity bytes of a component, from the texts of its members and their
/// references, each `(number of references)` long in turn.
pub(super) fn encode(outward: &Outward, members: &[(Hash, usize)], references: &[u32]) -> Encoder {
    let size = 16 + 40 * (outward.ids.len() + members.len()) + 5 * references.len();
    let mut encoder = Encoder::with_capacity(size);
    encoder.array(2).array(outward.ids.len());
    for id in &outward.ids {
        encode_id(&mut encoder, id);
    }
    encoder.array(members.len());
    let mut rest = references;
    for &(text, len) in members {
        let (own, others) = rest.split_at(len);
        rest = others;
        encoder.array(2).byte_string(text.as_bytes()).array(len);
        for &reference in own {
            encoder.uint(u64::from(reference));
        }
    }
    encoder
}
