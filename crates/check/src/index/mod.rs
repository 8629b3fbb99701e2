//! What section 10 of the language says of every definition and module, apart from hashes.
//!
//! All of it is about canonical texts, so an analysis that is indexed is one of
//! [`Canonical`] files.

pub mod figures;
pub mod metrics;
mod reach;
pub mod spell;
pub mod tools;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use syntax::tree::{Item, ItemKind, NodeId, Span, TypeDeclarationKind};
use syntax::{Mode, Severity};

use crate::analysis::Analysis;
use crate::declaration::{Definition, DefinitionKind};
use crate::facts::{Place, Reference, Role, Target};
use crate::program::{DefId, Module, ModuleId, ModuleKind};
use crate::project::Files;
use spell::Speller;

/// Files whose Renyi texts are read in canonical layout, where they have one.
pub struct Canonical<F>(pub F);

impl<F: Files> Files for Canonical<F> {
    fn read(&self, path: &str) -> Option<Vec<u8>> {
        let bytes = self.0.read(path)?;
        if !(path.ends_with(".ry") || path.ends_with(".renyi")) {
            return Some(bytes);
        }
        let Ok(text) = String::from_utf8(bytes.clone()) else {
            return Some(bytes);
        };
        Some(canonical(&text).map_or(bytes, String::into_bytes))
    }
}

/// The canonical layout of a file, of whichever mode it parses in.
pub fn canonical(text: &str) -> Option<String> {
    syntax::format::format(text, Mode::Module)
        .or_else(|_| syntax::format::format(text, Mode::Declarations))
        .ok()
}

/// Everything of a project but its library.
#[derive(Debug, Default)]
pub struct Index {
    /// The files that were asked for, then those of packages that they import.
    pub modules: Vec<ModuleRecord>,
    /// In order of modules, then of items, an implementation before its methods.
    pub definitions: Vec<DefinitionRecord>,
    by_id: HashMap<DefId, usize>,
}

#[derive(Clone, Debug)]
pub struct ModuleRecord {
    pub id: ModuleId,
    pub name: Arc<str>,
    pub file: Arc<str>,
    /// `name version`
    pub package: Option<String>,
    pub purpose: Option<Arc<str>>,
    /// Dotted paths, in source order.
    pub imports: Vec<String>,
    /// Of this module, in [`Index::definitions`].
    pub definitions: std::ops::Range<usize>,
    pub public: usize,
    pub lines: usize,
    /// Union of what its definitions reach.
    pub effects: Vec<String>,
    pub errors: usize,
}

