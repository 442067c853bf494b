//! The public functions that read pages.
#![forbid(unsafe_code)]

use super::{Error, ErrorKind, Float, page};
use crate::memory::{Fill, Part, Slot, forms};
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

forms! {
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
    decode[T: Float](src: &[u8]) -> values: [T; count] and ("number of bytes read", usize), Error;
    decode_with: |backend| Decode(Part::<T>::new(src, 0..count, backend));
    ///
    /// Memory for `count` values is allocated only after checking that the whole page has them. A
    /// vector whose values are all equal takes a few bytes, so a short page can legitimately have many
    /// values: limit `count` for untrusted input.
    decode_append: check_count::<T>(src, count)?;
    decode_to_vec;
}

forms! {
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
    decode_range[T: Float](src: &[u8], range: Range<usize>) -> values: [T], Error;
    decode_range_with: |backend| Decode(Part::<T>::new(src, range, backend));
}

/// Checks a whole page, and that it has at least `count` values. Returns `count`.
#[cfg(feature = "alloc")]
fn check_count<T: Float>(src: &[u8], count: usize) -> Result<usize, Error> {
    let (values, _) = validate::<T>(src)?;
    if count > values {
        return Err(Error::nowhere(ErrorKind::Count { values }));
    }
    Ok(count)
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
