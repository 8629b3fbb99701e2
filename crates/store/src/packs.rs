//! The packs of one directory: which there are, and reading through all of them.
//!
//! The list is taken from the directory when the store is opened, and again when an
//! object is missed: another process may have added packs, or merged some. A pack
//! that is damaged is kept aside with the reason; the others are served.

use std::{
    collections::BTreeSet,
    fmt, io,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
};

use crate::{
    Error, Hash,
    disk::Disk,
    pack::{self, BlockCache, Entry, Pack, Purpose, Stored},
};

#[derive(Debug)]
pub(crate) struct Packs {
    disk: Arc<dyn Disk>,
    directory: PathBuf,
    purpose: Purpose,
    blocks: Arc<BlockCache>,
    list: RwLock<Arc<List>>,
}

/// What a scan of the directory found.
#[derive(Debug, Default, Clone)]
pub(crate) struct List {
    /// Newest first.
    pub(crate) packs: Vec<Arc<Pack>>,
    pub(crate) damaged: Vec<Damage>,
}

/// Why a file, or a part of it, is not what it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    pub path: PathBuf,
    pub offset: u64,
    pub expected: String,
    pub found: String,
}

impl Damage {
    /// The damage that an error reports, or the error if it reports something else.
    pub(crate) fn of(error: Error) -> Result<Self, Error> {
        match error {
            Error::Corrupt {
                path,
                offset,
                expected,
                found,
            } => Ok(Self {
                path,
                offset,
                expected,
                found,
            }),
            other => Err(other),
        }
    }

    pub(crate) fn to_error(&self) -> Error {
        Error::corrupt(&self.path, self.offset, &*self.expected, &*self.found)
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_error().fmt(f)
    }
}

/// Each try that meets a pack which just went away is followed by another; so many
/// compactions at once there cannot be.
const SCANS: usize = 64;

impl Packs {
    /// Nothing is read before the first scan.
    pub(crate) fn new(
        disk: Arc<dyn Disk>,
        directory: PathBuf,
        purpose: Purpose,
        blocks: Arc<BlockCache>,
    ) -> Self {
        Self {
            disk,
            directory,
            purpose,
            blocks,
            list: RwLock::default(),
        }
    }

    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    pub(crate) fn list(&self) -> Arc<List> {
        self.list.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reads the directory again and says what it holds.
    pub(crate) fn rescan(&self) -> Result<Arc<List>, Error> {
        let mut known = self.list();
        for _ in 0..SCANS {
            let (list, gone) = self.scan(&known)?;
            known = Arc::new(list);
            // A pack that went away was merged into one that may have come after the
            // directory was read.
            if !gone {
                break;
            }
        }
        *self.list.write().unwrap_or_else(PoisonError::into_inner) = known.clone();
        Ok(known)
    }

    /// One reading of the directory, and whether a pack vanished under it.
    fn scan(&self, known: &List) -> Result<(List, bool), Error> {
        let names = match self.disk.list(&self.directory) {
            Ok(names) => names,
            // An archive may have dropped the empty directory.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(source) => return Err(Error::io(&self.directory, "list", source)),
        };
        let mut list = List::default();
        let mut gone = false;
        for file_name in names {
            let Some(name) = pack::parse_file_name(&file_name) else {
                continue;
            };
            if let Some(pack) = known.packs.iter().find(|pack| pack.name == name) {
                list.packs.push(pack.clone());
                continue;
            }
            let path = self.directory.join(&file_name);
            match Pack::open(&*self.disk, &path, name, self.purpose) {
                Ok(pack) => list.packs.push(Arc::new(pack)),
                Err(error) if error.is_not_found() => gone = true,
                // A cache that is newer, or cannot be read, is a miss.
                Err(error) if self.purpose == Purpose::Cache => list.damaged.extend(Damage::of(error)),
                Err(error) => list.damaged.push(Damage::of(error)?),
            }
        }
        list.packs
            .sort_by_key(|pack| std::cmp::Reverse((pack.sequence, pack.name)));
        Ok((list, gone))
    }

    /// Closes the pack of this name, so that the next scan opens it anew.
    pub(crate) fn forget(&self, name: &Hash) {
        let mut list = self.list.write().unwrap_or_else(PoisonError::into_inner);
        Arc::make_mut(&mut list).packs.retain(|pack| pack.name != *name);
    }

    /// The number for a pack that is newer than all in the list.
    pub(crate) fn next_sequence(&self) -> u64 {
        self.list()
            .packs
            .first()
            .map_or(1, |newest| newest.sequence.saturating_add(1))
    }

    /// Looks an entry up in the packs of the list. A damaged index is passed over.
    pub(crate) fn holds(&self, kind: u8, key: &Hash) -> Result<Option<(Arc<Pack>, Entry)>, Error> {
        for pack in &self.list().packs {
            match pack.find(kind, key) {
                Ok(Some(entry)) if !pack.is_damaged(entry.block) => return Ok(Some((pack.clone(), entry))),
                Ok(_) => {}
                Err(error) => drop(Damage::of(error)?),
            }
        }
        Ok(None)
    }

    /// Reads an object: from the newest pack whose copy passes `check`, which gets the
    /// stored bytes and says what it makes of them. `None` means that no pack has it,
    /// as far as their indexes can be read; a damaged copy without a good one is an
    /// error.
    pub(crate) fn read<T>(
        &self,
        kind: u8,
        key: &Hash,
        check: impl Fn(&Stored) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        let mut failure = None;
        for pack in &self.list().packs {
            let entry = match pack.find(kind, key) {
                Ok(Some(entry)) => entry,
                Ok(None) => continue,
                Err(error) => {
                    failure = failure.or(Some(error));
                    continue;
                }
            };
            let result = pack
                .read(&entry, Some(&self.blocks))
                .and_then(|stored| check(&stored));
            match result {
                Ok(value) => return Ok(Some(value)),
                Err(error) => {
                    if matches!(error, Error::Corrupt { .. } | Error::Mismatch { .. }) {
                        pack.mark_damaged(entry.block);
                    }
                    failure = failure.or(Some(error));
                }
            }
        }
        failure.map_or(Ok(None), Err)
    }

    /// As [`Packs::read`], reading the directory again if nothing is found. A miss while
    /// some pack cannot be read is an error: the object may well be in there.
    pub(crate) fn read_or_rescan<T>(
        &self,
        kind: u8,
        key: &Hash,
        check: impl Fn(&Stored) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        if let Ok(Some(value)) = self.read(kind, key, &check) {
            return Ok(Some(value));
        }
        let list = self.rescan()?;
        match self.read(kind, key, &check)? {
            Some(value) => Ok(Some(value)),
            None => match list.damaged.first() {
                Some(damage) => Err(damage.to_error()),
                None => Ok(None),
            },
        }
    }

    /// Every entry once, the newest pack's, with the pack that has it.
    pub(crate) fn for_each(
        &self,
        mut visit: impl FnMut(&Arc<Pack>, &Entry) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let list = self.list();
        let mut seen = BTreeSet::new();
        for pack in &list.packs {
            for bucket in 0..pack.bucket_count() {
                for entry in pack.entries(bucket)? {
                    // With one pack nothing can be there twice.
                    if list.packs.len() == 1 || seen.insert((entry.key, entry.kind)) {
                        visit(pack, &entry)?;
                    }
                }
            }
        }
        Ok(())
    }
}
