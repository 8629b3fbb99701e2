//! The incremental result equals a clean build, byte for byte: maps made with
//! everything remembered have the hash of maps made from nothing, on any path
//! and number of threads.

use std::{fs, path::Path, process::Command};

use tempfile::TempDir;

use crate::project::{Project, Run, repository};

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
}

/// Sources of every language: the front ends' own cases.
fn material() -> Vec<(String, String)> {
    let mut files = Vec::new();
    for language in fs::read_dir(repository().join("crates/polyglot/cases")).unwrap() {
        let language = language.unwrap().path();
        for case in fs::read_dir(&language).unwrap() {
            let case = case.unwrap().path();
            let extension = case
                .extension()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let Ok(text) = fs::read_to_string(&case) else {
                continue;
            };
            if extension == "files" {
                let stem = case.file_stem().unwrap().to_string_lossy().into_owned();
                for file in text.split("//- ").skip(1) {
                    let (path, text) = file.split_once('\n').unwrap_or((file, ""));
                    files.push((format!("{stem}/{}", path.trim()), text.to_owned()));
                }
            } else if extension != "golden" {
                files.push((case.file_name().unwrap().to_string_lossy().into_owned(), text));
            }
        }
    }
    files.sort();
    files
}

/// One edit of some file: lines moved, dropped, doubled; contents exchanged;
/// files deleted, brought back, renamed.
fn edit(project: &Project, material: &[(String, String)], random: &mut Random) {
    let (path, text) = &material[random.below(material.len())];
    let full = project.path().join(path);
    let current = fs::read_to_string(&full).unwrap_or_default();
    let mut lines: Vec<&str> = current.lines().collect();
    match random.below(6) {
        0 => {
            let _ = fs::remove_file(&full);
            return;
        }
        1 => return project.put(path, text.as_bytes()),
        2 => {
            let (_, other) = &material[random.below(material.len())];
            return project.put(path, other.as_bytes());
        }
        3 if !lines.is_empty() => {
            lines.remove(random.below(lines.len()));
        }
        4 if !lines.is_empty() => {
            let at = random.below(lines.len());
            lines.insert(random.below(lines.len()), lines[at]);
        }
        _ if lines.len() > 1 => {
            let (a, b) = (random.below(lines.len()), random.below(lines.len()));
            lines.swap(a, b);
        }
        _ => {}
    }
    project.put(path, (lines.join("\n") + "\n").as_bytes());
}

#[test]
fn random_edits() {
    let material = material();
    let project = Project::new("");
    for (path, text) in &material {
        project.put(path, text.as_bytes());
    }
    let store = TempDir::new().unwrap();
    let mut random = Random(7);
    for round in 0..60 {
        for _ in 0..=random.below(4) {
            edit(&project, &material, &mut random);
        }
        let incremental = project.map(Some(store.path()));
        let clean = TempDir::new().unwrap();
        assert_eq!(incremental, project.map(Some(clean.path())), "round {round}");
    }
}

#[test]
fn any_path_and_thread_count() {
    let material = material();
    let (one, other) = (Project::new(""), Project::new(""));
    for (path, text) in &material {
        one.put(path, text.as_bytes());
    }
    for (path, text) in material.iter().rev() {
        other.put(&format!("elsewhere/{path}"), text.as_bytes());
    }
    let map = |project: &Project, path: &str, threads: &str| {
        let store = TempDir::new().unwrap();
        let mut command = project.command(&["index", "--summary", "-q", path, "--store"]);
        let run = Run::of(
            command
                .arg(store.path())
                .env("RAYON_NUM_THREADS", threads)
                .output()
                .unwrap(),
        );
        run.stdout.lines().next().unwrap_or_default().to_owned()
    };
    let expected = map(&one, ".", "1");
    assert!(expected.starts_with("map b3:"));
    for threads in ["2", "7"] {
        assert_eq!(expected, map(&one, ".", threads), "{threads} threads");
    }
    assert_eq!(expected, map(&other, "elsewhere", "3"), "another directory");
}

/// Revisions of a repository, oldest first.
fn revisions(repository: &Path, most: usize) -> Vec<String> {
    let output = Command::new("git")
        .arg("-C")
        .arg(repository)
        .args(["rev-list", "--first-parent", "--reverse", "HEAD"])
        .output()
        .unwrap();
    let all: Vec<String> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(str::to_owned)
        .collect();
    all[all.len().saturating_sub(most)..].to_vec()
}

/// Replays a history: this repository's, or the one that RENYI_REPLAY names.
#[test]
fn a_replayed_history() {
    let repository = std::env::var_os("RENYI_REPLAY").map_or_else(repository, Into::into);
    let thorough = ["RENYI_REPLAY", "RENYI_REQUIRE_TOOLS"]
        .iter()
        .any(|name| std::env::var_os(name).is_some());
    let most = if thorough { 200 } else { 40 };
    let revisions = revisions(&repository, most);
    let store = TempDir::new().unwrap();
    let map = |store: &Path, revision: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_renyi"))
            .args(["index", "--summary", "-q", "--rev", revision, "--store"])
            .arg(store)
            .arg(&repository)
            .output()
            .unwrap();
        let run = Run::of(output);
        assert!(run.stdout.starts_with("map b3:"), "{revision}: {run:#?}");
        run.stdout.lines().next().unwrap().to_owned()
    };
    for revision in &revisions {
        let clean = TempDir::new().unwrap();
        assert_eq!(
            map(store.path(), revision),
            map(clean.path(), revision),
            "{revision}"
        );
    }
}

#[test]
fn a_second_run_writes_nothing() {
    let project = Project::new("");
    for (path, text) in material() {
        project.put(&path, text.as_bytes());
    }
    project.run(&["index", "--summary"]);
    let again = project.run(&["index", "--summary"]);
    assert!(again.stderr.contains("0 objects (0 bytes) new"), "{again:#?}");
}

#[test]
fn a_worktree_and_its_revision_have_one_map() {
    let project = Project::new(
        "//- app.go\npackage app\n\nfunc Greet() string { return name() }\n\nfunc name() string { return \"n\" }\n//- go.mod\nmodule example.com/app\n",
    );
    project.commit("first");
    let store = TempDir::new().unwrap();
    let revision = Run::of(
        project
            .command(&["index", "--summary", "-q", "--rev", "HEAD", "--store"])
            .arg(store.path())
            .output()
            .unwrap(),
    );
    assert_eq!(project.map(None), revision.stdout.lines().next().unwrap());
}

#[test]
fn a_linked_worktree_uses_the_main_ones_store() {
    let project = Project::new("//- app.go\npackage app\n\nfunc Greet() string { return \"a\" }\n");
    project.commit("first");
    project.run(&["index", "--summary"]).ok();
    let linked = TempDir::new().unwrap();
    let status = Command::new("git")
        .arg("-C")
        .arg(project.path())
        .args(["worktree", "add", "-q", "-b", "linked"])
        .arg(linked.path().join("tree"))
        .status()
        .unwrap();
    assert!(status.success());
    let run = Run::of(
        Command::new(env!("CARGO_BIN_EXE_renyi"))
            .args(["index", "--summary"])
            .current_dir(linked.path().join("tree"))
            .output()
            .unwrap(),
    )
    .ok();
    assert!(run.stderr.contains("0 objects"), "{run:#?}");
    assert!(!linked.path().join("tree/.renyi").exists());
    let names = project.run(&["store", "ls"]).ok().stdout;
    assert!(
        names.contains("worktrees/main") && names.contains("worktrees/tree"),
        "{names}"
    );
}
