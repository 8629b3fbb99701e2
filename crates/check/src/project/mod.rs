//! Which files make a program: modules by their paths, imports, packages (4.1 and 4.3 of
//! the language).

mod manifest;

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

use rayon::prelude::*;
use sha2::{Digest as _, Sha256};
use syntax::tree::{self, Span};
use syntax::{Code, Diagnostic, Mode, Parsed};

pub use manifest::*;

use crate::library::{LIBRARY, PRELUDE, library_source};
use crate::names::nearest;
use crate::program::{ModuleId, ModuleKind};

/// Where the files of a project come from.
pub trait Files: Sync {
    /// The bytes of a file; none when there is no such file. Paths are from the project root with
    /// `/` between their parts; those into a registry may be absolute or begin with `..`.
    fn read(&self, path: &str) -> Option<Vec<u8>>;
}

/// One file as it was read, with what its imports lead to.
#[derive(Clone, Debug)]
pub struct Source {
    /// As qualified names spell it.
    pub name: Arc<str>,
    pub kind: ModuleKind,
    /// The path given to [`Files`]; a library module's own name.
    pub file: Arc<str>,
    pub text: Arc<str>,
    pub parsed: Arc<Parsed>,
    /// Per import of the tree.
    pub imports: Vec<Option<ModuleId>>,
    /// Of header, imports, manifest and lock.
    pub diagnostics: Vec<Diagnostic>,
}

/// All files of a program; the first is the prelude.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    pub list: Vec<Source>,
    pub by_name: HashMap<Arc<str>, ModuleId>,
    /// Where the files that were asked for are, in the order in which they were given.
    pub roots: Vec<ModuleId>,
    pub manifest: Manifest,
}

/// The module name that a path from the project root asks for.
pub fn module_name(path: &str) -> String {
    let stem = path
        .strip_suffix(".ry")
        .or_else(|| path.strip_suffix(".renyi"))
        .unwrap_or(path);
    stem.replace('/', ".")
}

impl Sources {
    /// The sources after one file has another text; none if the file is not of the project, or if
    /// its imports are not what they were.
    pub(crate) fn with_text(&self, file: &str, text: &str) -> Option<Self> {
        let position = self
            .list
            .iter()
            .position(|source| *source.file == *file && source.kind != ModuleKind::Library)?;
        let source = &self.list[position];
        let parsed = Arc::new(syntax::parse(text, mode_of(&source.kind)));
        let paths = |module: &tree::Module| -> Vec<String> {
            module
                .imports
                .iter()
                .map(|import| import.path.to_string())
                .collect()
        };
        let same_header = parsed.module.header.as_ref().map(ToString::to_string)
            == source.parsed.module.header.as_ref().map(ToString::to_string);
        // Spans of what was said about imports and header would be of the old text.
        let plain = source.diagnostics.is_empty() && same_header;
        if !plain || paths(&parsed.module) != paths(&source.parsed.module) {
            return None;
        }
        let mut sources = self.clone();
        sources.list[position].parsed = parsed;
        sources.list[position].text = text.into();
        Some(sources)
    }
}

/// Where a package is read from, seen from the project root.
pub fn package_folder(registry: &str, name: &str, version: &str) -> String {
    if is_remote(registry) {
        format!(".renyi/packages/{name}/{version}")
    } else {
        format!("{}/{name}/{version}", registry.trim_end_matches('/'))
    }
}

fn is_remote(registry: &str) -> bool {
    registry.starts_with("http://") || registry.starts_with("https://")
}

/// The directory of a project that holds packages and no modules of its own: the registry that a
/// manifest's text names, if it is below the project root.
pub fn inner_registry(manifest: &str) -> Option<String> {
    let registry = Manifest::parse(manifest).ok()?.registry?;
    let inner = registry.trim_start_matches("./").trim_end_matches('/').to_owned();
    let outside =
        is_remote(&registry) || inner.is_empty() || inner.starts_with('/') || inner.starts_with("..");
    (!outside).then_some(inner)
}

fn mode_of(kind: &ModuleKind) -> Mode {
    match kind {
        ModuleKind::Project | ModuleKind::Package { .. } => Mode::Module,
        ModuleKind::Library | ModuleKind::Foreign | ModuleKind::Python { .. } => Mode::Declarations,
    }
}

/// The directory from which a path spells the name that a file's header gives its module.
pub fn root_for<'p>(path: &'p str, declared: &str) -> Option<&'p str> {
    let stem = path.strip_suffix(".ry").or_else(|| path.strip_suffix(".renyi"))?;
    let root = stem.strip_suffix(declared.replace('.', "/").as_str())?;
    if root.is_empty() {
        return Some("");
    }
    root.strip_suffix('/')
}

