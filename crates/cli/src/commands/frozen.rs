//! `renyi check --frozen-specs`: what a definition promises has not changed since a base.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::bail;
use check::index::DefinitionRecord;
use check::{Analysis, Definition, Module};
use diff::{Change, Detail};
use map::DefinitionKind;
use serde_json::json;
use store::{Kind, Objects};
use world::renyi::Records;
use world::{Catalog, Leaves, Overlay, Place};

use super::Context;
use super::diff::difference;
use crate::Verdict;
use crate::output::{Output, one_line};

/// One clause of a frozen definition that differs.
struct Broken {
    definition: String,
    clause: &'static str,
    old: String,
    new: String,
    file: String,
    line: u32,
}

/// Compares what frozen definitions promise with a base.
pub fn run(
    context: &Context,
    output: &mut Output,
    path: &Path,
    names: &[String],
    base: Option<&str>,
    json: bool,
) -> anyhow::Result<Verdict> {
    let workspace = context.open(path)?;
    let progress = context.progress();
    let base = match base {
        Some(base) => base,
        None if workspace.git().is_ok() => "HEAD",
        None => bail!("there is no git repository here: say with --base what the specs are compared with"),
    };
    let old = workspace.base(base, &progress)?;
    let new = workspace.working_tree(&progress)?;
    let found = difference(&workspace, &old, &new)?;
    let objects = Overlay {
        store: workspace.store(),
        extra: vec![&old.extra, &new.extra],
    };
    let leaves = (
        Leaves::read(&objects, &old.map)?,
        Leaves::read(&objects, &new.map)?,
    );
    let (before, after) = (leaves.0.catalog()?, leaves.1.catalog()?);
    let frozen = frozen(&before, names)?;
    let old_examples = Examples::of(&objects, &before, workspace.root())?;
    let new_examples = Examples::of(&objects, &after, workspace.root())?;
    let changes: BTreeMap<&str, Vec<&Change>> = {
        let mut changes: BTreeMap<&str, Vec<&Change>> = BTreeMap::new();
        for change in &found.changes {
            let was = change.old.as_ref().unwrap_or(&change.definition);
            changes.entry(was.qualified.as_str()).or_default().push(change);
        }
        changes
    };
    let now: BTreeMap<String, Place> = after
        .places()
        .map(|place| (after.qualified(place), place))
        .collect();
    let referrers = before.referrers();
    let mut broken = Vec::new();
    let mut tests: BTreeSet<String> = BTreeSet::new();
    for place in &frozen {
        let qualified = before.qualified(*place);
        let mut current = qualified.clone();
        for change in changes.get(qualified.as_str()).into_iter().flatten() {
            clauses(&qualified, change, &mut broken);
            current.clone_from(&change.definition.qualified);
        }
        if let Some(place_now) = now.get(&current) {
            let (was, is) = (
                old_examples.of_definition(&before, *place),
                new_examples.of_definition(&after, *place_now),
            );
            if was != is {
                broken.push(Broken {
                    definition: qualified.clone(),
                    clause: "example",
                    old: was.join("; "),
                    new: is.join("; "),
                    file: after.leaf(*place_now).path.to_string(),
                    line: after.entry(*place_now).location.first_line,
                });
            }
        }
        let own = before.entry(*place).kind == DefinitionKind::Test;
        if own {
            tests.insert(qualified.clone());
        }
        let touching = referrers.get(place).into_iter().flatten();
        tests.extend(
            touching
                .filter(|(referrer, _)| before.entry(*referrer).kind == DefinitionKind::Test)
                .map(|(referrer, _)| before.qualified(*referrer)),
        );
    }
    for test in &tests {
        for change in changes.get(test.as_str()).into_iter().flatten() {
            let edited = change.details.iter().any(|detail| {
                matches!(
                    detail,
                    Detail::Removed | Detail::Body | Detail::Signature { .. } | Detail::Renamed { .. }
                )
            });
            if edited {
                let words: Vec<&str> = change.details.iter().map(Detail::word).collect();
                broken.push(of_change(test, change, "test", String::new(), words.join(", ")));
            }
        }
    }
    tell(&broken, frozen.len(), json, output)?;
    Ok(if broken.is_empty() {
        Verdict::Done
    } else {
        Verdict::Different
    })
}

