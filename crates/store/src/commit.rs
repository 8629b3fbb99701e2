//! Committing: one transaction is one pack, then one head.
//!
//! The order is what makes it safe (store-format/directory.md): the pack is written
//! and synced in tmp/, renamed to objects/pack/, the directory synced; then the new
//! head is made and synced, and only then the old heads go. A process that dies in
//! between leaves the old state, with at most a pack that nothing names yet. Nobody is
//! waited for: another writer's head stays beside ours, and the next reader joins them.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    Batch, Error, Hash, Kind, Objects, Store,
    ops::{History, Joined, Operation},
    pack::{Finished, PackWriter, Purpose, Style},
    packs::Damage,
    store::checked,
    view::{Target, View, ViewObject, changes_between, check_name},
};

/// Level and block of a commit: fast to write, fast to read one object of.
pub(crate) const LEVEL: i32 = 3;
pub(crate) const BLOCK: usize = 64 << 10;

/// What a commit does to the names.
#[derive(Debug, Clone, Default)]
pub struct RefUpdate {
    /// New targets; `None` removes a name. What is not named stays.
    pub refs: BTreeMap<String, Option<Target>>,
    /// Where names must stand before, if that matters: the commit fails with
    /// [`Error::Moved`] if the view says otherwise. A writer that moves the name at the
    /// same moment is not seen; then both targets are kept, one as a conflict.
    pub expected: Option<BTreeMap<String, Option<Target>>>,
    /// Seconds since 1970, for the history.
    pub time: u64,
    /// What was done, for the history.
    pub description: String,
}

impl RefUpdate {
    /// Points one name at a target.
    pub fn set(name: &str, target: Target, time: u64, description: &str) -> Self {
        Self {
            refs: BTreeMap::from([(name.to_owned(), Some(target))]),
            expected: None,
            time,
            description: description.to_owned(),
        }
    }
}

/// What a commit did.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Commit {
    /// The operation that was recorded; `None` if no name moved.
    pub operation: Option<Hash>,
    /// Objects of the batch that were not held before.
    pub objects_written: usize,
    /// Length of the pack; 0 if there was nothing to write.
    pub bytes_written: u64,
    /// Why the merge of packs that was due after the commit failed. The commit itself
    /// is done and durable.
    pub compaction_error: Option<Error>,
}

impl Store {
    /// Writes what the batch has and the store lacks, and moves names, all or nothing.
    /// When it returns, the commit is durable. Nothing is written if nothing is new and
    /// no name moves.
    pub fn commit(&self, batch: &Batch, update: &RefUpdate) -> Result<Commit, Error> {
        for name in update.refs.keys() {
            check_name(name)?;
        }
        self.packs.rescan()?;
        let Joined { view, decided } = self.joined()?;
        check_expected(&view, update)?;
        let mut refs = view.refs.clone();
        for (name, target) in &update.refs {
            match target {
                Some(target) => {
                    self.check_target(batch, target)?;
                    refs.insert(name.clone(), *target);
                }
                None => drop(refs.remove(name)),
            }
        }
        let moves = refs != view.refs;
        let mut new = Vec::new();
        for (key, object) in batch.iter() {
            if !self.holds_same(key, object)? {
                new.push((key, object));
            }
        }
        if new.is_empty() && !moves {
            return Ok(Commit::default());
        }

        self.layout.restore(&*self.disk)?;
        let mut writer = PackWriter::create(
            &*self.disk,
            self.layout.tmp_file(),
            Style {
                purpose: Purpose::Objects,
                sequence: self.packs.next_sequence(),
                level: LEVEL,
                block: BLOCK,
                durable: true,
            },
        )?;
        for (key, object) in &new {
            writer.add(key, object.kind as u8, &object.identity, object.record.as_deref())?;
        }
        let operation = match moves {
            true => Some(self.add_operation(batch, &mut writer, &view, &refs, decided, update)?),
            false => None,
        };
        let bytes_written = if writer.count() > 0 {
            self.publish(writer.finish()?)?
        } else {
            0
        };
        if let Some(operation) = &operation {
            self.publish_head(operation, &view)?;
        }
        Ok(Commit {
            operation,
            objects_written: new.len(),
            bytes_written,
            compaction_error: self.compact_if_due().err(),
        })
    }

    fn check_target(&self, batch: &Batch, target: &Target) -> Result<(), Error> {
        if batch.contains(target.kind, &target.key)? || self.contains(target.kind, &target.key)? {
            return Ok(());
        }
        Err(Error::Missing {
            kind: target.kind,
            key: target.key,
        })
    }

