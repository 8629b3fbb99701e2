//! One side of a comparison: the definitions of the leaves that differ.
//!
//! Definitions are numbered through the leaves, which stand by path, and the
//! entries of each, which stand by name; so a number says the same on every run.

use std::{collections::HashMap, ops::Range, sync::OnceLock};

use map::{
    DefinitionId, DefinitionKind,
    manifest::{Entry, Flags, Leaf, Visibility},
};

use crate::Options;

/// A definition of one side.
pub(crate) type Node = u32;

pub(crate) struct Side<'s> {
    pub leaves: &'s [Leaf<'s>],
    options: &'s Options,
    /// The first definition of each leaf, and the number of all.
    first: Vec<Node>,
    leaf_of: Vec<u32>,
    by_name: HashMap<(&'s str, &'s str), Node>,
    /// Further definitions of the same module and name, which other leaves have.
    next_of_name: Vec<Node>,
    /// Where the targets of each leaf begin in `target_ends`.
    first_target: Vec<usize>,
    target_ends: Vec<u32>,
    target_nodes: Vec<Node>,
    callers: OnceLock<Callers>,
}

/// Who refers to each definition, flat.
pub(crate) struct Callers {
    first: Vec<u32>,
    nodes: Vec<Node>,
}

impl Callers {
    pub fn of(&self, node: Node) -> &[Node] {
        let at = node as usize;
        &self.nodes[self.first[at] as usize..self.first[at + 1] as usize]
    }
}

const NONE: Node = u32::MAX;

/// Longer names are members of nothing: nesting costs a look-up per level.
const MAX_NAME: usize = 2048;

