//! Public functions that write pages.
#![forbid(unsafe_code)]

use super::page::{HEADER, OFFSET, POSITION, vector_header};
use super::{Error, ErrorKind, Float, Format};
use crate::memory::{Fill, Slot, forms};
use crate::{DestinationError, Detected};

/// Number of vectors to sample for an estimate.
const SAMPLES: usize = 8;

impl Format {
    /// Returns the maximum number of bytes that [`encode`](Self::encode) writes for `count` values;
    /// `usize::MAX` if it does not fit in a `usize`.
    #[must_use]
    pub const fn max_encoded_len<T: Float>(self, count: usize) -> usize {
        let vectors = count.div_ceil(self.vector_len());
        let header = OFFSET + vector_header::<0>() + size_of::<T>();
        let values = count.saturating_mul(POSITION + size_of::<T>());
        let vectors = vectors.saturating_mul(header);
        values.saturating_add(vectors).saturating_add(HEADER)
    }

    /// Returns the number of bytes that [`encode`](Self::encode) writes. It does all of the work
    /// except writing.
    #[must_use]
    pub fn encoded_len<T: Float>(self, values: &[T]) -> usize {
        T::length(self, values, usize::MAX, Detected::active())
    }

    /// Estimates the number of bytes that [`encode`](Self::encode) would write, from up to eight
    /// vectors. If the estimate exceeds the size of the values, store them unchanged.
    ///
    /// ```
    /// use bytelane::alp::Format;
    ///
    /// let prices: Vec<f64> = (0..50_000).map(|i| f64::from(i % 999) / 100.0).collect();
    /// let estimate = Format::STANDARD.estimated_len(&prices);
    /// assert!(estimate.abs_diff(Format::STANDARD.encoded_len(&prices)) < estimate / 100);
    /// assert!(estimate < 8 * prices.len() / 6);
    /// ```
    #[must_use]
    pub fn estimated_len<T: Float>(self, values: &[T]) -> usize {
        T::length(self, values, SAMPLES, Detected::active())
    }

    forms! {
        /// Encodes values to the front of `dst`. Returns the number of bytes. If `dst` is longer, bytes
        /// after the result may be overwritten.
        ///
        /// # Errors
        ///
        /// [`ErrorKind::Destination`] if the result does not fit; the contents of `dst` are then
        /// unspecified. [`ErrorKind::Size`] if there are more values, or more bytes, than a page can
        /// have.
        encode[T: Float](self, values: &[T]) -> dst: [u8], Error;
        encode_with: |backend| self.operation(backend, values);
        /// Room for [`max_encoded_len`](Self::max_encoded_len) is reserved.
        ///
        /// # Errors
        ///
        /// [`ErrorKind::Size`] if there are more values, or more bytes, than a page can have; the `Vec`
        /// is unchanged then.
        encode_append: self.room(values)?;
        encode_to_vec;
    }

    /// Returns how much memory to reserve for a page.
    #[cfg(feature = "alloc")]
    #[inline]
    fn room<T: Float>(self, values: &[T]) -> Result<usize, Error> {
        check_count(values)?;
        Ok(self.max_encoded_len::<T>(values.len()))
    }

    #[inline]
    fn operation<T: Float>(self, backend: Detected, values: &[T]) -> Encode<'_, T> {
        Encode {
            format: self,
            values,
            backend,
        }
    }
}

/// Returns [`Format::max_encoded_len`] for vectors of 1024 values.
#[must_use]
pub const fn max_encoded_len<T: Float>(count: usize) -> usize {
    Format::STANDARD.max_encoded_len::<T>(count)
}

/// Returns [`Format::estimated_len`] for vectors of 1024 values.
#[must_use]
pub fn estimated_len<T: Float>(values: &[T]) -> usize {
    Format::STANDARD.estimated_len(values)
}

forms! {
    /// Encodes values to the front of `dst`, in vectors of 1024. Returns the number of bytes. If `dst`
    /// is longer, bytes after the result may be overwritten.
    ///
    /// # Errors
    ///
    /// The same as [`Format::encode`].
    encode[T: Float](values: &[T]) -> dst: [u8], Error;
    encode_with: |backend| Format::STANDARD.operation(backend, values);
    ///
    /// # Errors
    ///
    /// The same as [`Format::encode_append`].
    encode_append: Format::STANDARD.room(values)?;
    encode_to_vec;
}

/// Encodes values to a page.
pub(crate) struct Encode<'a, T> {
    format: Format,
    values: &'a [T],
    backend: Detected,
}

/// Fails if there are more values than a page can have.
#[inline]
fn check_count<T>(values: &[T]) -> Result<(), Error> {
    match i32::try_from(values.len()) {
        Ok(_) => Ok(()),
        Err(_) => Err(Error::nowhere(ErrorKind::Size)),
    }
}

impl<T: Float> Fill for Encode<'_, T> {
    type Done = ();
    type Error = Error;

    #[inline]
    fn fill(self, to: &mut [Slot]) -> Result<(usize, ()), Error> {
        check_count(self.values)?;
        match T::encode(self.format, self.values, to, self.backend) {
            Some(length) if length as u64 <= u64::from(u32::MAX) => Ok((length, ())),
            Some(_) => Err(Error::nowhere(ErrorKind::Size)),
            None => Err(self.too_short(to.len())),
        }
    }
}

impl<T: Float> Encode<'_, T> {
    #[cold]
    fn too_short(&self, given: usize) -> Error {
        let needed = T::length(self.format, self.values, usize::MAX, self.backend);
        DestinationError::new(needed, given).into()
    }
}
