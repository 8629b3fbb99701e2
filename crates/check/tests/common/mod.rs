//! Files for tests, and what is said about them.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use check::Analysis;
use check::project::Files;
use syntax::report::text_form;

pub struct Folder(pub PathBuf);

impl Folder {
    pub fn at(place: &str) -> Self {
        Self(Path::new(env!("CARGO_MANIFEST_DIR")).join(place))
    }
}

impl Files for Folder {
    fn read(&self, path: &str) -> Option<Vec<u8>> {
        fs::read(self.0.join(path)).ok()
    }
}

#[derive(Clone, Default)]
pub struct Memory(pub BTreeMap<String, String>);

impl Memory {
    pub fn of(files: &[(&str, &str)]) -> Self {
        let owned = |(name, text): &(&str, &str)| ((*name).to_owned(), (*text).to_owned());
        Self(files.iter().map(owned).collect())
    }
}

impl Files for Memory {
    fn read(&self, path: &str) -> Option<Vec<u8>> {
        self.0.get(path).map(|text| text.clone().into_bytes())
    }
}

/// All Renyi files below a folder, sorted, by their paths from it.
pub fn below(folder: &Folder) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.0.clone()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "ry") {
                let inner = path.strip_prefix(&folder.0).expect("a path below");
                found.push(inner.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    found.sort();
    found
}

/// The diagnostics of all files that were asked for, as text.
pub fn told(analysis: &Analysis) -> String {
    let mut out = String::new();
    for &root in &analysis.sources.roots {
        let module = analysis.program.module(root);
        out.push_str(&text_form(
            &module.file,
            &module.source,
            &analysis.diagnostics(root),
            false,
        ));
    }
    out
}
