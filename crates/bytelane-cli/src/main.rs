//! The command `bytelane`.
//!
//! Each subcommand is one file in `commands/`. Exit codes: 0 fine, 1 something was found (where a
//! subcommand says so), 2 error.

mod backend;
mod cli;
mod commands;
mod files;
mod specification;
mod table;

use clap::Parser;
use std::io;
use std::process::ExitCode;

/// What a subcommand that ran to its end has to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// Exit code 0.
    Fine,
    /// Exit code 1: what the user asked to be told of.
    Found,
}

/// The exit code of an interrupted process, as shells report it.
const INTERRUPTED: i32 = 130;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    cli.color.write_global();
    match cli.command.run() {
        Ok(Outcome::Fine) => ExitCode::SUCCESS,
        Ok(Outcome::Found) => ExitCode::from(1),
        // Whoever read our output has seen enough: `bytelane .. | head`.
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let red = clap::builder::Styles::styled().get_error().to_owned();
            anstream::eprintln!("{red}error:{red:#} {error:#}");
            ExitCode::from(2)
        }
    }
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let causes = error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>());
    causes
        .into_iter()
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}
