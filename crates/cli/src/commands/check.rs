//! `renyi check`: what is wrong with Renyi files.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::bail;
use check::Analysis;
use check::project::module_name;
use clap::Args;
use codespan_reporting::diagnostic::{Diagnostic as Rendered, Label};
use codespan_reporting::files::SimpleFile;
use codespan_reporting::term::{Config, emit_into_string};
use syntax::report::{json_form, layout_warnings, text_form};
use syntax::{Diagnostic, Severity};

use super::renyi_files::{Chosen, Disk, chosen};
use super::{Context, frozen};
use crate::output::{BOLD, RED, YELLOW};
use crate::{Verdict, output::Output};

/// Check Renyi files: syntax, names, types, failures, effects and layout
#[derive(Debug, Args)]
#[command(
    after_help = "A directory means every .ry and .renyi file below it. Modules are named from the nearest \
    renyi.json at or above a file, or else from its directory. Diagnostics stand on standard output: with \
    the source line when it is a terminal, else one line each and its fix. An error makes the exit code \
    1; warnings do not.\n\nExamples:\n  renyi check\n  renyi check src/orders.ry\n  \
    renyi check --frozen-specs total,Order.price --base main\n  \
    renyi check --json examples/ | jq '.[].code'"
)]
pub struct Check {
    /// Files and directories
    #[arg(default_value = ".")]
    paths: Vec<PathBuf>,

    /// One JSON array of diagnostics per file, `[]` for a file without any
    #[arg(long, conflicts_with = "source")]
    json: bool,

    /// A call of what is deprecated is an error
    #[arg(long)]
    strict: bool,

    /// Instead: nothing that these definitions promise (or `all`) may differ from a base, in any language:
    /// signature, effects, failures, where-clauses, examples and the tests that touch them
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with_all = ["strict", "source"])]
    frozen_specs: Vec<String>,

    /// What frozen specs are compared with: a git revision, a saved map, … [default: HEAD]
    #[arg(long, value_name = "BASE", requires = "frozen_specs")]
    base: Option<String>,

    /// Show the source line of each diagnostic even when standard output is no terminal
    #[arg(long)]
    source: bool,
}

impl Check {
    pub fn run(&self, context: &Context, output: &mut Output) -> anyhow::Result<Verdict> {
        if !self.frozen_specs.is_empty() {
            let [path] = &self.paths[..] else {
                bail!("frozen specs are those of one project: give one path");
            };
            return frozen::run(
                context,
                output,
                path,
                &self.frozen_specs,
                self.base.as_deref(),
                self.json,
            );
        }
        let files = chosen(&self.paths)?;
        let mut projects: BTreeMap<PathBuf, Vec<&Chosen>> = BTreeMap::new();
        for file in &files {
            projects.entry(file.root.clone()).or_default().push(file);
        }
        let mut results: BTreeMap<&str, (String, Vec<Diagnostic>)> = BTreeMap::new();
        for (root, members) in projects {
            let mut roots: Vec<String> = Vec::new();
            for member in &members {
                super::renyi_source(&root.join(&member.path))?;
                if !roots.contains(&member.path) {
                    roots.push(member.path.clone());
                }
            }
            let analysis = Analysis::of(&Disk { root }, &roots);
            for member in members {
                let found = analysis
                    .program
                    .modules()
                    .find(|(_, module)| module.is_own() && *module.file == *member.path);
                let Some((id, module)) = found else {
                    bail!(
                        "{}: the module `{}` was not read",
                        member.shown,
                        module_name(&member.path)
                    );
                };
                let mut diagnostics = analysis.diagnostics(id);
                diagnostics.extend(layout_warnings(&module.source, &syntax::lex::lex(&module.source)));
                results.insert(&member.shown, (module.source.to_string(), diagnostics));
            }
        }
        let (mut errors, mut warnings) = (0_usize, 0_usize);
        for file in &files {
            let Some((source, diagnostics)) = results.get(&*file.shown) else {
                continue;
            };
            let severities = diagnostics
                .iter()
                .map(|diagnostic| diagnostic.severity_under(self.strict));
            let wrong = severities.filter(|severity| *severity == Severity::Error).count();
            errors += wrong;
            warnings += diagnostics.len() - wrong;
            if self.json {
                output.raw(json_form(&file.shown, source, diagnostics, self.strict).as_bytes())?;
            } else if self.source || output.is_terminal() {
                self.render(&file.shown, source, diagnostics, output)?;
            } else {
                output.raw(text_form(&file.shown, source, diagnostics, self.strict).as_bytes())?;
            }
        }
        output.remark(format_args!(
            "{} checked: {}, {}",
            counted(files.len(), "file"),
            counted(errors, "error"),
            counted(warnings, "warning")
        ));
        Ok(if errors > 0 {
            Verdict::Different
        } else {
            Verdict::Done
        })
    }

    /// Each with its source line, a caret and its fix.
    fn render(
        &self,
        file: &str,
        source: &str,
        diagnostics: &[Diagnostic],
        output: &mut Output,
    ) -> anyhow::Result<()> {
        let files = SimpleFile::new(file, source);
        let config = Config::default();
        for diagnostic in diagnostics {
            let (rendered, colour) = match diagnostic.severity_under(self.strict) {
                Severity::Error => (Rendered::error(), RED),
                Severity::Warning => (Rendered::warning(), YELLOW),
            };
            let rendered = rendered
                .with_code(diagnostic.code.spelling())
                .with_message(&diagnostic.message)
                .with_labels(vec![Label::primary((), diagnostic.span.range())])
                .with_notes(vec![format!("fix: {}", diagnostic.fix)]);
            let text = emit_into_string(&config, &files, &rendered)?;
            match text.split_once('\n') {
                Some((head, rest)) => {
                    output.line(format_args!("{colour}{BOLD}{head}{BOLD:#}{colour:#}"))?;
                    output.raw(rest.as_bytes())?;
                }
                None => output.line(text)?,
            }
        }
        Ok(())
    }
}

fn counted(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}
