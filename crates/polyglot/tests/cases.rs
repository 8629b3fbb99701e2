//! Cases of every front end: `cases/<language>/<name>.<ext>` beside
//! `<name>.golden`. A case of several files is a `<name>.files` in which a line
//! `//- path` starts a file. `UPDATE_GOLDEN=1` rewrites the goldens.

use std::{fs, path::Path};

use polyglot::{FileIndex, Project, ProjectFile, front_end_for, link::Linker, model::Skeleton, render};

/// Path and text of each file of a case.
fn files_of(path: &Path, text: &str) -> Vec<(String, String)> {
    if path.extension().is_some_and(|extension| extension == "files") {
        let mut files: Vec<(String, String)> = Vec::new();
        for line in text.split_inclusive('\n') {
            match line.strip_prefix("//- ") {
                Some(path) => files.push((path.trim().to_owned(), String::new())),
                None => files
                    .last_mut()
                    .expect("a case starts with `//- path`")
                    .1
                    .push_str(line),
            }
        }
        files.sort();
        return files;
    }
    let name = path.file_name().expect("a file").to_string_lossy().into_owned();
    vec![(name, text.to_owned())]
}

fn describe(files: &[(String, String)]) -> String {
    let read: Vec<(&str, &dyn polyglot::FrontEnd, Skeleton)> = files
        .iter()
        .filter_map(|(path, text)| {
            let front_end = front_end_for(path)?;
            Some((path.as_str(), front_end, front_end.extract(text)))
        })
        .collect();
    let project = Project {
        files: read
            .iter()
            .map(|(path, front_end, skeleton)| ProjectFile {
                path,
                front_end: *front_end,
                skeleton,
            })
            .collect(),
        configuration: files
            .iter()
            .filter(|(path, _)| front_end_for(path).is_none())
            .map(|(path, text)| (path.as_str(), text.as_str()))
            .collect(),
    };
    let linker = Linker::new(&project);
    let mut out = String::new();
    for at in 0..project.files.len() {
        if project.files.len() > 1 {
            out.push_str(&format!("==> {}\n", project.files[at].path));
        }
        out.push_str(&render::describe(&linker, &project, FileIndex(at as u32)));
        out.push('\n');
    }
    out
}

#[test]
fn cases() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut wrong = Vec::new();
    let mut count = 0;
    for language in fs::read_dir(&root).expect("the cases") {
        let language = language.expect("readable").path();
        let mut inputs: Vec<_> = fs::read_dir(&language)
            .expect("a folder a language")
            .map(|entry| entry.expect("readable").path())
            .collect();
        inputs.retain(|path| path.extension().is_none_or(|extension| extension != "golden"));
        inputs.sort();
        for input in inputs {
            let text = fs::read_to_string(&input).expect("cases are UTF-8");
            let found = describe(&files_of(&input, &text));
            let golden = input.with_extension("golden");
            count += 1;
            if update {
                fs::write(&golden, found).expect("writable");
                continue;
            }
            let expected = fs::read_to_string(&golden).unwrap_or_default();
            if expected != found {
                let at = expected
                    .lines()
                    .zip(found.lines())
                    .take_while(|(a, b)| a == b)
                    .count();
                wrong.push(format!(
                    "{} line {}:\n  expected {}\n  found    {}",
                    golden.display(),
                    at + 1,
                    expected.lines().nth(at).unwrap_or("the end"),
                    found.lines().nth(at).unwrap_or("the end"),
                ));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {count} cases differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn the_registry_is_sorted_and_every_language_has_cases() {
    let front_ends = polyglot::front_ends();
    let names: Vec<_> = front_ends.iter().map(|front_end| front_end.name()).collect();
    assert!(names.is_sorted(), "{names:?}");
    let mut extensions: Vec<_> = front_ends
        .iter()
        .flat_map(|front_end| front_end.extensions())
        .collect();
    extensions.sort();
    let all = extensions.len();
    extensions.dedup();
    assert_eq!(all, extensions.len(), "an extension belongs to one front end");
    for front_end in front_ends {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("cases")
            .join(front_end.name());
        assert!(folder.is_dir(), "{} has no cases", front_end.name());
        polyglot::effects::EffectTable::parse(front_end.effects()).expect("the effect table is well formed");
    }
}
