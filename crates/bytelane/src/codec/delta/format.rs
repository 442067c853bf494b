//! Block sizes, and encoding with them.
#![forbid(unsafe_code)]

use super::Integer;
use crate::memory::{self, Fill, Slot};
use crate::{Destination, DestinationError, Detected};
#[cfg(feature = "alloc")]
use alloc::vec::Vec;

/// Number of values in the blocks and miniblocks of a stream. Decoders read them from the stream.
///
/// ```
/// use bytelane::delta::{self, Format};
///
/// let large = Format::new(1024, 8).expect("miniblocks of 128 values");
/// let encoded = large.encode_to_vec(&[1i64, 2, 3]);
/// assert_eq!(delta::decode_to_vec::<i64>(&encoded, 3)?.0, [1, 2, 3]);
/// # Ok::<(), delta::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Format {
    block: u32,
    miniblocks: u32,
}

impl Format {
    /// Blocks of 128 values in 4 miniblocks, which most writers use.
    pub const STANDARD: Self = Self {
        block: 128,
        miniblocks: 4,
    };

    /// Divides blocks of `block` values into `miniblocks` parts of the same size. `None` unless the
    /// block size is a multiple of 128 values below 2^31, and the miniblock size is a multiple of
    /// 32.
    #[must_use]
    pub const fn new(block: u32, miniblocks: u32) -> Option<Self> {
        let block_is_legal = block > 0 && block.is_multiple_of(128) && block <= i32::MAX as u32;
        if !block_is_legal || miniblocks == 0 || !block.is_multiple_of(miniblocks) {
            return None;
        }
        match block / miniblocks % 32 {
            0 => Some(Self { block, miniblocks }),
            _ => None,
        }
    }

    /// Returns the number of values in a block.
    pub(super) fn block(self) -> usize {
        self.block as usize
    }

    pub(super) fn miniblocks(self) -> usize {
        self.miniblocks as usize
    }

    /// Returns the number of values in a miniblock.
    pub(super) fn miniblock(self) -> usize {
        (self.block / self.miniblocks) as usize
    }

    /// Returns the maximum number of bytes that [`encode`](Self::encode) writes for `count` values;
    /// `usize::MAX` if it does not fit in a `usize`.
    #[must_use]
    pub const fn max_encoded_len<T: Integer>(self, count: usize) -> usize {
        let blocks = count.div_ceil(self.block as usize);
        let values = (self.block as usize).saturating_mul(size_of::<T>());
        let block = values.saturating_add(10 + self.miniblocks as usize);
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
