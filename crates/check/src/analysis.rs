//! From files to a checked program, and from a changed file to the next one.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use syntax::{Diagnostic, Severity, Span};

use crate::body;
use crate::coherence;
use crate::declare::{self, Outline};
use crate::facts::Facts;
use crate::program::{DefId, Module, ModuleId, Prelude, Program};
use crate::project::{Files, Sources, load};

/// A program with all that is known of it.
#[derive(Debug)]
pub struct Analysis {
    pub sources: Sources,
    pub program: Program,
    /// Per module and definition; the last ones are of the module's own examples.
    pub facts: Vec<Vec<Arc<Facts>>>,
    /// How many bodies were checked for this analysis; the others are those of the one before.
    pub checked: usize,
}

/// What a body's facts rest on besides its own text.
type Ground = [u8; 32];

impl Analysis {
    /// Checks the files at `roots` and all that they import.
    pub fn of(files: &dyn Files, roots: &[String]) -> Self {
        Self::build(load(files, roots, None), None)
    }

    /// The analysis of the project as it is now; what has not changed is not checked again.
    pub fn refresh(self, files: &dyn Files, roots: &[String]) -> Self {
        let sources = load(files, roots, Some(&self.sources));
        Self::build(sources, Some(&self))
    }

    fn build(sources: Sources, before: Option<&Self>) -> Self {
        let known: HashMap<&str, &Module> = before
            .into_iter()
            .flat_map(|before| before.program.modules.iter())
            .map(|module| (&*module.file, &**module))
            .collect();
        let outlines: Vec<Arc<Outline>> = sources
            .list
            .iter()
            .map(|source| match known.get(&*source.file) {
                Some(module) if Arc::ptr_eq(&module.parsed, &source.parsed) => module.outline.clone(),
                _ => Arc::new(Outline::of(&source.parsed.module)),
            })
            .collect();
        let mut broken: BTreeSet<ModuleId> = BTreeSet::new();
        for (index, source) in sources.list.iter().enumerate() {
            if !source.parsed.is_well_formed() {
                broken.insert(ModuleId(index as u32));
            }
        }
        let modules = |broken: &BTreeSet<ModuleId>| -> Vec<Module> {
            (0..sources.list.len())
                .map(|index| declare::declare(&sources, &outlines, ModuleId(index as u32), broken))
                .collect()
        };
        let mut cache = before.map(Cache::of).unwrap_or_default();
        let mut program = assemble(modules(&broken));
        let (mut facts, mut checked) = check_all(&program, &mut cache);
        let mut erroneous = broken.clone();
        for (id, module) in program.modules() {
            let bodies = facts[id.0 as usize].iter().flat_map(|facts| &facts.diagnostics);
            let mut told = module.diagnostics.iter().chain(bodies);
            if told.any(|diagnostic| diagnostic.severity() == Severity::Error) {
                erroneous.insert(id);
            }
        }
        // To import a module that has errors is an error, so what has them reaches all importers.
        add_importers(&sources, &mut erroneous);
        if erroneous != broken {
            program = assemble(modules(&erroneous));
            let (again, count) = check_all(&program, &mut cache);
            facts = again;
            checked += count;
        }
        Self {
            sources,
            program,
            facts,
            checked,
        }
    }

    /// All diagnostics of a module in the order of 7.1, layout warnings excepted. A file that
    /// does not parse has those of lexer and parser alone.
    pub fn diagnostics(&self, id: ModuleId) -> Vec<Diagnostic> {
        let module = self.program.module(id);
        let mut list = module.parsed.diagnostics.clone();
        if !module.parsed.is_well_formed() {
            return list;
        }
        let mut checked: Vec<Diagnostic> = module.diagnostics.clone();
        for (index, facts) in self.facts[id.0 as usize].iter().enumerate() {
            let definition = module.definitions.get(index);
            let start = definition.map_or(0, |definition| module.start(definition));
            checked.extend(facts.diagnostics.iter().map(|diagnostic| Diagnostic {
                span: diagnostic.span.after(start),
                ..diagnostic.clone()
            }));
        }
        checked.sort_by_key(|diagnostic| (diagnostic.span, diagnostic.code));
        checked.dedup();
        list.append(&mut checked);
        list
    }

    pub fn facts(&self, id: DefId) -> &Facts {
        &self.facts[id.module.0 as usize][id.index as usize]
    }
}

