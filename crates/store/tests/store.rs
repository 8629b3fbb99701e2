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
