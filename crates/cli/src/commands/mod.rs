//! The commands, a file each.

pub mod check;
pub mod completions;
pub mod diff;
pub mod format;
pub mod frozen;
pub mod index;
pub mod log;
pub mod parse;
pub mod rename;
pub mod renyi_files;
pub mod show;
pub mod store;
pub mod tokens;
pub mod tools;

use std::{
    io::IsTerminal,
    path::{Path, PathBuf},
};

use anyhow::bail;
use indicatif::ProgressDrawTarget;
use world::{Catalog, Indexed, Place, Workspace, project_of};

use crate::{
    Verdict,
    output::{Bar, Output},
};

/// What every command is given.
pub struct Context {
    pub store: Option<PathBuf>,
    pub quiet: bool,
}

impl Context {
    pub fn progress(&self) -> Bar {
        Bar::new(self.quiet)
    }

    /// A bar over bytes, hidden when nobody looks.
    pub fn bytes_bar(&self, message: &'static str) -> indicatif::ProgressBar {
        let hidden = self.quiet || !std::io::stderr().is_terminal();
        let target = if hidden {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr_with_hz(10)
        };
        let bar = indicatif::ProgressBar::with_draw_target(None, target).with_message(message);
        if let Ok(style) =
            indicatif::ProgressStyle::with_template("{msg} {bar:30} {bytes}/{total_bytes} {elapsed}")
        {
            bar.set_style(style);
        }
        bar
    }

    /// Opens the project at a path: a directory, or the project around a file.
    pub fn open(&self, path: &Path) -> anyhow::Result<Workspace> {
        let root = if path.is_file() {
            project_of(path)
        } else {
            path.to_owned()
        };
        Ok(Workspace::open(&root, self.store.as_deref())?)
    }
}

/// This program and its version, as documents name it.
pub const TOOLCHAIN: &str = concat!("renyi ", env!("CARGO_PKG_VERSION"));

/// What a project is called: its directory's name.
pub fn project_name(root: &Path) -> String {
    let absolute = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    absolute.file_name().map_or_else(
        || "unknown".to_owned(),
        |name| name.to_string_lossy().into_owned(),
    )
}

/// What could not be read, as JSON: the map is partial if this is not empty.
pub fn problems(indexed: &Indexed) -> serde_json::Value {
    let problem =
        |problem: &world::Problem| serde_json::json!({"path": problem.path, "message": problem.message});
    indexed.problems.iter().map(problem).collect()
}

/// Tells what could not be read, and whether the map is whole.
pub fn report(indexed: &Indexed, output: &mut Output) -> Verdict {
    for warning in &indexed.warnings {
        output.warning(warning);
    }
    for problem in &indexed.problems {
        output.warning(format_args!("{}: {}", problem.path, problem.message));
    }
    if indexed.problems.is_empty() {
        Verdict::Done
    } else {
        Verdict::Different
    }
}

/// The one definition that a person means.
///
/// # Errors
/// Several candidates, listed; or none, with the nearest names.
pub fn one_definition(catalog: &Catalog<'_>, query: &str) -> anyhow::Result<Vec<Place>> {
    if let Some(id) = query.strip_prefix("b3:") {
        return by_id(catalog, id);
    }
    let found = catalog.find(query);
    match found[..] {
        [] => {
            let near = catalog.nearest(query, 5);
            let hint = match near[..] {
                [] => String::new(),
                _ => format!("\n  did you mean: {}", near.join(", ")),
            };
            bail!("no definition is named `{query}`{hint}")
        }
        [_] => Ok(found),
        _ => bail!(
            "`{query}` names {} definitions:{}",
            found.len(),
            listed(catalog, &found)
        ),
    }
}

/// All definitions of an id, which may be several names for one thing.
fn by_id(catalog: &Catalog<'_>, id: &str) -> anyhow::Result<Vec<Place>> {
    let (digits, rank) = match id.split_once('#') {
        Some((digits, rank)) => (digits, Some(rank.parse::<u32>()?)),
        None => (id, None),
    };
    if digits.len() < 4 {
        bail!(
            "`b3:{id}`: expected at least 4 digits of an id, found {}",
            digits.len()
        );
    }
    let digits = digits.to_lowercase();
    let found: Vec<Place> = catalog
        .places()
        .filter(|&place| {
            let found = catalog.entry(place).id;
            found.component.to_hex().starts_with(&digits) && rank.is_none_or(|rank| rank == found.rank)
        })
        .collect();
    let mut ids: Vec<_> = found.iter().map(|&place| catalog.entry(place).id).collect();
    ids.sort();
    ids.dedup();
    match ids.len() {
        0 => bail!("no definition of this map has an id that begins with b3:{id}"),
        1 => Ok(found),
        several => bail!("b3:{id} begins {several} ids:{}", listed(catalog, &found)),
    }
}

/// Candidates, one a line, at most twenty.
fn listed(catalog: &Catalog<'_>, places: &[Place]) -> String {
    const MOST: usize = 20;
    let mut lines = String::new();
    for &place in places.iter().take(MOST) {
        let entry = catalog.entry(place);
        lines += &format!(
            "\n  {} {}  {}:{}",
            entry.kind.name(),
            catalog.qualified(place),
            catalog.leaf(place).path,
            entry.location.first_line
        );
    }
    if places.len() > MOST {
        lines += &format!("\n  and {} more", places.len() - MOST);
    }
    lines
}

/// The text of a Renyi file.
fn renyi_source(file: &Path) -> anyhow::Result<String> {
    use anyhow::Context as _;
    let bytes = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        anyhow::anyhow!(
            "{}: byte {offset} is not UTF-8; a Renyi file is UTF-8 text",
            file.display()
        )
    })
}
