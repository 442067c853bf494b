//! Floating-point numbers as decimal integers, bit-packed: Parquet's ALP ("adaptive lossless
//! floating point").
//!
//! ```
//! use bytelane::alp;
//!
//! let prices: Vec<f64> = (0..1024).map(|i| f64::from(1000 + i) / 100.0).collect();
//! let page = alp::encode_to_vec(&prices)?;
//! assert_eq!(page.len(), 7 + 4 + 13 + 1024 * 10 / 8);
//! assert_eq!(alp::decode_to_vec::<f64>(&page, 1024)?, (prices, page.len()));
//! # Ok::<(), alp::Error>(())
//! ```
//!
//! A page consists of vectors, usually of 1024 values. Each has an exponent e and a factor f. A
//! value is stored as the integer nearest to its product with `10^(e - f)`, if
//! `integer * 10^f * 10^-e` gives the same value back, bit for bit. The integers of a vector are
//! bit-packed with the width that their range needs. All other values are exceptions and are stored
//! unchanged, with their positions: NaN, infinities, -0.0, and any number that is not a short
//! decimal.
//!
//! The page stores the number of values, but no function allocates memory for it: the caller says
//! how many values it wants, and gets an error if the page has fewer. [`stored`] reads the number.
//!
//! # Accepted input
//!
//! Vectors of 2^3 to 2^15 values, which must follow each other without gaps. An exception may be
//! listed twice; the last one counts. Everything else that the specification does not allow is an
//! [`Error`] with its offset.
//!
//! # Encoder output
//!
//! The specification leaves the choice of exponents and factors to the encoder. This encoder
//! compares the sizes for all pairs on samples of the page, and then tries the five pairs that won
//! most often on all values of each vector. If many values of a vector are exceptions, the vector
//! is sampled by itself. No vector takes more than its header and `K + 2` bytes per value of `K`
//! bytes. Numbers that were parsed from text, such as prices and measurements, take a fraction of
//! that. Numbers that use all their bits take more than without an encoding; [`estimated_len`]
//! tells in advance.
//!
//! All functions take time linear in the number of values. Functions on slices do not allocate. No
//! function reads or writes outside its slices, and none needs padding.
//!
//! Source: [parquet-format, AlpEncoding.md](https://github.com/apache/parquet-format/blob/master/AlpEncoding.md);
//! Afroozeh, Kuffo and Boncz, *ALP: Adaptive Lossless floating-Point Compression*, SIGMOD 2023.

mod arch;
mod claims;
mod decode;
mod encode;
mod error;
mod float;
mod format;
mod kernel;
mod page;
mod pair;
mod scalar;
#[cfg(test)]
mod tests;
mod write;

pub(crate) use decode::Decode;
pub use decode::{decode, decode_range, decode_range_with, decode_with, stored, validate};
#[cfg(feature = "alloc")]
pub use decode::{decode_append, decode_to_vec};
pub(crate) use encode::Costs;
pub use error::{Error, ErrorKind};
pub use float::Float;
pub use format::Format;
pub(crate) use pair::{Pair, Powers};
pub(crate) use write::Encode;
pub use write::{encode, encode_with, estimated_len, max_encoded_len};
#[cfg(feature = "alloc")]
pub use write::{encode_append, encode_to_vec};

use crate::backend::dispatch;
use crate::codec::bit_packing::{Case, Unpack, WINDOW};
use crate::memory::Slot;
use crate::simd::Windows;

/// Range of integers that a step handles, chosen once per vector.
pub(crate) trait Conversion: Case {
    /// True for integers of at most 51 bits and a sign, to which [`Steps::BIAS`] has been added.
    #[cfg_attr(
        not(target_arch = "x86_64"),
        allow(dead_code, reason = "NEON converts all integers")
    )]
    const SMALL: bool;
}

/// Small integers; 32 bytes of them lie within 16 packed bytes.
#[derive(Clone, Copy)]
pub(crate) struct SmallNear;
impl Case for SmallNear {
    const WIDE: bool = false;
    const ZIGZAG: bool = false;
    const NEAR: bool = true;
}
impl Conversion for SmallNear {
    const SMALL: bool = true;
}

/// Small integers, each within the bits that the instruction set shifts at once.
#[derive(Clone, Copy)]
pub(crate) struct SmallUsual;
impl Case for SmallUsual {
    const WIDE: bool = false;
    const ZIGZAG: bool = false;
}
impl Conversion for SmallUsual {
    const SMALL: bool = true;
}

/// Small integers.
#[derive(Clone, Copy)]
pub(crate) struct SmallWide;
impl Case for SmallWide {
    const WIDE: bool = true;
    const ZIGZAG: bool = false;
}
impl Conversion for SmallWide {
    const SMALL: bool = true;
}

/// Any integers.
#[derive(Clone, Copy)]
pub(crate) struct LargeWide;
impl Case for LargeWide {
    const WIDE: bool = true;
    const ZIGZAG: bool = false;
}
impl Conversion for LargeWide {
    const SMALL: bool = false;
}

/// Bias that turns an 8-byte integer between -2^51 and 2^51 into the bits of itself plus 1.5 *
/// 2^52, for instruction sets that do not convert such integers.
#[cfg_attr(
    not(all(target_arch = "x86_64", feature = "sse41")),
    allow(dead_code, reason = "NEON converts all integers")
)]
pub(crate) const MAGIC: u64 = 0x4338_0000_0000_0000;

/// Range of integers that `K`-byte numbers can become. The next numbers after the greatest and the
/// least one are out of range; some instruction sets convert these to the least integer, and others
/// saturate.
pub(crate) const fn widest<const K: usize>() -> [i64; 2] {
    let greatest = match K {
        4 => i32::MAX as i64 - 0x7f,
        _ => i64::MAX - 0x3ff,
    };
    [-greatest, greatest]
}

