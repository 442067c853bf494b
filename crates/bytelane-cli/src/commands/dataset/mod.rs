//! `bytelane dataset`.

mod delete;
mod plan;
mod run;
mod swap;
mod verify;

use crate::{Outcome, signals};
use bytelane_dataset::Error;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

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
  bytelane dataset run plan.json --out lake.new/ --jobs 2
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

/// Exit status used when no signal was received.
const RUNNING: i32 = 0;

/// Records a signal to terminate, so that work can stop in an orderly way.
#[derive(Clone)]
struct Interruption(Arc<AtomicI32>);

impl Interruption {
    fn new() -> anyhow::Result<Self> {
        let signal = Arc::new(AtomicI32::new(RUNNING));
        let handler = Arc::clone(&signal);
        signals::on_signal(move |status| handler.store(status, Ordering::Relaxed))?;
        Ok(Self(signal))
    }

    /// Returns whether work should continue.
    fn proceed(&self) -> ControlFlow<()> {
        match self.0.load(Ordering::Relaxed) {
            RUNNING => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    }

    /// Returns the outcome of work that may have been cancelled.
    fn outcome<T>(&self, outcome: bytelane_dataset::Result<T>) -> anyhow::Result<T> {
        match outcome {
            Err(Error::Parquet(error)) if !is_cancelled(&error) => Err(error.into()),
            Err(error) if error.is_cancelled() => {
                Err(signals::Interrupted(self.0.load(Ordering::Relaxed)).into())
            }
            outcome => Ok(outcome?),
        }
    }
}

fn is_cancelled(error: &bytelane_parquet::Error) -> bool {
    matches!(error.problem(), bytelane_parquet::Problem::Cancelled)
}
