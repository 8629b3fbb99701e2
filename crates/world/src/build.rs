//! Sources to a map: link, write canonical texts, identify, describe.
//!
//! Everything here is a function of the sources and of this program, so the
//! same sources give the same objects on any machine, thread count and path.

use std::{borrow::Cow, collections::HashMap};

use check::library::LIBRARY_VERSION;
use map::{
    Capabilities, DefinitionId,
    identity::{self, FinishedText, Graph, Target as GraphTarget, TextBuilder},
    manifest::{Effects, Entry, Flags, Leaf, LeafRef, Location, MapRoot, TargetName, Visibility, build_tree},
    record::{MemberRecord, Metrics, Record, TokenRange},
};
use polyglot::{
    FileIndex, Project, ProjectFile,
    effects::EffectTable,
    link::{GlobalId, Linker, Target},
    model::{Definition, DefinitionIndex, DefinitionKind, EXPORTS, Reach, Skeleton, Token, TokenView},
    renyi::RENYI,
};
use rayon::prelude::*;
use store::{Batch, Hash, Kind, Objects, Store};

use crate::{
    error::Result,
    load::{self, Source},
    progress::{Progress, Stage},
    renyi::{self, DefinitionFacts, Link},
};

/// Rises with every change of what is built from the same skeletons.
pub(crate) const VERSION: u32 = 1;

/// Language of the leaves that hold configuration files: no entries, so that a
/// map names every source it was made of.
pub const CONFIGURATION: &str = "configuration";

/// A map and the objects it needs that may not be stored yet.
pub(crate) struct Built {
    pub map: Hash,
    pub root: MapRoot,
    pub batch: Batch,
}

/// A definition after linking.
struct Linked {
    text: FinishedText,
    record: MemberRecord,
    targets: Vec<GlobalId>,
    /// How many of the targets its signature names.
    head: usize,
    calls: Vec<GlobalId>,
    uses: Vec<GlobalId>,
    unresolved: Vec<String>,
    failures: Vec<String>,
}

pub(crate) fn build(
    sources: Vec<Source>,
    skeletons: Vec<Option<Skeleton>>,
    store: Option<&Store>,
    outside: &renyi::Outside,
    progress: &dyn Progress,
) -> Result<Built> {
    let configuration = load::configuration(&sources, store)?;
    let project = project(&sources, &skeletons, &configuration);
    progress.start(Stage::Link, project.files.len());
    let linker = Linker::new(&project);
    let effects = effect_tables(&project);
    let renyi = renyi::Facts::of(&sources, store, &configuration, outside, &project, &linker)?;
    let linked: Vec<Vec<Linked>> = (0..project.files.len() as u32)
        .into_par_iter()
        .map(|file| {
            progress.step();
            link_file(&linker, &project, &effects, &renyi, FileIndex(file))
        })
        .collect();
    progress.finish();

    progress.start(Stage::Identify, 0);
    let linked: Vec<Linked> = linked.into_iter().flatten().collect();
    let mut graph = Graph::with_capacity(linked.len(), linked.iter().map(|each| each.targets.len()).sum());
    for definition in &linked {
        graph.add(
            definition.text.text_hash,
            definition
                .targets
                .iter()
                .map(|target| GraphTarget::Node(target.0)),
        );
    }
    let identified = identity::identify(&graph);
    let reached = transitive_effects(&linked);
    progress.finish();

    progress.start(Stage::Write, project.files.len());
    let mut assembly = Assembly {
        linker: &linker,
        project: &project,
        renyi: &renyi,
        linked: &linked,
        ids: &identified.ids,
        effects: &reached,
        modules: linker.module_names(),
    };
    let mut batch = Batch::new();
    put_definitions(&identified, &linked, store, &mut batch)?;
    let leaves = assembly.leaves(&sources, &mut batch, progress)?;
    for source in sources {
        if let Some(bytes) = source.bytes {
            batch.put_hashed(source.hash, Kind::Source, bytes, None);
        }
    }
    let root = MapRoot {
        extractors: load::versions(),
        tree: build_tree(leaves, &mut batch),
    };
    let map = root.put(&mut batch);
    progress.finish();
    Ok(Built { map, root, batch })
}

