//! What a commit and a compaction leave behind when each of their operations on the
//! disk fails in turn, or is the last one; and what damaged files make of a store.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{
    Batch, Error, Hash, Kind, Objects, Options, RefUpdate, Store, Target,
    disk::RealDisk,
    disk_faulty::{EACCES, EIO, EMFILE, ENOSPC, EROFS, Fault, FaultyDisk, Loss, overwrite},
    pack::{PackWriter, Purpose, Style},
};

const FAULTS: [Fault; 6] = [
    Fault::Error(EIO),
    Fault::Error(ENOSPC),
    Fault::Kill(Loss::Nothing),
    Fault::Kill(Loss::Contents),
    Fault::Kill(Loss::Halves),
    Fault::Kill(Loss::Names),
];

fn open(root: &Path, disk: FaultyDisk) -> Store {
    Store::open_on(Arc::new(disk), root, Options::default()).expect("opened")
}

/// A batch and what it must read back as.
fn batch(step: u32) -> (Batch, Vec<(Kind, Hash)>) {
    let mut batch = Batch::new();
    let source = format!("step {step}\n").repeat(20).into_bytes();
    let source = batch.put(Kind::Source, source, None);
    let mut identity = crate::cbor::Encoder::new();
    identity.array(1).uint(u64::from(step));
    let record = Some(vec![step as u8; 9]);
    let component = batch.put(Kind::Component, identity.into_bytes(), record);
    (batch, vec![(Kind::Source, source), (Kind::Component, component)])
}

fn commit(store: &Store, step: u32) -> Result<Vec<(Kind, Hash)>, Error> {
    let (batch, keys) = batch(step);
    let (kind, key) = keys[0];
    let target = Target { kind, key };
    let commit = store.commit(&batch, &RefUpdate::set("main", target, u64::from(step), "step"))?;
    match commit.compaction_error {
        // The commit is done, and what else there was to do is not: as good as done.
        Some(_) | None => Ok(keys),
    }
}

/// A store after a few commits, to be copied for each trial.
struct Sample {
    dir: tempfile::TempDir,
    keys: Vec<(Kind, Hash)>,
    steps: u32,
}

impl Sample {
    fn new(steps: u32) -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let store = Store::create_or_open(dir.path()).expect("created");
        let mut keys = Vec::new();
        for step in 0..steps {
            keys.extend(commit(&store, step).expect("committed"));
        }
        Self { dir, keys, steps }
    }

    fn copy(&self) -> tempfile::TempDir {
        let copy = tempfile::tempdir().expect("a directory");
        copy_files(self.dir.path(), copy.path());
        copy
    }

    fn target(&self, step: u32) -> Target {
        let (kind, key) = batch(step).1[0];
        Target { kind, key }
    }
}

fn copy_files(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).expect("a directory") {
        let path = entry.expect("an entry").path();
        let to = to.join(path.file_name().expect("a name"));
        match path.is_dir() {
            true => {
                std::fs::create_dir(&to).expect("created");
                copy_files(&path, &to);
            }
            false => drop(std::fs::copy(&path, to).expect("copied")),
        }
    }
}

/// The store is whole, holds all that was acknowledged, and works.
fn check(root: &Path, sample: &Sample, acknowledged: bool, trial: &str) {
    let store = Store::open(root).unwrap_or_else(|error| panic!("{trial}: {error}"));
    let sound = |error: Error| -> ! { panic!("{trial}: {error}") };
    for (kind, key) in &sample.keys {
        let object = store.get(*kind, key).unwrap_or_else(|error| sound(error));
        assert!(object.is_some(), "{trial}: {key} is lost");
    }
    let main = store.get_ref("main").unwrap_or_else(|error| sound(error));
    let (old, new) = (sample.target(sample.steps - 1), sample.target(sample.steps));
    assert!(
        main == Some(new) || (!acknowledged && main == Some(old)),
        "{trial}: main is {main:?}"
    );
    if main == Some(new) {
        for (kind, key) in batch(sample.steps).1 {
            let object = store.get(kind, &key).unwrap_or_else(|error| sound(error));
            assert!(object.is_some(), "{trial}: {key} is named and missing");
        }
    }
    let refs = store.refs().unwrap_or_else(|error| sound(error));
    assert_eq!(refs.len(), 1, "{trial}: {refs:?}");
    let report = store.verify(&mut |_| ()).unwrap_or_else(|error| sound(error));
    assert_eq!(report.problems, [], "{trial}");
    commit(&store, sample.steps + 1).unwrap_or_else(|error| sound(error));
    assert_eq!(
        store.get_ref("main").unwrap_or_else(|error| sound(error)),
        Some(sample.target(sample.steps + 1)),
        "{trial}: works again"
    );
}

