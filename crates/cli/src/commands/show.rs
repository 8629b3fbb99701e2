//! `renyi show`: one definition, verbatim, with its record and its neighbours.

use std::path::PathBuf;

use clap::Args;
use map::{DefinitionKind, manifest::Visibility};
use serde_json::json;
use store::{Kind, Objects};
use world::{
    Catalog, Leaves, Overlay, Place,
    saved::{self, capability_names},
};

use super::{Context, one_definition, report};
use crate::{
    Verdict,
    output::{BOLD, DIM, Output, one_line, safe},
};

/// Show a definition: its text, record, callers, callees and tests
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    renyi show Flask.wsgi_app\n  \
    renyi show flask.app.Flask.wsgi_app --base v2.0\n  \
    renyi show b3:3f9c2a --json")]
pub struct Show {
    /// A name, the end of a qualified name, or an id's first digits after b3:
    name: String,

    /// In this map instead of the working tree's
    #[arg(long, value_name = "BASE")]
    base: Option<String>,

    /// The project
    #[arg(long, value_name = "DIR", default_value = ".")]
    path: PathBuf,

    /// Print as JSON, with the text
    #[arg(long)]
    json: bool,
}

/// Neighbours listed in the text form; JSON has them all.
const MOST: usize = 20;

impl Show {
    pub fn run(&self, context: &Context, output: &mut Output) -> anyhow::Result<Verdict> {
        let workspace = context.open(&self.path)?;
        let progress = context.progress();
        let base = match &self.base {
            Some(base) => workspace.base(base, &progress)?,
            None => workspace.working_tree(&progress)?,
        };
        let objects = Overlay {
            store: workspace.store(),
            extra: vec![&base.extra],
        };
        let leaves = Leaves::read(&objects, &base.map)?;
        let catalog = leaves.catalog()?;
        let found = one_definition(&catalog, &self.name)?;
        let referrers = catalog.referrers();
        let mut records = Vec::new();
        for &place in &found {
            let referring = referrers.get(&place).map_or(&[][..], |referrers| referrers);
            let shown = Shown::new(&catalog, &objects, place, referring)?;
            if self.json {
                records.push(shown.json()?);
            } else {
                shown.print(output)?;
            }
        }
        if self.json {
            output.json(&if records.len() == 1 {
                records.remove(0)
            } else {
                json!(records)
            })?;
        }
        Ok(base
            .indexed
            .map_or(Verdict::Done, |indexed| report(&indexed, output)))
    }
}

struct Shown<'a> {
    catalog: &'a Catalog<'a>,
    place: Place,
    detail: world::Detail,
    referrers: &'a [(Place, bool)],
    text: Option<String>,
}

impl<'a> Shown<'a> {
    fn new(
        catalog: &'a Catalog<'a>,
        objects: &Overlay<'_>,
        place: Place,
        referrers: &'a [(Place, bool)],
    ) -> anyhow::Result<Self> {
        let source = objects.get(Kind::Source, &catalog.leaf(place).source)?;
        let location = catalog.entry(place).location;
        let text = source.and_then(|source| {
            let piece = source
                .identity
                .get(location.start as usize..location.end as usize)?;
            Some(String::from_utf8_lossy(piece).into_owned())
        });
        Ok(Self {
            catalog,
            place,
            detail: catalog.detail(objects, place)?,
            referrers,
            text,
        })
    }

    fn json(&self) -> anyhow::Result<serde_json::Value> {
        let mut record = saved::record(self.catalog, self.place, &self.detail, self.referrers);
        record["callers"] = json!(self.names(true));
        record["users"] = json!(self.names(false));
        record["possible_callers"] = json!(self.mentions());
        record["text"] = json!(self.text);
        Ok(record)
    }

    /// Who refers to it for certain, by a call or otherwise.
    fn names(&self, call: bool) -> Vec<String> {
        let mut names: Vec<String> = self
            .referrers
            .iter()
            .filter(|(_, by_call)| *by_call == call)
            .map(|(place, _)| self.catalog.qualified(*place))
            .collect();
        names.sort();
        names
    }

    /// Who mentions a name like it, so that one cannot be sure.
    fn mentions(&self) -> Vec<String> {
        let name = &self.catalog.entry(self.place).name;
        let mut names: Vec<String> = self
            .catalog
            .mentions(name)
            .into_iter()
            .filter(|&place| place != self.place)
            .map(|place| self.catalog.qualified(place))
            .collect();
        names.sort();
        names
    }

    fn print(&self, output: &mut Output) -> anyhow::Result<()> {
        let entry = self.catalog.entry(self.place);
        let leaf = self.catalog.leaf(self.place);
        let visibility = match entry.visibility {
            Visibility::Private => "private",
            Visibility::Restricted if entry.spelling.is_empty() => "restricted",
            Visibility::Restricted => &entry.spelling,
            Visibility::Public => "public",
        };
        output.line(format_args!(
            "{BOLD}{}{BOLD:#}  {visibility} {}  {}:{}-{}",
            one_line(&self.catalog.qualified(self.place)),
            entry.kind.name(),
            one_line(&leaf.path),
            entry.location.first_line,
            entry.location.last_line
        ))?;
        output.line(format_args!(
            "{DIM}id {}  text b3:{}{DIM:#}",
            entry.id, self.detail.text_hash
        ))?;
        let metrics = self
            .detail
            .record
            .as_ref()
            .map(|record| record.metrics)
            .unwrap_or_default();
        output.line(format_args!(
            "lines {}, depth {}, branches {}",
            entry.lines, metrics.depth, metrics.branches
        ))?;
        let effects = capability_names(entry.effects.capabilities);
        if !effects.is_empty() {
            output.line(format_args!(
                "effects (inferred, at least): {}",
                effects.join(", ")
            ))?;
        }
        if !entry.failures.is_empty() {
            output.line(format_args!("fails: {}", one_line(&entry.failures.join(", "))))?;
        }
        let tests: Vec<String> = self
            .referrers
            .iter()
            .filter(|(place, _)| self.catalog.entry(*place).kind == DefinitionKind::Test)
            .map(|(place, _)| self.catalog.qualified(*place))
            .collect();
        let certain = [
            ("calls", self.catalog.edges(self.place, &entry.calls)),
            ("uses", self.catalog.edges(self.place, &entry.uses)),
            ("library", self.detail.libraries.clone()),
            ("called by", self.names(true)),
            ("used by", self.names(false)),
            ("tests", tests),
        ];
        for (title, names) in certain {
            print_names(output, title, &names)?;
        }
        print_names(output, "perhaps called by (known by name only)", &self.mentions())?;
        output.line("")?;
        match &self.text {
            Some(text) => output.line(safe(text)),
            None => output.line("(the source is not in the store)"),
        }
    }
}

fn print_names(output: &mut Output, title: &str, names: &[String]) -> anyhow::Result<()> {
    let mut names: Vec<&String> = names.iter().collect();
    names.dedup();
    if names.is_empty() {
        return Ok(());
    }
    let shown: Vec<String> = names.iter().take(MOST).map(|name| one_line(name)).collect();
    let rest = if names.len() > MOST {
        format!(" and {} more (--json lists all)", names.len() - MOST)
    } else {
        String::new()
    };
    output.line(format_args!(
        "{title} {}: {}{rest}",
        names.len(),
        shown.join(", ")
    ))
}