fn project<'a>(
    sources: &'a [Source],
    skeletons: &'a [Option<Skeleton>],
    configuration: &'a HashMap<String, String>,
) -> Project<'a> {
    let files = sources.iter().zip(skeletons).filter_map(|(source, skeleton)| {
        Some(ProjectFile {
            path: &source.path,
            front_end: source.front_end?,
            skeleton: skeleton.as_ref()?,
        })
    });
    let texts = sources
        .iter()
        .filter_map(|source| Some((source.path.as_str(), configuration.get(&source.path)?.as_str())));
    Project {
        files: files.collect(),
        configuration: texts.collect(),
    }
}

fn effect_tables(project: &Project<'_>) -> HashMap<&'static str, EffectTable> {
    let mut tables = HashMap::new();
    for file in &project.files {
        tables.entry(file.front_end.name()).or_insert_with(|| {
            EffectTable::parse(file.front_end.effects()).expect("a test parses the table of every front end")
        });
    }
    tables
}

fn link_file(
    linker: &Linker<'_>,
    project: &Project<'_>,
    effects: &HashMap<&'static str, EffectTable>,
    renyi: &renyi::Facts,
    file: FileIndex,
) -> Vec<Linked> {
    let at = project.file(file);
    if at.front_end.name() == RENYI {
        let link = |(index, definition): (usize, &Definition)| {
            let own = linker.global(file, DefinitionIndex(index as u32));
            link_checked(at, definition, own, renyi.definition(file, index))
        };
        return at.skeleton.definitions.iter().enumerate().map(link).collect();
    }
    let targets = linker.link_file(file);
    let effects = &effects[at.front_end.name()];
    let link = |(index, definition): (usize, &Definition)| {
        let own = linker.global(file, DefinitionIndex(index as u32));
        link_definition(linker, at, definition, own, &targets, effects)
    };
    at.skeleton.definitions.iter().enumerate().map(link).collect()
}

fn link_definition(
    linker: &Linker<'_>,
    file: &ProjectFile<'_>,
    definition: &Definition,
    own: GlobalId,
    targets: &[Target],
    effects: &EffectTable,
) -> Linked {
    let skeleton = file.skeleton;
    let mut builder = TextBuilder::new();
    let mut constructed = Vec::new();
    let mut linked = Linked {
        text: FinishedText {
            text_hash: Hash([0; 32]),
            identity: Vec::new(),
            tokens: 0,
            references: 0,
        },
        record: MemberRecord {
            metrics: Metrics {
                depth: definition.metrics.depth,
                branches: definition.metrics.branches,
            },
            failures: definition
                .failures
                .iter()
                .map(|&(start, len)| TokenRange { start, len })
                .collect(),
            effects: Capabilities::EMPTY,
            declared: Vec::new(),
            shape: None,
        },
        targets: Vec::new(),
        head: 0,
        calls: Vec::new(),
        uses: Vec::new(),
        unresolved: Vec::new(),
        failures: Vec::new(),
    };
    let tokens = skeleton.tokens_of(definition);
    for (at, token) in tokens.iter().enumerate() {
        if at as u32 == definition.signature_tokens {
            builder.end_signature();
            linked.head = linked.targets.len();
        }
        match token.view() {
            TokenView::Text(text) => {
                builder.text(skeleton.str(text));
            }
            TokenView::OwnName => {
                builder.own_name();
            }
            TokenView::Reference(index) => {
                let reference = &skeleton.references[index as usize];
                match &targets[index as usize] {
                    Target::Definition(id) => {
                        builder.reference();
                        linked.targets.push(*id);
                        if reference.call {
                            constructed.push(*id);
                        }
                        if *id != own {
                            let edges = if reference.call {
                                &mut linked.calls
                            } else {
                                &mut linked.uses
                            };
                            edges.push(*id);
                        }
                    }
                    Target::Library(name) => {
                        builder.library(name);
                        linked.record.effects = linked.record.effects.union(effects.of(name));
                    }
                    Target::Module => {
                        builder.project_module();
                    }
                    Target::Unknown => {
                        let text = skeleton.str(reference.text);
                        builder.text(text);
                        let name = text.rsplit("::").next().unwrap_or(text);
                        linked.unresolved.push(name.to_owned());
                    }
                }
            }
        }
    }
    if definition.signature_tokens as usize == tokens.len() {
        builder.end_signature();
        linked.head = linked.targets.len();
    }
    // What runs when a type is called is no token of the source; it follows all
    // that are, in order, so that ranges of tokens stay.
    for constructor in constructed.into_iter().flat_map(|id| linker.constructors(id)) {
        builder.reference();
        linked.targets.push(constructor);
        if constructor != own {
            linked.calls.push(constructor);
        }
    }
    for edges in [&mut linked.calls, &mut linked.uses] {
        edges.sort_unstable();
        edges.dedup();
    }
    linked
        .uses
        .retain(|target| linked.calls.binary_search(target).is_err());
    linked.unresolved.sort_unstable();
    linked.unresolved.dedup();
    linked.failures = definition
        .failures
        .iter()
        .map(|&range| failure_text(skeleton, definition, range))
        .collect();
    linked.text = builder.finish(file.front_end.name(), definition.kind);
    linked
}

/// A definition of the Renyi language: the checker has told what its names mean.
fn link_checked(
    file: &ProjectFile<'_>,
    definition: &Definition,
    own: GlobalId,
    facts: Option<&DefinitionFacts>,
) -> Linked {
    let skeleton = file.skeleton;
    let mut builder = TextBuilder::new();
    let mut targets = Vec::new();
    let mut head = 0;
    let mut library = false;
    // After the name of a module its dot: where a definition stands is no part of the text.
    let mut after_module = false;
    let tokens = skeleton.tokens_of(definition);
    for (at, token) in tokens.iter().enumerate() {
        if at as u32 == definition.signature_tokens {
            builder.end_signature();
            head = targets.len();
        }
        let skip_dot = std::mem::take(&mut after_module);
        match token.view() {
            TokenView::Text(text) if skip_dot && skeleton.str(text) == "." => {}
            TokenView::Text(text) => {
                builder.text(skeleton.str(text));
            }
            TokenView::OwnName => {
                builder.own_name();
            }
            TokenView::Reference(index) => {
                let reference = &skeleton.references[index as usize];
                match facts.and_then(|facts| facts.link(reference.span)) {
                    Some(Link::Definition(id)) => {
                        builder.reference();
                        targets.push(*id);
                    }
                    Some(Link::Library(name)) => {
                        builder.library(name);
                        library = true;
                    }
                    Some(Link::Module) => after_module = true,
                    None => {
                        builder.text(skeleton.str(reference.text));
                    }
                }
            }
        }
    }
    if definition.signature_tokens as usize == tokens.len() {
        builder.end_signature();
        head = targets.len();
    }
    for &implied in facts.iter().flat_map(|facts| &facts.implied) {
        if !targets.contains(&implied) {
            builder.reference();
            targets.push(implied);
        }
    }
    if library {
        builder.text(&format!("library {LIBRARY_VERSION}"));
    }
    let others = |list: &[GlobalId]| list.iter().copied().filter(|id| *id != own).collect();
    Linked {
        text: builder.finish(file.front_end.name(), definition.kind),
        record: MemberRecord {
            metrics: Metrics {
                depth: definition.metrics.depth,
                branches: definition.metrics.branches,
            },
            failures: definition
                .failures
                .iter()
                .map(|&(start, len)| TokenRange { start, len })
                .collect(),
            effects: Capabilities::EMPTY,
            declared: facts.map(|facts| facts.declared.clone()).unwrap_or_default(),
            shape: facts.map(|facts| shape(file, tokens, facts)),
        },
        targets,
        head,
        calls: facts.map(|facts| others(&facts.calls)).unwrap_or_default(),
        uses: facts.map(|facts| others(&facts.uses)).unwrap_or_default(),
        unresolved: Vec::new(),
        failures: facts.map(|facts| facts.fails.clone()).unwrap_or_default(),
    }
}

/// A hash of the tokens with local names by the order in which they stand first.
fn shape(file: &ProjectFile<'_>, tokens: &[Token], facts: &DefinitionFacts) -> Hash {
    let skeleton = file.skeleton;
    let mut hasher = blake3::Hasher::new_derive_key("renyi shape 1");
    let mut seen: HashMap<u32, u32> = HashMap::new();
    let mut put = |tag: &[u8], text: &str| {
        hasher.update(tag);
        hasher.update(&(text.len() as u64).to_be_bytes());
        hasher.update(text.as_bytes());
    };
    for token in tokens {
        match token.view() {
            TokenView::Text(text) => put(b"t", skeleton.str(text)),
            TokenView::OwnName => put(b"n", ""),
            TokenView::Reference(index) => {
                let reference = &skeleton.references[index as usize];
                match (facts.local(reference.span), facts.link(reference.span)) {
                    (Some(local), _) => {
                        let next = seen.len() as u32;
                        let position = *seen.entry(local).or_insert(next);
                        put(b"l", &position.to_string());
                    }
                    // What it leads to is compared by its id.
                    (None, Some(Link::Definition(_))) => put(b"r", ""),
                    (None, Some(Link::Library(name))) => put(b"b", name),
                    (None, Some(Link::Module)) => put(b"m", ""),
                    (None, None) => put(b"t", skeleton.str(reference.text)),
                }
            }
        }
    }
    Hash(*hasher.finalize().as_bytes())
}

/// The tokens of a failure as one text, a blank only between words.
fn failure_text(skeleton: &Skeleton, definition: &Definition, (start, len): (u32, u32)) -> String {
    let tokens = &skeleton.tokens_of(definition)[start as usize..(start + len) as usize];
    let mut text = String::new();
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    for token in tokens {
        let part = token_text(skeleton, definition, *token);
        if is_word(text.chars().next_back()) && is_word(part.chars().next()) {
            text.push(' ');
        }
        text.push_str(part);
    }
    text
}

fn token_text<'a>(skeleton: &'a Skeleton, definition: &Definition, token: Token) -> &'a str {
    skeleton.str(match token.view() {
        TokenView::Text(text) => text,
        TokenView::OwnName => definition.name,
        TokenView::Reference(index) => skeleton.references[index as usize].text,
    })
}

