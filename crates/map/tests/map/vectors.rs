//! The vectors of store-format/vectors: inputs, bytes and keys, as text.
//!
//! A file is cases of lines, each a word and its rest; a case ends at an empty
//! line. The lines `object`, `key` and `id` are results. This test drops them,
//! computes them again and compares the whole file. `UPDATE_VECTORS=1` writes new
//! cases; a case that was there and changes is a change of the format.

use std::{fmt::Write, path::PathBuf};

use map::{
    Capability, DefinitionId, DefinitionKind,
    identity::{Graph, Target, TextBuilder, identify},
    manifest::{
        Counts, Entry, Flags, Leaf, LeafRef, Location, MapRoot, TargetName, TreeRef, Visibility, build_tree,
        is_boundary,
    },
    record::{MemberRecord, Metrics, Record, TokenRange},
};
use store::{Batch, Hash};

/// The lines of a case that are inputs: word and rest.
type Inputs<'a> = [(&'a str, &'a str)];

fn check(file: &str, results: impl Fn(&Inputs<'_>) -> String) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../store-format/vectors")
        .join(file);
    let found = std::fs::read_to_string(&path).expect("the vectors are there");
    let mut computed = Vec::new();
    for case in found.split("\n\n") {
        let lines = case.lines().filter(|line| {
            let word = line.split(' ').next();
            !matches!(word, Some("object" | "key" | "id" | "boundary"))
        });
        let inputs: Vec<&str> = lines.collect();
        let words: Vec<(&str, &str)> = inputs
            .iter()
            .filter(|line| !line.starts_with('#'))
            .map(|line| line.split_once(' ').unwrap_or((line, "")))
            .collect();
        let mut text = inputs.join("\n");
        if !words.is_empty() {
            text.push('\n');
            text.push_str(results(&words).trim_end());
        }
        computed.push(text);
    }
    let computed = computed.join("\n\n") + "\n";
    if std::env::var_os("UPDATE_VECTORS").is_some() {
        std::fs::write(&path, &computed).expect("the vectors can be written");
    } else {
        assert_eq!(found, computed, "{file}");
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn hash(text: &str) -> Hash {
    text.parse().expect("a hash of 64 digits")
}

fn id(text: &str) -> DefinitionId {
    text.parse().expect("an id")
}

fn kind(text: &str) -> DefinitionKind {
    DefinitionKind::from_name(text).expect("a kind of definition")
}

fn number(text: &str) -> u32 {
    text.parse().expect("a number")
}

fn numbers<const N: usize>(text: &str) -> [u32; N] {
    let numbers: Vec<u32> = text.split(' ').map(number).collect();
    numbers.try_into().expect("as many numbers as the line has")
}

fn objects(batch: &Batch) -> String {
    let mut text = String::new();
    for (key, object) in batch.iter() {
        writeln!(text, "object {}\nkey {key}", hex(&object.identity)).expect("to a string");
    }
    text
}

#[test]
fn texts() {
    check("texts.txt", |inputs| {
        let mut builder = TextBuilder::new();
        let (mut language, mut definition) = ("", DefinitionKind::Function);
        for &(word, rest) in inputs {
            match word {
                "case" => {}
                "language" => language = rest,
                "kind" => definition = kind(rest),
                "text" => drop(builder.text(rest)),
                "library" => drop(builder.library(rest)),
                "reference" => drop(builder.reference()),
                "own-name" => drop(builder.own_name()),
                "project-module" => drop(builder.project_module()),
                "end-signature" => drop(builder.end_signature()),
                _ => panic!("{word}"),
            }
        }
        let text = builder.finish(language, definition);
        format!("object {}\nkey {}\n", hex(&text.identity), text.text_hash)
    });
}

#[test]
fn components() {
    check("components.txt", |inputs| {
        let mut graph = Graph::new();
        for &(word, rest) in inputs {
            match word {
                "case" => {}
                "node" => {
                    let mut words = rest.split(' ');
                    let text = hash(words.next().expect("a text's key"));
                    let target = |word: &str| match word.parse() {
                        Ok(node) => Target::Node(node),
                        Err(_) => Target::Known(id(word)),
                    };
                    graph.add(text, words.map(target));
                }
                _ => panic!("{word}"),
            }
        }
        let identified = identify(&graph);
        let mut text = String::new();
        for component in identified.components() {
            let object = hex(component.identity);
            writeln!(text, "object {object}\nkey {}", component.hash).expect("to a string");
        }
        for id in &identified.ids {
            writeln!(text, "id {id}").expect("to a string");
        }
        text
    });
}

#[test]
fn records() {
    check("records.txt", |inputs| {
        let mut record = Record { members: Vec::new() };
        for &(word, rest) in inputs {
            if word == "member" {
                let [depth, branches] = numbers(rest);
                record.members.push(MemberRecord {
                    metrics: Metrics { depth, branches },
                    ..MemberRecord::default()
                });
            }
            let member = record.members.last_mut();
            match (word, member) {
                ("case" | "member", _) => {}
                ("failure", Some(member)) => {
                    let [start, len] = numbers(rest);
                    member.failures.push(TokenRange { start, len });
                }
                ("effect", Some(member)) => {
                    member
                        .effects
                        .insert(Capability::from_name(rest).expect("a capability"));
                }
                ("shape", Some(member)) => member.shape = Some(rest.parse().expect("a hash")),
                ("declared", Some(member)) => member.declared.push(rest.to_owned()),
                _ => panic!("{word}"),
            }
        }
        format!("object {}\n", hex(&record.encode()))
    });
}

#[test]
fn modules() {
    check("modules.txt", |inputs| {
        let mut leaf = Leaf::new("", "", "", Hash([0; 32]));
        let mut repeat = 0;
        for &(word, rest) in inputs {
            match word {
                "case" => {}
                "path" => leaf.path = rest.into(),
                "module" => leaf.module = rest.into(),
                "language" => leaf.language = rest.into(),
                "source" => leaf.source = hash(rest),
                "lines" => leaf.lines = number(rest),
                "errors" => leaf.errors = number(rest),
                "purpose" => leaf.purpose = rest.into(),
                "import" => leaf.imports.push(rest.into()),
                "target" => {
                    let (module, name) = rest.split_once(' ').expect("a module and a name");
                    let target = TargetName {
                        module: module.into(),
                        name: name.into(),
                    };
                    leaf.targets.push(target);
                }
                "entry" => {
                    let unknown = DefinitionId::new(Hash([0; 32]), 0);
                    leaf.entries
                        .push(Entry::new(rest, DefinitionKind::Function, unknown));
                }
                "entries" => repeat = number(rest),
                _ => entry_line(leaf.entries.last_mut().expect("an entry"), word, rest),
            }
        }
        for n in 0..repeat {
            let id = DefinitionId::new(Hash([9; 32]), n);
            leaf.entries.push(Entry {
                calls: vec![n % leaf.targets.len() as u32],
                ..Entry::new(format!("f{n:03}"), DefinitionKind::Constant, id)
            });
        }
        let mut batch = Batch::new();
        let found = leaf.put(&mut batch).expect("a leaf that can be written");
        match repeat {
            0 => objects(&batch),
            _ => format!("key {}\n", found.key),
        }
    });
}

fn entry_line<'a>(entry: &mut Entry<'a>, word: &str, rest: &'a str) {
    match word {
        "entry.kind" => entry.kind = kind(rest),
        "entry.definition" => entry.id = id(rest),
        "entry.visibility" => {
            let (word, spelling) = rest.split_once(' ').unwrap_or((rest, ""));
            entry.spelling = spelling.into();
            entry.visibility = match word {
                "private" => Visibility::Private,
                "restricted" => Visibility::Restricted,
                "public" => Visibility::Public,
                _ => panic!("{word}"),
            };
        }
        "entry.location" => {
            let [start, end, first_line, last_line] = numbers(rest);
            entry.location = Location {
                start,
                end,
                first_line,
                last_line,
            };
        }
        "entry.signature" => entry.signature = rest.into(),
        "entry.purpose" => entry.purpose = rest.into(),
        "entry.lines" => entry.lines = number(rest),
        "entry.flags" => entry.flags = Flags(number(rest)),
        "entry.capability" => {
            let capability = Capability::from_name(rest).expect("a capability");
            entry.effects.capabilities.insert(capability);
        }
        "entry.effect" => entry.effects.named.push(rest.into()),
        "entry.failure" => entry.failures.push(rest.into()),
        "entry.call" => entry.calls.push(number(rest)),
        "entry.use" => entry.uses.push(number(rest)),
        "entry.unresolved" => entry.unresolved.push(rest.into()),
        _ => panic!("{word}"),
    }
}

#[test]
fn trees() {
    check("trees.txt", |inputs| {
        let mut leaves = Vec::new();
        let mut extractors = Vec::new();
        let mut cuts = String::new();
        for &(word, rest) in inputs {
            match word {
                "case" => {}
                "extractor" => {
                    let (language, version) = rest.split_once(' ').expect("a language and a version");
                    extractors.push((language.to_owned(), u64::from(number(version))));
                }
                "leaf" => {
                    let words: Vec<&str> = rest.split(' ').collect();
                    leaves.push(leaf(words[0], hash(words[1]), number(words[2]), number(words[3])));
                }
                "leaves" => leaves.extend((0..number(rest)).map(|n| {
                    let mut key = [0; 32];
                    key[28..].copy_from_slice(&n.to_be_bytes());
                    leaf(&format!("m{n:04}.py"), Hash(key), n % 10, n % 2)
                })),
                "cuts-before" => {
                    for level in 0..3u8 {
                        let keys = (0..number(rest)).map(|n| format!("m{n:04}.py"));
                        let cut: Vec<_> = keys.filter(|key| is_boundary(level, key.as_bytes())).collect();
                        writeln!(cuts, "boundary {level} {}", cut.join(" ")).expect("to a string");
                    }
                    return cuts;
                }
                _ => panic!("{word}"),
            }
        }
        let mut batch = Batch::new();
        let show_all = leaves.len() < 10;
        let tree = build_tree(leaves, &mut batch);
        let mut text = if show_all { objects(&batch) } else { String::new() };
        let mut roots = Batch::new();
        map_root(extractors, tree).put(&mut roots);
        text.push_str(&objects(&roots));
        text
    });
}

fn map_root(extractors: Vec<(String, u64)>, tree: TreeRef) -> MapRoot {
    MapRoot { extractors, tree }
}

fn leaf(path: &str, key: Hash, definitions: u32, errors: u32) -> LeafRef {
    LeafRef {
        path: path.to_owned(),
        key,
        counts: Counts {
            modules: 1,
            definitions: u64::from(definitions),
            errors: u64::from(errors),
        },
    }
}
