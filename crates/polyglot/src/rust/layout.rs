//! Where Rust modules are: Cargo packages, crate roots, the tree of `mod` lines.
//!
//! Specifiers that the extractor writes: `crate`, `super` (repeated with `::`),
//! `mod a/b` for `mod b;` inside an inline module `a`, `path x.rs` for a
//! `#[path]`, and `extern name` for a name that only a crate can have.

use std::collections::{HashMap, HashSet};

use toml::{Table, Value};

use crate::{
    frontend::{FileIndex, Layout, ModuleTarget, Project},
    model::{DefinitionKind, PathNode},
};

/// Directories whose files are crates of their own, one by one.
const ROOT_FOLDERS: [&str; 4] = ["src/bin", "tests", "examples", "benches"];

/// Whether a file belongs to a crate that no other can depend on: a test, an
/// example, a benchmark, a binary, a build script.
pub(super) fn is_internal(path: &str) -> bool {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    let mut folders = directory.split('/').take_while(|folder| *folder != "src");
    folders.any(|folder| matches!(folder, "tests" | "examples" | "benches"))
        || format!("/{directory}/").contains("/src/bin/")
        || name == "build.rs" && !format!("/{directory}/").contains("/src/")
}

struct Package {
    /// Directory with a final `/`, or empty.
    directory: String,
    name: String,
    library: Option<FileIndex>,
    library_name: String,
    edition_2015: bool,
    /// Names in code of dependencies, and the packages' own names.
    dependencies: HashMap<String, String>,
    roots: Vec<FileIndex>,
}

#[derive(Clone)]
struct Module {
    root: FileIndex,
    parent: Option<FileIndex>,
    /// Directory of its child modules, with a final `/`.
    children: String,
    name: String,
    package: Option<usize>,
}

pub(super) struct RustLayout {
    files: HashMap<String, FileIndex>,
    paths: HashMap<FileIndex, String>,
    modules: HashMap<FileIndex, Module>,
    packages: Vec<Package>,
    /// Files that several crates declare as a module.
    shared: HashSet<FileIndex>,
    /// Files that define a macro of a crate, by the crate's root. `None` when
    /// several do.
    macros: HashMap<FileIndex, HashMap<String, Option<FileIndex>>>,
}

impl RustLayout {
    pub(super) fn new(project: &Project<'_>) -> Self {
        let files: HashMap<String, FileIndex> = project
            .of_family("rust")
            .map(|file| (project.file(file).path.to_owned(), file))
            .collect();
        let mut layout = Self {
            paths: files.iter().map(|(path, &file)| (file, path.clone())).collect(),
            files,
            modules: HashMap::new(),
            packages: Vec::new(),
            shared: HashSet::new(),
            macros: HashMap::new(),
        };
        let paths: Vec<&str> = project
            .of_family("rust")
            .map(|file| project.file(file).path)
            .collect();
        for &(path, text) in &project.configuration {
            if let Some(directory) = path.strip_suffix("Cargo.toml")
                && (directory.is_empty() || directory.ends_with('/'))
                && let Ok(manifest) = text.parse::<Table>()
                && let Some(package) = layout.package(directory, &manifest, &paths)
            {
                layout.packages.push(package);
            }
        }
        // Inner packages first, so that the first that contains a file owns it.
        layout
            .packages
            .sort_by(|a, b| (b.directory.len(), &a.directory).cmp(&(a.directory.len(), &b.directory)));
        layout.grow(project, &paths);
        for file in project.of_family("rust") {
            let skeleton = project.file(file).skeleton;
            let root = layout.modules.get(&file).map_or(file, |module| module.root);
            for definition in &skeleton.definitions {
                if definition.kind == DefinitionKind::Macro {
                    let name = format!("{}!", skeleton.str(definition.name));
                    layout
                        .macros
                        .entry(root)
                        .or_default()
                        .entry(name)
                        .and_modify(|giver| *giver = giver.filter(|&giver| giver == file))
                        .or_insert(Some(file));
                }
            }
        }
        layout
    }

    fn find(&self, path: &str) -> Option<FileIndex> {
        self.files.get(path).copied()
    }

