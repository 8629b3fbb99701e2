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
