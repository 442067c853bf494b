//! `bytelane bench codec`.

use super::baselines;
use super::measuring::Measuring;
use super::plan::{Case, Choice};
use super::prepared::{Operation, Prepared};
use crate::specification::codecs_and;
use crate::{Outcome, backend};
use anyhow::bail;
use bytelane::Backend;
use bytelane_measure::rounds::Rounds;
use bytelane_measure::row::Row;

/// Measure codecs: the scalar code, every available backend and memcpy side by side
///
/// Without options, a codec runs its published experiments; --values or --evicted replace them. If no
/// codec is named, those on more than 4 MiB in cache are left out. Before anything is timed, every backend must give the scalar code's result and bring the values
/// back.
#[derive(Debug, clap::Args)]
#[command(after_long_help = codecs_and(EXAMPLES))]
pub struct Arguments {
    #[command(flatten)]
    choice: Choice,
    /// Only this operation
    #[arg(long)]
    operation: Option<Operation>,
    /// Backends [default: all that this CPU can run, or BYTELANE_BACKEND]
    #[arg(long = "backend", value_name = "NAME", value_delimiter = ',')]
    backends: Vec<Backend>,
    /// Distinct inputs that are taken in turn: a branch predictor memorises a single small one
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
    pub fn run(mut self) -> anyhow::Result<Outcome> {
        if let Some(forced) = backend::force_from_environment()?
            && self.backends.is_empty()
        {
            self.backends.push(forced);
        }
        if let Some(&missing) = self.backends.iter().find(|backend| !backend.is_available()) {
            bail!(bytelane::Unavailable(missing));
        }
        let (cases, left_out) = self.choice.plan()?;
        let rounds = self.measuring.rounds()?;
        let label =
            |case: &Case| format!("{}, {} values of {}", case.name(), case.values, case.data);
        self.measuring
            .show(&cases, label, |case| self.measure(case, &rounds))?;
        if left_out > 0 {
            anstream::eprintln!(
                "Left out: {left_out} experiments on long inputs. Name a codec to run all of its own."
            );
        }
        Ok(Outcome::Fine)
    }

    fn measure(&self, case: &Case, rounds: &Rounds) -> anyhow::Result<Vec<Row>> {
        let prepared = Prepared::new(case, self.inputs as usize)?;
        let backends = match self.backends.as_slice() {
            [] => Backend::available().collect(),
            named => named.to_vec(),
        };
        for &backend in &backends {
            prepared.check_round_trip(backend)?;
        }
        let baselines = match self.backends.as_slice() {
            [] => baselines::of(case.codec),
            _ => &[],
        };
        let mut rows = Vec::new();
        for operation in Operation::ALL {
            if self.operation.is_none_or(|wanted| wanted == operation) {
                rows.extend(prepared.measure(operation, rounds, &backends, baselines));
            }
        }
        Ok(rows)
    }
}
