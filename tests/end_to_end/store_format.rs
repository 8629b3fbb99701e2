//! The sample stores of `store-format/`: they stay readable, a reader written from
//! the pages alone agrees, and neither reader takes a damaged store for a sound one.
//!
//! A sample that no longer reads is a change of the format, and is answered by a
//! new version of it and never by a new sample of the old version.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

use map::{
    identity::TextRef,
    manifest::{MapReader, StoredLeaf},
    record::read_component,
};
use serde_json::Value;
use store::{Batch, Hash, Kind, Objects, RefUpdate, Store, Target, cbor::Encoder};
use tempfile::TempDir;

use crate::project::{Project, Run, repository};

fn sample(part: &str) -> PathBuf {
    repository().join("store-format/samples/v1").join(part)
}

/// Copies what is in a directory, over what is there.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            // Read and written, since packs are read-only and copies are to be damaged.
            fs::write(to, fs::read(entry.path()).unwrap()).unwrap();
        }
    }
}

/// A copy of the sample store in a directory of its own.
fn copy_of_sample() -> (TempDir, PathBuf) {
    let directory = TempDir::new().unwrap();
    let store = directory.path().join("store");
    copy(&sample("store"), &store);
    (directory, store)
}

/// The files of a store that are not empty, without what git needs.
fn files(store: &Path) -> Vec<PathBuf> {
    let mut files = vec![store.join("format")];
    files.extend(packs(store));
    files
}

fn packs(store: &Path) -> Vec<PathBuf> {
    let directory = fs::read_dir(store.join("objects/pack")).unwrap();
    let mut packs: Vec<PathBuf> = directory.map(|entry| entry.unwrap().path()).collect();
    packs.sort();
    packs
}

/// All that is wrong with a store, as far as the library knows.
fn problems(place: &Path) -> Vec<String> {
    let store = match Store::open(place) {
        Ok(store) => store,
        Err(error) => return vec![error.to_string()],
    };
    let report = match store.verify(&mut |_| {}) {
        Ok(report) => report,
        Err(error) => return vec![error.to_string()],
    };
    let mut problems: Vec<String> = report
        .problems
        .iter()
        .map(|damage| format!("{damage:?}"))
        .collect();
    if problems.is_empty() {
        problems.extend(read_all(&store).err());
    }
    problems
}

/// Reads every map of every operation down to its texts. The number of definitions
/// of each map, by key.
fn read_all(store: &Store) -> Result<BTreeMap<Hash, u64>, String> {
    let said = |error: store::Error| error.to_string();
    let mut maps = BTreeMap::new();
    for operation in store.operations().map_err(said)? {
        let view = store.view_at(&operation.map_err(said)?.key).map_err(said)?;
        for target in view.refs.values().filter(|target| target.kind == Kind::Map) {
            if let Entry::Vacant(place) = maps.entry(target.key) {
                place.insert(read_map(store, &target.key)?);
            }
        }
    }
    Ok(maps)
}

fn read_map(store: &Store, key: &Hash) -> Result<u64, String> {
    let said = |error: store::Error| error.to_string();
    let reader = MapReader::open(store, key).map_err(said)?;
    if !reader.has_canonical_tree().map_err(said)? {
        return Err("the tree is another than its leaves have".into());
    }
    let mut definitions = 0;
    for listed in reader.leaves().map_err(said)? {
        let stored: StoredLeaf = reader.leaf(&listed).map_err(said)?;
        let leaf = stored.decode().map_err(said)?;
        let source = store.get(Kind::Source, &leaf.source).map_err(said)?;
        source.ok_or_else(|| format!("{} has no source", leaf.path))?;
        for entry in &leaf.entries {
            let (component, _) = read_component(store, &entry.id.component).map_err(said)?;
            if !component.is_canonical() {
                return Err(format!("the component of {} is not canonical", entry.name));
            }
            let member = component
                .member(entry.id.rank)
                .ok_or("a rank that is not there")?;
            let text = store.get(Kind::Text, &member.text).map_err(said)?;
            let text = text.ok_or("a text that is not there")?;
            let text = TextRef::decode(&text.identity).map_err(said)?;
            if text.references as usize != member.references().len() {
                return Err(format!("{} has other references than its text", entry.name));
            }
            definitions += 1;
        }
    }
    Ok(definitions)
}

