//! Definitions and where their references lead, stored flat.

use store::Hash;

use super::DefinitionId;

/// Where a reference leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Target {
    /// A definition whose id is known already. Nothing it reaches may be a node
    /// of the graph, or its id would depend on what is yet to be identified.
    Known(DefinitionId),
    /// A node of the same graph, which may be added later than its reference.
    Node(u32),
}

/// Marks a stored target as an index into the known ids.
const KNOWN: u32 = 1 << 31;

/// A graph of definitions. Nodes are numbered from 0 as they are added; the
/// targets of a node keep the order of its references, repeats included.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    texts: Vec<Hash>,
    ends: Vec<usize>,
    targets: Vec<u32>,
    known: Vec<DefinitionId>,
}

impl Graph {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn with_capacity(nodes: usize, targets: usize) -> Self {
        Self {
            texts: Vec::with_capacity(nodes),
            ends: Vec::with_capacity(nodes),
            targets: Vec::with_capacity(targets),
            known: Vec::new(),
        }
    }

    /// Adds a definition and says its number.
    ///
    /// # Panics
    ///
    /// At 2^31 nodes or known targets, or on a node target that high.
    pub fn add(&mut self, text: Hash, targets: impl IntoIterator<Item = Target>) -> u32 {
        let node = u32::try_from(self.texts.len()).unwrap_or(KNOWN);
        assert!(node < KNOWN, "a graph holds fewer than 2^31 definitions");
        self.texts.push(text);
        for target in targets {
            let stored = match target {
                Target::Known(id) => {
                    self.known.push(id);
                    u32::try_from(self.known.len() - 1).unwrap_or(KNOWN) | KNOWN
                }
                Target::Node(node) => {
                    assert!(node < KNOWN, "a graph holds fewer than 2^31 definitions");
                    node
                }
            };
            self.targets.push(stored);
        }
        assert!(
            self.known.len() < KNOWN as usize,
            "a graph knows fewer than 2^31 targets"
        );
        self.ends.push(self.targets.len());
        node
    }

    pub fn len(&self) -> usize {
        self.texts.len()
    }

    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    pub fn text(&self, node: u32) -> Hash {
        self.texts[node as usize]
    }

    /// The targets of a node, in the order of its references.
    pub fn targets(&self, node: u32) -> impl ExactSizeIterator<Item = Target> {
        self.stored(node).iter().map(|&stored| self.target(stored))
    }

    /// The number of references of a node.
    pub(super) fn degree(&self, node: u32) -> usize {
        self.stored(node).len()
    }

    /// The target of a node at a position.
    pub(super) fn target_at(&self, node: u32, position: usize) -> Target {
        self.target(self.stored(node)[position])
    }

    fn target(&self, stored: u32) -> Target {
        if stored & KNOWN == 0 {
            Target::Node(stored)
        } else {
            Target::Known(self.known[(stored ^ KNOWN) as usize])
        }
    }

    fn stored(&self, node: u32) -> &[u32] {
        let node = node as usize;
        let start = if node == 0 { 0 } else { self.ends[node - 1] };
        &self.targets[start..self.ends[node]]
    }

    /// The strongly connected components, each after all that it refers to
    /// (Tarjan's algorithm, with its own stack so that depth costs no recursion).
    pub(super) fn components(&self) -> Components {
        Search::new(self).run()
    }
}

/// Components, flat: the members of component `i` end at `ends[i]`.
#[derive(Debug, Default)]
pub(super) struct Components {
    pub members: Vec<u32>,
    pub ends: Vec<usize>,
}

impl Components {
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .map(|(start, &end)| &self.members[start..end])
    }
}

const UNSEEN: u32 = u32::MAX;
const DONE: u32 = u32::MAX - 1;

struct Search<'g> {
    graph: &'g Graph,
    /// Order of discovery, or `UNSEEN`, or `DONE` once a component is complete.
    index: Vec<u32>,
    low: Vec<u32>,
    open: Vec<u32>,
    /// Nodes being visited, each with the position of its next target.
    path: Vec<(u32, usize)>,
    next: u32,
    found: Components,
}

impl<'g> Search<'g> {
    fn new(graph: &'g Graph) -> Self {
        let nodes = graph.len();
        Self {
            graph,
            index: vec![UNSEEN; nodes],
            low: vec![0; nodes],
            open: Vec::new(),
            path: Vec::new(),
            next: 0,
            found: Components {
                members: Vec::with_capacity(nodes),
                ends: Vec::with_capacity(nodes),
            },
        }
    }

    fn run(mut self) -> Components {
        for root in 0..self.graph.len() as u32 {
            if self.index[root as usize] == UNSEEN {
                self.discover(root);
                while let Some(&(node, position)) = self.path.last() {
                    self.step(node, position);
                }
            }
        }
        self.found
    }

    fn discover(&mut self, node: u32) {
        self.index[node as usize] = self.next;
        self.low[node as usize] = self.next;
        self.next += 1;
        self.open.push(node);
        self.path.push((node, 0));
    }

    fn step(&mut self, node: u32, position: usize) {
        if position == self.graph.degree(node) {
            return self.leave(node);
        }
        self.path
            .last_mut()
            .expect("the caller saw the last of the path")
            .1 += 1;
        if let Target::Node(target) = self.graph.target_at(node, position) {
            assert!(
                (target as usize) < self.graph.len(),
                "node {node} refers to node {target}, which was not added"
            );
            match self.index[target as usize] {
                UNSEEN => self.discover(target),
                DONE => {}
                seen => self.lower(node, seen),
            }
        }
    }

    fn lower(&mut self, node: u32, to: u32) {
        let low = &mut self.low[node as usize];
        *low = (*low).min(to);
    }

    fn leave(&mut self, node: u32) {
        self.path.pop();
        let low = self.low[node as usize];
        if let Some(&(parent, _)) = self.path.last() {
            self.lower(parent, low);
        }
        if low != self.index[node as usize] {
            return;
        }
        let first = self.open.iter().rposition(|&open| open == node);
        let first = first.expect("a node stays open until its component is complete");
        for member in self.open.drain(first..) {
            self.index[member as usize] = DONE;
            self.found.members.push(member);
        }
        self.found.ends.push(self.found.members.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_come_after_what_they_refer_to() {
        let mut graph = Graph::new();
        let text = Hash([0; 32]);
        graph.add(text, [Target::Node(1)]);
        graph.add(text, [Target::Node(2), Target::Node(3)]);
        graph.add(text, [Target::Node(1)]);
        graph.add(text, [Target::Node(3), Target::Known(DefinitionId::new(text, 0))]);
        graph.add(text, []);
        let found: Vec<Vec<u32>> = graph.components().iter().map(<[u32]>::to_vec).collect();
        assert_eq!(found, [vec![3], vec![1, 2], vec![0], vec![4]]);
    }
}
