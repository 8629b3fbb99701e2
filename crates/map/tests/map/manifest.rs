//! Trees depend on their leaves alone; leaves are read as they were written.

use std::collections::BTreeMap;

use map::{
    Capability, DefinitionId, DefinitionKind,
    manifest::{
        Counts, Effects, Entry, Flags, Leaf, LeafRef, Location, MapReader, MapRoot, StoredLeaf, TargetName,
        TreeChange, TreeRef, Visibility, build_tree, diff_leaves, is_boundary, is_path, update_tree,
    },
};
use proptest::prelude::*;
use store::{Batch, Hash, Kind};

fn leaf_ref(path: &str, version: u64) -> LeafRef {
    LeafRef {
        path: path.to_owned(),
        key: store::hash(Kind::Module, format!("{path} {version}").as_bytes()),
        counts: Counts {
            modules: 1,
            definitions: version % 7,
            errors: version % 2,
        },
    }
}

fn put_map(batch: &mut Batch, tree: TreeRef) -> Hash {
    let root = MapRoot {
        extractors: vec![("python".into(), 1)],
        tree,
    };
    root.put(batch)
}

/// Paths in two parts: where cuts are as rare as chance has it, and where only
/// the greatest size of a node cuts, so that an edit shifts many cuts.
fn path(number: u32) -> String {
    let plain = format!("src/{:03}/m{number}.py", number % 37);
    if !number.is_multiple_of(2) {
        return plain;
    }
    let uncut = (0u32..).map(|try_again| format!("uncut/{number:05}_{try_again}.py"));
    let mut uncut = uncut.filter(|path| !is_boundary(0, path.as_bytes()));
    uncut.next().expect("most paths ask for no cut")
}

type Model = BTreeMap<String, LeafRef>;

fn edits() -> impl Strategy<Value = Vec<Vec<(u32, Option<u64>)>>> {
    let number = prop_oneof![0u32..2000, 0u32..60];
    let edit = (number, prop::option::weighted(0.6, 0u64..3));
    let script = prop::collection::vec(edit, 0..40);
    prop::collection::vec(script, 1..6)
}

fn apply(model: &mut Model, script: &[(u32, Option<u64>)]) -> Vec<TreeChange> {
    let mut changes = Vec::new();
    for &(number, version) in script {
        let path = path(number);
        changes.push(match version {
            Some(version) => {
                let leaf = leaf_ref(&path, version);
                model.insert(path, leaf.clone());
                TreeChange::Set(leaf)
            }
            None => {
                model.remove(&path);
                TreeChange::Remove(path)
            }
        });
    }
    changes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn any_history_gives_the_same_tree(start in 0u32..1500, scripts in edits()) {
        let mut model: Model = (0..start).map(|n| (path(n), leaf_ref(&path(n), 9))).collect();
        let mut batch = Batch::new();
        let mut tree = build_tree(model.values().cloned(), &mut batch);
        for script in scripts {
            let before = (put_map(&mut batch, tree), model.clone());
            let changes = apply(&mut model, &script);
            let nothing = Batch::new();
            tree = update_tree(&nothing, &mut batch, &tree, changes).expect("all nodes are there");
            prop_assert_eq!(tree, build_tree(model.values().cloned(), &mut Batch::new()));
            let after = put_map(&mut batch, tree);
            check_reading(&batch, (&before.0, &before.1), (&after, &model));
        }
    }

    #[test]
    fn emptying_leaves_the_empty_tree(start in 0u32..700) {
        let mut batch = Batch::new();
        let tree = build_tree((0..start).map(|n| leaf_ref(&format!("{n:04}"), 0)), &mut batch);
        let removals = (0..start).map(|n| TreeChange::Remove(format!("{n:04}")));
        let emptied = update_tree(&Batch::new(), &mut batch, &tree, removals).expect("all nodes are there");
        prop_assert_eq!(emptied, build_tree([], &mut Batch::new()));
        let key = put_map(&mut batch, emptied);
        let reader = MapReader::open(&batch, &key).expect("it was put");
        prop_assert_eq!(reader.leaves().expect("readable"), []);
        prop_assert_eq!(reader.find("0000").expect("readable"), None);
    }
}

