//! Markdown for a comment on a pull request.
//!
//! Whatever comes from a source stands in code spans, so that no name mentions
//! a person, opens a tag or breaks a list.

use std::{collections::BTreeMap, fmt::Write};

use super::{Headers, counted, plain, text::Folded};
use crate::model::{Change, Detail, MapDiff};

/// Bytes, and so at most as many characters.
const LIMIT: usize = 59_000;

/// Lists that are longer are folded.
const MAX_OPEN: usize = 10;
const MAX_NAMES: usize = 20;
const MAX_SPAN: usize = 400;

/// A comment of less than 60,000 characters. What did not fit is counted in its
/// last line.
pub fn to_markdown(diff: &MapDiff, headers: &Headers) -> String {
    let mut page = Page::default();
    page.out.push_str(&headline(diff, headers));
    for (title, items) in groups(diff) {
        page.list(title, &items);
    }
    let deprecated: Vec<String> = diff
        .deprecated
        .iter()
        .map(|each| format!("- {}", code(&each.qualified)))
        .collect();
    page.list("Deprecated now", &deprecated);
    let tests: Vec<String> = diff
        .names(&diff.tests)
        .map(|name| format!("- {}", code(name)))
        .collect();
    page.list("Tests to run", &tests);
    if page.cut > 0 {
        let lines = counted(page.cut, "line");
        let _ = writeln!(page.out, "\n_{lines} cut to fit a comment; the JSON has all._");
    }
    page.out
}

#[derive(Default)]
struct Page {
    out: String,
    cut: u64,
}

impl Page {
    /// A titled list, folded if it is long. Items that do not fit are counted.
    fn list(&mut self, title: &str, items: &[String]) {
        if items.is_empty() {
            return;
        }
        let folds = items.len() > MAX_OPEN;
        let _ = match folds {
            true => write!(
                self.out,
                "\n<details><summary>{title} ({})</summary>\n\n",
                items.len()
            ),
            false => write!(self.out, "\n**{title}** ({})\n\n", items.len()),
        };
        for item in items {
            if self.out.len() + item.len() > LIMIT {
                self.cut += 1;
            } else {
                self.out.push_str(item);
                self.out.push('\n');
            }
        }
        if folds {
            self.out.push_str("\n</details>\n");
        }
    }
}

fn headline(diff: &MapDiff, headers: &Headers) -> String {
    let mut out = String::new();
    let own = diff.changes.iter().filter(|change| !change.inherited).count() as u64;
    if diff.is_empty() {
        out.push_str("### No changes in any definition\n");
    } else {
        let _ = writeln!(
            out,
            "### Version bump: {}, {} changed",
            diff.bump.name(),
            counted(own, "definition")
        );
    }
    if !headers.old.revision.is_empty() && !headers.new.revision.is_empty() {
        let (old, new) = (code(&headers.old.revision), code(&headers.new.revision));
        let _ = writeln!(out, "\nFrom {old} to {new}.");
    }
    if let Some(reason) = &diff.reason {
        let alike = match reason.alike {
            0 => String::new(),
            alike => format!(", and {alike} more"),
        };
        let _ = writeln!(out, "\nBecause: {}{alike}.", code(&reason.text));
    }
    let counts = &diff.counts;
    let said: Vec<String> = [
        (counts.removed, "removed"),
        (counts.signature, "signature"),
        (counts.visibility, "visibility"),
        (counts.effects, "effects"),
        (counts.failures, "failures"),
        (counts.renamed, "renamed"),
        (counts.moved, "moved"),
        (counts.added, "added"),
        (counts.body, "body"),
        (counts.reached, "reached"),
        (counts.tests, "tests to run"),
    ]
    .into_iter()
    .filter(|&(count, _)| count > 0)
    .map(|(count, word)| format!("{word} {count}"))
    .collect();
    if !said.is_empty() {
        let _ = writeln!(out, "\n{}", said.join(" · "));
    }
    out
}

