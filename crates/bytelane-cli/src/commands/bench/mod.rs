//! `bytelane bench`.

mod backends;
mod baselines;
mod codec;
mod measuring;
pub mod parquet;
mod plan;
mod prepared;
pub mod thrift;

pub use baselines::UNVECTORISED;
pub use codec::measure as measure_codec;
pub use plan::Case;

use crate::Outcome;
use clap::{Args, Subcommand};

/// Measure codecs, Thrift messages or Parquet columns on this machine
///
/// Every figure is shown next to memcpy of the same values in the same run: the ratio of the two can be
/// compared between machines. All subjects take turns on one core, and the median of the rounds is
/// shown.
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Codec(codec::Arguments),
    Parquet(parquet::Arguments),
    Thrift(thrift::Arguments),
}

impl Arguments {
    pub fn run(self) -> anyhow::Result<Outcome> {
        match self.what {
            What::Codec(arguments) => arguments.run(),
            What::Parquet(arguments) => arguments.run(),
            What::Thrift(arguments) => arguments.run(),
        }
    }
}
