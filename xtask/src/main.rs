//! The project's own commands, run as `cargo xtask <COMMAND>`: one module per command.

#[cfg(test)]
mod documents;
mod listing;
mod peers;
mod process;
mod record;
mod test;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(
    name = "cargo xtask",
    bin_name = "cargo xtask",
    about = "The project's own commands"
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run the quick tests, or with `--require all` every test; name what was skipped
    Test(test::Options),
    /// Run by hand what takes longer: Miri, sanitizers, mutants, repetitions, long fuzzing
    Extended(test::extended::Options),
    /// Measure other libraries beside bytelane, in one process
    Peers(peers::Options),
    /// Keep a run of all comparisons, and make the tables of the documents from it
    Record(record::Options),
}

fn main() -> anyhow::Result<ExitCode> {
    match Arguments::parse().command {
        Command::Test(options) => Ok(test::run(&options)),
        Command::Extended(options) => test::extended::run(&options),
        Command::Peers(options) => peers::run_command(&options),
        Command::Record(options) => record::run_command(&options),
    }
}
