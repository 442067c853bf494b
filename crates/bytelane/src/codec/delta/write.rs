//! Public functions that write streams.
#![forbid(unsafe_code)]

use super::{Format, Integer};
use crate::memory::{Fill, Slot, forms};
use crate::{DestinationError, Detected};

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

    forms! {
        /// Encodes values to the front of `dst`. Returns the number of bytes. If `dst` is longer, bytes
        /// after the result may be overwritten.
        ///
        /// # Errors
        ///
        /// [`DestinationError`] if the result does not fit; the contents of `dst` are then unspecified.
        encode[T: Integer](self, values: &[T]) -> dst: [u8], DestinationError;
        encode_with: |backend| self.operation(backend, values);
        encode_append -> usize: self.encoded_len(values);
        encode_to_vec;
    }

    #[inline]
    pub(super) fn operation<T: Integer>(self, backend: Detected, values: &[T]) -> Encode<'_, T> {
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