    /// Whether writing the object again would add nothing: identity there, and the same
    /// record. Records are few and read in the order they were written, so comparing
    /// them costs little; an index of their checksums would cost every object 16 bytes.
    fn holds_same(&self, key: &Hash, object: &crate::Object) -> Result<bool, Error> {
        let Some((pack, entry)) = self.packs.holds(object.kind as u8, key)? else {
            return Ok(false);
        };
        let Some(record) = &object.record else {
            return Ok(true);
        };
        if entry.record_len as usize != record.len() + crate::pack::CHECKSUM_LEN {
            return Ok(false);
        }
        match pack.read(&entry, Some(&self.blocks)) {
            Ok(stored) => {
                let sound = checked(object.kind, key, &stored).is_ok();
                Ok(sound && stored.record() == Some(record))
            }
            // Good bytes replace damaged ones.
            Err(error) => Damage::of(error).map(|_| false),
        }
    }

    /// Adds the view and the operation that make `refs` of `view`.
    fn add_operation(
        &self,
        batch: &Batch,
        writer: &mut PackWriter<'_>,
        view: &View,
        refs: &BTreeMap<String, Target>,
        decided: BTreeSet<String>,
        update: &RefUpdate,
    ) -> Result<Hash, Error> {
        let history = History::new(self);
        // The next reader wants these two first: not behind a full block.
        if writer.open_len() > BLOCK / 4 {
            writer.end_block()?;
        }
        let mut depth = 0;
        let mut base = None;
        for head in &view.heads {
            let parent = history.operation(head)?;
            depth = depth.max(parent.depth);
            base = base.or(Some(parent.view));
        }
        let before = match &base {
            Some(base) => crate::view::load_refs(self, base)?,
            None => BTreeMap::new(),
        };
        let mut names = decided;
        names.extend(changes_between(&view.refs, refs).into_keys());
        let view_object = ViewObject::on(self, base, changes_between(&before, refs))?.encode();
        let view_key = crate::hash(Kind::View, &view_object);
        let operation = Operation {
            key: Hash([0; 32]),
            parents: view.heads.clone(),
            view: view_key,
            depth: depth.saturating_add(1),
            time: update.time,
            description: update.description.clone(),
            names: names.into_iter().collect(),
        }
        .encode();
        let key = crate::hash(Kind::Operation, &operation);
        for (kind, key, bytes) in [
            (Kind::View, view_key, view_object),
            (Kind::Operation, key, operation),
        ] {
            // A view may recur, as when a name moves back and forth.
            if !batch.contains(kind, &key)? && !self.contains(kind, &key)? {
                writer.add(&key, kind as u8, &bytes, None)?;
            }
        }
        Ok(key)
    }

    /// Puts a finished pack among the others and says how long it is.
    pub(crate) fn publish(&self, pack: Finished<'_>) -> Result<u64, Error> {
        let len = pack.len;
        let name = pack.name;
        let path = self.packs.directory().join(crate::pack::file_name(&name));
        let same = crate::verify::check_pack(&*self.disk, &path, name, Purpose::Objects);
        match same {
            // Written before, by us or by another who did the very same: its name may
            // not be durable yet.
            Ok(()) => {
                pack.discard();
                let directory = self.packs.directory();
                self.disk
                    .sync_dir(directory)
                    .map_err(|source| Error::write(directory, "sync", source))?;
            }
            Err(error) if error.is_not_found() => drop(pack.publish(self.packs.directory())?),
            // Good bytes replace damaged ones.
            Err(error) => {
                Damage::of(error)?;
                pack.publish(self.packs.directory())?;
                self.packs.forget(&name);
            }
        }
        self.packs.rescan()?;
        Ok(len)
    }

    /// Makes an operation a head in place of those that the view was made of.
    fn publish_head(&self, operation: &Hash, view: &View) -> Result<(), Error> {
        let directory = self.layout.heads();
        let path = directory.join(operation.to_hex());
        let publish = || {
            match self.disk.create_new(&path) {
                Ok(mut file) => file
                    .sync()
                    .map_err(|source| Error::write(&path, "sync", source))?,
                // The same operation, by another who did the very same.
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(source) => return Err(Error::write(&path, "create", source)),
            }
            self.disk
                .sync_dir(&directory)
                .map_err(|source| Error::write(&directory, "sync", source))
        };
        // A head that may not be durable is taken back, as far as the disk lets us: the
        // caller is told that nothing happened.
        publish().inspect_err(|_| drop(self.disk.remove(&path)))?;
        for head in self.head_files()? {
            // Ours is above these; if one cannot be removed, readers see that.
            if head != *operation && view.heads.contains(&head) {
                let _ = self.disk.remove(&directory.join(head.to_hex()));
            }
        }
        Ok(())
    }
}

fn check_expected(view: &View, update: &RefUpdate) -> Result<(), Error> {
    for (name, expected) in update.expected.iter().flatten() {
        let found = view.get(name);
        if found != *expected {
            return Err(Error::Moved {
                name: name.clone(),
                expected: expected.map(|target| target.key),
                found: found.map(|target| target.key),
            });
        }
    }
    Ok(())
}
