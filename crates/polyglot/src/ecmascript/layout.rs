//! Which file an import leads to: relative paths with the endings left out, the
//! `paths` of a `tsconfig.json`, packages of the same project, Node's own modules.

use std::collections::HashMap;

use serde_json::Value;

use crate::frontend::{FileIndex, Layout, ModuleTarget, Project};

/// Endings in the order in which they are tried.
const ENDINGS: &[&str] = &[
    ".ts", ".tsx", ".mts", ".cts", ".d.ts", ".d.mts", ".d.cts", ".js", ".jsx", ".mjs", ".cjs",
];

/// Written for a source file, the ending of what it is compiled to.
const COMPILED: &[(&str, &[&str])] = &[
    (".js", &[".ts", ".tsx", ".d.ts"]),
    (".jsx", &[".tsx"]),
    (".mjs", &[".mts", ".d.mts"]),
    (".cjs", &[".cts", ".d.cts"]),
];

/// Folders that builds write to, where sources are in `src`.
const BUILT: &[&str] = &[
    "dist", "lib", "build", "out", "esm", "cjs", "es", "module", "types",
];

const NODE_MODULES: &[&str] = &[
    "assert",
    "async_hooks",
    "buffer",
    "child_process",
    "cluster",
    "console",
    "constants",
    "crypto",
    "dgram",
    "diagnostics_channel",
    "dns",
    "domain",
    "events",
    "fs",
    "http",
    "http2",
    "https",
    "inspector",
    "module",
    "net",
    "os",
    "path",
    "perf_hooks",
    "process",
    "punycode",
    "querystring",
    "readline",
    "repl",
    "sqlite",
    "stream",
    "string_decoder",
    "sys",
    "test",
    "timers",
    "tls",
    "trace_events",
    "tty",
    "url",
    "util",
    "v8",
    "vm",
    "wasi",
    "worker_threads",
    "zlib",
];

/// Chains of `extends` longer than this are cut.
const MAX_EXTENDS: usize = 8;

struct Package {
    directory: String,
    manifest: Value,
}

#[derive(Debug, Clone, Default)]
struct Paths {
    directory: String,
    base: Option<String>,
    /// Pattern and the paths to try, relative to the root.
    patterns: Vec<(String, Vec<String>)>,
}

/// The modules of a project.
pub(super) struct Modules {
    paths: Vec<String>,
    files: HashMap<String, FileIndex>,
    packages: HashMap<String, Package>,
    /// Manifests by directory, for `imports`.
    by_directory: HashMap<String, String>,
    /// Deepest directory first.
    configurations: Vec<Paths>,
}

impl Modules {
    pub fn new(project: &Project<'_>) -> Self {
        let files = project
            .of_family("ecmascript")
            .map(|file| (project.file(file).path.to_owned(), file))
            .collect();
        let mut modules = Self {
            paths: project.files.iter().map(|file| file.path.to_owned()).collect(),
            files,
            packages: HashMap::new(),
            by_directory: HashMap::new(),
            configurations: Vec::new(),
        };
        let texts: HashMap<&str, &str> = project.configuration.iter().copied().collect();
        for &(path, text) in &project.configuration {
            let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
            match name {
                "package.json" => modules.add_package(directory, text),
                "tsconfig.json" | "jsconfig.json" => {
                    let mut paths = Paths {
                        directory: directory.to_owned(),
                        ..Paths::default()
                    };
                    read_configuration(&texts, path, &mut paths, 0);
                    modules.configurations.push(paths);
                }
                _ => {}
            }
        }
        modules
            .configurations
            .sort_by_key(|paths| std::cmp::Reverse(paths.directory.len()));
        modules
    }

    fn add_package(&mut self, directory: &str, text: &str) {
        let Ok(manifest) = serde_json::from_str::<Value>(text) else {
            return;
        };
        let name = manifest
            .get("name")
            .and_then(Value::as_str)
            .unwrap_or("")
            .to_owned();
        let key = if name.is_empty() {
            format!("\0{directory}")
        } else {
            name
        };
        self.by_directory.insert(directory.to_owned(), key.clone());
        let shorter = |known: &Package| known.directory.len() <= directory.len();
        if self.packages.get(&key).is_some_and(shorter) {
            return;
        }
        self.packages.insert(
            key,
            Package {
                directory: directory.to_owned(),
                manifest,
            },
        );
    }