/// Reads the files at `roots` and all that they import. What `before` has read with the
/// same text is not parsed again.
pub fn load(files: &dyn Files, roots: &[String], before: Option<&Sources>) -> Sources {
    let mut loader = Loader {
        files,
        sources: Sources::default(),
        lock: Lock::default(),
        packages: HashMap::new(),
        problems: Vec::new(),
        before: before
            .into_iter()
            .flat_map(|sources| &sources.list)
            .map(|source| (source.file.clone(), (source.text.clone(), source.parsed.clone())))
            .collect(),
    };
    loader.manifests();
    let prelude = library_source(PRELUDE).unwrap_or_default();
    loader.add(
        PRELUDE.into(),
        ModuleKind::Library,
        PRELUDE.into(),
        prelude.into(),
    );
    // The files that were asked for are parsed side by side.
    let read: Vec<(&String, ModuleKind, Arc<str>)> = roots
        .iter()
        .filter_map(|root| Some((root, loader.kind_of(&module_name(root)), loader.text(root)?)))
        .collect();
    let parsed: Vec<Arc<Parsed>> = read
        .par_iter()
        .map(|(root, kind, text)| loader.parse(root, mode_of(kind), text))
        .collect();
    for ((root, kind, text), parsed) in read.into_iter().zip(parsed) {
        let id = loader.add_parsed(module_name(root).into(), kind, root.as_str().into(), text, parsed);
        loader.sources.roots.push(id);
    }
    let mut open: Vec<ModuleId> = loader.sources.roots.iter().rev().copied().collect();
    while let Some(id) = open.pop() {
        loader.resolve_imports(id, &mut open);
    }
    let mut pending = 0;
    // Library modules import each other, and nothing else does.
    while pending < loader.sources.list.len() {
        let id = ModuleId(pending as u32);
        if loader.sources.list[pending].imports.is_empty() {
            loader.resolve_imports(id, &mut open);
        }
        pending += 1;
    }
    loader.sources
}

struct Loader<'a> {
    files: &'a dyn Files,
    sources: Sources,
    lock: Lock,
    packages: HashMap<String, Result<Arc<Package>, Missing>>,
    /// What is wrong with manifest and lock: told in every file that was asked for.
    problems: Vec<String>,
    before: HashMap<Arc<str>, Read>,
}

/// The text of a file, and its tree.
type Read = (Arc<str>, Arc<Parsed>);

#[derive(Debug)]
struct Package {
    name: Arc<str>,
    version: Arc<str>,
    folder: String,
    manifest: PackageManifest,
    /// Why it is not the locked one.
    mismatch: Option<String>,
}

#[derive(Clone, Debug)]
enum Missing {
    Package(String),
    Manifest(String),
}

