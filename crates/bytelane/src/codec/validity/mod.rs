//! Which values of a column are there: definition and repetition levels, bitmaps, and values without
//! their nulls.
//!
//! ```
//! use bytelane::validity::{Format, values};
//!
//! // Parquet stores the values that are there, and a level for every value.
//! let (levels, dense) = ([1, 0, 1, 1u16], [2.5, 3.5, 4.5]);
//!
//! // Arrow has a bitmap, and a place for every value.
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
//! - [`Format`] makes a bitmap of definition levels, and levels of a bitmap.
//! - [`values`] spreads values over the places that a bitmap has for them, and compacts them again.
//! - [`lists`] makes offsets and bitmaps of lists from repetition and definition levels.
//!
//! Levels are `u8` or `u16`, as [`rle_hybrid::Format`](crate::rle_hybrid::Format) decodes them. Bitmaps
//! are those of Arrow: value `i` is valid if bit `i % 8` of byte `i / 8` is set, least significant bit
//! first. Bits after the last value are written as zeros and ignored when they are read.
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

/// Values of a step: those that one word of a bitmap is about.
pub(crate) const STEP: usize = 64;

/// Comparing levels of `K` bytes, 1 or 2, as each instruction set provides it.
pub(crate) trait Levels<const K: usize>: Copy {
    /// The levels of a register.
    type Levels: Copy;

    /// The same level in all places.
    fn splat(self, level: u16) -> Self::Levels;

    /// Which levels are at least as great as another.
    fn at_least(self, from: &[[u8; K]; STEP], level: Self::Levels) -> u64;

    /// The greatest levels so far, in each of several places.
    fn greatest(self, so_far: Self::Levels, from: &[[u8; K]; STEP]) -> Self::Levels;

    /// Returns whether no level is greater than another.
    fn is_within(self, greatest: Self::Levels, level: Self::Levels) -> bool;

    /// A level where a bit is not set, and the next greater one where it is.
    fn levels(self, bits: u64, level: Self::Levels, to: &mut [[Slot; K]; STEP]);
}

/// Moving values of `V` bytes, 1 to 16, as each instruction set provides it.
pub(crate) trait Move<const V: usize>: Copy {
    /// Moves values from the front to the places of the set bits. The other places become zeros.
    fn spread(self, bits: u64, from: &[[u8; V]; STEP], to: &mut [[Slot; V]; STEP]);

    /// Takes the values of the places whose bits are set to the front. May overwrite all other places
    /// with anything.
    fn compact<B: Byte>(self, bits: u64, from: &[[u8; V]; STEP], to: &mut [[B; V]; STEP]);
}

/// Moving bits, as each instruction set provides it.
pub(crate) trait MoveBits: Copy {
    /// Takes the bits at the places that are set in `places` to the front. The other bits become zeros.
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