    fn package(&self, directory: &str, manifest: &Table, paths: &[&str]) -> Option<Package> {
        let package = manifest.get("package")?.as_table()?;
        let name = package.get("name")?.as_str()?.to_owned();
        let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
        let library = manifest.get("lib").and_then(Value::as_table);
        let library_path = text(library.and_then(|library| library.get("path")));
        let library_name = text(library.and_then(|library| library.get("name")));
        let library = self.find(&join(directory, library_path.as_deref().unwrap_or("src/lib.rs")));
        let mut roots: Vec<FileIndex> = library.into_iter().collect();
        for table in ["bin", "test", "example", "bench"] {
            for target in manifest
                .get(table)
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
            {
                let path = target.get("path").and_then(Value::as_str);
                roots.extend(path.and_then(|path| self.find(&join(directory, path))));
            }
        }
        let build = text(package.get("build"));
        roots.extend(
            ["src/main.rs", build.as_deref().unwrap_or("build.rs")]
                .iter()
                .filter_map(|path| self.find(&join(directory, path))),
        );
        for path in paths {
            if let Some(inside) = path.strip_prefix(directory)
                && is_target(inside)
            {
                roots.extend(self.find(path));
            }
        }
        let mut seen = HashSet::new();
        roots.retain(|root| seen.insert(*root));
        let mut dependencies = HashMap::new();
        collect_dependencies(manifest, &mut dependencies);
        for target in manifest
            .get("target")
            .and_then(Value::as_table)
            .into_iter()
            .flat_map(|targets| targets.values())
        {
            if let Some(target) = target.as_table() {
                collect_dependencies(target, &mut dependencies);
            }
        }
        let edition = package.get("edition");
        Some(Package {
            directory: directory.to_owned(),
            library_name: library_name.unwrap_or_else(|| name.clone()).replace('-', "_"),
            name: name.replace('-', "_"),
            library,
            edition_2015: edition.is_none_or(|edition| edition.as_str() == Some("2015")),
            dependencies,
            roots,
        })
    }

    /// Follows `mod` lines from every crate root, then places what no root reaches.
    fn grow(&mut self, project: &Project<'_>, paths: &[&str]) {
        let mut pending: Vec<(FileIndex, Module)> = Vec::new();
        for (at, package) in self.packages.iter().enumerate() {
            for &root in &package.roots {
                let path = project.file(root).path;
                pending.push((root, root_module(root, path, Some((at, package)))));
            }
        }
        for path in paths {
            if let Some(file) = self.find(path)
                && matches!(file_name(path), "lib.rs" | "main.rs")
                && self.package_of(path).is_none()
            {
                pending.push((file, root_module(file, path, None)));
            }
        }
        pending.reverse();
        self.follow(project, pending);
        self.name_shared(project);
        // Modules that macros or configuration declare: placed by their path.
        for path in paths {
            let Some(file) = self.find(path).filter(|file| !self.modules.contains_key(file)) else {
                continue;
            };
            let module = self.placed_by_path(file, path);
            self.follow(project, vec![(file, module)]);
        }
    }

    /// A file that several tests, examples or benchmarks declare is named by where
    /// it stands, so that one more of them does not rename it.
    fn name_shared(&mut self, project: &Project<'_>) {
        let mut shared: Vec<FileIndex> = self.shared.drain().collect();
        shared.sort_unstable();
        for file in shared {
            let path = project.file(file).path;
            let Some(module) = self.modules.get_mut(&file).filter(|_| is_internal(path)) else {
                continue;
            };
            let package = module.package.and_then(|package| self.packages.get(package));
            let inside = package.map_or(path, |package| {
                path.strip_prefix(package.directory.as_str()).unwrap_or(path)
            });
            let inside = inside.strip_suffix(".rs").unwrap_or(inside);
            let inside = inside.strip_suffix("/mod").unwrap_or(inside).replace('/', "::");
            module.name = match package {
                Some(package) => format!("{}::{inside}", package.name),
                None => inside,
            };
        }
    }