/// The definitions of the base that are frozen, tests apart unless they are named.
fn frozen(catalog: &Catalog<'_>, names: &[String]) -> anyhow::Result<Vec<Place>> {
    if names.iter().any(|name| name == "all") {
        return Ok(catalog.places().collect());
    }
    let mut places = BTreeSet::new();
    for name in names {
        let found = catalog.find(name);
        if found.is_empty() {
            let near = catalog.nearest(name, 3);
            let hint = match near[..] {
                [] => String::new(),
                _ => format!("; did you mean {}?", near.join(", ")),
            };
            bail!("the base has no definition `{name}`{hint}");
        }
        places.extend(found);
    }
    Ok(places.into_iter().collect())
}

/// What a change says against the promise.
fn clauses(qualified: &str, change: &Change, broken: &mut Vec<Broken>) {
    let test = change.definition.kind == DefinitionKind::Test;
    for detail in &change.details {
        let (clause, old, new) = match detail {
            Detail::Removed => ("definition", "there".to_owned(), "removed".to_owned()),
            Detail::Renamed { from, .. } | Detail::Moved { from, .. } => {
                ("name", from.clone(), change.definition.qualified.clone())
            }
            Detail::Signature { old, new, .. } if !test => {
                (signature_clause(old, new), old.clone(), new.clone())
            }
            Detail::Visibility { old, new, .. } => ("visibility", old.clone(), new.clone()),
            Detail::Effects {
                widened, narrowed, ..
            } => ("effects", narrowed.join(", "), widened.join(", ")),
            Detail::Failures { added, removed, .. } => ("failures", removed.join(", "), added.join(", ")),
            _ => continue,
        };
        broken.push(of_change(qualified, change, clause, old, new));
    }
}

/// Two signatures that are equal up to their conditions differ in a where-clause.
fn signature_clause(old: &str, new: &str) -> &'static str {
    let shape = |signature: &str| -> Vec<String> {
        let mut parts = Vec::new();
        for (position, part) in signature.split(" where ").enumerate() {
            if position == 0 {
                parts.push(part.to_owned());
            } else {
                // What follows the condition: the next field, or the end.
                let rest = part.find(", ").map_or("", |at| &part[at..]);
                parts.push(rest.to_owned());
            }
        }
        parts
    };
    let conditions = old.contains(" where ") || new.contains(" where ");
    if conditions && shape(old).concat() == shape(new).concat() {
        "where"
    } else {
        "signature"
    }
}

fn of_change(definition: &str, change: &Change, clause: &'static str, old: String, new: String) -> Broken {
    Broken {
        definition: definition.to_owned(),
        clause,
        old,
        new,
        file: change.definition.path.clone(),
        line: change.definition.line,
    }
}

fn tell(broken: &[Broken], frozen: usize, json: bool, output: &mut Output) -> anyhow::Result<()> {
    if json {
        let rows: Vec<serde_json::Value> = broken
            .iter()
            .map(|each| {
                json!({
                    "code": "spec_frozen",
                    "definition": each.definition,
                    "clause": each.clause,
                    "old": each.old,
                    "new": each.new,
                    "file": each.file,
                    "line": each.line,
                })
            })
            .collect();
        return output.json(&rows.into());
    }
    for each in broken {
        let change = match (each.old.as_str(), each.new.as_str()) {
            ("", new) => new.to_owned(),
            (old, "") => format!("`{old}` is gone"),
            (old, new) => format!("`{old}` -> `{new}`"),
        };
        output.line(one_line(&format!(
            "{}:{}: error [spec_frozen]: the {} of {} changed since the base: {change}",
            each.file, each.line, each.clause, each.definition
        )))?;
    }
    output.remark(format_args!(
        "{frozen} frozen definitions compared, {} clauses differ",
        broken.len()
    ));
    Ok(())
}

