//! The bodies of the fuzz targets: each takes any bytes, and panics if something
//! that must hold does not. `fuzz_targets/` hands them to libFuzzer, and
//! `tests/fuzz_targets/` runs them over seeds and mutations of seeds on every build.
//!
//! They are more than "does not crash": what a decoder takes, its encoder gives back
//! byte for byte, so no object has two forms.

use std::{fs, sync::LazyLock, thread};

use map::{
    identity::{Component, TextRef},
    manifest::{MapReader, MapRoot, StoredLeaf},
    record::Record,
};
use polyglot::{
    FileIndex, FrontEnd, Project, ProjectFile, codec, front_end_for, front_ends,
    link::{Linker, STACK_BYTES, Target},
    model::{Skeleton, TokenView},
};
use store::{
    Batch, Kind,
    cbor::{Decoder, Encoder, validate},
};
use world::Workspace;

pub type Body = fn(&[u8]);

/// All targets by name; `fuzz_targets/` has a file for each.
pub const TARGETS: [(&str, Body); 9] = [
    ("cbor", cbor),
    ("front_end", front_end),
    ("link", link),
    ("object", object),
    ("pack", pack),
    ("renyi_check", renyi_check),
    ("renyi_syntax", renyi_syntax),
    ("saved_map", saved_map),
    ("skeleton", skeleton),
];

/// A pack, with its hashes as they are and as they ought to be.
pub fn pack(bytes: &[u8]) {
    let _ = store::fuzzing::read_pack(bytes.to_vec());
    let mut sealed = bytes.to_vec();
    store::fuzzing::seal(&mut sealed);
    let _ = store::fuzzing::read_pack(sealed);
}

/// One item of canonical CBOR: what is taken is what would be written.
pub fn cbor(bytes: &[u8]) {
    if validate(bytes).is_ok() {
        let (mut decoder, mut encoder) = (Decoder::new(bytes), Encoder::new());
        copy_item(&mut decoder, &mut encoder);
        assert_eq!(encoder.as_bytes(), bytes);
    }
}

fn copy_item(from: &mut Decoder<'_>, to: &mut Encoder) {
    const SOUND: &str = "validated bytes";
    if from.next_is_array() {
        let len = from.array().expect(SOUND);
        to.array(len);
        for _ in 0..len {
            copy_item(from, to);
        }
    } else if from.next_is_uint() {
        to.uint(from.uint().expect(SOUND));
    } else if from.next_is_text() {
        to.text(from.text().expect(SOUND));
    } else if from.null().expect(SOUND) {
        to.null();
    } else if let Ok(value) = from.clone().bool() {
        from.bool().expect(SOUND);
        to.bool(value);
    } else {
        to.byte_string(from.byte_string().expect(SOUND));
    }
}

/// An object: the first byte says of which kind.
pub fn object(bytes: &[u8]) {
    let Some((&choice, bytes)) = bytes.split_first() else {
        return;
    };
    let again = match choice % 8 {
        0 => TextRef::decode(bytes).ok().map(|text| {
            let count = text.tokens().count();
            assert!(text.signature as usize <= count && text.references as usize <= count);
            text.to_text().encode().identity
        }),
        1 => Component::decode(bytes).ok().map(|component| {
            // Says yes or no, whatever the members are.
            let _ = component.is_canonical();
            for member in component.members() {
                member.references().for_each(drop);
            }
            bytes.to_vec()
        }),
        2 => (1..4)
            .find_map(|members| Record::decode(bytes, members).ok().flatten())
            .map(|record| record.encode()),
        3 => leaf(bytes),
        4 => {
            tree(bytes);
            None
        }
        5 => MapRoot::decode(bytes).ok().map(|root| root.encode()),
        6 => store::fuzzing::view(bytes),
        _ => store::fuzzing::operation(bytes),
    };
    if let Some(again) = again {
        assert_eq!(again, bytes, "another form of kind {}", choice % 8);
        validate(bytes).expect("what is decoded is canonical");
    }
}

