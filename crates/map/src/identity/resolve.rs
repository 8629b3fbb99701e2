//! From a graph to ids: components in order, each named by its description.
//!
//! Cost: O(m log n) for m references of n definitions, plus sorting. No step
//! recurses, and nothing depends on the numbers that nodes happen to have.

use std::{cmp::Ordering, collections::HashSet};

use store::{Hash, Kind};

use super::{
    DefinitionId, Graph, Target, component,
    component::Outward,
    order::{self, Inner},
};

/// The ids of a graph's definitions, and the components that they are of.
#[derive(Debug, Clone, Default)]
pub struct Identified {
    /// The id of each node.
    pub ids: Vec<DefinitionId>,
    hashes: Vec<Hash>,
    identity: Vec<u8>,
    identity_ends: Vec<usize>,
    members: Vec<u32>,
    member_ends: Vec<usize>,
}

/// One component: its object, and for each member, by rank, the first node that
/// has the member's id.
#[derive(Debug, Clone, Copy)]
pub struct IdentifiedComponent<'a> {
    pub hash: Hash,
    pub identity: &'a [u8],
    pub members: &'a [u32],
}

impl Identified {
    /// The number of different components.
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    /// The different components, each after those it refers to.
    pub fn components(&self) -> impl ExactSizeIterator<Item = IdentifiedComponent<'_>> {
        (0..self.len()).map(|index| IdentifiedComponent {
            hash: self.hashes[index],
            identity: &self.identity[start(&self.identity_ends, index)..self.identity_ends[index]],
            members: &self.members[start(&self.member_ends, index)..self.member_ends[index]],
        })
    }
}

fn start(ends: &[usize], index: usize) -> usize {
    if index == 0 { 0 } else { ends[index - 1] }
}

/// Gives every node of a graph its id.
///
/// # Panics
///
/// When a target is a node that was not added.
pub fn identify(graph: &Graph) -> Identified {
    let mut namer = Namer::new(graph);
    for members in graph.components().iter() {
        namer.name(members);
    }
    namer.identified
}

/// Not a member of the component at hand.
const OUTSIDE: u32 = u32::MAX;

struct Namer<'g> {
    graph: &'g Graph,
    identified: Identified,
    seen: HashSet<Hash>,
    /// The number in the component at hand of each node, or `OUTSIDE`.
    local: Vec<u32>,
    // Kept between components so that most need no allocation.
    outward: Outward,
    described: Vec<(Hash, usize)>,
    references: Vec<u32>,
}

impl<'g> Namer<'g> {
    fn new(graph: &'g Graph) -> Self {
        let unknown = DefinitionId::new(Hash([0; 32]), 0);
        Self {
            graph,
            identified: Identified {
                ids: vec![unknown; graph.len()],
                ..Identified::default()
            },
            seen: HashSet::new(),
            local: vec![OUTSIDE; graph.len()],
            outward: Outward::new(),
            described: Vec::new(),
            references: Vec::new(),
        }
    }

    /// Names one component, whose references out of it lead to what has ids.
    fn name(&mut self, nodes: &[u32]) {
        for (local, &node) in (0..).zip(nodes) {
            self.local[node as usize] = local;
        }
        // Of one member there is nothing to order, whether or not it refers to itself.
        let ranks = match nodes {
            [_] => vec![0],
            _ => self.ranks(nodes),
        };
        let component = self.describe(&first_of_each(nodes, &ranks), &ranks);
        for (&node, rank) in nodes.iter().zip(ranks) {
            self.identified.ids[node as usize] = DefinitionId::new(component, rank);
            self.local[node as usize] = OUTSIDE;
        }
    }

    /// The rank of each node of a component.
    fn ranks(&self, nodes: &[u32]) -> Vec<u32> {
        let mut inner = Inner::default();
        for &node in nodes {
            for target in self.graph.targets(node) {
                if let Place::Inner(local) = self.place(target) {
                    inner.targets.push(local);
                }
            }
            inner.ends.push(inner.targets.len());
        }
        order::ranks(&inner, |a, b| {
            self.compare_keys(nodes[a as usize], nodes[b as usize])
        })
    }

    /// The order of two nodes of a component by text, then by references from
    /// first to last: an inner one comes before any outward id.
    fn compare_keys(&self, a: u32, b: u32) -> Ordering {
        let outward = |node| {
            self.graph.targets(node).map(|target| match self.place(target) {
                Place::Inner(_) => None,
                Place::Outward(id) => Some(id),
            })
        };
        let by_text = self.graph.text(a).cmp(&self.graph.text(b));
        by_text.then_with(|| outward(a).cmp(outward(b)))
    }

    fn place(&self, target: Target) -> Place {
        match target {
            Target::Known(id) => Place::Outward(id),
            Target::Node(node) => match self.local[node as usize] {
                OUTSIDE => Place::Outward(self.identified.ids[node as usize]),
                local => Place::Inner(local),
            },
        }
    }

    /// Describes a component by one node for each rank, `ranks` being by local
    /// number, and says its hash.
    fn describe(&mut self, first: &[u32], ranks: &[u32]) -> Hash {
        self.outward.clear();
        self.described.clear();
        self.references.clear();
        let members = first.len() as u32;
        for &node in first {
            for target in self.graph.targets(node) {
                let reference = match self.place(target) {
                    Place::Inner(local) => ranks[local as usize],
                    Place::Outward(id) => members + self.outward.index_of(id),
                };
                self.references.push(reference);
            }
            self.described
                .push((self.graph.text(node), self.graph.degree(node)));
        }
        let identity = component::encode(&self.outward, &self.described, &self.references);
        let hash = store::hash(Kind::Component, identity.as_bytes());
        self.keep(hash, identity.as_bytes(), first);
        hash
    }

    fn keep(&mut self, hash: Hash, identity: &[u8], first: &[u32]) {
        if !self.seen.insert(hash) {
            return;
        }
        let kept = &mut self.identified;
        kept.hashes.push(hash);
        kept.identity.extend_from_slice(identity);
        kept.identity_ends.push(kept.identity.len());
        kept.members.extend_from_slice(first);
        kept.member_ends.push(kept.members.len());
    }
}

/// Where a reference of the component at hand leads.
enum Place {
    /// A node of the component, by its number there.
    Inner(u32),
    Outward(DefinitionId),
}

/// The lowest node of each rank.
fn first_of_each(nodes: &[u32], ranks: &[u32]) -> Vec<u32> {
    let members = ranks.iter().max().map_or(0, |&rank| rank as usize + 1);
    let mut first = vec![u32::MAX; members];
    for (&node, &rank) in nodes.iter().zip(ranks) {
        let first = &mut first[rank as usize];
        *first = node.min(*first);
    }
    first
}
