//! `bytelane encode` and `bytelane decode`.

use crate::files::{Force, Input, Output};
use crate::specification::{Specification, SpecificationParser, codecs_and};
use crate::{Outcome, backend};
use anyhow::Context;
use bytelane::Backend;
use bytelane_catalog::Codec;
use bytelane_catalog::stream::StreamError;
use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};
use std::io::{Read, Write};
use std::path::PathBuf;

/// Encode a file or standard input
///
/// Input files are raw little-endian values without a header, or text for the text codecs.
/// `bytelane decode` with the same CODEC restores them.
#[derive(Debug, clap::Args)]
#[command(after_long_help = codecs_and(EXAMPLES))]
pub struct Encode {
    #[command(flatten)]
    arguments: Arguments,
}

/// Decode a file or standard input
///
/// CODEC and its parameters must be the ones that the data was encoded with.
#[derive(Debug, clap::Args)]
#[command(after_long_help = codecs_and(EXAMPLES))]
pub struct Decode {
    #[command(flatten)]
    arguments: Arguments,
}

const EXAMPLES: &str = "  bytelane encode byte_stream_split:width=8 doubles.f64 -o doubles.split
      The whole file as one block, as in a Parquet page; it is held in memory
  bytelane decode byte_stream_split:width=8 doubles.split | cmp - doubles.f64
  .. | bytelane encode byte_stream_split:width=4,block=65536 | zstd > floats.zst
      65536 floats per block, so that memory is bounded however long the input is
  bytelane encode big_endian:width=4 < numbers > wire

An output file appears under its name only when it is complete.";

#[derive(Debug, clap::Args)]
struct Arguments {
    /// The codec, with its parameters after a colon: NAME[:key=value,..]
    #[arg(value_name = "CODEC", value_parser = SpecificationParser, hide_possible_values = true)]
    codec: Specification,
    /// The file to read; `-` or nothing means standard input
    #[arg(value_name = "INPUT")]
    input: Option<PathBuf>,
    /// The file to write; `-` or nothing means standard output
    #[arg(short, long, value_name = "OUTPUT")]
    output: Option<PathBuf>,
    #[command(flatten)]
    force: Force,
}

type Transform = fn(&dyn Codec, Backend, &mut dyn Read, &mut dyn Write) -> Result<(), StreamError>;

impl Encode {
    pub fn run(self) -> anyhow::Result<Outcome> {
        self.arguments
            .run(|codec, backend, input, output| codec.encode_stream(backend, input, output))
    }
}

impl Decode {
    pub fn run(self) -> anyhow::Result<Outcome> {
        self.arguments
            .run(|codec, backend, input, output| codec.decode_stream(backend, input, output))
    }
}

impl Arguments {
    fn run(self, transform: Transform) -> anyhow::Result<Outcome> {
        backend::force_from_environment()?;
        let codec = self.codec.open()?;
        let input = Input::open(self.input.as_deref())?;
        let mut output = Output::create(
            self.output.as_deref(),
            self.input.as_deref(),
            self.force.replace,
        )?;
        let name = input.name().to_owned();
        let mut reader = progress(&input)?.wrap_read(input);
        match transform(&*codec, Backend::active(), &mut reader, &mut output) {
            Ok(()) => {}
            Err(StreamError::Read(error)) => Err(error).context(format!("cannot read {name}"))?,
            Err(StreamError::Write(error)) => {
                Err(error).context(format!("cannot write {}", output.name()))?;
            }
            Err(StreamError::Codec(failure)) => Err(anyhow::anyhow!(failure).context(name))?,
        }
        output.finish()?;
        Ok(Outcome::Fine)
    }
}

/// Returns a progress bar, or a counter for input of unknown length, on standard error if that is a
/// terminal.
fn progress(input: &Input) -> anyhow::Result<ProgressBar> {
    let (bar, template) = match input.length() {
        Some(length) => (
            ProgressBar::new(length),
            "{bar:30} {bytes} of {total_bytes}, {bytes_per_sec}",
        ),
        None => (
            ProgressBar::new_spinner(),
            "{spinner} {bytes}, {bytes_per_sec}",
        ),
    };
    Ok(bar
        .with_style(ProgressStyle::with_template(template)?)
        .with_finish(ProgressFinish::AndClear))
}
