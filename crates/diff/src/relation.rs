//! Which old id stands for which new one, given the pairs matched so far.
//!
//! A relation and not a function: definitions with one id on one side may have
//! several on the other. An id always corresponds to itself.

use std::collections::HashMap;

use map::DefinitionId;

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