fn leaf(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut batch = Batch::new();
    let key = batch.put(Kind::Module, bytes.to_vec(), None);
    let stored = StoredLeaf::read(&batch, &key).ok()?;
    let leaf = stored.decode().ok()?;
    let again = leaf
        .put(&mut Batch::new())
        .expect("a leaf that was read can be written");
    assert_eq!(again.key, key, "a leaf has one key");
    Some(bytes.to_vec())
}

/// A node as the root of a map: reads what is below as far as it is there.
fn tree(bytes: &[u8]) {
    let mut batch = Batch::new();
    let key = batch.put(Kind::Tree, bytes.to_vec(), None);
    for counts in [[0, 0, 0], [1, 0, 0], [1, 1, 0]] {
        let mut root = Encoder::new();
        root.array(3).array(0).array(3);
        for count in counts {
            root.uint(count);
        }
        root.byte_string(key.as_bytes());
        let map = batch.put(Kind::Map, root.into_bytes(), None);
        let reader = MapReader::open(&batch, &map).expect("a sound root");
        let _ = reader.leaves();
        let _ = reader.find("a");
        let _ = reader.has_canonical_tree();
    }
}

/// A file of the Renyi language: tokens follow one another, every diagnostic lies in the
/// text and says what to write instead, a text has one tree,
/// and its layout is settled after one round.
pub fn renyi_syntax(bytes: &[u8]) {
    let source = String::from_utf8_lossy(bytes);
    let lexed = syntax::lex::lex(&source);
    let mut end = 0;
    for token in &lexed.tokens {
        assert!(end <= token.span.start && token.span.start <= token.span.end);
        assert!(source.get(token.span.range()).is_some());
        end = token.span.end;
    }
    for mode in [syntax::Mode::Module, syntax::Mode::Declarations] {
        let parsed = syntax::parse(&source, mode);
        let again = syntax::parse(&source, mode);
        assert_eq!(parsed.module, again.module);
        for diagnostic in &parsed.diagnostics {
            assert!(source.get(diagnostic.span.range()).is_some(), "{diagnostic:?}");
            assert!(!diagnostic.fix.is_empty(), "{diagnostic:?}");
        }
        for item in &parsed.module.items {
            assert!(parsed.module.span.contains(item.span));
        }
        let text = syntax::report::text_form("file.ry", &source, &parsed.diagnostics, false);
        assert_eq!(text.is_empty(), parsed.is_well_formed());
        if let Ok(canonical) = syntax::format::format(&source, mode) {
            let again = syntax::format::format(&canonical, mode);
            assert_eq!(again.as_ref(), Ok(&canonical), "{source}");
            let comments = syntax::lex::lex(&canonical).comments.len();
            assert_eq!(comments, lexed.comments.len(), "{source}");
        }
    }
    for warning in syntax::report::layout_warnings(&source, &lexed) {
        assert!(source.get(warning.span.range()).is_some(), "{warning:?}");
    }
}

/// A Renyi program: the first byte says how many names of the rest, a file, are put in each other's
/// places, which two bytes each then tell. What is said lies in the file, and the index, the
/// skeleton and the tools can be made of whatever checks.
pub fn renyi_check(bytes: &[u8]) {
    let Some((&count, bytes)) = bytes.split_first() else {
        return;
    };
    let count = usize::from(count % 8);
    if bytes.len() < count * 4 {
        return;
    }
    let (swaps, text) = bytes.split_at(count * 4);
    let source = String::from_utf8_lossy(text);
    let source = with_swapped_names(&source, swaps);
    let files = Single(source);
    let analysis = check::Analysis::of(&files, &["main.ry".to_owned()]);
    for (id, module) in analysis.program.modules() {
        for diagnostic in analysis.diagnostics(id) {
            assert!(
                module.source.get(diagnostic.span.range()).is_some(),
                "{diagnostic:?}"
            );
            assert!(
                !diagnostic.fix.is_empty() && !diagnostic.message.contains('\n'),
                "{diagnostic:?}"
            );
        }
    }
    let index = check::index::Index::of(&analysis);
    check::index::tools::manifest(&analysis, &index);
    let again = check::Analysis::of(&files, &["main.ry".to_owned()]);
    let told = |analysis: &check::Analysis| -> Vec<_> {
        analysis
            .program
            .modules()
            .map(|(id, _)| analysis.diagnostics(id))
            .collect()
    };
    assert_eq!(told(&analysis), told(&again));
    let refreshed = again.refresh(&files, &["main.ry".to_owned()]);
    assert_eq!(told(&analysis), told(&refreshed));
    // What a module with errors is imported by (itself, for one) is checked in two rounds.
    let broken = analysis
        .program
        .modules()
        .any(|(_, module)| module.imports.iter().any(|import| import.broken));
    assert!(broken || refreshed.checked == 0, "nothing changed");
}

