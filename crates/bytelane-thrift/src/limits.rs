//! Limits on the cost of a message, and options of reading.

/// Bounds on a message, when it is read, skipped and written.
///
/// Whatever the limits are, a container that claims more elements than the bytes left can hold is
/// refused before memory is reserved, and all containers together cannot claim more than the whole
/// message can hold. So memory is bounded by the length of the message times the size in memory of
/// the largest element per byte that encodes it, and by [`total_allocation`](Self::total_allocation).
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
    /// The maximum nesting depth of structs and containers, 64 by default. The stack bounds it.
    pub depth: u32,
    /// The maximum number of elements of a list or set, or entries of a map. 2³¹ - 1 by default, the maximum of the
    /// formats.
    pub container: usize,
    /// The maximum number of bytes of a string or binary. 2³¹ - 1 by default, as above.
    pub string: usize,
    /// The maximum number of bytes that all values of a message together may take on the heap when they are read:
    /// 256 MiB by default. What grows is counted each time before it grows, so the peak is within the limit.
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
    /// These limits with another [`depth`](Self::depth).
    #[must_use]
    pub fn with_depth(mut self, depth: u32) -> Self {
        self.depth = depth;
        self
    }

    /// These limits with another number of elements of a [`container`](Self::container).
    #[must_use]
    pub fn with_container(mut self, elements: usize) -> Self {
        self.container = elements;
        self
    }

    /// These limits with another length of a [`string`](Self::string).
    #[must_use]
    pub fn with_string(mut self, bytes: usize) -> Self {
        self.string = bytes;
        self
    }

    /// These limits with another [`total_allocation`](Self::total_allocation).
    #[must_use]
    pub fn with_total_allocation(mut self, bytes: usize) -> Self {
        self.total_allocation = bytes;
        self
    }

    /// These limits, and none beyond what the formats have.
    #[inline]
    pub(crate) fn within_formats(mut self) -> Self {
        self.container = self.container.min(i32::MAX as usize);
        self.string = self.string.min(i32::MAX as usize);
        self
    }
}

/// How a message is read. [`Limits`] convert into it: every call takes either.
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
    /// Limits of the cost of a message.
    pub limits: Limits,
    /// True if a field whose type in the message differs from the declared type is an error. Otherwise, and by default,
    /// it is skipped, as if the message lacked it.
    pub strict_types: bool,
    /// True if JSON is accepted that is not JSON but that Apache Thrift's library for Python writes: control characters
    /// in strings as they are, `nan` and `inf` without quotes, and in SimpleJSON 0 and 1 for bools. False by default.
    pub lenient_json: bool,
}

impl Options {
    /// These options with other [`limits`](Self::limits).
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// These options with other [`strict_types`](Self::strict_types).
    #[must_use]
    pub fn with_strict_types(mut self, strict: bool) -> Self {
        self.strict_types = strict;
        self
    }

    /// These options with other [`lenient_json`](Self::lenient_json).
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