/// What each definition reaches, itself and through all it refers to: the least
/// fixed point, found by carrying changes backwards.
fn transitive_effects(linked: &[Linked]) -> Vec<Capabilities> {
    let mut effects: Vec<Capabilities> = linked
        .iter()
        .map(|definition| definition.record.effects)
        .collect();
    let mut first = vec![0u32; linked.len() + 1];
    for definition in linked {
        for target in &definition.targets {
            first[target.0 as usize + 1] += 1;
        }
    }
    for at in 1..first.len() {
        first[at] += first[at - 1];
    }
    let mut next = first.clone();
    let mut callers = vec![0u32; first[linked.len()] as usize];
    for (caller, definition) in linked.iter().enumerate() {
        for target in &definition.targets {
            let slot = &mut next[target.0 as usize];
            callers[*slot as usize] = caller as u32;
            *slot += 1;
        }
    }
    let mut pending: Vec<u32> = (0..linked.len() as u32)
        .filter(|&at| !effects[at as usize].is_empty())
        .collect();
    while let Some(at) = pending.pop() {
        let own = effects[at as usize];
        for &caller in &callers[first[at as usize] as usize..first[at as usize + 1] as usize] {
            let union = effects[caller as usize].union(own);
            if union != effects[caller as usize] {
                effects[caller as usize] = union;
                pending.push(caller);
            }
        }
    }
    effects
}

