//! The derived cache: results under the hash of what they were computed from
//! (store-format/directory.md).
//!
//! Losing it loses no answer, so it is held to less and more than objects are: it is
//! not synced, and a torn file, a wrong checksum or an unreadable directory is a miss
//! and never an error. Its values are not objects: nothing here is evidence of
//! anything, and it is never sent to another store.
//!
//! Values lie in packs of their own purpose, as records without identity. Small files
//! that are replaced as a whole, such as a stat cache, lie beside them by name.

use std::{
    collections::BTreeSet,
    io,
    sync::{Arc, OnceLock},
};

use crate::{
    Error, Hash,
    compact::{MAX_PACKS, due},
    disk::{Disk, read_small},
    layout::{Layout, write_and_rename},
    pack::{BlockCache, Entry, Pack, PackWriter, Purpose, Style},
    packs::Packs,
};

/// The kind that entries of cache packs bear.
const VALUE: u8 = 0;
/// Fast, and most values get a block of their own: they are read one by one.
const LEVEL: i32 = 1;
const BLOCK: usize = 16 << 10;
/// A cache file larger than this is not written, and not read.
const MAX_FILE: u64 = 1 << 30;

/// See [`crate::Store::cache`].
#[derive(Debug)]
pub struct Cache {
    disk: Arc<dyn Disk>,
    layout: Layout,
    packs: Packs,
    /// Bytes of packs above which the oldest go.
    limit: u64,
    scanned: OnceLock<()>,
}

impl Cache {
    pub(crate) fn new(disk: Arc<dyn Disk>, layout: Layout, blocks: Arc<BlockCache>, limit: u64) -> Self {
        let packs = Packs::new(disk.clone(), layout.cache(), Purpose::Cache, blocks);
        Self {
            disk,
            layout,
            packs,
            limit,
            scanned: OnceLock::new(),
        }
    }

    fn packs(&self) -> &Packs {
        // Commands that use no cache do not look at it. An unreadable one is an empty one.
        self.scanned.get_or_init(|| drop(self.packs.rescan()));
        &self.packs
    }

    /// The value put under this key, if it is there and whole. What another process has
    /// put since the last [`Cache::put_batch`] here may not be seen.
    pub fn get(&self, namespace: &str, key: &Hash) -> Option<Arc<[u8]>> {
        let key = entry_key(namespace, key);
        let value = self
            .packs()
            .read(VALUE, &key, |stored| Ok(stored.record().map(Arc::from)));
        value.ok()??
    }

    /// Puts values, all in one file. A key that is there keeps its value: a key stands
    /// for all that the value was computed from, so another value would be no better.
    pub fn put_batch(&self, values: Vec<(&str, Hash, Vec<u8>)>) -> Result<(), Error> {
        let mut seen = BTreeSet::new();
        let mut new = Vec::new();
        for (namespace, key, value) in &values {
            let key = entry_key(namespace, key);
            let held = matches!(self.packs().holds(VALUE, &key), Ok(Some(_)));
            if !held && seen.insert(key) {
                new.push((key, value));
            }
        }
        if new.is_empty() {
            return Ok(());
        }
        self.layout.restore(&*self.disk)?;
        let mut writer = self.writer(self.packs.next_sequence())?;
        for (key, value) in new {
            writer.add(&key, VALUE, &[], Some(value))?;
        }
        writer.finish()?.publish(self.packs.directory())?;
        self.packs.rescan()?;
        self.merge_if_due()
    }

