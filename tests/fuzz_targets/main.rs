//! Runs the bodies of the fuzz targets (`fuzz/`) without a fuzzer: over seeds, made
//! of the repository's cases and sample stores, and over mutations of them.
//!
//! `write_the_seeds` puts the same seeds where cargo-fuzz looks for them.

use std::{
    fs, panic,
    path::{Path, PathBuf},
};

use polyglot::{codec, front_ends};
use store::{Kind, Objects, Store};
use world::{Silent, Workspace, saved};

#[path = "../../fuzz/src/lib.rs"]
mod targets;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The files below a directory of the repository, in order.
fn files(under: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut directories = vec![repository().join(under)];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(&directory).into_iter().flatten() {
            let path = entry.expect("a file").path();
            if path.is_dir() {
                directories.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found == extension)
}

/// What each target begins with.
fn seeds(target: &str) -> Vec<Vec<u8>> {
    match target {
        "pack" => files("store-format/samples")
            .iter()
            .filter(|path| has_extension(path, "rpk"))
            .map(|path| fs::read(path).expect("a pack"))
            .chain([small_pack()])
            .collect(),
        "cbor" => objects().into_iter().map(|(_, bytes)| bytes).collect(),
        "object" => objects()
            .into_iter()
            .map(|(choice, bytes)| tagged(choice, &bytes))
            .collect(),
        "front_end" => sources()
            .map(|(choice, text)| tagged(choice, text.as_bytes()))
            .collect(),
        "skeleton" => sources()
            .map(|(choice, text)| {
                let skeleton = front_ends()[usize::from(choice)].extract(&text);
                tagged(choice, &codec::encode(&skeleton))
            })
            .collect(),
        "renyi_syntax" => files("crates/syntax/cases")
            .iter()
            .chain(&files("crates/check/library"))
            .filter(|path| has_extension(path, "ry"))
            .map(|path| fs::read(path).expect("a case"))
            .collect(),
        "renyi_check" => files("crates/check/cases")
            .iter()
            .chain(&files("crates/syntax/cases/programs"))
            .filter(|path| has_extension(path, "ry"))
            .enumerate()
            .map(|(number, path)| {
                let text = fs::read(path).expect("a case");
                // Five swaps of names that are told by the file's number.
                let swaps = (0..20).map(|byte| ((number + 1) * (byte * 37 + 11)) as u8);
                [5].into_iter().chain(swaps).chain(text).collect()
            })
            .collect(),
        "link" => projects(),
        "saved_map" => {
            let document = document();
            let mut twice: serde_json::Value = serde_json::from_slice(&document).expect("JSON");
            let modules = twice["modules"].as_array_mut().expect("modules");
            modules.extend_from_within(..1);
            vec![document, twice.to_string().into_bytes()]
        }
        other => panic!("no seeds for {other}"),
    }
}

fn tagged(choice: u8, bytes: &[u8]) -> Vec<u8> {
    [&[choice], bytes].concat()
}

/// A pack of a few objects: mutations of it hit more than bytes of blocks.
fn small_pack() -> Vec<u8> {
    let place = tempfile::tempdir().expect("a place for a store");
    let store = Store::create_or_open(place.path()).expect("a store");
    let mut batch = store::Batch::new();
    let key = batch.put(Kind::Text, vec![0x80], None);
    batch.put(Kind::Component, vec![0x80], Some(vec![1, 2, 3]));
    let target = store::Target {
        kind: Kind::Text,
        key,
    };
    let update = store::RefUpdate::set("name", target, 1, "");
    store.commit(&batch, &update).expect("a commit");
    let pack = fs::read_dir(place.path().join("objects/pack"))
        .expect("packs")
        .next();
    fs::read(pack.expect("one").expect("a pack").path()).expect("a pack")
}

/// The objects of the sample stores, but sources, each with its number in the target.
/// The many that are alike are thinned out.
fn objects() -> Vec<(u8, Vec<u8>)> {
    let place = tempfile::tempdir().expect("a place for a store");
    let mut objects = Vec::new();
    for format in files("store-format/samples")
        .iter()
        .filter(|path| path.ends_with("store/format"))
    {
        let sample = format.parent().expect("the store");
        let copy = place.path().join(objects.len().to_string());
        for file in files("store-format/samples")
            .iter()
            .filter(|path| path.starts_with(sample))
        {
            let to = copy.join(file.strip_prefix(sample).expect("inside"));
            fs::create_dir_all(to.parent().expect("a directory")).expect("a directory");
            fs::copy(file, to).expect("a copy");
        }
        let store = Store::open(&copy).expect("a sound sample");
        let mut listed = Vec::new();
        store
            .for_each(|object| listed.push((object.kind, object.key)))
            .expect("a sound sample");
        listed.sort_unstable();
        for kind in Kind::ALL {
            let keys: Vec<_> = listed.iter().filter(|listed| listed.0 == kind).collect();
            let step = (keys.len() / 12).max(1);
            for (_, key) in keys.into_iter().step_by(step) {
                let object = store.get(kind, key).expect("sound").expect("listed");
                let choice = match kind {
                    Kind::Source => continue,
                    Kind::Text => 0,
                    Kind::Component => 1,
                    Kind::Module => 3,
                    Kind::Tree => 4,
                    Kind::Map => 5,
                    Kind::View => 6,
                    Kind::Operation => 7,
                };
                objects.push((choice, object.identity.to_vec()));
                objects.extend(object.record.map(|record| (2, record.to_vec())));
            }
        }
    }
    objects
}

/// The cases of each front end with its number.
fn sources() -> impl Iterator<Item = (u8, String)> {
    let files: Vec<PathBuf> = files("crates/polyglot/cases")
        .into_iter()
        .chain(files("store-format/samples/v1/source"))
        .collect();
    front_ends()
        .iter()
        .zip(0u8..)
        .flat_map(move |(front_end, choice)| {
            let own = |path: &&PathBuf| {
                front_end
                    .extensions()
                    .iter()
                    .any(|each| has_extension(path, each))
            };
            let texts: Vec<_> = files
                .iter()
                .filter(own)
                .filter_map(|path| Some((choice, fs::read_to_string(path).ok()?)))
                .filter(|(_, text)| text.len() < 20_000)
                .collect();
            texts
        })
}

/// The cases of several files, and the sources of the sample.
fn projects() -> Vec<Vec<u8>> {
    let mut projects: Vec<Vec<u8>> = files("crates/polyglot/cases")
        .iter()
        .filter(|path| has_extension(path, "files"))
        .map(|path| fs::read(path).expect("a case"))
        .collect();
    let root = repository().join("store-format/samples/v1/source");
    let mut sample = Vec::new();
    for path in files("store-format/samples/v1/source") {
        let bytes = fs::read(&path).expect("a source");
        if bytes.len() < 5_000 {
            let name = path.strip_prefix(&root).expect("inside").display().to_string();
            sample.extend(format!("//- {name}\n").into_bytes());
            sample.extend(bytes);
        }
    }
    projects.push(sample);
    projects
}

fn document() -> Vec<u8> {
    let place = tempfile::tempdir().expect("a place for a project");
    let text = "package p\n\nfunc Even(n int) bool { return n == 0 || Odd(n-1) }\n\nfunc Odd(n int) bool { return n != 0 && Even(n-1) }\n";
    fs::write(place.path().join("p.go"), text).expect("a file");
    fs::write(place.path().join("q.go"), "package p\n\nvar x = Even(2)\n").expect("a file");
    let workspace = Workspace::open(place.path(), None).expect("a project");
    let indexed = workspace.index(&Silent).expect("a map");
    let header = saved::Header {
        project: "p".into(),
        revision: "unknown".into(),
        toolchain: "renyi".into(),
        place: PathBuf::new(),
    };
    let document = saved::document(workspace.store(), &indexed.map, &indexed.root, &header);
    document.expect("a document").to_string().into_bytes()
}

/// A small generator: the same numbers on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }

    /// A few edits of a seed, some of them with bytes of another one.
    fn mutate(&mut self, seed: &[u8], other: &[u8]) -> Vec<u8> {
        let mut bytes = seed.to_vec();
        for _ in 0..=self.below(4) {
            let at = self.below(bytes.len());
            let end = (at + 1 + self.below(40)).min(bytes.len());
            match self.below(6) {
                0 | 1 if at < bytes.len() => bytes[at] ^= 1 << self.below(8),
                2 if at < bytes.len() => bytes[at] = [0, 1, 0x17, 0x80, 0xff][self.below(5)],
                3 => drop(bytes.drain(at..end)),
                4 => {
                    let part = bytes[at..end].to_vec();
                    bytes.splice(at..at, part);
                }
                _ => {
                    let from = self.below(other.len());
                    let part = &other[from..(from + self.below(40)).min(other.len())];
                    bytes.splice(at..at, part.iter().copied());
                }
            }
        }
        bytes
    }
}

