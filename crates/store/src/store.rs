//! The store: opening a directory, and reading objects, names and history.
//!
//! Everything takes `&self` and may be called from several threads. Reading needs no
//! lock and no right to write. Bytes are handed out only after they were hashed and
//! found to be what the key says.

use std::{collections::BTreeMap, io, path::Path, sync::Arc};

use crate::{
    Error, Hash, Kind, Object, Objects,
    cache::Cache,
    disk::{Disk, RealDisk},
    layout::Layout,
    ops::{History, Joined, Operations},
    pack::{BlockCache, Purpose, Stored},
    packs::{Damage, Packs},
    view::{Target, View},
};

/// Bounds that a caller may set.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Bytes of decoded blocks that are kept in memory.
    pub block_cache: usize,
    /// Bytes of packs in the derived cache above which its oldest are dropped.
    pub derived_cache: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            block_cache: 64 << 20,
            derived_cache: 2 << 30,
        }
    }
}

/// A store in a directory.
#[derive(Debug)]
pub struct Store {
    pub(crate) layout: Layout,
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) packs: Packs,
    pub(crate) blocks: Arc<BlockCache>,
    pub(crate) cache: Cache,
}

impl Store {
    /// Opens the store in this directory. Writes nothing.
    pub fn open(root: &Path) -> Result<Self, Error> {
        Self::open_with(root, Options::default())
    }

    pub fn open_with(root: &Path, options: Options) -> Result<Self, Error> {
        Self::open_on(Arc::new(RealDisk), root, options)
    }

    /// Opens the store in this directory; where there is none, makes one.
    pub fn create_or_open(root: &Path) -> Result<Self, Error> {
        Self::create_on(Arc::new(RealDisk), root, Options::default())
    }

    pub(crate) fn create_on(disk: Arc<dyn Disk>, root: &Path, options: Options) -> Result<Self, Error> {
        match Self::open_on(disk.clone(), root, options) {
            Err(Error::NotAStore { .. }) => {}
            other => return other,
        }
        // The caller's own directory: missing parents are made, and links are followed.
        std::fs::create_dir_all(root).map_err(|source| Error::write(root, "create", source))?;
        let layout = Layout {
            root: root.to_owned(),
        };
        layout.create(&*disk)?;
        Self::open_on(disk, root, options)
    }

    pub(crate) fn open_on(disk: Arc<dyn Disk>, root: &Path, options: Options) -> Result<Self, Error> {
        let layout = Layout {
            root: root.to_owned(),
        };
        layout.check(&*disk)?;
        let blocks = Arc::new(BlockCache::new(options.block_cache));
        let packs = Packs::new(disk.clone(), layout.packs(), Purpose::Objects, blocks.clone());
        packs.rescan()?;
        let cache = Cache::new(
            disk.clone(),
            layout.clone(),
            blocks.clone(),
            options.derived_cache,
        );
        Ok(Self {
            layout,
            disk,
            packs,
            blocks,
            cache,
        })
    }

    /// The directory of the store.
    pub fn root(&self) -> &Path {
        &self.layout.root
    }

    /// Results keyed by what they were computed from; deletable at any time.
    pub fn cache(&self) -> &Cache {
        &self.cache
    }

    /// The names and their targets now: all heads, joined.
    pub fn view(&self) -> Result<View, Error> {
        Ok(self.joined()?.view)
    }

    pub(crate) fn joined(&self) -> Result<Joined, Error> {
        let heads = self.head_files()?;
        History::new(self).join(&heads)
    }

    pub fn refs(&self) -> Result<BTreeMap<String, Target>, Error> {
        Ok(self.view()?.refs)
    }

    pub fn get_ref(&self, name: &str) -> Result<Option<Target>, Error> {
        Ok(self.view()?.get(name))
    }

    /// The view that an operation made.
    pub fn view_at(&self, operation: &Hash) -> Result<View, Error> {
        Ok(History::new(self).join(&[*operation])?.view)
    }

