//! Diffs of small projects, each after a change that a real release made, in
//! code of our own: `tests/diff_cases/<name>.files` has both states, a file after
//! each line `//- old/path` or `//- new/path`; `<name>.golden` is what
//! `renyi diff` prints. `UPDATE_GOLDEN=1` rewrites the goldens.

use std::fs;

use crate::project::{Project, Run, repository};

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
        if update {
            fs::write(&golden, &found).unwrap();
        } else if fs::read_to_string(&golden).unwrap_or_default() != found {
            wrong.push(format!("{}:\n{found}", golden.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
