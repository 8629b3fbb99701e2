//! `renyi index`: make and store the map of a project.

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::bail;
use check::index::figures::{figures, over_budget, table};
use check::index::{DefinitionRecord, ModuleRecord};
use clap::Args;
use map::{Capabilities, DefinitionKind, manifest::Visibility};
use rayon::prelude::*;
use world::{
    CONFIGURATION, Catalog, Detail, Indexed, Leaves, Place, Workspace,
    renyi::Records,
    saved::{self, Header, capability_names},
};

use super::{Context, TOOLCHAIN, diff, problems, project_name, report};
use crate::{
    Verdict,
    output::{BOLD, Output, one_line},
};

/// Map a project: every definition with its identity, kept in the store
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    renyi index                     the working tree here\n  \
    renyi index src/app.py          one file with all it refers to\n  \
    renyi index --rev v2.1 --json   a revision, without a checkout\n  \
    renyi index --rev HEAD~200..    every revision of a range\n  \
    renyi index --diff HEAD         what uncommitted edits changed\n  \
    renyi index --budgets           Renyi modules and definitions over their budgets\n  \
    renyi index --figures examples  how public names, effects, fan-out, lines, … of Renyi code are spread")]
pub struct Index {
    /// A directory, or one source file with all it refers to
    #[arg(default_value = ".")]
    path: PathBuf,

    /// Index a git revision, or every first-parent revision of a range A..B (without A: of all history)
    #[arg(long, value_name = "REV")]
    rev: Option<String>,

    /// At most so many revisions of a range, the newest
    #[arg(long, value_name = "N", default_value_t = 1000, requires = "rev")]
    limit: usize,

    /// Compare with a base instead of printing the map
    #[arg(long, value_name = "BASE", conflicts_with = "rev")]
    diff: Option<String>,

    /// Print the map as JSON: a base for later diffs
    #[arg(long, conflicts_with = "summary")]
    json: bool,

    /// Print totals instead of a line per definition
    #[arg(long)]
    summary: bool,

    /// Print which Renyi modules and definitions are over their budgets (renyi.json may set them)
    #[arg(long, conflicts_with_all = ["json", "summary", "diff", "figures"])]
    budgets: bool,

    /// Print the median, 90th percentile and maximum of each measure of Renyi code
    #[arg(long, conflicts_with_all = ["summary", "diff"])]
    figures: bool,

    /// Print the map's hash and nothing else
    #[arg(long, conflicts_with_all = ["json", "summary", "diff", "budgets", "figures"])]
    hash: bool,
}

impl Index {
    pub fn run(&self, context: &Context, output: &mut Output) -> anyhow::Result<Verdict> {
        if let Some(base) = &self.diff {
            return diff::compare(
                context,
                output,
                &self.path,
                base,
                None,
                diff::Style::json_if(self.json),
                true,
            );
        }
        let started = Instant::now();
        let workspace = context.open(&self.path)?;
        let progress = context.progress();
        if let Some((from, to)) = self.rev.as_deref().and_then(|rev| rev.split_once("..")) {
            return self.history(&workspace, from, to, context, output);
        }
        let indexed = match &self.rev {
            Some(revision) => workspace.index_revision(revision, &progress)?,
            None if self.path.is_file() => workspace.index_file(&self.path, &progress)?,
            None => workspace.index(&progress)?,
        };
        let took = started.elapsed();
        let header = header(&workspace, &indexed, &self.path);
        if self.budgets || self.figures {
            let leaves = Leaves::read(workspace.store(), &indexed.map)?;
            let records = Records::of(workspace.store(), &leaves.catalog()?, workspace.root())?;
            if records.is_empty() {
                bail!("{}: there is no Renyi file here", self.path.display());
            }
            if self.figures {
                self.print_figures(&records, output)?;
            } else {
                budgets(&records, output)?;
            }
        } else if self.json {
            let mut document = saved::document(workspace.store(), &indexed.map, &indexed.root, &header)?;
            document["problems"] = problems(&indexed);
            output.json(&document)?;
        } else if self.hash {
            output.line(format_args!("b3:{}", indexed.map))?;
        } else {
            let leaves = Leaves::read(workspace.store(), &indexed.map)?;
            let catalog = leaves.catalog()?;
            if self.summary {
                summary(&catalog, &indexed, output)?;
            } else {
                text(&catalog, &workspace, &header, output)?;
            }
        }
        let counts = indexed.root.tree.counts;
        output.remark(format_args!(
            "{} files, {} definitions, {} errors in {:.2} s; {} files read, {} objects ({} bytes) new; map b3:{}",
            indexed.files,
            counts.definitions,
            counts.errors,
            took.as_secs_f64(),
            indexed.read,
            indexed.objects_written,
            indexed.bytes_written,
            &indexed.map.to_hex()[..16],
        ));
        if counts.definitions == 0 {
            output.warning(match indexed.files {
                0 => "no definition was found: no file here is in a language that is read",
                _ => "no definition was found in these files",
            });
        }
        Ok(report(&indexed, output))
    }