/// One file.
struct Single(String);

impl check::project::Files for Single {
    fn read(&self, path: &str) -> Option<Vec<u8>> {
        (path == "main.ry").then(|| self.0.clone().into_bytes())
    }
}

fn with_swapped_names(source: &str, swaps: &[u8]) -> String {
    use syntax::lex::TokenKind;
    let tokens = syntax::lex::lex(source).tokens;
    let names: Vec<_> = tokens
        .iter()
        .filter(|token| {
            matches!(
                token.kind,
                TokenKind::Identifier | TokenKind::TypeName | TokenKind::Member
            )
        })
        .map(|token| token.span.range())
        .collect();
    let mut texts: Vec<&str> = names.iter().map(|range| &source[range.clone()]).collect();
    if texts.is_empty() {
        return source.to_owned();
    }
    for swap in swaps.chunks_exact(4) {
        let at = |low: u8, high: u8| usize::from(u16::from_le_bytes([low, high])) % names.len();
        texts.swap(at(swap[0], swap[1]), at(swap[2], swap[3]));
    }
    let mut out = String::with_capacity(source.len());
    let mut end = 0;
    for (range, text) in names.iter().zip(texts) {
        out.push_str(&source[end..range.start]);
        out.push_str(text);
        end = range.end;
    }
    out.push_str(&source[end..]);
    out
}

/// The bytes of a skeleton from the cache: refused, or safe to link.
pub fn skeleton(bytes: &[u8]) {
    let Some((&choice, bytes)) = bytes.split_first() else {
        return;
    };
    let Some(skeleton) = codec::decode(bytes) else {
        return;
    };
    let again = codec::encode(&skeleton);
    assert_eq!(
        codec::decode(&again).as_ref(),
        Some(&skeleton),
        "written and read is the same"
    );
    let front_end = front_ends()[usize::from(choice) % front_ends().len()];
    let path = format!("a.{}", front_end.extensions()[0]);
    on_a_deep_stack(|| drop(linked(&[(&path, front_end, &skeleton)], &[])));
}

/// A source file: the first byte chooses the front end.
pub fn front_end(bytes: &[u8]) {
    let Some((&choice, bytes)) = bytes.split_first() else {
        return;
    };
    let front_end = front_ends()[usize::from(choice) % front_ends().len()];
    let text = String::from_utf8_lossy(bytes);
    on_a_deep_stack(|| {
        let skeleton = front_end.extract(&text);
        check_skeleton(&skeleton, &text);
        let again = codec::decode(&codec::encode(&skeleton));
        assert_eq!(again.as_ref(), Some(&skeleton), "a skeleton survives the cache");
        assert_eq!(skeleton, front_end.extract(&text), "a text has one skeleton");
    });
}

/// What later steps rely on.
fn check_skeleton(skeleton: &Skeleton, text: &str) {
    let inside = |start: u32, end: u32| start <= end && end as usize <= text.len();
    for definition in &skeleton.definitions {
        assert!(
            inside(definition.span.start, definition.span.end),
            "a definition is in the text"
        );
        let name = definition.name_span;
        assert!(inside(name.start, name.end), "a name is in the text");
        assert!(definition.lines.0 >= 1 && definition.lines.0 <= definition.lines.1);
        let tokens = skeleton.tokens_of(definition);
        assert!(definition.signature_tokens as usize <= tokens.len());
        for token in tokens {
            if let TokenView::Reference(index) = token.view() {
                let span = skeleton.references[index as usize].span;
                assert!(inside(span.start, span.end), "a reference is in the text");
            }
        }
        for &(start, len) in &definition.failures {
            assert!(
                start as usize + len as usize <= tokens.len(),
                "a failure is some of the tokens"
            );
        }
    }
}