/// Puts the texts and components that the store lacks into the batch, each
/// component after the texts of its members.
fn put_definitions(
    identified: &identity::Identified,
    linked: &[Linked],
    store: Option<&Store>,
    batch: &mut Batch,
) -> Result<()> {
    let held = |kind, key: &Hash| match store {
        Some(store) => store.contains(kind, key),
        None => Ok(false),
    };
    for component in identified.components() {
        if held(Kind::Component, &component.hash)? {
            continue;
        }
        let members: Vec<&Linked> = component
            .members
            .iter()
            .map(|&node| &linked[node as usize])
            .collect();
        for member in &members {
            let text = &member.text;
            if !held(Kind::Text, &text.text_hash)? {
                batch.put_hashed(text.text_hash, Kind::Text, text.identity.clone(), None);
            }
        }
        let record = Record {
            members: members.iter().map(|member| member.record.clone()).collect(),
        };
        let identity = component.identity.to_vec();
        batch.put_hashed(component.hash, Kind::Component, identity, Some(record.encode()));
    }
    Ok(())
}

/// Makes leaves of what is known.
struct Assembly<'a> {
    linker: &'a Linker<'a>,
    project: &'a Project<'a>,
    renyi: &'a renyi::Facts,
    linked: &'a [Linked],
    ids: &'a [DefinitionId],
    effects: &'a [Capabilities],
    modules: Vec<String>,
}

