//! The store as its users see it.

use std::collections::BTreeMap;

use store::{Batch, Error, Hash, Kind, Objects, RefUpdate, Store, Target};

fn target(key: Hash) -> Target {
    Target {
        kind: Kind::Source,
        key,
    }
}

fn set(name: &str, key: Hash, time: u64) -> RefUpdate {
    RefUpdate::set(name, target(key), time, &format!("set {name}"))
}

#[test]
fn what_is_committed_is_read_back_by_another() {
    let dir = tempfile::tempdir().expect("a directory");
    let root = dir.path().join("deep").join(".renyi");
    assert!(matches!(Store::open(&root), Err(Error::NotAStore { .. })));
    let store = Store::create_or_open(&root).expect("created");
    let mut batch = Batch::new();
    let source = batch.put(Kind::Source, b"def f(): pass\n".to_vec(), None);
    let empty = batch.put(Kind::Source, Vec::new(), None);
    let component = batch.put(Kind::Component, vec![0x80], Some(vec![1, 2, 3]));
    let bare = batch.put(Kind::Component, vec![0x81, 0x80], Some(Vec::new()));
    let commit = store
        .commit(&batch, &set("heads/main", source, 7))
        .expect("committed");
    assert_eq!(commit.objects_written, 4);
    let operation = commit.operation.expect("a name moved");

    let reader = Store::open(&root).expect("opened");
    let read = |kind, key| reader.get(kind, &key).expect("sound").expect("held");
    assert_eq!(&*read(Kind::Source, source).identity, b"def f(): pass\n");
    assert_eq!(&*read(Kind::Source, empty).identity, b"");
    assert_eq!(
        read(Kind::Component, component).record.as_deref(),
        Some(&[1, 2, 3][..])
    );
    assert_eq!(read(Kind::Component, bare).record.as_deref(), Some(&[][..]));
    assert!(
        reader.get(Kind::Text, &source).expect("no error").is_none(),
        "another kind"
    );
    assert_eq!(
        reader.refs().expect("sound"),
        BTreeMap::from([("heads/main".into(), target(source))])
    );
    let operations: Vec<_> = reader
        .operations()
        .expect("sound")
        .collect::<Result<_, _>>()
        .expect("sound");
    assert_eq!(operations.len(), 1);
    assert_eq!(operations[0].key, operation);
    assert_eq!(
        (operations[0].time, &*operations[0].description),
        (7, "set heads/main")
    );
    assert_eq!(
        reader.resolve_prefix(&source.to_hex()[..9]).expect("a prefix"),
        [(Kind::Source, source)]
    );
    assert!(matches!(reader.resolve_prefix("abc"), Err(Error::Name { .. })));

    // What another wrote since is seen.
    let mut more = Batch::new();
    let text = more.put(Kind::Text, vec![0x82, 0x01, 0x02], None);
    let commit = store.commit(&more, &RefUpdate::default()).expect("committed");
    assert_eq!((commit.operation, commit.objects_written), (None, 1));
    assert_eq!(&*read(Kind::Text, text).identity, [0x82, 0x01, 0x02]);
}

#[test]
fn a_commit_of_what_is_held_writes_nothing() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = Store::create_or_open(dir.path()).expect("created");
    let mut batch = Batch::new();
    let key = batch.put(Kind::Source, b"x".to_vec(), None);
    batch.put(Kind::Component, vec![0x80], Some(vec![1]));
    store.commit(&batch, &set("a", key, 1)).expect("committed");
    let before = files(dir.path());
    let again = store.commit(&batch, &set("a", key, 2)).expect("committed");
    assert_eq!(
        (again.operation, again.objects_written, again.bytes_written),
        (None, 0, 0)
    );
    assert_eq!(files(dir.path()), before);

    // Another record is written, and then it is the one.
    let mut batch = Batch::new();
    let key = batch.put(Kind::Component, vec![0x80], Some(vec![2]));
    let commit = store.commit(&batch, &RefUpdate::default()).expect("committed");
    assert_eq!(commit.objects_written, 1);
    let object = store.get(Kind::Component, &key).expect("sound").expect("held");
    assert_eq!(object.record.as_deref(), Some(&[2][..]));
}