    fn follow(&mut self, project: &Project<'_>, mut pending: Vec<(FileIndex, Module)>) {
        while let Some((file, module)) = pending.pop() {
            if let Some(known) = self.modules.get(&file) {
                if known.root != module.root {
                    self.shared.insert(file);
                }
                continue;
            }
            self.modules.insert(file, module.clone());
            let skeleton = project.file(file).skeleton;
            let mut children = Vec::new();
            for node in &skeleton.paths {
                let PathNode::Module(specifier) = node else {
                    continue;
                };
                let specifier = skeleton.str(*specifier);
                let Some((child, like_mod)) = self.child(&module, project.file(file).path, specifier) else {
                    continue;
                };
                let path = project.file(child).path;
                let (_, name) = specifier.split_once(' ').unwrap_or(("", specifier));
                let name = name.strip_suffix(".rs").unwrap_or(name);
                children.push((
                    child,
                    Module {
                        root: module.root,
                        parent: Some(file),
                        children: if like_mod {
                            directory_of(path).to_owned()
                        } else {
                            children_of(path)
                        },
                        name: format!("{}::{}", module.name, name.replace('/', "::")),
                        package: module.package,
                    },
                ));
            }
            children.reverse();
            pending.extend(children);
        }
    }

    fn child(&self, module: &Module, path: &str, specifier: &str) -> Option<(FileIndex, bool)> {
        if let Some(name) = specifier.strip_prefix("mod ") {
            let base = format!("{}{name}", module.children);
            let file = self
                .find(&format!("{base}.rs"))
                .or_else(|| self.find(&format!("{base}/mod.rs")))?;
            return Some((file, false));
        }
        let name = specifier.strip_prefix("path ")?;
        let from = directory_of(path);
        let file = self
            .find(&join(from, name))
            .or_else(|| self.find(&join(&module.children, name)))?;
        Some((file, true))
    }

    fn placed_by_path(&self, file: FileIndex, path: &str) -> Module {
        let package = self.package_of(path);
        let directory = directory_of(path);
        let parent_directory = match file_name(path) {
            "mod.rs" => directory_of(directory.trim_end_matches('/')),
            _ => directory,
        };
        let above = parent_directory.trim_end_matches('/');
        let candidates = [
            format!("{parent_directory}mod.rs"),
            format!("{parent_directory}lib.rs"),
            format!("{parent_directory}main.rs"),
            format!("{above}.rs"),
        ];
        let parent = candidates
            .iter()
            .filter_map(|candidate| self.find(candidate))
            .find(|&parent| parent != file && self.modules.contains_key(&parent));
        let name = file_name(path).strip_suffix(".rs").unwrap_or(path);
        let name = match name {
            "mod" => file_name(directory.trim_end_matches('/')),
            _ => name,
        };
        let above = parent.and_then(|parent| self.modules.get(&parent));
        Module {
            root: above.map_or(file, |module| module.root),
            parent,
            children: children_of(path),
            name: match above {
                Some(module) => format!("{}::{name}", module.name),
                None => name.to_owned(),
            },
            package,
        }
    }

    fn package_of(&self, path: &str) -> Option<usize> {
        self.packages
            .iter()
            .position(|package| path.starts_with(&package.directory))
    }

    fn external(&self, from: FileIndex, name: &str) -> ModuleTarget {
        let name = name.strip_prefix("r#").unwrap_or(name);
        if matches!(name, "std" | "core" | "alloc") {
            return ModuleTarget::Library("std".to_owned());
        }
        let module = self.modules.get(&from);
        let Some(package) = module.and_then(|module| self.packages.get(module.package?)) else {
            return ModuleTarget::Library(name.to_owned());
        };
        if package.edition_2015
            && let Some(root) = module.and_then(|module| self.modules.get(&module.root))
            && let Some((child, _)) = self.child(root, "", &format!("mod {name}"))
        {
            return ModuleTarget::File(child);
        }
        if package.library_name == name
            && let Some(library) = package.library
        {
            return ModuleTarget::File(library);
        }
        if matches!(name, "proc_macro" | "test") {
            return ModuleTarget::Library(name.to_owned());
        }
        let Some(dependency) = package.dependencies.get(name) else {
            return ModuleTarget::Unknown;
        };
        let library = self
            .packages
            .iter()
            .find(|package| package.name == *dependency)
            .and_then(|package| package.library);
        match library {
            Some(library) => ModuleTarget::File(library),
            None => ModuleTarget::Library(dependency.clone()),
        }
    }
}

