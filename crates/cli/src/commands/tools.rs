//! `renyi tools`: the manifest of what a Renyi project exposes to agents.

use std::path::PathBuf;

use anyhow::bail;
use check::Analysis;
use check::index::{Canonical, Index, tools::manifest};
use clap::Args;
use syntax::Severity;
use syntax::report::text_form;

use super::renyi_files::{Disk, chosen};
use crate::{Verdict, output::Output};

/// Print the tools that a Renyi project exposes, as JSON Schema
#[derive(Debug, Args)]
#[command(
    after_help = "One object per function with `expose as tool`: its name and purpose, schemas of its \
    parameters and result, the failures and permissions it declares, and where it stands. A project \
    with errors prints its diagnostics instead, and the exit code is 1.\n\nExamples:\n  renyi tools\n  \
    renyi tools src | jq '.[].name'"
)]
pub struct Tools {
    /// A directory, or one file
    #[arg(default_value = ".")]
    path: PathBuf,
}

impl Tools {
    pub fn run(&self, output: &mut Output) -> anyhow::Result<Verdict> {
        let files = chosen(std::slice::from_ref(&self.path))?;
        let mut roots: Vec<PathBuf> = files.iter().map(|file| file.root.clone()).collect();
        roots.dedup();
        let mut all = Vec::new();
        let mut verdict = Verdict::Done;
        for root in roots {
            let members = files.iter().filter(|file| file.root == root);
            let members: Vec<String> = members.map(|file| file.path.clone()).collect();
            for member in &members {
                super::renyi_source(&root.join(member))?;
            }
            let analysis = Analysis::of(&Canonical(Disk { root: root.clone() }), &members);
            for &id in &analysis.sources.roots {
                let diagnostics = analysis.diagnostics(id);
                let wrong = |diagnostic: &syntax::Diagnostic| diagnostic.severity() == Severity::Error;
                if diagnostics.iter().any(wrong) {
                    let module = analysis.program.module(id);
                    let file = root.join(&*module.file).display().to_string();
                    output.raw(text_form(&file, &module.source, &diagnostics, false).as_bytes())?;
                    verdict = Verdict::Different;
                }
            }
            match manifest(&analysis, &Index::of(&analysis)) {
                serde_json::Value::Array(mut tools) => all.append(&mut tools),
                _ => bail!("the manifest of {} is no array", root.display()),
            }
        }
        if verdict == Verdict::Done {
            output.json(&all.into())?;
        }
        Ok(verdict)
    }
}
