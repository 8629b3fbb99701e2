//! What the command line takes.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::{
    commands::{check, completions, diff, format, index, log, parse, rename, show, store, tokens, tools},
    output::Color,
};

#[derive(Debug, Parser)]
#[command(
    name = "renyi",
    version,
    about = "A content-addressed store of what code says",
    long_about = "A content-addressed store of what code says.\n\n\
        renyi turns a project into definitions, gives each an identity that survives renaming, moving and \
        reformatting, and keeps them in .renyi/. A diff of two maps then says which definitions changed, \
        what each change reaches, and which version bump it asks for.",
    after_help = "Examples:\n  \
        renyi index                     map of the working tree\n  \
        renyi diff HEAD~1               what the last commit and uncommitted edits changed\n  \
        renyi diff v1.0 v2.0 --markdown two releases, fit for a pull request\n  \
        renyi show Flask.wsgi_app          a definition, its callers and tests\n\n\
        Exit codes: 0 done and no difference, 1 a difference or a partial map, 2 trouble."
)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,

    /// Use this store instead of .renyi beside the main worktree's .git
    #[arg(long, global = true, value_name = "DIR", env = "RENYI_STORE")]
    pub store: Option<PathBuf>,

    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: Color,

    /// No progress, no summary on standard error
    #[arg(short, long, global = true)]
    pub quiet: bool,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Index(index::Index),
    Diff(diff::Diff),
    Show(show::Show),
    Log(log::Log),
    Store(store::StoreCommand),
    Check(check::Check),
    Tools(tools::Tools),
    Rename(rename::Rename),
    Tokens(tokens::Tokens),
    Parse(parse::Parse),
    Format(format::Format),
    Completions(completions::Completions),
}
