//! The objects behind ids that differ, read once each.

use std::{
    collections::HashMap,
    sync::atomic::{AtomicU64, Ordering},
};

use map::{
    DefinitionId,
    identity::{Component, Reference},
    record::{Record, read_component},
};
use rayon::prelude::*;
use store::{Hash, Kind, Object, Objects};

pub(crate) struct Components<'o> {
    objects: &'o (dyn Objects + Sync),
    read: HashMap<Hash, (Component, Option<Record>)>,
    texts: AtomicU64,
}

impl<'o> Components<'o> {
    pub fn new(objects: &'o (dyn Objects + Sync)) -> Self {
        Self {
            objects,
            read: HashMap::new(),
            texts: AtomicU64::new(0),
        }
    }

    /// Reads the components of these ids that were not read before.
    pub fn load(&mut self, ids: impl Iterator<Item = DefinitionId>) -> Result<(), store::Error> {
        let mut wanted: Vec<Hash> = ids
            .map(|id| id.component)
            .filter(|component| !self.read.contains_key(component))
            .collect();
        wanted.sort_unstable();
        wanted.dedup();
        let objects = self.objects;
        let read = |key: &Hash| Ok((*key, read_component(objects, key)?));
        let components: Vec<(Hash, (Component, Option<Record>))> =
            wanted.par_iter().map(read).collect::<Result<_, store::Error>>()?;
        self.read.extend(components);
        Ok(())
    }

    /// The key of a definition's text. Its component was loaded.
    pub fn text(&self, id: DefinitionId) -> Result<Hash, store::Error> {
        Ok(self.member(id)?.text)
    }

    /// What a definition's references lead to. Its component was loaded.
    pub fn references(
        &self,
        id: DefinitionId,
    ) -> Result<impl ExactSizeIterator<Item = DefinitionId> + '_, store::Error> {
        Ok(self
            .member(id)?
            .references()
            .map(move |reference| match reference {
                Reference::Inner(rank) => DefinitionId::new(id.component, rank),
                Reference::Outward(id) => id,
            }))
    }

    /// The shape of a definition's text, if its record has one. Its component was loaded.
    pub fn shape(&self, id: DefinitionId) -> Option<Hash> {
        let (_, record) = self.read.get(&id.component)?;
        record.as_ref()?.members.get(id.rank as usize)?.shape
    }

    fn member(&self, id: DefinitionId) -> Result<map::identity::Member<'_>, store::Error> {
        let component = self.read.get(&id.component);
        component
            .and_then(|(component, _)| component.member(id.rank))
            .ok_or(store::Error::Missing {
                kind: Kind::Component,
                key: id.component,
            })
    }

    /// The bytes of a text; `None` if it is not held, as with a map that was
    /// rebuilt from a saved document.
    pub fn text_object(&self, key: &Hash) -> Result<Option<Object>, store::Error> {
        self.texts.fetch_add(1, Ordering::Relaxed);
        self.objects.get(Kind::Text, key)
    }

    pub fn components_read(&self) -> u64 {
        self.read.len() as u64
    }

    pub fn texts_read(&self) -> u64 {
        self.texts.load(Ordering::Relaxed)
    }
}
