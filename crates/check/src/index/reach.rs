//! Transitive effects and failures (6.4 of the language): the least fixed point over what each
//! body calls.

use std::collections::{BTreeSet, HashMap};

use crate::analysis::Analysis;
use crate::declaration::DefinitionKind;
use crate::facts::{Place, Role, Target};
use crate::index::Sets;
use crate::program::{DefId, Program};

/// What every definition reaches, library included.
pub struct Reached {
    effects: Spread,
    fails: Spread,
}

impl Reached {
    pub fn of(analysis: &Analysis) -> Self {
        let program = &analysis.program;
        let nodes = Nodes::of(program);
        let callees = callees(analysis, &nodes);
        let mut effects = Spread::new(nodes.count());
        let mut fails = Spread::new(nodes.count());
        for (id, module) in program.modules() {
            for (index, definition) in module.definitions.iter().enumerate() {
                let node = nodes.number(DefId {
                    module: id,
                    index: index as u32,
                });
                let needs = match &definition.kind {
                    DefinitionKind::Test { needs } => needs.as_slice(),
                    _ => definition
                        .signature()
                        .map(|signature| signature.needs.as_slice())
                        .unwrap_or_default(),
                };
                for need in needs {
                    effects.declare(node, need.spelling());
                }
                for failure in definition
                    .signature()
                    .into_iter()
                    .flat_map(|signature| &signature.fails)
                {
                    fails.declare(node, program.spelling(failure, definition));
                }
            }
        }
        effects.spread(&callees);
        fails.spread(&callees);
        effects.nodes = nodes.clone();
        fails.nodes = nodes;
        Self { effects, fails }
    }

    pub fn effects(&self, id: DefId) -> Sets {
        self.effects.sets(id)
    }

    pub fn fails(&self, id: DefId) -> Sets {
        self.fails.sets(id)
    }
}

/// Definitions of all modules as numbers.
#[derive(Clone, Default)]
struct Nodes {
    first: Vec<usize>,
}

impl Nodes {
    fn of(program: &Program) -> Self {
        let mut first = vec![0];
        for module in &program.modules {
            let last = first.last().copied().unwrap_or_default();
            first.push(last + module.definitions.len());
        }
        Self { first }
    }

    fn count(&self) -> usize {
        self.first.last().copied().unwrap_or_default()
    }

    fn number(&self, id: DefId) -> usize {
        self.first[id.module.0 as usize] + id.index as usize
    }
}

/// What each definition's body calls or passes. An implementation reaches its methods, a method
/// called through a bound those of that name in every implementation.
fn callees(analysis: &Analysis, nodes: &Nodes) -> Vec<Vec<usize>> {
    let program = &analysis.program;
    let mut of_method: HashMap<(DefId, u32), Vec<usize>> = HashMap::new();
    let mut callees: Vec<Vec<usize>> = vec![Vec::new(); nodes.count()];
    for (module, declared) in program.modules() {
        for (index, definition) in declared.definitions.iter().enumerate() {
            let id = DefId {
                module,
                index: index as u32,
            };
            if let DefinitionKind::ImplementationMethod {
                implementation,
                method,
                ..
            } = &definition.kind
            {
                callees[nodes.number(*implementation)].push(nodes.number(id));
                let ability = match &program.definition(*implementation).kind {
                    DefinitionKind::Implementation(implementation) => implementation.ability.as_ref(),
                    _ => None,
                };
                if let (Some(ability), Some(method)) = (ability, method) {
                    let list = of_method.entry((ability.ability, *method)).or_default();
                    list.push(nodes.number(id));
                }
            }
        }
    }
    for (module, declared) in program.modules() {
        for index in 0..declared.definitions.len() {
            let id = DefId {
                module,
                index: index as u32,
            };
            let node = nodes.number(id);
            for reference in &analysis.facts(id).references {
                if reference.place != Place::Body || !matches!(reference.role, Role::Call | Role::Pass) {
                    continue;
                }
                match &reference.target {
                    Target::Definition(target) => callees[node].push(nodes.number(*target)),
                    Target::AbilityMethod { ability, method } => {
                        let methods = of_method.get(&(*ability, *method));
                        callees[node].extend(methods.into_iter().flatten());
                    }
                    _ => {}
                }
            }
        }
    }
    for list in &mut callees {
        list.sort_unstable();
        list.dedup();
    }
    callees
}

/// Texts that definitions declare, and which of them each one reaches.
struct Spread {
    nodes: Nodes,
    texts: Vec<String>,
    numbers: HashMap<String, u32>,
    declared: Vec<Vec<u32>>,
    reached: Vec<BTreeSet<u32>>,
}

impl Spread {
    fn new(count: usize) -> Self {
        Self {
            nodes: Nodes::default(),
            texts: Vec::new(),
            numbers: HashMap::new(),
            declared: vec![Vec::new(); count],
            reached: vec![BTreeSet::new(); count],
        }
    }

    fn declare(&mut self, node: usize, text: String) {
        let number = match self.numbers.get(&text) {
            Some(number) => *number,
            None => {
                let number = self.texts.len() as u32;
                self.texts.push(text.clone());
                self.numbers.insert(text, number);
                number
            }
        };
        if !self.declared[node].contains(&number) {
            self.declared[node].push(number);
        }
        self.reached[node].insert(number);
    }

    fn spread(&mut self, callees: &[Vec<usize>]) {
        let mut callers: Vec<Vec<usize>> = vec![Vec::new(); callees.len()];
        for (caller, list) in callees.iter().enumerate() {
            for callee in list {
                callers[*callee].push(caller);
            }
        }
        let mut open: Vec<usize> = (0..callees.len())
            .filter(|node| !self.reached[*node].is_empty())
            .collect();
        while let Some(node) = open.pop() {
            let set = std::mem::take(&mut self.reached[node]);
            for &caller in &callers[node] {
                if caller == node {
                    continue;
                }
                let before = self.reached[caller].len();
                self.reached[caller].extend(&set);
                if self.reached[caller].len() > before {
                    open.push(caller);
                }
            }
            self.reached[node] = set;
        }
    }

    fn sets(&self, id: DefId) -> Sets {
        let node = self.nodes.number(id);
        let text = |number: &u32| self.texts[*number as usize].clone();
        let mut transitive: Vec<String> = self.reached[node].iter().map(text).collect();
        transitive.sort();
        Sets {
            declared: self.declared[node].iter().map(text).collect(),
            transitive,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::ModuleId;

    #[test]
    fn numbers_follow_modules() {
        let nodes = Nodes {
            first: vec![0, 3, 3, 5],
        };
        let id = |module, index| DefId {
            module: ModuleId(module),
            index,
        };
        assert_eq!(nodes.number(id(0, 2)), 2);
        assert_eq!(nodes.number(id(2, 1)), 4);
        assert_eq!(nodes.count(), 5);
    }
}
