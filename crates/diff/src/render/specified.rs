//! The forms of a comparison that the Renyi language's description gives (10.7): its order of
//! changes, its rule for the version, its fields and no others.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{Header, Headers, plain};
use crate::model::{Bump, Change, Detail, MapDiff};

/// Names of what a change reaches.
pub type Reaches<'r> = &'r dyn Fn(&Change) -> Vec<String>;

/// One line per definition, and the version bump.
pub fn specified_text(diff: &MapDiff, headers: &Headers, reaches: Reaches<'_>) -> String {
    let at = |header: &Header| format!("{} at {}", plain(&header.project), plain(&header.revision));
    let changed = match diff.changes.len() {
        0 => "no definition changed".to_owned(),
        1 => "1 definition changed".to_owned(),
        count => format!("{count} definitions changed"),
    };
    // A `String` takes whatever is written to it.
    let mut out = String::new();
    let _ = writeln!(
        out,
        "compared {} with {}: {changed}",
        at(&headers.old),
        at(&headers.new)
    );
    for change in &diff.changes {
        let definition = &change.definition;
        let public = if definition.public { "public " } else { "" };
        let words: Vec<String> = ordered(change).into_iter().map(text).collect();
        let _ = write!(
            out,
            "{} ({public}{}): {}",
            plain(&definition.qualified),
            definition.kind.name(),
            plain(&words.join("; "))
        );
        let reached = reaches(change);
        if !reached.is_empty() {
            let _ = write!(out, "; reaches {}", plain(&reached.join(", ")));
        }
        out.push('\n');
    }
    let _ = writeln!(out, "version bump: {}", bump(diff).name());
    out
}

pub fn specified_json(diff: &MapDiff, headers: &Headers, reaches: Reaches<'_>) -> Value {
    let header = |header: &Header| {
        json!({
            "project": header.project,
            "revision": header.revision,
            "toolchain": header.toolchain,
        })
    };
    let changes: Vec<Value> = diff
        .changes
        .iter()
        .map(|change| {
            let details: Vec<Value> = ordered(change).into_iter().map(value).collect();
            json!({
                "name": change.definition.qualified,
                "kind": change.definition.kind.name(),
                "public": change.definition.public,
                "changes": details,
                "reaches": reaches(change),
            })
        })
        .collect();
    json!({
        "old": header(&headers.old),
        "new": header(&headers.new),
        "changes": changes,
        "bump": bump(diff).name(),
    })
}

/// Signature, visibility, effects, failures, body; what came, went or was renamed stands first.
fn ordered(change: &Change) -> Vec<&Detail> {
    let mut details: Vec<&Detail> = change.details.iter().collect();
    details.sort_by_key(|detail| match detail {
        Detail::Added { .. } | Detail::Removed | Detail::Renamed { .. } | Detail::Moved { .. } => 0,
        Detail::Signature { .. } => 1,
        Detail::Visibility { .. } => 2,
        Detail::Effects { .. } => 3,
        Detail::Failures { .. } => 4,
        Detail::Body | Detail::LocalNames => 5,
    });
    details
}

fn text(detail: &Detail) -> String {
    let parts = |first: (&str, &[String]), second: (&str, &[String])| {
        let told = [first, second].into_iter().filter(|(_, names)| !names.is_empty());
        let told: Vec<String> = told
            .map(|(word, names)| format!("{word}: {}", names.join(", ")))
            .collect();
        told.join("; ")
    };
    match detail {
        Detail::Added { .. } => "added".to_owned(),
        Detail::Removed => "removed".to_owned(),
        Detail::Renamed { from, .. } | Detail::Moved { from, .. } => format!("renamed from {from}"),
        Detail::Signature { old, new, .. } => format!("signature `{old}` -> `{new}`"),
        Detail::Visibility { public: true, .. } => "made public".to_owned(),
        Detail::Visibility { .. } => "made private".to_owned(),
        Detail::Effects {
            widened, narrowed, ..
        } => parts(("effects widened", widened), ("effects narrowed", narrowed)),
        Detail::Failures { added, removed, .. } => {
            parts(("failures added", added), ("failures removed", removed))
        }
        Detail::Body | Detail::LocalNames => "body changed".to_owned(),
    }
}

fn value(detail: &Detail) -> Value {
    match detail {
        Detail::Added { .. } => json!({ "change": "added" }),
        Detail::Removed => json!({ "change": "removed" }),
        Detail::Renamed { from, was_public } | Detail::Moved { from, was_public } => {
            json!({ "change": "renamed", "from": from, "was_public": was_public })
        }
        Detail::Signature { old, new, .. } => json!({ "change": "signature", "old": old, "new": new }),
        Detail::Visibility { public, .. } => json!({ "change": "visibility", "public": public }),
        Detail::Effects {
            widened, narrowed, ..
        } => json!({ "change": "effects", "widened": widened, "narrowed": narrowed }),
        Detail::Failures { added, removed, .. } => {
            json!({ "change": "failures", "added": added, "removed": removed })
        }
        Detail::Body | Detail::LocalNames => json!({ "change": "body" }),
    }
}

/// The largest that a change of a public definition asks for.
fn bump(diff: &MapDiff) -> Bump {
    let of_change = |change: &Change| {
        let public = change.definition.public;
        let was_public = change.old.as_ref().is_some_and(|old| old.public);
        let of_detail = |detail: &Detail| match detail {
            Detail::Removed if public => Bump::Major,
            Detail::Signature { .. } if public => Bump::Major,
            Detail::Visibility { public: true, .. } => Bump::Minor,
            Detail::Visibility { .. } if was_public => Bump::Major,
            Detail::Renamed { was_public: true, .. } | Detail::Moved { was_public: true, .. } => Bump::Major,
            Detail::Renamed { .. } | Detail::Moved { .. } | Detail::Added { .. } if public => Bump::Minor,
            _ => Bump::None,
        };
        change.details.iter().map(of_detail).max().unwrap_or(Bump::None)
    };
    diff.changes.iter().map(of_change).max().unwrap_or(Bump::None)
}