/// Runs a target over its seeds and so many mutations of them in all; with
/// `RENYI_FUZZ_FACTOR` set, that many times as many, and others.
fn run(target: &str, mutations: usize) {
    let (_, body) = targets::TARGETS
        .into_iter()
        .find(|(name, _)| *name == target)
        .expect("a target");
    let seeds = seeds(target);
    assert!(!seeds.is_empty(), "{target} has no seeds");
    let check = |bytes: &[u8]| {
        if let Err(panic) = panic::catch_unwind(|| body(bytes)) {
            let input = std::env::temp_dir().join(format!("renyi-fuzz-{target}"));
            fs::write(&input, bytes).expect("a file");
            eprintln!("{target}: the input is in {}", input.display());
            panic::resume_unwind(panic);
        }
    };
    seeds.iter().for_each(|seed| check(seed));
    let factor = std::env::var("RENYI_FUZZ_FACTOR")
        .ok()
        .and_then(|factor| factor.parse().ok());
    let factor: usize = factor.unwrap_or(1);
    let mut random = Random(factor as u64);
    for _ in 0..mutations * factor {
        let seed = &seeds[random.below(seeds.len())];
        let other = &seeds[random.below(seeds.len())];
        check(&random.mutate(seed, other));
    }
}

#[test]
fn packs() {
    run("pack", 600);
}

