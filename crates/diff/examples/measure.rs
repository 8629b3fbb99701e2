//! Measures comparisons of maps of the size of a large framework, in memory:
//! `cargo run --release -p diff --example measure`.

use std::time::Instant;

use diff::{
    Options,
    render::{Headers, to_json, to_markdown, to_text},
};
use map::{
    DefinitionKind,
    identity::{Graph, Target, TextBuilder, identify},
    manifest::{Entry, Leaf, MapRoot, TargetName, Visibility, build_tree},
};
use store::{Batch, Hash, Kind};

const LEAVES: usize = 3_000;
const PER_LEAF: usize = 14;
const COUNT: usize = LEAVES * PER_LEAF;

/// What the second map has otherwise than the first.
struct Edit {
    what: &'static str,
    is_edited: fn(usize) -> bool,
    renames: fn(usize) -> bool,
    moves: bool,
}

fn main() {
    let never = |_| false;
    let edits = [
        Edit {
            what: "nothing",
            is_edited: never,
            renames: never,
            moves: false,
        },
        Edit {
            what: "10 edits that nothing refers to",
            is_edited: |at| at > COUNT - 20 && at % 2 == 0,
            renames: never,
            moves: false,
        },
        Edit {
            what: "10 edits that reach some",
            is_edited: |at| at % (COUNT / 10) == 4_000,
            renames: never,
            moves: false,
        },
        Edit {
            what: "a hub that half of all reach",
            is_edited: |at| at == 0,
            renames: never,
            moves: false,
        },
        Edit {
            what: "every definition renamed",
            is_edited: never,
            renames: |_| true,
            moves: false,
        },
        Edit {
            what: "every definition renamed and the hub edited",
            is_edited: |at| at == 0,
            renames: |at| at > 0,
            moves: false,
        },
        Edit {
            what: "every file moved and the hub edited",
            is_edited: |at| at == 0,
            renames: never,
            moves: true,
        },
        Edit {
            what: "every definition edited",
            is_edited: |_| true,
            renames: never,
            moves: false,
        },
    ];
    for edit in &edits {
        let mut batch = Batch::new();
        let old = put(&mut batch, &edits[0]);
        let new = put(&mut batch, edit);
        measure(&batch, &old, &new, edit.what);
    }
}

fn measure(batch: &Batch, old: &Hash, new: &Hash, what: &str) {
    let mut times: Vec<f64> = Vec::new();
    let mut last = None;
    for _ in 0..5 {
        let start = Instant::now();
        let diff = diff::diff(batch, old, new, &Options::default()).expect("the maps are whole");
        times.push(start.elapsed().as_secs_f64() * 1e3);
        last = Some(diff);
    }
    times.sort_by(f64::total_cmp);
    let diff = last.expect("it ran five times");
    let start = Instant::now();
    let headers = Headers::default();
    let sizes = (
        to_text(&diff, &headers).len(),
        to_markdown(&diff, &headers).len(),
        to_json(&diff, &headers).to_string().len(),
    );
    let rendered = start.elapsed().as_secs_f64() * 1e3;
    println!("{what}: median {:.1} ms, least {:.1} ms", times[2], times[0]);
    println!("  {:?}", diff.counts);
    println!(
        "  {:?}; text, Markdown, JSON: {sizes:?} bytes in {rendered:.1} ms",
        diff.work
    );
}

/// Definitions in layers: each calls three of lower numbers in its half, so that
/// one half reaches the hub, which is number 0.
fn targets(at: usize) -> Vec<usize> {
    if at < 2 {
        return Vec::new();
    }
    let mut random = at as u64 * 0x9e37_79b9_7f4a_7c15 + 1;
    let mut targets: Vec<usize> = (0..3)
        .map(|_| {
            random ^= random >> 29;
            random = random.wrapping_mul(0xbf58_476d_1ce4_e5b9);
            (random >> 33) as usize % at / 2 * 2 + at % 2
        })
        .filter(|&target| target < at)
        .collect();
    targets.push(at % 2);
    targets.sort_unstable();
    targets.dedup();
    targets
}

fn put(batch: &mut Batch, edit: &Edit) -> Hash {
    let name = |at: usize| match (edit.renames)(at) {
        true => format!("definition_{at}_new"),
        false => format!("definition_{at}"),
    };
    let module = |at: usize| match edit.moves {
        true => format!("moved.package.module_{}", at % LEAVES),
        false => format!("package.module_{}", at % LEAVES),
    };
    let mut graph = Graph::new();
    let mut builder = TextBuilder::new();
    for at in 0..COUNT {
        builder
            .text("def")
            .own_name()
            .text("(")
            .text("self")
            .text(")")
            .end_signature();
        for word in 0..30 {
            builder.text(if word % 3 == 0 { "name" } else { "." });
        }
        builder.text(&format!("value {at}"));
        if (edit.is_edited)(at) {
            builder.text("edited");
        }
        let targets = targets(at);
        for _ in &targets {
            builder.reference();
        }
        let text = builder.finish("python", DefinitionKind::Function);
        graph.add(
            text.text_hash,
            targets.iter().map(|&target| Target::Node(target as u32)),
        );
        batch.put(Kind::Text, text.identity, None);
    }
    let identified = identify(&graph);
    for component in identified.components() {
        batch.put(Kind::Component, component.identity.to_vec(), None);
    }
    let mut leaves = Vec::new();
    for leaf_at in 0..LEAVES {
        let module_name = module(leaf_at);
        let path = format!("{}.py", module_name.replace('.', "/"));
        let source = store::hash(Kind::Source, path.as_bytes());
        let mut leaf = Leaf::new(path, module_name, "python", source);
        for at in (0..PER_LEAF).map(|row| leaf_at + row * LEAVES) {
            let mut entry = Entry::new(name(at), DefinitionKind::Function, identified.ids[at]);
            entry.visibility = Visibility::Public;
            entry.signature = "(self) -> None".into();
            for target in targets(at) {
                entry.calls.push(leaf.targets.len() as u32);
                leaf.targets.push(TargetName {
                    module: module(target % LEAVES).into(),
                    name: name(target).into(),
                });
            }
            leaf.entries.push(entry);
        }
        leaves.push(leaf.put(batch).expect("names are unique"));
    }
    leaves.sort_by(|a, b| a.path.cmp(&b.path));
    let root = MapRoot {
        extractors: vec![("python".to_owned(), 1)],
        tree: build_tree(leaves, batch),
    };
    root.put(batch)
}
