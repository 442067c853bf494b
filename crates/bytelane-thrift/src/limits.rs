//! Limits on the cost of a message, and options for reading.

/// Limits that apply when a message is read, skipped and written.
///
/// Whatever the limits are, a container that claims more elements than the remaining bytes can hold
/// is rejected before memory is reserved, and all containers together cannot claim more elements
/// than the whole message can hold. So memory is bounded by the length of the message times the
/// largest ratio of an element's size in memory to its encoded size, and by
/// [`total_allocation`](Self::total_allocation).
///
/// ```
/// use bytelane_thrift::Limits;
///
/// let limits = Limits::default().with_string(1 << 20);
/// assert_eq!((limits.string, limits.depth), (1 << 20, 64));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// Maximum nesting depth of structs and containers, 64 by default. The stack bounds it.
    pub depth: u32,
    /// Maximum number of elements of a list or set, or entries of a map. 2³¹ - 1 by default, the
    /// maximum of the formats.
    pub container: usize,
    /// Maximum number of bytes of a string or binary. 2³¹ - 1 by default, the maximum of the
    /// formats.
    pub string: usize,
    /// Maximum number of bytes that all values of a message together may take on the heap when they
    /// are read: 256 MiB by default. Values that grow are counted each time before they grow, so
    /// the peak is within the limit.
    pub total_allocation: usize,
}

impl Default for Limits {
    #[inline]
    fn default() -> Self {
        Self {
            depth: 64,
            container: i32::MAX as usize,
            string: i32::MAX as usize,
            total_allocation: 256 << 20,
        }
    }
}

impl Limits {
    /// Returns these limits with another [`depth`](Self::depth).
    #[must_use]
    pub fn with_depth(mut self, depth: u32) -> Self {
        self.depth = depth;
        self
    }

    /// Returns these limits with another [`container`](Self::container) size.
    #[must_use]
    pub fn with_container(mut self, elements: usize) -> Self {
        self.container = elements;
        self
    }

    /// Returns these limits with another [`string`](Self::string) length.
    #[must_use]
    pub fn with_string(mut self, bytes: usize) -> Self {
        self.string = bytes;
        self
    }

    /// Returns these limits with another [`total_allocation`](Self::total_allocation).
    #[must_use]
    pub fn with_total_allocation(mut self, bytes: usize) -> Self {
        self.total_allocation = bytes;
        self
    }

    /// Returns these limits, lowered to the maximum of the formats.
    #[inline]
    pub(crate) fn within_formats(mut self) -> Self {
        self.container = self.container.min(i32::MAX as usize);
        self.string = self.string.min(i32::MAX as usize);
        self
    }
}

/// Options for reading a message. [`Limits`] convert to it: every call accepts either.
///
/// ```
/// use bytelane_thrift::{Binary, ErrorKind, Limits, Message, Options, Thrift};
///
/// #[derive(Debug, PartialEq, Thrift)]
/// struct Number {
///     #[thrift(id = 1)]
///     number: i64,
/// }
///
/// let message = b"\x08\0\x01\0\0\0\x05\0"; // field 1 as an i32
/// assert_eq!(Number::decode::<Binary>(message)?.number, 0);
/// let options = Options::from(Limits::default()).with_strict_types(true);
/// let error = Number::decode_with::<Binary>(message, options).unwrap_err();
/// assert!(matches!(error.kind(), ErrorKind::WrongType { .. }));
/// # Ok::<(), bytelane_thrift::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// Limits on the cost of a message.
    pub limits: Limits,
    /// True if a field whose type in the message differs from the declared type is an error.
    /// Otherwise, and by default, it is skipped, as if it were missing.
    pub strict_types: bool,
    /// True to accept the invalid JSON that Apache Thrift's library for Python writes: unescaped
    /// control characters in strings, `nan` and `inf` without quotes, and in SimpleJSON 0 and 1 for
    /// bools. False by default.
    pub lenient_json: bool,
}

impl Options {
    /// Returns these options with other [`limits`](Self::limits).
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Returns these options with another [`strict_types`](Self::strict_types).
    #[must_use]
    pub fn with_strict_types(mut self, strict: bool) -> Self {
        self.strict_types = strict;
        self
    }

    /// Returns these options with another [`lenient_json`](Self::lenient_json).
    #[must_use]
    pub fn with_lenient_json(mut self, lenient: bool) -> Self {
        self.lenient_json = lenient;
        self
    }
}

impl From<Limits> for Options {
    #[inline]
    fn from(limits: Limits) -> Self {
        Self {
            limits,
            ..Self::default()
        }
    }
}

impl From<&Limits> for Options {
    #[inline]
    fn from(limits: &Limits) -> Self {
        Self::from(*limits)
    }
}

impl From<&Options> for Options {
    #[inline]
    fn from(options: &Options) -> Self {
        *options
    }
}
