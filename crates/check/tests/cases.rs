//! Faulty files beside what is said about them: a file of its own, or a folder that is a project.
//!
//! `UPDATE_GOLDEN=1` writes the goldens anew.

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use check::Analysis;
use common::{Folder, below, told};
use syntax::Code;

/// Every case: its name, and its analysis.
fn cases() -> Vec<(String, Analysis)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let mut found = Vec::new();
    for entry in fs::read_dir(&root).expect("the cases") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if path.is_dir() {
            let folder = Folder(path);
            let mut roots = below(&folder);
            roots.retain(|file| !file.starts_with("registry/"));
            found.push((name, Analysis::of(&folder, &roots)));
        } else if let Some(stem) = name.strip_suffix(".ry") {
            let folder = Folder(root.clone());
            found.push((
                stem.to_owned(),
                Analysis::of(&folder, std::slice::from_ref(&name)),
            ));
        }
    }
    found.sort_by(|left, right| left.0.cmp(&right.0));
    found
}

#[test]
fn faults_are_named_where_they_are() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    for (name, analysis) in cases() {
        let actual = told(&analysis);
        let golden = root.join(format!("{name}.txt"));
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&golden, &actual).expect("a golden");
        }
        let expected = fs::read_to_string(&golden).unwrap_or_default();
        assert_eq!(actual, expected, "{name}");
    }
}

/// Every code that is not the lexer's, the parser's or about layout has a case that fires it.
#[test]
fn no_code_is_without_a_case() {
    let syntax = Path::new(env!("CARGO_MANIFEST_DIR")).join("../syntax/cases/faults");
    let mut fired: BTreeSet<Code> = BTreeSet::from([Code::LineWidth, Code::TrailingWhitespace]);
    for entry in fs::read_dir(syntax).expect("the cases of the parser") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "ry") {
            let source = fs::read_to_string(&path).expect("a case");
            let parsed = syntax::parse(&source, syntax::Mode::Module);
            fired.extend(parsed.diagnostics.iter().map(|diagnostic| diagnostic.code));
        }
    }
    for (_, analysis) in cases() {
        for (id, _) in analysis.program.modules() {
            fired.extend(analysis.diagnostics(id).iter().map(|diagnostic| diagnostic.code));
        }
    }
    let missing: Vec<&Code> = Code::ALL.iter().filter(|code| !fired.contains(code)).collect();
    assert!(missing.is_empty(), "no case fires {missing:?}");
}