    /// The file for a path whose ending may be left out.
    fn probe(&self, path: &str) -> Option<FileIndex> {
        if path.contains("//") {
            return None;
        }
        if let Some(&file) = self.files.get(path) {
            return Some(file);
        }
        for (written, endings) in COMPILED {
            if let Some(stem) = path.strip_suffix(written) {
                for ending in *endings {
                    if let Some(&file) = self.files.get(&format!("{stem}{ending}")) {
                        return Some(file);
                    }
                }
            }
        }
        let separator = if path.is_empty() { "" } else { "/" };
        for stem in [path.to_owned(), format!("{path}{separator}index")] {
            for ending in ENDINGS {
                if let Some(&file) = self.files.get(&format!("{stem}{ending}")) {
                    return Some(file);
                }
            }
        }
        None
    }

    /// A file of a package, named as it is built.
    fn probe_built(&self, directory: &str, path: &str) -> Option<FileIndex> {
        let path = path.trim_start_matches("./");
        if let Some(file) = self.probe(&join(directory, path)) {
            return Some(file);
        }
        let mut parts: Vec<&str> = path.split('/').collect();
        let name = parts.pop()?;
        let stem = name.split('.').next().unwrap_or(name);
        while parts.first().is_some_and(|part| BUILT.contains(part)) {
            parts.remove(0);
        }
        parts.push(stem);
        let inner = parts.join("/");
        self.probe(&join(directory, &format!("src/{inner}")))
            .or_else(|| self.probe(&join(directory, &inner)))
    }

    fn package(&self, specifier: &str) -> Option<FileIndex> {
        let mut end = specifier.len();
        loop {
            let name = &specifier[..end];
            if let Some(package) = self.packages.get(name) {
                let inner = specifier[end..].trim_start_matches('/');
                return self.package_file(package, inner);
            }
            end = specifier[..end].rfind('/')?;
        }
    }

    fn package_file(&self, package: &Package, inner: &str) -> Option<FileIndex> {
        let directory = &package.directory;
        let key = if inner.is_empty() {
            ".".to_owned()
        } else {
            format!("./{inner}")
        };
        let mut targets = Vec::new();
        if let Some(exports) = package.manifest.get("exports") {
            export_targets(exports, &key, &mut targets);
        }
        if inner.is_empty() {
            for field in ["source", "types", "typings", "module", "main"] {
                targets.extend(
                    package
                        .manifest
                        .get(field)
                        .and_then(Value::as_str)
                        .map(str::to_owned),
                );
            }
            targets.extend(["src/index".to_owned(), "index".to_owned()]);
        } else {
            targets.extend([inner.to_owned(), format!("src/{inner}")]);
        }
        targets
            .iter()
            .find_map(|target| self.probe_built(directory, target))
    }

    /// `#name` of the nearest manifest.
    fn own_import(&self, from: &str, specifier: &str) -> Option<FileIndex> {
        let mut directory = parent(from);
        loop {
            if let Some(package) = self
                .by_directory
                .get(directory)
                .and_then(|key| self.packages.get(key))
            {
                let mut targets = Vec::new();
                export_targets(package.manifest.get("imports")?, specifier, &mut targets);
                return targets
                    .iter()
                    .find_map(|target| self.probe_built(&package.directory, target));
            }
            if directory.is_empty() {
                return None;
            }
            directory = parent(directory);
        }
    }

