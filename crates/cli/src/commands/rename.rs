//! `renyi rename`: another name for a definition of the Renyi language, wherever it stands.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::bail;
use check::index::{Index, canonical};
use check::project::Files;
use check::rename::{places, renamed};
use check::{Analysis, DefId};
use clap::Args;
use diff::Detail;
use syntax::Severity;
use syntax::report::text_form;

use super::diff::difference;
use super::format::replace;
use super::renyi_files::{Chosen, Disk, chosen};
use super::{Context, renyi_source};
use crate::{Verdict, output::Output};

/// Give a definition of the Renyi language another name, everywhere
#[derive(Debug, Args)]
#[command(
    after_help = "Every reference that resolves to the definition is edited, and nothing else: neither texts nor \
    comments. Nothing is written when the name is taken, when the project has errors, or when the new name \
    would make one. Afterwards the project is compared with what it was: unless the whole difference is one \
    renamed definition, all files are put back.\n\nExamples:\n  renyi rename ledger.amount_of quantity_of\n  \
    renyi rename Order PurchaseOrder --path shop --dry-run"
)]
pub struct Rename {
    /// Its qualified name, or as much of its end as is needed
    definition: String,

    /// The new name, without module and type
    name: String,

    /// The project, a directory
    #[arg(long, value_name = "DIR", default_value = ".")]
    path: PathBuf,

    /// Say what would be edited, and write nothing
    #[arg(long)]
    dry_run: bool,

    /// Print the places as JSON
    #[arg(long)]
    json: bool,
}

/// One file before and after.
struct Edited {
    shown: String,
    path: PathBuf,
    before: String,
    after: String,
    lines: Vec<usize>,
}

impl Rename {
    pub fn run(&self, context: &Context, output: &mut Output) -> anyhow::Result<Verdict> {
        let files = chosen(std::slice::from_ref(&self.path))?;
        let mut projects: BTreeMap<PathBuf, Vec<&Chosen>> = BTreeMap::new();
        for file in &files {
            projects.entry(file.root.clone()).or_default().push(file);
        }
        let mut found: Vec<(PathBuf, Vec<String>, Analysis, DefId, String)> = Vec::new();
        for (root, members) in &projects {
            let mut roots: Vec<String> = Vec::new();
            for member in members {
                renyi_source(&root.join(&member.path))?;
                roots.push(member.path.clone());
            }
            let analysis = Analysis::of(&Disk { root: root.clone() }, &roots);
            let index = Index::of(&analysis);
            let mut here: Vec<(DefId, String)> = matching(&index, &self.definition);
            if let [_] = here[..] {
                let (id, qualified) = here.remove(0);
                found.push((root.clone(), roots, analysis, id, qualified));
            } else if !here.is_empty() {
                let names: Vec<String> = here.into_iter().map(|(_, name)| name).collect();
                bail!(
                    "`{}` names {} definitions:\n  {}",
                    self.definition,
                    names.len(),
                    names.join("\n  ")
                );
            }
        }
        let (root, roots, analysis, id, qualified) = match found.len() {
            1 => found.remove(0),
            0 => bail!("no Renyi definition is named `{}`", self.definition),
            _ => bail!(
                "`{}` names a definition in each of {} projects: say which with --path",
                self.definition,
                found.len()
            ),
        };
        let spans = match places(&analysis, id, &self.name) {
            Ok(spans) => spans,
            Err(refusal) => bail!("{qualified} cannot be called `{}`: {refusal}", self.name),
        };
        let mut edited = Vec::new();
        for (file, spans) in &spans {
            let module = analysis
                .program
                .modules()
                .find(|(_, module)| module.file == *file);
            let Some((_, module)) = module else { continue };
            let before = module.source.to_string();
            let mut after = renamed(&before, spans, &self.name);
            if canonical(&before).as_deref() == Some(&before)
                && let Some(formatted) = canonical(&after)
            {
                after = formatted;
            }
            let lines = syntax::report::Lines::new(&before);
            let lines = spans.iter().map(|span| lines.position(span.start).line).collect();
            let path = root.join(&**file);
            let shown = files
                .iter()
                .find(|chosen| chosen.root == root && chosen.path == **file)
                .map_or_else(|| path.display().to_string(), |chosen| chosen.shown.clone());
            edited.push(Edited {
                shown,
                path,
                before,
                after,
                lines,
            });
        }
        self.check(&root, &roots, &edited, &qualified)?;
        if !self.dry_run {
            self.write(context, &edited, &qualified)?;
        }
        self.tell(&qualified, &edited, output)?;
        Ok(Verdict::Done)
    }

