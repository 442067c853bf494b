//! `bytelane dataset`.

mod delete;
mod plan;
mod run;
mod swap;
mod verify;

use crate::Outcome;

/// Merge, split and rewrite data sets of many Parquet files
///
/// `plan` says what to do, from footers and samples; `run` writes a new directory and never changes the old one; `verify` compares both. Then
/// `swap` exchanges them, and `delete` removes the old files.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "Examples:
  bytelane dataset plan lake/ --output plan.json
  bytelane dataset run plan.json --output lake.new/ --jobs 2
  bytelane dataset verify lake/ lake.new/
  bytelane dataset swap lake/ lake.new/
  bytelane dataset delete lake.new/ --verified-by lake/
  bytelane dataset plan s3://bucket/lake --output plan.json";

#[derive(Debug, clap::Subcommand)]
enum Command {
    Plan(plan::Arguments),
    Run(run::Arguments),
    Verify(verify::Arguments),
    Swap(swap::Arguments),
    Delete(delete::Arguments),
}

impl Arguments {
    pub fn run(self) -> anyhow::Result<Outcome> {
        match self.command {
            Command::Plan(arguments) => arguments.run(),
            Command::Run(arguments) => arguments.run(),
            Command::Verify(arguments) => arguments.run(),
            Command::Swap(arguments) => arguments.run(),
            Command::Delete(arguments) => arguments.run(),
        }
    }
}
