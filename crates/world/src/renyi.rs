//! The Renyi files of a tree: checked as whole projects, so that every reference has its target.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use check::index::{DefinitionRecord, Index, ModuleRecord, canonical, references};
use check::project::{
    Files, LOCK, Lock, MANIFEST, Manifest, PackageManifest, inner_registry, package_folder,
};
use check::{Analysis, DefId, DefinitionKind as Declared, ModuleKind, Target};
use polyglot::link::{GlobalId, Linker};
use polyglot::model::{DefinitionIndex, Span};
use polyglot::renyi::{RENYI, place};
use polyglot::{FileIndex, Project};
use store::{Hash, Kind, Objects, Store};

use crate::catalog::Catalog;
use crate::error::Result;
use crate::load::{self, Source};

/// Texts of a tree by path: Renyi files in canonical layout, configuration as it is.
#[derive(Default)]
pub struct Texts(pub BTreeMap<String, Arc<str>>);

/// Files of locked packages that are not of the tree, by project root and the path seen from there.
#[derive(Default)]
pub struct Outside(BTreeMap<(String, String), Vec<u8>>);

impl Outside {
    /// Reads the packages that the locks of a tree ask for; `place` is where the tree is on disk.
    pub fn gather<'t>(place: &Path, texts: impl Iterator<Item = (&'t str, &'t str)> + Clone) -> Self {
        let mut outside = Self::default();
        let texts: BTreeMap<&str, &str> = texts.collect();
        for path in texts.keys() {
            let Some(root) = path.strip_suffix(LOCK) else {
                continue;
            };
            let root = root.strip_suffix('/').unwrap_or(root);
            let manifest = joined(root, MANIFEST).and_then(|path| texts.get(path.as_str()).copied());
            let (Some(manifest), Ok(lock)) = (manifest, Lock::parse(texts[path])) else {
                continue;
            };
            let Some(registry) = Manifest::parse(manifest)
                .ok()
                .and_then(|manifest| manifest.registry)
            else {
                continue;
            };
            for package in lock.packages {
                let folder = package_folder(&registry, &package.name, &package.version);
                let mut take = |file: &str| {
                    let path = format!("{folder}/{file}");
                    let bytes = std::fs::read(place.join(root).join(&path)).ok()?;
                    outside.0.insert((root.to_owned(), path), bytes.clone());
                    Some(bytes)
                };
                let Some(bytes) = take("package.json") else {
                    continue;
                };
                let Ok(manifest) = PackageManifest::parse(&String::from_utf8_lossy(&bytes)) else {
                    continue;
                };
                for file in manifest.files {
                    take(&file.path);
                }
            }
        }
        outside
    }

    /// A hash of all that was read, to stand beside that of the tree.
    pub(crate) fn hash(&self) -> Option<Hash> {
        if self.0.is_empty() {
            return None;
        }
        let mut hasher = blake3::Hasher::new_derive_key("renyi outside 1");
        for ((root, path), bytes) in &self.0 {
            for part in [root.as_bytes(), path.as_bytes(), bytes] {
                hasher.update(&(part.len() as u64).to_be_bytes());
                hasher.update(part);
            }
        }
        Some(Hash(*hasher.finalize().as_bytes()))
    }
}

/// The files below one project root.
struct Below<'a> {
    texts: &'a Texts,
    outside: &'a Outside,
    root: &'a str,
}

impl Files for Below<'_> {
    fn read(&self, path: &str) -> Option<Vec<u8>> {
        let inside = joined(self.root, path).and_then(|whole| self.texts.0.get(&whole));
        if let Some(text) = inside {
            return Some(text.as_bytes().to_vec());
        }
        let bytes = self.outside.0.get(&(self.root.to_owned(), path.to_owned()))?;
        let text = std::str::from_utf8(bytes)
            .ok()
            .filter(|_| !path.ends_with(".json"));
        let canonical = text.and_then(canonical).map(String::into_bytes);
        Some(canonical.unwrap_or_else(|| bytes.clone()))
    }
}

