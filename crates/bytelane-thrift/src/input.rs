//! The bytes that a reader reads, and the account of what they cost.

use crate::{Error, ErrorKind, Items, Limits, Type};
use bytelane::{Value, big_endian, utf8};

/// What is left of a message, and what is left of its limits.
#[derive(Clone, Copy, Debug)]
pub struct Input<'de> {
    pub(crate) rest: &'de [u8],
    /// Length of the whole message.
    total: usize,
    limits: Limits,
    #[cfg(feature = "bytes")]
    pub(crate) shared: Option<&'de bytes::Bytes>,
}

impl<'de> Input<'de> {
    /// All of a message.
    #[must_use]
    pub fn new(message: &'de [u8], limits: &Limits) -> Self {
        Self {
            rest: message,
            total: message.len(),
            limits: limits.within_formats(),
            #[cfg(feature = "bytes")]
            shared: None,
        }
    }

    /// All of a message whose memory fields of the type [`bytes::Bytes`] share.
    #[cfg(feature = "bytes")]
    #[must_use]
    pub fn shared(message: &'de bytes::Bytes, limits: &Limits) -> Self {
        let mut input = Self::new(message, limits);
        input.shared = Some(message);
        input
    }

    /// What of a message is after so many bytes, and what is left of its limits.
    #[cfg(feature = "apache")]
    pub(crate) fn behind(message: &'de [u8], bytes: usize, limits: &Limits) -> Self {
        let mut input = Self::new(message, limits);
        input.rest = &message[bytes..];
        input
    }

    /// What is left of the limits.
    #[cfg(feature = "apache")]
    pub(crate) fn limits(&self) -> Limits {
        self.limits
    }

    /// How many bytes have been read.
    #[inline]
    #[must_use]
    pub fn offset(&self) -> usize {
        self.total - self.rest.len()
    }

    /// The bytes that have not been read.
    #[inline]
    #[must_use]
    pub fn rest(&self) -> &'de [u8] {
        self.rest
    }

    /// An error at the byte that is read next.
    #[cold]
    #[must_use]
    pub fn error(&self, kind: ErrorKind) -> Error {
        Error::new(kind, Some(self.offset()))
    }

    #[inline]
    pub(crate) fn byte(&mut self) -> Result<u8, Error> {
        let Some((&byte, rest)) = self.rest.split_first() else {
            return Err(self.error(ErrorKind::UnexpectedEnd));
        };
        self.rest = rest;
        Ok(byte)
    }

    #[inline]
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let Some((&array, rest)) = self.rest.split_first_chunk::<N>() else {
            return Err(self.error(ErrorKind::UnexpectedEnd));
        };
        self.rest = rest;
        Ok(array)
    }

    #[inline]
    pub(crate) fn take(&mut self, len: usize) -> Result<&'de [u8], Error> {
        let Some((bytes, rest)) = self.rest.split_at_checked(len) else {
            return Err(self.error(ErrorKind::UnexpectedEnd));
        };
        self.rest = rest;
        Ok(bytes)
    }

    /// Moves so many big-endian numbers in one piece.
    #[inline]
    pub(crate) fn big_endian<T: Value>(
        &mut self,
        count: usize,
        values: &mut Vec<T>,
    ) -> Result<(), Error> {
        let bytes = self.take(count * size_of::<T>())?;
        let moved = big_endian::decode_append(bytes, values);
        debug_assert!(
            moved.is_ok(),
            "a length that is a multiple of the value size"
        );
        Ok(())
    }

    /// Takes the bytes of a string whose length the message tells.
    #[inline]
    pub(crate) fn take_string(&mut self, len: usize) -> Result<&'de [u8], Error> {
        self.check_string(len)?;
        self.take(len)
    }

    /// Takes the bytes of a text whose length the message tells.
    #[inline]
    pub(crate) fn take_text(&mut self, len: usize) -> Result<&'de str, Error> {
        let bytes = self.take_string(len)?;
        utf8::validate(bytes).map_err(|error| {
            let start = self.offset() - bytes.len();
            Error::new(ErrorKind::InvalidUtf8, Some(start + error.valid_up_to()))
        })
    }

    #[inline]
    pub(crate) fn check_string(&self, len: usize) -> Result<(), Error> {
        if len > self.limits.string {
            return Err(self.error(ErrorKind::StringLimit(len)));
        }
        Ok(())
    }

    /// A size as the formats have it: at most 2³¹ - 1.
    #[inline]
    pub(crate) fn size(&self, size: u32) -> Result<usize, Error> {
        if size > i32::MAX as u32 {
            return Err(self.error(ErrorKind::InvalidSize(i64::from(size.cast_signed()))));
        }
        Ok(size as usize)
    }

    /// One struct or container deeper.
    #[inline]
    pub(crate) fn enter(&mut self) -> Result<(), Error> {
        match self.limits.depth.checked_sub(1) {
            Some(depth) => {
                self.limits.depth = depth;
                Ok(())
            }
            None => Err(self.error(ErrorKind::DepthLimit)),
        }
    }

    #[inline]
    pub(crate) fn leave(&mut self) {
        self.limits.depth += 1;
    }

    /// Accounts for so many bytes on the heap.
    #[inline]
    pub(crate) fn charge(&mut self, bytes: usize) -> Result<(), Error> {
        match self.limits.total_allocation.checked_sub(bytes) {
            Some(left) => {
                self.limits.total_allocation = left;
                Ok(())
            }
            None => Err(self.error(ErrorKind::AllocationLimit)),
        }
    }

    /// One more element of a container.
    #[inline]
    pub(crate) fn check_container(&self, len: usize) -> Result<(), Error> {
        if len > self.limits.container {
            return Err(self.error(ErrorKind::ContainerLimit(len)));
        }
        Ok(())
    }

    /// Enters a container that claims `len` elements or entries of at least `smallest` bytes, each
    /// of which takes `cost` bytes of memory.
    #[inline]
    pub(crate) fn enter_items(
        &mut self,
        len: usize,
        (element, value): (Type, Type),
        smallest: usize,
        cost: usize,
    ) -> Result<Items, Error> {
        self.check_container(len)?;
        if len.saturating_mul(smallest) > self.rest.len() {
            return Err(self.error(ErrorKind::UnexpectedEnd));
        }
        self.charge(len.saturating_mul(cost))?;
        self.enter()?;
        Ok(Items {
            left: len,
            element,
            value,
            cost,
            map: false,
        })
    }

    /// Whether there is one more element, where the number of elements is known.
    #[inline]
    pub(crate) fn next(&mut self, items: &mut Items) -> bool {
        if items.left == 0 {
            self.leave();
            return false;
        }
        items.left -= 1;
        true
    }

    /// That a value has the type that is expected of it.
    #[inline]
    pub(crate) fn expect(&self, expected: Option<Type>, found: Type) -> Result<(), Error> {
        match expected {
            Some(expected) if expected != found => {
                Err(self.error(ErrorKind::WrongType { expected, found }))
            }
            _ => Ok(()),
        }
    }
}
