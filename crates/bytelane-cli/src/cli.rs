//! Command line of `bytelane`.

use crate::Outcome;
#[cfg(not(feature = "measuring"))]
use crate::commands::not_measuring;
use crate::commands::{
    advise, check, completions, cpu, dataset, diff, edit, inspect, manual, merge, repair, rewrite,
    rows, schema, thrift, transcode,
};
#[cfg(feature = "measuring")]
use crate::commands::{bench, report};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;

/// Encode and decode Parquet columns, integer lists, base64 and JSON strings with SIMD
///
/// The best instruction set of this CPU is detected at run time. The environment variable
/// BYTELANE_BACKEND forces another one (see `bytelane cpu`).
#[derive(Debug, Parser)]
#[command(name = "bytelane", version, max_term_width = 100, after_help = AFTER)]
pub struct Cli {
    #[command(flatten)]
    pub color: colorchoice_clap::Color,
    /// Keys of encrypted files, as JSON in FILE, or in an environment variable for `env:NAME`: footer_key, column_keys, keys, aad_prefix
    /// and plain_files
    #[arg(long, global = true, value_name = "FILE")]
    pub decryption_keys: Option<String>,
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// Reads the arguments of the process, of which the first one is its name. Flags may stand anywhere among them.
    pub fn read(arguments: impl IntoIterator<Item = OsString>) -> clap::error::Result<Self> {
        let mut command = Self::command().mut_subcommands(with_flags_between_paths);
        let matches = command.try_get_matches_from_mut(arguments)?;
        Self::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
    }
}

/// Lets flags stand between the paths `INPUT.. OUTPUT` of a command. By itself, clap takes the last path before a flag as
/// the output. A terminator, here one that no argument can be, makes all paths inputs; the output is then not missing,
/// because it conflicts with them. [`last_path`](crate::files::last_path) takes it from the inputs.
fn with_flags_between_paths(command: clap::Command) -> clap::Command {
    let positionals = command.get_positionals().map(|it| it.get_id().as_str());
    if !positionals.eq(["inputs", "output"]) {
        return command;
    }
    command
        .mut_arg("inputs", |it| it.value_terminator("\0"))
        .mut_arg("output", |it| it.conflicts_with("inputs"))
}

const AFTER: &str = "\
The Python package adds `delta` and `iceberg`, which compact, sort and edit tables.

Exit codes: 0 success, 1 `advise --check`, `diff`, `check` or `dataset` found something, 2 error, 130 interrupted (Ctrl-C), \
143 terminated (SIGTERM).";

#[derive(Debug, Subcommand)]
pub enum Command {
    #[cfg(feature = "measuring")]
    Report(report::Arguments),
    Cpu(cpu::Arguments),
    #[cfg(feature = "measuring")]
    Bench(bench::Arguments),
    #[cfg(not(feature = "measuring"))]
    #[command(name = "bench", alias = "report", hide = true)]
    NotMeasuring(not_measuring::Arguments),
    Encode(transcode::Encode),
    Decode(transcode::Decode),
    Advise(advise::Arguments),
    Inspect(inspect::Arguments),
    Schema(schema::Arguments),
    Head(rows::Head),
    Tail(rows::Tail),
    Cat(rows::Cat),
    Sample(rows::Sample),
    Count(rows::Count),
    Stats(rows::Stats),
    Convert(rows::Convert),
    Rewrite(rewrite::Arguments),
    Merge(merge::Arguments),
    Edit(edit::Arguments),
    Diff(diff::Arguments),
    Check(check::Arguments),
    Repair(repair::Arguments),
    Dataset(dataset::Arguments),
    Thrift(thrift::Arguments),
    Completions(completions::Arguments),
    #[command(name = "man")]
    Manual(manual::Arguments),
}

impl Command {
    /// Returns whether the command writes no Parquet file, which would not be encrypted.
    pub fn only_reads(&self) -> bool {
        matches!(
            self,
            Self::Advise(_)
                | Self::Inspect(_)
                | Self::Schema(_)
                | Self::Head(_)
                | Self::Tail(_)
                | Self::Cat(_)
                | Self::Sample(_)
                | Self::Count(_)
                | Self::Stats(_)
                | Self::Diff(_)
        ) || matches!(self, Self::Check(arguments) if !arguments.salvages())
    }

    pub fn run(self) -> anyhow::Result<Outcome> {
        match self {
            #[cfg(feature = "measuring")]
            Self::Report(arguments) => arguments.run(),
            Self::Cpu(arguments) => arguments.run(),
            #[cfg(feature = "measuring")]
            Self::Bench(arguments) => arguments.run(),
            #[cfg(not(feature = "measuring"))]
            Self::NotMeasuring(arguments) => arguments.run(),
            Self::Encode(arguments) => arguments.run(),
            Self::Decode(arguments) => arguments.run(),
            Self::Advise(arguments) => arguments.run(),
            Self::Inspect(arguments) => arguments.run(),
            Self::Schema(arguments) => arguments.run(),
            Self::Head(arguments) => arguments.run(),
            Self::Tail(arguments) => arguments.run(),
            Self::Cat(arguments) => arguments.run(),
            Self::Sample(arguments) => arguments.run(),
            Self::Count(arguments) => arguments.run(),
            Self::Stats(arguments) => arguments.run(),
            Self::Convert(arguments) => arguments.run(),
            Self::Rewrite(arguments) => arguments.run(),
            Self::Merge(arguments) => arguments.run(),
            Self::Edit(arguments) => arguments.run(),
            Self::Diff(arguments) => arguments.run(),
            Self::Check(arguments) => arguments.run(),
            Self::Repair(arguments) => arguments.run(),
            Self::Dataset(arguments) => arguments.run(),
            Self::Thrift(arguments) => arguments.run(),
            Self::Completions(arguments) => arguments.run(&mut Cli::command()),
            Self::Manual(arguments) => arguments.run(Cli::command()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    /// Compares the help of each command, including future ones, with a snapshot.
    #[test]
    fn help_texts() {
        let mut root = Cli::command().term_width(100);
        root.build();
        snapshot(&mut root, "bytelane".to_owned());
    }

    fn snapshot(command: &mut clap::Command, name: String) {
        let help = without_lists(&command.render_long_help().to_string());
        insta::assert_snapshot!(name.clone(), help);
        for subcommand in command
            .get_subcommands_mut()
            .filter(|sub| sub.get_name() != "help")
        {
            let name = format!("{name}_{}", subcommand.get_name());
            snapshot(subcommand, name);
        }
    }

    /// Removes the lists of codecs and data sets, which grow, from a help text.
    fn without_lists(help: &str) -> String {
        let mut shown = String::new();
        let mut in_list = false;
        for line in help.lines() {
            in_list &= !line.trim().is_empty();
            if !in_list {
                shown += &format!("{}\n", line.trim_end());
            }
            in_list |= line.ends_with("Possible values:") || line.ends_with("parameters:");
        }
        shown
    }
}