/// What the Python reader says of each store, or nothing if it cannot run.
fn read_in_python(stores: &[&Path]) -> Option<Vec<Value>> {
    let needs = "import blake3, cbor2, zstandard";
    let found = Command::new("python3").args(["-c", needs]).output();
    if !found.is_ok_and(|output| output.status.success()) {
        assert!(
            std::env::var_os("RENYI_REQUIRE_TOOLS").is_none(),
            "python3 with blake3, cbor2 and zstandard is required"
        );
        eprintln!("not run: python3 has no blake3, cbor2 and zstandard");
        return None;
    }
    let output = Command::new("python3")
        .arg("-B")
        .arg(repository().join("store-format/reader/read_store.py"))
        .arg("--json")
        .args(stores)
        .output()
        .unwrap();
    let run = Run::of(output);
    assert!(run.stderr.is_empty(), "{}", run.stderr);
    let reports: Vec<Value> = run
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(reports.len(), stores.len());
    let all_sound = reports.iter().all(is_sound);
    assert_eq!(run.code, i32::from(!all_sound));
    Some(reports)
}

fn is_sound(report: &Value) -> bool {
    report["problems"].as_array().unwrap().is_empty()
}

/// Both readers find the same names and maps in a sound store.
fn check_sound(place: &Path) -> BTreeMap<Hash, u64> {
    let store = Store::open(place).unwrap();
    let verified = store.verify(&mut |_| {}).unwrap();
    assert_eq!(verified.problems, []);
    let maps = read_all(&store).unwrap();
    if let Some(reports) = read_in_python(&[place]) {
        let report = &reports[0];
        assert!(is_sound(report), "{report:#}");
        let names: BTreeMap<String, String> = store
            .refs()
            .unwrap()
            .into_iter()
            .map(|(name, target)| (name, format!("{} {}", target.kind.name(), target.key)))
            .collect();
        assert_eq!(report["names"], serde_json::json!(names));
        let read: BTreeMap<Hash, u64> = report["maps"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(key, counts)| (key.parse().unwrap(), counts["definitions"].as_u64().unwrap()))
            .collect();
        assert_eq!(read, maps);
        assert_eq!(report["operations"], verified.operations);
        let objects = report["objects"].as_object().unwrap().values();
        let unique: u64 = objects.map(|count| count.as_u64().unwrap()).sum();
        assert!(unique <= verified.objects);
    }
    maps
}

#[test]
fn the_sample_stays_readable() {
    let (_directory, store) = copy_of_sample();
    let maps = check_sound(&store);
    assert_eq!(maps.len(), 3);
    assert!(maps.values().all(|&definitions| definitions > 300), "{maps:?}");
    // Two writers that did not see each other: the later one has the name.
    let names: Vec<String> = Store::open(&store).unwrap().refs().unwrap().into_keys().collect();
    let [conflict, main] = &names[..] else {
        panic!("{names:?}")
    };
    assert!(conflict.starts_with("conflict/worktrees/main/"), "{conflict}");
    assert_eq!(main, "worktrees/main");
}

#[test]
fn the_sample_goes_on() {
    let (directory, store) = copy_of_sample();
    let sources = directory.path().join("source");
    copy(&sample("source"), &sources);
    index(&sources, &store);
    check_sound(&store);
    assert_eq!(Store::open(&store).unwrap().view().unwrap().heads.len(), 1);
}

#[test]
fn a_new_store_reads_alike() {
    let directory = TempDir::new().unwrap();
    let (sources, store) = (directory.path().join("source"), directory.path().join("store"));
    copy(&sample("source"), &sources);
    index(&sources, &store);
    fs::remove_file(sources.join("ledger/equal.go")).unwrap();
    index(&sources, &store);
    assert_eq!(check_sound(&store).len(), 2);
    // Many operations: views on views, and packs merged on the way.
    for at in 0..40 {
        let text = format!("package ledger\n\nfunc f{at}() int {{ return {at} }}\n");
        fs::write(sources.join("ledger/more.go"), text).unwrap();
        index(&sources, &store);
    }
    assert!(packs(&store).len() < 40);
    assert_eq!(check_sound(&store).len(), 42);
}

fn index(sources: &Path, store: &Path) {
    let command = ["index", "--summary", "-q", "--store", store.to_str().unwrap()];
    let run = Command::new(env!("CARGO_BIN_EXE_renyi"))
        .args(command)
        .current_dir(sources)
        .output();
    let run = Run::of(run.unwrap());
    // A file that ends in the middle is ordinary input.
    assert!(run.code < 2, "{run:#?}");
}

/// Copies of the sample, each damaged in its own way, and what was done to them.
struct Damaged {
    directory: TempDir,
    copies: Vec<(PathBuf, String)>,
}