/// Leaves, single paths and differences are those of the models.
fn check_reading(batch: &Batch, old: (&Hash, &Model), new: (&Hash, &Model)) {
    let open = |key| MapReader::open(batch, key).expect("it was put");
    let (before, after) = (open(old.0), open(new.0));
    let leaves = after.leaves().expect("readable");
    assert!(leaves.iter().eq(new.1.values()));
    assert!(after.has_canonical_tree().expect("readable"));
    for number in (0..2000).step_by(97) {
        let path = path(number);
        assert_eq!(after.find(&path).expect("readable").as_ref(), new.1.get(&path));
    }
    let mut expected = Vec::new();
    let paths: std::collections::BTreeSet<_> = old.1.keys().chain(new.1.keys()).collect();
    for path in paths {
        if old.1.get(path) != new.1.get(path) {
            expected.push((path.clone(), old.1.get(path).cloned(), new.1.get(path).cloned()));
        }
    }
    let found = diff_leaves(&before, &after).expect("readable");
    let found: Vec<_> = found
        .into_iter()
        .map(|change| (change.path, change.old, change.new))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn ten_edits_among_many_leaves_open_few_nodes() {
    let paths: Vec<String> = (0..1400)
        .map(|n| format!("package/{:02}/module_{n}.py", n % 40))
        .collect();
    let mut model: Model = paths
        .iter()
        .map(|path| (path.clone(), leaf_ref(path, 0)))
        .collect();
    let mut batch = Batch::new();
    let tree = build_tree(model.values().cloned(), &mut batch);
    let total = batch.len();
    let changes: Vec<_> = (0..10).map(|n| leaf_ref(&paths[n * 139 + 5], 1)).collect();
    for leaf in &changes {
        model.insert(leaf.path.clone(), leaf.clone());
    }
    let changed = update_tree(
        &Batch::new(),
        &mut batch,
        &tree,
        changes.into_iter().map(TreeChange::Set),
    );
    let changed = changed.expect("all nodes are there");
    let written = batch.len() - total;
    let (old, new) = (put_map(&mut batch, tree), put_map(&mut batch, changed));
    let open = |key| MapReader::open(&batch, key).expect("it was put");
    let (old, new) = (open(&old), open(&new));
    assert_eq!(diff_leaves(&old, &new).expect("readable").len(), 10);
    let opened = old.opened() + new.opened();
    assert!(opened <= 60, "{opened} nodes opened");
    assert!(written <= 15, "{written} of {total} nodes written");
}

#[test]
fn paths_chosen_to_be_cuts_do_not_make_a_tree_deep() {
    let hostile = (0u32..).map(|n| format!("{n:06}"));
    let cut_everywhere = |path: &String| (0..2).all(|level| is_boundary(level, path.as_bytes()));
    let leaves: Vec<_> = hostile
        .filter(cut_everywhere)
        .take(300)
        .map(|path| leaf_ref(&path, 0))
        .collect();
    let mut batch = Batch::new();
    build_tree(leaves, &mut batch);
    // 150 nodes of two, 75 of those; then cuts are as rare as ever.
    assert!((226..=240).contains(&batch.len()), "{} nodes", batch.len());
}

#[test]
fn paths_that_lead_elsewhere_are_refused() {
    for path in ["", "/a", "a/", "a//b", "a/../b", "..", ".", "./a", "a\0b"] {
        assert!(!is_path(path), "{path:?}");
        assert!(
            Leaf::new(path, "m", "python", Hash([0; 32]))
                .put(&mut Batch::new())
                .is_err()
        );
    }
    for path in ["a", "a/b.py", "..a/b..", "a\\b", "é/ü"] {
        assert!(is_path(path), "{path:?}");
    }
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("[a-c]{0,2}", 0..4)
}

prop_compose! {
    fn entry(name: String, targets: u32)(
        kind in 0..8usize,
        rank in 0u32..3,
        visibility in 0..3u8,
        words in ["[a-z]{0,4}", "[a-zé]{0,9}", "[a-z ]{0,9}"],
        place in (0u32..1000, 0u32..1000, 1u32..50, 0u32..50),
        numbers in (any::<u32>(), any::<u32>()),
        capabilities in prop::collection::vec(0..10usize, 0..3),
        lists in (texts(), texts(), texts()),
        calls in prop::collection::vec(0..targets, 0..4),
        uses in prop::collection::vec(0..targets, 0..4),
    ) -> Entry<'static> {
        let id = DefinitionId::new(store::hash(Kind::Component, name.as_bytes()), rank);
        let [spelling, signature, purpose] = words;
        let (start, len, first_line, lines) = place;
        let owned = |texts: Vec<String>| texts.into_iter().map(Into::into).collect();
        Entry {
            visibility: [Visibility::Private, Visibility::Restricted, Visibility::Public][visibility as usize],
            spelling: spelling.into(),
            location: Location { start, end: start + len, first_line, last_line: first_line + lines },
            signature: signature.into(),
            purpose: purpose.into(),
            lines: numbers.0,
            flags: Flags(numbers.1),
            effects: Effects {
                capabilities: capabilities.into_iter().map(|n| Capability::ALL[n]).collect(),
                named: owned(lists.0),
            },
            failures: owned(lists.1),
            unresolved: owned(lists.2),
            calls,
            uses,
            ..Entry::new(name.clone(), DefinitionKind::ALL[kind], id)
        }
    }
}

