//! Compaction: many small packs into one.
//!
//! The new pack is written and published like any other, and only then do the old ones
//! go, so at every moment each object is in some pack. Readers that have an old pack
//! open go on reading it; readers that come to open it and miss it list the directory
//! again. A pack with any damage is left alone: what cannot be read cannot be copied.
//! Every object of the merged packs is kept: deciding what is garbage is not done here.
//!
//! One compaction at a time, by a lock that ends with its process; a second one has
//! nothing to do. Writers take no lock: what they add meanwhile is not merged yet.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::{Duration, SystemTime},
};

use crate::{
    Error, Kind, Store,
    pack::{Entry, Pack, PackWriter, Purpose, Style},
    packs::Damage,
    store::checked,
};

/// More packs than this are merged.
pub(crate) const MAX_PACKS: usize = 32;
/// Compacted packs are written seldom and kept long.
const LEVEL: i32 = 9;
const BLOCK: usize = 256 << 10;
/// A temporary file that was not written for this long has no owner any more. If the
/// clock is wrong and it has one, its commit fails and says so; nothing is lost.
const ABANDONED: Duration = Duration::from_secs(24 * 60 * 60);

/// What a compaction did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Compaction {
    /// Packs that are gone.
    pub merged: usize,
    pub objects: usize,
    pub bytes_before: u64,
    pub bytes_after: u64,
}

/// Which packs to merge so that each of the rest is at least twice as long as all that
/// are shorter: the merged pack is then rewritten only after as much again was added.
/// None if there are few.
pub(crate) fn due(packs: &[Arc<Pack>]) -> Vec<Arc<Pack>> {
    if packs.len() <= MAX_PACKS {
        return Vec::new();
    }
    let mut by_len = packs.to_vec();
    by_len.sort_by_key(|pack| (pack.len, pack.name));
    // The longest prefix whose last pack is not twice what lies before it.
    let mut below = 0;
    let mut merged = 0;
    for (at, pack) in by_len.iter().enumerate() {
        if pack.len < below * 2 {
            merged = at + 1;
        }
        below += pack.len;
    }
    by_len.truncate(merged);
    // Newest first, as in the list.
    by_len.sort_by_key(|pack| std::cmp::Reverse((pack.sequence, pack.name)));
    by_len
}

impl Store {
    /// Merges all packs into one. Does nothing if there is one, or if another process is
    /// merging.
    pub fn compact(&self) -> Result<Compaction, Error> {
        self.compact_those(|packs| packs.to_vec())
    }

    /// Merges the small packs if there are too many.
    pub(crate) fn compact_if_due(&self) -> Result<(), Error> {
        if self.packs.list().packs.len() > MAX_PACKS {
            self.compact_those(due)?;
        }
        Ok(())
    }

    fn compact_those(&self, choose: impl Fn(&[Arc<Pack>]) -> Vec<Arc<Pack>>) -> Result<Compaction, Error> {
        let lock = self.layout.compaction_lock();
        let Some(_lock) = self
            .disk
            .try_lock(&lock)
            .map_err(|source| Error::write(&lock, "lock", source))?
        else {
            return Ok(Compaction::default());
        };
        self.remove_abandoned();
        let list = self.packs.rescan()?;
        let mut packs = choose(&list.packs);
        let mut plan = Plan::of(&mut packs)?;
        if packs.len() < 2 {
            return Ok(Compaction::default());
        }
        plan.sort();

        let sequence = packs.iter().map(|pack| pack.sequence).max().unwrap_or(1);
        let style = Style {
            purpose: Purpose::Objects,
            sequence,
            level: LEVEL,
            block: BLOCK,
            durable: true,
        };
        let mut writer = PackWriter::create(&*self.disk, self.layout.tmp_file(), style)?;
        for item in &plan.items {
            let stored = packs[item.pack].read(&item.entry, Some(&self.blocks))?;
            let Entry { key, kind, .. } = item.entry;
            writer.add(&key, kind, stored.identity(), stored.record())?;
        }
        let pack = writer.finish()?;
        let name = pack.name;
        let compaction = Compaction {
            merged: packs.len(),
            objects: plan.items.len(),
            bytes_before: packs.iter().map(|pack| pack.len).sum(),
            bytes_after: self.publish(pack)?,
        };
        for pack in packs.iter().filter(|pack| pack.name != name) {
            // What cannot be removed is there twice; the next compaction sees it.
            let _ = self.disk.remove(pack.path());
        }
        self.packs.rescan()?;
        Ok(compaction)
    }