fn tmp_files(root: &Path) -> usize {
    std::fs::read_dir(root.join("tmp")).expect("a directory").count()
}

fn every_fault(sample: &Sample, act: impl Fn(&Store) -> Result<(), Error>, commits: bool) {
    for fault in FAULTS {
        for at in 1.. {
            let copy = sample.copy();
            let disk = FaultyDisk::new(Some((at, fault)));
            let store = open(copy.path(), disk.clone());
            let before = disk.changes();
            assert_eq!(before, 0, "opening changes nothing");
            let result = act(&store);
            let trial = format!("{fault:?} at {at}");
            if let (Fault::Error(_), Err(_)) = (fault, &result) {
                assert_eq!(tmp_files(copy.path()), 0, "{trial}: tmp is empty");
            }
            let done = disk.changes() < at;
            assert!(!done || result.is_ok(), "{trial}: {result:?}");
            drop(store);
            match commits {
                true => check(copy.path(), sample, result.is_ok(), &trial),
                false => check_compacted(copy.path(), sample, &trial),
            }
            if done {
                break;
            }
            assert!(at < 200, "ends");
        }
    }
}

fn check_compacted(root: &Path, sample: &Sample, trial: &str) {
    let previous = Sample {
        dir: tempfile::tempdir().expect("a directory"),
        keys: sample.keys.clone(),
        steps: sample.steps - 1,
    };
    check(root, &previous, true, trial);
}

#[test]
fn a_commit_that_fails_or_dies_anywhere_leaves_the_old_state_or_the_new() {
    let sample = Sample::new(3);
    every_fault(&sample, |store| commit(store, 3).map(drop), true);
}

#[test]
fn a_compaction_that_fails_or_dies_anywhere_loses_nothing() {
    let sample = Sample::new(4);
    every_fault(&sample, |store| store.compact().map(drop), false);
}

#[test]
fn a_commit_with_a_compaction_due_loses_nothing() {
    let sample = Sample::new(32);
    for fault in [
        Fault::Error(ENOSPC),
        Fault::Kill(Loss::Halves),
        Fault::Kill(Loss::Names),
    ] {
        for at in (1..).step_by(3) {
            let copy = sample.copy();
            let disk = FaultyDisk::new(Some((at, fault)));
            let result = commit(&open(copy.path(), disk.clone()), 32);
            check(
                copy.path(),
                &sample,
                result.is_ok(),
                &format!("{fault:?} at {at}"),
            );
            if disk.changes() < at {
                break;
            }
        }
    }
}

#[test]
fn a_store_whose_making_was_cut_short_is_made_by_the_next() {
    for at in 1..40 {
        let dir = tempfile::tempdir().expect("a directory");
        let disk = FaultyDisk::new(Some((at, Fault::Kill(Loss::Contents))));
        let _ = Store::create_on(Arc::new(disk), dir.path(), Options::default());
        let store = Store::create_or_open(dir.path()).expect("created");
        commit(&store, 1).expect("committed");
        assert!(dir.path().join(".gitignore").exists());
    }
}

#[test]
fn short_and_interrupted_calls_are_invisible() {
    let sample = Sample::new(1);
    let store = open(sample.dir.path(), FaultyDisk::new(Some((0, Fault::Short))));
    commit(&store, 1).expect("committed");
    store.compact().expect("compacted");
    check_compacted(
        sample.dir.path(),
        &Sample {
            steps: 2,
            ..Sample::new(2)
        },
        "short",
    );
}

#[test]
fn a_disk_that_may_not_be_written_to_is_read() {
    let sample = Sample::new(2);
    for code in [EROFS, EACCES] {
        for at in 1..=2 {
            let store = open(sample.dir.path(), FaultyDisk::new(Some((at, Fault::Error(code)))));
            let (kind, key) = sample.keys[0];
            assert!(store.get(kind, &key).expect("sound").is_some());
            let error = commit(&store, 2).expect_err("refused");
            assert!(matches!(error, Error::ReadOnly { .. }), "{error}");
        }
    }
}

