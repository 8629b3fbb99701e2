//! Diffs of small projects, each after a change that a real release made, in
//! code of our own: `tests/diff_cases/<name>.files` has both states, a file after
//! each line `//- old/path` or `//- new/path`; `<name>.golden` is what
//! `renyi diff` prints, for the Renyi language followed by both forms of `renyi index --diff`.
//! `UPDATE_GOLDEN=1` rewrites the goldens.

use std::fs;
use std::path::Path;

use crate::project::{Project, Run, repository};

/// For the Renyi language: the forms of its description as well.
fn specified(project: &Project, input: &Path) -> String {
    let name = input.file_name().unwrap_or_default().to_string_lossy();
    if !name.starts_with("renyi_") {
        return String::new();
    }
    let mut out = String::new();
    for json in [&[][..], &["--json"][..]] {
        let mut arguments = vec![
            "index",
            "-q",
            "--store",
            "store",
            "new/project",
            "--diff",
            "old/project",
        ];
        arguments.extend(json);
        let run = project.run(&arguments);
        assert_eq!(run.code, 0, "{name}: {run:#?}");
        out += "\n";
        out += &run
            .stdout
            .replace("old/project", "old")
            .replace("working tree", "new");
    }
    out
}

#[test]
fn diff_cases() {
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut inputs: Vec<_> = fs::read_dir(repository().join("tests/diff_cases"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "files"))
        .collect();
    inputs.sort();
    let mut wrong = Vec::new();
    for input in inputs {
        // Both states lie in directories of one name, which some languages use.
        let project = Project::new("");
        let text = fs::read_to_string(&input).unwrap();
        project.write(
            &text
                .replace("//- old/", "//- old/project/")
                .replace("//- new/", "//- new/project/"),
        );
        let arguments = [
            "diff",
            "-q",
            "--store",
            "store",
            "--path",
            "new/project",
            "old/project",
            "new/project",
        ];
        let run: Run = project.run(&arguments);
        assert!(run.code < 2, "{}: {run:#?}", input.display());
        let found = run
            .stdout
            .replace("old/project", "old")
            .replace("working tree", "new");
        let golden = input.with_extension("golden");
        let found = found + &specified(&project, &input);
        if update {
            fs::write(&golden, &found).unwrap();
        } else if fs::read_to_string(&golden).unwrap_or_default() != found {
            wrong.push(format!("{}:\n{found}", golden.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