prop_compose! {
    pub fn leaf(sizes: std::ops::Range<u32>)(size in sizes)(
        entries in (0..size).map(|n| entry(format!("name{}", n * 7919 % 10_007), 20)).collect::<Vec<_>>(),
        targets in prop::collection::vec(("[ab]{1,2}", "[a-d]{1,2}"), 20),
        imports in texts(),
        numbers in (0u32..10_000, 0u32..3),
    ) -> Leaf<'static> {
        let target = |(module, name): (String, String)| TargetName { module: module.into(), name: name.into() };
        Leaf {
            lines: numbers.0,
            errors: numbers.1,
            purpose: "What it is for.".into(),
            imports: imports.into_iter().map(Into::into).collect(),
            targets: targets.into_iter().map(target).collect(),
            entries,
            ..Leaf::new("src/a.py", "src.a", "python", Hash([7; 32]))
        }
    }
}

/// What is written of a leaf, with edges by name: sets in order, entries by name.
fn meaning(leaf: &Leaf<'_>) -> String {
    fn set<T: Ord + Clone>(items: impl Iterator<Item = T>) -> Vec<T> {
        items
            .collect::<std::collections::BTreeSet<T>>()
            .into_iter()
            .collect()
    }
    let mut entries: Vec<_> = leaf
        .entries
        .iter()
        .map(|entry| {
            let edges = |edges: &[u32]| set(edges.iter().map(|&edge| leaf.targets[edge as usize].clone()));
            let plain = Entry {
                effects: Effects {
                    capabilities: entry.effects.capabilities,
                    named: set(entry.effects.named.iter().cloned()),
                },
                failures: set(entry.failures.iter().cloned()),
                unresolved: set(entry.unresolved.iter().cloned()),
                calls: Vec::new(),
                uses: Vec::new(),
                ..entry.clone()
            };
            (
                entry.name.clone(),
                format!("{plain:?} {:?} {:?}", edges(&entry.calls), edges(&entry.uses)),
            )
        })
        .collect();
    entries.sort();
    let head = Leaf {
        imports: set(leaf.imports.iter().cloned()),
        targets: Vec::new(),
        entries: Vec::new(),
        ..leaf.clone()
    };
    format!("{head:?} {entries:#?}")
}

fn check_leaf(leaf: &Leaf<'_>) {
    let mut batch = Batch::new();
    let found = leaf.put(&mut batch).expect("a leaf that can be written");
    let stored = StoredLeaf::read(&batch, &found.key).expect("just put");
    let read = stored.decode().expect("just written");
    assert_eq!(meaning(&read), meaning(leaf));
    assert_eq!(stored.keys().count(), batch.len());
    assert_eq!(found.counts, read.counts());
    let mut again = Batch::new();
    assert_eq!(read.put(&mut again).expect("read from an object"), found);
    let mut shuffled = leaf.clone();
    shuffled.entries.reverse();
    assert_eq!(shuffled.put(&mut again).expect("the same leaf"), found);
    for entry in &read.entries {
        assert_eq!(read.entry(&entry.name), Some(entry));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    #[test]
    fn small_leaves_are_read_as_written(leaf in leaf(0..12)) {
        check_leaf(&leaf);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]
    #[test]
    fn leaves_of_many_entries_are_read_as_written(leaf in leaf(250..600)) {
        check_leaf(&leaf);
    }
}

fn big_leaf() -> Leaf<'static> {
    let mut leaf = Leaf::new("big.py", "big", "python", Hash([1; 32]));
    for n in 0..3000u32 {
        let id = DefinitionId::new(Hash([2; 32]), n);
        leaf.targets.push(TargetName {
            module: "big".into(),
            name: format!("f{n}").into(),
        });
        leaf.entries.push(Entry {
            calls: vec![n / 2],
            signature: format!("def f{n}(a, b, c) -> int").into(),
            location: Location {
                start: n * 50,
                end: n * 50 + 40,
                first_line: n * 3,
                last_line: n * 3 + 2,
            },
            ..Entry::new(format!("f{n}"), DefinitionKind::Function, id)
        });
    }
    leaf
}

