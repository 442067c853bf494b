//! Runs of single bits, to and from bitmaps: Parquet's booleans, and levels that are 0 or 1.
//!
//! As in Arrow, a bitmap stores bits in bytes, least significant bit first. The runs are those of
//! [`Format`](super::Format) with a width of 1.
//!
//! ```
//! use bytelane::rle_hybrid::bits;
//!
//! let encoded = bits::encode_to_vec(&[0xff, 0xff, 0xff, 0b101], 27);
//! assert_eq!(encoded, [25 << 1, 1, 1 << 1 | 1, 0b10]);
//!
//! let mut bitmap = [0; 4];
//! assert_eq!(bits::decode(&encoded, 27, &mut bitmap)?, 4);
//! assert_eq!(bitmap, [0xff, 0xff, 0xff, 0b101]);
//! # Ok::<(), bytelane::rle_hybrid::Error>(())
//! ```
mod words;

use super::encode::length;
#[cfg(feature = "alloc")]
use super::runs::Cursor;
use super::scalar::decode_bits as decode_one_by_one;
use super::{Effort, Error, Format};
use crate::backend::dispatch;
use crate::memory::{Fill, Slot, forms};
use crate::{DestinationError, Detected};
pub(super) use words::LAYOUT;
use words::{Bits, decode_words, encode_one_by_one, encode_words};

dispatch! {
    fn decode_bits(src: &[u8], count: usize, to: &mut [Slot]) -> Result<usize, Error> = decode_words, or decode_one_by_one;
    fn encode_bits(bits: Bits<'_>, to: &mut [Slot]) -> Result<usize, DestinationError> = encode_words, or encode_one_by_one;
}

/// Returns the maximum number of bytes that [`encode`] writes for `count` bits; `usize::MAX` if it
/// does not fit in a `usize`.
#[must_use]
pub const fn max_encoded_len(count: usize) -> usize {
    super::format::max_encoded_len(1, count)
}

/// Returns the number of bytes that [`encode`] writes. It looks at all bits.
///
/// # Panics
///
/// Panics if the bitmap has fewer bits.
#[must_use]
pub fn encoded_len(bitmap: &[u8], count: usize) -> usize {
    length(LAYOUT, Effort::Small, &Bits::new(bitmap, count))
}

forms! {
    /// Encodes the first `count` bits of a bitmap to the front of `dst`. Returns the number of bytes.
    /// If `dst` is longer, bytes after the result may be overwritten.
    ///
    /// # Errors
    ///
    /// [`DestinationError`] if the result does not fit; the contents of `dst` are then unspecified.
    ///
    /// # Panics
    ///
    /// Panics if the bitmap has fewer bits.
    encode[](bitmap: &[u8], count: usize) -> dst: [u8], DestinationError;
    ///
    /// # Panics
    ///
    /// Panics if the bitmap has fewer bits.
    encode_with: |backend| Encode::new(bitmap, count, backend);
    ///
    /// # Panics
    ///
    /// Panics if the bitmap has fewer bits.
    encode_append -> usize: encoded_len(bitmap, count);
    ///
    /// # Panics
    ///
    /// Panics if the bitmap has fewer bits.
    encode_to_vec;
}

forms! {
    /// Decodes the first `count` bits to the front of a bitmap. Returns the number of bytes read, as
    /// [`Format::decode`] does. The bits after them in the last byte become zeros.
    ///
    /// # Errors
    ///
    /// The same as [`Format::decode`]; [`ErrorKind::Destination`](super::ErrorKind::Destination) if the
    /// bitmap is too short. Its contents are then unspecified.
    decode[](src: &[u8], count: usize) -> bitmap: [u8] and ("number of bytes read", usize), Error;
    decode_with: |backend| Decode { src, count, backend };
    /// The bitmap starts at a new byte.
    ///
    /// Memory is allocated only after checking that the runs have `count` bits. A run of a few bytes
    /// can have up to 2^31 bits: limit `count` for untrusted input.
    decode_append: Cursor::new(LAYOUT, src).skip(count).map(|_| count.div_ceil(8))?;
    decode_to_vec;
}

/// Returns the format of these runs, with one-byte values.
#[must_use]
pub fn format() -> Format<u8> {
    Format::new(1).expect("one bit")
}

/// Encodes bits to runs.
pub(crate) struct Encode<'a> {
    bits: Bits<'a>,
    backend: Detected,
}

impl<'a> Encode<'a> {
    fn new(bitmap: &'a [u8], count: usize, backend: Detected) -> Self {
        let bits = Bits::new(bitmap, count);
        Self { bits, backend }
    }
}

impl Fill for Encode<'_> {
    type Done = ();
    type Error = DestinationError;

    #[inline]
    fn fill(self, to: &mut [Slot]) -> Result<(usize, ()), DestinationError> {
        encode_bits(self.bits, to, self.backend).map(|length| (length, ()))
    }
}

/// Decodes runs to bits.
pub(crate) struct Decode<'a> {
    src: &'a [u8],
    count: usize,
    backend: Detected,
}

impl Fill for Decode<'_> {
    /// Number of bytes read.
    type Done = usize;
    type Error = Error;

    #[inline]
    fn fill(self, to: &mut [Slot]) -> Result<(usize, usize), Error> {
        let bytes = self.count.div_ceil(8);
        let to = crate::error::front(to, bytes)?;
        let read = decode_bits(self.src, self.count, to, self.backend)?;
        Ok((bytes, read))
    }
}
