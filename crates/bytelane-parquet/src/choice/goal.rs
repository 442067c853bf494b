//! Models how long candidates take, and selects the best one for a goal.
//!
//! Times come from a model, so that the same values always produce the same file. They are in
//! nanoseconds on one core of a 2024 CPU, and only their ratios matter.

use super::size::Size;
use crate::chunk::Layout;
use crate::{Encoding, Goal};
use parquet::basic::{Compression, Type};

/// Compression ratio above which pages are considered stored uncompressed, at the speed of copying.
const STORED: f64 = 0.97;

/// Maximum error factors of estimates from small pieces, for most encodings and for dictionaries.
pub(super) const DOUBT: f64 = 1.3;
pub(super) const DOUBT_OF_DICTIONARY: f64 = 1.7;

/// Candidate, and its expected size and times for all rows.
#[derive(Clone, PartialEq, Debug)]
pub struct Estimate {
    /// Layout of the candidate.
    pub layout: Layout,
    /// Compressed size of all values in bytes, including page headers.
    pub bytes: f64,
    /// Nanoseconds to write the values.
    pub(crate) write: f64,
    /// Nanoseconds to read the values.
    pub(crate) read: f64,
    /// Set if whole pages were written, not only small pieces.
    pub(crate) is_measured: bool,
}

impl Estimate {
    /// Estimates the times for a column of this size.
    pub(super) fn new(
        layout: Layout,
        compression: Compression,
        physical: Type,
        size: Size,
        is_measured: bool,
    ) -> Self {
        let (encode, decode) = coding(layout.encoding, physical);
        let worked = match layout.encoding {
            Encoding::ByteStreamSplit => size.without_stored_streams(),
            _ => size,
        };
        let (compress, decompress) = compressing(compression, worked);
        Self {
            layout,
            bytes: size.compressed,
            write: size.values * encode + compress,
            read: size.values * decode + decompress,
            is_measured,
        }
    }
}

/// Returns the factor by which a column may exceed the smallest candidate, for this goal.
fn allowance(goal: Goal) -> f64 {
    match goal {
        Goal::Size => 1.0,
        Goal::Balanced => 1.01,
        Goal::Read | Goal::Write => 1.06,
    }
}

/// Returns the score of a candidate that is small enough; lower is better.
fn score(goal: Goal, bytes: f64, write: f64, read: f64) -> f64 {
    match goal {
        Goal::Size => bytes,
        Goal::Write => write,
        Goal::Read => read,
        Goal::Balanced => write + read,
    }
}

/// Returns the best estimate for a goal: the one with the lowest score among those within the
/// goal's allowance.
pub(super) fn best(estimates: &[Estimate], goal: Goal) -> &Estimate {
    let least = estimates
        .iter()
        .map(|it| it.bytes)
        .fold(f64::INFINITY, f64::min);
    let small = estimates
        .iter()
        .filter(|it| it.bytes <= allowance(goal) * least);
    let score = |it: &Estimate| score(goal, it.bytes, it.write, it.read);
    let best = small.min_by(|one, other| score(one).total_cmp(&score(other)));
    best.unwrap_or(&estimates[0])
}

/// Returns the nanoseconds per value to encode and to decode.
fn coding(encoding: Encoding, physical: Type) -> (f64, f64) {
    match (encoding, physical) {
        (Encoding::Dictionary, Type::BYTE_ARRAY) => (60.0, 8.0),
        (Encoding::Plain | Encoding::Auto, Type::BYTE_ARRAY) => (60.0, 30.0),
        (Encoding::Plain | Encoding::Auto, Type::BOOLEAN) => (0.1, 0.1),
        (Encoding::Plain | Encoding::Auto, _) => (1.5, 0.8),
        (Encoding::ByteStreamSplit, _) => (0.9, 0.5),
        (Encoding::Dictionary, _) => (12.0, 2.0),
        (Encoding::DeltaBinaryPacked, _) => (4.0, 2.5),
        (Encoding::DeltaLengthByteArray, _) => (65.0, 32.0),
        (Encoding::DeltaByteArray, _) => (60.0, 22.0),
        (Encoding::Rle, _) => (0.2, 0.2),
        (Encoding::Alp, _) => (1.5, 0.5),
        (Encoding::Fsst, _) => (110.0, 40.0),
    }
}

/// Returns the nanoseconds to compress and to decompress pages of a size.
fn compressing(compression: Compression, size: Size) -> (f64, f64) {
    let (raw, compressed) = (size.raw, size.compressed);
    let is_stored = compressed > STORED * raw;
    let (compress, decompress) = match compression {
        Compression::UNCOMPRESSED => return (0.05 * raw, 0.05 * raw),
        Compression::SNAPPY | Compression::LZ4 | Compression::LZ4_RAW => {
            (0.5 * raw + compressed, 0.15 * raw + 0.4 * compressed)
        }
        Compression::ZSTD(level) => {
            let slower = 1.3_f64.powi(level.compression_level().clamp(1, 22) - 1);
            let compress = (0.7 * raw + 2.5 * compressed) * slower;
            (compress, 0.25 * raw + 1.5 * compressed)
        }
        Compression::GZIP(_) | Compression::BROTLI(_) | Compression::LZO => {
            (20.0 * raw, raw + 4.0 * compressed)
        }
    };
    if is_stored {
        (0.3 * compress, 0.1 * raw)
    } else {
        (compress, decompress)
    }
}