#[derive(Clone, Debug)]
pub struct DefinitionRecord {
    pub id: DefId,
    /// Within its module.
    pub name: String,
    pub qualified: String,
    pub kind: Kind,
    pub public: bool,
    pub deprecated: bool,
    pub signature: String,
    pub purpose: Option<Arc<str>>,
    pub tags: Vec<Arc<str>>,
    pub see_also: Vec<Arc<str>>,
    pub exposed_as_tool: bool,
    pub effects: Sets,
    pub fails: Sets,
    /// Qualified names of what is called or passed, sorted.
    pub calls: Vec<String>,
    /// Qualified names of types, constants and abilities, sorted.
    pub uses: Vec<String>,
    /// Of implementations and their methods: ability and target.
    pub implements: Option<(String, String)>,
    pub tested_by: Vec<String>,
    pub metrics: Metrics,
    pub examples: usize,
    /// The definition's text (10.3).
    pub span: Span,
    /// First and last line of it.
    pub lines: (usize, usize),
    /// Definitions of the project that it refers to in head and body, by id, itself apart.
    pub refers: Vec<DefId>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Function,
    Method,
    Type,
    Ability,
    Implementation,
    Constant,
    Test,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Method => "method",
            Self::Type => "type",
            Self::Ability => "ability",
            Self::Implementation => "implementation",
            Self::Constant => "constant",
            Self::Test => "test",
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Sets {
    /// In source order.
    pub declared: Vec<String>,
    /// Sorted.
    pub transitive: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Metrics {
    pub lines: usize,
    pub depth: u32,
    pub branches: u32,
    /// Distinct capability paths that it reaches, scopes dropped.
    pub effects: usize,
    pub fan_in: usize,
    pub fan_out: usize,
    pub library_calls: usize,
}

impl Index {
    pub fn of(analysis: &Analysis) -> Self {
        let program = &analysis.program;
        let mut order: Vec<ModuleId> = analysis.sources.roots.clone();
        for (id, module) in program.modules() {
            if module.kind != ModuleKind::Library && !order.contains(&id) {
                order.push(id);
            }
        }
        let reached = reach::Reached::of(analysis);
        let mut index = Self::default();
        for id in order {
            index.module(analysis, id, &reached);
        }
        index.backwards();
        index
    }

    pub fn definition(&self, id: DefId) -> Option<&DefinitionRecord> {
        self.by_id.get(&id).map(|position| &self.definitions[*position])
    }

    fn module(&mut self, analysis: &Analysis, id: ModuleId, reached: &reach::Reached) {
        let program = &analysis.program;
        let module = program.module(id);
        let first = self.definitions.len();
        let lines = syntax::report::Lines::new(&module.source);
        for (position, definition) in module.definitions.iter().enumerate() {
            let id = DefId {
                module: id,
                index: position as u32,
            };
            let record = record(analysis, module, definition, id, reached, &lines);
            self.by_id.insert(id, self.definitions.len());
            self.definitions.push(record);
        }
        let own = &self.definitions[first..];
        let effects: BTreeSet<&String> = own
            .iter()
            .filter(|record| !record.deprecated)
            .flat_map(|record| &record.effects.transitive)
            .collect();
        let tree = module.tree();
        let errors = analysis.diagnostics(id);
        let errors = errors
            .iter()
            .filter(|diagnostic| diagnostic.severity() == Severity::Error)
            .count();
        self.modules.push(ModuleRecord {
            id,
            name: module.name.clone(),
            file: module.file.clone(),
            package: match &module.kind {
                ModuleKind::Package { name, version } => Some(format!("{name} {version}")),
                _ => None,
            },
            purpose: tree.docs.purpose().map(|purpose| purpose.text.clone()),
            imports: tree
                .imports
                .iter()
                .map(|import| import.path.to_string())
                .collect(),
            definitions: first..self.definitions.len(),
            public: own
                .iter()
                .filter(|record| record.public && !record.deprecated)
                .count(),
            lines: module.source.lines().count(),
            effects: effects.into_iter().cloned().collect(),
            errors,
        });
    }

    /// What is known only from the other side: callers and tests.
    fn backwards(&mut self) {
        let mut fan_in: HashMap<DefId, usize> = HashMap::new();
        let mut tested_by: BTreeMap<DefId, Vec<String>> = BTreeMap::new();
        for record in &self.definitions {
            for target in &record.refers {
                *fan_in.entry(*target).or_default() += 1;
                if record.kind == Kind::Test {
                    tested_by
                        .entry(*target)
                        .or_default()
                        .push(record.qualified.clone());
                }
            }
        }
        for record in &mut self.definitions {
            record.metrics.fan_in = fan_in.get(&record.id).copied().unwrap_or_default();
            record.tested_by = tested_by.remove(&record.id).unwrap_or_default();
            record.tested_by.sort();
            record.tested_by.dedup();
        }
    }
}

/// References of a definition with spans of the file, heads first.
pub fn references(analysis: &Analysis, id: DefId) -> Vec<Reference> {
    let module = analysis.program.module(id.module);
    let definition = &module.definitions[id.index as usize];
    let start = module.start(definition);
    let heads = module.head_references.get(id.index as usize);
    let mut all: Vec<Reference> = heads.into_iter().flatten().cloned().collect();
    all.extend(analysis.facts(id).references.iter().map(|reference| Reference {
        span: reference.span.after(start),
        ..reference.clone()
    }));
    all
}

/// Where a definition's parameters, bindings and the like are introduced, with spans of the file.
pub fn local_names(analysis: &Analysis, id: DefId) -> Vec<(Span, NodeId)> {
    let module = analysis.program.module(id.module);
    let start = module.start(&module.definitions[id.index as usize]);
    let bindings = analysis.facts(id).bindings.iter();
    bindings.map(|(span, node)| (span.after(start), *node)).collect()
}

/// The methods of an implementation, which follow it.
pub fn methods_of(module: &Module, implementation: DefId) -> impl Iterator<Item = DefId> + '_ {
    let following = module
        .definitions
        .iter()
        .enumerate()
        .skip(implementation.index as usize + 1);
    let own = following.take_while(move |(_, method)| {
        matches!(&method.kind, DefinitionKind::ImplementationMethod { implementation: of, .. } if *of == implementation)
    });
    own.map(move |(index, _)| DefId {
        module: implementation.module,
        index: index as u32,
    })
}

fn record(
    analysis: &Analysis,
    module: &Module,
    definition: &Definition,
    id: DefId,
    reached: &reach::Reached,
    lines: &syntax::report::Lines<'_>,
) -> DefinitionRecord {
    let program = &analysis.program;
    let speller = Speller {
        source: &module.source,
    };
    let item = module.item(definition);
    let function = module.function(definition);
    let docs = match function {
        Some(function) => Some(&function.docs),
        None => item.kind.docs(),
    };
    let target = match &item.kind {
        ItemKind::Implementation(implementation) => Some(&implementation.target),
        _ => None,
    };
    let (kind, name, signature) = match (&item.kind, function) {
        (ItemKind::Function(_), Some(function)) if function.head.receiver().is_none() => (
            Kind::Function,
            definition.name.to_string(),
            speller.head(&function.head),
        ),
        (_, Some(function)) => (
            Kind::Method,
            speller.method_name(function, target),
            speller.head(&function.head),
        ),
        (ItemKind::Type(declaration), _) => (
            Kind::Type,
            definition.name.to_string(),
            speller.type_declaration(declaration),
        ),
        (ItemKind::Ability(ability), _) => (
            Kind::Ability,
            definition.name.to_string(),
            speller.ability(ability),
        ),
        (ItemKind::Implementation(implementation), _) => (
            Kind::Implementation,
            speller.implementation_name(implementation),
            speller.implementation(implementation),
        ),
        (ItemKind::Constant(constant), _) => (
            Kind::Constant,
            definition.name.to_string(),
            format!(
                "{}: {}",
                constant.name.text,
                speller.spelled(&constant.annotation)
            ),
        ),
        (ItemKind::Test(test), _) => (
            Kind::Test,
            format!("test:{}", test.name.value),
            speller.test(test),
        ),
        (ItemKind::Function(_), None) => (Kind::Function, definition.name.to_string(), String::new()),
    };
    let span = text_span(module, definition);
    let first_line = lines.position(span.start).line;
    let last_line = lines.position(span.end.saturating_sub(1).max(span.start)).line;

    // An implementation speaks for its methods as well.
    let parts: Vec<DefId> = std::iter::once(id).chain(methods_of(module, id)).collect();
    let mut calls = BTreeSet::new();
    let mut uses = BTreeSet::new();
    let mut refers = BTreeSet::new();
    let mut library_calls = 0;
    let mut used = |target: &Target, role: Role| {
        let (definition, qualified, called) = match target {
            Target::Definition(target) => {
                let function = program.definition(*target).signature().is_some();
                let called = function && matches!(role, Role::Call | Role::Pass);
                (*target, program.qualified_name(*target), called)
            }
            Target::AbilityMethod { ability, method } => {
                let declared = program.definition(*ability).as_ability();
                let name = declared.and_then(|declared| declared.methods.get(*method as usize));
                let name = name.map_or("", |method| &*method.name);
                (
                    *ability,
                    format!("{}.{name}", program.qualified_name(*ability)),
                    true,
                )
            }
            Target::Variant(variant) => (variant.sum, program.qualified_name(variant.sum), false),
            _ => return,
        };
        let library = program.module(definition.module).kind == ModuleKind::Library;
        if !library && definition != id {
            refers.insert(definition);
        }
        let fresh = if called {
            calls.insert(qualified)
        } else {
            uses.insert(qualified)
        };
        if fresh && called && library {
            library_calls += 1;
        }
    };
    for part in &parts {
        for reference in references(analysis, *part) {
            let counts = matches!(reference.place, Place::Head | Place::Body);
            if counts && reference.role != Role::Mention {
                used(&reference.target, reference.role);
            }
        }
    }
    let implementation = match &definition.kind {
        DefinitionKind::Implementation(implementation) => Some((implementation, definition)),
        DefinitionKind::ImplementationMethod { implementation, .. } => {
            let of = program.definition(*implementation);
            match &of.kind {
                DefinitionKind::Implementation(implementation) => Some((implementation, of)),
                _ => None,
            }
        }
        _ => None,
    };
    let implements = implementation.and_then(|(implementation, of)| {
        let ability = implementation.ability.as_ref()?;
        if matches!(definition.kind, DefinitionKind::ImplementationMethod { .. }) {
            used(&Target::Definition(ability.ability), Role::Name);
        }
        let target = match implementation.target.head() {
            Some(head) => program.qualified_name(head),
            None => program.spelling(&implementation.target, of),
        };
        Some((program.qualified_name(ability.ability), target))
    });
    let shape = parts
        .iter()
        .map(|part| shape_of(module, &module.definitions[part.index as usize]))
        .fold(metrics::Shape::default(), |all, part| metrics::Shape {
            depth: all.depth.max(part.depth),
            branches: all.branches + part.branches,
        });
    let effects = reached.effects(id);
    let paths: BTreeSet<&str> = effects
        .transitive
        .iter()
        .map(|spelled| spelled.split('(').next().unwrap_or(spelled))
        .collect();
    let metrics = Metrics {
        lines: last_line - first_line + 1,
        depth: shape.depth,
        branches: shape.branches,
        effects: paths.len(),
        fan_in: 0,
        fan_out: refers.len(),
        library_calls,
    };
    let public = match &definition.kind {
        DefinitionKind::Implementation(_) | DefinitionKind::Test { .. } => false,
        _ => definition.public,
    };
    DefinitionRecord {
        id,
        qualified: format!("{}.{name}", module.name),
        name,
        kind,
        public,
        deprecated: definition.deprecated,
        signature,
        purpose: docs
            .and_then(|docs| docs.purpose())
            .map(|purpose| purpose.text.clone()),
        tags: docs.map(|docs| docs.tags()).unwrap_or_default(),
        see_also: docs
            .map(|docs| docs.see_also().into_iter().map(|name| name.text).collect())
            .unwrap_or_default(),
        exposed_as_tool: docs.is_some_and(|docs| docs.exposed_as_tool().is_some()),
        fails: reached.fails(id),
        effects,
        calls: calls.into_iter().collect(),
        uses: uses.into_iter().collect(),
        implements,
        tested_by: Vec::new(),
        metrics,
        examples: docs.map_or(0, |docs| docs.examples().count()),
        span,
        lines: (first_line, last_line),
        refers: refers.into_iter().collect(),
    }
}

/// The text of a definition (10.3).
pub fn text_span(module: &Module, definition: &Definition) -> Span {
    match definition.place.method {
        Some(_) => module.span(definition),
        None => text_span_of(module.item(definition)),
    }
}

/// From `public` or the first word to the last token; of a subtype and a constant without
/// documentation.
pub fn text_span_of(item: &Item) -> Span {
    let end = match &item.kind {
        ItemKind::Constant(constant) => constant.value.span.end,
        ItemKind::Type(declaration) => match &declaration.kind {
            TypeDeclarationKind::Subtype { base, condition } => condition
                .as_ref()
                .map_or(base.span.end, |condition| condition.span.end),
            _ => item.span.end,
        },
        _ => item.span.end,
    };
    Span::new(item.span.start, end)
}

fn shape_of(module: &Module, definition: &Definition) -> metrics::Shape {
    if let Some(function) = module.function(definition) {
        return function.body.as_ref().map(metrics::of_block).unwrap_or_default();
    }
    match &module.item(definition).kind {
        ItemKind::Constant(constant) => metrics::Shape {
            depth: 0,
            ..metrics::of_expression(&constant.value)
        },
        ItemKind::Test(test) => metrics::of_block(&test.body),
        _ => metrics::Shape::default(),
    }
}
