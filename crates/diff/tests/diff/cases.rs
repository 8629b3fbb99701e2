//! `cases/*.diff`: two projects, and the text that compares them beside.
//!
//! `UPDATE_GOLDEN=1` rewrites the text. A case whose name ends in `_shape` has
//! its JSON and its Markdown there too.

use std::{fs, path::Path};

use diff::render::{Header, Headers, to_json, to_markdown, to_text};

use crate::{compare, project::Project};

#[test]
fn cases() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let mut paths: Vec<_> = fs::read_dir(&directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "diff"));
    paths.sort();
    assert!(paths.len() > 20, "cases are in {}", directory.display());
    let wrong: Vec<String> = paths.iter().filter_map(|path| check(path)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn check(path: &Path) -> Option<String> {
    let case = fs::read_to_string(path).unwrap();
    let (old, new) = case
        .split_once("== new\n")
        .expect("a case has `== old` and `== new`");
    let (_, old) = old
        .split_once("== old\n")
        .expect("a case has `== old` and `== new`");
    let result = compare(&Project::parse(old), &Project::parse(new));
    let header = |revision: &str| Header {
        project: "sample".to_owned(),
        revision: revision.to_owned(),
        toolchain: "renyi 0.1.0".to_owned(),
    };
    let headers = Headers {
        old: header("a1"),
        new: header("b2"),
    };
    let mut found = to_text(&result, &headers);
    if path
        .file_stem()
        .is_some_and(|stem| stem.to_string_lossy().ends_with("_shape"))
    {
        let mut json = to_json(&result, &headers);
        json["old"]["map"] = "(a hash)".into();
        json["new"]["map"] = "(a hash)".into();
        let json = serde_json::to_string_pretty(&json).unwrap();
        found += &format!("== json\n{json}\n== markdown\n{}", to_markdown(&result, &headers));
    }
    let golden = path.with_extension("golden");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&golden, &found).unwrap();
        return None;
    }
    let expected = fs::read_to_string(&golden).unwrap_or_default();
    (found != expected).then(|| format!("{}\n--- expected\n{expected}--- found\n{found}", path.display()))
}
