//! Tasks of this repository: `cargo xtask ci`, `bench`, `packages`.

mod bench;
mod packages;

use std::process::{Command, ExitCode};

use anyhow::{Context as _, bail};

const HELP: &str = "\
Tasks of this repository.

cargo xtask ci               format, lints and tests, as CI runs them
cargo xtask bench [PLACE..]  costs beside references in the same run, for each
                             directory given (default: what bench fetches); `bench renyi` takes
                            a made project of the Renyi language alone
cargo xtask packages         ten registry packages per language, indexed twice
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.first().map(String::as_str) {
        Some("ci") => ci(),
        Some("packages") => bench::tools().and_then(|tools| packages::run(&tools.scratch, &tools.renyi)),
        Some("bench") => bench::run(&arguments[1..]),
        _ => {
            print!("{HELP}");
            Ok(())
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn ci() -> anyhow::Result<()> {
    cargo(&["fmt", "--all", "--check"])?;
    cargo(&[
        "clippy",
        "--workspace",
        "--all-targets",
        "--locked",
        "--",
        "-D",
        "warnings",
    ])?;
    cargo(&["test", "--workspace", "--locked"])
}

fn cargo(arguments: &[&str]) -> anyhow::Result<()> {
    println!("$ cargo {}", arguments.join(" "));
    let status = Command::new(env!("CARGO"))
        .args(arguments)
        .status()
        .context("cannot run cargo")?;
    if !status.success() {
        bail!("cargo {} failed", arguments.join(" "));
    }
    Ok(())
}
