//! Differences of consecutive integers, bit-packed: Parquet's DELTA_BINARY_PACKED.
//!
//! ```
//! use bytelane::delta;
//!
//! let days: Vec<i32> = (20_000..20_100).collect();
//! let encoded = delta::encode_to_vec(&days);
//! assert_eq!(encoded.len(), 12);
//! assert_eq!(delta::decode_to_vec::<i32>(&encoded, 100)?, (days, 12));
//! # Ok::<(), delta::Error>(())
//! ```
//!
//! A stream begins with the sizes of its blocks, the number of its values and the first value. Each
//! block has the smallest of its differences, followed by miniblocks. These store the excess of
//! each difference over the smallest one, with a width per miniblock. All arithmetic wraps around.
//!
//! The stream stores the number of values, but no function allocates memory for it: the caller says
//! how many values it wants, and gets an error if the stream has fewer. [`stored`] reads the
//! number.
//!
//! # Accepted input
//!
//! Encoders write blocks of 128 values in 4 miniblocks, as most writers do; use [`Format`] for
//! other sizes. Decoders accept every size that the specification allows: blocks of a multiple of
//! 128 values, miniblocks of a multiple of 32. The last miniblock must be stored in full; its
//! values beyond the number in the header are ignored. Miniblocks without values may have any
//! width. Everything else is an [`Error`] with its offset.
//!
//! All functions take time linear in the number of values. Functions on slices do not allocate. No
//! function reads or writes outside its slices, and none needs padding.
//!
//! Source: [parquet-format, Encodings.md](https://github.com/apache/parquet-format/blob/master/Encodings.md#DELTAENC),
//! section "Delta Encoding".

mod arch;
mod blocks;
mod claims;
mod encode;
mod error;
mod format;
mod integer;
mod kernel;
mod number;
mod scalar;
#[cfg(test)]
mod tests;
mod write;

pub use error::{Error, ErrorKind};
pub use format::Format;
pub use integer::Integer;
pub(crate) use number::Number;
pub(crate) use write::Encode;

use crate::DestinationError;
use crate::backend::dispatch;
use crate::codec::bit_packing::{Case, Unpack, WINDOW};
use crate::memory::{self, Fill, Part, Slot, forms};
use core::ops::Range;

/// Summing operations of each instruction set, for values of `K` bytes, 4 or 8.
pub(crate) trait Sums<const K: usize>: Unpack<K> {
    /// True if vectors find the smallest value in less time than portable code does.
    const FINDS_LEAST: bool = true;

    /// Value before those of a block.
    type Carry: Copy;

    fn carry(self, value: u64) -> Self::Carry;

    /// Sums of 64 bytes of differences, without the value before them.
    type Sums: Copy;

    /// Unpacks 64 bytes of differences from the front of a window, and computes their prefix sums.
    fn sums<C: Case>(self, plan: &Self::Plan, from: &[u8; WINDOW]) -> Self::Sums;

    /// Same as [`sums`](Self::sums), for differences that are all the same.
    fn equal_sums(self, difference: u64) -> Self::Sums;

    /// Adds the value before the block, and stores the sums. Returns the last value.
    fn put(self, sums: Self::Sums, carry: Self::Carry, to: &mut [Slot; 64]) -> Self::Carry;

    /// Same as [`put`](Self::put), for up to 64 bytes of values.
    #[inline(always)]
    fn put_up_to(self, sums: Self::Sums, carry: Self::Carry, to: &mut [Slot]) -> Self::Carry {
        let memory::Lines(block) = &mut memory::Lines([Slot::uninit(); 64]);
        let carry = self.put(sums, carry, block);
        memory::copy_front(to, block);
        carry
    }

    /// Sums differences from the last bytes of the input: blocks of which each takes `stride` bytes.
    #[inline(always)]
    fn sum_rest(
        self,
        plan: &Self::Plan,
        stride: usize,
        src: &[u8],
        carry: Self::Carry,
        dst: &mut [Slot],
    ) -> Self::Carry {
        kernel::sum_rest(self, plan, stride, src, carry, dst)
    }
}

dispatch! {
    fn decode_list<const K: usize>(src: &[u8], start: usize, to: &mut [Slot]) -> Result<usize, Error> = kernel::decode::<K, _>, or scalar::decode::<K>;
    fn encode_list<const K: usize, N: Number>(format: Format, values: &[N], to: &mut [Slot]) -> Option<usize> = encode::encode::<K, _, N>, or encode::encode_scalar::<K, N>;
}

/// Returns the number of values that a stream claims to have. Only the header is checked: see
/// [`validate`].
///
/// # Errors
///
/// [`Error`] if the header is malformed.
pub fn stored(src: &[u8]) -> Result<u64, Error> {
    blocks::Header::read(src).map(|header| header.values)
}

