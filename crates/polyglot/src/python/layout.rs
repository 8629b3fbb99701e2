//! Packages and modules.
//!
//! A directory with `__init__.py` is a package; the directory above the topmost
//! one is where it is imported from. A directory without `__init__.py` below a
//! package belongs to it. A module that is in no package is imported
//! from its own directory, from the project's root, and from `src`. A directory
//! without `__init__.py` is a namespace package if nothing else has its name.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::frontend::{FileIndex, Layout, ModuleTarget, Project};

pub(super) struct PythonLayout {
    files: HashMap<FileIndex, Place>,
    /// Modules by path without extension; a package by its directory.
    modules: HashMap<String, FileIndex>,
    /// Directories that hold modules, at any depth.
    directories: HashSet<String>,
    /// For the first part of a module's name, the directories it is imported from.
    roots: BTreeMap<String, BTreeSet<String>>,
}

/// Where a file is.
struct Place {
    directory: String,
    /// Path without extension, or the directory of a package.
    module: String,
    /// The directory its topmost package is in.
    root: String,
}

impl PythonLayout {
    pub fn new(project: &Project<'_>) -> Self {
        let mut modules: HashMap<String, FileIndex> = HashMap::new();
        let mut directories = HashSet::new();
        let mut packages = HashSet::new();
        for index in project.of_family("python") {
            let path = project.file(index).path;
            let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
            if matches!(name, "__init__.py" | "__init__.pyi") {
                packages.insert(directory);
            }
            let mut at = directory;
            while !at.is_empty() && directories.insert(at.to_owned()) {
                at = at.rsplit_once('/').map_or("", |(above, _)| above);
            }
        }
        let mut files = HashMap::new();
        let mut roots: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for index in project.of_family("python") {
            let path = project.file(index).path;
            let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
            let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
            let module = match (stem, directory) {
                ("__init__", "") => stem.to_owned(),
                ("__init__", _) => directory.to_owned(),
                (_, "") => stem.to_owned(),
                _ => format!("{directory}/{stem}"),
            };
            let own = directory;
            let mut root = above(directory)
                .find(|above| packages.contains(above))
                .unwrap_or(directory);
            while packages.contains(root) && !root.is_empty() {
                root = root.rsplit_once('/').map_or("", |(above, _)| above);
            }
            // A stub says less than the module.
            let known = modules.get(&module).map(|&known| project.file(known).path);
            if known.is_none_or(|known| known.ends_with(".pyi") && path.ends_with(".py")) {
                modules.insert(module.clone(), index);
            }
            for root in [root, own, "", "src"] {
                let inside = match root {
                    "" => Some(module.as_str()),
                    _ => module.strip_prefix(root).and_then(|rest| rest.strip_prefix('/')),
                };
                if let Some(top) = inside.and_then(|inside| inside.split('/').next()) {
                    roots.entry(top.to_owned()).or_default().insert(root.to_owned());
                }
            }
            files.insert(
                index,
                Place {
                    directory: directory.to_owned(),
                    module,
                    root: root.to_owned(),
                },
            );
        }
        Self {
            files,
            modules,
            directories,
            roots,
        }
    }

    fn at(&self, path: &str) -> Option<ModuleTarget> {
        if let Some(&file) = self.modules.get(path) {
            return Some(ModuleTarget::File(file));
        }
        self.directories
            .contains(path)
            .then(|| ModuleTarget::Directory(path.to_owned()))
    }

    fn absolute(&self, place: &Place, specifier: &str) -> ModuleTarget {
        let library = || ModuleTarget::Library(specifier.to_owned());
        let (top, rest) = specifier.split_once('.').unwrap_or((specifier, ""));
        let Some(roots) = self.roots.get(top) else {
            return library();
        };
        let inside = specifier.replace('.', "/");
        // Where the importing file is imported from goes first, then what is near.
        let shared = |root: &str| {
            root.split('/')
                .zip(place.directory.split('/'))
                .take_while(|(a, b)| a == b)
                .count()
        };
        let mut ordered: Vec<&str> = roots.iter().map(String::as_str).collect();
        ordered.sort_by_key(|&root| (root != place.root, std::cmp::Reverse(shared(root)), root));
        let mut directory = None;
        let mut candidates: Vec<(&str, ModuleTarget)> = Vec::new();
        for root in ordered {
            match self.at(&join(root, &inside)) {
                Some(target @ ModuleTarget::File(_)) => {
                    if root == place.root {
                        return target;
                    }
                    if !candidates.iter().any(|(_, known)| *known == target) {
                        candidates.push((root, target));
                    }
                }
                Some(target) => {
                    directory.get_or_insert(target);
                }
                None => {}
            }
        }
        match &candidates[..] {
            [] => {}
            [(_, only)] => return only.clone(),
            // Tests of several packages have helpers of one name.
            [(first, target), (second, _), ..] if shared(first) > shared(second) => return target.clone(),
            _ => return ModuleTarget::Unknown,
        }
        match directory {
            Some(directory) if !is_standard(top) => directory,
            // A part of a project's package that is not there: generated or compiled.
            _ if !rest.is_empty() => library(),
            _ => library(),
        }
    }
}