impl Assembly<'_> {
    fn leaves(
        &mut self,
        sources: &[Source],
        batch: &mut Batch,
        progress: &dyn Progress,
    ) -> Result<Vec<LeafRef>> {
        let mut index = 0;
        let mut places = Vec::with_capacity(sources.len());
        for source in sources {
            places.push(source.front_end.is_some().then_some(FileIndex(index)));
            index += u32::from(source.front_end.is_some());
        }
        let this = &*self;
        let leaf = |(source, place): (&Source, &Option<FileIndex>)| -> Result<(LeafRef, Batch)> {
            progress.step();
            let leaf = match place {
                Some(file) => this.leaf(source, *file),
                None => Leaf::new(
                    source.path.as_str(),
                    source.path.as_str(),
                    CONFIGURATION,
                    source.hash,
                ),
            };
            let mut own = Batch::new();
            Ok((leaf.put(&mut own)?, own))
        };
        let made: Vec<(LeafRef, Batch)> = sources.par_iter().zip(&places).map(leaf).collect::<Result<_>>()?;
        let mut leaves = Vec::with_capacity(made.len());
        for (leaf, own) in made {
            for (key, object) in own.iter() {
                batch.put_object(*key, object.clone());
            }
            leaves.push(leaf);
        }
        Ok(leaves)
    }

    fn leaf<'s>(&'s self, source: &'s Source, file: FileIndex) -> Leaf<'s> {
        let at = self.project.file(file);
        let skeleton = at.skeleton;
        let module = self.modules[file.0 as usize].as_str();
        let mut leaf = Leaf::new(source.path.as_str(), module, at.front_end.family(), source.hash);
        leaf.lines = skeleton.lines;
        leaf.errors = self.renyi.errors(file).unwrap_or(skeleton.errors);
        leaf.purpose = Cow::Borrowed(skeleton.purpose.map_or("", |text| skeleton.str(text)));
        leaf.imports = skeleton
            .imports
            .iter()
            .map(|&text| Cow::Borrowed(skeleton.str(text)))
            .collect();
        let mut targets = TargetTable::default();
        let internal = at.front_end.is_internal(&source.path);
        for (index, definition) in skeleton.definitions.iter().enumerate() {
            let id = self.linker.global(file, DefinitionIndex(index as u32));
            let mut entry = self.entry(skeleton, definition, id, &mut targets);
            entry.visibility = match self.reach(file, skeleton, definition, id) {
                Reach::Private => Visibility::Private,
                Reach::Restricted => Visibility::Restricted,
                Reach::Public if internal => Visibility::Restricted,
                Reach::Public => Visibility::Public,
            };
            if at.front_end.name() == RENYI {
                self.checked(file, index, &mut entry);
            }
            leaf.entries.push(entry);
        }
        leaf.targets = targets.names.iter().map(|&id| self.target_name(id)).collect();
        leaf
    }

    /// Who may use a definition. An implementation, and what stands in it, serves
    /// those who may name all the types and abilities of its head.
    fn reach(&self, file: FileIndex, skeleton: &Skeleton, definition: &Definition, id: GlobalId) -> Reach {
        let is_implementation =
            |index: &DefinitionIndex| skeleton.definition(*index).kind == DefinitionKind::Implementation;
        let implementation = match definition.kind {
            DefinitionKind::Implementation => id,
            _ => match definition.container.filter(is_implementation) {
                Some(container) => self.linker.global(file, container),
                None => return definition.reach,
            },
        };
        let linked = &self.linked[implementation.0 as usize];
        linked.targets[..linked.head]
            .iter()
            .map(|&target| self.linker.definition(target))
            .filter(|named| matches!(named.kind, DefinitionKind::Type | DefinitionKind::Ability))
            .map(|named| named.reach)
            .min()
            .map_or(definition.reach, |named| named.min(definition.reach))
    }

    fn entry<'s>(
        &'s self,
        skeleton: &'s Skeleton,
        definition: &'s Definition,
        id: GlobalId,
        targets: &mut TargetTable,
    ) -> Entry<'s> {
        let linked = &self.linked[id.0 as usize];
        let mut entry = Entry::new(
            skeleton.str(definition.qualified),
            definition.kind,
            self.ids[id.0 as usize],
        );
        // Statements that run when a module is loaded are no name to be used.
        if definition.kind == map::DefinitionKind::Module && skeleton.str(definition.name) != EXPORTS {
            entry.visibility = Visibility::Private;
        }
        entry.spelling = Cow::Borrowed(skeleton.str(definition.visibility));
        entry.location = Location {
            start: definition.span.start,
            end: definition.span.end,
            first_line: definition.lines.0,
            last_line: definition.lines.1,
        };
        entry.signature = Cow::Borrowed(skeleton.str(definition.signature));
        entry.purpose = Cow::Borrowed(skeleton.str(definition.purpose));
        entry.lines = definition.lines.1 - definition.lines.0 + 1;
        for (flag, holds) in [
            (Flags::DOC_EXAMPLE, definition.has_example),
            (Flags::TEST, definition.kind == map::DefinitionKind::Test),
            (Flags::DEPRECATED, definition.deprecated),
        ] {
            if holds {
                entry.flags = entry.flags.with(flag);
            }
        }
        entry.effects = Effects {
            capabilities: self.effects[id.0 as usize],
            named: Vec::new(),
        };
        entry.failures = linked
            .failures
            .iter()
            .map(|text| Cow::Borrowed(text.as_str()))
            .collect();
        entry.calls = linked.calls.iter().map(|&target| targets.index(target)).collect();
        entry.uses = linked.uses.iter().map(|&target| targets.index(target)).collect();
        entry.unresolved = linked
            .unresolved
            .iter()
            .map(|text| Cow::Borrowed(text.as_str()))
            .collect();
        entry
    }

    /// What the checker says of an entry.
    fn checked<'s>(&'s self, file: FileIndex, index: usize, entry: &mut Entry<'s>) {
        entry.visibility = Visibility::Private;
        entry.effects = Effects::default();
        let Some(facts) = self.renyi.definition(file, index) else {
            return;
        };
        if facts.public {
            entry.visibility = Visibility::Public;
        }
        if facts.lines > 0 {
            entry.lines = facts.lines;
        }
        entry.effects.named = facts
            .effects
            .iter()
            .map(|effect| Cow::Borrowed(effect.as_str()))
            .collect();
    }

    fn target_name(&self, id: GlobalId) -> TargetName<'_> {
        let (file, index) = self.linker.locate(id);
        let skeleton = self.project.file(file).skeleton;
        TargetName {
            module: Cow::Borrowed(self.modules[file.0 as usize].as_str()),
            name: Cow::Borrowed(skeleton.str(skeleton.definition(index).qualified)),
        }
    }
}

/// The targets of one leaf, each once.
#[derive(Default)]
struct TargetTable {
    names: Vec<GlobalId>,
    index: HashMap<GlobalId, u32>,
}

impl TargetTable {
    fn index(&mut self, id: GlobalId) -> u32 {
        *self.index.entry(id).or_insert_with(|| {
            self.names.push(id);
            self.names.len() as u32 - 1
        })
    }
}