/// Examples in the documentation of one side.
struct Examples<'o> {
    objects: &'o (dyn Objects + Sync),
    records: Records,
}

impl<'o> Examples<'o> {
    fn of(objects: &'o (dyn Objects + Sync), catalog: &Catalog<'_>, place: &Path) -> anyhow::Result<Self> {
        Ok(Self {
            objects,
            records: Records::of(objects, catalog, place)?,
        })
    }

    /// The texts of a definition's examples, blanks collapsed.
    fn of_definition(&self, catalog: &Catalog<'_>, place: Place) -> Vec<String> {
        let leaf = catalog.leaf(place);
        if let Some((record, analysis)) = self.record(catalog, place) {
            let module = analysis.program.module(record.id.module);
            return of_renyi(module, &module.definitions[record.id.index as usize]);
        }
        let source = self.objects.get(Kind::Source, &leaf.source).ok().flatten();
        let Some(source) = source else { return Vec::new() };
        let location = catalog.entry(place).location;
        let range = location.start as usize..location.end as usize;
        let text = source.identity.get(range).map(String::from_utf8_lossy);
        text.map(|text| doc_examples(&leaf.language, &text))
            .unwrap_or_default()
    }

    fn record(&self, catalog: &Catalog<'_>, place: Place) -> Option<(&DefinitionRecord, &Analysis)> {
        let path = &catalog.leaf(place).path;
        let (_, definitions) = self.records.module(path)?;
        let mut rank = 0;
        for other in catalog.places().filter(|other| other.leaf == place.leaf) {
            if other == place {
                break;
            }
            rank += 1;
        }
        Some((definitions.get(rank)?, self.records.analysis(path)?))
    }
}

fn of_renyi(module: &Module, definition: &Definition) -> Vec<String> {
    let docs = match module.function(definition) {
        Some(function) => Some(&function.docs),
        None => module.item(definition).kind.docs(),
    };
    let examples = docs.into_iter().flat_map(|docs| docs.examples());
    examples
        .map(|example| collapsed(example.span.text(&module.source)))
        .collect()
}

fn collapsed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Doctests of Python and fenced code of Rust; other languages have no examples that run.
fn doc_examples(language: &str, text: &str) -> Vec<String> {
    let mut examples = Vec::new();
    match language {
        "python" => {
            let mut open = false;
            for line in text.lines().map(str::trim) {
                open = line.starts_with(">>>") || (open && !line.is_empty());
                if open && !line.starts_with("\"\"\"") {
                    examples.push(collapsed(line));
                }
            }
        }
        "rust" => {
            let mut open = false;
            for line in text.lines().map(str::trim) {
                let Some(line) = line.strip_prefix("///").or_else(|| line.strip_prefix("//!")) else {
                    open = false;
                    continue;
                };
                if line.trim_start().starts_with("```") {
                    open = !open;
                } else if open {
                    examples.push(collapsed(line));
                }
            }
        }
        _ => {}
    }
    examples
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_that_differs_is_a_where_clause() {
        let old = "Box(amount: Integer where amount is at least 0, note: Text)";
        assert_eq!(
            signature_clause(old, "Box(amount: Integer where amount is at least 1, note: Text)"),
            "where"
        );
        assert_eq!(signature_clause(old, "Box(amount: Integer, note: Text)"), "where");
        assert_eq!(
            signature_clause(old, "Box(amount: Decimal where amount is at least 0, note: Text)"),
            "signature"
        );
    }

    #[test]
    fn examples_of_documentation_are_found() {
        let python =
            "def f():\n    \"\"\"Adds.\n\n    >>> f()\n    3\n\n    More.\n    \"\"\"\n    return 3\n";
        assert_eq!(doc_examples("python", python), [">>> f()", "3"]);
        let rust = "/// Adds.\n///\n/// ```\n/// assert!(f());\n/// ```\nfn f() {}\n";
        assert_eq!(doc_examples("rust", rust), ["assert!(f());"]);
        assert!(doc_examples("go", "func F() {}").is_empty());
    }
}
