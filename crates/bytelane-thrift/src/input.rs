//! Input of a reader, with an account of its cost.

use crate::{Error, ErrorKind, Items, Limits, Options, Type};
use bytelane::{Value, big_endian, utf8};

/// A position in a message, to which a reader can return.
#[derive(Clone, Copy, Debug)]
pub struct Mark<'de> {
    rest: &'de [u8],
    depth: u32,
    unclaimed: usize,
    /// State of a reader of JSON: the separator before the next value.
    pub(crate) separator: u8,
    pub(crate) key: bool,
    /// State of a reader with a mask.
    pub(crate) level: (usize, u32),
}

/// Remaining bytes of a message, and remaining limits.
#[derive(Clone, Copy, Debug)]
pub struct Input<'de> {
    pub(crate) rest: &'de [u8],
    /// Length of the whole message.
    total: usize,
    limits: Limits,
    /// Number of bytes of the message that no container has claimed for its elements.
    unclaimed: usize,
    /// False once a struct had a field whose id is not greater than the one before it. Only the compact protocol sets it.
    pub(crate) is_ordered: bool,
    /// True if a field of another type is an error.
    pub(crate) strict_types: bool,
    /// True if JSON may have the form that Apache Thrift for Python writes.
    pub(crate) lenient_json: bool,
    /// True if structs within the value keep the fields that are not in the message.
    pub(crate) merges: bool,
    #[cfg(feature = "bytes")]
    pub(crate) shared: Option<&'de bytes::Bytes>,
}

impl<'de> Input<'de> {
    /// Reads all of a message.
    #[inline]
    #[must_use]
    pub fn new(message: &'de [u8], options: impl Into<Options>) -> Self {
        let options = options.into();
        Self {
            rest: message,
            total: message.len(),
            limits: options.limits.within_formats(),
            unclaimed: message.len(),
            is_ordered: true,
            strict_types: options.strict_types,
            lenient_json: options.lenient_json,
            merges: false,
            #[cfg(feature = "bytes")]
            shared: None,
        }
    }

    /// Reads all of a message. Fields of the type [`bytes::Bytes`] share its memory.
    #[cfg(feature = "bytes")]
    #[inline]
    #[must_use]
    pub fn shared(message: &'de bytes::Bytes, options: impl Into<Options>) -> Self {
        let mut input = Self::new(message, options);
        input.shared = Some(message);
        input
    }

    /// Returns bytes of the message: in its memory if that is shared, else a copy, which is
    /// charged.
    ///
    /// # Errors
    ///
    /// The copy exceeds the limit.
    #[cfg(feature = "bytes")]
    #[inline]
    pub fn share(&mut self, bytes: &'de [u8]) -> Result<bytes::Bytes, Error> {
        if let Some(message) = self.shared {
            return Ok(message.slice_ref(bytes));
        }
        self.charge(bytes.len())?;
        Ok(bytes::Bytes::copy_from_slice(bytes))
    }

    /// Returns the part of a message after `bytes` bytes, and the rest of its limits.
    pub(crate) fn behind(message: &'de [u8], bytes: usize, options: impl Into<Options>) -> Self {
        let mut input = Self::new(message, options);
        input.rest = &message[bytes..];
        input
    }

    /// Returns the remaining limits: what was read is not part of them any more.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Returns the options, with the remaining limits.
    #[cfg(feature = "apache")]
    pub(crate) fn options(&self) -> Options {
        let options = Options::from(self.limits).with_strict_types(self.strict_types);
        options.with_lenient_json(self.lenient_json)
    }

