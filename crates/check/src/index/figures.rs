//! Budgets (10.6 of the language), and how the measures of a project are spread.

use std::fmt::Write as _;

use super::{DefinitionRecord, Index, Kind, ModuleRecord};
use crate::project::Budgets;

const PUBLIC_PER_MODULE: u64 = 10;
const EFFECT_PATHS_PER_MODULE: u64 = 5;
const FAN_OUT_PER_DEFINITION: u64 = 7;

/// One line for each thing that is over its budget, modules first; none when nothing is.
pub fn over_budget(index: &Index, budgets: &Budgets) -> Vec<String> {
    let public = budgets.public_per_module.unwrap_or(PUBLIC_PER_MODULE);
    let paths = budgets.effect_paths_per_module.unwrap_or(EFFECT_PATHS_PER_MODULE);
    let fan_out = budgets.fan_out_per_definition.unwrap_or(FAN_OUT_PER_DEFINITION);
    let mut lines = Vec::new();
    for module in &index.modules {
        if module.public as u64 > public {
            lines.push(format!(
                "module {}: {} public definitions (budget {public})",
                module.name, module.public
            ));
        }
        if module.effects.len() as u64 > paths {
            lines.push(format!(
                "module {}: {} transitive effect paths (budget {paths}): {}",
                module.name,
                module.effects.len(),
                module.effects.join(", ")
            ));
        }
    }
    for record in &index.definitions {
        if record.metrics.fan_out as u64 > fan_out {
            lines.push(format!(
                "{} {}: fan-out {} (budget {fan_out})",
                record.kind.name(),
                record.qualified,
                record.metrics.fan_out
            ));
        }
    }
    lines
}

/// How one measure is spread over modules, definitions or bodies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Figure {
    pub what: &'static str,
    /// The nearest rank of one half, and of nine tenths.
    pub median: usize,
    pub ninetieth: usize,
    pub maximum: usize,
    /// The first that has the maximum, in the order of the map.
    pub owner: String,
    pub count: usize,
}

/// The seven figures: of modules public definitions and effect paths, of definitions the
/// fan-out, of bodies (those of functions, methods and tests) lines, depth, branches and
/// library calls. What is deprecated does not count.
pub fn figures<'i>(indexes: impl Iterator<Item = &'i Index> + Clone) -> Vec<Figure> {
    let modules: Vec<&ModuleRecord> = indexes.clone().flat_map(|index| &index.modules).collect();
    let definitions: Vec<&DefinitionRecord> = indexes
        .flat_map(|index| &index.definitions)
        .filter(|record| !record.deprecated)
        .collect();
    let bodies: Vec<&DefinitionRecord> = definitions
        .iter()
        .filter(|record| matches!(record.kind, Kind::Function | Kind::Method | Kind::Test))
        .copied()
        .collect();
    let of_modules = |measure: fn(&ModuleRecord) -> usize| -> Vec<(usize, &str)> {
        modules
            .iter()
            .map(|module| (measure(module), &*module.name))
            .collect()
    };
    fn of<'r>(
        list: &[&'r DefinitionRecord],
        measure: fn(&DefinitionRecord) -> usize,
    ) -> Vec<(usize, &'r str)> {
        list.iter()
            .map(|record| (measure(record), record.qualified.as_str()))
            .collect()
    }
    [
        (
            "public definitions per module",
            of_modules(|module| module.public),
        ),
        (
            "transitive effect paths per module",
            of_modules(|module| module.effects.len()),
        ),
        (
            "fan-out per definition",
            of(&definitions, |record| record.metrics.fan_out),
        ),
        ("lines per body", of(&bodies, |record| record.metrics.lines)),
        (
            "depth per body",
            of(&bodies, |record| record.metrics.depth as usize),
        ),
        (
            "branches per body",
            of(&bodies, |record| record.metrics.branches as usize),
        ),
        (
            "library calls per body",
            of(&bodies, |record| record.metrics.library_calls),
        ),
    ]
    .into_iter()
    .filter_map(|(what, values)| figure(what, &values))
    .collect()
}

fn figure(what: &'static str, values: &[(usize, &str)]) -> Option<Figure> {
    let mut sorted: Vec<usize> = values.iter().map(|(value, _)| *value).collect();
    sorted.sort_unstable();
    let maximum = *sorted.last()?;
    let rank = |tenths: usize| sorted[(sorted.len() * tenths).div_ceil(10).max(1) - 1];
    let owner = values.iter().find(|(value, _)| *value == maximum)?.1.to_owned();
    Some(Figure {
        what,
        median: rank(5),
        ninetieth: rank(9),
        maximum,
        owner,
        count: sorted.len(),
    })
}

/// The figures as a table.
pub fn table(figures: &[Figure]) -> String {
    let mut out = String::new();
    // A `String` takes whatever is written to it.
    let _ = writeln!(
        out,
        "{:<34}  {:>6}  {:>6}  {:>6}  {:>6}  owner of the maximum",
        "", "median", "90th", "max", "of"
    );
    for figure in figures {
        let _ = writeln!(
            out,
            "{:<34}  {:>6}  {:>6}  {:>6}  {:>6}  {}",
            figure.what, figure.median, figure.ninetieth, figure.maximum, figure.count, figure.owner
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_the_nearest() {
        let values: Vec<(usize, &str)> = (1..=10).map(|value| (value, "a")).collect();
        let found = figure("x", &values).expect("values");
        assert_eq!((found.median, found.ninetieth, found.maximum), (5, 9, 10));
        let found = figure("x", &[(7, "b"), (7, "c")]).expect("values");
        assert_eq!((found.median, found.ninetieth, found.owner.as_str()), (7, 7, "b"));
        assert_eq!(figure("x", &[]), None);
    }
}
