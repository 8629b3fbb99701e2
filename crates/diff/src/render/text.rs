//! The text form: one line per change, the most severe kinds first.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
};

use map::DefinitionKind;

use super::{Headers, counted, plain};
use crate::model::{Change, Detail, MapDiff};

/// Changes of one kind that are shown, and names in a list.
const MAX_LINES: usize = 60;
const MAX_NAMES: usize = 6;

/// Compact text for people and agents. Long lists are cut, and say so.
pub fn to_text(diff: &MapDiff, headers: &Headers) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{}", headline(diff, headers));
    let groups = Groups::new(diff);
    for (_, lines) in groups.lines {
        for line in lines.iter().take(MAX_LINES) {
            out.push_str(line);
            out.push('\n');
        }
        if let Some(rest) = lines.len().checked_sub(MAX_LINES).filter(|&rest| rest > 0) {
            let _ = writeln!(out, "… {rest} more of this kind");
        }
    }
    for definition in diff.deprecated.iter().take(MAX_LINES) {
        let _ = writeln!(out, "deprecated now  {}", plain(&definition.qualified));
    }
    if diff.counts.reached > 0 {
        let reached = counted(diff.counts.reached, "definition");
        let _ = writeln!(out, "reached without a change of their own: {reached}");
    }
    if !diff.tests.is_empty() {
        let _ = writeln!(
            out,
            "tests to run ({}): {}",
            diff.tests.len(),
            names(diff, &diff.tests, "")
        );
    }
    let _ = write!(out, "version bump: {}", diff.bump.name());
    if let Some(reason) = &diff.reason {
        let _ = write!(out, " ({}", plain(&reason.text));
        if reason.alike > 0 {
            let _ = write!(out, " and {} more", reason.alike);
        }
        out.push(')');
    }
    out.push('\n');
    out
}

pub(super) fn headline(diff: &MapDiff, headers: &Headers) -> String {
    let own = diff.changes.iter().filter(|change| !change.inherited).count();
    let mut what = match diff.changes.len() {
        0 => "no changes in any definition".to_owned(),
        _ => format!("{} changed", counted(own as u64, "definition")),
    };
    if own < diff.changes.len() {
        let _ = write!(what, ", {} inherited from that", diff.changes.len() - own);
    }
    let base = |header: &super::Header| match (header.project.as_str(), header.revision.as_str()) {
        ("", "") => None,
        (project, "") => Some(plain(project)),
        ("", revision) => Some(plain(revision)),
        (project, revision) => Some(format!("{} at {}", plain(project), plain(revision))),
    };
    match (base(&headers.old), base(&headers.new)) {
        (Some(old), Some(new)) => format!("compared {old} with {new}: {what}"),
        _ => what,
    }
}

/// The lines of each kind of change.
struct Groups {
    lines: BTreeMap<usize, Vec<String>>,
}

impl Groups {
    fn new(diff: &MapDiff) -> Self {
        let mut groups = Self {
            lines: BTreeMap::new(),
        };
        let shown = Folded::new(diff);
        let shared = shared_names(diff);
        let mut inherited: BTreeMap<String, Vec<&Change>> = BTreeMap::new();
        let mut tests: BTreeMap<&str, Vec<&Change>> = BTreeMap::new();
        for change in &diff.changes {
            let Some(first) = change.details.first() else {
                continue;
            };
            if change.inherited {
                let details: Vec<String> = change.details.iter().map(detail).collect();
                inherited.entry(details.join("; ")).or_default().push(change);
            } else if is_plain_test(change) {
                tests.entry(first.word()).or_default().push(change);
            } else if !shown.is_folded(change) {
                let definition = &change.definition;
                let ambiguous = shared.contains(definition.qualified.as_str())
                    || definition.kind == DefinitionKind::Module && !definition.name.is_empty();
                let line = line(diff, change, shown.members(change), ambiguous);
                groups.lines.entry(place(first)).or_default().push(line);
            }
        }
        for (details, changes) in inherited {
            let line = format!("inherited  {details}  in {}", several(&changes, "definition"));
            groups.push(&changes, line);
        }
        for (word, changes) in tests {
            let line = format!("{word}  {}", several(&changes, "test"));
            groups.push(&changes, line);
        }
        groups
    }

    /// Adds a line where the first of its changes belongs.
    fn push(&mut self, changes: &[&Change], line: String) {
        let first = changes.first().and_then(|change| change.details.first());
        self.lines.entry(first.map_or(0, place)).or_default().push(line);
    }
}

/// Names that changes of several files have: they are different definitions.
fn shared_names(diff: &MapDiff) -> BTreeSet<&str> {
    let mut paths = BTreeMap::new();
    let mut shared = BTreeSet::new();
    for change in &diff.changes {
        let definition = &change.definition;
        let (name, path) = (definition.qualified.as_str(), definition.path.as_str());
        if *paths.entry(name).or_insert(path) != path {
            shared.insert(name);
        }
    }
    shared
}

