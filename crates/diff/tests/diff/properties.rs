//! What holds for any two projects.

use std::collections::{BTreeMap, BTreeSet};

use diff::{Bump, Detail, MapDiff, Options};
use map::{
    DefinitionKind,
    manifest::{Flags, Visibility},
};
use proptest::prelude::*;
use store::Batch;

use crate::{
    compare,
    project::{Def, Module, Project, Word},
};

/// A generator of numbers that is the same everywhere.
#[derive(Debug, Clone)]
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }
}

/// A project of `count` definitions, no two with one text, that refer to each
/// other at random, in circles too.
fn project(random: &mut Random, count: usize) -> Project {
    let modules = 1 + count / 6;
    let name = |at: usize| (format!("m{}", at % modules), format!("f{at}"));
    let mut project = Project {
        modules: (0..modules)
            .map(|at| Module {
                name: format!("m{at}"),
                path: format!("m{at}.py"),
                language: "python".to_owned(),
                defs: Vec::new(),
            })
            .collect(),
    };
    for at in 0..count {
        let mut def = Def {
            kind: DefinitionKind::Function,
            visibility: if random.below(2) == 0 {
                Visibility::Public
            } else {
                Visibility::Private
            },
            name: name(at).1,
            signature: vec![Word::Text("(".into()), Word::Text(")".into())],
            body: vec![Word::Text(format!("body {at}"))],
            effects: Vec::new(),
            failures: Vec::new(),
            flags: Flags::default(),
            purpose: String::new(),
        };
        for _ in 0..random.below(4) {
            let (module, name) = name(random.below(count));
            def.body.push(Word::Reference(module, name));
        }
        project.modules[at % modules].defs.push(def);
    }
    project
}

impl Project {
    fn all_defs(&mut self) -> impl Iterator<Item = (&str, &mut Def)> {
        self.modules.iter_mut().flat_map(|module| {
            let name = module.name.as_str();
            module.defs.iter_mut().map(move |def| (name, def))
        })
    }

    fn references(&mut self) -> impl Iterator<Item = &mut Word> {
        let defs = self.modules.iter_mut().flat_map(|module| &mut module.defs);
        defs.flat_map(|def| def.signature.iter_mut().chain(&mut def.body))
    }

    fn rename(&mut self, module: &str, from: &str, to: &str) {
        for (at, def) in self.all_defs() {
            if at == module && def.name == from {
                def.name = to.to_owned();
            }
        }
        for word in self.references() {
            if matches!(word, Word::Reference(at, name) if at == module && name == from) {
                *word = Word::Reference(module.to_owned(), to.to_owned());
            }
        }
    }
}

/// The words of each change, by name.
fn words(diff: &MapDiff) -> BTreeMap<String, Vec<&'static str>> {
    let words = |change: &diff::Change| change.details.iter().map(Detail::word).collect();
    diff.changes
        .iter()
        .map(|change| (change.definition.qualified.clone(), words(change)))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(96) })]

    #[test]
    fn a_map_does_not_differ_from_itself(seed in 1u64.., count in 1usize..40) {
        let project = project(&mut Random(seed), count);
        let diff = compare(&project, &project);
        prop_assert!(diff.is_empty());
        prop_assert_eq!(diff.bump, Bump::None);
        prop_assert_eq!((diff.work.nodes, diff.work.leaves, diff.work.components), (0, 0, 0));
    }

    #[test]
    fn the_order_of_sources_does_not_matter(seed in 1u64.., count in 1usize..40) {
        let mut random = Random(seed);
        let mut old = project(&mut random, count);
        let mut new = old.clone();
        edit(&mut random, &mut new);
        let expected = compare(&old, &new);
        for project in [&mut old, &mut new] {
            random.shuffle(&mut project.modules);
            for module in &mut project.modules {
                random.shuffle(&mut module.defs);
            }
        }
        // The sources are others, so the keys of leaves and maps are too.
        let mut diff = compare(&old, &new);
        (diff.old, diff.new, diff.work) = (expected.old, expected.new, expected.work);
        prop_assert_eq!(diff, expected);
    }

    #[test]
    fn renaming_everything_gives_renames_only(seed in 1u64.., count in 1usize..40) {
        let old = project(&mut Random(seed), count);
        let mut new = old.clone();
        let names: Vec<(String, String)> =
            old.defs().map(|(module, def)| (module.name.clone(), def.name.clone())).collect();
        for (module, name) in &names {
            new.rename(module, name, &format!("{name}_renamed"));
        }
        let expected: BTreeMap<_, _> = names
            .iter()
            .map(|(module, name)| (format!("{module}.{name}_renamed"), vec!["renamed"]))
            .collect();
        let diff = compare(&old, &new);
        prop_assert_eq!(words(&diff), expected);
        prop_assert_eq!(diff.tests.len(), 0);
        prop_assert_eq!(diff.counts.reached, 0);
    }

    #[test]
    fn edits_are_found_and_nothing_else(seed in 1u64.., count in 1usize..40) {
        let mut random = Random(seed);
        let old = project(&mut random, count);
        let mut new = old.clone();
        let expected = edit(&mut random, &mut new);
        prop_assert_eq!(words(&compare(&old, &new)), expected);
    }

    #[test]
    fn what_is_reached_is_who_refers_to_it(seed in 1u64.., count in 1usize..40) {
        let mut random = Random(seed);
        let old = project(&mut random, count);
        let mut new = old.clone();
        let defs = count_defs(&new);
        let at = random.below(defs);
        let (module, def) = new.all_defs().nth(at).unwrap();
        let edited = (module.to_owned(), def.name.clone());
        def.body.push(Word::Text("edited".into()));
        let mut reached: BTreeSet<(String, String)> = [edited.clone()].into();
        loop {
            let before = reached.len();
            for (module, def) in new.defs() {
                let refers = def.body.iter().any(|word| {
                    matches!(word, Word::Reference(module, name) if reached.contains(&(module.clone(), name.clone())))
                });
                if refers {
                    reached.insert((module.name.clone(), def.name.clone()));
                }
            }
            if reached.len() == before {
                break;
            }
        }
        reached.remove(&edited);
        let mut expected: Vec<String> = reached.iter().map(|(module, name)| format!("{module}.{name}")).collect();
        expected.sort();
        let diff = compare(&old, &new);
        prop_assert_eq!(diff.changes.len(), 1);
        let found: Vec<&str> = diff.names(&diff.changes[0].reach.definitions).collect();
        prop_assert_eq!(found, expected);
    }
}

