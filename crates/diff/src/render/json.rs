//! The JSON form (docs/diff.md): that of the language's specification, with
//! more fields.

use serde_json::{Value, json};

use super::{Header, Headers};
use crate::model::{Change, Counts, Definition, Detail, MapDiff, Work};

/// The whole comparison; nothing is left out but reaches marked as cut.
pub fn to_json(diff: &MapDiff, headers: &Headers) -> Value {
    let mut old = header(&headers.old);
    old["map"] = json!(diff.old.to_string());
    let mut new = header(&headers.new);
    new["map"] = json!(diff.new.to_string());
    let changes: Vec<Value> = diff.changes.iter().map(|each| change(diff, each)).collect();
    let deprecated: Vec<&str> = diff
        .deprecated
        .iter()
        .map(|each| each.qualified.as_str())
        .collect();
    json!({
        "old": old,
        "new": new,
        "changes": changes,
        "bump": diff.bump.name(),
        "reason": diff.reason.as_ref().map(|reason| &reason.text),
        "deprecated": deprecated,
        "tests": diff.names(&diff.tests).collect::<Vec<_>>(),
        "counts": counts(&diff.counts),
        "work": work(&diff.work),
    })
}

fn header(header: &Header) -> Value {
    json!({
        "project": header.project,
        "revision": header.revision,
        "toolchain": header.toolchain,
    })
}

fn change(diff: &MapDiff, change: &Change) -> Value {
    let definition = &change.definition;
    let details: Vec<Value> = change.details.iter().map(detail).collect();
    let mut value = json!({
        "name": definition.qualified,
        "kind": definition.kind.name(),
        "public": definition.public,
        "changes": details,
        "reaches": diff.names(&change.reach.definitions).collect::<Vec<_>>(),
        "tests": diff.names(&change.reach.tests).collect::<Vec<_>>(),
        "bump": change.bump.name(),
        "module": definition.module,
        "signature": definition.signature,
        "location": location(definition),
    });
    let old = change.old.as_ref().map(location);
    if let Some(old) = old.filter(|old| *old != value["location"]) {
        value["old_location"] = old;
    }
    if change.members > 0 {
        value["members"] = json!(change.members);
    }
    if change.inherited {
        value["inherited"] = json!(true);
    }
    if change.reach.cut {
        value["reaches_cut"] = json!(true);
    }
    value
}

fn location(definition: &Definition) -> Value {
    json!({ "file": definition.path, "line": definition.line })
}

fn detail(detail: &Detail) -> Value {
    let change = detail.word();
    match detail {
        Detail::Removed | Detail::Body => json!({ "change": change }),
        Detail::LocalNames => json!({ "change": Detail::Body.word(), "local_names": true }),
        Detail::Added { effects } if effects.is_empty() => json!({ "change": change }),
        Detail::Added { effects } => json!({ "change": change, "effects": effects }),
        Detail::Signature { old, new, body } => {
            json!({ "change": change, "old": old, "new": new, "body": body })
        }
        Detail::Visibility {
            old,
            new,
            public,
            narrowed,
        } => json!({ "change": change, "public": public, "old": old, "new": new, "narrowed": narrowed }),
        Detail::Effects {
            widened,
            narrowed,
            inferred,
        } => json!({ "change": change, "widened": widened, "narrowed": narrowed, "inferred": inferred }),
        Detail::Failures {
            added,
            removed,
            inferred,
        } => json!({ "change": change, "added": added, "removed": removed, "inferred": inferred }),
        Detail::Renamed { from, was_public } | Detail::Moved { from, was_public } => {
            json!({ "change": change, "from": from, "was_public": was_public })
        }
    }
}

fn counts(counts: &Counts) -> Value {
    json!({
        "changes": counts.changes,
        "removed": counts.removed,
        "signature": counts.signature,
        "visibility": counts.visibility,
        "effects": counts.effects,
        "failures": counts.failures,
        "renamed": counts.renamed,
        "moved": counts.moved,
        "added": counts.added,
        "body": counts.body,
        "reached": counts.reached,
        "tests": counts.tests,
    })
}

fn work(work: &Work) -> Value {
    json!({
        "nodes": work.nodes,
        "leaves": work.leaves,
        "components": work.components,
        "texts": work.texts,
    })
}