impl Layout for RustLayout {
    fn module_name(&self, file: FileIndex) -> String {
        self.modules
            .get(&file)
            .map(|module| module.name.clone())
            .unwrap_or_default()
    }

    fn resolve(&self, from: FileIndex, specifier: &str) -> ModuleTarget {
        let Some(module) = self.modules.get(&from) else {
            return ModuleTarget::Unknown;
        };
        let file = match specifier {
            "crate" => Some(module.root),
            _ if specifier.starts_with("super") => {
                let mut at = Some(from);
                for _ in specifier.split("::") {
                    at = at.and_then(|at| self.modules.get(&at)?.parent);
                }
                at
            }
            _ => match specifier.strip_prefix("extern ") {
                Some(name) => return self.external(from, name),
                // A path relative to the file itself was found when the tree grew.
                None => self
                    .paths
                    .get(&from)
                    .and_then(|path| self.child(module, path, specifier))
                    .map(|(file, _)| file),
            },
        };
        file.map_or(ModuleTarget::Unknown, ModuleTarget::File)
    }

    fn free_name(&self, from: FileIndex, name: &str) -> Option<FileIndex> {
        if !name.ends_with('!') {
            return None;
        }
        let root = self.modules.get(&from)?.root;
        *self.macros.get(&root)?.get(name)?
    }
}

fn root_module(root: FileIndex, path: &str, package: Option<(usize, &Package)>) -> Module {
    let directory = directory_of(path);
    let stem = file_name(path).strip_suffix(".rs").unwrap_or(path);
    let name = match package {
        Some((_, package)) if package.library == Some(root) => package.library_name.clone(),
        Some((_, package)) => {
            let inside = path.strip_prefix(&package.directory).unwrap_or(path);
            let inside = inside.strip_suffix(".rs").unwrap_or(inside);
            let inside = inside.strip_prefix("src/").unwrap_or(inside);
            let inside = match inside.strip_suffix("/main") {
                Some(folder) if !folder.is_empty() => folder,
                _ => inside,
            };
            format!("{}::{}", package.library_name, inside.replace('/', "::"))
        }
        None => match stem {
            "lib" | "main" if !directory.is_empty() => {
                let folder = directory.trim_end_matches('/');
                let folder = folder.strip_suffix("/src").unwrap_or(folder);
                let name = file_name(folder);
                if name == "src" {
                    "crate".to_owned()
                } else {
                    name.replace('-', "_")
                }
            }
            "lib" | "main" => "crate".to_owned(),
            _ => stem.to_owned(),
        },
    };
    Module {
        root,
        parent: None,
        children: directory.to_owned(),
        name,
        package: package.map(|(at, _)| at),
    }
}

/// Whether a path inside a package is a crate root by its place.
fn is_target(inside: &str) -> bool {
    ROOT_FOLDERS.iter().any(|folder| {
        let Some(rest) = inside
            .strip_prefix(folder)
            .and_then(|rest| rest.strip_prefix('/'))
        else {
            return false;
        };
        match rest.split_once('/') {
            None => rest.ends_with(".rs"),
            Some((_, file)) => file == "main.rs",
        }
    })
}

fn collect_dependencies(manifest: &Table, into: &mut HashMap<String, String>) {
    for key in ["dependencies", "dev-dependencies", "build-dependencies"] {
        for (name, dependency) in manifest.get(key).and_then(Value::as_table).into_iter().flatten() {
            let package = dependency.get("package").and_then(Value::as_str).unwrap_or(name);
            into.insert(name.replace('-', "_"), package.replace('-', "_"));
        }
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The directory of a path with its final `/`, or nothing.
fn directory_of(path: &str) -> &str {
    path.rfind('/').map_or("", |at| &path[..=at])
}

/// Where the child modules of a file that is not a crate root are.
fn children_of(path: &str) -> String {
    match path.strip_suffix("mod.rs") {
        Some(directory) if directory.is_empty() || directory.ends_with('/') => directory.to_owned(),
        _ => format!("{}/", path.strip_suffix(".rs").unwrap_or(path)),
    }
}

/// Joins a directory (with its final `/`) and a relative path.
fn join(directory: &str, relative: &str) -> String {
    let mut parts: Vec<&str> = directory.split('/').filter(|part| !part.is_empty()).collect();
    for part in relative.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}