/// How many changes, and the names of the first.
fn several(changes: &[&Change], noun: &str) -> String {
    let names = changes.iter().map(|change| change.definition.qualified.as_str());
    format!("{}: {}", counted(changes.len() as u64, noun), first_of(names))
}

/// Whether a change is of a test, and of no other interest than that.
fn is_plain_test(change: &Change) -> bool {
    change.definition.kind == DefinitionKind::Test
        && matches!(
            change.details[..],
            [Detail::Added { .. } | Detail::Removed | Detail::Body | Detail::LocalNames]
        )
}

/// Where a kind of change stands.
fn place(detail: &Detail) -> usize {
    match detail {
        Detail::Removed => 0,
        Detail::Signature { .. } => 1,
        Detail::Visibility { .. } => 2,
        Detail::Effects { .. } => 3,
        Detail::Failures { .. } => 4,
        Detail::Renamed { .. } => 5,
        Detail::Moved { .. } => 6,
        Detail::Added { .. } => 7,
        Detail::Body => 8,
        Detail::LocalNames => 9,
    }
}

/// Members and implementations of a type that was added or removed whole are told
/// with it, and members of an implementation.
pub(super) struct Folded {
    members: BTreeMap<(bool, String, String), u32>,
}

impl Folded {
    pub fn new(diff: &MapDiff) -> Self {
        let mut folded = Self {
            members: BTreeMap::new(),
        };
        for change in &diff.changes {
            if let Some(removed) = whole(change) {
                let definition = &change.definition;
                folded
                    .members
                    .insert((removed, definition.path.clone(), definition.name.clone()), 0);
            }
        }
        for change in &diff.changes {
            if let Some(key) = folded.outermost(change)
                && let Some(count) = folded.members.get_mut(&key)
            {
                *count += 1;
            }
        }
        folded
    }

    pub fn is_folded(&self, change: &Change) -> bool {
        self.outermost(change).is_some()
    }

    /// How many members are told with a change.
    pub fn members(&self, change: &Change) -> u32 {
        let definition = &change.definition;
        whole(change)
            .and_then(|removed| {
                self.members
                    .get(&(removed, definition.path.clone(), definition.name.clone()))
                    .copied()
            })
            .unwrap_or(0)
    }

    fn outermost(&self, change: &Change) -> Option<(bool, String, String)> {
        let removed = whole(change)?;
        let definition = &change.definition;
        if definition.kind == DefinitionKind::Test {
            return None;
        }
        let mut found: Option<(bool, String, String)> = None;
        loop {
            let name = found.as_ref().map_or(definition.name.as_str(), |(.., name)| name);
            let mut outer = outer_names(name)
                .into_iter()
                .map(|name| (removed, definition.path.clone(), name));
            match outer.find(|key| self.members.contains_key(key)) {
                Some(key) => found = Some(key),
                None => return found,
            }
        }
    }
}

/// What a name may be a member of, the outermost first: what stands before a
/// `.`, the implementation `A for T` of `<T as A>.f`, the type of an
/// implementation.
fn outer_names(name: &str) -> Vec<String> {
    let mut names: Vec<String> = name
        .match_indices('.')
        .map(|(at, _)| name[..at].to_owned())
        .collect();
    if let Some((outer, _)) = name.rsplit_once('.')
        && let Some(outer) = outer.strip_suffix('>')
        && let Some((module, inside)) = outer.split_once('<')
        && (module.is_empty() || module.ends_with("::"))
    {
        let splits = inside.match_indices(" as ");
        names.extend(splits.map(|(at, word)| {
            let (target, ability) = (&inside[..at], &inside[at + word.len()..]);
            format!("{module}{ability} for {target}")
        }));
    } else if let Some((head, target)) = name.rsplit_once(" for ") {
        let end = head.find('<').unwrap_or(head.len());
        let module = head[..end].rfind("::").map_or("", |at| &head[..at + 2]);
        let target = target.trim_start_matches(['&', ' ']);
        let target = target.strip_prefix("mut ").unwrap_or(target);
        let end = target.find('<').unwrap_or(target.len());
        names.push(format!("{module}{}", &target[..end]));
        names.push(target[..end].to_owned());
    }
    names
}

/// Whether a change removes (`true`) or adds a definition whole.
fn whole(change: &Change) -> Option<bool> {
    match change.details.first()? {
        Detail::Removed => Some(true),
        Detail::Added { .. } => Some(false),
        _ => None,
    }
}