#[test]
fn canonical_cbor() {
    run("cbor", 4_000);
}

#[test]
fn objects_of_every_kind() {
    run("object", 4_000);
}

#[test]
fn skeletons() {
    run("skeleton", 2_000);
}

#[test]
fn sources_of_every_language() {
    run("front_end", 600);
}

#[test]
fn files_of_the_renyi_language() {
    run("renyi_syntax", 2_000);
}

#[test]
fn renyi_check() {
    run("renyi_check", 2_000);
}

#[test]
fn small_projects() {
    run("link", 200);
}

#[test]
fn saved_maps() {
    run("saved_map", 200);
}

#[test]
fn each_target_is_built_by_cargo_fuzz() {
    let manifest = fs::read_to_string(repository().join("fuzz/Cargo.toml")).expect("a manifest");
    for (name, _) in targets::TARGETS {
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name}");
        let text = fs::read_to_string(repository().join(format!("fuzz/fuzz_targets/{name}.rs")));
        assert!(
            text.expect("a target")
                .contains(&format!("targets::{name}(bytes)")),
            "{name}"
        );
    }
}

#[test]
#[ignore = "writes fuzz/corpus"]
fn write_the_seeds() {
    for (target, _) in targets::TARGETS {
        let directory = repository().join("fuzz/corpus").join(target);
        fs::create_dir_all(&directory).expect("a directory");
        for (at, seed) in seeds(target).into_iter().enumerate() {
            fs::write(directory.join(format!("seed-{at}")), seed).expect("a seed");
        }
    }
}
