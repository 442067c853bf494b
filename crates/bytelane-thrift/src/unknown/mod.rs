//! Fields that a type does not declare, kept as they are in the message.

mod convert;

pub(crate) use convert::other_protocol;

use crate::input::Input;
use crate::{Error, Field, Type};

/// Protocol of the bytes of an [`UnknownField`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[doc(hidden)]
pub enum Encoding {
    Binary,
    Compact,
    FbthriftCompact,
    Json,
}

/// A field that a type does not declare: its id, its type, and the bytes of its value.
///
/// A union keeps one in a variant `#[thrift(unknown)]`, a struct keeps all of them in a field
/// `#[thrift(unknown)]` of the type [`UnknownFields`]. They are written unchanged. Between `Binary`
/// and either `Compact`, they are converted; converting to or from JSON is an error,
/// [`ErrorKind::OtherProtocol`](crate::ErrorKind::OtherProtocol), because the other protocols do not distinguish text from binary.
/// SimpleJSON has no ids, so unknown fields are not kept when it is read.
///
/// ```
/// use bytelane_thrift::{Compact, Message, Thrift, UnknownField};
///
/// #[derive(Thrift)]
/// #[thrift(union)]
/// enum New {
///     #[thrift(id = 1)]
///     Number(i32),
///     #[thrift(id = 2)]
///     Text(String),
/// }
///
/// #[derive(Thrift)]
/// #[thrift(union)]
/// enum Old {
///     #[thrift(id = 1)]
///     Number(i32),
///     #[thrift(unknown)]
///     Unknown(UnknownField),
/// }
///
/// let bytes = New::Text("new".into()).encode::<Compact>()?;
/// let old = Old::decode::<Compact>(&bytes)?;
/// let Old::Unknown(field) = &old else { panic!("field 2 is unknown") };
/// assert_eq!(field.id(), 2);
/// assert_eq!(field.value::<String>()?, "new");
/// assert_eq!(old.encode::<Compact>()?, bytes);
/// # Ok::<(), bytelane_thrift::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct UnknownField {
    id: i16,
    kind: Type,
    encoding: Encoding,
    bytes: Box<[u8]>,
}

impl UnknownField {
    pub(crate) fn new(id: i16, kind: Type, encoding: Encoding, bytes: &[u8]) -> Self {
        let bytes = bytes.into();
        Self {
            id,
            kind,
            encoding,
            bytes,
        }
    }

    /// Returns the field id.
    #[must_use]
    pub fn id(&self) -> i16 {
        self.id
    }

    /// Returns the type of the value.
    #[must_use]
    pub fn kind(&self) -> Type {
        self.kind
    }

    /// Returns the bytes of the value, in the protocol from which it was read. A bool is one byte,
    /// 0 or 1.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn room(&self) -> usize {
        3 + self.bytes.len()
    }

    pub(crate) fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Returns the field as a type would declare it, without a name.
    pub(crate) fn field(&self) -> Field {
        Field::new(self.id, "", self.kind)
    }
}

/// Fields of a struct that its type does not declare, or declares with another type, in the order
/// of the message. A field `#[thrift(unknown)]` holds them, and they are written after the declared
/// ones.
///
/// ```
/// use bytelane_thrift::{Binary, Message, Thrift, UnknownFields};
///
/// #[derive(Thrift)]
/// struct Old {
///     #[thrift(id = 1)]
///     number: i32,
///     #[thrift(unknown)]
///     unknown: UnknownFields,
/// }
///
/// let message = b"\x08\0\x01\0\0\0\x05\x06\0\x02\0\x07\0"; // fields 1 and 2
/// let mut old = Old::decode::<Binary>(message)?;
/// assert_eq!(old.unknown.iter().map(|field| field.id()).collect::<Vec<_>>(), [2]);
/// assert_eq!(old.encode::<Binary>()?, message);
/// # Ok::<(), bytelane_thrift::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct UnknownFields(pub(crate) Vec<UnknownField>);

impl UnknownFields {
    /// Returns whether there are no unknown fields.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of unknown fields.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the fields, in the order of the message.
    pub fn iter(&self) -> std::slice::Iter<'_, UnknownField> {
        self.0.iter()
    }

    /// Removes all fields.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn room(&self) -> usize {
        self.0.iter().map(UnknownField::room).sum()
    }

    /// Adds a field. Its own bytes have already been charged.
    pub(crate) fn push(&mut self, field: UnknownField, input: &mut Input<'_>) -> Result<(), Error> {
        input.grow(&mut self.0)?;
        self.0.push(field);
        Ok(())
    }
}

impl<'a> IntoIterator for &'a UnknownFields {
    type Item = &'a UnknownField;
    type IntoIter = std::slice::Iter<'a, UnknownField>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