    fn print_figures(&self, records: &Records, output: &mut Output) -> anyhow::Result<()> {
        let found = figures(records.projects.iter().map(|(_, _, index)| index));
        if self.json {
            let rows: Vec<serde_json::Value> = found
                .iter()
                .map(|figure| {
                    serde_json::json!({
                        "measure": figure.what,
                        "median": figure.median,
                        "ninetieth": figure.ninetieth,
                        "maximum": figure.maximum,
                        "owner": figure.owner,
                        "count": figure.count,
                    })
                })
                .collect();
            return output.json(&rows.into());
        }
        output.raw(table(&found).as_bytes())
    }

    fn history(
        &self,
        workspace: &Workspace,
        from: &str,
        to: &str,
        context: &Context,
        output: &mut Output,
    ) -> anyhow::Result<Verdict> {
        let to = if to.is_empty() { "HEAD" } else { to };
        let from = (!from.is_empty()).then_some(from);
        let commits = workspace.history(from, to, self.limit)?;
        if commits.is_empty() {
            bail!(
                "no revision lies between {} and {to}",
                from.unwrap_or("the beginning")
            );
        }
        let mut verdict = Verdict::Done;
        for indexed in workspace.index_history(&commits, &context.progress())? {
            let Some(commit) = indexed.revision else { continue };
            let counts = indexed.root.tree.counts;
            if self.json {
                output.line(serde_json::json!({
                    "revision": commit.to_string(),
                    "map": format!("b3:{}", indexed.map),
                    "modules": counts.modules,
                    "definitions": counts.definitions,
                    "errors": counts.errors,
                }))?;
            } else {
                output.line(format_args!(
                    "{}  b3:{}  {} definitions  {}",
                    &commit.to_string()[..10],
                    &indexed.map.to_hex()[..16],
                    counts.definitions,
                    one_line(&workspace.git()?.commit_summary(commit)),
                ))?;
            }
            if report(&indexed, output) == Verdict::Different {
                verdict = Verdict::Different;
            }
        }
        Ok(verdict)
    }
}

/// Where a map came from, for its header.
fn header(workspace: &Workspace, indexed: &Indexed, path: &Path) -> Header {
    let stem = path.file_stem().filter(|_| path.is_file());
    Header {
        project: stem.map_or_else(
            || project_name(workspace.root()),
            |stem| stem.to_string_lossy().into_owned(),
        ),
        revision: indexed
            .revision
            .map_or("unknown".to_owned(), |commit| commit.to_string()[..10].to_owned()),
        toolchain: TOOLCHAIN.to_owned(),
        place: workspace.root().to_owned(),
    }
}