impl Damaged {
    fn new() -> Self {
        Self {
            directory: TempDir::new().unwrap(),
            copies: Vec::new(),
        }
    }

    fn add(&mut self, what: String, damage: impl FnOnce(&Path)) {
        let store = self.directory.path().join(self.copies.len().to_string());
        copy(&sample("store"), &store);
        damage(&store);
        self.copies.push((store, what));
    }

    /// Neither reader takes any of them for sound.
    #[track_caller]
    fn are_refused(&self) {
        for (store, what) in &self.copies {
            assert_ne!(problems(store), [""; 0], "{what}: not seen by the library");
        }
        let stores: Vec<&Path> = self.copies.iter().map(|(store, _)| &**store).collect();
        for (report, (_, what)) in read_in_python(&stores).iter().flatten().zip(&self.copies) {
            assert!(!is_sound(report), "{what}: not seen in Python");
        }
    }
}

#[test]
fn a_flipped_bit_is_seen() {
    let mut damaged = Damaged::new();
    let (_directory, store) = copy_of_sample();
    for file in files(&store) {
        let name = file.strip_prefix(&store).unwrap().to_owned();
        let bytes = fs::read(&file).unwrap();
        // Spread over the file, and each of the last bytes, which are the trailer.
        let step = (bytes.len() / 60).max(1);
        let tail = bytes.len().saturating_sub(136)..bytes.len();
        for at in (0..bytes.len()).step_by(step).chain(tail.step_by(7)) {
            let bit = at % 8;
            damaged.add(format!("{}: bit {bit} of byte {at}", name.display()), |store| {
                let mut bytes = bytes.clone();
                bytes[at] ^= 1 << bit;
                fs::write(store.join(&name), bytes).unwrap();
            });
        }
    }
    assert!(damaged.copies.len() > 200);
    damaged.are_refused();
}

#[test]
fn missing_bytes_and_files_are_seen() {
    let mut damaged = Damaged::new();
    let (_directory, store) = copy_of_sample();
    for file in files(&store) {
        let name = file.strip_prefix(&store).unwrap().to_owned();
        let bytes = fs::read(&file).unwrap();
        // Without its last line, `format` says no less.
        let longest = bytes.len() - if name == Path::new("format") { 20 } else { 1 };
        for at in [0, 1, bytes.len() / 3, longest] {
            damaged.add(format!("{}: the first {at} bytes", name.display()), |store| {
                fs::write(store.join(&name), &bytes[..at]).unwrap();
            });
        }
        damaged.add(format!("{}: missing", name.display()), |store| {
            fs::remove_file(store.join(&name)).unwrap();
        });
    }
    for pack in packs(&store) {
        let name = pack.file_name().unwrap().to_owned();
        damaged.add(format!("{}: another name", name.display()), |store| {
            let directory = store.join("objects/pack");
            let other = format!("{}.rpk", "0".repeat(64));
            fs::rename(directory.join(&name), directory.join(other)).unwrap();
        });
        damaged.add(format!("{}: a byte more", name.display()), |store| {
            let path = store.join("objects/pack").join(&name);
            let mut bytes = fs::read(&path).unwrap();
            bytes.push(0);
            fs::write(path, bytes).unwrap();
        });
    }
    damaged.add("a head of no operation".into(), |store| {
        fs::write(store.join("ops/heads").join("0".repeat(64)), "").unwrap();
    });
    damaged.add("a head that is not empty".into(), |store| {
        let head = fs::read_dir(store.join("ops/heads")).unwrap().next().unwrap();
        fs::write(head.unwrap().path(), "x").unwrap();
    });
    damaged.are_refused();
}

/// A flipped bit behind hashes that were made to fit: the two readers agree on what is
/// damaged then too, which is nearly all. (A pack's sequence may be any number.)
#[test]
fn a_flipped_bit_under_right_hashes_is_judged_alike() {
    let mut damaged = Damaged::new();
    for pack in packs(&sample("store")) {
        let name = pack.file_name().unwrap().to_owned();
        let bytes = fs::read(&pack).unwrap();
        let tail = bytes.len().saturating_sub(2000)..bytes.len() - 32;
        for at in (0..bytes.len()).step_by(bytes.len() / 15).chain(tail.step_by(90)) {
            let bit = at % 7;
            damaged.add(format!("{}: bit {bit} of byte {at}", name.display()), |store| {
                let directory = store.join("objects/pack");
                let mut bytes = bytes.clone();
                bytes[at] ^= 1 << bit;
                store::fuzzing::seal(&mut bytes);
                let sealed = Hash(*bytes.last_chunk().unwrap());
                fs::remove_file(directory.join(&name)).unwrap();
                fs::write(directory.join(format!("{sealed}.rpk")), bytes).unwrap();
            });
        }
    }
    let sound: Vec<bool> = damaged
        .copies
        .iter()
        .map(|(store, _)| problems(store).is_empty())
        .collect();
    let damaged_ones = sound.iter().filter(|sound| !**sound).count();
    assert!(
        damaged_ones * 10 > sound.len() * 9,
        "{damaged_ones} of {}",
        sound.len()
    );
    let stores: Vec<&Path> = damaged.copies.iter().map(|(store, _)| &**store).collect();
    for ((report, sound), (_, what)) in read_in_python(&stores)
        .iter()
        .flatten()
        .zip(sound)
        .zip(&damaged.copies)
    {
        assert_eq!(is_sound(report), sound, "{what}: {}", report["problems"]);
    }
}

