//! From files to a checked program, and from a changed file to the next one.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use rayon::prelude::*;
use syntax::{Diagnostic, Severity, Span};

use crate::body;
use crate::coherence;
use crate::components::components;
use crate::declare::{self, Outline, Tables};
use crate::facts::Facts;
use crate::program::{DefId, Module, ModuleId, Prelude, Program};
use crate::project::{Files, Sources, load};

/// A program with all that is known of it.
#[derive(Debug)]
pub struct Analysis {
    pub sources: Sources,
    pub program: Program,
    /// Per module.
    pub facts: Vec<Arc<ModuleFacts>>,
    /// What declarations must agree on, per module.
    coherence: Vec<Arc<Vec<Diagnostic>>>,
    /// How many bodies were checked for this analysis; the others are those of the one before.
    pub checked: usize,
}

/// What is known of the insides of one module's definitions.
#[derive(Debug)]
pub struct ModuleFacts {
    /// Per definition; the last ones are of the module's own examples.
    pub list: Vec<Arc<Facts>>,
    ground: Ground,
    has_errors: bool,
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

    /// The analysis after one file has another text: as [`Analysis::refresh`], without reading all
    /// the others. A file that is not of the project, or that imports other modules than before,
    /// asks for the whole.
    pub fn edit(self, file: &str, text: &str, files: &dyn Files, roots: &[String]) -> Self {
        match self.sources.with_text(file, text) {
            Some(sources) => Self::build(sources, Some(&self)),
            None => self.refresh(files, roots),
        }
    }

