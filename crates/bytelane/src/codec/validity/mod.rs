//! Validity of the values of a column: definition and repetition levels, bitmaps, and values
//! without their nulls.
//!
//! ```
//! use bytelane::validity::{Format, values};
//!
//! // Parquet stores the valid values, and a level for every value.
//! let (levels, dense) = ([1, 0, 1, 1u16], [2.5, 3.5, 4.5]);
//!
//! // Arrow has a bitmap, and a position for every value.
//! let optional = Format::<u16>::new(1).expect("at least 1");
//! let (bitmap, valid) = optional.encode_to_vec(&levels)?;
//! assert_eq!((&bitmap[..], valid), (&[0b1101][..], 3));
//!
//! let mut column = [0.0; 4];
//! values::spread(&dense, &bitmap, &mut column)?;
//! assert_eq!(column, [2.5, 0.0, 3.5, 4.5]);
//! # Ok::<(), bytelane::validity::Error>(())
//! ```
//!
//! - [`Format`] converts definition levels to a bitmap, and a bitmap to levels.
//! - [`values`] spreads values over the valid positions of a bitmap, and compacts them again.
//! - [`lists`] computes offsets and bitmaps of lists from repetition and definition levels.
//!
//! Levels are `u8` or `u16`, as [`rle_hybrid::Format`](crate::rle_hybrid::Format) decodes them.
//! Bitmaps are those of Arrow: value `i` is valid if bit `i % 8` of byte `i / 8` is set, least
//! significant bit first. Bits after the last value are written as zeros and ignored when they are
//! read.
//!
//! All functions take time linear in the number of levels or values. Functions on slices do not
//! allocate. No function reads or writes outside its slices, and none needs padding.
//!
//! Sources: [parquet-format, README.md](https://github.com/apache/parquet-format/blob/master/README.md#nested-encoding),
//! section "Nested Encoding"; [Arrow Columnar Format](https://arrow.apache.org/docs/format/Columnar.html#validity-bitmaps),
//! sections "Validity bitmaps" and "Variable-size List Layout".

mod arch;
mod claims;
mod element;
mod error;
mod format;
mod kernel;
mod level;
pub mod lists;
mod scalar;
mod tables;
#[cfg(test)]
mod tests;
pub mod values;

pub use element::Element;
pub use error::{Error, ErrorKind};
pub use format::Format;
pub(crate) use format::{Decode, Encode};
pub use level::Level;

use crate::backend::dispatch;
use crate::memory::{Byte, Slot};
use lists::{Bits, Offset, Pairs, Wanted};

/// Number of values in a step: one word of a bitmap.
pub(crate) const STEP: usize = 64;

/// Comparing levels of `K` bytes, 1 or 2: operations of each instruction set.
pub(crate) trait Levels<const K: usize>: Copy {
    /// Register of levels.
    type Levels: Copy;

    /// Broadcasts a level.
    fn splat(self, level: u16) -> Self::Levels;

    /// Returns a bit for each level, set if it is at least `level`.
    fn at_least(self, from: &[[u8; K]; STEP], level: Self::Levels) -> u64;

    /// Returns the greatest levels so far, in each of several lanes.
    fn greatest(self, so_far: Self::Levels, from: &[[u8; K]; STEP]) -> Self::Levels;

    /// Returns whether no level is greater than `level`.
    fn is_within(self, greatest: Self::Levels, level: Self::Levels) -> bool;

    /// Writes `level` for bits that are not set, and the next greater level for those that are.
    fn levels(self, bits: u64, level: Self::Levels, to: &mut [[Slot; K]; STEP]);
}

/// Moving values of `V` bytes, 1 to 16: operations of each instruction set.
pub(crate) trait Move<const V: usize>: Copy {
    /// Number of nulls among the values of a step up to which it is faster to copy the runs of
    /// values between them than to move all of them.
    const FEW: u32 = if V == 16 { 3 } else { 0 };

    /// Moves values from the front to the positions of the set bits. The other positions become
    /// zeros.
    fn spread(self, bits: u64, from: &[[u8; V]; STEP], to: &mut [[Slot; V]; STEP]);

    /// Moves the values at the positions of the set bits to the front. May overwrite all other
    /// positions with anything.
    fn compact<B: Byte>(self, bits: u64, from: &[[u8; V]; STEP], to: &mut [[B; V]; STEP]);
}

/// Moving bits: operations of each instruction set.
pub(crate) trait MoveBits: Copy {
    /// Moves the bits at the positions that are set in `places` to the front. The other bits become
    /// zeros.
    fn select(self, bits: u64, places: u64) -> u64;
}

dispatch! {
    fn encode_levels<const K: usize>(levels: &[u8], max: u16, to: &mut [Slot]) -> Result<usize, Error> = kernel::encode::<K, _>, or scalar::encode::<K>;
    fn decode_levels<const K: usize>(bitmap: &[u8], max: u16, to: &mut [Slot]) = kernel::decode::<K, _>, or scalar::decode::<K>;
    fn spread_values<const V: usize>(dense: &[u8], bitmap: &[u8], to: &mut [Slot]) -> Option<()> = kernel::spread::<V, _>, or scalar::spread::<V>;
    fn compact_values<const V: usize>(values: &[u8], bitmap: &[u8], to: &mut [Slot]) -> Option<usize> = kernel::compact::<V, _>, or scalar::compact::<V>;
    fn list_offsets<const K: usize, O: Offset>(pairs: Pairs<'_>, to: &mut [Slot]) -> Result<usize, Error> = lists::kernel::offsets::<K, _, O>, or lists::scalar::offsets::<K, O>;
    fn list_bits<const K: usize>(pairs: Pairs<'_>, wanted: Wanted, to: &mut [Slot]) -> Result<Bits, Error> = lists::kernel::bits::<K, _>, or lists::scalar::bits::<K>;
}
