//! A map read whole: names to entries, edges backwards.
//!
//! What is derived when read, and stored nowhere: callers, tests that touch a
//! definition, fan-in.

use std::collections::{BTreeMap, HashMap};

use map::{
    DefinitionId, DefinitionKind,
    identity::{Component, TextRef, TokenRef},
    manifest::{Entry, Leaf, MapReader, StoredLeaf},
    record::{MemberRecord, Record},
};
use rayon::prelude::*;
use store::{Hash, Kind, Objects};

use crate::error::Result;

/// The leaves of a map in memory; a [`Catalog`] borrows from them.
pub struct Leaves {
    stored: Vec<StoredLeaf>,
}

impl Leaves {
    /// Reads every leaf of a map, in order of path.
    ///
    /// # Errors
    /// An object that is missing or damaged.
    pub fn read(objects: &(dyn Objects + Sync), map: &Hash) -> Result<Self> {
        let reader = MapReader::open(objects, map)?;
        let leaves = reader.leaves()?;
        let stored = leaves
            .par_iter()
            .map(|leaf| reader.leaf(leaf))
            .collect::<std::result::Result<_, _>>()?;
        Ok(Self { stored })
    }

    /// Decodes them.
    ///
    /// # Errors
    /// A leaf that is damaged.
    pub fn catalog(&self) -> Result<Catalog<'_>> {
        let leaves = self
            .stored
            .par_iter()
            .map(StoredLeaf::decode)
            .collect::<std::result::Result<_, _>>()?;
        Ok(Catalog { leaves })
    }
}

/// A definition of a catalog: its leaf and its entry there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    pub leaf: usize,
    pub entry: usize,
}

/// A decoded map.
pub struct Catalog<'a> {
    leaves: Vec<Leaf<'a>>,
}

/// What the object of a definition says of it.
#[derive(Debug, Clone)]
pub struct Detail {
    pub text_hash: Hash,
    /// What its references lead to, in order.
    pub references: Vec<DefinitionId>,
    pub record: Option<MemberRecord>,
    /// Library names its text holds, sorted, each once.
    pub libraries: Vec<String>,
}

impl<'a> Catalog<'a> {
    pub fn leaves(&self) -> &[Leaf<'a>] {
        &self.leaves
    }