    /// The operations that led to the present view, newest first.
    pub fn operations(&self) -> Result<Operations<'_>, Error> {
        Operations::below(self, &self.view()?.heads)
    }

    /// The operations named in ops/heads/. Names that are no keys are not ours.
    pub(crate) fn head_files(&self) -> Result<Vec<Hash>, Error> {
        let list = || -> Result<Vec<Hash>, Error> {
            let directory = self.layout.heads();
            match self.disk.list(&directory) {
                Ok(names) => Ok(names.iter().filter_map(|name| name.parse().ok()).collect()),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
                Err(source) => Err(Error::io(&directory, "list", source)),
            }
        };
        // A directory that changes while it is read may show neither a head that was
        // just added nor the one it replaced, so it is read until it stands still. If it
        // never does, all heads seen are taken: a stale one is an ancestor of another.
        let mut heads = list()?;
        for _ in 0..8 {
            let again = list()?;
            if again == heads {
                break;
            }
            heads.extend(again);
            heads.sort_unstable();
            heads.dedup();
        }
        Ok(heads)
    }

    /// The objects whose keys begin with these hexadecimal digits, at least 4, sorted
    /// by kind and key.
    pub fn resolve_prefix(&self, prefix: &str) -> Result<Vec<(Kind, Hash)>, Error> {
        let digits: Option<Vec<u8>> = prefix
            .chars()
            .map(|digit| digit.to_digit(16).map(|d| d as u8))
            .collect();
        let digits = digits
            .filter(|digits| (4..=64).contains(&digits.len()))
            .ok_or_else(|| Error::Name {
                what: "prefix",
                name: prefix.chars().take(80).collect(),
                expected: "4 to 64 hexadecimal digits",
            })?;
        let (mut low, mut high) = (Hash([0; 32]), Hash([0xff; 32]));
        for (at, digit) in digits.iter().enumerate() {
            let (shift, keep) = if at % 2 == 0 { (4, 0x0f) } else { (0, 0xf0) };
            low.0[at / 2] = low.0[at / 2] & keep | digit << shift;
            high.0[at / 2] = high.0[at / 2] & keep | digit << shift;
        }
        let search = || -> Result<Vec<(Kind, Hash)>, Error> {
            let mut found = Vec::new();
            for pack in &self.packs.list().packs {
                for entry in pack.range(&low, &high)? {
                    found.extend(Kind::from_number(entry.kind).map(|kind| (kind, entry.key)));
                }
            }
            found.sort_unstable();
            found.dedup();
            Ok(found)
        };
        let found = search()?;
        if !found.is_empty() {
            return Ok(found);
        }
        self.packs.rescan()?;
        search()
    }

    /// Every object that is held, once each, in no particular order.
    pub fn for_each(&self, mut visit: impl FnMut(Listed)) -> Result<(), Error> {
        self.packs.rescan()?;
        self.packs.for_each(|_, entry| {
            if let Some(kind) = Kind::from_number(entry.kind) {
                visit(Listed {
                    kind,
                    key: entry.key,
                    identity_len: entry.identity_len,
                    record_len: entry.record_len,
                });
            }
            Ok(())
        })
    }

    /// How much the store holds, from the packs' indexes.
    pub fn stats(&self) -> Result<Stats, Error> {
        let list = self.packs.rescan()?;
        let mut stats = Stats {
            packs: list.packs.len(),
            damaged: list.damaged.clone(),
            ..Stats::default()
        };
        for pack in &list.packs {
            stats.bytes += pack.len;
            for block in pack.blocks() {
                stats.decoded_bytes += u64::from(block.len);
                stats.stored_bytes += u64::from(block.stored);
            }
        }
        self.packs.for_each(|_, entry| {
            if let Some(kind) = Kind::from_number(entry.kind) {
                let of_kind = stats.kinds.entry(kind).or_default();
                of_kind.objects += 1;
                of_kind.bytes += u64::from(entry.identity_len) + u64::from(entry.record_len);
            }
            Ok(())
        })?;
        Ok(stats)
    }
}

/// A row of a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Listed {
    pub kind: Kind,
    pub key: Hash,
    pub identity_len: u32,
    /// With its checksum; 0 if there is no record.
    pub record_len: u32,
}

#[derive(Debug, Clone, Default)]
pub struct Stats {
    pub packs: usize,
    /// Files that should be packs and are not served.
    pub damaged: Vec<Damage>,
    pub kinds: BTreeMap<Kind, KindStats>,
    /// Bytes of the pack files.
    pub bytes: u64,
    /// Bytes of their blocks, as stored and as decoded.
    pub stored_bytes: u64,
    pub decoded_bytes: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KindStats {
    pub objects: u64,
    /// Identities and records, decoded.
    pub bytes: u64,
}

/// Hashes the identity; what has another hash than its key is not let through.
pub(crate) fn checked(kind: Kind, key: &Hash, stored: &Stored) -> Result<Object, Error> {
    let found = crate::hash(kind, stored.identity());
    if found != *key {
        return Err(Error::Mismatch {
            kind,
            expected: *key,
            found,
        });
    }
    Ok(Object {
        kind,
        identity: stored.identity().into(),
        record: stored.record().map(Into::into),
    })
}

impl Objects for Store {
    /// The object under this key. A copy that is damaged is passed over; if no copy is
    /// good, or a pack that may have one cannot be read, that is an error.
    fn get(&self, kind: Kind, key: &Hash) -> Result<Option<Object>, Error> {
        self.packs
            .read_or_rescan(kind as u8, key, |stored| checked(kind, key, stored))
    }

    /// Whether an index has the key, in the packs known now: cheap, and it may deny
    /// what another process has just written. It reads no object, so it may affirm what
    /// later turns out damaged.
    fn contains(&self, kind: Kind, key: &Hash) -> Result<bool, Error> {
        Ok(self.packs.holds(kind as u8, key)?.is_some())
    }
}
