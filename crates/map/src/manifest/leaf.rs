//! A leaf: what one source file defines. The `Module` objects.
//!
//! Two forms. A leaf of at most [`MAX_ENTRIES`] entries is one object that holds
//! them. A larger one is split into runs by the rule that splits the tree, each
//! an object, under a head that lists them; so changing one entry of a huge file
//! writes one run and the head. Entries stand by name, and the places of all of
//! them stand in the head.
//!
//! Invariants: names are unique; each table of targets is sorted and holds
//! exactly what the entries beside it use; the form follows from the number of
//! entries, so a leaf has one key.

use std::{borrow::Cow, sync::Arc};

use store::{
    Batch, Hash, Kind, Objects,
    cbor::{self, Decoder, Encoder},
};

use super::{
    Counts, Entry, LeafRef, Location, Text,
    entry::{as_set, encode_texts},
    text,
    tree::{Chunker, MAX_ITEMS},
};
use crate::{
    decode::{self, refuse},
    fetch,
};

/// More entries than this are split into runs.
pub const MAX_ENTRIES: usize = MAX_ITEMS;

const WHOLE: u64 = 0;
const HEAD: u64 = 1;
const RUN: u64 = 2;

/// What the key of a boundary between runs is hashed with, in place of a level.
const RUN_LEVEL: u8 = 255;

/// A definition that an edge leads to, by name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TargetName<'a> {
    pub module: Text<'a>,
    pub name: Text<'a>,
}

/// What one source file defines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaf<'a> {
    /// Relative to the root of the sources, with `/`; see [`is_path`].
    pub path: Text<'a>,
    /// The module's name as its language has it.
    pub module: Text<'a>,
    pub language: Text<'a>,
    /// The key of the `Source` object.
    pub source: Hash,
    pub lines: u32,
    /// The number of syntax errors.
    pub errors: u32,
    /// The first sentence of the module's documentation.
    pub purpose: Text<'a>,
    /// What the module imports, as a set.
    pub imports: Vec<Text<'a>>,
    /// What the edges of entries lead to. Writing sorts it and renumbers.
    pub targets: Vec<TargetName<'a>>,
    /// By name once written.
    pub entries: Vec<Entry<'a>>,
}