/// Whole packs with right hashes of wrong objects: what a faulty writer would make.
#[test]
fn wrong_objects_under_right_keys_are_seen() {
    let mut damaged = Damaged::new();
    for (what, make) in wrong_objects() {
        damaged.add(what.to_owned(), |place| {
            let store = Store::open(place).unwrap();
            let mut batch = Batch::new();
            let target = make(&store, &mut batch);
            let update = RefUpdate::set("wrong", target, 1_700_000_000, what);
            store.commit(&batch, &update).unwrap();
        });
    }
    damaged.are_refused();
}

type MakeWrong = fn(&Store, &mut Batch) -> Target;

fn wrong_objects() -> Vec<(&'static str, MakeWrong)> {
    vec![
        ("an integer in a longer form", |_, batch| {
            // [5, 5], the second in two bytes.
            put(batch, Kind::Text, vec![0x82, 0x05, 0x18, 0x05])
        }),
        ("bytes after an object", |store, batch| {
            let mut bytes = main_map(store).1;
            bytes.push(0);
            put(batch, Kind::Map, bytes)
        }),
        ("a map of another count", |store, batch| {
            let (map, _) = main_map(store);
            let reader = MapReader::open(store, &map).unwrap();
            let mut root = reader.root().clone();
            root.tree.counts.definitions += 1;
            let key = root.put(batch);
            target(Kind::Map, key)
        }),
        ("a map without a tree", |store, batch| {
            let (map, _) = main_map(store);
            let reader = MapReader::open(store, &map).unwrap();
            let mut root = reader.root().clone();
            root.tree.key = Hash([7; 32]);
            let key = root.put(batch);
            target(Kind::Map, key)
        }),
        ("an entry of a missing component", |_, batch| {
            leaf_with(batch, Hash([7; 32]), 0)
        }),
        ("an entry of a rank that is not there", |store, batch| {
            leaf_with(batch, some_component(store), 9)
        }),
        ("members in another order", |_, batch| {
            let component = component(batch, |text, encoder| {
                // Two members that call each other, the later text first.
                let (low, high) = (text(1).min(text(2)), text(1).max(text(2)));
                encoder.array(2).array(0).array(2);
                encoder.array(2).byte_string(high.as_bytes()).array(1).uint(1);
                encoder.array(2).byte_string(low.as_bytes()).array(1).uint(0);
            });
            leaf_with(batch, component, 0)
        }),
        ("members that are alike", |_, batch| {
            let component = component(batch, |text, encoder| {
                encoder.array(2).array(0).array(2);
                encoder.array(2).byte_string(text(1).as_bytes()).array(1).uint(1);
                encoder.array(2).byte_string(text(1).as_bytes()).array(1).uint(0);
            });
            leaf_with(batch, component, 0)
        }),
        ("members in two components", |_, batch| {
            let component = component(batch, |text, encoder| {
                let (low, high) = (text(1).min(text(2)), text(1).max(text(2)));
                encoder.array(2).array(0).array(2);
                encoder.array(2).byte_string(low.as_bytes()).array(1).uint(0);
                encoder.array(2).byte_string(high.as_bytes()).array(1).uint(1);
            });
            leaf_with(batch, component, 0)
        }),
        ("an id that nothing refers to", |store, batch| {
            let component = component(batch, |text, encoder| {
                encoder
                    .array(2)
                    .array(1)
                    .byte_string(some_component(store).as_bytes());
                encoder
                    .array(1)
                    .array(2)
                    .byte_string(text(1).as_bytes())
                    .array(1)
                    .uint(0);
            });
            leaf_with(batch, component, 0)
        }),
        ("a reference that the text does not have", |_, batch| {
            let component = component(batch, |text, encoder| {
                let text = text(1);
                encoder.array(2).array(0).array(1);
                encoder
                    .array(2)
                    .byte_string(text.as_bytes())
                    .array(2)
                    .uint(0)
                    .uint(0);
            });
            leaf_with(batch, component, 0)
        }),
        ("a view whose base is missing", |store, batch| {
            let (map, _) = main_map(store);
            let mut view = Encoder::new();
            view.array(2).byte_string(&[7; 32]).array(1).array(3);
            view.text("name")
                .uint(Kind::Map as u64)
                .byte_string(map.as_bytes());
            put(batch, Kind::View, view.into_bytes());
            target(Kind::Map, map)
        }),
    ]
}