/// Performs every check of [`decode`] without unpacking any values. Returns the number of values,
/// and the length of the stream in bytes; more bytes may follow it.
///
/// ```
/// use bytelane::delta;
///
/// let mut page = delta::encode_to_vec(&[1i64, 5, 7]);
/// let length = page.len();
/// page.extend(b"more");
/// assert_eq!(delta::validate::<i64>(&page)?, (3, length));
/// # Ok::<(), delta::Error>(())
/// ```
///
/// # Errors
///
/// The same as [`decode`].
pub fn validate<T: Integer>(src: &[u8]) -> Result<(u64, usize), Error> {
    let header = blocks::Header::read(src)?;
    let length = match size_of::<T>() {
        4 => blocks::Miniblocks::<4>::new(src, header).skip_all(),
        _ => blocks::Miniblocks::<8>::new(src, header).skip_all(),
    };
    Ok((header.values, length?))
}

/// Returns the maximum number of bytes that [`encode`] writes for `count` values; `usize::MAX` if
/// it does not fit in a `usize`.
#[must_use]
pub const fn max_encoded_len<T: Integer>(count: usize) -> usize {
    Format::STANDARD.max_encoded_len::<T>(count)
}

forms! {
    /// Encodes values to the front of `dst`, in blocks of 128. Returns the number of bytes. If `dst` is
    /// longer, bytes after the result may be overwritten.
    ///
    /// # Errors
    ///
    /// [`DestinationError`] if the result does not fit; the contents of `dst` are then unspecified.
    encode[T: Integer](values: &[T]) -> dst: [u8], DestinationError;
    encode_with: |backend| Format::STANDARD.operation(backend, values);
    encode_append -> usize: Format::STANDARD.encoded_len(values);
    encode_to_vec;
}

forms! {
    /// Decodes the first values of a stream, up to the length of `values`. Returns the number of bytes
    /// read, up to the end of the last miniblock. If all values were read, this is the length of the
    /// stream; more bytes may follow it.
    ///
    /// # Errors
    ///
    /// [`Error`] for the first malformed part; [`ErrorKind::Count`] if the stream has fewer values. The
    /// contents of `values` are then unspecified.
    ///
    /// ```
    /// use bytelane::delta::{self, ErrorKind};
    ///
    /// let encoded = delta::encode_to_vec(&[7i32, 8, 9]);
    /// let mut two = [0i32; 2];
    /// delta::decode(&encoded, &mut two)?;
    /// assert_eq!(two, [7, 8]);
    /// let error = delta::decode(&encoded, &mut [0i32; 4]).unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::Count { values: 3 });
    /// # Ok::<(), delta::Error>(())
    /// ```
    decode[T: Integer](src: &[u8]) -> values: [T; count] and ("number of bytes read", usize), Error;
    decode_with: |backend| Decode(Part::<T>::new(src, 0..count, backend));
    ///
    /// Memory for `count` values is allocated only after checking that the whole stream has them. A
    /// miniblock of width 0 has no bytes, so a short stream can legitimately have many values: limit
    /// `count` for untrusted input.
    decode_append: check_count::<T>(src, count)?;
    decode_to_vec;
}

forms! {
    /// Decodes the values of a range to the front of `values`. Returns their number. The differences
    /// before the range are summed, but not stored.
    ///
    /// # Errors
    ///
    /// The same as [`decode`]; [`ErrorKind::Range`] if the range begins after its end,
    /// [`ErrorKind::Destination`] if `values` is too short.
    ///
    /// ```
    /// use bytelane::delta;
    ///
    /// let encoded = delta::encode_to_vec(&[3i64, 1, 4, 1, 5]);
    /// let mut two = [0i64; 2];
    /// assert_eq!(delta::decode_range(&encoded, 2..4, &mut two)?, 2);
    /// assert_eq!(two, [4, 1]);
    /// # Ok::<(), delta::Error>(())
    /// ```
    decode_range[T: Integer](src: &[u8], range: Range<usize>) -> values: [T], Error;
    decode_range_with: |backend| Decode(Part::<T>::new(src, range, backend));
}

/// Checks a whole stream, and that it has at least `count` values. Returns `count`.
#[cfg(feature = "alloc")]
fn check_count<T: Integer>(src: &[u8], count: usize) -> Result<usize, Error> {
    let (values, _) = validate::<T>(src)?;
    if count as u64 > values {
        return Err(Error::nowhere(ErrorKind::Count { values }));
    }
    Ok(count)
}

/// Decodes a range of values of a stream.
pub(crate) struct Decode<'a, T>(Part<'a, T>);

impl<T: Integer> Fill for Decode<'_, T> {
    /// Number of bytes read.
    type Done = usize;
    type Error = Error;

    #[inline]
    fn fill(self, to: &mut [Slot]) -> Result<(usize, usize), Error> {
        self.0.fill(to, T::decode)
    }
}