/// What is over budget, a line each.
fn budgets(records: &Records, output: &mut Output) -> anyhow::Result<()> {
    let mut lines = Vec::new();
    for (_, analysis, index) in &records.projects {
        lines.extend(over_budget(index, &analysis.sources.manifest.budgets));
    }
    if lines.is_empty() {
        return output.line("nothing over budget");
    }
    for line in lines {
        output.line(one_line(&line))?;
    }
    Ok(())
}

fn summary(catalog: &Catalog<'_>, indexed: &Indexed, output: &mut Output) -> anyhow::Result<()> {
    let counts = indexed.root.tree.counts;
    output.line(format_args!("{BOLD}map b3:{}{BOLD:#}", indexed.map))?;
    let mut languages = std::collections::BTreeMap::<&str, (usize, usize, u64)>::new();
    for leaf in catalog
        .leaves()
        .iter()
        .filter(|leaf| leaf.language != CONFIGURATION)
    {
        let language = languages.entry(&leaf.language).or_default();
        language.0 += 1;
        language.1 += leaf.entries.len();
        language.2 += u64::from(leaf.lines);
    }
    for (language, (files, definitions, lines)) in languages {
        output.line(format_args!(
            "{language}: {files} files, {lines} lines, {definitions} definitions"
        ))?;
    }
    let kinds: Vec<String> = catalog
        .kinds()
        .into_iter()
        .map(|(kind, count)| format!("{count} {}", plural(kind, count)))
        .collect();
    if !kinds.is_empty() {
        output.line(kinds.join(", "))?;
    }
    let public = catalog
        .places()
        .filter(|&place| catalog.entry(place).visibility == Visibility::Public)
        .count();
    let mut effects = Capabilities::EMPTY;
    let (mut edges, mut mentions) = (0, 0);
    for place in catalog.places() {
        let entry = catalog.entry(place);
        effects = effects.union(entry.effects.capabilities);
        edges += entry.calls.len() + entry.uses.len();
        mentions += entry.unresolved.len();
    }
    output.line(format_args!(
        "{public} public; {edges} certain edges, {mentions} known by name only; inferred effects: {}",
        list(&capability_names(effects))
    ))?;
    if counts.errors > 0 {
        output.line(format_args!("{} errors in:", counts.errors))?;
        for leaf in catalog.leaves().iter().filter(|leaf| leaf.errors > 0).take(20) {
            output.line(format_args!("  {}: {}", leaf.path, leaf.errors))?;
        }
    }
    Ok(())
}

fn plural(kind: DefinitionKind, count: usize) -> String {
    match count {
        1 => kind.name().to_owned(),
        _ => match kind.name().strip_suffix('y') {
            Some(stem) => format!("{stem}ies"),
            None => format!("{}s", kind.name()),
        },
    }
}

fn list(names: &[&str]) -> String {
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}

/// The text form: a line per module and per definition.
fn text(
    catalog: &Catalog<'_>,
    workspace: &Workspace,
    header: &Header,
    output: &mut Output,
) -> anyhow::Result<()> {
    let places: Vec<Place> = catalog.places().collect();
    let objects = workspace.store();
    let details: Vec<Detail> = places
        .par_iter()
        .map(|&place| catalog.detail(objects, place))
        .collect::<Result<_, _>>()?;
    let referrers = catalog.referrers();
    let records = Records::of(objects, catalog, workspace.root())?;
    let modules = catalog
        .leaves()
        .iter()
        .filter(|leaf| leaf.language != CONFIGURATION)
        .count();
    output.line(format_args!(
        "project {}  revision {}  toolchain {}",
        header.project, header.revision, header.toolchain
    ))?;
    output.line(format_args!("{modules} modules, {} definitions", places.len()))?;
    let mut at = 0;
    for (index, leaf) in catalog.leaves().iter().enumerate() {
        if leaf.language == CONFIGURATION {
            continue;
        }
        let here = places[at..]
            .iter()
            .take_while(|place| place.leaf == index)
            .count();
        let entries = &places[at..at + here];
        if let Some((module, definitions)) = records.module(&leaf.path) {
            let canonical = records.is_canonical(&leaf.path);
            checked_module(&leaf.path, module, definitions, canonical, output)?;
            at += here;
            continue;
        }
        let public = entries
            .iter()
            .filter(|&&place| catalog.entry(place).visibility == Visibility::Public)
            .count();
        let mut effects = Capabilities::EMPTY;
        for &place in entries {
            effects = effects.union(catalog.entry(place).effects.capabilities);
        }
        let errors = if leaf.errors > 0 {
            format!("  errors: {}", leaf.errors)
        } else {
            String::new()
        };
        output.line("")?;
        output.line(format_args!(
            "{BOLD}module {}{BOLD:#}  {}  {here} definitions ({public} public)  {} lines  inferred effects: {}{errors}",
            one_line(&leaf.module),
            one_line(&leaf.path),
            leaf.lines,
            list(&capability_names(effects)),
        ))?;
        for (place, detail) in entries.iter().zip(&details[at..at + here]) {
            definition(catalog, *place, detail, &referrers, output)?;
        }
        at += here;
    }
    Ok(())
}

