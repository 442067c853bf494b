//! The project's own commands, run as `cargo xtask <COMMAND>`: one module per command.

#[cfg(test)]
mod documents;
mod folder;
mod install_c;
mod listing;
mod peers;
mod process;
mod record;
mod release;
mod root;
mod test;
mod timings;

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
    /// Run the slow tests by hand: Miri, sanitizers, mutants, repetitions, fuzzing
    Extended(test::extended::Options),
    /// Compare bytelane with other libraries, in one process
    Peers(peers::Options),
    /// Build the C libraries and install them with their headers
    InstallC(install_c::Options),
    /// Make the archives, packages and wheels of a release, and try them in clean systems
    Release(release::Options),
    /// Record a run of all comparisons, and write its tables into the documents
    Record(record::Options),
}

fn main() -> anyhow::Result<ExitCode> {
    match Arguments::parse().command {
        Command::Test(options) => Ok(test::run(&options)),
        Command::Extended(options) => test::extended::run(&options),
        Command::Peers(options) => peers::run_command(&options),
        Command::InstallC(options) => install_c::run_command(&options),
        Command::Release(options) => release::run_command(&options),
        Command::Record(options) => record::run_command(&options),
    }
}
