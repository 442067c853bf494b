//! Public functions that write streams.
#![forbid(unsafe_code)]

use super::{Format, Integer};
use crate::memory::{self, Fill, Slot};
use crate::{Destination, DestinationError, Detected};
#[cfg(feature = "alloc")]
use alloc::vec::Vec;

impl Format {
    /// Returns the maximum number of bytes that [`encode`](Self::encode) writes for `count` values;
    /// `usize::MAX` if it does not fit in a `usize`.
    #[must_use]
    pub const fn max_encoded_len<T: Integer>(self, count: usize) -> usize {
        let blocks = count.div_ceil(self.block());
        let values = self.block().saturating_mul(size_of::<T>());
        let block = values.saturating_add(10 + self.miniblocks());
        blocks.saturating_mul(block).saturating_add(40)
    }

    /// Returns the number of bytes that [`encode`](Self::encode) writes. It looks at all values.
    #[must_use]
    pub fn encoded_len<T: Integer>(self, values: &[T]) -> usize {
        T::encoded_len(self, values)
    }

    /// Encodes values to the front of `dst`. Returns the number of bytes. If `dst` is longer, bytes
    /// after the result may be overwritten.
    ///
    /// # Errors
    ///
    /// [`DestinationError`] if the result does not fit; the contents of `dst` are then unspecified.
    #[inline]
    pub fn encode<T: Integer>(
        self,
        values: &[T],
        dst: &mut [u8],
    ) -> Result<usize, DestinationError> {
        let written = self.encode_with(Detected::active(), values, dst);
        written.map(|written| written.len())
    }

    /// Same as [`encode`](Self::encode), on a backend of the caller's choice, into memory that need
    /// not be initialised. Returns the bytes written.
    ///
    /// # Errors
    ///
    /// The same as [`encode`](Self::encode).
    #[inline]
    pub fn encode_with<'a, T: Integer>(
        self,
        backend: Detected,
        values: &[T],
        dst: impl Into<Destination<'a, u8>>,
    ) -> Result<&'a mut [u8], DestinationError> {
        let (written, ()) = dst.into().fill(self.operation(backend, values))?;
        Ok(written)
    }

    /// Same as [`encode`](Self::encode), but appends to a `Vec`. Returns the number of bytes.
    #[cfg(feature = "alloc")]
    #[inline]
    pub fn encode_append<T: Integer>(self, values: &[T], to: &mut Vec<u8>) -> usize {
        let operation = self.operation(Detected::active(), values);
        let appended = memory::append(operation, self.encoded_len(values), to);
        appended.expect("there is room").0
    }

    /// Same as [`encode`](Self::encode), but returns a new `Vec`.
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn encode_to_vec<T: Integer>(self, values: &[T]) -> Vec<u8> {
        let mut encoded = Vec::new();
        self.encode_append(values, &mut encoded);
        encoded
    }

    #[inline]
    fn operation<T: Integer>(self, backend: Detected, values: &[T]) -> Encode<'_, T> {
        Encode {
            format: self,
            values,
            backend,
        }
    }
}

/// Encodes values to a stream.
pub(crate) struct Encode<'a, T> {
    format: Format,
    values: &'a [T],
    backend: Detected,
}

impl<T: Integer> Fill for Encode<'_, T> {
    type Done = ();
    type Error = DestinationError;

    #[inline]
    fn fill(self, to: &mut [Slot]) -> Result<(usize, ()), DestinationError> {
        match T::encode(self.format, self.values, to, self.backend) {
            Some(length) => Ok((length, ())),
            None => Err(too_short(self.format, self.values, to.len())),
        }
    }
}

#[cold]
fn too_short<T: Integer>(format: Format, values: &[T], given: usize) -> DestinationError {
    DestinationError::new(format.encoded_len(values), given)
}