/// A project: files as text, each after a line `//- path`.
pub fn link(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut files: Vec<(&str, &str)> = text
        .split("//- ")
        .skip(1)
        .filter_map(|file| file.split_once('\n'))
        .map(|(path, text)| (path.trim(), text))
        .collect();
    files.sort();
    files.dedup_by_key(|file| file.0);
    on_a_deep_stack(|| {
        let sources: Vec<(&str, &dyn FrontEnd, Skeleton)> = files
            .iter()
            .filter_map(|&(path, text)| {
                let front_end = front_end_for(path)?;
                Some((path, front_end, front_end.extract(text)))
            })
            .collect();
        let sources: Vec<_> = sources
            .iter()
            .map(|(path, front_end, skeleton)| (*path, *front_end, skeleton))
            .collect();
        let first = linked(&sources, &files);
        assert!(
            first == linked(&sources, &files),
            "a project is linked in one way"
        );
    });
}

fn linked(sources: &[(&str, &'static dyn FrontEnd, &Skeleton)], files: &[(&str, &str)]) -> Vec<Vec<Target>> {
    let is_configuration = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        front_ends()
            .iter()
            .any(|front_end| front_end.configuration_files().contains(&name))
    };
    let project = Project {
        files: sources
            .iter()
            .map(|&(path, front_end, skeleton)| ProjectFile {
                path,
                front_end,
                skeleton,
            })
            .collect(),
        configuration: files
            .iter()
            .copied()
            .filter(|(path, _)| is_configuration(path))
            .collect(),
    };
    let linker = Linker::new(&project);
    (0..sources.len() as u32)
        .map(|file| {
            let _ = linker.module_name(FileIndex(file));
            let targets = linker.link_file(FileIndex(file));
            for target in &targets {
                if let Target::Definition(id) = target {
                    assert!(id.0 < linker.definition_count(), "a target is there");
                    linker.locate(*id);
                }
            }
            targets
        })
        .collect()
}

/// The JSON document of a map, as a base to compare with.
pub fn saved_map(bytes: &[u8]) {
    static PLACE: LazyLock<tempfile::TempDir> =
        LazyLock::new(|| tempfile::tempdir().expect("a place for files"));
    thread_local! {
        static WORKSPACE: Workspace = Workspace::open(PLACE.path(), None).expect("a store");
    }
    // Bytes that are no JSON need no file; a document also passes under its right hash.
    let Ok(document) = serde_json::from_slice::<serde_json::Value>(bytes) else {
        return;
    };
    let path = PLACE.path().join(format!("{:?}.json", thread::current().id()));
    WORKSPACE.with(|workspace| {
        let read = |document: &serde_json::Value| {
            fs::write(&path, document.to_string()).expect("a file");
            let found = workspace.base(&format!("json:{}", path.display()), &world::Silent);
            found.err().map(|error| error.to_string())
        };
        let mut document = document;
        // An error that names the hash that was found leads behind the check of it.
        for _ in 0..4 {
            let Some(error) = read(&document) else { return };
            let Some((_, found)) = error.split_once("found one that hashes to ") else {
                return;
            };
            let found = found
                .chars()
                .take_while(|c| *c == ':' || c.is_ascii_alphanumeric());
            document["map"] = found.collect::<String>().into();
        }
    });
}

/// Runs on the stack that the program gives its threads.
fn on_a_deep_stack(run: impl FnOnce() + Send) {
    static THREADS: LazyLock<rayon::ThreadPool> = LazyLock::new(|| {
        rayon::ThreadPoolBuilder::new()
            .num_threads(2)
            .stack_size(STACK_BYTES)
            .build()
            .expect("threads")
    });
    THREADS.install(run);
}