/// A clear error where files run out, and never a missing object.
#[test]
fn too_many_open_files_are_no_missing_object() {
    #[derive(Debug)]
    struct NoFiles;
    impl crate::disk::Disk for NoFiles {
        fn create_new(&self, path: &Path) -> std::io::Result<Box<dyn crate::disk::WriteFile>> {
            RealDisk.create_new(path)
        }
        fn open(&self, path: &Path) -> std::io::Result<Box<dyn crate::disk::ReadFile>> {
            match path.extension() {
                Some(_) => Err(std::io::Error::from_raw_os_error(EMFILE)),
                None => RealDisk.open(path),
            }
        }
        fn list(&self, directory: &Path) -> std::io::Result<Vec<String>> {
            RealDisk.list(directory)
        }
        fn rename(&self, from: &Path, to: &Path) -> std::io::Result<()> {
            RealDisk.rename(from, to)
        }
        fn remove(&self, path: &Path) -> std::io::Result<()> {
            RealDisk.remove(path)
        }
        fn create_dir(&self, path: &Path) -> std::io::Result<()> {
            RealDisk.create_dir(path)
        }
        fn sync_dir(&self, path: &Path) -> std::io::Result<()> {
            RealDisk.sync_dir(path)
        }
        fn try_lock(&self, path: &Path) -> std::io::Result<Option<crate::disk::Lock>> {
            RealDisk.try_lock(path)
        }
        fn modified(&self, path: &Path) -> std::io::Result<std::time::SystemTime> {
            RealDisk.modified(path)
        }
        fn check_dir(&self, path: &Path) -> std::io::Result<()> {
            RealDisk.check_dir(path)
        }
    }
    let sample = Sample::new(1);
    let error =
        Store::open_on(Arc::new(NoFiles), sample.dir.path(), Options::default()).expect_err("no files");
    assert!(matches!(error, Error::Io { .. }), "{error}");
}

fn only_pack(root: &Path) -> PathBuf {
    let mut packs = std::fs::read_dir(root.join("objects").join("pack")).expect("a directory");
    let pack = packs.next().expect("a pack").expect("an entry").path();
    assert!(packs.next().is_none(), "one pack");
    pack
}

/// Right bytes or an error, and a report, whatever was done to the only pack.
fn check_damaged(root: &Path, keys: &[(Kind, Hash)], right: &BTreeMap<Hash, crate::Object>, damage: &str) {
    let store = Store::open(root).unwrap_or_else(|error| panic!("{damage}: {error}"));
    for (kind, key) in keys {
        if let Ok(found) = store.get(*kind, key) {
            assert_eq!(found.as_ref(), right.get(key), "{damage}");
        }
    }
    let report = store
        .verify(&mut |_| ())
        .unwrap_or_else(|error| panic!("{damage}: {error}"));
    assert!(!report.problems.is_empty(), "{damage} is not reported");
}

#[test]
fn every_flipped_bit_and_every_cut_is_found_and_never_served() {
    let sample = Sample::new(1);
    let store = Store::open(sample.dir.path()).expect("opened");
    let right: BTreeMap<Hash, crate::Object> = sample
        .keys
        .iter()
        .map(|(kind, key)| (*key, store.get(*kind, key).expect("sound").expect("held")))
        .collect();
    let pack = only_pack(sample.dir.path());
    let bytes = std::fs::read(&pack).expect("read");
    std::fs::remove_file(&pack).expect("removed");
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << bit;
            std::fs::write(&pack, flipped).expect("written");
            check_damaged(
                sample.dir.path(),
                &sample.keys,
                &right,
                &format!("bit {bit} of byte {at}"),
            );
        }
        std::fs::write(&pack, &bytes[..at]).expect("written");
        check_damaged(sample.dir.path(), &sample.keys, &right, &format!("cut at {at}"));
    }
    std::fs::write(&pack, vec![0; bytes.len()]).expect("written");
    check_damaged(sample.dir.path(), &sample.keys, &right, "zeros");
    std::fs::write(&pack, [&bytes[..], b"x"].concat()).expect("written");
    check_damaged(sample.dir.path(), &sample.keys, &right, "a byte more");
    std::fs::write(&pack, &bytes).expect("written");
    let renamed = pack.with_file_name(format!("{}.rpk", "0".repeat(64)));
    std::fs::rename(&pack, renamed).expect("renamed");
    check_damaged(sample.dir.path(), &sample.keys, &right, "another name");
}

