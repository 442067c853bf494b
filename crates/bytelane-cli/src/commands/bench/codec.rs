//! `bytelane bench codec`.

use super::backends::{self, Backends};
use super::baselines;
use super::measuring::Measuring;
use super::plan::{Case, Choice};
use super::prepared::{Compared, Operation, Prepared};
use crate::Outcome;
use crate::output::measured::Titles;
use crate::specification::codecs_and;
use bytelane::Backend;
use bytelane_catalog::plain::Level;
use bytelane_measure::rounds::Rounds;
use bytelane_measure::row::Row;

/// Measure codecs: every available backend, memcpy and plain loops side by side
///
/// `plain v1`, `plain v3` and `plain v4` are the loop that a programmer writes for the same job, compiled
/// for these levels of x86-64: what the compiler makes of it. `scalar` follows the specification byte by
/// byte and is not tuned. Without options, a codec runs its published experiments; --values or --evicted
/// replace them. If no codec is named, experiments with more than 4 MiB in cache are left out. Before
/// anything is timed, every backend must produce the scalar code's result and restore the values.
#[derive(Debug, clap::Args)]
#[command(after_long_help = codecs_and(EXAMPLES))]
pub struct Arguments {
    #[command(flatten)]
    choice: Choice,
    /// Only this operation
    #[arg(long)]
    operation: Option<Operation>,
    #[command(flatten)]
    backends: Backends,
    /// Number of distinct inputs to rotate: a branch predictor learns a single small one
    #[arg(long, value_name = "N", default_value_t = 1,
        value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    inputs: u64,
    #[command(flatten)]
    measuring: Measuring,
}

const EXAMPLES: &str = "  bytelane bench codec
  bytelane bench codec byte_stream_split --operation encode --type f32
  bytelane bench codec byte_stream_split:width=12 --values 100,4097
  bytelane bench codec big_endian --values 1000000 --evicted --format json";

impl Arguments {
    pub fn run(self) -> anyhow::Result<Outcome> {
        let asked_for = self.backends.asked_for()?;
        let (cases, left_out) = self.choice.plan()?;
        let rounds = self.measuring.rounds()?;
        let label =
            |case: &Case| format!("{}, {} values of {}", case.name(), case.values, case.data);
        let (inputs, operation) = (self.inputs as usize, self.operation);
        self.measuring.show(&cases, Titles::Data, label, |case| {
            measure(case, inputs, operation, &rounds, &asked_for)
        })?;
        if left_out > 0 {
            anstream::eprintln!(
                "Left out: {left_out} experiments on long inputs. Name a codec to run all of its experiments."
            );
        }
        Ok(Outcome::Fine)
    }
}

/// Measures a case, after every backend and every plain loop has restored its values. If backends are
/// requested, only the plain loops of their levels and of the lowest level are measured, and not the loops
/// of publications.
pub fn measure(
    case: &Case,
    inputs: usize,
    wanted: Option<Operation>,
    rounds: &Rounds,
    asked_for: &[Backend],
) -> anyhow::Result<Vec<Row>> {
    let prepared = Prepared::new(case, inputs)?;
    let backends = backends::or_all(asked_for);
    for &backend in &backends {
        prepared.check_round_trip(backend)?;
    }
    let (baseline, levels) = match asked_for {
        [] => (baselines::of(case.codec), Level::available()),
        _ => (None, levels_of(asked_for)),
    };
    for &level in &levels {
        prepared.check_plain(level)?;
    }
    let compared = Compared {
        levels: &levels,
        baseline,
        backends: &backends,
    };
    let mut rows = Vec::new();
    for operation in Operation::ALL {
        if wanted.is_none_or(|wanted| wanted == operation) {
            rows.extend(prepared.measure(operation, rounds, compared));
        }
    }
    Ok(rows)
}

/// Returns the levels that these backends are compared with, lowest first.
fn levels_of(backends: &[Backend]) -> Vec<Level> {
    let mut levels = Level::available();
    levels.retain(|level| {
        let of_backend = |backend: &Backend| Level::of(*backend) == *level;
        *level == Level::TARGET || backends.iter().any(of_backend)
    });
    levels
}
