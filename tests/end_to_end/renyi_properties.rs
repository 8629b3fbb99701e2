//! What holds for every Renyi project that checks, tried on made ones. `RENYI_CASES=200` tries more.

use std::collections::{BTreeMap, BTreeSet};

use bench::renyi::{Numbers, Shape, project};
use serde_json::Value;

use crate::project::Project;

fn cases() -> u64 {
    let asked = std::env::var("RENYI_CASES")
        .ok()
        .and_then(|count| count.parse().ok());
    asked.unwrap_or(6)
}

fn shape(seed: u64) -> Shape {
    Shape {
        seed,
        modules: 2 + seed as usize % 4,
        functions: 2 + seed as usize % 5,
        leaf_used_by_all: seed.is_multiple_of(3),
    }
}

fn made(seed: u64) -> Project {
    let place = Project::new("");
    for (path, text) in project(shape(seed)) {
        place.put(&path, text.as_bytes());
    }
    place
}

/// Each definition's id by its qualified name, and what it refers to.
fn ids(place: &Project) -> (BTreeMap<String, String>, BTreeMap<String, BTreeSet<String>>) {
    let document = place.run(&["index", "-q", "--json"]).ok().json();
    let texts = |value: &Value| -> BTreeSet<String> {
        let list = value.as_array().into_iter().flatten();
        list.filter_map(|text| text.as_str().map(str::to_owned)).collect()
    };
    let mut ids = BTreeMap::new();
    let mut edges = BTreeMap::new();
    for definition in document["definitions"].as_array().expect("definitions") {
        let text = |field: &str| definition[field].as_str().expect("a text").to_owned();
        let name = format!("{}.{}", text("module"), text("name"));
        ids.insert(name.clone(), text("id"));
        let mut refers = texts(&definition["calls"]);
        refers.extend(texts(&definition["uses"]));
        edges.insert(name, refers);
    }
    (ids, edges)
}

#[test]
fn made_projects_are_canonical_and_clean_and_their_maps_are_the_same_anywhere() {
    for seed in 0..cases() {
        let place = made(seed);
        let mut arguments = vec!["format", "--check"];
        let files = project(shape(seed));
        arguments.extend(files.iter().skip(1).map(|(path, _)| path.as_str()));
        place.run(&arguments).ok();
        let run = place.run(&["check", "-q"]).ok();
        assert_eq!(run.stdout, "", "seed {seed}");
        let other = made(seed);
        let hash = |place: &Project, threads: &str| {
            let output = place
                .command(&["index", "-q", "--hash"])
                .env("RAYON_NUM_THREADS", threads)
                .output()
                .expect("a run");
            String::from_utf8_lossy(&output.stdout).into_owned()
        };
        assert_eq!(hash(&place, "1"), hash(&other, "4"), "seed {seed}");
    }
}

#[test]
fn a_rename_of_any_definition_is_one_renamed() {
    for seed in 0..cases() {
        let place = made(seed);
        place.commit("made");
        let (names, _) = ids(&place);
        let names: Vec<&String> = names.keys().filter(|name| !name.contains("test:")).collect();
        let mut numbers = Numbers(seed);
        let chosen = names[numbers.below(names.len())];
        let last = chosen.rsplit('.').next().expect("a name");
        let new = if last.starts_with(char::is_uppercase) {
            "SomethingElse"
        } else {
            "something_else"
        };
        place.run(&["rename", chosen, new]).ok();
        assert_eq!(
            place.run(&["check", "-q"]).ok().stdout,
            "",
            "seed {seed}: {chosen}"
        );
        let found = place.run(&["diff", "-q", "--json", "HEAD"]).json();
        let changes = found["changes"].as_array().expect("changes");
        assert_eq!(changes.len(), 1, "seed {seed}: {chosen}: {changes:#?}");
        let details = changes[0]["changes"].as_array().expect("details");
        assert_eq!(details.len(), 1, "seed {seed}: {chosen}: {details:#?}");
        assert_eq!(details[0]["change"], "renamed", "seed {seed}: {chosen}");
        assert_eq!(details[0]["from"], chosen.as_str());
    }
}

#[test]
fn an_edited_body_moves_the_ids_of_its_dependents_and_no_others() {
    for seed in 0..cases() {
        let place = made(seed);
        let (before, edges) = ids(&place);
        let functions: Vec<&String> = before.keys().filter(|name| name.contains(".step_")).collect();
        let mut numbers = Numbers(seed.wrapping_add(99));
        let chosen = functions[numbers.below(functions.len())].clone();
        let (module, name) = chosen.split_once('.').expect("a qualified name");
        let file = format!("{module}.ry");
        let text = place.read(&file);
        let head = text.find(&format!("function {name}(")).expect("the function");
        let back = text[head..].find("  return ").expect("a return") + head + "  return ".len();
        // One-line ways out stand before the last `return` of a body.
        place.put(
            &file,
            format!("{}1 + {}", &text[..back], &text[back..]).as_bytes(),
        );
        let (after, _) = ids(&place);
        let moved: BTreeSet<&String> = before
            .keys()
            .filter(|name| before.get(*name) != after.get(*name))
            .collect();
        let mut expected: BTreeSet<&String> = BTreeSet::from([&chosen]);
        loop {
            let more: Vec<&String> = edges
                .iter()
                .filter(|(name, refers)| {
                    !expected.contains(name) && refers.iter().any(|target| expected.contains(target))
                })
                .map(|(name, _)| name)
                .collect();
            if more.is_empty() {
                break;
            }
            expected.extend(more);
        }
        assert_eq!(moved, expected, "seed {seed}: {chosen}");
    }
}

#[test]
fn a_project_of_a_thousand_definitions_checks_after_a_rename() {
    let place = Project::new("");
    let shape = Shape {
        seed: 3,
        modules: 20,
        functions: 45,
        leaf_used_by_all: true,
    };
    for (path, text) in project(shape) {
        place.put(&path, text.as_bytes());
    }
    let run = place
        .run(&["rename", "part00000.step_0_0", "the_first_of_all"])
        .ok();
    let places = run
        .stdout
        .split(": ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next());
    let places: usize = places.and_then(|count| count.parse().ok()).expect("a number");
    assert!(places > 900, "every function calls it: {run:#?}");
    assert_eq!(place.run(&["check", "-q"]).ok().stdout, "");
}
