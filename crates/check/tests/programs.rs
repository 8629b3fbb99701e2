//! Programs that check without a word.

mod common;

use check::Analysis;
use common::{Folder, below, told};

/// The programs of the language's description, and the library's declarations.
#[test]
fn known_programs_are_clean() {
    let folder = Folder::at("../syntax/cases/programs");
    let analysis = Analysis::of(&folder, &below(&folder));
    assert_eq!(told(&analysis), "");
}

#[test]
fn the_library_is_clean() {
    let mut source = String::from("module everything\n  purpose: Import all there is.\n\n");
    for (name, _) in check::library::LIBRARY {
        if *name != check::library::PRELUDE {
            source.push_str(&format!("import {name}\n"));
        }
    }
    let files = common::Memory::of(&[("everything.ry", &source)]);
    let analysis = Analysis::of(&files, &["everything.ry".to_owned()]);
    for (id, module) in analysis.program.modules() {
        let list = analysis.diagnostics(id);
        assert!(list.is_empty(), "{}: {list:#?}", module.name);
    }
}

/// Programs that were refused once.
#[test]
fn what_is_right_is_not_refused() {
    let folder = Folder::at("clean");
    let analysis = Analysis::of(&folder, &below(&folder));
    assert_eq!(told(&analysis), "");
}
