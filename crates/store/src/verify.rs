//! Verifying: every byte of the store against what vouches for it.
//!
//! Nothing that was read before is believed: packs are opened anew. All that is wrong
//! is reported, not only the first of it, and nothing is changed.

use std::{collections::HashSet, io, path::Path};

use crate::{
    Error, Hash, Kind, Store, cbor,
    disk::Disk,
    ops::Operation,
    pack::{self, Entry, Pack, Purpose, TRAILER_LEN},
    packs::Damage,
    store::checked,
    view::ViewObject,
};

/// How far a verification is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    pub bytes: u64,
    pub of: u64,
}

/// What a verification found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    pub packs: u64,
    pub objects: u64,
    /// Bytes of pack files.
    pub bytes: u64,
    pub operations: u64,
    pub problems: Vec<Damage>,
}

/// Succeeds if the pack at `path` is whole: the file's name, the trailer and all bytes
/// before it agree.
pub(crate) fn check_pack(disk: &dyn Disk, path: &Path, name: Hash, purpose: Purpose) -> Result<(), Error> {
    check_body(&Pack::open(disk, path, name, purpose)?)
}

fn check_body(pack: &Pack) -> Result<(), Error> {
    let found = pack.hash_body()?;
    if found == pack.body_hash {
        return Ok(());
    }
    Err(Error::corrupt(
        pack.path(),
        pack.len - TRAILER_LEN as u64,
        format!("bytes with hash {} before", pack.body_hash),
        found.to_string(),
    ))
}

struct Verifier<'a> {
    store: &'a Store,
    report: Report,
    /// Objects found good.
    good: HashSet<(Kind, Hash)>,
    /// Objects that others name, and which others, and where those lie.
    named: Vec<(Kind, Hash, Named)>,
}

/// Who names an object.
struct Named {
    path: std::path::PathBuf,
    offset: u64,
    by: String,
}

impl Store {
    /// Reads every byte of every pack and every head, and says what is wrong. Fails only
    /// if the directories cannot be listed. The derived cache is not looked at: what is
    /// wrong there is a miss.
    pub fn verify(&self, progress: &mut dyn FnMut(Progress)) -> Result<Report, Error> {
        let mut verifier = Verifier {
            store: self,
            report: Report::default(),
            good: HashSet::new(),
            named: Vec::new(),
        };
        // Heads first: what a head names was written before it.
        verifier.heads()?;
        verifier.packs(progress)?;
        verifier.closure();
        Ok(verifier.report)
    }
}