#[test]
fn an_edit_of_a_huge_leaf_writes_one_run_and_the_head() {
    let mut leaf = big_leaf();
    let mut batch = Batch::new();
    leaf.put(&mut batch).expect("a leaf that can be written");
    let before = batch.len();
    // The edit also moves all that follows in the file.
    leaf.entries[1000].id = DefinitionId::new(Hash([3; 32]), 0);
    for entry in &mut leaf.entries[1001..] {
        entry.location.first_line += 1;
        entry.location.last_line += 1;
    }
    leaf.put(&mut batch).expect("a leaf that can be written");
    assert_eq!(batch.len() - before, 2);
    let removed = leaf.entries.remove(1500);
    leaf.put(&mut batch).expect("a leaf that can be written");
    assert!(batch.len() - before <= 5, "without {}", removed.name);
}

#[test]
fn leaves_that_cannot_be_written_say_why() {
    let id = DefinitionId::new(Hash([0; 32]), 0);
    let mut leaf = Leaf::new("a.py", "a", "python", Hash([0; 32]));
    leaf.entries.push(Entry::new("f", DefinitionKind::Function, id));
    leaf.entries.push(Entry::new("f", DefinitionKind::Method, id));
    let error = leaf.put(&mut Batch::new()).expect_err("a name twice");
    assert!(error.to_string().contains("`f` twice in a.py"), "{error}");
    leaf.entries.truncate(1);
    leaf.entries[0].calls.push(0);
    let error = leaf.put(&mut Batch::new()).expect_err("an edge without a target");
    assert!(error.to_string().contains("past them in `f` of a.py"), "{error}");
}

#[test]
fn a_leaf_under_the_path_of_another_is_refused() {
    let mut batch = Batch::new();
    let leaf = Leaf::new("a.py", "a", "python", Hash([0; 32]));
    let found = leaf.put(&mut batch).expect("a leaf that can be written");
    let moved = LeafRef {
        path: "b.py".into(),
        ..found.clone()
    };
    let counted = LeafRef {
        counts: Counts {
            definitions: 9,
            ..found.counts
        },
        ..found.clone()
    };
    for (listed, is_good) in [(found, true), (moved, false), (counted, false)] {
        let stored = StoredLeaf::read_listed(&batch, &listed).expect("just put");
        assert_eq!(stored.decode().is_ok(), is_good, "{listed:?}");
    }
}

#[test]
fn a_high_tree_changes_as_a_small_one_does() {
    let path = |n: u32| format!("{:02}/{n}", n % 50);
    let mut model: Model = (0..30_000).map(|n| (path(n), leaf_ref(&path(n), 0))).collect();
    let mut batch = Batch::new();
    let mut tree = build_tree(model.values().cloned(), &mut batch);
    let mut random = 1u32;
    for round in 0..12u64 {
        let mut changes = Vec::new();
        for _ in 0..1 << round.min(8) {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let path = path(random >> 8 & 0xffff);
            if random >> 30 == 0 {
                model.remove(&path);
                changes.push(TreeChange::Remove(path));
            } else {
                model.insert(path.clone(), leaf_ref(&path, round));
                changes.push(TreeChange::Set(leaf_ref(&path, round)));
            }
        }
        tree = update_tree(&Batch::new(), &mut batch, &tree, changes).expect("all nodes are there");
        assert_eq!(
            tree,
            build_tree(model.values().cloned(), &mut Batch::new()),
            "round {round}"
        );
    }
    // And most of it at once, down to a tree of one node.
    let gone: Vec<String> = model.keys().skip(20).cloned().collect();
    model.retain(|path, _| gone.binary_search(path).is_err());
    let changes = gone.into_iter().map(TreeChange::Remove);
    tree = update_tree(&Batch::new(), &mut batch, &tree, changes).expect("all nodes are there");
    assert_eq!(tree, build_tree(model.values().cloned(), &mut Batch::new()));
}

