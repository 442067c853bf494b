//! Public functions that write pages.
#![forbid(unsafe_code)]

use super::page::{HEADER, OFFSET, POSITION, vector_header};
use super::{Error, ErrorKind, Float, Format};
use crate::memory::{self, Fill, Slot};
use crate::{Destination, DestinationError, Detected};
#[cfg(feature = "alloc")]
use alloc::vec::Vec;

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

    /// Encodes values to the front of `dst`. Returns the number of bytes. If `dst` is longer, bytes
    /// after the result may be overwritten.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Destination`] if the result does not fit; the contents of `dst` are then
    /// unspecified. [`ErrorKind::Size`] if there are more values, or more bytes, than a page can
    /// have.
    #[inline]
    pub fn encode<T: Float>(self, values: &[T], dst: &mut [u8]) -> Result<usize, Error> {
        let written = self.encode_with(Detected::active(), values, dst);
        written.map(|written| written.len())
    }

    /// Same as [`encode`], on a backend of the caller's choice, into memory that need not be
    /// initialised. Returns the bytes written.
    ///
    /// # Errors
    ///
    /// The same as [`encode`](Self::encode).
    #[inline]
    pub fn encode_with<'a, T: Float>(
        self,
        backend: Detected,
        values: &[T],
        dst: impl Into<Destination<'a, u8>>,
    ) -> Result<&'a mut [u8], Error> {
        let (written, ()) = dst.into().fill(self.operation(backend, values))?;
        Ok(written)
    }

    /// Same as [`encode`](Self::encode), but appends to a `Vec`. Returns the number of bytes. Room
    /// for [`max_encoded_len`](Self::max_encoded_len) is reserved.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Size`] if there are more values, or more bytes, than a page can have; the `Vec`
    /// is unchanged then.
    #[cfg(feature = "alloc")]
    #[inline]
    pub fn encode_append<T: Float>(self, values: &[T], to: &mut Vec<u8>) -> Result<usize, Error> {
        let operation = self.operation(Detected::active(), values);
        operation.check_count()?;
        let most = self.max_encoded_len::<T>(values.len());
        Ok(memory::append(operation, most, to)?.0)
    }

    /// Same as [`encode`](Self::encode), but returns a new `Vec`.
    ///
    /// # Errors
    ///
    /// The same as [`encode_append`](Self::encode_append).
    #[cfg(feature = "alloc")]
    pub fn encode_to_vec<T: Float>(self, values: &[T]) -> Result<Vec<u8>, Error> {
        let mut encoded = Vec::new();
        self.encode_append(values, &mut encoded)?;
        Ok(encoded)
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

/// Encodes values to the front of `dst`, in vectors of 1024. Returns the number of bytes. If `dst`
/// is longer, bytes after the result may be overwritten.
///
/// # Errors
///
/// The same as [`Format::encode`].
#[inline]
pub fn encode<T: Float>(values: &[T], dst: &mut [u8]) -> Result<usize, Error> {
    Format::STANDARD.encode(values, dst)
}

/// Same as [`encode`], on a backend of the caller's choice, into memory that need not be
/// initialised. Returns the bytes written.
///
/// # Errors
///
/// The same as [`encode`].
#[inline]
pub fn encode_with<'a, T: Float>(
    backend: Detected,
    values: &[T],
    dst: impl Into<Destination<'a, u8>>,
) -> Result<&'a mut [u8], Error> {
    Format::STANDARD.encode_with(backend, values, dst)
}

/// Same as [`encode`], but appends to a `Vec`. Returns the number of bytes.
///
/// # Errors
///
/// The same as [`Format::encode_append`].
#[cfg(feature = "alloc")]
#[inline]
pub fn encode_append<T: Float>(values: &[T], to: &mut Vec<u8>) -> Result<usize, Error> {
    Format::STANDARD.encode_append(values, to)
}

/// Same as [`encode`], but returns a new `Vec`.
///
/// # Errors
///
/// The same as [`Format::encode_append`].
#[cfg(feature = "alloc")]
pub fn encode_to_vec<T: Float>(values: &[T]) -> Result<Vec<u8>, Error> {
    Format::STANDARD.encode_to_vec(values)
}

/// Encodes values to a page.
pub(crate) struct Encode<'a, T> {
    format: Format,
    values: &'a [T],
    backend: Detected,
}

impl<T: Float> Encode<'_, T> {
    /// Fails if there are more values than a page can have.
    #[inline]
    fn check_count(&self) -> Result<(), Error> {
        match i32::try_from(self.values.len()) {
            Ok(_) => Ok(()),
            Err(_) => Err(Error::nowhere(ErrorKind::Size)),
        }
    }
}

impl<T: Float> Fill for Encode<'_, T> {
    type Done = ();
    type Error = Error;

    #[inline]
    fn fill(self, to: &mut [Slot]) -> Result<(usize, ()), Error> {
        self.check_count()?;
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