fn count_defs(project: &Project) -> usize {
    project.defs().count()
}

/// Changes some definitions at random, each in one way, and says what a
/// comparison has to find.
fn edit(random: &mut Random, project: &mut Project) -> BTreeMap<String, Vec<&'static str>> {
    let mut names: Vec<(String, String)> = project
        .defs()
        .map(|(module, def)| (module.name.clone(), def.name.clone()))
        .collect();
    random.shuffle(&mut names);
    let mut expected = BTreeMap::new();
    for (module, name) in names {
        let qualified = format!("{module}.{name}");
        let which = random.below(12);
        if which == 0 {
            let new = format!("{name}_new");
            project.rename(&module, &name, &new);
            expected.insert(format!("{module}.{new}"), vec!["renamed"]);
            continue;
        }
        let mut defs = project.all_defs();
        let (_, def) = defs.find(|(at, def)| *at == module && def.name == name).unwrap();
        match which {
            1 => {
                def.body.insert(0, Word::Text("edited".into()));
                expected.insert(qualified, vec!["body"]);
            }
            2 => {
                def.signature.insert(1, Word::Text("parameter".into()));
                expected.insert(qualified, vec!["signature"]);
            }
            3 => {
                def.visibility = match def.visibility {
                    Visibility::Public => Visibility::Private,
                    _ => Visibility::Public,
                };
                expected.insert(qualified, vec!["visibility"]);
            }
            4 => {
                let mut added = def.clone();
                added.name = format!("{name}_added");
                added.body.push(Word::Text("added".into()));
                drop(defs);
                let at = random.below(project.modules.len());
                let into = &mut project.modules[at];
                expected.insert(format!("{}.{}", into.name, added.name), vec!["added"]);
                into.defs.push(added);
            }
            _ => {}
        }
    }
    expected
}

/// The work follows the change and not the project.
#[test]
fn equal_parts_are_not_opened() {
    for count in [600, 6_000] {
        let mut random = Random(7);
        let mut old = project(&mut random, count);
        for word in old.references() {
            if matches!(word, Word::Reference(..)) {
                *word = Word::Text("call".into());
            }
        }
        let mut new = old.clone();
        new.modules[1].defs[0].body.push(Word::Text("edited".into()));
        let mut batch = Batch::new();
        let (old, new) = (old.put(&mut batch), new.put(&mut batch));
        let diff = diff::diff(&batch, &old, &new, &Options::default()).unwrap();
        assert_eq!(diff.changes.len(), 1);
        assert_eq!(
            (diff.work.leaves, diff.work.components, diff.work.texts),
            (2, 2, 2)
        );
        assert!(
            diff.work.nodes <= 8,
            "{} nodes of {count} definitions",
            diff.work.nodes
        );
    }
}

#[test]
fn markdown_fits_a_comment() {
    let mut random = Random(11);
    let old = project(&mut random, 3_000);
    let mut new = old.clone();
    for (_, def) in new.all_defs() {
        def.signature = vec![Word::Text("a `b` ``c`` <details> @someone ".repeat(4))];
    }
    let diff = compare(&old, &new);
    let page = diff::render::to_markdown(&diff, &diff::render::Headers::default());
    assert!(page.len() < 60_000, "{} bytes", page.len());
    assert!(page.contains("lines cut to fit a comment"));
    assert!(
        page.contains("``` a `b` ``c`` <details> @someone"),
        "fenced by more than it holds"
    );
}

#[test]
fn an_object_that_is_missing_is_an_error() {
    let old = Project::parse("module m\nfunction f : ( ) | 1");
    let new = Project::parse("module m\nfunction f : ( ) | 2");
    let mut batch = Batch::new();
    let (old, new) = (old.put(&mut batch), new.put(&mut batch));
    let whole = diff::diff(&batch, &old, &new, &Options::default()).ok();
    let mut errors = 0;
    let objects: Vec<_> = batch.iter().map(|(key, object)| (*key, object.clone())).collect();
    for (left_out, _) in &objects {
        let mut partial = Batch::new();
        for (key, object) in objects.iter().filter(|(key, _)| key != left_out) {
            partial.put_hashed(*key, object.kind, object.identity.to_vec(), None);
        }
        match diff::diff(&partial, &old, &new, &Options::default()) {
            // Without texts the entries have to do.
            Ok(diff) => assert_eq!(Some(diff), whole),
            Err(store::Error::Missing { key, .. }) if key == *left_out => errors += 1,
            Err(other) => panic!("{other}"),
        }
    }
    assert_eq!(errors, 8, "maps, trees, leaves and components");
}