    fn writer(&self, sequence: u64) -> Result<PackWriter<'_>, Error> {
        let style = Style {
            purpose: Purpose::Cache,
            sequence,
            level: LEVEL,
            block: BLOCK,
            durable: false,
        };
        PackWriter::create(&*self.disk, self.layout.tmp_file(), style)
    }

    /// Merges packs when there are too many, and drops the oldest when they are too
    /// large together.
    fn merge_if_due(&self) -> Result<(), Error> {
        let list = self.packs.list();
        let total: u64 = list.packs.iter().map(|pack| pack.len).sum();
        if list.packs.len() <= MAX_PACKS && total <= self.limit {
            return Ok(());
        }
        let lock = self.layout.cache_lock();
        let Some(_lock) = self
            .disk
            .try_lock(&lock)
            .map_err(|source| Error::write(&lock, "lock", source))?
        else {
            return Ok(());
        };
        let list = self.packs.rescan()?;
        for damage in &list.damaged {
            let _ = self.disk.remove(&damage.path);
        }
        let mut room = self.limit;
        let (kept, dropped): (Vec<_>, Vec<_>) = list.packs.iter().cloned().partition(|pack| {
            room = room.saturating_sub(pack.len);
            room > 0
        });
        let merged = due(&kept);
        if !merged.is_empty() {
            self.merge(&merged)?;
        }
        for pack in merged.iter().chain(&dropped) {
            let _ = self.disk.remove(pack.path());
        }
        self.packs.rescan()?;
        Ok(())
    }

    /// Writes one pack of several, copying blocks as they are.
    fn merge(&self, packs: &[Arc<Pack>]) -> Result<(), Error> {
        let sequence = packs.iter().map(|pack| pack.sequence).max().unwrap_or(1);
        let mut writer = self.writer(sequence)?;
        let mut seen = BTreeSet::new();
        for pack in packs {
            let mut entries: Vec<Entry> = Vec::new();
            for bucket in 0..pack.bucket_count() {
                // A pack that cannot be read is left out, and lost.
                if let Ok(bucket) = pack.entries(bucket) {
                    entries.extend(bucket.filter(|entry| seen.insert(entry.key)));
                }
            }
            entries.sort_unstable_by_key(|entry| (entry.block, entry.offset));
            for of_block in entries.chunk_by(|a, b| a.block == b.block) {
                if let Ok(frame) = pack.stored_block(of_block[0].block) {
                    writer.copy_block(pack.blocks()[of_block[0].block as usize], &frame, of_block)?;
                }
            }
        }
        writer.finish()?.publish(self.packs.directory())?;
        Ok(())
    }

    /// The bytes last put under this name, if they are there and whole.
    pub fn file(&self, name: &str) -> Option<Vec<u8>> {
        check_file_name(name).ok()?;
        let path = self.layout.cache_files().join(name);
        let mut bytes = read_small(&*self.disk, &path, MAX_FILE).ok()?;
        let payload = bytes.len().checked_sub(32)?;
        let sound = file_checksum(name, &bytes[..payload]) == bytes[payload..];
        bytes.truncate(payload);
        sound.then_some(bytes)
    }

    /// Replaces the file of this name. Readers get the old bytes or the new ones.
    pub fn put_file(&self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        check_file_name(name)?;
        self.layout.restore(&*self.disk)?;
        let mut content = Vec::with_capacity(bytes.len() + 32);
        content.extend_from_slice(bytes);
        content.extend_from_slice(&file_checksum(name, bytes));
        let path = self.layout.cache_files().join(name);
        write_and_rename(&*self.disk, &self.layout.tmp_file(), &path, &content, false)
    }

    /// Removes everything that is cached.
    pub fn clear(&self) -> Result<(), Error> {
        let files = self.layout.cache_files();
        for directory in [files, self.layout.cache()] {
            let names = match self.disk.list(&directory) {
                Ok(names) => names,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(source) => return Err(Error::io(&directory, "list", source)),
            };
            for name in names.iter().filter(|name| *name != "files") {
                let path = directory.join(name);
                match self.disk.remove(&path) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => {
                        return Err(Error::write(&path, "remove", error));
                    }
                    _ => {}
                }
            }
        }
        self.packs.rescan()?;
        Ok(())
    }

    /// Packs and their bytes.
    pub fn size(&self) -> (usize, u64) {
        let list = self.packs().list();
        (list.packs.len(), list.packs.iter().map(|pack| pack.len).sum())
    }
}

/// Where a value lies: namespaces share packs, not keys.
fn entry_key(namespace: &str, key: &Hash) -> Hash {
    let mut hasher = blake3::Hasher::new_derive_key("renyi cache entry 1");
    hasher.update(&(namespace.len() as u64).to_be_bytes());
    hasher.update(namespace.as_bytes());
    hasher.update(key.as_bytes());
    Hash(*hasher.finalize().as_bytes())
}

fn file_checksum(name: &str, bytes: &[u8]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key("renyi cache file 1");
    hasher.update(&(name.len() as u64).to_be_bytes());
    hasher.update(name.as_bytes());
    hasher.update(bytes);
    *hasher.finalize().as_bytes()
}

/// These names do become file names, so they are few and plain on every system.
fn check_file_name(name: &str) -> Result<(), Error> {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if (1..=80).contains(&name.len()) && name.bytes().all(plain) && !is_device(name) {
        return Ok(());
    }
    Err(Error::Name {
        what: "cache file",
        name: name.chars().take(80).collect(),
        expected: "1 to 80 lower-case letters, digits and hyphens",
    })
}

fn is_device(name: &str) -> bool {
    matches!(name, "con" | "prn" | "aux" | "nul")
        || (name.len() == 4 && (name.starts_with("com") || name.starts_with("lpt")))
}