/// Adds every module that imports one of a set, at any remove.
fn add_importers(sources: &Sources, set: &mut BTreeSet<ModuleId>) {
    let mut importers: Vec<Vec<ModuleId>> = vec![Vec::new(); sources.list.len()];
    for (index, source) in sources.list.iter().enumerate() {
        for target in source.imports.iter().flatten() {
            importers[target.0 as usize].push(ModuleId(index as u32));
        }
    }
    let mut open: Vec<ModuleId> = set.iter().copied().collect();
    while let Some(module) = open.pop() {
        for &importer in &importers[module.0 as usize] {
            if set.insert(importer) {
                open.push(importer);
            }
        }
    }
}

fn check_all(program: &Program, cache: &mut Cache) -> (Vec<Vec<Arc<Facts>>>, usize) {
    let mut all = Vec::with_capacity(program.modules.len());
    let mut checked = 0;
    for (id, _) in program.modules() {
        let (list, count) = check_module(program, id, cache);
        checked += count;
        all.push(list);
    }
    (all, checked)
}

fn assemble(mut modules: Vec<Module>) -> Program {
    let tables = declare::tables(&mut modules);
    let by_name = modules
        .iter()
        .enumerate()
        .rev()
        .map(|(index, module)| (module.name.clone(), ModuleId(index as u32)))
        .collect();
    let outlines = modules.iter().map(|module| module.outline.clone()).collect();
    let prelude = Prelude::of(&modules[0].outline);
    let mut program = Program {
        implementations_hash: Program::hash_of_implementations(&modules),
        modules: modules.into_iter().map(Arc::new).collect(),
        outlines,
        by_name,
        prelude,
        implementations: tables.implementations,
        methods: tables.methods,
        open_methods: tables.open_methods,
        ability_methods: tables.ability_methods,
    };
    coherence::check(&mut program);
    program
}

/// Facts of bodies by what they rest on.
#[derive(Default)]
struct Cache {
    known: HashMap<Ground, Arc<Facts>>,
}

impl Cache {
    fn of(before: &Analysis) -> Self {
        let mut known = HashMap::new();
        for (id, module) in before.program.modules() {
            let ground = ground_of_module(&before.program, id);
            for (index, facts) in before.facts[id.0 as usize].iter().enumerate() {
                known.insert(ground_of_body(&ground, module, index), facts.clone());
            }
        }
        Self { known }
    }
}

/// The facts of all definitions of a module, and how many of them were not known.
fn check_module(program: &Program, id: ModuleId, cache: &mut Cache) -> (Vec<Arc<Facts>>, usize) {
    let module = program.module(id);
    if !module.parsed.is_well_formed() {
        let nothing = Arc::new(Facts::default());
        return (vec![nothing; module.definitions.len() + 1], 0);
    }
    let ground = ground_of_module(program, id);
    let mut checked = 0;
    let list = (0..=module.definitions.len())
        .map(|index| {
            let key = ground_of_body(&ground, module, index);
            if let Some(facts) = cache.known.get(&key) {
                return facts.clone();
            }
            checked += 1;
            let definition = DefId {
                module: id,
                index: index as u32,
            };
            let facts = Arc::new(body::check(program, definition));
            cache.known.insert(key, facts.clone());
            facts
        })
        .collect();
    (list, checked)
}

/// All that the bodies of a module rest on besides their own texts: its place in the program, its
/// interface, those of all modules that its types can come from, and the implementations.
fn ground_of_module(program: &Program, id: ModuleId) -> Ground {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&id.0.to_le_bytes());
    let mut reached: BTreeSet<ModuleId> = BTreeSet::from([id, ModuleId(0)]);
    let mut open = vec![id];
    while let Some(next) = open.pop() {
        for import in &program.module(next).imports {
            if reached.insert(import.module) {
                open.push(import.module);
            }
        }
    }
    for module in reached {
        hasher.update(&module.0.to_le_bytes());
        hasher.update(&program.module(module).interface);
    }
    for import in &program.module(id).imports {
        hasher.update(import.namespace.as_bytes());
        hasher.update(&[u8::from(import.broken)]);
    }
    hasher.update(&program.implementations_hash);
    *hasher.finalize().as_bytes()
}

fn ground_of_body(module_ground: &Ground, module: &Module, index: usize) -> Ground {
    // The module's own examples stand before its first item.
    let span = match module.definitions.get(index) {
        Some(definition) => module.span(definition),
        None => {
            let items = module.tree().items.first();
            Span::new(0, items.map_or(module.tree().span.end, |item| item.span.start))
        }
    };
    let mut hasher = blake3::Hasher::new();
    hasher.update(module_ground);
    hasher.update(&(index as u64).to_le_bytes());
    hasher.update(span.text(&module.source).as_bytes());
    *hasher.finalize().as_bytes()
}