impl Layout for PythonLayout {
    fn module_name(&self, file: FileIndex) -> String {
        let Some(place) = self.files.get(&file) else {
            return String::new();
        };
        let inside = match place.root.as_str() {
            "" => &place.module,
            root => place
                .module
                .strip_prefix(root)
                .and_then(|rest| rest.strip_prefix('/'))
                .unwrap_or(&place.module),
        };
        inside.replace('/', ".")
    }

    fn resolve(&self, from: FileIndex, specifier: &str) -> ModuleTarget {
        let Some(place) = self.files.get(&from) else {
            return ModuleTarget::Unknown;
        };
        let name = specifier.trim_start_matches('.');
        let dots = specifier.len() - name.len();
        if dots == 0 {
            return self.absolute(place, specifier);
        }
        let mut directory = place.directory.as_str();
        for _ in 1..dots {
            if directory.is_empty() {
                return ModuleTarget::Unknown;
            }
            directory = directory.rsplit_once('/').map_or("", |(above, _)| above);
        }
        let path = match name {
            "" => directory.to_owned(),
            _ => join(directory, &name.replace('.', "/")),
        };
        if path.is_empty() {
            return match self.modules.get("__init__") {
                Some(&file) => ModuleTarget::File(file),
                None => ModuleTarget::Directory(String::new()),
            };
        }
        self.at(&path).unwrap_or_else(|| {
            let inside = path.strip_prefix(place.root.as_str()).unwrap_or(&path);
            ModuleTarget::Library(inside.trim_start_matches('/').replace('/', "."))
        })
    }

    fn submodule(&self, of: &ModuleTarget, name: &str) -> Option<ModuleTarget> {
        let directory = match of {
            ModuleTarget::File(file) => {
                let place = self.files.get(file)?;
                if place.module != place.directory && place.module != "__init__" {
                    return None;
                }
                &place.directory
            }
            ModuleTarget::Directory(directory) => directory,
            _ => return None,
        };
        self.at(&join(directory, name))
    }
}

/// A directory and those above it, without the project's.
fn above(directory: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(directory), |at| at.rsplit_once('/').map(|(above, _)| above))
        .filter(|at| !at.is_empty())
}

/// Whether a file serves the project alone: a test, an example, its manual, what
/// builds it.
pub(super) fn is_internal(path: &str) -> bool {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    let first = directory.split('/').next().unwrap_or("");
    directory
        .split('/')
        .any(|folder| matches!(folder, "tests" | "docs" | "examples" | "benchmarks"))
        || matches!(first, "test" | "doc" | "example" | "bench" | "scripts")
        || matches!(name, "conftest.py" | "noxfile.py" | "setup.py")
}

fn join(directory: &str, name: &str) -> String {
    if directory.is_empty() {
        name.to_owned()
    } else {
        format!("{directory}/{name}")
    }
}

/// Whether a name is one of the standard library that projects use for folders.
fn is_standard(name: &str) -> bool {
    matches!(
        name,
        "ast"
            | "asyncio"
            | "code"
            | "collections"
            | "concurrent"
            | "contextlib"
            | "copy"
            | "csv"
            | "ctypes"
            | "dataclasses"
            | "datetime"
            | "email"
            | "enum"
            | "functools"
            | "html"
            | "http"
            | "importlib"
            | "inspect"
            | "io"
            | "itertools"
            | "json"
            | "logging"
            | "math"
            | "multiprocessing"
            | "operator"
            | "os"
            | "pathlib"
            | "platform"
            | "queue"
            | "random"
            | "re"
            | "select"
            | "shutil"
            | "signal"
            | "site"
            | "socket"
            | "sqlite3"
            | "ssl"
            | "string"
            | "struct"
            | "subprocess"
            | "sys"
            | "tempfile"
            | "test"
            | "threading"
            | "time"
            | "token"
            | "tokenize"
            | "traceback"
            | "types"
            | "typing"
            | "unittest"
            | "urllib"
            | "uuid"
            | "warnings"
            | "xml"
            | "zipfile"
    )
}