#[test]
fn a_damaged_pack_hides_neither_other_packs_nor_what_is_written_again() {
    let sample = Sample::new(3);
    let root = sample.dir.path();
    let store = Store::open(root).expect("opened");
    let oldest = store.packs.list().packs.last().expect("packs").path().to_owned();
    let length = std::fs::metadata(&oldest).expect("there").len();
    // A byte of the first block: the index still says that the objects are there.
    overwrite(&oldest, |bytes| bytes[20] ^= 1).expect("written");
    let store = Store::open(root).expect("opened");
    let (first, rest) = sample.keys.split_at(2);
    let (kind, key) = first[0];
    assert!(matches!(store.get(kind, &key), Err(Error::Corrupt { .. })));
    for (kind, key) in rest {
        assert!(store.get(*kind, key).expect("sound").is_some());
    }
    // Verifying tells the store, too.
    let store = Store::open(root).expect("opened");
    assert!(store.contains(kind, &key).expect("sound"));
    assert!(!store.verify(&mut |_| ()).expect("verified").problems.is_empty());
    assert!(!store.contains(kind, &key).expect("sound"));
    let (batch, _) = batch(0);
    let commit = store.commit(&batch, &RefUpdate::default()).expect("committed");
    assert_eq!(commit.objects_written, 2, "good bytes win");
    assert!(store.get(kind, &key).expect("sound").is_some());
    // A compaction leaves the damaged pack alone and merges the others.
    let compaction = store.compact().expect("compacted");
    assert_eq!(compaction.merged, 3);
    assert!(oldest.exists());

    // Empty, the file is reported, and others are served.
    overwrite(&oldest, Vec::clear).expect("written");
    let store = Store::open(root).expect("opened");
    assert!(length > 0 && store.get(kind, &key).expect("sound").is_some());
    assert_eq!(store.stats().expect("sound").damaged.len(), 1);
    let report = store.verify(&mut |_| ()).expect("verified");
    assert_eq!(report.problems[0].path, oldest);
    // What was in it and was not written again is missed by those who name it.
    assert!(
        report.problems[1..]
            .iter()
            .all(|problem| problem.found == "no good copy")
    );
}

#[test]
fn a_pack_of_the_same_name_is_checked_before_it_is_relied_on() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = Store::create_or_open(dir.path()).expect("created");
    let key = crate::hash(Kind::Source, b"text");
    let publish = || {
        let style = Style {
            purpose: Purpose::Objects,
            sequence: 1,
            level: 3,
            block: 1 << 16,
            durable: true,
        };
        let mut writer = PackWriter::create(&RealDisk, store.layout.tmp_file(), style).expect("created");
        writer
            .add(&key, Kind::Source as u8, b"text", None)
            .expect("added");
        store
            .publish(writer.finish().expect("finished"))
            .expect("published");
        store.get(Kind::Source, &key).expect("sound").expect("held")
    };
    let object = publish();
    assert_eq!(publish(), object, "reused");
    overwrite(&only_pack(dir.path()), |bytes| bytes[17] ^= 1).expect("written");
    assert_eq!(publish(), object, "replaced");
    assert_eq!(store.verify(&mut |_| ()).expect("verified").problems, []);
    assert_eq!(tmp_files(dir.path()), 0);
}

#[cfg(unix)]
#[test]
fn links_and_fifos_in_place_of_files_and_directories_are_refused() {
    use std::os::unix::fs::symlink;
    let sample = Sample::new(2);
    let outside = tempfile::tempdir().expect("a directory");
    for inside in ["objects", "objects/pack", "ops", "ops/heads", "tmp", "cache"] {
        let copy = sample.copy();
        let path = copy.path().join(inside);
        std::fs::rename(&path, copy.path().join("moved")).expect("renamed");
        symlink(outside.path(), &path).expect("linked");
        let result = Store::open(copy.path());
        assert!(matches!(result, Err(Error::Io { .. })), "{inside}: {result:?}");
    }
    assert_eq!(std::fs::read_dir(outside.path()).expect("a directory").count(), 0);

    let copy = sample.copy();
    let packs = copy.path().join("objects").join("pack");
    let pack = std::fs::read_dir(&packs)
        .expect("a directory")
        .next()
        .expect("a pack");
    let pack = pack.expect("an entry").path();
    std::fs::rename(&pack, copy.path().join("moved")).expect("renamed");
    symlink(copy.path().join("moved"), &pack).expect("linked");
    let store = Store::open(copy.path()).expect("opened");
    assert!(
        store.stats().expect("sound").damaged[0]
            .expected
            .contains("regular file")
    );
    std::fs::remove_file(&pack).expect("removed");
    let made = std::process::Command::new("mkfifo").arg(&pack).status();
    if made.is_ok_and(|status| status.success()) {
        let store = Store::open(copy.path()).expect("opened, not blocked");
        assert_eq!(store.stats().expect("sound").damaged.len(), 1);
    }
}

#[test]
fn a_sync_that_fails_is_not_tried_again() {
    let sample = Sample::new(1);
    let clean = FaultyDisk::new(None);
    let copy = sample.copy();
    commit(&open(copy.path(), clean.clone()), 1).expect("committed");
    for at in 1..=clean.changes() {
        let copy = sample.copy();
        let disk = FaultyDisk::new(Some((at, Fault::Error(EIO))));
        let store = open(copy.path(), disk);
        if commit(&store, 1).is_err() {
            commit(&store, 1).expect("the next commit writes a file anew");
        }
        check(copy.path(), &sample, true, &format!("after EIO at {at}"));
    }
}