fn groups(diff: &MapDiff) -> Vec<(&'static str, Vec<String>)> {
    let titles = [
        ("removed", "Removed"),
        ("signature", "Signature"),
        ("visibility", "Visibility"),
        ("effects", "Effects"),
        ("failures", "Failures"),
        ("renamed", "Renamed"),
        ("moved", "Moved"),
        ("added", "Added"),
        ("body", "Body"),
    ];
    let folded = Folded::new(diff);
    let mut groups: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for change in &diff.changes {
        let Some(first) = change.details.first() else {
            continue;
        };
        let word = if change.inherited {
            "inherited"
        } else {
            first.word()
        };
        if !folded.is_folded(change) {
            let item = item(diff, change, folded.members(change));
            groups.entry(word).or_default().push(item);
        }
    }
    let mut sections: Vec<(&'static str, Vec<String>)> = titles
        .into_iter()
        .map(|(word, title)| (title, groups.remove(word).unwrap_or_default()))
        .collect();
    let inherited = groups.remove("inherited").unwrap_or_default();
    sections.push(("Inherited from what changed", inherited));
    sections
}

fn item(diff: &MapDiff, change: &Change, members: u32) -> String {
    let definition = &change.definition;
    let public = if definition.public { "public " } else { "" };
    let mut item = format!(
        "- {} ({public}{})",
        code(&definition.qualified),
        definition.kind.name()
    );
    let details: Vec<String> = change.details.iter().filter_map(detail).collect();
    if matches!(
        change.details.first(),
        Some(Detail::Added { .. } | Detail::Removed)
    ) && !definition.signature.is_empty()
    {
        let _ = write!(item, ": {}", code(&definition.signature));
    }
    if !details.is_empty() {
        let _ = write!(item, ": {}", details.join("; "));
    }
    let members = members + change.members;
    if members > 0 {
        let _ = write!(item, ", with {}", counted(u64::from(members), "member"));
    }
    let is_new = matches!(change.details.first(), Some(Detail::Added { .. }));
    if !change.inherited && !is_new && !change.reach.definitions.is_empty() {
        let reach = &change.reach;
        let _ = write!(
            item,
            "<br>reaches {}",
            counted(reach.definitions.len() as u64, "definition")
        );
        if !reach.tests.is_empty() {
            let _ = write!(item, ", {}", counted(reach.tests.len() as u64, "test"));
        }
        let shown = &reach.definitions[..reach.definitions.len().min(MAX_NAMES)];
        let names: Vec<String> = diff.names(shown).map(code).collect();
        let _ = write!(item, ": {}", names.join(", "));
        if reach.definitions.len() > MAX_NAMES {
            let _ = write!(item, " and {} more", reach.definitions.len() - MAX_NAMES);
        }
    }
    item
}

fn detail(detail: &Detail) -> Option<String> {
    let all = |items: &[String]| items.iter().map(|item| code(item)).collect::<Vec<_>>().join(", ");
    let said = |parts: [(&str, &[String]); 2]| {
        let parts = parts.into_iter().filter(|(_, items)| !items.is_empty());
        let parts: Vec<String> = parts
            .map(|(words, items)| format!("{words} {}", all(items)))
            .collect();
        parts.join(", ")
    };
    Some(match detail {
        Detail::Removed | Detail::Body | Detail::LocalNames => return None,
        Detail::Added { effects } if effects.is_empty() => return None,
        Detail::Added { effects } => format!("effects {}", all(effects)),
        Detail::Signature { old, new, .. } if old == new => "what the signature names differs".to_owned(),
        Detail::Signature { old, new, .. } => format!("<br>{}<br>{}", code(old), code(new)),
        Detail::Visibility { old, new, .. } => format!("{} to {}", code(old), code(new)),
        Detail::Effects {
            widened,
            narrowed,
            inferred,
        } => {
            let said = said([("effects widened", widened), ("effects narrowed", narrowed)]);
            if *inferred {
                said + " (inferred: at least)"
            } else {
                said
            }
        }
        Detail::Failures { added, removed, .. } => {
            said([("failures added", added), ("failures removed", removed)])
        }
        Detail::Renamed { from, .. } => format!("renamed from {}", code(from)),
        Detail::Moved { from, .. } => format!("moved from {}", code(from)),
    })
}

/// A code span: fenced by more backticks than the text has in a row, and cut if
/// it is very long.
fn code(text: &str) -> String {
    let mut text = plain(text);
    if let Some((at, _)) = text.char_indices().nth(MAX_SPAN) {
        text.truncate(at);
        text.push('…');
    }
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    if longest > 0 || text.is_empty() {
        format!("{fence} {text} {fence}")
    } else {
        format!("{fence}{text}{fence}")
    }
}
