//! Common parts of the protocols: types, fields, the position in a container, kinds of messages.

use std::borrow::Cow;
use std::fmt;

/// Type of a value in a message. The numbers are those of the binary protocol.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
#[non_exhaustive]
pub enum Type {
    /// `bool`
    Bool = 2,
    /// `i8`, also called `byte`
    I8 = 3,
    /// `double`
    Double = 4,
    /// `i16`
    I16 = 6,
    /// `i32`, and the numbers of enums
    I32 = 8,
    /// `i64`
    I64 = 10,
    /// `string` and `binary`
    String = 11,
    /// A struct, union or exception
    Struct = 12,
    /// `map`
    Map = 13,
    /// `set`
    Set = 14,
    /// `list`
    List = 15,
    /// `uuid`, which fbthrift does not have
    Uuid = 16,
    /// `float`, which only fbthrift has
    Float = 19,
}

impl Type {
    /// Returns the type with this number in the binary protocol.
    #[inline]
    pub(crate) fn from_number(number: u8) -> Option<Self> {
        Some(match number {
            2 => Self::Bool,
            3 => Self::I8,
            4 => Self::Double,
            6 => Self::I16,
            8 => Self::I32,
            10 => Self::I64,
            11 => Self::String,
            12 => Self::Struct,
            13 => Self::Map,
            14 => Self::Set,
            15 => Self::List,
            16 => Self::Uuid,
            19 => Self::Float,
            _ => return None,
        })
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bool => "bool",
            Self::I8 => "i8",
            Self::Double => "double",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::String => "string",
            Self::Struct => "struct",
            Self::Map => "map",
            Self::Set => "set",
            Self::List => "list",
            Self::Uuid => "uuid",
            Self::Float => "float",
        })
    }
}

/// Field of a struct or union, as its type declares it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Field {
    /// Field id.
    pub id: i16,
    /// Name in the IDL.
    pub name: &'static str,
    /// Type of the value.
    pub kind: Type,
}

impl Field {
    /// Creates a field.
    #[must_use]
    pub const fn new(id: i16, name: &'static str, kind: Type) -> Self {
        Self { id, name, kind }
    }
}

/// Header of a field in a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct FieldHeader {
    /// Field id.
    pub id: i16,
    /// Type of the value that follows.
    pub kind: Type,
}

impl FieldHeader {
    /// Creates a header.
    #[must_use]
    pub const fn new(id: i16, kind: Type) -> Self {
        Self { id, kind }
    }
}

/// Position in a struct that is written or read: created by `struct_begin`, and passed to each
/// field.
#[derive(Clone, Copy, Debug, Default)]
pub struct Frame {
    /// In Compact, the id of the last field. In SimpleJSON, the probable index of the next field in
    /// the list.
    pub(crate) last: i16,
    /// When writing, the depth outside of the struct. Restoring it takes less time than counting
    /// back.
    pub(crate) outside: u32,
}

/// Position in a list, set or map that is read: created by `list_begin` or `map_begin`.
#[derive(Clone, Copy, Debug)]
pub struct Items {
    /// Number of remaining elements or entries, or [`UNKNOWN`](Self::UNKNOWN).
    pub(crate) left: usize,
    /// Type of the elements or keys.
    pub(crate) element: Type,
    /// Type of a map's values; that of the elements otherwise.
    pub(crate) value: Type,
    /// True if these are the entries of a map.
    pub(crate) map: bool,
}

impl Items {
    /// Value of `left` if the format does not store the number; no input has as many elements. An
    /// `Option` would be tested for each element.
    pub(crate) const UNKNOWN: usize = usize::MAX;

    /// Returns the number of remaining elements or entries, if the format stores it.
    #[inline]
    #[must_use]
    pub fn left(&self) -> Option<usize> {
        (self.left != Self::UNKNOWN).then_some(self.left)
    }

    /// Makes room for all elements, if the format stores their number, which has been charged.
    #[inline]
    pub(crate) fn reserve<T>(&self, values: &mut Vec<T>) {
        values.reserve_exact(self.left().unwrap_or(0));
    }
}

/// Kind of message.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MessageKind {
    /// A request that is answered.
    Call = 1,
    /// The answer: the result, or an exception that the IDL declares.
    Reply = 2,
    /// The answer if the call itself failed: an
    /// [`ApplicationException`](crate::ApplicationException).
    Exception = 3,
    /// A request that is not answered.
    Oneway = 4,
}

impl MessageKind {
    pub(crate) fn from_number(number: u8) -> Option<Self> {
        Some(match number {
            1 => Self::Call,
            2 => Self::Reply,
            3 => Self::Exception,
            4 => Self::Oneway,
            _ => return None,
        })
    }
}

/// Envelope around the arguments or the result of a call: the method's name, the kind of message,
/// and a number that identifies the reply.
///
/// ```
/// use bytelane_thrift::{Compact, Envelope, Message, MessageKind, Thrift};
///
/// #[derive(Debug, PartialEq, Thrift)]
/// struct AddArgs {
///     #[thrift(id = 1)]
///     first: i32,
///     #[thrift(id = 2)]
///     second: i32,
/// }
///
/// let call = Envelope { name: "add".into(), kind: MessageKind::Call, sequence: 1 };
/// let arguments = AddArgs { first: 2, second: 3 };
/// let bytes = call.encode::<Compact, _>(&arguments)?;
///
/// let (envelope, body) = Envelope::decode::<Compact>(&bytes)?;
/// assert_eq!(envelope, call);
/// assert_eq!(body.read::<AddArgs>()?, arguments);
/// # Ok::<(), bytelane_thrift::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Envelope<'a> {
    /// Name of the method.
    pub name: Cow<'a, str>,
    /// Kind of message: call, reply, exception or oneway.
    pub kind: MessageKind,
    /// Number of the call, which its reply repeats.
    pub sequence: i32,
}

/// Step from a value into a part of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Segment {
    /// A field of a struct or union.
    Field(&'static str),
    /// An element of a list or set, or an entry of a map, counted from 0.
    Index(usize),
}