impl Verifier<'_> {
    fn problem(&mut self, path: &Path, error: Error) {
        self.report.problems.push(match Damage::of(error) {
            Ok(damage) => damage,
            Err(other) => Damage {
                path: path.to_owned(),
                offset: 0,
                expected: "to be read".into(),
                found: match other {
                    Error::Io { source, .. } => source.to_string(),
                    other => other.to_string(),
                },
            },
        });
    }

    fn heads(&mut self) -> Result<(), Error> {
        let directory = self.store.layout.heads();
        for head in self.store.head_files()? {
            let path = directory.join(head.to_hex());
            match self.store.disk.open(&path).and_then(|file| file.len()) {
                Ok(0) => {}
                Ok(len) => self.problem(
                    &path,
                    Error::corrupt(&path, 0, "an empty file", format!("{len} bytes")),
                ),
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => self.problem(&path, Error::io(&path, "open", error)),
            }
            self.named.push((
                Kind::Operation,
                head,
                Named {
                    path,
                    offset: 0,
                    by: "this head".into(),
                },
            ));
        }
        Ok(())
    }

    fn packs(&mut self, progress: &mut dyn FnMut(Progress)) -> Result<(), Error> {
        let directory = self.store.packs.directory();
        let names = match self.store.disk.list(directory) {
            Ok(names) => names,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(source) => return Err(Error::io(directory, "list", source)),
        };
        let mut opened = Vec::new();
        for file_name in names {
            let Some(name) = pack::parse_file_name(&file_name) else {
                continue;
            };
            let path = directory.join(&file_name);
            match Pack::open(&*self.store.disk, &path, name, Purpose::Objects) {
                Ok(pack) => opened.push(pack),
                // Merged a moment ago, and its objects are in the pack that replaced it.
                Err(error) if error.is_not_found() => {}
                Err(error) => self.problem(&path, error),
            }
        }
        let of = opened.iter().map(|pack| pack.len).sum();
        for pack in opened {
            self.pack(&pack);
            self.report.packs += 1;
            self.report.bytes += pack.len;
            progress(Progress {
                bytes: self.report.bytes,
                of,
            });
        }
        Ok(())
    }

    fn pack(&mut self, pack: &Pack) {
        if let Err(error) = check_body(pack) {
            self.problem(pack.path(), error);
        }
        let mut entries: Vec<Entry> = Vec::with_capacity(pack.count as usize);
        let mut index_is_whole = true;
        for bucket in 0..pack.bucket_count() {
            match pack.entries(bucket) {
                Ok(bucket) => entries.extend(bucket),
                Err(error) => {
                    self.problem(pack.path(), error);
                    index_is_whole = false;
                }
            }
        }
        entries.sort_unstable_by_key(|entry| (entry.block, entry.offset, entry.end()));
        if index_is_whole {
            self.tiling(pack, &entries);
        }
        for of_block in entries.chunk_by(|a, b| a.block == b.block) {
            let number = of_block[0].block;
            let at = pack.blocks()[number as usize].at;
            match pack.block(number, None) {
                Ok(block) => {
                    for entry in of_block {
                        self.object(pack, at, entry, block.clone());
                    }
                }
                Err(error) => self.damaged(pack, number, error),
            }
        }
    }

    /// A problem with a block. The store is told too, so that the next commit of an
    /// object in it writes the object again.
    fn damaged(&mut self, pack: &Pack, block: u32, error: Error) {
        let list = self.store.packs.list();
        if let Some(known) = list.packs.iter().find(|known| known.name == pack.name) {
            known.mark_damaged(block);
        }
        self.problem(pack.path(), error);
    }

    /// Objects must fill their blocks without gaps and overlaps.
    fn tiling(&mut self, pack: &Pack, entries: &[Entry]) {
        let mut entries = entries.iter().peekable();
        for (number, block) in pack.blocks().iter().enumerate() {
            let mut end = 0;
            while let Some(entry) = entries.next_if(|entry| entry.block as usize == number) {
                if u64::from(entry.offset) != end {
                    let expected = format!("an object at {end} of block {number}");
                    let found = format!("{} at {}", entry.key, entry.offset);
                    self.problem(
                        pack.path(),
                        Error::corrupt(pack.path(), block.at, expected, found),
                    );
                }
                end = entry.end();
            }
            if end != u64::from(block.len) {
                let expected = format!("objects up to {} of block {number}", block.len);
                self.problem(
                    pack.path(),
                    Error::corrupt(pack.path(), block.at, expected, format!("up to {end}")),
                );
            }
        }
    }

    fn object(&mut self, pack: &Pack, at: u64, entry: &Entry, block: std::sync::Arc<Vec<u8>>) {
        let Some(kind) = Kind::from_number(entry.kind) else {
            return;
        };
        self.report.objects += 1;
        let stored = match pack.slice(entry, block) {
            Ok(stored) => stored,
            Err(error) => return self.damaged(pack, entry.block, error),
        };
        let place = format!("{} in block {}", entry.key, entry.block);
        if let Err(error) = checked(kind, &entry.key, &stored) {
            let found = match error {
                Error::Mismatch { found, .. } => found.to_string(),
                other => other.to_string(),
            };
            let expected = format!("{} object {place}", kind.name());
            let error = Error::corrupt(pack.path(), at, expected, found);
            return self.damaged(pack, entry.block, error);
        }
        if let Err(error) = self.content(pack, at, kind, entry, stored.identity()) {
            let expected = format!("{} object {place} in canonical form", kind.name());
            return self.problem(
                pack.path(),
                Error::corrupt(pack.path(), at, expected, error.to_string()),
            );
        }
        self.good.insert((kind, entry.key));
    }

    fn content(&mut self, pack: &Pack, at: u64, kind: Kind, entry: &Entry, bytes: &[u8]) -> cbor::Result<()> {
        if kind.is_cbor() {
            cbor::validate(bytes)?;
        }
        let mut names = Vec::new();
        match kind {
            Kind::View => {
                let view = ViewObject::decode(bytes)?;
                names.extend(view.base.map(|base| (Kind::View, base)));
                names.extend(
                    view.changes
                        .values()
                        .flatten()
                        .map(|target| (target.kind, target.key)),
                );
            }
            Kind::Operation => {
                self.report.operations += 1;
                let operation = Operation::decode(entry.key, bytes)?;
                names.push((Kind::View, operation.view));
                names.extend(operation.parents.iter().map(|parent| (Kind::Operation, *parent)));
            }
            _ => {}
        }
        for (named, key) in names {
            let by = Named {
                path: pack.path().to_owned(),
                offset: at,
                by: format!("{} {}", kind.name(), entry.key),
            };
            self.named.push((named, key, by));
        }
        Ok(())
    }

    /// What heads, operations and views name must be there.
    fn closure(&mut self) {
        let mut named = std::mem::take(&mut self.named);
        named.retain(|(kind, key, _)| !self.good.contains(&(*kind, *key)));
        for (kind, key, Named { path, offset, by }) in named {
            let expected = format!("{} {key}, which {by} names", kind.name());
            self.problem(&path, Error::corrupt(&path, offset, expected, "no good copy"));
        }
    }
}