    fn build(sources: Sources, before: Option<&Self>) -> Self {
        let syntax_errors: BTreeSet<ModuleId> = sources
            .list
            .iter()
            .enumerate()
            .filter(|(_, source)| !source.parsed.is_well_formed())
            .map(|(index, _)| ModuleId(index as u32))
            .collect();
        let before = before.filter(|before| same_files(&before.sources, &sources));
        let mut pass = Pass::of(&sources, &syntax_errors, before.map(Pass::before).as_ref());
        let mut checked = pass.checked;
        let mut erroneous = syntax_errors.clone();
        for index in 0..sources.list.len() {
            if pass.has_errors(index) {
                erroneous.insert(ModuleId(index as u32));
            }
        }
        // To import a module that has errors is an error, so what has them reaches all importers.
        add_importers(&sources, &mut erroneous);
        if erroneous != syntax_errors {
            pass = Pass::of(&sources, &erroneous, Some(&pass));
            checked += pass.checked;
        }
        Self {
            sources,
            program: pass.program,
            facts: pass.facts,
            coherence: pass.coherence,
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
        checked.extend(self.coherence[id.0 as usize].iter().cloned());
        for (index, facts) in self.facts[id.0 as usize].list.iter().enumerate() {
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
        &self.facts[id.module.0 as usize].list[id.index as usize]
    }
}

/// The same modules at the same places, importing the same.
fn same_files(before: &Sources, now: &Sources) -> bool {
    before.list.len() == now.list.len()
        && before.list.iter().zip(&now.list).all(|(before, now)| {
            before.name == now.name
                && before.file == now.file
                && before.kind == now.kind
                && before.imports == now.imports
        })
}

/// Adds every module that imports one of a set, at any remove.
fn add_importers(sources: &Sources, set: &mut BTreeSet<ModuleId>) {
    if set.is_empty() {
        return;
    }
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

/// A program checked under the assumption that some modules have errors.
struct Pass {
    program: Program,
    facts: Vec<Arc<ModuleFacts>>,
    coherence: Vec<Arc<Vec<Diagnostic>>>,
    checked: usize,
}

impl Pass {
    /// What an earlier analysis found, to be used again.
    fn before(analysis: &Analysis) -> Self {
        Self {
            program: analysis.program.clone(),
            facts: analysis.facts.clone(),
            coherence: analysis.coherence.clone(),
            checked: 0,
        }
    }

    fn has_errors(&self, index: usize) -> bool {
        let wrong = |diagnostic: &Diagnostic| diagnostic.severity() == Severity::Error;
        self.facts[index].has_errors
            || self.program.modules[index].diagnostics.iter().any(wrong)
            || self.coherence[index].iter().any(wrong)
    }

    fn of(sources: &Sources, broken: &BTreeSet<ModuleId>, before: Option<&Self>) -> Self {
        let count = sources.list.len();
        let known = |index: usize| -> Option<&Arc<Module>> {
            let module = &before?.program.modules[index];
            Arc::ptr_eq(&module.parsed, &sources.list[index].parsed).then_some(module)
        };
        let outlines: Vec<Arc<Outline>> = (0..count)
            .into_par_iter()
            .map(|index| match known(index) {
                Some(module) => module.outline.clone(),
                None => Arc::new(Outline::of(&sources.list[index].parsed.module)),
            })
            .collect();
        let declared = |index: usize| declare::declare(sources, &outlines, ModuleId(index as u32), broken);
        // First what has another text or other faults around it; then what imports a module whose
        // interface is not what it was.
        let same_faults = |module: &Module| {
            let mut imports = module.imports.iter();
            imports.all(|import| import.broken == broken.contains(&import.module))
        };
        let mut fresh: Vec<Option<Module>> = (0..count)
            .into_par_iter()
            .map(|index| match known(index) {
                Some(module) if same_faults(module) => None,
                _ => Some(declared(index)),
            })
            .collect();
        let mut moved = vec![before.is_none(); count];
        if let Some(before) = before {
            for (index, module) in fresh.iter().enumerate() {
                moved[index] = module
                    .as_ref()
                    .is_some_and(|module| module.interface != before.program.modules[index].interface);
            }
        }
        let any_moved = moved.contains(&true);
        if any_moved {
            let more: Vec<(usize, Module)> = (0..count)
                .into_par_iter()
                .filter(|index| {
                    let mut imports = sources.list[*index].imports.iter().flatten();
                    fresh[*index].is_none() && imports.any(|target| moved[target.0 as usize])
                })
                .map(|index| (index, declared(index)))
                .collect();
            for (index, module) in more {
                fresh[index] = Some(module);
            }
        }
        let is_fresh: Vec<bool> = fresh.iter().map(Option::is_some).collect();
        let tables = match before {
            Some(before) if !any_moved => before.program.tables.clone(),
            _ => {
                let all = |index: usize| match (&fresh[index], before) {
                    (Some(module), _) => Some(module),
                    (None, Some(before)) => Some(&*before.program.modules[index]),
                    (None, None) => None,
                };
                Arc::new(Tables::of((0..count).filter_map(all)))
            }
        };
        let modules: Vec<Arc<Module>> = fresh
            .into_iter()
            .enumerate()
            .map(|(index, module)| match (module, before) {
                (Some(mut module), _) => {
                    tables.name_methods(&mut module);
                    Arc::new(module)
                }
                (None, Some(before)) => before.program.modules[index].clone(),
                (None, None) => Arc::new(declared(index)),
            })
            .collect();
        let by_name = match before {
            Some(before) => before.program.by_name.clone(),
            None => {
                let names = modules.iter().enumerate().rev();
                let names = names.map(|(index, module)| (module.name.clone(), ModuleId(index as u32)));
                Arc::new(names.collect())
            }
        };
        let program = Program {
            prelude: Prelude::of(&modules[0].outline),
            modules,
            outlines,
            by_name,
            tables,
        };
        let coherence: Vec<Arc<Vec<Diagnostic>>> = (0..count)
            .into_par_iter()
            .map(|index| match before {
                Some(before) if !any_moved && !is_fresh[index] => before.coherence[index].clone(),
                _ => Arc::new(coherence::check(&program, ModuleId(index as u32))),
            })
            .collect();
        let grounds = grounds(&program);
        let results: Vec<(Arc<ModuleFacts>, usize)> = (0..count)
            .into_par_iter()
            .map(|index| {
                let id = ModuleId(index as u32);
                let earlier = before.filter(|before| before.facts[index].ground == grounds[index]);
                match earlier {
                    Some(before) if !is_fresh[index] => (before.facts[index].clone(), 0),
                    earlier => {
                        let known =
                            earlier.map(|before| (&*before.program.modules[index], &*before.facts[index]));
                        check_module(&program, id, grounds[index], known)
                    }
                }
            })
            .collect();
        let checked = results.iter().map(|(_, count)| count).sum();
        Self {
            program,
            facts: results.into_iter().map(|(facts, _)| facts).collect(),
            coherence,
            checked,
        }
    }
}

/// The facts of all definitions of a module, and how many of them were not known. `known` rest on
/// the same ground, so that equal texts have equal facts.
fn check_module(
    program: &Program,
    id: ModuleId,
    ground: Ground,
    known: Option<(&Module, &ModuleFacts)>,
) -> (Arc<ModuleFacts>, usize) {
    let module = program.module(id);
    let count = module.definitions.len() + 1;
    if !module.parsed.is_well_formed() {
        let nothing = Arc::new(Facts::default());
        let facts = ModuleFacts {
            list: vec![nothing; count],
            ground,
            has_errors: true,
        };
        return (Arc::new(facts), 0);
    }
    let earlier: HashMap<(usize, &str), &Arc<Facts>> = known
        .filter(|(module, _)| module.parsed.is_well_formed())
        .into_iter()
        .flat_map(|(module, facts)| {
            let list = facts.list.iter().enumerate();
            list.map(|(index, facts)| ((index, text_of(module, index)), facts))
        })
        .collect();
    let mut checked = 0;
    let list: Vec<Arc<Facts>> = (0..count)
        .map(|index| match earlier.get(&(index, text_of(module, index))) {
            Some(facts) => (*facts).clone(),
            None => {
                checked += 1;
                let definition = DefId {
                    module: id,
                    index: index as u32,
                };
                Arc::new(body::check(program, definition))
            }
        })
        .collect();
    let mut told = list.iter().flat_map(|facts| &facts.diagnostics);
    let has_errors = told.any(|diagnostic| diagnostic.severity() == Severity::Error);
    let facts = ModuleFacts {
        list,
        ground,
        has_errors,
    };
    (Arc::new(facts), checked)
}

/// The text that a definition's facts are about; past the last one, what stands before all items.
fn text_of(module: &Module, index: usize) -> &str {
    let span = match module.definitions.get(index) {
        Some(definition) => module.span(definition),
        None => {
            let first = module.tree().items.first();
            Span::new(0, first.map_or(module.tree().span.end, |item| item.span.start))
        }
    };
    span.text(&module.source)
}

/// Per module, all that its bodies rest on besides their own texts: its place in the program, its
/// interface, those of all modules that its types can come from, and the implementations.
fn grounds(program: &Program) -> Vec<Ground> {
    let count = program.modules.len();
    let imports = |index: usize| {
        let list = program.modules[index].imports.iter();
        list.map(|import| import.module.0 as usize)
            .collect::<Vec<usize>>()
    };
    let mut deep: Vec<Ground> = vec![[0; 32]; count];
    for component in components(count, imports) {
        let mut hasher = blake3::Hasher::new();
        let mut outside: BTreeSet<usize> = BTreeSet::new();
        for &member in &component {
            hasher.update(&(member as u64).to_le_bytes());
            hasher.update(&program.modules[member].interface);
            outside.extend(imports(member));
        }
        for target in outside {
            if !component.contains(&target) {
                hasher.update(&deep[target]);
            }
        }
        let hash = *hasher.finalize().as_bytes();
        for member in component {
            deep[member] = hash;
        }
    }
    (0..count)
        .map(|index| {
            let module = &program.modules[index];
            let mut hasher = blake3::Hasher::new();
            hasher.update(&(index as u64).to_le_bytes());
            hasher.update(&deep[index]);
            hasher.update(&module.interface);
            hasher.update(&deep[0]);
            for import in &module.imports {
                hasher.update(&(import.namespace.len() as u64).to_le_bytes());
                hasher.update(import.namespace.as_bytes());
                hasher.update(&import.module.0.to_le_bytes());
                hasher.update(&[u8::from(import.broken)]);
            }
            for (name, id) in &module.exposed {
                hasher.update(&(name.len() as u64).to_le_bytes());
                hasher.update(name.as_bytes());
                hasher.update(&id.module.0.to_le_bytes());
                hasher.update(&id.index.to_le_bytes());
            }
            hasher.update(&program.tables.implementations_hash);
            *hasher.finalize().as_bytes()
        })
        .collect()
}