    pub fn leaf(&self, place: Place) -> &Leaf<'a> {
        &self.leaves[place.leaf]
    }

    pub fn entry(&self, place: Place) -> &Entry<'a> {
        &self.leaves[place.leaf].entries[place.entry]
    }

    /// Every definition: modules in order of path, definitions of a module in
    /// order of line.
    pub fn places(&self) -> impl Iterator<Item = Place> {
        self.leaves.iter().enumerate().flat_map(|(leaf, contents)| {
            let mut entries: Vec<usize> = (0..contents.entries.len()).collect();
            entries.sort_by_key(|&entry| {
                let location = contents.entries[entry].location;
                (location.start, std::cmp::Reverse(location.end), entry)
            });
            entries.into_iter().map(move |entry| Place { leaf, entry })
        })
    }

    /// Module, separator and name.
    pub fn qualified(&self, place: Place) -> String {
        let leaf = self.leaf(place);
        qualified(&leaf.language, &leaf.module, &self.entry(place).name)
    }

    /// The definitions that a person may mean by `query`: those of that exact
    /// qualified name; else of that name in their module; else whose qualified
    /// name ends so at a boundary.
    pub fn find(&self, query: &str) -> Vec<Place> {
        let all: Vec<(Place, String)> = self
            .places()
            .map(|place| (place, self.qualified(place)))
            .collect();
        let exact: Vec<Place> = all
            .iter()
            .filter(|(_, name)| name == query)
            .map(|(place, _)| *place)
            .collect();
        if !exact.is_empty() {
            return exact;
        }
        let named: Vec<Place> = all
            .iter()
            .map(|(place, _)| *place)
            .filter(|&place| self.entry(place).name == query)
            .collect();
        if !named.is_empty() {
            return named;
        }
        let ends = |name: &str| {
            let rest = name.strip_suffix(query)?;
            rest.ends_with(['.', ':', '/']).then_some(())
        };
        all.iter()
            .filter(|(_, name)| ends(name).is_some())
            .map(|(place, _)| *place)
            .collect()
    }

    /// Definitions with this id.
    pub fn with_id(&self, component: &Hash, rank: Option<u32>) -> Vec<Place> {
        self.places()
            .filter(|&place| {
                let id = self.entry(place).id;
                id.component == *component && rank.is_none_or(|rank| rank == id.rank)
            })
            .collect()
    }

    /// Names nearest to one that is not there, best first, at most `count`.
    pub fn nearest(&self, query: &str, count: usize) -> Vec<String> {
        let last = query.rsplit(['.', ':']).next().unwrap_or(query).to_lowercase();
        let distance = |place: Place| {
            let name = &self.entry(place).name;
            let name = name.rsplit(['.', ':']).next().unwrap_or(name).to_lowercase();
            edit_distance(&last, &name)
        };
        let limit = last.chars().count().div_ceil(3).max(1);
        let mut near: Vec<(usize, String)> = self
            .places()
            .map(|place| (distance(place), place))
            .filter(|&(distance, _)| distance <= limit)
            .map(|(distance, place)| (distance, self.qualified(place)))
            .collect();
        near.sort();
        near.dedup();
        near.into_iter().take(count).map(|(_, name)| name).collect()
    }

    /// Edges backwards: for each definition, who calls or uses it.
    pub fn referrers(&self) -> BTreeMap<Place, Vec<(Place, bool)>> {
        let mut names: HashMap<(&str, &str), Vec<Place>> = HashMap::new();
        for place in self.places() {
            let key = (&*self.leaf(place).module, &*self.entry(place).name);
            names.entry(key).or_default().push(place);
        }
        let mut referrers: BTreeMap<Place, Vec<(Place, bool)>> = BTreeMap::new();
        for place in self.places() {
            let leaf = self.leaf(place);
            let entry = self.entry(place);
            for (edges, call) in [(&entry.calls, true), (&entry.uses, false)] {
                for &edge in edges {
                    let target = &leaf.targets[edge as usize];
                    let found = names.get(&(&*target.module, &*target.name));
                    for &target in found.into_iter().flatten() {
                        referrers.entry(target).or_default().push((place, call));
                    }
                }
            }
        }
        referrers
    }

    /// Definitions that mention a name without certainty, by that name.
    pub fn mentions(&self, name: &str) -> Vec<Place> {
        let simple = name.rsplit('.').next().unwrap_or(name);
        let simple = simple.split('~').next().unwrap_or(simple);
        let mentions = |place: &Place| {
            let unresolved = &self.entry(*place).unresolved;
            unresolved
                .binary_search_by(|mention| (**mention).cmp(simple))
                .is_ok()
        };
        self.places().filter(mentions).collect()
    }

    /// Names of what an entry calls and uses.
    pub fn edges(&self, place: Place, edges: &[u32]) -> Vec<String> {
        let leaf = self.leaf(place);
        let name = |&edge: &u32| {
            let target = &leaf.targets[edge as usize];
            qualified(&leaf.language, &target.module, &target.name)
        };
        let mut names: Vec<String> = edges.iter().map(name).collect();
        names.sort();
        names
    }

    /// Reads the objects of a definition.
    ///
    /// # Errors
    /// An object that is missing or damaged.
    pub fn detail(&self, objects: &dyn Objects, place: Place) -> Result<Detail> {
        detail(objects, self.entry(place).id)
    }

    /// How many definitions of each kind.
    pub fn kinds(&self) -> BTreeMap<DefinitionKind, usize> {
        let mut kinds = BTreeMap::new();
        for place in self.places() {
            *kinds.entry(self.entry(place).kind).or_insert(0) += 1;
        }
        kinds
    }
}

/// Reads the objects behind an id.
///
/// # Errors
/// An object that is missing or damaged.
pub fn detail(objects: &dyn Objects, id: DefinitionId) -> Result<Detail> {
    let missing = |kind, key| store::Error::Missing { kind, key };
    let object = objects
        .get(Kind::Component, &id.component)?
        .ok_or_else(|| missing(Kind::Component, id.component))?;
    let component = Component::decode(&object.identity)?;
    let member = component
        .member(id.rank)
        .ok_or_else(|| missing(Kind::Component, id.component))?;
    let references = member
        .references()
        .map(|reference| match reference {
            map::identity::Reference::Inner(rank) => DefinitionId::new(id.component, rank),
            map::identity::Reference::Outward(id) => id,
        })
        .collect();
    let record = match &object.record {
        Some(record) => Record::decode(record, component.len())?,
        None => None,
    };
    let text = objects
        .get(Kind::Text, &member.text)?
        .ok_or_else(|| missing(Kind::Text, member.text))?;
    let mut libraries: Vec<String> = TextRef::decode(&text.identity)?
        .tokens()
        .filter_map(|token| match token {
            TokenRef::Library(name) => Some(name.to_owned()),
            _ => None,
        })
        .collect();
    libraries.sort();
    libraries.dedup();
    Ok(Detail {
        text_hash: member.text,
        references,
        record: record.and_then(|record| record.members.into_iter().nth(id.rank as usize)),
        libraries,
    })
}

/// Module, the language's separator, name.
pub fn qualified(language: &str, module: &str, name: &str) -> String {
    format!("{module}{}{name}", separator(language))
}

/// What stands between a module and a name in a language.
pub fn separator(language: &str) -> &'static str {
    let front_end = polyglot::front_ends()
        .iter()
        .find(|front_end| front_end.family() == language);
    front_end.map_or(".", |front_end| front_end.separator())
}

/// Levenshtein's distance.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &right) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(left != right);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}