fn target(kind: Kind, key: Hash) -> Target {
    Target { kind, key }
}

fn put(batch: &mut Batch, kind: Kind, bytes: Vec<u8>) -> Target {
    let key = batch.put(kind, bytes, None);
    target(kind, key)
}

/// The key and bytes of the map that the sample's worktree has.
fn main_map(store: &Store) -> (Hash, Vec<u8>) {
    let key = store.get_ref("worktrees/main").unwrap().unwrap().key;
    let object = store.get(Kind::Map, &key).unwrap().unwrap();
    (key, object.identity.to_vec())
}

fn some_component(store: &Store) -> Hash {
    let mut found = None;
    store
        .for_each(|listed| {
            if listed.kind == Kind::Component {
                found.get_or_insert(listed.key);
            }
        })
        .unwrap();
    found.unwrap()
}

/// Puts a component over texts of one reference each, told apart by a number.
fn component(batch: &mut Batch, write: impl FnOnce(&dyn Fn(u8) -> Hash, &mut Encoder)) -> Hash {
    let texts: Vec<Hash> = (0..3)
        .map(|number| {
            let mut text = Encoder::new();
            text.array(4).text("go").uint(1).uint(0).array(2);
            text.text(&format!("{number}")).uint(1);
            batch.put(Kind::Text, text.into_bytes(), None)
        })
        .collect();
    let mut encoder = Encoder::new();
    write(&|number| texts[usize::from(number)], &mut encoder);
    batch.put(Kind::Component, encoder.into_bytes(), None)
}

/// Puts a map of one leaf with one entry.
fn leaf_with(batch: &mut Batch, component: Hash, rank: u32) -> Target {
    use map::{
        DefinitionId, DefinitionKind,
        manifest::{self, Leaf, Location, MapRoot, build_tree},
    };
    let source = batch.put(Kind::Source, b"x\n".to_vec(), None);
    let mut leaf = Leaf::new("x.go", "x", "go", source);
    let mut entry = manifest::Entry::new("x", DefinitionKind::Function, DefinitionId::new(component, rank));
    entry.location = Location {
        start: 0,
        end: 1,
        first_line: 1,
        last_line: 1,
    };
    leaf.entries.push(entry);
    let leaf = leaf.put(batch).unwrap();
    let root = MapRoot {
        extractors: [("go".to_owned(), 1)].into(),
        tree: build_tree([leaf], batch),
    };
    let key = root.put(batch);
    target(Kind::Map, key)
}

/// The sample: one map, then two writers that both start from it, and the packs of
/// the first of them merged.
#[test]
#[ignore = "writes the sample of a version of the format, once"]
fn make_the_sample() {
    let project = Project::new("");
    let place = |name: &str| project.path().join(name);
    let (sources, store, other) = (place("source"), place("store"), place("other"));
    copy(&sample("source"), &sources);
    copy(&sample("before"), &sources);
    index(&sources, &store);
    copy(&store, &other);

    copy(&sample("source"), &sources);
    index(&sources, &store);
    let merged: Vec<PathBuf> = packs(&store);
    fs::remove_file(sources.join("ledger/equal.go")).unwrap();
    // The second writer is the later one.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    index(&sources, &other);
    Store::open(&store).unwrap().compact().unwrap();

    for pack in packs(&other) {
        let name = pack.file_name().unwrap();
        if merged.iter().all(|merged| merged.file_name() != Some(name)) {
            fs::copy(&pack, store.join("objects/pack").join(name)).unwrap();
        }
    }
    copy(&other.join("ops"), &store.join("ops"));
    fs::remove_dir_all(store.join("cache")).unwrap();
    match fs::remove_dir_all(sample("store")) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => panic!("{error}"),
        _ => copy(&store, &sample("store")),
    }
}