    /// Removes what dead writers left in tmp/.
    fn remove_abandoned(&self) {
        let tmp = self.layout.tmp();
        for name in self.disk.list(&tmp).unwrap_or_default() {
            let path = tmp.join(name);
            let age = self
                .disk
                .modified(&path)
                .ok()
                .and_then(|then| SystemTime::now().duration_since(then).ok());
            if age.is_some_and(|age| age > ABANDONED) {
                let _ = self.disk.remove(&path);
            }
        }
    }
}

/// What to copy, and in which order.
struct Plan {
    items: Vec<Item>,
}

struct Item {
    entry: Entry,
    /// Position among the packs that are merged.
    pack: usize,
    /// Place in the order of age.
    age: u32,
    sketch: Option<u64>,
}

impl Plan {
    /// Reads all packs, newest first, and takes out those that have any damage.
    fn of(packs: &mut Vec<Arc<Pack>>) -> Result<Self, Error> {
        let mut seen = HashSet::new();
        let mut items = Vec::new();
        let mut sound = Vec::new();
        for pack in packs.drain(..) {
            let mut of_pack = match read_pack(&pack, sound.len()) {
                Ok(of_pack) => of_pack,
                Err(Error::Mismatch { .. }) => continue,
                Err(error) => match Damage::of(error) {
                    Ok(_) => continue,
                    Err(error) => return Err(error),
                },
            };
            of_pack.retain(|item| seen.insert((item.entry.kind, item.entry.key)));
            items.extend(of_pack);
            sound.push(pack);
        }
        *packs = sound;
        Ok(Self { items })
    }

    /// Kinds apart, older before newer, but each object behind the first one it
    /// resembles: versions of one file then lie in one block and cost their difference.
    fn sort(&mut self) {
        self.items.sort_unstable_by_key(|item| {
            (
                item.entry.kind,
                std::cmp::Reverse(item.pack),
                item.entry.block,
                item.entry.offset,
            )
        });
        let mut first: HashMap<(u8, u64), u32> = HashMap::new();
        for (age, item) in self.items.iter_mut().enumerate() {
            item.age = age as u32;
        }
        let place: Vec<u32> = self
            .items
            .iter()
            .map(|item| match item.sketch {
                Some(sketch) => *first.entry((item.entry.kind, sketch)).or_insert(item.age),
                None => item.age,
            })
            .collect();
        self.items
            .sort_by_key(|item| (place[item.age as usize], item.age));
    }
}

/// The objects of a pack, every one of them read and hashed.
fn read_pack(pack: &Pack, number: usize) -> Result<Vec<Item>, Error> {
    let mut entries = Vec::with_capacity(pack.count as usize);
    for bucket in 0..pack.bucket_count() {
        entries.extend(pack.entries(bucket)?);
    }
    entries.sort_unstable_by_key(|entry| (entry.block, entry.offset));
    let mut items = Vec::with_capacity(entries.len());
    for of_block in entries.chunk_by(|a, b| a.block == b.block) {
        let block = pack.block(of_block[0].block, None)?;
        for entry in of_block {
            let stored = pack.slice(entry, block.clone())?;
            if let Some(kind) = Kind::from_number(entry.kind) {
                checked(kind, &entry.key, &stored)?;
            }
            items.push(Item {
                entry: *entry,
                pack: number,
                age: 0,
                sketch: sketch(stored.identity()),
            });
        }
    }
    Ok(items)
}

/// A number that two byte strings share about as likely as they share runs of 64 bytes:
/// the least of a rolling hash over all such runs. None for short ones: what those share is
/// mostly boilerplate, and they are best left beside their neighbours.
fn sketch(bytes: &[u8]) -> Option<u64> {
    const WINDOW: usize = 64;
    const TABLE: [u64; 256] = table();
    if bytes.len() < 16 * WINDOW {
        return None;
    }
    let mut hash = 0u64;
    let mut least = u64::MAX;
    for (at, &byte) in bytes.iter().enumerate() {
        hash = (hash << 1).wrapping_add(TABLE[usize::from(byte)]);
        if at >= WINDOW {
            least = least.min(hash);
        }
    }
    Some(least)
}

/// 256 numbers without a pattern (splitmix64).
const fn table() -> [u64; 256] {
    let mut table = [0; 256];
    let mut state = 0u64;
    let mut at = 0;
    while at < 256 {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        table[at] = z ^ (z >> 31);
        at += 1;
    }
    table
}