    /// Marks the position before the next byte.
    #[inline]
    pub(crate) fn mark(&self) -> Mark<'de> {
        Mark {
            rest: self.rest,
            depth: self.limits.depth,
            unclaimed: self.unclaimed,
            separator: 0,
            key: false,
            level: (0, 0),
        }
    }

    /// Returns to a position. Charges since then remain.
    pub(crate) fn reset(&mut self, mark: &Mark<'de>) {
        self.rest = mark.rest;
        self.limits.depth = mark.depth;
        self.unclaimed = mark.unclaimed;
    }

    /// Returns whether a field of another type than the declared one is an error.
    #[inline]
    #[must_use]
    pub fn has_strict_types(&self) -> bool {
        self.strict_types
    }

    /// Returns the number of bytes that have been read.
    #[inline]
    #[must_use]
    pub fn offset(&self) -> usize {
        self.total - self.rest.len()
    }

    /// Returns whether the fields of every struct read so far, except those that were skipped, are in
    /// strictly ascending order, as writers of the compact protocol write them. Otherwise, readers may
    /// disagree about which of two fields with the same id counts. Other protocols always return true.
    #[inline]
    #[must_use]
    pub fn is_ordered(&self) -> bool {
        self.is_ordered
    }

    /// Returns the bytes that have not been read.
    #[inline]
    #[must_use]
    pub fn rest(&self) -> &'de [u8] {
        self.rest
    }

    /// Creates an error at the next byte.
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

    /// Reads `count` big-endian numbers in one piece.
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

    /// Takes the bytes of a string whose length is given by the message.
    #[inline]
    pub(crate) fn take_string(&mut self, len: usize) -> Result<&'de [u8], Error> {
        self.check_string(len)?;
        self.take(len)
    }

    /// Takes the bytes of a text whose length is given by the message.
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

    /// Checks a size, which the formats limit to 2³¹ - 1.
    #[inline]
    pub(crate) fn size(&self, size: u32) -> Result<usize, Error> {
        if size > i32::MAX as u32 {
            return Err(self.error(ErrorKind::InvalidSize(i64::from(size.cast_signed()))));
        }
        Ok(size as usize)
    }

    /// Enters a struct or container.
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

    /// Charges `bytes` bytes on the heap to
    /// [`total_allocation`](Limits::total_allocation). Readers charge what they allocate
    /// themselves, and `cost` for each element of a container.
    ///
    /// # Errors
    ///
    /// The limit is exceeded.
    #[inline]
    pub fn charge(&mut self, bytes: usize) -> Result<(), Error> {
        match self.limits.total_allocation.checked_sub(bytes) {
            Some(left) => {
                self.limits.total_allocation = left;
                Ok(())
            }
            None => Err(self.error(ErrorKind::AllocationLimit)),
        }
    }

    /// Makes room for one more element of a list of unknown length, and charges it first: the whole
    /// list, since the elements are moved while their old memory is still allocated.
    #[inline]
    pub(crate) fn grow<T>(&mut self, values: &mut Vec<T>) -> Result<(), Error> {
        if values.len() < values.capacity() {
            return Ok(());
        }
        let more = usize::max(values.len(), 4);
        self.charge((values.len() + more).saturating_mul(size_of::<T>()))?;
        values.reserve_exact(more);
        Ok(())
    }

    /// Checks that a container may have one more element.
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
        // The bytes of an element cannot be those of another: all containers share the bytes of the
        // message.
        let claimed = len.saturating_mul(smallest);
        let left = self.unclaimed.checked_sub(claimed);
        let Some(left) = left.filter(|_| claimed <= self.rest.len()) else {
            return Err(self.error(ErrorKind::UnexpectedEnd));
        };
        self.unclaimed = left;
        self.charge(len.saturating_mul(cost))?;
        self.enter()?;
        Ok(Items {
            left: len,
            element,
            value,
            map: false,
        })
    }

    /// Returns whether there is another element, if the number of elements is known.
    #[inline]
    pub(crate) fn next(&mut self, items: &mut Items) -> bool {
        if items.left == 0 {
            self.leave();
            return false;
        }
        items.left -= 1;
        true
    }

    /// Checks that a value has the expected type.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`] if it has another one.
    #[inline]
    pub fn expect(&self, expected: Option<Type>, found: Type) -> Result<(), Error> {
        match expected {
            Some(expected) if expected != found => {
                Err(self.error(ErrorKind::WrongType { expected, found }))
            }
            _ => Ok(()),
        }
    }
}

impl Items {
    /// Makes room for one more element, and charges it, if the format does not store their number.
    #[inline]
    pub(crate) fn make_room<T>(
        &self,
        input: &mut Input<'_>,
        values: &mut Vec<T>,
    ) -> Result<(), Error> {
        match self.left() {
            Some(_) => Ok(()),
            None => input.grow(values),
        }
    }

    /// Charges `cost` bytes of memory for one element, if the format does not store their number.
    #[inline]
    pub(crate) fn pay(&self, input: &mut Input<'_>, cost: usize) -> Result<(), Error> {
        match self.left() {
            Some(_) => Ok(()),
            None => input.charge(cost),
        }
    }

    /// Charges the memory of the first element, unless there is none.
    #[inline]
    pub(crate) fn pay_first(&self, input: &mut Input<'_>, cost: usize) -> Result<(), Error> {
        match self.left {
            0 => Ok(()),
            _ => input.charge(cost),
        }
    }
}