#[test]
fn an_update_is_refused_with_its_reason() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = Store::create_or_open(dir.path()).expect("created");
    let mut batch = Batch::new();
    let key = batch.put(Kind::Source, b"x".to_vec(), None);
    let missing = set("a", store::hash(Kind::Source, b"y"), 1);
    assert!(matches!(
        store.commit(&batch, &missing),
        Err(Error::Missing { .. })
    ));
    for name in ["", "a\0b", &"x".repeat(4097)] {
        let error = store.commit(&batch, &set(name, key, 1)).expect_err("a bad name");
        assert!(matches!(error, Error::Name { .. }), "{error}");
    }
    let mut update = set("a", key, 1);
    update.expected = Some(BTreeMap::from([("a".into(), Some(target(key)))]));
    assert!(matches!(
        store.commit(&batch, &update),
        Err(Error::Moved { found: None, .. })
    ));
    update.expected = Some(BTreeMap::from([("a".into(), None)]));
    store.commit(&batch, &update).expect("committed");
    // Names never become file names.
    for name in ["CON", "a/b", "../../x", "é", "e\u{301}", &"x".repeat(4096)] {
        store.commit(&batch, &set(name, key, 1)).expect("committed");
    }
    assert_eq!(store.refs().expect("sound").len(), 7);
}

fn files(root: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(root).expect("a directory") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => found.push(path),
        }
    }
    found.sort();
    found
}

fn sources(batch: &mut Batch, step: u32) -> Vec<Hash> {
    let text = |n: u32| format!("def f_{n}(x):\n    return x + {n} * {step}\n").repeat(1 + n as usize % 7);
    (0..20)
        .map(|n| batch.put(Kind::Source, text(n).into_bytes(), None))
        .collect()
}

#[test]
fn compaction_keeps_every_object_and_few_packs() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = Store::create_or_open(dir.path()).expect("created");
    let reader = Store::open(dir.path()).expect("opened");
    let mut keys = Vec::new();
    for step in 0..150 {
        let mut batch = Batch::new();
        keys.extend(sources(&mut batch, step));
        let record = step.to_be_bytes().to_vec();
        batch.put(Kind::Component, vec![0x80], Some(record));
        let update = set(&format!("git/{step}"), keys[0], u64::from(step));
        let commit = store.commit(&batch, &update).expect("committed");
        assert!(commit.compaction_error.is_none());
        assert!(store.stats().expect("sound").packs <= 33);
    }
    let compaction = store.compact().expect("compacted");
    assert!(compaction.bytes_after < compaction.bytes_before);
    assert_eq!(store.stats().expect("sound").packs, 1);
    for store in [&store, &reader, &Store::open(dir.path()).expect("opened")] {
        for key in &keys {
            assert!(store.get(Kind::Source, key).expect("sound").is_some());
        }
        assert_eq!(store.refs().expect("sound").len(), 150);
        assert_eq!(store.operations().expect("sound").count(), 150);
        let component = store
            .get(Kind::Component, &store::hash(Kind::Component, &[0x80]))
            .expect("sound")
            .expect("held");
        assert_eq!(
            component.record.as_deref(),
            Some(&149u32.to_be_bytes()[..]),
            "the newest record"
        );
    }
    let mut steps = 0;
    let report = store.verify(&mut |_| steps += 1).expect("verified");
    assert_eq!(report.problems, []);
    assert_eq!((steps, report.operations), (1, 150));
    let mut listed = 0;
    store.for_each(|_| listed += 1).expect("listed");
    assert_eq!(listed, report.objects);
}

