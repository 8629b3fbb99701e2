//! Which old id stands for which new one, given the pairs matched so far.
//!
//! A relation and not a function: definitions with one id on one side may have
//! several on the other. An id always corresponds to itself.

use std::collections::HashMap;

use map::DefinitionId;

use crate::components::Components;

#[derive(Debug, Default, Clone)]
pub(crate) struct Relation {
    new_of: HashMap<DefinitionId, Vec<DefinitionId>>,
}

impl Relation {
    pub fn add(&mut self, old: DefinitionId, new: DefinitionId) {
        if old != new {
            let known = self.new_of.entry(old).or_default();
            if !known.contains(&new) {
                known.push(new);
            }
        }
    }

    pub fn holds(&self, old: DefinitionId, new: DefinitionId) -> bool {
        old == new || self.new_of.get(&old).is_some_and(|known| known.contains(&new))
    }
}

/// An old and a new id.
pub(crate) type IdPair = (DefinitionId, DefinitionId);

/// Pairs assumed to correspond, as long as their references do.
pub(crate) struct Assumption<'p> {
    pairs: &'p [IdPair],
    holds: Vec<bool>,
    /// How many pairs that still hold have these ids.
    support: HashMap<IdPair, u32>,
    /// The pairs that hold only while these ids correspond.
    dependents: HashMap<IdPair, Vec<usize>>,
}

impl<'p> Assumption<'p> {
    pub fn new(
        relation: &Relation,
        components: &Components<'_>,
        pairs: &'p [IdPair],
    ) -> Result<Self, store::Error> {
        let mut assumption = Self {
            pairs,
            holds: vec![true; pairs.len()],
            support: HashMap::new(),
            dependents: HashMap::new(),
        };
        for &pair in pairs {
            *assumption.support.entry(pair).or_default() += 1;
        }
        let mut refuted = Vec::new();
        for (at, &(old, new)) in pairs.iter().enumerate() {
            let (before, after) = (components.references(old)?, components.references(new)?);
            if before.len() != after.len() {
                refuted.push(at);
                continue;
            }
            for pair in before.zip(after).filter(|&(a, b)| !relation.holds(a, b)) {
                if assumption.support.contains_key(&pair) {
                    assumption.dependents.entry(pair).or_default().push(at);
                } else {
                    refuted.push(at);
                }
            }
        }
        assumption.refute(refuted);
        Ok(assumption)
    }

    /// Drops pairs, and all that held because of them.
    fn refute(&mut self, mut refuted: Vec<usize>) {
        while let Some(at) = refuted.pop() {
            if !std::mem::take(&mut self.holds[at]) {
                continue;
            }
            let pair = self.pairs[at];
            if let Some(support) = self.support.get_mut(&pair) {
                *support -= 1;
                if *support == 0 {
                    refuted.extend(self.dependents.remove(&pair).unwrap_or_default());
                }
            }
        }
    }

    /// Whether each pair holds.
    pub fn holding(self) -> Vec<bool> {
        self.holds
    }
}