    /// The project checks clean with the new texts.
    fn check(&self, root: &Path, roots: &[String], edited: &[Edited], qualified: &str) -> anyhow::Result<()> {
        struct Over<'a> {
            disk: Disk,
            edited: &'a [Edited],
        }
        impl Files for Over<'_> {
            fn read(&self, path: &str) -> Option<Vec<u8>> {
                let whole = self.disk.root.join(path);
                match self.edited.iter().find(|edited| edited.path == whole) {
                    Some(edited) => Some(edited.after.clone().into_bytes()),
                    None => self.disk.read(path),
                }
            }
        }
        let files = Over {
            disk: Disk {
                root: root.to_owned(),
            },
            edited,
        };
        let analysis = Analysis::of(&files, roots);
        let mut told = String::new();
        for &id in &analysis.sources.roots {
            let mut diagnostics = analysis.diagnostics(id);
            diagnostics.retain(|diagnostic| diagnostic.severity() == Severity::Error);
            let module = analysis.program.module(id);
            told += &text_form(&module.file, &module.source, &diagnostics, false);
        }
        if !told.is_empty() {
            bail!(
                "{qualified} cannot be called `{}`: the project would not check; nothing was written\n{}",
                self.name,
                told.trim_end()
            );
        }
        Ok(())
    }

    /// Writes all files, and puts them back unless the difference is one renamed definition.
    fn write(&self, context: &Context, edited: &[Edited], qualified: &str) -> anyhow::Result<()> {
        let workspace = context.open(&self.path)?;
        let progress = context.progress();
        let before = workspace.working_tree(&progress)?;
        let restore = |count: usize| -> anyhow::Result<()> {
            for file in &edited[..count] {
                replace(&file.path, file.before.as_bytes())?;
            }
            Ok(())
        };
        for (position, file) in edited.iter().enumerate() {
            if let Err(error) = replace(&file.path, file.after.as_bytes()) {
                restore(position)?;
                return Err(error);
            }
        }
        let compared = workspace
            .working_tree(&progress)
            .map_err(anyhow::Error::from)
            .and_then(|after| difference(&workspace, &before, &after));
        let problem = match compared {
            Ok(found) => match &found.changes[..] {
                [only] if matches!(only.details[..], [Detail::Renamed { .. }]) => return Ok(()),
                [] => "its file is not part of the map".to_owned(),
                changes => {
                    let names: Vec<String> = changes
                        .iter()
                        .map(|change| {
                            let words: Vec<&str> = change.details.iter().map(Detail::word).collect();
                            format!("{} ({})", change.definition.qualified, words.join(", "))
                        })
                        .collect();
                    format!("expected one renamed definition, found {}", names.join("; "))
                }
            },
            Err(error) => error.to_string(),
        };
        restore(edited.len())?;
        bail!("{qualified} was not renamed, all files are as they were: {problem}")
    }

    fn tell(&self, qualified: &str, edited: &[Edited], output: &mut Output) -> anyhow::Result<()> {
        if self.json {
            let files: Vec<serde_json::Value> = edited
                .iter()
                .map(|file| serde_json::json!({ "file": file.shown, "lines": file.lines }))
                .collect();
            return output.json(&serde_json::json!({
                "definition": qualified,
                "name": self.name,
                "written": !self.dry_run,
                "files": files,
            }));
        }
        let places: usize = edited.iter().map(|file| file.lines.len()).sum();
        let verb = if self.dry_run { "would rename" } else { "renamed" };
        output.line(format_args!(
            "{verb} {qualified} to {}: {places} {} in {}",
            self.name,
            if places == 1 { "place" } else { "places" },
            match edited.len() {
                1 => "1 file".to_owned(),
                count => format!("{count} files"),
            }
        ))?;
        for file in edited {
            let lines: Vec<String> = file.lines.iter().map(ToString::to_string).collect();
            output.line(format_args!("  {}: lines {}", file.shown, lines.join(", ")))?;
        }
        Ok(())
    }
}

/// Definitions of that qualified name, else of that name in their module, else whose
/// qualified name ends so after a dot.
fn matching(index: &Index, query: &str) -> Vec<(DefId, String)> {
    let all = |fits: &dyn Fn(&str, &str) -> bool| -> Vec<(DefId, String)> {
        index
            .definitions
            .iter()
            .filter(|record| fits(&record.qualified, &record.name))
            .map(|record| (record.id, record.qualified.clone()))
            .collect()
    };
    let exact = all(&|qualified, _| qualified == query);
    if !exact.is_empty() {
        return exact;
    }
    let named = all(&|_, name| name == query);
    if !named.is_empty() {
        return named;
    }
    let ending: Arc<str> = format!(".{query}").into();
    all(&|qualified, _| qualified.ends_with(&*ending))
}