#[test]
fn the_cache_may_be_lost_at_any_time() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = Store::create_or_open(dir.path()).expect("created");
    let key = |n: u32| store::hash(Kind::Source, &n.to_be_bytes());
    let value = |n: u32| n.to_be_bytes().repeat(1 + n as usize * 37 % 9000);
    for step in 0..80u32 {
        let values = (step * 5..step * 5 + 5).map(|n| ("skeleton", key(n), value(n)));
        store.cache().put_batch(values.collect()).expect("put");
    }
    assert!(store.cache().size().0 <= 33);
    let all_there = |store: &Store| {
        (0..400).all(|n| store.cache().get("skeleton", &key(n)).as_deref() == Some(&value(n)[..]))
    };
    assert!(all_there(&store));
    assert!(all_there(&Store::open(dir.path()).expect("opened")));
    assert_eq!(store.cache().get("other", &key(1)), None);
    store.cache().put_file("stat", b"abc").expect("put");
    store.cache().put_file("stat", b"abcd").expect("put");
    assert_eq!(store.cache().file("stat").as_deref(), Some(&b"abcd"[..]));
    assert!(store.cache().put_file("../x", b"").is_err());

    // Damage is a miss.
    let cache = dir.path().join("cache");
    for path in files(&cache) {
        let mut bytes = std::fs::read(&path).expect("read");
        let middle = bytes.len() / 2;
        if let Some(byte) = bytes.get_mut(middle) {
            *byte ^= 1;
            std::fs::remove_file(&path).expect("removed");
            std::fs::write(&path, bytes).expect("written");
        }
    }
    let damaged = Store::open(dir.path()).expect("opened");
    assert_eq!(damaged.cache().file("stat"), None);
    for n in 0..400 {
        let found = damaged.cache().get("skeleton", &key(n));
        assert!(found.is_none_or(|found| *found == value(n)[..]));
    }
    // And what is missed can be put again.
    let values: Vec<_> = (0..400).map(|n| ("skeleton", key(n), value(n))).collect();
    damaged.cache().put_batch(values).expect("put");
    assert!(all_there(&damaged));
    std::fs::remove_dir_all(&cache).expect("removed");
    let empty = Store::open(dir.path()).expect("opened");
    assert_eq!(empty.cache().get("skeleton", &key(1)), None);
    assert_eq!(empty.cache().file("stat"), None);
    empty
        .cache()
        .put_batch(vec![("skeleton", key(1), value(1))])
        .expect("put");
    assert!(empty.cache().get("skeleton", &key(1)).is_some());
}

/// Commits `count` times under its own names, and once each time under a shared one.
fn write_as(root: &std::path::Path, writer: u32, count: u32) {
    let store = Store::create_or_open(root).expect("opened");
    for step in 0..count {
        let mut batch = Batch::new();
        batch.put(Kind::Source, format!("common {step}").into_bytes(), None);
        let own = batch.put(Kind::Source, format!("writer {writer} {step}").into_bytes(), None);
        let update = RefUpdate {
            refs: BTreeMap::from([
                (format!("own/{writer}"), Some(target(own))),
                (format!("step/{writer}/{step}"), Some(target(own))),
            ]),
            time: u64::from(step),
            description: format!("writer {writer}"),
            ..RefUpdate::default()
        };
        let commit = store.commit(&batch, &update).expect("committed");
        assert!(commit.compaction_error.is_none(), "{:?}", commit.compaction_error);
        let found = store.get_ref(&format!("own/{writer}")).expect("sound");
        assert_eq!(found, Some(target(own)), "what was acknowledged is there");
    }
}

fn check_written(root: &std::path::Path, writers: u32, count: u32) {
    let store = Store::open(root).expect("opened");
    let refs = store.refs().expect("sound");
    for writer in 0..writers {
        for step in 0..count {
            let key = store::hash(Kind::Source, format!("writer {writer} {step}").as_bytes());
            assert_eq!(refs.get(&format!("step/{writer}/{step}")), Some(&target(key)));
            assert!(store.get(Kind::Source, &key).expect("sound").is_some());
        }
    }
    assert_eq!(refs.len() as u32, writers * (count + 1), "no conflicts");
    let operations = store
        .operations()
        .expect("sound")
        .map(|operation| operation.expect("sound"));
    assert_eq!(operations.count() as u32, writers * count);
    assert_eq!(store.verify(&mut |_| ()).expect("verified").problems, []);
    store
        .commit(
            &Batch::new(),
            &RefUpdate {
                refs: BTreeMap::from([("own/0".into(), None)]),
                ..RefUpdate::default()
            },
        )
        .expect("committed");
    let heads = std::fs::read_dir(root.join("ops").join("heads")).expect("a directory");
    assert_eq!(heads.count(), 1, "all heads are joined");
}