/// The line of a change; with its file if its name is not enough.
fn line(diff: &MapDiff, change: &Change, members: u32, with_file: bool) -> String {
    let definition = &change.definition;
    let word = change.details.first().map_or("", Detail::word);
    let mut line = format!("{word}  {}", plain(&definition.qualified));
    if definition.kind == DefinitionKind::Test {
        line.push_str(" (test)");
    } else if !definition.public {
        line.push_str(" (private)");
    }
    if with_file {
        let _ = write!(line, " in {}", plain(&definition.path));
    }
    if whole(change).is_some() && !definition.signature.is_empty() {
        let _ = write!(line, "  {}", plain(&definition.signature));
    }
    let first = change.details.first().map(detail).filter(|text| !text.is_empty());
    let others = change.details.iter().skip(1).map(|other| match other {
        Detail::Body => other.word().to_owned(),
        Detail::Renamed { .. } | Detail::Moved { .. } => format!("{} {}", other.word(), detail(other)),
        _ => detail(other),
    });
    let said: Vec<String> = first.into_iter().chain(others).collect();
    if !said.is_empty() {
        let _ = write!(line, "  {}", said.join("; "));
    }
    let members = members + change.members;
    if members > 0 {
        let _ = write!(line, "  with {}", counted(u64::from(members), "member"));
    }
    if let Some(reach) = reach(diff, change) {
        let _ = write!(line, "\n  {reach}");
    }
    line
}

/// What a change reaches: tests are counted, other definitions also named, those
/// of the same module without it. Who uses what is new is no news.
fn reach(diff: &MapDiff, change: &Change) -> Option<String> {
    let reach = &change.reach;
    if matches!(change.details.first(), Some(Detail::Added { .. })) {
        return None;
    }
    if reach.cut {
        return Some("reaches: not listed".to_owned());
    }
    if reach.definitions.is_empty() {
        return None;
    }
    let mut line = format!(
        "reaches {}",
        counted(reach.definitions.len() as u64, "definition")
    );
    if !reach.tests.is_empty() {
        let _ = write!(line, ", {}", counted(reach.tests.len() as u64, "test"));
    }
    let others: Vec<u32> = reach
        .definitions
        .iter()
        .copied()
        .filter(|index| reach.tests.binary_search(index).is_err())
        .collect();
    if !others.is_empty() {
        let definition = &change.definition;
        let module = definition
            .qualified
            .strip_suffix(definition.name.as_str())
            .unwrap_or("");
        let _ = write!(line, ": {}", names(diff, &others, module));
    }
    Some(line)
}

/// What a detail says beyond its word.
pub(super) fn detail(detail: &Detail) -> String {
    match detail {
        Detail::Removed | Detail::Body | Detail::LocalNames => String::new(),
        Detail::Signature { old, new, .. } if old == new => {
            format!("{} (what it names or its attributes differ)", plain(new))
        }
        Detail::Signature { old, new, .. } => format!("{}  =>  {}", plain(old), plain(new)),
        Detail::Visibility { old, new, .. } => format!("{} => {}", plain(old), plain(new)),
        Detail::Effects {
            widened,
            narrowed,
            inferred,
        } => {
            let at_least = if *inferred { " (inferred)" } else { "" };
            lists("effects", ("widened", widened), ("narrowed", narrowed)) + at_least
        }
        Detail::Failures { added, removed, .. } => lists("failures", ("added", added), ("removed", removed)),
        Detail::Renamed { from, .. } | Detail::Moved { from, .. } => format!("from {}", plain(from)),
        Detail::Added { effects } if effects.is_empty() => String::new(),
        Detail::Added { effects } => format!("effects: {}", plain(&effects.join(", "))),
    }
}

fn lists(noun: &str, first: (&str, &[String]), second: (&str, &[String])) -> String {
    let lists: Vec<String> = [first, second]
        .into_iter()
        .filter(|(_, items)| !items.is_empty())
        .map(|(verb, items)| format!("{noun} {verb}: {}", plain(&items.join(", "))))
        .collect();
    lists.join("; ")
}

/// The first of some names, without `module` where they start with it.
fn names(diff: &MapDiff, indexes: &[u32], module: &str) -> String {
    let names = diff
        .names(indexes)
        .map(|name| name.strip_prefix(module).unwrap_or(name));
    first_of(names)
}

fn first_of<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let count = names.len();
    // Tests of the module of the one before are named without it.
    let mut module = None;
    let mut short = |name: &'a str| {
        let Some((before, after)) = name.split_once("test:") else {
            return name;
        };
        if module.replace(before) == Some(before) {
            after
        } else {
            name
        }
    };
    let mut list: Vec<String> = names.take(MAX_NAMES).map(|name| plain(short(name))).collect();
    if count > MAX_NAMES {
        list.push(format!("… {} more", count - MAX_NAMES));
    }
    list.join(", ")
}