#[test]
fn a_reader_can_be_shared_between_threads() {
    let mut batch = Batch::new();
    let tree = build_tree((0..99).map(|n| leaf_ref(&format!("{n:02}"), 0)), &mut batch);
    let key = put_map(&mut batch, tree);
    let reader = MapReader::open(&batch, &key).expect("just put");
    std::thread::scope(|scope| {
        for n in 0..4 {
            let reader = &reader;
            scope.spawn(move || assert!(reader.find(&format!("{n:02}")).expect("readable").is_some()));
        }
    });
}

fn measured_leaf(file: u32) -> Leaf<'static> {
    let module = format!("package.part{}.module{file}", file % 40);
    let path = format!("{}.py", module.replace('.', "/"));
    let mut leaf = Leaf::new(path, module.clone(), "python", Hash([file as u8; 32]));
    for n in 0..71u32 {
        let name = format!("function_number_{n}");
        leaf.targets.push(TargetName {
            module: module.clone().into(),
            name: name.clone().into(),
        });
        let id = DefinitionId::new(store::hash(Kind::Component, name.as_bytes()), 0);
        leaf.entries.push(Entry {
            signature: format!("def {name}(first: int, second: str) -> bool").into(),
            purpose: "Says whether one is the other, in one sentence.".into(),
            location: Location {
                start: n * 700,
                end: n * 700 + 690,
                first_line: n * 20,
                last_line: n * 20 + 18,
            },
            calls: (0..4).map(|hop| (n * 7 + hop * 3) % (n + 1)).collect(),
            lines: 18,
            ..Entry::new(name, DefinitionKind::Function, id)
        });
    }
    leaf
}

/// How long a map of 100,000 definitions takes, and its bytes. Run by hand with
/// `--profile quick -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn a_map_of_100_000_definitions() {
    use std::time::Instant;
    let leaves: Vec<_> = (0..1400).map(measured_leaf).collect();
    let start = Instant::now();
    let mut batch = Batch::new();
    let mut found: Vec<_> = leaves
        .iter()
        .map(|leaf| leaf.put(&mut batch).expect("writable"))
        .collect();
    println!("writing leaves: {:?}", start.elapsed());
    found.sort_by(|a, b| a.path.cmp(&b.path));
    let start = Instant::now();
    let tree = build_tree(found.iter().cloned(), &mut batch);
    println!("building the tree: {:?}", start.elapsed());
    let key = put_map(&mut batch, tree);
    let bytes: usize = batch.iter().map(|(_, object)| object.identity.len()).sum();
    println!("{} bytes in {} objects, before compression", bytes, batch.len());
    let start = Instant::now();
    let reader = MapReader::open(&batch, &key).expect("just put");
    let listed = reader.leaves().expect("readable");
    println!("listing leaves: {:?}", start.elapsed());
    let start = Instant::now();
    let mut entries = 0;
    for leaf in &listed {
        let stored = reader.leaf(leaf).expect("readable");
        entries += stored.decode().expect("readable").entries.len();
    }
    println!("reading {entries} entries: {:?}", start.elapsed());
    let start = Instant::now();
    let before = batch.len();
    let change = TreeChange::Set(leaf_ref(&found[700].path, 1));
    let changed = update_tree(&Batch::new(), &mut batch, &tree, [change]).expect("all nodes are there");
    println!(
        "changing a leaf: {:?}, {} nodes written",
        start.elapsed(),
        batch.len() - before
    );
    let new = put_map(&mut batch, changed);
    let open = |key| MapReader::open(&batch, key).expect("just put");
    let (old, new) = (open(&key), open(&new));
    let start = Instant::now();
    let changes = diff_leaves(&old, &new).expect("readable").len();
    println!(
        "finding {changes} change: {:?}, {} nodes opened",
        start.elapsed(),
        old.opened() + new.opened()
    );
}