#[test]
fn threads_that_write_at_once_lose_nothing() {
    let dir = tempfile::tempdir().expect("a directory");
    let root = dir.path();
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        // A reader meets only whole states meanwhile.
        scope.spawn(|| {
            let store = Store::create_or_open(root).expect("opened");
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                for (name, target) in store.refs().expect("sound") {
                    let object = store.get(target.kind, &target.key).expect("sound");
                    assert!(object.is_some(), "{name} is named and missing");
                }
            }
        });
        let writers: Vec<_> = (0..32)
            .map(|writer| scope.spawn(move || write_as(root, writer, 5)))
            .collect();
        let results: Vec<_> = writers.into_iter().map(|writer| writer.join()).collect();
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(results.iter().all(Result::is_ok));
    });
    check_written(root, 32, 5);
}

/// Not a test by itself: what [`processes_that_write_at_once_lose_nothing`] starts.
#[test]
fn a_process_that_writes() {
    let Ok(work) = std::env::var("RENYI_TEST_WRITER") else {
        return;
    };
    let (writer, root) = work.split_once(' ').expect("two words");
    write_as(root.as_ref(), writer.parse().expect("a number"), 5);
}

#[test]
fn processes_that_write_at_once_lose_nothing() {
    let dir = tempfile::tempdir().expect("a directory");
    let binary = std::env::current_exe().expect("a path");
    let writers: Vec<_> = (0..32)
        .map(|writer| {
            std::process::Command::new(&binary)
                .args(["--exact", "a_process_that_writes"])
                .env("RENYI_TEST_WRITER", format!("{writer} {}", dir.path().display()))
                .stdout(std::process::Stdio::null())
                .spawn()
                .expect("started")
        })
        .collect();
    for mut writer in writers {
        assert!(writer.wait().expect("ended").success());
    }
    check_written(dir.path(), 32, 5);
}

/// Two stores that were one, brought together file by file.
fn bring_together(from: &std::path::Path, to: &std::path::Path) {
    for path in files(from) {
        let copy = to.join(path.strip_prefix(from).expect("inside"));
        if !copy.exists() {
            std::fs::copy(&path, copy).expect("copied");
        }
    }
}

#[test]
fn two_histories_are_joined_and_conflicts_are_kept() {
    let (left, right) = (
        tempfile::tempdir().expect("a directory"),
        tempfile::tempdir().expect("a directory"),
    );
    let store = Store::create_or_open(left.path()).expect("created");
    let mut batch = Batch::new();
    let keys: Vec<Hash> = (0..9u8).map(|n| batch.put(Kind::Source, vec![n], None)).collect();
    let refs = |pairs: &[(&str, Option<usize>)], time| RefUpdate {
        refs: pairs
            .iter()
            .map(|(name, at)| ((*name).to_owned(), at.map(|at| target(keys[at]))))
            .collect(),
        time,
        ..RefUpdate::default()
    };
    let base = [
        ("both", Some(0)),
        ("left", Some(0)),
        ("right", Some(0)),
        ("gone", Some(0)),
        ("kept", Some(0)),
    ];
    store.commit(&batch, &refs(&base, 1)).expect("committed");
    Store::create_or_open(right.path()).expect("created");
    bring_together(left.path(), right.path());
    let other = Store::open(right.path()).expect("opened");
    let on_left = [
        ("both", Some(1)),
        ("left", Some(2)),
        ("gone", None),
        ("kept", None),
    ];
    let loser = store
        .commit(&batch, &refs(&on_left, 5))
        .expect("committed")
        .operation
        .expect("moved");
    let on_right = [
        ("both", Some(3)),
        ("right", Some(4)),
        ("kept", Some(6)),
        ("new", Some(5)),
    ];
    other.commit(&batch, &refs(&on_right, 9)).expect("committed");
    bring_together(left.path(), right.path());
    bring_together(right.path(), left.path());

    let mut expected = BTreeMap::from([
        ("both".to_owned(), target(keys[3])),
        (
            format!("conflict/both/{}", &loser.to_hex()[..12]),
            target(keys[1]),
        ),
        ("kept".to_owned(), target(keys[6])),
        ("left".to_owned(), target(keys[2])),
        ("new".to_owned(), target(keys[5])),
        ("right".to_owned(), target(keys[4])),
    ]);
    for store in [&store, &other] {
        let view = store.view().expect("joined");
        assert_eq!(view.refs, expected);
        // Removals that did not reach the disk have left an ancestor, too.
        assert_eq!(view.heads.len(), 2);
    }
    let joined = store
        .commit(&batch, &refs(&[("left", Some(7))], 10))
        .expect("committed");
    expected.insert("left".to_owned(), target(keys[7]));
    let view = store.view().expect("sound");
    assert_eq!(
        (view.refs, view.heads),
        (expected, vec![joined.operation.expect("moved")])
    );
}