/// A path from a root, `..` resolved; none when it leaves the tree.
fn joined(root: &str, path: &str) -> Option<String> {
    if path.starts_with('/') {
        return None;
    }
    let mut parts: Vec<&str> = root.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

impl Texts {
    /// Takes a file in; a Renyi file in its canonical layout, if it has one.
    pub fn insert(&mut self, path: &str, text: &str) {
        let renyi = polyglot::front_end_for(path).is_some_and(|front_end| front_end.name() == RENYI);
        let kept = match canonical(text).filter(|_| renyi) {
            Some(text) => text.into(),
            None => text.into(),
        };
        self.0.insert(path.to_owned(), kept);
    }

    /// Every Renyi project of the tree, by its root: checked, with its index.
    pub fn projects(&self, outside: &Outside) -> Vec<(String, Analysis, Index)> {
        let registries: Vec<String> = self
            .0
            .iter()
            .filter_map(|(path, text)| {
                let root = path.strip_suffix(MANIFEST)?;
                joined(root, &inner_registry(text)?)
            })
            .collect();
        let packaged = |path: &str| {
            registries.iter().any(|registry| {
                let rest = path.strip_prefix(registry.as_str());
                rest.is_some_and(|rest| rest.starts_with('/'))
            })
        };
        let mut roots: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        let manifests: Vec<&str> = self
            .0
            .keys()
            .map(String::as_str)
            .filter(|path| path.ends_with("renyi.json"))
            .collect();
        for (path, text) in &self.0 {
            let renyi = polyglot::front_end_for(path).is_some_and(|front_end| front_end.name() == RENYI);
            if renyi && !packaged(path) {
                let declared = syntax::parse::header(text);
                let (root, inner) = place(path, declared.as_deref(), manifests.iter().copied());
                roots.entry(root).or_default().push(inner.to_owned());
            }
        }
        roots
            .into_iter()
            .map(|(root, members)| {
                let analysis = Analysis::of(
                    &Below {
                        texts: self,
                        outside,
                        root,
                    },
                    &members,
                );
                let index = Index::of(&analysis);
                (root.to_owned(), analysis, index)
            })
            .collect()
    }
}

/// The Renyi modules of a map that was read, checked again from its sources: what section 10 of the
/// language says of each definition, library names included.
#[derive(Default)]
pub struct Records {
    pub projects: Vec<(String, Analysis, Index)>,
    /// By path: the project, and its module.
    files: HashMap<String, (usize, usize)>,
    /// Paths of files that are not in canonical layout.
    loose: BTreeSet<String>,
}

impl Records {
    /// # Errors
    /// A source that is missing or damaged.
    pub fn of(objects: &dyn Objects, catalog: &Catalog<'_>, place: &Path) -> Result<Self> {
        let mut records = Self::default();
        if !catalog.leaves().iter().any(|leaf| leaf.language == RENYI) {
            return Ok(records);
        }
        let mut texts = Texts::default();
        for leaf in catalog.leaves() {
            let renyi = leaf.language == RENYI;
            if !renyi && leaf.language != crate::CONFIGURATION {
                continue;
            }
            let source = objects
                .get(Kind::Source, &leaf.source)?
                .ok_or(store::Error::Missing {
                    kind: Kind::Source,
                    key: leaf.source,
                })?;
            let text = load::as_text(&leaf.path, &source.identity).0;
            texts.insert(&leaf.path, &text);
            let kept = texts.0.get(&*leaf.path);
            if renyi && kept.is_some_and(|kept| **kept != *text) {
                records.loose.insert(leaf.path.to_string());
            }
        }
        let told = texts.0.iter().map(|(path, text)| (path.as_str(), &**text));
        let outside = Outside::gather(place, told);
        records.projects = texts.projects(&outside);
        for (project, (root, _, index)) in records.projects.iter().enumerate() {
            for (module, record) in index.modules.iter().enumerate() {
                if let Some(path) = joined(root, &record.file) {
                    records.files.insert(path, (project, module));
                }
            }
        }
        Ok(records)
    }

    pub fn is_empty(&self) -> bool {
        self.projects.is_empty()
    }

    /// The module of a file, with its definitions in the order of their places.
    pub fn module(&self, path: &str) -> Option<(&ModuleRecord, &[DefinitionRecord])> {
        let (project, module) = *self.files.get(path)?;
        let index = &self.projects[project].2;
        let record = index.modules.get(module)?;
        Some((record, &index.definitions[record.definitions.clone()]))
    }

    /// The analysis of the project that a file belongs to.
    pub fn analysis(&self, path: &str) -> Option<&Analysis> {
        let (project, _) = *self.files.get(path)?;
        Some(&self.projects[project].1)
    }

    pub fn is_canonical(&self, path: &str) -> bool {
        !self.loose.contains(path)
    }
}

/// What is known of the definitions of each Renyi file.
#[derive(Default)]
pub(crate) struct Facts {
    files: HashMap<FileIndex, Vec<DefinitionFacts>>,
    errors: HashMap<FileIndex, u32>,
}

/// Where a name leads.
#[derive(Clone, Debug)]
pub(crate) enum Link {
    Definition(GlobalId),
    Library(Arc<str>),
    /// The namespace before a dot.
    Module,
}

#[derive(Default)]
pub(crate) struct DefinitionFacts {
    links: HashMap<(u32, u32), Link>,
    /// Names of parameters, bindings and the like, by the node that introduces them.
    locals: HashMap<(u32, u32), u32>,
    /// Definitions that it rests on without naming them: the type of a variant, the ability of
    /// a method.
    pub implied: Vec<GlobalId>,
    pub calls: Vec<GlobalId>,
    pub uses: Vec<GlobalId>,
    pub public: bool,
    pub lines: u32,
    pub effects: Vec<String>,
    pub declared: Vec<String>,
    pub fails: Vec<String>,
}

impl DefinitionFacts {
    pub fn local(&self, span: Span) -> Option<u32> {
        self.locals.get(&(span.start, span.end)).copied()
    }

    pub fn link(&self, span: Span) -> Option<&Link> {
        self.links.get(&(span.start, span.end))
    }
}

impl Facts {
    /// Checks the Renyi files among the sources.
    pub fn of(
        sources: &[Source],
        store: Option<&Store>,
        configuration: &HashMap<String, String>,
        outside: &Outside,
        project: &Project<'_>,
        linker: &Linker<'_>,
    ) -> Result<Self> {
        let mut texts = Texts::default();
        for source in sources {
            if source
                .front_end
                .is_some_and(|front_end| front_end.name() == RENYI)
            {
                texts.insert(&source.path, &load::text_of(source, store)?);
            }
        }
        if texts.0.is_empty() {
            return Ok(Self::default());
        }
        for source in sources {
            if let Some(text) = configuration.get(&source.path) {
                texts.0.insert(source.path.clone(), text.as_str().into());
            }
        }
        let mut facts = Self::default();
        for (root, analysis, index) in texts.projects(outside) {
            facts.take(&root, &analysis, &index, project, linker);
        }
        Ok(facts)
    }

    /// How many errors the checker finds in a file.
    pub fn errors(&self, file: FileIndex) -> Option<u32> {
        self.errors.get(&file).copied()
    }

    pub fn definition(&self, file: FileIndex, index: usize) -> Option<&DefinitionFacts> {
        self.files.get(&file)?.get(index)
    }

    fn take(
        &mut self,
        root: &str,
        analysis: &Analysis,
        index: &Index,
        project: &Project<'_>,
        linker: &Linker<'_>,
    ) {
        let program = &analysis.program;
        // A file whose skeleton has other definitions was read otherwise: names in it stay text.
        let file_of: Vec<Option<FileIndex>> = program
            .modules
            .iter()
            .map(|module| {
                let path = joined(root, &module.file).filter(|_| module.kind != ModuleKind::Library)?;
                let file = project.find(&path)?;
                let same = project.file(file).skeleton.definitions.len() == module.definitions.len();
                same.then_some(file)
            })
            .collect();
        for record in &index.modules {
            if let Some(file) = joined(root, &record.file).and_then(|path| project.find(&path)) {
                let errors = u32::try_from(record.errors).unwrap_or(u32::MAX);
                self.errors.entry(file).or_insert(errors);
            }
        }
        let global = |id: DefId| {
            let file = file_of[id.module.0 as usize]?;
            Some(linker.global(file, DefinitionIndex(id.index)))
        };
        for (module, file) in file_of.iter().enumerate() {
            let Some(file) = *file else { continue };
            let kind = &program.modules[module].kind;
            // Files of a package in the tree are also files of the project.
            if matches!(kind, ModuleKind::Package { .. }) && self.files.contains_key(&file) {
                continue;
            }
            let definitions = (0..program.modules[module].definitions.len())
                .map(|position| {
                    let id = DefId {
                        module: check::ModuleId(module as u32),
                        index: position as u32,
                    };
                    match index.definition(id) {
                        Some(record) => of_definition(analysis, record, &global),
                        None => DefinitionFacts::default(),
                    }
                })
                .collect();
            self.files.insert(file, definitions);
        }
    }
}

fn of_definition(
    analysis: &Analysis,
    record: &DefinitionRecord,
    global: &impl Fn(DefId) -> Option<GlobalId>,
) -> DefinitionFacts {
    let program = &analysis.program;
    let module = program.module(record.id.module);
    let own = std::iter::once(record.id);
    let parts: Vec<DefId> = own.chain(check::index::methods_of(module, record.id)).collect();
    let mut facts = DefinitionFacts {
        public: record.public,
        lines: u32::try_from(record.metrics.lines).unwrap_or(u32::MAX),
        effects: record.effects.transitive.clone(),
        declared: record.effects.declared.clone(),
        fails: record.fails.transitive.clone(),
        ..DefinitionFacts::default()
    };
    let mut called = Vec::new();
    // Nodes are numbered per method, so an implementation tells no locals.
    let has_locals = record.kind != check::index::Kind::Implementation;
    if has_locals {
        for (span, node) in check::index::local_names(analysis, record.id) {
            facts.locals.insert((span.start, span.end), node.0);
        }
    }
    for part in parts {
        for reference in references(analysis, part) {
            let key = (reference.span.start, reference.span.end);
            match &reference.target {
                Target::Definition(id) => {
                    let link = match global(*id) {
                        Some(id) => Link::Definition(id),
                        None => Link::Library(program.qualified_name(*id).into()),
                    };
                    if record.calls.binary_search(&program.qualified_name(*id)).is_ok() {
                        called.extend(global(*id));
                    }
                    facts.links.insert(key, link);
                }
                Target::AbilityMethod { ability, .. } => {
                    // The member's name is the ability's own.
                    facts.implied.extend(global(*ability));
                }
                Target::Variant(variant) => facts.implied.extend(global(variant.sum)),
                Target::Module(_) => {
                    facts.links.insert(key, Link::Module);
                }
                Target::Local(node) if has_locals => {
                    facts.locals.insert(key, node.0);
                }
                Target::Local(_) | Target::Field { .. } | Target::TypeParameter(_) => {}
            }
        }
    }
    if let Declared::ImplementationMethod { implementation, .. } = &program.definition(record.id).kind
        && let Declared::Implementation(implementation) = &program.definition(*implementation).kind
        && let Some(ability) = &implementation.ability
    {
        facts.implied.extend(global(ability.ability));
    }
    called.sort_unstable();
    called.dedup();
    facts.uses = record
        .refers
        .iter()
        .filter_map(|id| global(*id))
        .filter(|id| called.binary_search(id).is_err())
        .collect();
    facts.calls = called;
    facts.uses.sort_unstable();
    facts
}
