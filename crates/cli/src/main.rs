//! The command line: arguments, terminal, exit codes. Every command is one file
//! and a thin adapter over library calls.
//!
//! Exit codes: 0 done (and, for a diff, no change), 1 a diff with changes or a
//! map that is partial, 2 trouble.

mod arguments;
mod commands;
mod output;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command};
use output::Output;

/// What a command found, as an exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Done,
    /// There are differences, or the result is partial.
    Different,
}

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are answers, not errors.
            let code = if error.use_stderr() { 2 } else { 0 };
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    // Linking follows references in depth; front ends walk syntax trees.
    let pool = rayon::ThreadPoolBuilder::new()
        .stack_size(world::STACK_BYTES)
        .build_global();
    if let Err(error) = pool {
        eprintln!("renyi: cannot start threads: {error}");
        return ExitCode::from(2);
    }
    let mut output = Output::new(arguments.color, arguments.quiet);
    let result = run(&arguments, &mut output).and_then(|verdict| output.flush().map(|()| verdict));
    match result {
        Ok(Verdict::Done) => ExitCode::SUCCESS,
        Ok(Verdict::Different) => ExitCode::from(1),
        Err(error) if output::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = output.flush();
            output.error(&error);
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments, output: &mut Output) -> anyhow::Result<Verdict> {
    let context = commands::Context {
        store: arguments.store.clone(),
        quiet: arguments.quiet,
    };
    match &arguments.command {
        Command::Index(command) => command.run(&context, output),
        Command::Diff(command) => command.run(&context, output),
        Command::Show(command) => command.run(&context, output),
        Command::Log(command) => command.run(&context, output),
        Command::Store(command) => command.run(&context, output),
        Command::Tokens(command) => command.run(output),
        Command::Parse(command) => command.run(output),
        Command::Check(command) => command.run(&context, output),
        Command::Tools(command) => command.run(output),
        Command::Rename(command) => command.run(&context, output),
        Command::Format(command) => command.run(output),
        Command::Completions(command) => command.run(output),
    }
}
