//! `renyi format`: files of the Renyi language in their canonical layout.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use syntax::Mode;
use syntax::report::text_form;

use super::renyi_source;
use crate::{Verdict, output::Output};

/// Rewrite Renyi files in the canonical layout
#[derive(Debug, Args)]
#[command(
    after_help = "A file with lexical or syntax errors is left as it is, its diagnostics are printed, and \
    the exit code is 1. A file that is canonical is not touched.\n\nExamples:\n  \
    renyi format src/orders.ry\n  renyi format --check src/*.ry"
)]
pub struct Format {
    #[arg(required = true)]
    files: Vec<PathBuf>,

    /// Write nothing; name the files that are not canonical, and exit with 1 if there are any
    #[arg(long)]
    check: bool,

    /// The files declare functions without bodies, as the library does
    #[arg(long)]
    declarations: bool,
}

impl Format {
    pub fn run(&self, output: &mut Output) -> anyhow::Result<Verdict> {
        let mode = if self.declarations {
            Mode::Declarations
        } else {
            Mode::Module
        };
        let mut verdict = Verdict::Done;
        for file in &self.files {
            let source = renyi_source(file)?;
            // A file of declarations need not be told to be one when it reads as such.
            let formatted = syntax::format::format(&source, mode).or_else(|diagnostics| {
                syntax::format::format(&source, Mode::Declarations).map_err(|_| diagnostics)
            });
            match formatted {
                Err(diagnostics) => {
                    let name = file.display().to_string();
                    output.raw(text_form(&name, &source, &diagnostics, false).as_bytes())?;
                    verdict = Verdict::Different;
                }
                Ok(canonical) if canonical == source => {}
                Ok(_) if self.check => {
                    output.line(format_args!("{}: not in canonical layout", file.display()))?;
                    verdict = Verdict::Different;
                }
                Ok(canonical) => {
                    replace(file, canonical.as_bytes())?;
                    output.line(format_args!("{}: formatted", file.display()))?;
                }
            }
        }
        Ok(verdict)
    }
}

/// Puts a file in the place of another, whole or not at all, with its permissions. A
/// symbolic link stays; the file it leads to is replaced.
pub fn replace(file: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let failed = || format!("cannot write {}", file.display());
    let target = fs::canonicalize(file).with_context(failed)?;
    let permissions = fs::metadata(&target).with_context(failed)?.permissions();
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let beside = target.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
    let written = (|| {
        let mut out = fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&beside)?;
        out.write_all(bytes)?;
        out.set_permissions(permissions)?;
        out.sync_all()?;
        fs::rename(&beside, &target)
    })();
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written.with_context(failed)
}