/// Whether a text may be the path of a leaf: relative, with `/` between parts,
/// no part empty, `.` or `..`, and no NUL.
pub fn is_path(path: &str) -> bool {
    !path.contains('\0') && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

impl<'a> Leaf<'a> {
    /// A leaf without entries.
    pub fn new(
        path: impl Into<Text<'a>>,
        module: impl Into<Text<'a>>,
        language: impl Into<Text<'a>>,
        source: Hash,
    ) -> Self {
        Self {
            path: path.into(),
            module: module.into(),
            language: language.into(),
            source,
            lines: 0,
            errors: 0,
            purpose: Cow::Borrowed(""),
            imports: Vec::new(),
            targets: Vec::new(),
            entries: Vec::new(),
        }
    }

    /// The entry of this name, in a leaf whose entries stand by name.
    pub fn entry(&self, name: &str) -> Option<&Entry<'a>> {
        let found = self.entries.binary_search_by(|entry| (*entry.name).cmp(name));
        found.ok().map(|at| &self.entries[at])
    }

    pub fn counts(&self) -> Counts {
        Counts {
            modules: 1,
            definitions: self.entries.len() as u64,
            errors: u64::from(self.errors),
        }
    }

    /// Puts the leaf's objects into a batch. The order of imports, targets and
    /// entries does not matter.
    ///
    /// Fails when the path is not one, when a name is there twice, and when an
    /// edge leads past the targets.
    pub fn put(&self, batch: &mut Batch) -> Result<LeafRef, store::Error> {
        let entries = self.sorted().map_err(|source| store::Error::Malformed {
            kind: Kind::Module,
            key: None,
            source,
        })?;
        let mut encoder = Encoder::with_capacity(256 + 160 * entries.len().min(MAX_ENTRIES));
        if entries.len() <= MAX_ENTRIES {
            encoder.array(WHOLE_ITEMS).uint(WHOLE);
            self.encode_head(&mut encoder, &entries);
            self.encode_entries(&mut encoder, &entries);
        } else {
            encoder.array(HEAD_ITEMS).uint(HEAD);
            self.encode_head(&mut encoder, &entries);
            self.put_runs(&mut encoder, &entries, batch);
        }
        Ok(LeafRef {
            path: self.path.clone().into_owned(),
            key: batch.put(Kind::Module, encoder.into_bytes(), None),
            counts: self.counts(),
        })
    }

    /// The entries by name, if the leaf can be written.
    fn sorted(&self) -> cbor::Result<Vec<&Entry<'a>>> {
        if !is_path(&self.path) {
            return refuse(0, "a relative path", format!("`{}`", self.path));
        }
        let mut entries: Vec<&Entry<'a>> = self.entries.iter().collect();
        entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        if let Some(pair) = entries.windows(2).find(|pair| pair[0].name == pair[1].name) {
            let found = format!("`{}` twice in {}", pair[0].name, self.path);
            return refuse(0, "names that are unique in a leaf", found);
        }
        let past = |entry: &&Entry<'a>| edges_of(entry).any(|target| target as usize >= self.targets.len());
        match entries.iter().find(|entry| past(entry)) {
            None => Ok(entries),
            Some(entry) => refuse(
                0,
                "edges to the leaf's targets",
                format!("one past them in `{}` of {}", entry.name, self.path),
            ),
        }
    }

    fn encode_head(&self, encoder: &mut Encoder, entries: &[&Entry<'a>]) {
        encoder.text(&self.path).text(&self.module).text(&self.language);
        encoder.byte_string(self.source.as_bytes());
        encoder.uint(u64::from(self.lines)).uint(u64::from(self.errors));
        encoder.text(&self.purpose);
        encode_texts(encoder, &as_set(&self.imports));
        encoder.array(4 * entries.len());
        for entry in entries {
            entry.location.encode(encoder);
        }
    }

    /// Writes the table of what some entries use, and the entries.
    fn encode_entries(&self, encoder: &mut Encoder, entries: &[&Entry<'a>]) {
        let mut used: Vec<u32> = entries.iter().flat_map(|entry| edges_of(entry)).collect();
        used.sort_unstable();
        used.dedup();
        used.sort_by_key(|&target| &self.targets[target as usize]);
        let mut places = vec![0; self.targets.len()];
        let mut table: Vec<&TargetName<'a>> = Vec::with_capacity(used.len());
        for target in used {
            let name = &self.targets[target as usize];
            if table.last() != Some(&name) {
                table.push(name);
            }
            places[target as usize] = table.len() as u32 - 1;
        }
        encoder.array(table.len());
        for target in table {
            encoder.array(2).text(&target.module).text(&target.name);
        }
        encoder.array(entries.len());
        for entry in entries {
            entry.encode(encoder, |target| places[target as usize]);
        }
    }

    fn put_runs(&self, head: &mut Encoder, entries: &[&Entry<'a>], batch: &mut Batch) {
        let mut chunker = Chunker::new(RUN_LEVEL);
        let mut ends: Vec<usize> = (1..=entries.len())
            .filter(|&end| chunker.closes_after(entries[end - 1].name.as_bytes()))
            .collect();
        if ends.last() != Some(&entries.len()) {
            ends.push(entries.len());
        }
        head.array(ends.len());
        let mut start = 0;
        for end in ends {
            let run = &entries[start..end];
            let mut encoder = Encoder::with_capacity(256 + 160 * run.len());
            encoder.array(RUN_ITEMS).uint(RUN);
            self.encode_entries(&mut encoder, run);
            let key = batch.put(Kind::Module, encoder.into_bytes(), None);
            head.array(3).text(&entries[end - 1].name);
            head.byte_string(key.as_bytes()).uint(run.len() as u64);
            start = end;
        }
    }
}

fn edges_of(entry: &Entry<'_>) -> impl Iterator<Item = u32> {
    entry.calls.iter().chain(&entry.uses).copied()
}

const WHOLE_ITEMS: usize = 12;
const HEAD_ITEMS: usize = 11;
const RUN_ITEMS: usize = 3;

/// The bytes of a leaf's objects, from which a [`Leaf`] borrows.
#[derive(Debug, Clone)]
pub struct StoredLeaf {
    pub key: Hash,
    /// What the tree says of the leaf, if it was found there.
    listed: Option<LeafRef>,
    head: Arc<[u8]>,
    runs: Vec<(Hash, Arc<[u8]>)>,
}

impl StoredLeaf {
    /// Fetches the objects of a leaf.
    pub fn read(objects: &dyn Objects, key: &Hash) -> Result<Self, store::Error> {
        let head = fetch(objects, Kind::Module, key)?;
        let runs = run_keys(key, &head)?
            .into_iter()
            .map(|run| Ok((run, fetch(objects, Kind::Module, &run)?)))
            .collect::<Result<_, store::Error>>()?;
        Ok(Self {
            key: *key,
            listed: None,
            head,
            runs,
        })
    }

    /// As [`StoredLeaf::read`], for a leaf that a tree lists.
    pub fn read_listed(objects: &dyn Objects, leaf: &LeafRef) -> Result<Self, store::Error> {
        Ok(Self {
            listed: Some(leaf.clone()),
            ..Self::read(objects, &leaf.key)?
        })
    }

    /// The keys of the objects of the leaf: the one it is known by, then its runs.
    pub fn keys(&self) -> impl Iterator<Item = Hash> {
        std::iter::once(self.key).chain(self.runs.iter().map(|(key, _)| *key))
    }

    /// Reads the leaf, checking all of it.
    pub fn decode(&self) -> Result<Leaf<'_>, store::Error> {
        let Head {
            mut leaf,
            places,
            contents,
        } = decode::object(Kind::Module, Some(self.key), &self.head, Head::decode)?;
        (leaf.targets, leaf.entries) = match contents {
            Contents::Whole(table) => (table.targets, table.entries),
            Contents::Runs(listed) => {
                let tables = self.decode_runs(&listed)?;
                self.check(check_runs(&tables))?;
                join(tables)
            }
        };
        self.check(place_entries(&mut leaf.entries, &places))?;
        self.check(self.check_listed(&leaf))?;
        Ok(leaf)
    }

    fn check_listed(&self, leaf: &Leaf<'_>) -> cbor::Result<()> {
        match &self.listed {
            Some(listed) if listed.path != leaf.path || listed.counts != leaf.counts() => {
                let found = format!("one of {} under {}", leaf.path, listed.path);
                refuse(0, "a leaf as the tree lists it", found)
            }
            _ => Ok(()),
        }
    }

    fn decode_runs(&self, listed: &[ListedRun<'_>]) -> Result<Vec<Table<'_>>, store::Error> {
        let mut tables = Vec::with_capacity(listed.len());
        for ((key, bytes), listed) in self.runs.iter().zip(listed) {
            let table = decode::object(Kind::Module, Some(*key), bytes, |decoder| {
                decoder.array_of(RUN_ITEMS)?;
                form(decoder, RUN)?;
                Table::decode(decoder)
            })?;
            self.check(listed.check(&table))?;
            tables.push(table);
        }
        Ok(tables)
    }

    fn check(&self, result: cbor::Result<()>) -> Result<(), store::Error> {
        result.map_err(|source| store::Error::Malformed {
            kind: Kind::Module,
            key: Some(self.key),
            source,
        })
    }
}

/// The keys of the runs that a head lists, or none. Looks no further than the
/// form, so that the usual leaf is decoded once.
fn run_keys(key: &Hash, head: &[u8]) -> Result<Vec<Hash>, store::Error> {
    if Decoder::new(head).array() != Ok(HEAD_ITEMS) {
        return Ok(Vec::new());
    }
    let head = decode::object(Kind::Module, Some(*key), head, Head::decode)?;
    Ok(match head.contents {
        Contents::Whole(_) => Vec::new(),
        Contents::Runs(runs) => runs.into_iter().map(|run| run.key).collect(),
    })
}

fn form(decoder: &mut Decoder<'_>, expected: u64) -> cbor::Result<()> {
    let start = decoder.offset();
    match decoder.uint()? {
        found if found == expected => Ok(()),
        found => refuse(start, "another form of module object", format!("form {found}")),
    }
}

/// The first object of a leaf.
struct Head<'a> {
    /// Without targets and entries.
    leaf: Leaf<'a>,
    places: Vec<Location>,
    contents: Contents<'a>,
}

enum Contents<'a> {
    Whole(Table<'a>),
    Runs(Vec<ListedRun<'a>>),
}

/// Entries and the targets they use.
struct Table<'a> {
    targets: Vec<TargetName<'a>>,
    entries: Vec<Entry<'a>>,
}

struct ListedRun<'a> {
    last: &'a str,
    key: Hash,
    entries: usize,
}

impl<'a> Head<'a> {
    fn decode(decoder: &mut Decoder<'a>) -> cbor::Result<Self> {
        let start = decoder.offset();
        let items = decoder.array()?;
        let is_whole = match (items, decoder.uint()?) {
            (WHOLE_ITEMS, WHOLE) => true,
            (HEAD_ITEMS, HEAD) => false,
            (_, form) => {
                return refuse(
                    start,
                    "the first object of a leaf",
                    format!("{items} items of form {form}"),
                );
            }
        };
        let path = text(decoder)?;
        if !is_path(&path) {
            return refuse(start, "a relative path", format!("`{path}`"));
        }
        let (module, language) = (text(decoder)?, text(decoder)?);
        let leaf = Leaf {
            source: decode::hash(decoder)?,
            lines: decoder.u32()?,
            errors: decoder.u32()?,
            purpose: text(decoder)?,
            imports: decode::ascending(decoder, text)?,
            ..Leaf::new(path, module, language, Hash([0; 32]))
        };
        Ok(Self {
            leaf,
            places: places(decoder)?,
            contents: if is_whole {
                Contents::Whole(whole(decoder)?)
            } else {
                Contents::Runs(decode::list(decoder, ListedRun::decode)?)
            },
        })
    }
}

/// Checks that there had to be runs, and that they end where the rule says.
fn check_runs(tables: &[Table<'_>]) -> cbor::Result<()> {
    let entries: usize = tables.iter().map(|table| table.entries.len()).sum();
    if entries <= MAX_ENTRIES {
        return refuse(0, "runs only above 256 entries", format!("{entries} entries"));
    }
    let mut chunker = Chunker::new(RUN_LEVEL);
    for (index, table) in (1..).zip(tables) {
        for (at, entry) in (1..).zip(&table.entries) {
            let closes = chunker.closes_after(entry.name.as_bytes());
            let is_end = at == table.entries.len();
            let is_end_of_all = is_end && index == tables.len();
            if closes != is_end && !is_end_of_all {
                return refuse(
                    0,
                    "runs that end where the rule says",
                    format!("one at `{}`", entry.name),
                );
            }
        }
    }
    Ok(())
}

/// Gives the entries their places, checking that their names ascend.
fn place_entries(entries: &mut [Entry<'_>], places: &[Location]) -> cbor::Result<()> {
    if let Some(pair) = entries.windows(2).find(|pair| pair[0].name >= pair[1].name) {
        let found = format!("`{}` after `{}`", pair[1].name, pair[0].name);
        return refuse(0, "names in ascending order", found);
    }
    if entries.len() != places.len() {
        let found = format!("{} places of {} entries", places.len(), entries.len());
        return refuse(0, "a place for every entry", found);
    }
    for (entry, place) in entries.iter_mut().zip(places) {
        entry.location = *place;
    }
    Ok(())
}

fn places(decoder: &mut Decoder<'_>) -> cbor::Result<Vec<Location>> {
    let start = decoder.offset();
    let len = decoder.array()?;
    if len % 4 != 0 {
        return refuse(start, "four numbers for every place", format!("{len} numbers"));
    }
    (0..len / 4).map(|_| Location::decode(decoder)).collect()
}

impl<'a> Table<'a> {
    fn decode(decoder: &mut Decoder<'a>) -> cbor::Result<Self> {
        let start = decoder.offset();
        let targets = decode::ascending(decoder, |decoder| {
            decoder.array_of(2)?;
            let (module, name) = (text(decoder)?, text(decoder)?);
            Ok(TargetName { module, name })
        })?;
        let entries = decode::list(decoder, |decoder| Entry::decode(decoder, targets.len()))?;
        let mut used = vec![false; targets.len()];
        for target in entries.iter().flat_map(edges_of) {
            used[target as usize] = true;
        }
        match used.iter().position(|used| !used) {
            None => Ok(Self { targets, entries }),
            Some(target) => refuse(
                start,
                "targets that are used",
                format!("`{}`, which is not", targets[target].name),
            ),
        }
    }
}

/// The table of a leaf that is not split.
fn whole<'a>(decoder: &mut Decoder<'a>) -> cbor::Result<Table<'a>> {
    let start = decoder.offset();
    let table = Table::decode(decoder)?;
    match table.entries.len() {
        0..=MAX_ENTRIES => Ok(table),
        entries => refuse(start, "at most 256 entries outside runs", entries.to_string()),
    }
}

impl<'a> ListedRun<'a> {
    fn decode(decoder: &mut Decoder<'a>) -> cbor::Result<Self> {
        decoder.array_of(3)?;
        Ok(Self {
            last: decoder.text()?,
            key: decode::hash(decoder)?,
            entries: decoder.u32()? as usize,
        })
    }

    fn check(&self, table: &Table<'_>) -> cbor::Result<()> {
        let last = table.entries.last().map(|entry| &*entry.name);
        if last == Some(self.last) && table.entries.len() == self.entries {
            return Ok(());
        }
        refuse(
            0,
            "a run as its head lists it",
            format!("another under {}", self.key),
        )
    }
}

/// One table of targets for the entries of all runs.
fn join<'a>(mut tables: Vec<Table<'a>>) -> (Vec<TargetName<'a>>, Vec<Entry<'a>>) {
    if tables.len() == 1 {
        let table = tables.remove(0);
        return (table.targets, table.entries);
    }
    let mut targets: Vec<TargetName<'a>> = Vec::new();
    for table in &tables {
        targets.extend_from_slice(&table.targets);
    }
    targets.sort_unstable();
    targets.dedup();
    let mut entries = Vec::new();
    for table in tables {
        let places: Vec<u32> = table
            .targets
            .iter()
            .map(|target| targets.partition_point(|other| other < target) as u32)
            .collect();
        for mut entry in table.entries {
            for edge in entry.calls.iter_mut().chain(&mut entry.uses) {
                *edge = places[*edge as usize];
            }
            entries.push(entry);
        }
    }
    (targets, entries)
}