    fn configured(&self, from: &str, specifier: &str) -> Option<FileIndex> {
        for paths in &self.configurations {
            let inside = paths.directory.is_empty()
                || from
                    .strip_prefix(&paths.directory)
                    .is_some_and(|rest| rest.starts_with('/'));
            if !inside {
                continue;
            }
            let mut best: Option<(usize, &[String], &str)> = None;
            for (pattern, targets) in &paths.patterns {
                let (prefix, suffix) = pattern.split_once('*').unwrap_or((pattern, ""));
                let star = pattern.contains('*');
                let matched = match star {
                    true => specifier
                        .strip_prefix(prefix)
                        .and_then(|rest| rest.strip_suffix(suffix)),
                    false => (specifier == pattern).then_some(""),
                };
                let weight = if star { prefix.len() } else { usize::MAX };
                if let Some(matched) = matched
                    && best.is_none_or(|(known, ..)| weight > known)
                {
                    best = Some((weight, targets, matched));
                }
            }
            if let Some((_, targets, matched)) = best {
                let found = targets
                    .iter()
                    .find_map(|target| self.probe(&target.replace('*', matched)));
                if found.is_some() {
                    return found;
                }
            }
            if let Some(base) = &paths.base
                && let Some(file) = self.probe(&join(base, specifier))
            {
                return Some(file);
            }
        }
        None
    }
}

impl Layout for Modules {
    fn module_name(&self, file: FileIndex) -> String {
        let path = self.paths.get(file.0 as usize).map_or("", String::as_str);
        let stem = ENDINGS
            .iter()
            .filter_map(|ending| path.strip_suffix(ending))
            .min_by_key(|stem| stem.len())
            .unwrap_or(path);
        stem.strip_suffix("/index").unwrap_or(stem).to_owned()
    }

    fn resolve(&self, from: FileIndex, specifier: &str) -> ModuleTarget {
        let from = self.paths.get(from.0 as usize).map_or("", String::as_str);
        let specifier = specifier.split(['?', '!']).next().unwrap_or(specifier);
        if specifier == "."
            || specifier == ".."
            || specifier.starts_with("./")
            || specifier.starts_with("../")
        {
            let target = join(parent(from), specifier);
            return self
                .probe(&target)
                .map_or(ModuleTarget::Unknown, ModuleTarget::File);
        }
        if specifier.starts_with('#')
            && let Some(file) = self.own_import(from, specifier)
        {
            return ModuleTarget::File(file);
        }
        if let Some(node) = specifier.strip_prefix("node:") {
            return ModuleTarget::Library(node.to_owned());
        }
        if let Some(file) = self
            .configured(from, specifier)
            .or_else(|| self.package(specifier))
        {
            return ModuleTarget::File(file);
        }
        let first = specifier.split('/').next().unwrap_or(specifier);
        if specifier.is_empty() || specifier.starts_with(['/', '#', '~']) || specifier.starts_with("@/") {
            return ModuleTarget::Unknown;
        }
        if NODE_MODULES.binary_search(&first).is_ok() {
            return ModuleTarget::Library(specifier.trim_end_matches('/').to_owned());
        }
        ModuleTarget::Library(specifier.to_owned())
    }
}

/// Adds what a configuration says of paths, and what those it extends say.
fn read_configuration(texts: &HashMap<&str, &str>, path: &str, paths: &mut Paths, depth: usize) {
    let Some(text) = texts.get(path) else { return };
    let Ok(value) = serde_json::from_str::<Value>(&plain_json(text)) else {
        return;
    };
    let directory = parent(path);
    if let Some(options) = value.get("compilerOptions") {
        if let Some(base) = options.get("baseUrl").and_then(Value::as_str)
            && paths.base.is_none()
        {
            paths.base = Some(join(directory, base));
        }
        if let Some(patterns) = options.get("paths").and_then(Value::as_object)
            && paths.patterns.is_empty()
        {
            let own_base = options.get("baseUrl").and_then(Value::as_str);
            let base = own_base.map_or(directory.to_owned(), |base| join(directory, base));
            for (pattern, targets) in patterns {
                let targets = targets.as_array().into_iter().flatten().filter_map(Value::as_str);
                paths.patterns.push((
                    pattern.clone(),
                    targets.map(|target| join(&base, target)).collect(),
                ));
            }
        }
    }
    if depth >= MAX_EXTENDS {
        return;
    }
    let extends = value.get("extends");
    let several = extends.and_then(Value::as_array).into_iter().flatten();
    for parent in extends.into_iter().chain(several).filter_map(Value::as_str) {
        if parent.starts_with('.') {
            let target = join(directory, parent);
            let target = if target.ends_with(".json") {
                target
            } else {
                format!("{target}.json")
            };
            read_configuration(texts, &target, paths, depth + 1);
        }
    }
}