mod properties {
    use proptest::prelude::*;

    use super::*;

    #[derive(Debug, Clone)]
    enum Step {
        Commit(Vec<(Vec<u8>, Option<Vec<u8>>)>, u8),
        Remove(u8),
        Compact,
        Reopen,
    }

    fn step() -> impl Strategy<Value = Step> {
        let bytes = || proptest::collection::vec(any::<u8>(), 0..400);
        let object = (bytes(), proptest::option::of(bytes()));
        prop_oneof![
            6 => (proptest::collection::vec(object, 0..12), any::<u8>()).prop_map(|(objects, name)| Step::Commit(objects, name)),
            1 => any::<u8>().prop_map(Step::Remove),
            1 => Just(Step::Compact),
            1 => Just(Step::Reopen),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn a_store_is_a_map_that_survives(steps in proptest::collection::vec(step(), 1..40)) {
            let dir = tempfile::tempdir().expect("a directory");
            let mut store = Store::create_or_open(dir.path()).expect("created");
            let mut objects = BTreeMap::new();
            let mut names = BTreeMap::new();
            for (time, step) in steps.into_iter().enumerate() {
                let time = time as u64;
                match step {
                    Step::Commit(new, name) => {
                        let mut batch = Batch::new();
                        let mut last = None;
                        for (bytes, record) in new {
                            let key = batch.put(Kind::Source, bytes.clone(), record.clone());
                            // The first of a batch counts, and no record takes none away.
                            let of_batch = batch.get(Kind::Source, &key).expect("sound").expect("held");
                            if of_batch.record.is_some() || !objects.contains_key(&key) {
                                objects.insert(key, (bytes, of_batch.record));
                            }
                            last = Some(key);
                        }
                        let update = match last {
                            Some(key) => {
                                names.insert(format!("n{}", name % 8), target(key));
                                set(&format!("n{}", name % 8), key, time)
                            }
                            None => RefUpdate::default(),
                        };
                        store.commit(&batch, &update).expect("committed");
                    }
                    Step::Remove(name) => {
                        let name = format!("n{}", name % 8);
                        names.remove(&name);
                        let refs = BTreeMap::from([(name, None)]);
                        store.commit(&Batch::new(), &RefUpdate { refs, time, ..RefUpdate::default() }).expect("committed");
                    }
                    Step::Compact => drop(store.compact().expect("compacted")),
                    Step::Reopen => store = Store::open(dir.path()).expect("opened"),
                }
                prop_assert_eq!(&store.refs().expect("sound"), &names);
            }
            for (key, (bytes, record)) in &objects {
                let object = store.get(Kind::Source, key).expect("sound").expect("held");
                prop_assert_eq!(&*object.identity, &bytes[..]);
                prop_assert_eq!(&object.record, record);
            }
            prop_assert_eq!(store.verify(&mut |_| ()).expect("verified").problems, vec![]);
        }

        #[test]
        fn random_bytes_as_a_pack_are_reported(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
            let dir = tempfile::tempdir().expect("a directory");
            let store = Store::create_or_open(dir.path()).expect("created");
            let path = dir.path().join("objects/pack").join(format!("{}.rpk", "0".repeat(64)));
            std::fs::write(path, bytes).expect("written");
            prop_assert!(store.get(Kind::Source, &Hash([0; 32])).is_err());
            prop_assert_eq!(store.verify(&mut |_| ()).expect("verified").problems.len(), 1);
        }
    }
}
