//! `renyi completions`: completions for a shell.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::{Verdict, arguments::Arguments, output::Output};

/// Print completions for a shell
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  renyi completions bash > ~/.local/share/bash-completion/completions/renyi"
)]
pub struct Completions {
    shell: Shell,
}

impl Completions {
    pub fn run(&self, output: &mut Output) -> anyhow::Result<Verdict> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Arguments::command(), "renyi", &mut script);
        output.raw(&script)?;
        Ok(Verdict::Done)
    }
}
