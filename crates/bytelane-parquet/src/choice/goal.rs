//! How long encodings take, and which is best for a goal.
//!
//! The times are a model, so that the same values always become the same file: nanoseconds on one core of the
//! year 2023, of which only the proportions count.

use super::estimate::Cost;
use crate::{Encoding, Goal};
use parquet::basic::Compression;

/// What a balanced choice gives for time: twice the time must save one part in six of the size.
const TIME_EXPONENT: f64 = 0.25;

/// A candidate and what is expected of it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Estimate {
    /// The encoding.
    pub(crate) encoding: Encoding,
    /// Bytes of all values, compressed.
    pub(crate) bytes: f64,
    /// Nanoseconds to write them.
    pub(crate) write: f64,
    /// Nanoseconds to read them.
    pub(crate) read: f64,
}

impl Estimate {
    /// Of `values` values that cost as much each.
    pub(super) fn new(
        encoding: Encoding,
        compression: Compression,
        cost: Cost,
        values: usize,
    ) -> Self {
        let (encode, decode) = coding(encoding);
        let (compress, decompress) = compressing(compression);
        let values = values as f64;
        Self {
            encoding,
            bytes: values * cost.compressed,
            write: values * (encode + compress * (cost.worked + 0.25 * cost.encoded)),
            read: values * (decode + decompress * (cost.worked + 0.1 * cost.encoded)),
        }
    }

    /// Less is better.
    pub(crate) fn score(&self, goal: Goal) -> f64 {
        score(goal, self.bytes, self.write, self.read)
    }
}

/// What makes one way of writing values better than another: the lower, the better. All three count in the same
/// unit each, for all that are compared.
pub(crate) fn score(goal: Goal, bytes: f64, write: f64, read: f64) -> f64 {
    match goal {
        Goal::Size => bytes,
        Goal::Write => write,
        Goal::Read => read,
        Goal::Balanced => bytes * (write + read).powf(TIME_EXPONENT),
    }
}

/// Nanoseconds for a value, to encode and to decode.
fn coding(encoding: Encoding) -> (f64, f64) {
    match encoding {
        Encoding::Plain | Encoding::Auto => (1.0, 0.6),
        Encoding::ByteStreamSplit => (1.0, 0.5),
        Encoding::Dictionary => (12.0, 2.0),
        Encoding::DeltaBinaryPacked => (4.0, 2.5),
        Encoding::DeltaLengthByteArray | Encoding::DeltaByteArray => (15.0, 10.0),
    }
}

/// Nanoseconds for a byte that can be compressed, to compress and to decompress it.
fn compressing(compression: Compression) -> (f64, f64) {
    match compression {
        Compression::UNCOMPRESSED => (0.05, 0.05),
        Compression::SNAPPY | Compression::LZ4 | Compression::LZ4_RAW => (1.5, 0.5),
        Compression::ZSTD(level) => {
            let level = level.compression_level().clamp(1, 22);
            (2.0 * 1.3_f64.powi(level), 1.0)
        }
        Compression::GZIP(_) | Compression::BROTLI(_) | Compression::LZO => (20.0, 3.0),
    }
}
