//! Errors of messages, and their positions.

use crate::{Segment, Type};
use std::fmt::{self, Write};

/// Error for a message that is malformed, exceeds a limit, or does not have the requested type.
///
/// It has the size of a pointer. It reports the kind of error, the byte of the input, and the
/// field.
///
/// ```
/// use bytelane_thrift::{Binary, ErrorKind, Message, Thrift};
///
/// #[derive(Debug, Thrift)]
/// struct Names {
///     #[thrift(id = 1)]
///     names: Vec<String>,
/// }
///
/// let message = b"\x0f\0\x01\x0b\0\0\0\x02\0\0\0\x01a\0\0\0\x09bc\0";
/// let error = Names::decode::<Binary>(message).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::UnexpectedEnd);
/// assert_eq!(error.offset(), Some(17));
/// assert_eq!(error.to_string(), "the message ends unexpectedly, at byte 17, in names[1]");
/// ```
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    /// Message passed to [`Error::custom`].
    message: Option<Box<str>>,
    offset: Option<usize>,
    /// Path from the innermost segment to the outermost.
    path: Vec<Segment>,
}

/// Kind of error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The message ends within a value, or a list claims more elements than the remaining bytes can
    /// hold.
    UnexpectedEnd,
    /// There are bytes after the message.
    TrailingBytes,
    /// The type of a value differs from that of the field, element, key or value.
    WrongType {
        /// Type of the Rust value.
        expected: Type,
        /// Type in the message.
        found: Type,
    },
    /// A number is not the code of any type.
    UnknownType(u8),
    /// A size is below 0, or above the maximum of the formats: 2³¹ - 1.
    InvalidSize(i64),
    /// Values are nested deeper than [`Limits::depth`](crate::Limits).
    DepthLimit,
    /// A container has more elements than [`Limits::container`](crate::Limits).
    ContainerLimit(usize),
    /// A string has more bytes than [`Limits::string`](crate::Limits).
    StringLimit(usize),
    /// All values together take more memory than
    /// [`Limits::total_allocation`](crate::Limits).
    AllocationLimit,
    /// A string is not UTF-8.
    InvalidUtf8,
    /// A byte is neither true nor false.
    InvalidBool(u8),
    /// A varint has too many bytes or bits.
    InvalidVarint,
    /// A number is out of the range of its type.
    NumberOutOfRange,
    /// A field id is above 2¹⁵ - 1.
    InvalidFieldId,
    /// The JSON has unexpected text.
    Syntax {
        /// Expected text.
        expected: &'static str,
    },
    /// A JSON string has an unescaped byte below 0x20.
    ControlCharacter,
    /// A JSON string has a backslash before a character that cannot be escaped, or `\u` without
    /// four hexadecimal digits.
    InvalidEscape,
    /// A JSON string has one half of a surrogate pair without the other.
    LoneSurrogate,
    /// Binary data is not valid base64.
    InvalidBase64,
    /// A UUID does not consist of 32 hexadecimal digits and four hyphens.
    InvalidUuid,
    /// A required field is missing.
    MissingField(&'static str),
    /// A union has no known field.
    EmptyUnion,
    /// A union has more than one field.
    SecondUnionField,
    /// A number is not a value of the enum, which has no variant for unknown numbers.
    UnknownEnumValue(i32),
    /// The protocol's dialect does not support a type.
    Unsupported(Type),
    /// The bytes of a borrowed field (`&str`, `&[u8]`) are not in the message unchanged: a JSON
    /// string with escapes, or base64. `Cow` accepts both.
    CannotBorrow,
    /// The message does not start like one of this protocol.
    InvalidVersion,
    /// The message is neither call, reply, exception nor oneway.
    InvalidMessageKind(u8),
    /// The length of a list or binary differs from that of its array.
    WrongLength {
        /// Length of the array.
        expected: usize,
        /// Length in the message.
        found: usize,
    },
    /// An unknown field was read from another protocol and cannot be converted.
    OtherProtocol,
    /// A frame, its [`Header`](crate::header::Header) or its transforms are malformed.
    InvalidFrame(&'static str),
    /// A frame, or a message before or after a transform, has more bytes than the limit.
    FrameLimit(usize),
    /// The header names a protocol that is not supported.
    UnknownProtocol(u32),
    /// The header names a transform that is not supported, or that needs the feature `transforms`.
    UnknownTransform(u32),
    /// An error created by [`Error::custom`].
    Custom,
}

impl Error {
    /// Creates an error for a handwritten implementation of [`Encode`](crate::Encode);
    /// [`Reader::error`](crate::Reader::error) creates one for reading. `offset` is the byte of the
    /// message, if there is one.
    #[cold]
    #[must_use]
    pub fn new(kind: ErrorKind, offset: Option<usize>) -> Self {
        Self(Box::new(Inner {
            kind,
            message: None,
            offset,
            path: Vec::new(),
        }))
    }

    /// Creates an error for a handwritten implementation of [`Encode`](crate::Encode) or
    /// [`Decode`](crate::Decode). The path of the field is added to it;
    /// [`Reader::custom_error`](crate::Reader::custom_error) creates one that also has an offset.
    ///
    /// ```
    /// use bytelane_thrift::{Error, ErrorKind};
    ///
    /// let error = Error::custom("the port must not be 0");
    /// assert_eq!(error.kind(), ErrorKind::Custom);
    /// assert_eq!(error.to_string(), "the port must not be 0");
    /// ```
    #[cold]
    pub fn custom(message: impl fmt::Display) -> Self {
        let mut error = Self::new(ErrorKind::Custom, None);
        error.0.message = Some(message.to_string().into());
        error
    }

    /// Returns the same error, at a byte of the message.
    #[cold]
    pub(crate) fn at(mut self, offset: usize) -> Self {
        self.0.offset = Some(offset);
        self
    }

    /// Returns the kind of error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the offset of the error in the message, in bytes; `None` for errors while writing.
    #[must_use]
    pub fn offset(&self) -> Option<usize> {
        self.0.offset
    }

    /// Returns the path from the message to the invalid value, outermost first.
    pub fn path(&self) -> impl Iterator<Item = Segment> {
        self.0.path.iter().rev().copied()
    }

    /// Returns the same error, in a part of a value: handwritten implementations of
    /// [`Encode`](crate::Encode) and [`Decode`](crate::Decode) add the segments from the innermost to
    /// the outermost.
    ///
    /// ```
    /// use bytelane_thrift::{Error, Segment};
    ///
    /// let error = Error::custom("the port must not be 0");
    /// let error = error.within(Segment::Index(3)).within(Segment::Field("ports"));
    /// assert_eq!(error.to_string(), "the port must not be 0, in ports[3]");
    /// ```
    #[cold]
    #[must_use]
    pub fn within(mut self, segment: Segment) -> Self {
        self.0.path.push(segment);
        self
    }

    /// Returns the same error, in an input with `bytes` bytes in front.
    #[cold]
    pub(crate) fn behind(mut self, bytes: usize) -> Self {
        self.0.offset = self.0.offset.map(|offset| offset + bytes);
        self
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::UnexpectedEnd => f.write_str("the message ends unexpectedly"),
            Self::TrailingBytes => f.write_str("unexpected bytes after the message"),
            Self::WrongType { expected, found } => {
                write!(f, "expected the type {expected}, found {found}")
            }
            Self::UnknownType(number) => write!(f, "{number} is not a type"),
            Self::InvalidSize(size) => write!(f, "the size {size} is out of range"),
            Self::DepthLimit => f.write_str("values are nested deeper than the limit"),
            Self::ContainerLimit(len) => write!(f, "{len} elements exceed the limit"),
            Self::StringLimit(len) => write!(f, "a string of {len} bytes exceeds the limit"),
            Self::AllocationLimit => f.write_str("the values need more memory than the limit"),
            Self::InvalidUtf8 => f.write_str("a string is not valid UTF-8"),
            Self::InvalidBool(byte) => write!(f, "{byte} is neither true nor false"),
            Self::InvalidVarint => f.write_str("a varint is too long"),
            Self::NumberOutOfRange => f.write_str("a number is out of the range of its type"),
            Self::InvalidFieldId => f.write_str("the id of a field is out of range"),
            Self::Syntax { expected } => write!(f, "expected {expected}"),
            Self::ControlCharacter => {
                f.write_str("a JSON string has an unescaped control character")
            }
            Self::InvalidEscape => f.write_str("a JSON string has an invalid escape"),
            Self::LoneSurrogate => f.write_str("a JSON string has half a surrogate pair"),
            Self::InvalidBase64 => f.write_str("binary data is not valid base64"),
            Self::InvalidUuid => f.write_str("not a UUID"),
            Self::MissingField(name) => write!(f, "the required field `{name}` is missing"),
            Self::EmptyUnion => f.write_str("a union has no known field"),
            Self::SecondUnionField => f.write_str("a union has more than one field"),
            Self::UnknownEnumValue(number) => write!(f, "{number} is not a value of the enum"),
            Self::Unsupported(of) => write!(f, "this protocol does not support the type {of}"),
            Self::CannotBorrow => {
                f.write_str("the value must be decoded, so it cannot be borrowed")
            }
            Self::InvalidVersion => f.write_str("not a message of this protocol and version"),
            Self::InvalidMessageKind(kind) => write!(f, "{kind} is not a message kind"),
            Self::WrongLength { expected, found } => {
                write!(f, "expected {expected} elements, found {found}")
            }
            Self::OtherProtocol => f.write_str(
                "an unknown field was read from another protocol, and cannot be converted",
            ),
            Self::InvalidFrame(problem) => f.write_str(problem),
            Self::FrameLimit(limit) => write!(f, "the frame exceeds the limit of {limit} bytes"),
            Self::UnknownProtocol(number) => {
                write!(
                    f,
                    "the protocol {number} is neither Binary (0) nor Compact (2)"
                )
            }
            Self::UnknownTransform(number @ (1 | 5)) => {
                write!(f, "the transform {number} needs the feature `transforms`")
            }
            Self::UnknownTransform(number) => {
                write!(f, "the transform {number} is neither zlib (1) nor zstd (5)")
            }
            Self::Custom => f.write_str("an error of the program"),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.message {
            Some(message) => f.write_str(message)?,
            None => self.0.kind.fmt(f)?,
        }
        if let Some(offset) = self.0.offset {
            write!(f, ", at byte {offset}")?;
        }
        let mut before = ", in ";
        for segment in self.path() {
            match segment {
                Segment::Field(name) => write!(f, "{before}{name}")?,
                Segment::Index(index) if before == "." => write!(f, "[{index}]")?,
                Segment::Index(index) => write!(f, "{before}[{index}]")?,
            }
            before = ".";
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut path = String::new();
        for segment in self.path() {
            match segment {
                Segment::Field(name) => write!(path, ".{name}")?,
                Segment::Index(index) => write!(path, "[{index}]")?,
            }
        }
        f.debug_struct("Error")
            .field("kind", &self.0.kind)
            .field("message", &self.0.message)
            .field("offset", &self.0.offset)
            .field("path", &path)
            .finish()
    }
}

impl std::error::Error for Error {}
