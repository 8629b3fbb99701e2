//! Packages: which directory has which import path.
//!
//! A `go.mod` gives the directories below it (down to the next one) its module's
//! path; without one, a directory's import path is its own path, as in a
//! workspace of old. An import that leads to no directory is of a library.

use std::collections::{BTreeMap, HashMap};

use crate::frontend::{FileIndex, Layout, ModuleTarget, Project};

pub(super) struct Packages {
    /// Of each file: its package.
    package_of: HashMap<FileIndex, usize>,
    packages: Vec<Package>,
    /// First file of the package that an import path means; `None` where several
    /// directories claim the path.
    imports: HashMap<String, Option<FileIndex>>,
}

struct Package {
    name: String,
    files: Vec<FileIndex>,
}

impl Packages {
    pub fn new(project: &Project<'_>) -> Self {
        let modules: HashMap<&str, &str> = project
            .configuration
            .iter()
            .filter_map(|(path, text)| {
                let directory = path.strip_suffix("go.mod")?;
                Some((directory.trim_end_matches('/'), module_path(text)?))
            })
            .collect();
        let mut directories: BTreeMap<&str, BTreeMap<&str, Vec<FileIndex>>> = BTreeMap::new();
        for file in project.of_family("go") {
            let at = project.file(file);
            let directory = at.path.rsplit_once('/').map_or("", |(directory, _)| directory);
            let clause = at.declared_module().unwrap_or("");
            directories
                .entry(directory)
                .or_default()
                .entry(clause)
                .or_default()
                .push(file);
        }
        let mut found = Self {
            package_of: HashMap::new(),
            packages: Vec::new(),
            imports: HashMap::new(),
        };
        for (directory, clauses) in directories {
            let path = import_path(directory, &modules);
            if let Some(main) = importable(&path, &clauses) {
                found
                    .imports
                    .entry(path.clone())
                    .and_modify(|first| *first = None)
                    .or_insert(Some(main));
            }
            for (clause, files) in clauses {
                let name = match clause.strip_suffix("_test") {
                    _ if path.is_empty() => clause.to_owned(),
                    Some(_) if !path.ends_with("_test") => format!("{path}_test"),
                    _ => path.clone(),
                };
                for &file in &files {
                    found.package_of.insert(file, found.packages.len());
                }
                found.packages.push(Package { name, files });
            }
        }
        found
    }
}

/// The path that a `go.mod` declares.
fn module_path(text: &str) -> Option<&str> {
    let line = text
        .lines()
        .map(str::trim)
        .find_map(|line| line.strip_prefix("module"))?;
    let path = line
        .split("//")
        .next()
        .unwrap_or("")
        .trim()
        .trim_matches(['"', '`']);
    (!path.is_empty()).then_some(path)
}

fn import_path(directory: &str, modules: &HashMap<&str, &str>) -> String {
    let mut root = directory;
    loop {
        if let Some(&module) = modules.get(root) {
            // The standard library's paths begin at its root.
            let module = if module == "std" { "" } else { module };
            let below = directory[root.len()..].trim_start_matches('/');
            return match (module, below) {
                (module, "") => module.to_owned(),
                ("", below) => below.to_owned(),
                _ => format!("{module}/{below}"),
            };
        }
        if root.is_empty() {
            return directory.to_owned();
        }
        root = root.rsplit_once('/').map_or("", |(parent, _)| parent);
    }
}

/// Of a directory's packages, the one that others import.
fn importable(path: &str, clauses: &BTreeMap<&str, Vec<FileIndex>>) -> Option<FileIndex> {
    let candidates = || clauses.iter().filter(|(clause, _)| !clause.ends_with("_test"));
    let named = |(clause, files): (&&str, &Vec<FileIndex>)| {
        names_of_import(path)
            .contains(clause)
            .then(|| files.first().copied())
            .flatten()
    };
    candidates().find_map(named).or_else(|| {
        candidates()
            .max_by_key(|(clause, files)| (**clause != "main", files.len()))
            .and_then(|(_, files)| files.first().copied())
    })
}

/// Names that an import without one may bind: the last element of its path,
/// without a version, and without what repositories add to a package's name.
pub(super) fn names_of_import(path: &str) -> Vec<&str> {
    let is_version = |text: &str| {
        text.strip_prefix('v')
            .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
    };
    let mut elements = path.rsplit('/');
    let mut last = elements.next().unwrap_or("");
    if is_version(last) {
        last = elements.next().unwrap_or(last);
    }
    if let Some((name, version)) = last.rsplit_once(".v")
        && version.bytes().all(|b| b.is_ascii_digit())
    {
        last = name;
    }
    let mut names = vec![last];
    for name in [
        last.strip_prefix("go-"),
        last.strip_prefix("go."),
        last.strip_suffix("-go"),
        last.strip_suffix(".go"),
        last.rsplit_once('-').map(|(_, name)| name),
    ]
    .into_iter()
    .flatten()
    {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.retain(|name| !name.is_empty() && !name.contains(['-', '.']));
    names
}

impl Layout for Packages {
    fn module_name(&self, file: FileIndex) -> String {
        self.package_of
            .get(&file)
            .map_or(String::new(), |&package| self.packages[package].name.clone())
    }

    fn resolve(&self, _from: FileIndex, specifier: &str) -> ModuleTarget {
        match self.imports.get(specifier) {
            Some(Some(file)) => ModuleTarget::File(*file),
            Some(None) => ModuleTarget::Unknown,
            None => ModuleTarget::Library(specifier.to_owned()),
        }
    }

    fn peers(&self, file: FileIndex) -> &[FileIndex] {
        self.package_of
            .get(&file)
            .map_or(&[], |&package| &self.packages[package].files)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_import_binds_the_name_of_its_package() {
        assert_eq!(names_of_import("net/http"), ["http"]);
        assert_eq!(names_of_import("github.com/a/b/v2"), ["b"]);
        assert_eq!(names_of_import("gopkg.in/yaml.v3"), ["yaml"]);
        assert_eq!(names_of_import("github.com/a/go-isatty"), ["isatty"]);
        assert_eq!(names_of_import("github.com/a/golang-lru"), ["lru"]);
        assert_eq!(names_of_import(""), [""; 0]);
    }
}