impl Loader<'_> {
    fn manifests(&mut self) {
        if let Some(bytes) = self.files.read(MANIFEST) {
            match String::from_utf8(bytes).map_err(|_| "not UTF-8".to_owned()) {
                Ok(text) => match Manifest::parse(&text) {
                    Ok(manifest) => self.sources.manifest = manifest,
                    Err(reason) => self.problems.push(format!("{MANIFEST}: {reason}")),
                },
                Err(reason) => self.problems.push(format!("{MANIFEST}: {reason}")),
            }
        }
        if let Some(bytes) = self.files.read(LOCK) {
            match Lock::parse(&String::from_utf8_lossy(&bytes)) {
                Ok(lock) => self.lock = lock,
                Err(reason) => self.problems.push(format!("{LOCK}: {reason}")),
            }
        }
    }

    fn text(&self, path: &str) -> Option<Arc<str>> {
        let bytes = self.files.read(path)?;
        String::from_utf8(bytes).ok().map(Into::into)
    }

    /// What the manifest says of a module of the project.
    fn kind_of(&self, name: &str) -> ModuleKind {
        let manifest = &self.sources.manifest;
        if manifest.foreign.0.contains_key(name) {
            return ModuleKind::Foreign;
        }
        if let Some(module) = manifest.python.modules.0.get(name) {
            let package = module.package.as_deref().unwrap_or(name);
            return ModuleKind::Python {
                package: package.into(),
            };
        }
        ModuleKind::Project
    }

    fn add(&mut self, name: Arc<str>, kind: ModuleKind, file: Arc<str>, text: Arc<str>) -> ModuleId {
        let parsed = self.parse(&file, mode_of(&kind), &text);
        self.add_parsed(name, kind, file, text, parsed)
    }

    fn parse(&self, file: &str, mode: Mode, text: &Arc<str>) -> Arc<Parsed> {
        match self.before.get(file) {
            Some((before, parsed)) if *before == *text => parsed.clone(),
            _ => Arc::new(syntax::parse(text, mode)),
        }
    }

    fn add_parsed(
        &mut self,
        name: Arc<str>,
        kind: ModuleKind,
        file: Arc<str>,
        text: Arc<str>,
        parsed: Arc<Parsed>,
    ) -> ModuleId {
        let id = ModuleId(self.sources.list.len() as u32);
        let mut diagnostics = Vec::new();
        if matches!(
            kind,
            ModuleKind::Project | ModuleKind::Foreign | ModuleKind::Python { .. }
        ) {
            for problem in &self.problems {
                diagnostics.push(Diagnostic::new(
                    Code::ManifestInvalid,
                    Span::at(0),
                    problem.clone(),
                    "write the file as the manifest's keys ask",
                ));
            }
        }
        let expected = match &kind {
            // A package's files know nothing of the name under which they are imported.
            ModuleKind::Package { name: package, .. } => name
                .strip_prefix(&**package)
                .and_then(|rest| rest.strip_prefix('.'))
                .unwrap_or(&name),
            _ => &name,
        };
        if let Some(header) = &parsed.module.header
            && header.to_string() != expected
        {
            diagnostics.push(Diagnostic::new(
                Code::ModuleName,
                header.span,
                format!("the file's place asks for the module name `{expected}`"),
                format!("write `module {expected}`, or move the file"),
            ));
        }
        if let Some(first) = self.sources.by_name.get(&name) {
            let first = &self.sources.list[first.0 as usize].file;
            diagnostics.push(Diagnostic::new(
                Code::DuplicateName,
                parsed
                    .module
                    .header
                    .as_ref()
                    .map_or(Span::at(0), |header| header.span),
                format!("`{first}` is the module `{name}` already"),
                "remove or rename one of the two files",
            ));
        } else {
            self.sources.by_name.insert(name.clone(), id);
        }
        self.sources.list.push(Source {
            name,
            kind,
            file,
            text,
            parsed,
            imports: Vec::new(),
            diagnostics,
        });
        id
    }

    fn resolve_imports(&mut self, id: ModuleId, open: &mut Vec<ModuleId>) {
        let source = &self.sources.list[id.0 as usize];
        let kind = source.kind.clone();
        let parsed = source.parsed.clone();
        let mut imports = Vec::with_capacity(parsed.module.imports.len());
        for import in &parsed.module.imports {
            let known = self.sources.list.len();
            let mut notes = Vec::new();
            let found = self.resolve(&kind, &import.path, &mut notes);
            self.sources.list[id.0 as usize].diagnostics.append(&mut notes);
            if let Some(found) = found
                && found.0 as usize >= known
            {
                open.push(found);
            }
            imports.push(found);
        }
        self.sources.list[id.0 as usize].imports = imports;
    }

    fn resolve(
        &mut self,
        from: &ModuleKind,
        path: &tree::Path,
        notes: &mut Vec<Diagnostic>,
    ) -> Option<ModuleId> {
        let spelled = path.to_string();
        let first = path.segments.first().map(|name| name.text.clone())?;
        if &*first == "std" {
            if let Some(id) = self.sources.by_name.get(spelled.as_str()) {
                return Some(*id);
            }
            return match library_source(&spelled) {
                Some(text) => {
                    let name: Arc<str> = spelled.into();
                    Some(self.add(name.clone(), ModuleKind::Library, name, text.into()))
                }
                None => {
                    let modules = LIBRARY.iter().map(|(name, _)| *name);
                    notes.push(unknown_module(path, &spelled, nearest(&spelled, modules)));
                    None
                }
            };
        }
        let reaches_package = match from {
            ModuleKind::Package { name, .. } => match self.packages.get(&**name) {
                Some(Ok(package)) => package.manifest.dependencies.0.contains_key(&*first),
                _ => false,
            },
            _ => self.sources.manifest.dependencies.0.contains_key(&*first),
        };
        if reaches_package {
            return self.resolve_package(&first, path, notes);
        }
        match from {
            ModuleKind::Package { name, .. } => {
                let package = self
                    .packages
                    .get(&**name)
                    .and_then(|found| found.as_ref().ok())
                    .cloned();
                package.and_then(|package| self.package_module(&package, &spelled, path, notes))
            }
            _ => {
                if let Some(id) = self.sources.by_name.get(spelled.as_str()) {
                    return Some(*id);
                }
                let base = spelled.replace('.', "/");
                for extension in ["ry", "renyi"] {
                    let file = format!("{base}.{extension}");
                    if let Some(text) = self.text(&file) {
                        let kind = self.kind_of(&spelled);
                        return Some(self.add(spelled.into(), kind, file.into(), text));
                    }
                }
                let known = self.sources.list.iter().map(|source| &*source.name);
                let near = nearest(&spelled, known.chain(LIBRARY.iter().map(|(name, _)| *name)));
                let near = near.map(str::to_owned);
                notes.push(unknown_module(path, &spelled, near.as_deref()));
                None
            }
        }
    }

    fn resolve_package(
        &mut self,
        name: &str,
        path: &tree::Path,
        notes: &mut Vec<Diagnostic>,
    ) -> Option<ModuleId> {
        let package = match self.package(name) {
            Ok(package) => package,
            Err(Missing::Package(reason)) => {
                notes.push(Diagnostic::new(
                    Code::PackageMissing,
                    path.span,
                    reason,
                    format!("add `{name}` to the lock and fetch it"),
                ));
                return None;
            }
            Err(Missing::Manifest(reason)) => {
                notes.push(Diagnostic::new(
                    Code::ManifestInvalid,
                    path.span,
                    reason,
                    "fetch the package again, or ask its publisher",
                ));
                return None;
            }
        };
        if let Some(reason) = &package.mismatch {
            notes.push(Diagnostic::new(
                Code::PackageMismatch,
                path.span,
                reason.clone(),
                "fetch the package again, or lock the one that is there",
            ));
        }
        let rest: Vec<&str> = path.segments.iter().skip(1).map(|name| &*name.text).collect();
        let module = if rest.is_empty() {
            name.to_owned()
        } else {
            rest.join(".")
        };
        self.package_module(&package, &module, path, notes)
    }

    /// A module of a package by the name that its header has.
    fn package_module(
        &mut self,
        package: &Package,
        module: &str,
        path: &tree::Path,
        notes: &mut Vec<Diagnostic>,
    ) -> Option<ModuleId> {
        let name: Arc<str> = if *module == *package.name {
            package.name.clone()
        } else {
            format!("{}.{module}", package.name).into()
        };
        if let Some(id) = self.sources.by_name.get(&name) {
            return Some(*id);
        }
        let base = module.replace('.', "/");
        for extension in ["ry", "renyi"] {
            let file = format!("{base}.{extension}");
            if !package.manifest.files.iter().any(|listed| listed.path == file) {
                continue;
            }
            let place = format!("{}/{file}", package.folder);
            if let Some(text) = self.text(&place) {
                let kind = ModuleKind::Package {
                    name: package.name.clone(),
                    version: package.version.clone(),
                };
                return Some(self.add(name, kind, place.into(), text));
            }
        }
        let files = package.manifest.files.iter().map(|file| module_name(&file.path));
        let files: Vec<String> = files.collect();
        let near = nearest(module, files.iter().map(String::as_str));
        notes.push(unknown_module(path, &path.to_string(), near));
        None
    }

    fn package(&mut self, name: &str) -> Result<Arc<Package>, Missing> {
        if let Some(found) = self.packages.get(name) {
            return found.clone();
        }
        let found = self.open_package(name).map(Arc::new);
        self.packages.insert(name.to_owned(), found.clone());
        found
    }

    fn open_package(&self, name: &str) -> Result<Package, Missing> {
        let missing = |reason: String| Missing::Package(reason);
        let locked = self.lock.packages.iter().find(|package| package.name == name);
        let Some(locked) = locked else {
            return Err(missing(format!("`{LOCK}` does not lock `{name}`")));
        };
        let Some(registry) = &self.sources.manifest.registry else {
            return Err(missing(format!("`{MANIFEST}` names no registry for `{name}`")));
        };
        let version = &locked.version;
        let folder = package_folder(registry, name, version);
        let place = format!("{folder}/package.json");
        let Some(bytes) = self.files.read(&place) else {
            return Err(missing(format!(
                "`{name}` {version} is not there: no file `{place}`"
            )));
        };
        let mut hash = String::from("sha256:");
        for byte in Sha256::digest(&bytes) {
            let _ = write!(hash, "{byte:02x}");
        }
        let mismatch = (hash != locked.hash).then(|| {
            format!(
                "`{place}` is not the locked one: its hash is {hash}, the lock has {}",
                locked.hash
            )
        });
        let manifest = PackageManifest::parse(&String::from_utf8_lossy(&bytes))
            .map_err(|reason| Missing::Manifest(format!("{place}: {reason}")))?;
        Ok(Package {
            name: name.into(),
            version: version.as_str().into(),
            folder,
            manifest,
            mismatch,
        })
    }
}

fn unknown_module(path: &tree::Path, spelled: &str, near: Option<&str>) -> Diagnostic {
    let fix = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!(
            "write the file `{}.ry`, or correct the path",
            spelled.replace('.', "/")
        ),
    };
    Diagnostic::new(
        Code::UnknownModule,
        path.span,
        format!("there is no module `{spelled}`"),
        fix,
    )
}
