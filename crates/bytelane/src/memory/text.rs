//! Operations that produce text, and operations that find the part of an input that is text.

use super::{Destination, Faithful};
#[cfg(feature = "alloc")]
use super::{append, append_to_room, extend};
#[cfg(feature = "alloc")]
use alloc::{string::String, vec::Vec};

/// A [`Faithful`] operation that writes text: the proof that a `String` relies on. The `claims.rs`
/// of each codec has the implementations, and argues for each.
///
/// # Safety
///
/// If `fill` returns `Ok` with a number of bytes, that many bytes at the front of its destination
/// are UTF-8.
pub unsafe trait Text: Faithful {}

impl<'a> Destination<'a, u8> {
    /// Same as [`fill`](Self::fill), but returns text.
    #[inline]
    pub(crate) fn fill_text<F: Text>(
        self,
        operation: F,
    ) -> Result<(&'a mut str, F::Done), F::Error> {
        let (written, done) = self.fill(operation)?;
        debug_assert!(core::str::from_utf8(written).is_ok());
        // SAFETY: these bytes are UTF-8, since the operation is `Text`.
        Ok((unsafe { core::str::from_utf8_unchecked_mut(written) }, done))
    }
}

/// Destination that text can be appended to: a `String` or a `Vec<u8>`.
#[cfg(feature = "alloc")]
pub trait Buffer: Append {}

#[cfg(feature = "alloc")]
impl Buffer for Vec<u8> {}

#[cfg(feature = "alloc")]
impl Buffer for String {}

/// The private half of [`Buffer`]. It cannot be named outside this crate, so no other type can
/// implement it.
#[cfg(feature = "alloc")]
pub trait Append {
    /// Returns the destination that operations append to. It is one type for all buffers, so that
    /// operations are compiled in this crate and not in the caller's.
    fn appender(&mut self) -> Appender<'_>;
}

#[cfg(feature = "alloc")]
impl Append for Vec<u8> {
    #[inline]
    fn appender(&mut self) -> Appender<'_> {
        let start = self.len();
        Appender { bytes: self, start }
    }
}

#[cfg(feature = "alloc")]
impl Append for String {
    #[inline]
    fn appender(&mut self) -> Appender<'_> {
        // SAFETY: an `Appender` appends UTF-8, and removes no more than it has appended.
        unsafe { self.as_mut_vec() }.appender()
    }
}

/// Appends text. Used by `bytelane-thrift`.
#[cfg(feature = "alloc")]
#[inline]
pub fn append_text<B: Buffer>(to: &mut B, text: &str) {
    to.appender().push(text);
}

/// Bytes of a [`Buffer`]; text is appended after them.
#[cfg(feature = "alloc")]
pub struct Appender<'a> {
    bytes: &'a mut Vec<u8>,
    start: usize,
}

#[cfg(feature = "alloc")]
impl Appender<'_> {
    /// Returns the same destination, for a call that takes ownership.
    #[inline]
    pub(crate) fn again(&mut self) -> Appender<'_> {
        Appender {
            bytes: self.bytes,
            start: self.start,
        }
    }

    /// Returns the same destination, to which nothing has been appended.
    #[inline]
    pub(crate) fn restarted(self) -> Self {
        let start = self.bytes.len();
        Self {
            bytes: self.bytes,
            start,
        }
    }

    /// Returns the number of bytes that have been appended.
    #[inline]
    pub(crate) fn appended(&self) -> usize {
        self.bytes.len() - self.start
    }

    /// Returns the number of bytes that can be appended without reserving memory.
    #[inline]
    pub(crate) fn room(&self) -> usize {
        self.bytes.capacity() - self.bytes.len()
    }

    /// Appends up to `most` bytes: see [`append`].
    #[inline(always)]
    pub(crate) fn append<F: Text>(
        &mut self,
        operation: F,
        most: usize,
    ) -> Result<F::Done, F::Error> {
        append(operation, most, self.bytes).map(|(_, done)| done)
    }

    /// Appends a text.
    #[inline]
    pub(crate) fn push(&mut self, text: &str) {
        extend(self.bytes, text.as_bytes());
    }

    /// Makes room for more bytes.
    #[cold]
    #[inline(never)]
    pub(crate) fn reserve(&mut self, bytes: usize) {
        self.bytes.reserve(bytes);
    }

    /// Appends up to the number of bytes for which there is room: see [`append`].
    #[inline(always)]
    pub(crate) fn append_to_room<F: Text>(&mut self, operation: F) -> Result<F::Done, F::Error> {
        let room = self.room();
        append_to_room(operation, room, self.bytes).map(|(_, done)| done)
    }

    /// Removes everything that has been appended.
    #[inline]
    pub(crate) fn undo(&mut self) {
        self.bytes.truncate(self.start);
    }
}

/// An operation that finds the part of an input that is text.
pub(crate) trait Validate {
    /// Result of the operation besides that part.
    type Done;
    type Error;

    /// Returns the number of bytes at the front of `src` that are text.
    fn validate(self, src: &[u8]) -> Result<(usize, Self::Done), Self::Error>;
}

/// A [`Validate`] that reports correctly: the proof that [`prefix`] relies on. The `claims.rs` of
/// each codec has the implementations, and argues for each.
///
/// # Safety
///
/// If `validate` returns `Ok` with a number of bytes, that many bytes at the front of `src` are
/// UTF-8.
pub(crate) unsafe trait Validated: Validate {}

/// Returns the front of an input that is text.
#[inline(always)]
pub(crate) fn prefix<V: Validated>(operation: V, src: &[u8]) -> Result<(&str, V::Done), V::Error> {
    let (length, done) = operation.validate(src)?;
    let text = &src[..length];
    debug_assert!(core::str::from_utf8(text).is_ok());
    // SAFETY: these bytes are UTF-8, since the operation is `Validated`.
    Ok((unsafe { core::str::from_utf8_unchecked(text) }, done))
}