/// Targets of `key` in a table of exports, in the order of conditions.
fn export_targets(exports: &Value, key: &str, targets: &mut Vec<String>) {
    let Some(table) = exports.as_object() else {
        if key == "." {
            all_targets(exports, "", targets);
        }
        return;
    };
    let by_path = table.keys().any(|name| name.starts_with(['.', '#']));
    if !by_path {
        if key == "." {
            all_targets(exports, "", targets);
        }
        return;
    }
    if let Some(exact) = table.get(key) {
        return all_targets(exact, "", targets);
    }
    for (pattern, target) in table {
        if let Some((prefix, suffix)) = pattern.split_once('*')
            && let Some(matched) = key
                .strip_prefix(prefix)
                .and_then(|rest| rest.strip_suffix(suffix))
        {
            all_targets(target, matched, targets);
        }
    }
}

fn all_targets(value: &Value, matched: &str, targets: &mut Vec<String>) {
    match value {
        Value::String(target) => targets.push(target.replace('*', matched)),
        Value::Array(several) => several
            .iter()
            .for_each(|each| all_targets(each, matched, targets)),
        Value::Object(conditions) => conditions
            .values()
            .for_each(|each| all_targets(each, matched, targets)),
        _ => {}
    }
}

/// JSON without comments and trailing commas.
fn plain_json(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.trim_start_matches('\u{feff}');
    while let Some(next) = rest.chars().next() {
        if next == '"' {
            let mut end = 1;
            let bytes = rest.as_bytes();
            while end < bytes.len() && bytes[end] != b'"' {
                end += if bytes[end] == b'\\' { 2 } else { 1 };
            }
            let mut end = (end + 1).min(rest.len());
            while !rest.is_char_boundary(end) {
                end += 1;
            }
            plain.push_str(&rest[..end]);
            rest = &rest[end..];
        } else if rest.starts_with("//") {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
        } else if rest.starts_with("/*") {
            rest = rest.find("*/").map_or("", |end| &rest[end + 2..]);
        } else {
            if matches!(next, '}' | ']') {
                let kept = plain.trim_end().len();
                if plain[..kept].ends_with(',') {
                    plain.truncate(kept - 1);
                }
            }
            plain.push(next);
            rest = &rest[next.len_utf8()..];
        }
    }
    plain
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// `directory/path` without `.` and `..`. What leads out of the project is no path.
fn join(directory: &str, path: &str) -> String {
    let mut parts: Vec<&str> = directory.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                if parts.pop().is_none() {
                    return "//".to_owned();
                }
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

/// Whether a file serves the project alone: a test, an example, its manual.
pub(super) fn is_internal(path: &str) -> bool {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    let first = directory.split('/').next().unwrap_or("");
    directory.split('/').any(|folder| {
        matches!(
            folder,
            "__tests__" | "__mocks__" | "tests" | "docs" | "examples" | "benchmarks"
        )
    }) || matches!(first, "test" | "doc" | "example" | "bench" | "scripts")
        || name.contains(".test.")
        || name.contains(".spec.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_joined() {
        assert_eq!(join("a/b", "../c"), "a/c");
        assert_eq!(join("", "./c"), "c");
        assert_eq!(join("a", "../../c"), "//");
    }

    #[test]
    fn comments_and_trailing_commas_are_no_json() {
        let text = "{ // a\n \"a//\": [1, /* b */ 2,],\n}";
        let value: Value = serde_json::from_str(&plain_json(text)).expect("plain JSON");
        assert_eq!(value["a//"][1], 2);
    }

    #[test]
    fn node_modules_are_sorted() {
        assert!(NODE_MODULES.is_sorted());
    }
}
