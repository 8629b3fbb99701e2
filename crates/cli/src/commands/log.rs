//! `renyi log`: the stored revisions in which a definition changed.

use std::path::PathBuf;

use clap::Args;
use diff::{Change, Detail};
use serde_json::json;
use world::{Leaves, Workspace};

use super::{Context, diff::options, one_definition};
use crate::{
    Verdict,
    output::{BOLD, Output, one_line},
};

/// Follow a definition through the stored revisions, renames included
#[derive(Debug, Args)]
#[command(
    after_help = "Only revisions that are in the store are looked at; index more with\n  \
    renyi index --rev HEAD~200..\n\n\
    Examples:\n  \
    renyi log Flask.wsgi_app\n  \
    renyi log Flask.wsgi_app --from v2.0 --json"
)]
pub struct Log {
    /// A name, or the end of a qualified name
    name: String,

    /// The newest revision to look at, where the name is looked up
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    from: String,

    /// Look at so many revisions at most
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    limit: usize,

    /// The project
    #[arg(long, value_name = "DIR", default_value = ".")]
    path: PathBuf,

    /// Print a JSON line per revision
    #[arg(long)]
    json: bool,
}

/// A revision whose map is stored.
struct Stored {
    commit: String,
    short: String,
    summary: String,
    map: store::Hash,
}

impl Log {
    pub fn run(&self, context: &Context, output: &mut Output) -> anyhow::Result<Verdict> {
        let workspace = context.open(&self.path)?;
        // The newest revision is always looked at, so that a name can be found.
        workspace.index_revision(&self.from, &context.progress())?;
        let history = workspace.history(None, &self.from, self.limit)?;
        let mut stored = Vec::new();
        for commit in history.iter().rev() {
            if let Some(map) = workspace.stored_revision(*commit)? {
                stored.push(Stored {
                    commit: commit.to_string(),
                    short: commit.to_string()[..10].to_owned(),
                    summary: workspace.git()?.commit_summary(*commit),
                    map,
                });
            }
        }
        let Some(newest) = stored.first() else {
            return Ok(Verdict::Done);
        };
        let mut name = self.resolve(&workspace, newest)?;
        let mut ended = false;
        for pair in stored.windows(2) {
            let [new, old] = pair else { continue };
            let found = diff::diff(workspace.store(), &old.map, &new.map, &options())?;
            let Some(change) = found
                .changes
                .iter()
                .find(|change| change.definition.qualified == name)
            else {
                // It may have followed the type or the file it is in.
                if let Some((change, before)) = carried(&found.changes, &name) {
                    self.print(new, old, change, output)?;
                    name = before;
                }
                continue;
            };
            self.print(new, old, change, output)?;
            match &change.old {
                Some(old) => name = old.qualified.clone(),
                None => {
                    ended = true;
                    break;
                }
            }
        }
        if !ended && let Some(oldest) = stored.last() {
            output.remark(format_args!(
                "in the oldest stored revision looked at, {}, as {name}",
                oldest.short
            ));
        }
        if stored.len() < history.len() {
            output.remark(format_args!(
                "{} of {} revisions are stored; a change is listed at the first stored revision that has it",
                stored.len(),
                history.len()
            ));
        }
        Ok(Verdict::Done)
    }

    fn resolve(&self, workspace: &Workspace, newest: &Stored) -> anyhow::Result<String> {
        let leaves = Leaves::read(workspace.store(), &newest.map)?;
        let catalog = leaves.catalog()?;
        let found = one_definition(&catalog, &self.name)?;
        match found[..] {
            [place] => Ok(catalog.qualified(place)),
            _ => anyhow::bail!(
                "`{}` is the id of {} definitions: give a name",
                self.name,
                found.len()
            ),
        }
    }

    fn print(&self, new: &Stored, old: &Stored, change: &Change, output: &mut Output) -> anyhow::Result<()> {
        let what: Vec<String> = change.details.iter().map(describe).collect();
        if self.json {
            return output.line(json!({
                "revision": new.commit,
                "before": old.commit,
                "summary": new.summary,
                "name": change.definition.qualified,
                "old_name": change.old.as_ref().map(|old| &old.qualified),
                "changes": change.details.iter().map(Detail::word).collect::<Vec<_>>(),
                "signature": change.definition.signature,
                "line": change.definition.line,
                "path": change.definition.path,
            }));
        }
        output.line(format_args!(
            "{BOLD}{}{BOLD:#}  {}",
            new.short,
            one_line(&new.summary)
        ))?;
        for line in what {
            output.line(format_args!(
                "  {}  {}",
                one_line(&change.definition.qualified),
                one_line(&line)
            ))?;
        }
        Ok(())
    }
}

/// The change that took a definition along without an entry of its own, and what
/// the definition was called before.
fn carried<'c>(changes: &'c [Change], name: &str) -> Option<(&'c Change, String)> {
    changes.iter().find_map(|change| {
        let old = change.old.as_ref()?;
        let rest = name.strip_prefix(change.definition.qualified.as_str())?;
        let moved = change
            .details
            .iter()
            .any(|detail| matches!(detail, Detail::Renamed { .. } | Detail::Moved { .. }));
        let inside = rest.starts_with(['.', ':', '~']);
        (moved && inside).then(|| (change, format!("{}{rest}", old.qualified)))
    })
}

fn describe(detail: &Detail) -> String {
    match detail {
        Detail::Signature { old, new, .. } => format!("signature `{old}` => `{new}`"),
        Detail::Visibility { old, new, .. } => format!("visibility {old} => {new}"),
        Detail::Effects {
            widened, narrowed, ..
        } => {
            let mut parts = Vec::new();
            if !widened.is_empty() {
                parts.push(format!("effects widened: {}", widened.join(", ")));
            }
            if !narrowed.is_empty() {
                parts.push(format!("effects narrowed: {}", narrowed.join(", ")));
            }
            parts.join("; ")
        }
        Detail::Failures { added, removed, .. } => {
            format!("failures added: {}; removed: {}", list(added), list(removed))
        }
        Detail::Renamed { from, .. } => format!("renamed from {from}"),
        Detail::Moved { from, .. } => format!("moved from {from}"),
        other => other.word().to_owned(),
    }
}

fn list(names: &[String]) -> String {
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}
