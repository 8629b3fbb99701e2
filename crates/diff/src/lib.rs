//! What changed between two maps: definitions removed, renamed, moved, added;
//! signatures, visibility, effects, failures and bodies changed; what each of
//! these reaches; how the version has to rise (docs/diff.md).
//!
//! Invariants: only leaves that differ are opened, and objects behind ids only
//! where ids differ; the result is a function of the two maps.
//!
//! Not here: where maps come from, what a language means, output other than as
//! a value ([`render`]).

mod assemble;
mod bump;
mod compare;
mod components;
mod follow;
mod matching;
mod model;
mod moves;
mod reach;
mod relation;
pub mod render;
mod side;

use map::manifest::{Leaf, LeafChange, LeafRef, MapReader, StoredLeaf, diff_leaves};
use rayon::prelude::*;
use store::{Error, Hash, Objects};

pub use crate::model::{Bump, Change, Counts, Definition, Detail, MapDiff, Reach, Reached, Reason, Work};
use crate::{
    assemble::Assembly,
    compare::{Edit, compare},
    components::Components,
    matching::{Matching, match_sides},
    side::{Node, Side},
};

/// What the comparison has to know of languages.
#[derive(Debug, Clone)]
pub struct Options {
    /// What stands between a module and a name, by the language of the leaf.
    pub separator: fn(language: &str) -> &'static str,
    /// Whether effects and failures are declared in the language, and not
    /// inferred from what is called.
    pub declares_effects: fn(language: &str) -> bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            separator: |_| ".",
            declares_effects: |language| language == "renyi",
        }
    }
}

/// Compares the maps under two keys.
///
/// # Errors
///
/// An object that is missing or damaged.
pub fn diff(
    objects: &(dyn Objects + Sync),
    old: &Hash,
    new: &Hash,
    options: &Options,
) -> Result<MapDiff, Error> {
    let old_map = MapReader::open(objects, old)?;
    let new_map = MapReader::open(objects, new)?;
    let changes = diff_leaves(&old_map, &new_map)?;
    let old_stored = read(&old_map, &changes, |change| change.old.as_ref())?;
    let new_stored = read(&new_map, &changes, |change| change.new.as_ref())?;
    let (old_leaves, new_leaves) = (decode(&old_stored)?, decode(&new_stored)?);
    let (old_side, new_side) = rayon::join(
        || Side::new(&old_leaves, options),
        || Side::new(&new_leaves, options),
    );

    let mut components = Components::new(objects);
    let matching = match_sides(&old_side, &new_side, &mut components)?;
    let edits = edits(&matching, &mut components)?;
    let work = Work {
        nodes: old_map.opened() + new_map.opened(),
        leaves: (old_stored.len() + new_stored.len()) as u64,
        components: components.components_read(),
        texts: components.texts_read(),
    };
    let assembly = Assembly {
        matching: &matching,
        edits,
        maps: (*old, *new),
        work,
    };
    Ok(assembly.finish())
}

fn read(
    map: &MapReader<'_>,
    changes: &[LeafChange],
    side: impl Fn(&LeafChange) -> Option<&LeafRef> + Sync,
) -> Result<Vec<StoredLeaf>, Error> {
    let leaves: Vec<&LeafRef> = changes.iter().filter_map(side).collect();
    leaves.par_iter().map(|leaf| map.leaf(leaf)).collect()
}

fn decode(stored: &[StoredLeaf]) -> Result<Vec<Leaf<'_>>, Error> {
    stored.par_iter().map(StoredLeaf::decode).collect()
}

/// The matched pairs whose ids differ, and what a person changed in each.
fn edits(matching: &Matching<'_>, components: &mut Components<'_>) -> Result<Vec<(Node, Node, Edit)>, Error> {
    let (a, b) = (matching.old, matching.new);
    let pairs: Vec<(Node, Node)> = matching
        .pairs()
        .filter(|&(old, new)| a.id(old) != b.id(new))
        .collect();
    components.load(pairs.iter().flat_map(|&(old, new)| [a.id(old), b.id(new)]))?;
    let components = &*components;
    pairs
        .par_iter()
        .map(|&(old, new)| Ok((old, new, compare(matching, components, old, new)?)))
        .collect()
}
