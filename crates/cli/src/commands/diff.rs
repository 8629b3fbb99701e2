//! `renyi diff`: what changed between two bases, by definition.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use clap::Args;
use diff::{
    Change, Detail, MapDiff, Options,
    render::{Header, Headers, specified_json, specified_text, to_json, to_markdown, to_text},
};
use polyglot::renyi::RENYI;
use serde_json::json;
use world::{Base, CONFIGURATION, Leaves, Overlay, Workspace};

use super::{Context, TOOLCHAIN, problems, project_name, report};
use crate::{Verdict, output::Output};

/// Compare two bases by definition: changes, reach, version bump
#[derive(Debug, Args)]
#[command(
    after_help = "A base is a directory, a git revision, a name in the store, the first digits of a map's hash, or a map\n\
    saved by `renyi index --json`; the prefixes path:, git:, ref:, map: and json: ask for one of these.\n\n\
    Examples:\n  \
    renyi diff HEAD                    uncommitted edits\n  \
    renyi diff v1.0 v2.0               two releases\n  \
    renyi diff main.json --markdown    against a map that CI kept\n\n\
    Exit codes: 0 no definition changed, 1 some did, 2 trouble."
)]
pub struct Diff {
    /// What to compare with
    base: String,

    /// What to compare; the working tree if it is not given
    new: Option<String>,

    /// The project
    #[arg(long, value_name = "DIR", default_value = ".")]
    path: PathBuf,

    /// Print as JSON
    #[arg(long, conflicts_with = "markdown")]
    json: bool,

    /// Print as Markdown, fit for a pull request comment
    #[arg(long)]
    markdown: bool,
}

/// How a diff is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    Text,
    Json,
    Markdown,
}

impl Style {
    pub fn json_if(json: bool) -> Self {
        if json { Style::Json } else { Style::Text }
    }
}

impl Diff {
    pub fn run(&self, context: &Context, output: &mut Output) -> anyhow::Result<Verdict> {
        let style = if self.markdown {
            Style::Markdown
        } else {
            Style::json_if(self.json)
        };
        compare(
            context,
            output,
            &self.path,
            &self.base,
            self.new.as_deref(),
            style,
            false,
        )
    }
}

/// Compares two bases of the project at a path and prints what changed; if `specified` and both are
/// of the Renyi language alone, in the forms of the language's description.
pub fn compare(
    context: &Context,
    output: &mut Output,
    path: &Path,
    old: &str,
    new: Option<&str>,
    style: Style,
    specified: bool,
) -> anyhow::Result<Verdict> {
    let workspace = context.open(path)?;
    let progress = context.progress();
    let old = workspace.base(old, &progress)?;
    let new = match new {
        Some(new) => workspace.base(new, &progress)?,
        None if path.is_file() => workspace.base(&format!("path:{}", path.display()), &progress)?,
        None => workspace.working_tree(&progress)?,
    };
    let found = difference(&workspace, &old, &new)?;
    let header = |base: &Base| Header {
        project: project_name(workspace.root()),
        revision: base.label.clone(),
        toolchain: TOOLCHAIN.to_owned(),
    };
    let headers = Headers {
        old: header(&old),
        new: header(&new),
    };
    let specified = if specified {
        RenyiMaps::of(&workspace, &old, &new)?
    } else {
        None
    };
    if let Some(maps) = specified {
        let reaches = |change: &Change| maps.reaches(change);
        match style {
            Style::Json => output.json(&specified_json(&found, &headers, &reaches))?,
            _ => output.raw(specified_text(&found, &headers, &reaches).as_bytes())?,
        }
        let mut verdict = Verdict::Done;
        for indexed in [old.indexed, new.indexed].into_iter().flatten() {
            if report(&indexed, output) == Verdict::Different {
                verdict = Verdict::Different;
            }
        }
        return Ok(verdict);
    }
    match style {
        Style::Text => output.raw(to_text(&found, &headers).as_bytes())?,
        Style::Json => {
            let mut document = to_json(&found, &headers);
            for (side, base) in [("old", &old), ("new", &new)] {
                document[side]["problems"] = base.indexed.as_ref().map_or_else(|| json!([]), problems);
            }
            output.json(&document)?;
        }
        Style::Markdown => output.raw(to_markdown(&found, &headers).as_bytes())?,
    }
    let mut verdict = if found.is_empty() {
        Verdict::Done
    } else {
        Verdict::Different
    };
    for indexed in [old.indexed, new.indexed].into_iter().flatten() {
        if report(&indexed, output) == Verdict::Different {
            verdict = Verdict::Different;
        }
    }
    Ok(verdict)
}

/// Who refers to whom in two maps of Renyi projects, by qualified name.
struct RenyiMaps {
    old: HashMap<String, Vec<String>>,
    new: HashMap<String, Vec<String>>,
}

impl RenyiMaps {
    /// None if another language is in one of the maps.
    fn of(workspace: &Workspace, old: &Base, new: &Base) -> anyhow::Result<Option<Self>> {
        let objects = Overlay {
            store: workspace.store(),
            extra: vec![&old.extra, &new.extra],
        };
        let mut sides = Vec::with_capacity(2);
        for base in [old, new] {
            let leaves = Leaves::read(&objects, &base.map)?;
            let catalog = leaves.catalog()?;
            let languages = catalog.leaves().iter().map(|leaf| &*leaf.language);
            if languages
                .clone()
                .any(|language| language != RENYI && language != CONFIGURATION)
            {
                return Ok(None);
            }
            let mut referrers: HashMap<String, Vec<String>> = HashMap::new();
            for (place, found) in catalog.referrers() {
                let names = found.iter().map(|(referrer, _)| catalog.qualified(*referrer));
                referrers
                    .entry(catalog.qualified(place))
                    .or_default()
                    .extend(names);
            }
            sides.push(referrers);
        }
        let (Some(new), Some(old)) = (sides.pop(), sides.pop()) else {
            return Ok(None);
        };
        Ok(Some(Self { old, new }))
    }

    /// All that refers to a definition, at any remove; what was removed is looked up in the old map.
    fn reaches(&self, change: &Change) -> Vec<String> {
        let removed = change.details.contains(&Detail::Removed);
        let side = if removed { &self.old } else { &self.new };
        let start = &change.definition.qualified;
        let mut reached: BTreeSet<&String> = BTreeSet::new();
        let mut open = vec![start];
        while let Some(next) = open.pop() {
            for referrer in side.get(next).into_iter().flatten() {
                if referrer != start && reached.insert(referrer) {
                    open.push(referrer);
                }
            }
        }
        reached.into_iter().cloned().collect()
    }
}

/// What changed between two bases.
pub fn difference(workspace: &Workspace, old: &Base, new: &Base) -> anyhow::Result<MapDiff> {
    let objects = Overlay {
        store: workspace.store(),
        extra: vec![&old.extra, &new.extra],
    };
    Ok(diff::diff(&objects, &old.map, &new.map, &options())?)
}

/// How names are joined in each language, and which of them declare effects.
pub fn options() -> Options {
    Options {
        separator: world::separator,
        ..Options::default()
    }
}