impl<'s> Side<'s> {
    pub fn new(leaves: &'s [Leaf<'s>], options: &'s Options) -> Self {
        let mut first = vec![0];
        let mut leaf_of = Vec::new();
        for (index, leaf) in (0..).zip(leaves) {
            leaf_of.resize(leaf_of.len() + leaf.entries.len(), index);
            first.push(leaf_of.len() as u32);
        }
        let mut side = Self {
            leaves,
            options,
            next_of_name: vec![NONE; leaf_of.len()],
            by_name: HashMap::with_capacity(leaf_of.len()),
            first,
            leaf_of,
            first_target: Vec::with_capacity(leaves.len()),
            target_ends: Vec::new(),
            target_nodes: Vec::new(),
            callers: OnceLock::new(),
        };
        side.index_names();
        side.resolve_targets();
        side
    }

    fn index_names(&mut self) {
        // Backwards, so that each list ends up in the order of the leaves.
        for node in self.nodes().rev() {
            let key = (self.module(node), self.name(node));
            if let Some(next) = self.by_name.insert(key, node) {
                self.next_of_name[node as usize] = next;
            }
        }
    }

    fn resolve_targets(&mut self) {
        for leaf in self.leaves {
            self.first_target.push(self.target_ends.len());
            for target in &leaf.targets {
                let mut node = self.by_name.get(&(&*target.module, &*target.name)).copied();
                while let Some(found) = node {
                    self.target_nodes.push(found);
                    node = Some(self.next_of_name[found as usize]).filter(|&next| next != NONE);
                }
                self.target_ends.push(self.target_nodes.len() as u32);
            }
        }
    }

    pub fn len(&self) -> usize {
        self.leaf_of.len()
    }

    pub fn nodes(&self) -> Range<Node> {
        0..self.len() as Node
    }

    pub fn nodes_of(&self, leaf: usize) -> Range<Node> {
        self.first[leaf]..self.first[leaf + 1]
    }

    pub fn leaf_index(&self, node: Node) -> usize {
        self.leaf_of[node as usize] as usize
    }

    pub fn leaf(&self, node: Node) -> &'s Leaf<'s> {
        &self.leaves[self.leaf_index(node)]
    }

    pub fn entry(&self, node: Node) -> &'s Entry<'s> {
        let leaf = self.leaf_index(node);
        &self.leaves[leaf].entries[(node - self.first[leaf]) as usize]
    }

    pub fn id(&self, node: Node) -> DefinitionId {
        self.entry(node).id
    }

    pub fn kind(&self, node: Node) -> DefinitionKind {
        self.entry(node).kind
    }

    pub fn name(&self, node: Node) -> &'s str {
        &self.entry(node).name
    }

    pub fn module(&self, node: Node) -> &'s str {
        &self.leaf(node).module
    }

    pub fn qualified(&self, node: Node) -> String {
        let leaf = self.leaf(node);
        let separator = (self.options.separator)(&leaf.language);
        [&leaf.module, separator, self.name(node)].concat()
    }

    pub fn declares_effects(&self, node: Node) -> bool {
        (self.options.declares_effects)(&self.leaf(node).language)
    }

    pub fn is_test(&self, node: Node) -> bool {
        let entry = self.entry(node);
        entry.kind == DefinitionKind::Test || entry.flags.contains(Flags::TEST)
    }

    /// The definitions of a module and name: usually one.
    pub fn named(&self, module: &str, name: &str) -> impl Iterator<Item = Node> {
        let first = self.by_name.get(&(module, name)).copied();
        std::iter::successors(first, |&node| {
            Some(self.next_of_name[node as usize]).filter(|&next| next != NONE)
        })
    }

    /// The definition of this name in a leaf.
    pub fn in_leaf(&self, leaf: usize, name: &str) -> Option<Node> {
        let found = self.leaves[leaf]
            .entries
            .binary_search_by(|entry| (*entry.name).cmp(name));
        found.ok().map(|at| self.first[leaf] + at as Node)
    }

    /// What a definition is a member of, and the rest of its name: the longest
    /// part of its name before a `.` that its module defines.
    pub fn container(&self, node: Node) -> Option<(Node, &'s str)> {
        let name = self.name(node);
        if self.kind(node) == DefinitionKind::Test || name.len() > MAX_NAME {
            return None;
        }
        name.rmatch_indices('.').find_map(|(at, _)| {
            let outer = &name[..at];
            let found = self
                .in_leaf(self.leaf_index(node), outer)
                .or_else(|| self.named(self.module(node), outer).next())?;
            Some((found, &name[at..]))
        })
    }

    /// Whether it may stand in another module than the type it is for.
    pub fn is_scattered_kind(&self, node: Node) -> bool {
        matches!(
            self.kind(node),
            DefinitionKind::Method | DefinitionKind::Implementation
        )
    }

    /// A name, its kind, and the package around its module.
    pub fn name_in_package(&self, node: Node) -> (&'s str, DefinitionKind, &'s str) {
        let module = self.module(node);
        let separator = (self.options.separator)(&self.leaf(node).language);
        let package = module.split(separator).next().unwrap_or(module);
        (package, self.kind(node), self.name(node))
    }

    /// Whether anybody may use it: it is public, and so is all it is a member of.
    pub fn is_exposed(&self, node: Node) -> bool {
        let mut node = node;
        loop {
            let entry = self.entry(node);
            if entry.visibility != Visibility::Public || self.is_test(node) {
                return false;
            }
            let Some((outer, _)) = self.container(node) else {
                return true;
            };
            if matches!(
                self.kind(outer),
                DefinitionKind::Function | DefinitionKind::Method | DefinitionKind::Test
            ) {
                return false;
            }
            node = outer;
        }
    }

    /// What a definition refers to on this side, as far as leaves are opened.
    pub fn edges(&self, node: Node) -> impl Iterator<Item = Node> {
        let entry = self.entry(node);
        let first = self.first_target[self.leaf_index(node)];
        entry
            .calls
            .iter()
            .chain(&entry.uses)
            .flat_map(move |&target| self.target_range(first + target as usize))
            .copied()
    }

    fn target_range(&self, target: usize) -> &[Node] {
        let start = target.checked_sub(1).map_or(0, |before| self.target_ends[before]);
        &self.target_nodes[start as usize..self.target_ends[target] as usize]
    }

    /// How many names a definition refers to, opened or not.
    pub fn degree(&self, node: Node) -> usize {
        let entry = self.entry(node);
        entry.calls.len() + entry.uses.len()
    }

    pub fn callers(&self) -> &Callers {
        self.callers.get_or_init(|| {
            let mut first = vec![0u32; self.len() + 1];
            for node in self.nodes() {
                for target in self.edges(node) {
                    first[target as usize + 1] += 1;
                }
            }
            for at in 1..first.len() {
                first[at] += first[at - 1];
            }
            let mut next = first.clone();
            let mut nodes = vec![0; first[self.len()] as usize];
            for node in self.nodes() {
                for target in self.edges(node) {
                    let slot = &mut next[target as usize];
                    nodes[*slot as usize] = node;
                    *slot += 1;
                }
            }
            Callers { first, nodes }
        })
    }
}

/// A name without the ordinals that tell definitions of one name apart.
pub(crate) fn plain_name(name: &str) -> std::borrow::Cow<'_, str> {
    if !name.contains('~') {
        return name.into();
    }
    let mut plain = String::with_capacity(name.len());
    let mut rest = name;
    while let Some((before, after)) = rest.split_once('~') {
        plain.push_str(before);
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            plain.push('~');
        }
        rest = &after[digits..];
    }
    plain.push_str(rest);
    plain.into()
}

/// The last identifier of a name.
pub(crate) fn last_word(name: &str) -> &str {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let end = name
        .char_indices()
        .rev()
        .find(|&(_, c)| is_word(c))
        .map_or(0, |(at, c)| at + c.len_utf8());
    let start = name[..end]
        .char_indices()
        .rev()
        .find(|&(_, c)| !is_word(c))
        .map_or(0, |(at, c)| at + c.len_utf8());
    &name[start..end]
}
