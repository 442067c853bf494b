//! The best encoding of a column for a goal: what [`Encoding::Auto`] becomes.
//!
//! A sample of the column is encoded and compressed in each way that its type and the readers allow. Stretches of
//! neighbours show what a compressor makes of them; which values come back from further away than a stretch is
//! long, and how many different ones there are, is seen in longer windows, of which only values with certain
//! hashes are followed.

mod estimate;
mod goal;
mod numbers;
mod pack;
mod repeats;
mod sample;

pub(crate) use goal::{Estimate, score};
pub(crate) use repeats::Repeats;

use crate::page::Compressor;
use crate::readers::ValueType;
use crate::{Encoding, Result, WriterOptions, physical};
use arrow_array::ArrayRef;
use estimate::Estimator;
use parquet::basic::Type;
use parquet::schema::types::ColumnDescriptor;
use sample::Sample;

/// An encoding, and what it was weighed against.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Choice {
    /// The best for the goal.
    pub(crate) encoding: Encoding,
    /// All that were weighed; none where the type leaves no choice.
    pub(crate) candidates: Vec<Estimate>,
}

/// What is weighed for flat columns of a fixed width. Of equals the first is taken.
const CANDIDATES: [Encoding; 4] = [
    Encoding::Plain,
    Encoding::Dictionary,
    Encoding::ByteStreamSplit,
    Encoding::DeltaBinaryPacked,
];

/// What columns are given of which no sample is taken: booleans have nothing better than PLAIN, and a dictionary of
/// strings gives itself up where it does not pay.
pub(crate) fn without_sample(leaf: &ColumnDescriptor) -> Encoding {
    match leaf.physical_type() {
        Type::BOOLEAN => Encoding::Plain,
        _ => Encoding::Dictionary,
    }
}

/// The best encoding for the rows of all `arrays`, a flat column of a fixed width, for the goal, the compression and
/// the readers of `options`. `compressor` is that of the column.
pub(crate) fn choose(
    arrays: &[ArrayRef],
    leaf: &ColumnDescriptor,
    options: &WriterOptions,
    compressor: &mut Compressor,
) -> Result<Choice> {
    let compression = options.compression_of(&leaf.path().string());
    let Some(width) = physical::width(leaf) else {
        return Ok(Choice {
            encoding: without_sample(leaf),
            candidates: Vec::new(),
        });
    };
    let sample = Sample::of(arrays, leaf, width, estimate::window_rows(compression))?;
    if sample.len() == 0 {
        return Ok(Choice {
            encoding: Encoding::Plain,
            candidates: Vec::new(),
        });
    }
    let values = ValueType::of(leaf);
    let allowed = CANDIDATES.into_iter().filter(|encoding| {
        encoding.exists_for(leaf.physical_type()) && options.readers.read(*encoding, values)
    });
    let mut estimator = Estimator::new(&sample, compression, compressor, options);
    let plain = estimator.plain()?;
    let mut candidates = Vec::new();
    for encoding in allowed {
        let cost = match encoding {
            Encoding::Dictionary => match estimator.dictionary(plain)? {
                Some(cost) => cost,
                None => continue,
            },
            Encoding::ByteStreamSplit => estimator.byte_stream_split()?,
            Encoding::DeltaBinaryPacked => estimator.delta_binary_packed()?,
            _ => plain,
        };
        candidates.push(Estimate::new(encoding, compression, cost, sample.values));
    }
    let score = |estimate: &&Estimate| estimate.score(options.goal);
    let best = candidates
        .iter()
        .min_by(|one, other| score(one).total_cmp(&score(other)));
    Ok(Choice {
        encoding: best.map_or(Encoding::Plain, |estimate| estimate.encoding),
        candidates,
    })
}
