//! What a change reaches: who refers to it, and who refers to them.
//!
//! An id covers all that a definition refers to, so whatever a change reaches
//! has another id, and its leaf is opened: the walk goes backwards through
//! definitions with changed ids and misses nothing. A new name changes no id;
//! it reaches those that mention it, and their leaves are opened since they say
//! so.

use crate::{
    matching::Matching,
    side::{Node, Side},
};

/// Walks backwards on one side.
pub(crate) struct Walk<'s> {
    side: &'s Side<'s>,
    changed: Vec<bool>,
    /// The number of the last walk that came by.
    seen: Vec<u32>,
    walks: u32,
}

impl<'s> Walk<'s> {
    pub fn old(matching: &Matching<'s>) -> Self {
        let changed =
            |node| matching.new_of(node).map(|new| matching.new.id(new)) != Some(matching.old.id(node));
        Self::new(matching.old, changed)
    }

    pub fn new_side(matching: &Matching<'s>) -> Self {
        let changed =
            |node| matching.old_of(node).map(|old| matching.old.id(old)) != Some(matching.new.id(node));
        Self::new(matching.new, changed)
    }

    fn new(side: &'s Side<'s>, changed: impl Fn(Node) -> bool) -> Self {
        Self {
            side,
            changed: side.nodes().map(changed).collect(),
            seen: vec![0; side.len()],
            walks: 0,
        }
    }

    pub fn is_changed(&self, node: Node) -> bool {
        self.changed[node as usize]
    }

    /// What some definitions reach, themselves aside, in no order that means
    /// anything. With `by_name`, also those that mention them and did not change.
    pub fn reach(&mut self, from: &[Node], by_name: bool) -> Vec<Node> {
        self.walks += 1;
        for &node in from {
            self.seen[node as usize] = self.walks;
        }
        let mut reached = Vec::new();
        let callers = self.side.callers();
        for &node in from {
            for &caller in callers.of(node) {
                if by_name || self.changed[caller as usize] {
                    self.visit(caller, &mut reached);
                }
            }
        }
        let mut next = 0;
        while let Some(&node) = reached.get(next) {
            next += 1;
            if !self.changed[node as usize] {
                continue;
            }
            for &caller in callers.of(node) {
                if self.changed[caller as usize] {
                    self.visit(caller, &mut reached);
                }
            }
        }
        reached
    }

    fn visit(&mut self, node: Node, reached: &mut Vec<Node>) {
        let seen = &mut self.seen[node as usize];
        if *seen != self.walks {
            *seen = self.walks;
            reached.push(node);
        }
    }
}