/// A Renyi module (10.5 of the language).
fn checked_module(
    path: &str,
    module: &ModuleRecord,
    definitions: &[DefinitionRecord],
    canonical: bool,
    output: &mut Output,
) -> anyhow::Result<()> {
    let joined = |list: &[String]| {
        if list.is_empty() {
            "none".to_owned()
        } else {
            list.join(", ")
        }
    };
    let package = module
        .package
        .as_ref()
        .map(|package| format!("  package: {package}"));
    let errors = (module.errors > 0).then(|| format!("  errors: {}", module.errors));
    output.line("")?;
    output.line(format_args!(
        "{BOLD}module {}{BOLD:#}  {}  {} definitions ({} public)  {} lines  effects: {}{}{}{}",
        one_line(&module.name),
        one_line(path),
        definitions.len(),
        module.public,
        module.lines,
        joined(&module.effects),
        package.unwrap_or_default(),
        errors.unwrap_or_default(),
        if canonical {
            ""
        } else {
            "  (not in canonical layout)"
        },
    ))?;
    for record in definitions {
        let metrics = record.metrics;
        output.line(format_args!(
            "  {:<14} {}  {}  effects: {}  lines={} depth={} branches={} effects={} fan_in={} fan_out={} library_calls={}",
            record.kind.name(),
            one_line(&record.qualified),
            one_line(&record.signature),
            joined(&record.effects.transitive),
            metrics.lines,
            metrics.depth,
            metrics.branches,
            metrics.effects,
            metrics.fan_in,
            metrics.fan_out,
            metrics.library_calls,
        ))?;
    }
    Ok(())
}

fn definition(
    catalog: &Catalog<'_>,
    place: Place,
    detail: &Detail,
    referrers: &std::collections::BTreeMap<Place, Vec<(Place, bool)>>,
    output: &mut Output,
) -> anyhow::Result<()> {
    let entry = catalog.entry(place);
    let metrics = detail
        .record
        .as_ref()
        .map(|record| record.metrics)
        .unwrap_or_default();
    let mut referring: Vec<Place> = referrers
        .get(&place)
        .into_iter()
        .flatten()
        .map(|(place, _)| *place)
        .collect();
    referring.sort();
    referring.dedup();
    let effects = capability_names(entry.effects.capabilities);
    output.line(format_args!(
        "  {:<14} {}  {}  inferred effects: {}  lines={} depth={} branches={} effects={} fan_in={} fan_out={} library_calls={}",
        entry.kind.name(),
        one_line(&catalog.qualified(place)),
        one_line(&entry.signature),
        list(&effects),
        entry.lines,
        metrics.depth,
        metrics.branches,
        effects.len(),
        referring.iter().filter(|&&other| other != place).count(),
        entry.calls.len() + entry.uses.len(),
        detail.libraries.len(),
    ))
}
