//! The public functions that read pages.
#![forbid(unsafe_code)]

use super::{Error, ErrorKind, Float, page};
use crate::memory::{self, Fill, Part, Slot};
use crate::{Destination, Detected};
#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::ops::Range;

/// Returns the number of values that a page claims to have. Only the header is checked: see
/// [`validate`].
///
/// # Errors
///
/// [`Error`] if the header is malformed, or the input too short for the offsets of its vectors.
pub fn stored(src: &[u8]) -> Result<usize, Error> {
    page::Page::<8>::read(src).map(|page| page.count)
}

/// Performs every check of [`decode`] without decoding any values. Returns the number of values,
/// and the length of the page in bytes; more bytes may follow it.
///
/// ```
/// use bytelane::alp;
///
/// let mut page = alp::encode_to_vec(&[1.5f32, 2.25, f32::NAN])?;
/// let length = page.len();
/// page.extend(b"more");
/// assert_eq!(alp::validate::<f32>(&page)?, (3, length));
/// # Ok::<(), alp::Error>(())
/// ```
///
/// # Errors
///
/// The same as [`decode`].
pub fn validate<T: Float>(src: &[u8]) -> Result<(usize, usize), Error> {
    T::validate(src)
}

/// Decodes the first values of a page, up to the length of `values`. Returns the number of bytes
/// read, up to the end of the last vector. If all values were read, this is the length of the page;
/// more bytes may follow it.
///
/// # Errors
///
/// [`Error`] for the first malformed part; [`ErrorKind::Count`] if the page has fewer values. The
/// contents of `values` are then unspecified.
///
/// ```
/// use bytelane::alp::{self, ErrorKind};
///
/// let page = alp::encode_to_vec(&[0.1, 0.2, 0.3])?;
/// let mut two = [0.0; 2];
/// alp::decode(&page, &mut two)?;
/// assert_eq!(two, [0.1, 0.2]);
/// let error = alp::decode(&page, &mut [0.0; 4]).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Count { values: 3 });
/// # Ok::<(), alp::Error>(())
/// ```
#[inline]
pub fn decode<T: Float>(src: &[u8], values: &mut [T]) -> Result<usize, Error> {
    decode_with(Detected::active(), src, values).map(|(_, read)| read)
}

/// Same as [`decode`], on a backend of the caller's choice, into memory that need not be
/// initialised. Returns the values, which fill the destination, and the number of bytes read.
///
/// # Errors
///
/// The same as [`decode`].
#[inline]
pub fn decode_with<'a, T: Float>(
    backend: Detected,
    src: &[u8],
    values: impl Into<Destination<'a, T>>,
) -> Result<(&'a mut [T], usize), Error> {
    let values = values.into();
    let count = values.len();
    values.fill(Decode(Part::<T>::new(src, 0..count, backend)))
}

/// Same as [`decode`] of `count` values, but appends to a `Vec`. Returns the number of bytes read.
///
/// Memory for `count` values is allocated only after checking that the whole page has them. A
/// vector whose values are all equal takes a few bytes, so a short page can legitimately have many
/// values: limit `count` for untrusted input.
///
/// # Errors
///
/// The same as [`decode`]; the `Vec` is then unchanged.
#[cfg(feature = "alloc")]
#[inline]
pub fn decode_append<T: Float>(src: &[u8], count: usize, to: &mut Vec<T>) -> Result<usize, Error> {
    let (values, _) = validate::<T>(src)?;
    if count > values {
        return Err(Error::nowhere(ErrorKind::Count { values }));
    }
    let operation = Decode(Part::<T>::new(src, 0..count, Detected::active()));
    Ok(memory::append(operation, count, to)?.1)
}

/// Same as [`decode_append`], but to a new `Vec`. Returns it and the number of bytes read.
///
/// # Errors
///
/// The same as [`decode`].
#[cfg(feature = "alloc")]
pub fn decode_to_vec<T: Float>(src: &[u8], count: usize) -> Result<(Vec<T>, usize), Error> {
    let mut values = Vec::new();
    let read = decode_append(src, count, &mut values)?;
    Ok((values, read))
}

/// Decodes the values of a range to the front of `values`. Returns their number. Vectors outside
/// the range are not read, and only the requested part of the first and the last vector is decoded.
///
/// # Errors
///
/// The same as [`decode`], for the vectors of the range; [`ErrorKind::Range`] if the range begins
/// after its end, [`ErrorKind::Destination`] if `values` is too short.
///
/// ```
/// use bytelane::alp;
///
/// let page = alp::encode_to_vec(&[2.5f64, 7.25, 1.125, 0.5])?;
/// let mut two = [0.0; 2];
/// assert_eq!(alp::decode_range(&page, 1..3, &mut two)?, 2);
/// assert_eq!(two, [7.25, 1.125]);
/// # Ok::<(), alp::Error>(())
/// ```
#[inline]
pub fn decode_range<T: Float>(
    src: &[u8],
    range: Range<usize>,
    values: &mut [T],
) -> Result<usize, Error> {
    let written = decode_range_with(Detected::active(), src, range, values);
    written.map(|written| written.len())
}

/// Same as [`decode_range`], on a backend of the caller's choice, into memory that need not be
/// initialised. Returns the values written.
///
/// # Errors
///
/// The same as [`decode_range`].
#[inline]
pub fn decode_range_with<'a, T: Float>(
    backend: Detected,
    src: &[u8],
    range: Range<usize>,
    values: impl Into<Destination<'a, T>>,
) -> Result<&'a mut [T], Error> {
    let operation = Decode(Part::<T>::new(src, range, backend));
    let (written, _) = values.into().fill(operation)?;
    Ok(written)
}

/// Decodes a range of values of a page.
pub(crate) struct Decode<'a, T>(Part<'a, T>);

impl<T: Float> Fill for Decode<'_, T> {
    /// The number of bytes read.
    type Done = usize;
    type Error = Error;

    #[inline]
    fn fill(self, to: &mut [Slot]) -> Result<(usize, usize), Error> {
        self.0.fill(to, T::decode)
    }
}
