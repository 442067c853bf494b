//! Runs of values that repeat, or that are bit-packed: Parquet's RLE/bit-packing hybrid.
//!
//! ```
//! use bytelane::rle_hybrid::Format;
//!
//! let indices = Format::<u32>::new(9).expect("at most 32 bits");
//! let values = [[300; 50], [7; 50]].concat();
//! let encoded = indices.encode_to_vec(&values)?;
//! assert_eq!(encoded, [50 << 1, 0x2c, 0x01, 50 << 1, 7, 0]);
//! assert_eq!(indices.decode_to_vec(&encoded, 100)?, (values, 6));
//! # Ok::<(), bytelane::rle_hybrid::Error>(())
//! ```
//!
//! Each run begins with a varint. If it is even, half of it is the number of repetitions of the
//! value after it, which takes the whole bytes that the width needs. If it is odd, half of it,
//! rounded down, is the number of groups of eight values that follow, packed as in
//! [`bit_packing`](crate::bit_packing). Parquet stores levels, dictionary indices and booleans this
//! way. The four-byte length or the width byte that pages store before the runs belongs to the
//! page, not to this format.
//!
//! - [`Format`] decodes to `u8`, `u16` and `u32`, and encodes them.
//! - [`bits`] has the same for bitmaps.
//! - `Dictionary`, with the feature `alloc`, decodes indices to the values that they refer to, in
//!   one step.
//! - [`Runs`] is for consumers that work on runs.
//!
//! Neither the number of values nor their width is stored: the caller says how many values it
//! wants, so no number in the input causes an allocation.
//!
//! # Accepted input
//!
//! Runs have 1 to 2^31 - 1 values, as the specification says. The last run may have more values
//! than requested, and the bytes of its last group after the last requested value may be missing:
//! some writers leave them out. A repeated value must fit the width. Everything else is an
//! [`Error`] with its offset.
//!
//! # Encoder output
//!
//! Packed runs take whole groups of eight values, so it matters where a repetition begins. The
//! encoder compares the possibilities instead of taking the first one. Its result is never larger
//! than that of the crate `parquet`, of Arrow C++ or of DuckDB, and often smaller. Repetitions that
//! cannot save space, such as 16 equal values of one bit, are packed. With [`Effort::Fast`], the
//! encoder takes the first possibility, as the others do.
//!
//! All functions take time linear in the number of values. Functions on slices do not allocate. No
//! function reads or writes outside its slices, and none needs padding.
//!
//! Source: [parquet-format, Encodings.md](https://github.com/apache/parquet-format/blob/master/Encodings.md#RLE),
//! section "Run Length Encoding / Bit-Packing Hybrid".

mod arch;
pub mod bits;
mod claims;
#[cfg(feature = "alloc")]
mod dictionary;
mod encode;
mod entries;
mod error;
mod format;
mod integer;
mod kernel;
mod plan;
mod runs;
mod scalar;
#[cfg(test)]
mod tests;

#[cfg(feature = "alloc")]
pub use dictionary::Dictionary;
#[cfg(feature = "alloc")]
pub(crate) use dictionary::LookingUp;
pub(crate) use entries::Entries;
pub use entries::Entry;
pub use error::{Error, ErrorKind};
pub use format::Format;
pub(crate) use format::{Decode, Encode};
pub use integer::Integer;
pub(crate) use integer::Number;
pub use plan::Effort;
pub use runs::{Run, Runs};

use crate::backend::dispatch;
use crate::codec::bit_packing::{Case, Layout, Unpack, WINDOW};
use crate::memory::{Lines, Slot, copy_front};

/// Number of values to look up at a time.
pub(crate) const STEP: usize = 16;

/// Ones, followed by the same number of zeros: masks for the first indices of a step.
#[cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    allow(dead_code)
)]
static ONES: [u8; 8 * STEP] = {
    let mut ones = [0; 8 * STEP];
    let mut i = 0;
    while i < 4 * STEP {
        ones[i] = 0xff;
        i += 1;
    }
    ones
};

/// Repeating a value of `V` bytes, 1 to 16: operations of each instruction set.
pub(crate) trait Splat<const V: usize>: Copy {
    /// A block of 64 bytes of values.
    type Block: Copy;

    fn splat(self, value: [u8; V]) -> Self::Block;

    fn store(self, block: Self::Block, to: &mut [Slot; 64]);

    /// Stores the first bytes of a block to a slice of up to 64.
    #[inline(always)]
    fn store_up_to(self, block: Self::Block, to: &mut [Slot]) {
        let Lines(aside) = &mut Lines([Slot::new(0); 64]);
        self.store(block, aside);
        copy_front(to, aside);
    }
}

/// Comparing neighbours of `K` bytes, 1, 2 or 4: an operation of each instruction set.
pub(crate) trait Neighbours<const K: usize>: Copy {
    /// Compares 65 values. Returns a bit for each of the first 64, set if it equals the next one.
    fn equal(self, values: &[[u8; K]; 65]) -> u64;

    /// Same as [`equal`](Self::equal), for up to 65 values. The bits from the last value on are anything.
    #[inline(always)]
    fn equal_up_to(self, values: &[[u8; K]]) -> u64 {
        let Lines(padded) = &mut Lines([[0; K]; 65]);
        padded[..values.len()].copy_from_slice(values);
        self.equal(padded)
    }
}

/// Looking up entries of `V` bytes, 4, 8 or 16: operations of each instruction set.
pub(crate) trait LookUp<const V: usize>: Unpack<4> + Splat<V> {
    /// A dictionary of up to 64 bytes.
    type Table;

    /// Indices of a step.
    type Indices: Copy;

    /// The greatest index so far, in each of several lanes.
    type Greatest: Copy;

    fn table(self, entries: Entries<'_, V>) -> Self::Table;

    fn indices<C: Case>(self, plan: &Self::Plan, from: &[u8; WINDOW]) -> Self::Indices;

    fn put(self, indices: Self::Indices, to: &mut [u8; 4 * STEP]);

    /// Looks up entries of a dictionary of up to 64 bytes. An index that it does not have gives an
    /// arbitrary entry.
    fn permute(self, table: &Self::Table, indices: Self::Indices, to: &mut [[Slot; V]; STEP]);

    /// Returns the state before any index.
    fn none(self) -> Self::Greatest;

    /// Takes the first `wanted` of the indices into account.
    fn greatest(
        self,
        so_far: Self::Greatest,
        indices: Self::Indices,
        wanted: usize,
    ) -> Self::Greatest;

    /// Returns whether no index is greater than `last`.
    fn is_within(self, greatest: Self::Greatest, last: u32) -> bool;
}

dispatch! {
    fn decode_list<const K: usize>(layout: Layout, src: &[u8], start: usize, to: &mut [Slot]) -> Result<usize, Error> = kernel::decode::<K, _>, or scalar::decode::<K>;
    fn look_up<const V: usize>(layout: Layout, src: &[u8], start: usize, entries: Entries<'_, V>, to: &mut [Slot]) -> Result<usize, Error> = kernel::look_up::<V, _>, or scalar::look_up::<V>;
    fn encode_list<const K: usize, N: Number>(layout: Layout, effort: Effort, values: &[N], to: &mut [Slot]) -> Result<usize, Error> = encode::encode::<K, _, N>, or encode::encode_scalar::<K, N>;
}