/// The share of a product that [`Steps::likely`] allows as its distance from an integer, 8 u, and
/// the greatest product: a little more than the greatest integer.
pub(crate) const fn tolerance<const K: usize>() -> [u64; 2] {
    match K {
        4 => [0x3500_0000, 0x4f00_0010],
        _ => [0x3cd0_0000_0000_0000, 0x43e0_0000_0000_0010],
    }
}

/// Encoder operations that each instruction set provides, for values of `K` bytes, 4 or 8.
pub(crate) trait Steps<const K: usize>: Copy {
    /// Bias of integers of at most 51 bits and a sign: [`MAGIC`] or 0.
    const BIAS: u64;

    /// A number broadcast to several lanes.
    type Number: Copy;

    /// Converts bits to numbers.
    fn numbers(self, bits: [u64; 2]) -> [Self::Number; 2];

    /// The number of integers so far, the least and the greatest one, in each of several lanes.
    type Found: Copy;

    /// The least and the greatest integer that a value may have; others are exceptions.
    type Limits;

    fn limits(self, limits: [i64; 2]) -> Self::Limits;

    /// Returns no integers.
    fn nothing(self) -> Self::Found;

    /// Adds the integers of a 64-byte block, those of all its values that are not exceptions.
    fn weigh(
        self,
        powers: &Powers<Self::Number>,
        limits: &Self::Limits,
        from: &[u8; 64],
        found: &mut Self::Found,
    );

    /// Calls [`weigh`](Self::weigh) for blocks, while they may cost less than the limit. Returns
    /// whether they may.
    #[inline(always)]
    fn weigh_blocks(
        self,
        powers: &Powers<Self::Number>,
        limits: &Self::Limits,
        from: &[[u8; 64]],
        costs: Costs,
        found: &mut Self::Found,
    ) -> bool {
        encode::weigh_blocks(self, powers, limits, from, costs, found)
    }

    /// Returns the number of integers.
    fn count(self, found: Self::Found) -> usize;

    /// Returns the least and the greatest integer; in reverse order if there are none.
    fn ends(self, found: Self::Found) -> [i64; 2];

    /// Returns one bit per value of a block. It is 0 only for exceptions of all pairs with the same
    /// number of digits, the exponent minus the factor; `power` is 10 to the power of it. Such
    /// values have products with it that are farther from an integer than the errors of all
    /// multiplications together, or larger than any integer.
    ///
    /// ```text
    /// u          largest relative error of one rounding: 2^-24 or 2^-53
    /// value      integer * 10^factor * 10^-exponent, unless it is an exception: errors of two
    ///            multiplications, and of the negative power
    /// product    value * 10^digits: one more error, so |product - integer| <= 4.1 u |product|,
    ///            and round(product) is at least as near to it as the integer is
    /// bit        |product - round(product)| <= 8 u |product|, and |product| is in range
    /// ```
    fn likely(self, power: u64, from: &[u8; 64]) -> u32;

    /// Converts 64 bytes of values to integers plus the bias, with `other` in place of exceptions,
    /// whose bits are returned. If there is a bias, all integers must be small.
    fn integers(
        self,
        powers: &Powers<Self::Number>,
        limits: &Self::Limits,
        other: u64,
        from: &[u8; 64],
        to: &mut [u8; 64],
    ) -> u32;

    /// Calls [`integers`](Self::integers) for blocks.
    #[inline(always)]
    fn integer_blocks(
        self,
        powers: &Powers<Self::Number>,
        limits: &Self::Limits,
        other: u64,
        from: &[[u8; 64]],
        to: &mut [[u8; 64]],
        exceptions: &mut [u32],
    ) {
        encode::integer_blocks(self, powers, limits, other, from, to, exceptions);
    }
}

/// Decoder operations that each instruction set provides, for values of `K` bytes, 4 or 8.
pub(crate) trait Decimal<const K: usize>: Unpack<K> + Steps<K> {
    /// Unpacks 64 bytes of integers from the front of a window, and multiplies them.
    fn floats<C: Conversion>(
        self,
        plan: &<Self as Unpack<K>>::Plan,
        powers: &[Self::Number; 2],
        from: &[u8; WINDOW],
        to: &mut [Slot; 64],
    );

    /// Calls [`floats`](Self::floats) for each window.
    fn blocks<C: Conversion>(
        self,
        plan: &<Self as Unpack<K>>::Plan,
        powers: &[Self::Number; 2],
        windows: &Windows<'_, WINDOW>,
        to: &mut [[Slot; 64]],
    );

    /// Unpacks integers from the last bytes of the input, and multiplies them.
    #[inline(always)]
    fn rest<C: Conversion>(
        self,
        plan: &<Self as Unpack<K>>::Plan,
        powers: &[Self::Number; 2],
        stride: usize,
        src: &[u8],
        dst: &mut [Slot],
    ) {
        kernel::rest::<K, Self, C>(self, plan, powers, stride, src, dst);
    }
}

dispatch! {
    fn decode_list<const K: usize>(src: &[u8], start: usize, to: &mut [Slot]) -> Result<usize, Error> = kernel::decode::<K, _>, or scalar::decode::<K>;
    fn encode_list<const K: usize>(format: Format, values: &[u8], to: &mut [Slot]) -> Option<usize> = encode::encode::<K, _>, or encode::encode_scalar::<K>;
    fn length_of_list<const K: usize>(format: Format, values: &[u8], samples: usize) -> usize = encode::length::<K, _>, or encode::length_scalar::<K>;
}
