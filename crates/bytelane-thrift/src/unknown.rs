//! Fields that a type does not declare, kept as they are in the message.

use crate::input::Input;
use crate::protocol::{Protocol, Reader, Writer};
use crate::{
    Binary, Compact, DecodeOwned, Error, ErrorKind, FbthriftCompact, Field, Frame, Json, Options,
    Type,
};

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
/// [`ErrorKind::OtherProtocol`], because the other protocols do not distinguish text from binary.
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

    /// Decodes the value, whose type the caller knows.
    ///
    /// # Errors
    ///
    /// The value has another type, or exceeds the default limits.
    pub fn value<T: DecodeOwned>(&self) -> Result<T, Error> {
        match self.encoding {
            Encoding::Binary => self.value_in::<Binary, T>(),
            Encoding::Compact => self.value_in::<Compact, T>(),
            Encoding::FbthriftCompact => self.value_in::<FbthriftCompact, T>(),
            Encoding::Json => self.value_in::<Json, T>(),
        }
    }

    fn value_in<P: Protocol, T: DecodeOwned>(&self) -> Result<T, Error> {
        let input = Input::new(&self.bytes, Options::default());
        input.expect(Some(T::TYPE), self.kind)?;
        let mut reader = P::reader(input);
        let value = T::read(&mut reader)?;
        reader.end()?;
        Ok(value)
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

    /// Writes the field in another protocol.
    pub(crate) fn convert<W: Writer>(
        &self,
        writer: &mut W,
        frame: &mut Frame,
    ) -> Result<(), Error> {
        match self.encoding {
            Encoding::Binary => self.convert_from::<Binary, W>(writer, frame),
            Encoding::Compact => self.convert_from::<Compact, W>(writer, frame),
            Encoding::FbthriftCompact => self.convert_from::<FbthriftCompact, W>(writer, frame),
            Encoding::Json => Err(other_protocol()),
        }
    }

    fn convert_from<P: Protocol, W: Writer>(
        &self,
        writer: &mut W,
        frame: &mut Frame,
    ) -> Result<(), Error> {
        let mut reader = P::reader(Input::new(&self.bytes, Options::default()));
        convert_field(&mut reader, writer, frame, &self.field())
    }
}

#[cold]
pub(crate) fn other_protocol() -> Error {
    Error::new(ErrorKind::OtherProtocol, None)
}

fn convert_field<'de, R: Reader<'de>, W: Writer>(
    reader: &mut R,
    writer: &mut W,
    frame: &mut Frame,
    field: &Field,
) -> Result<(), Error> {
    if field.kind == Type::Bool {
        writer.bool_field(frame, field, reader.bool()?);
        return Ok(());
    }
    writer.field_begin(frame, field);
    convert_value(reader, writer, field.kind)?;
    writer.field_end();
    Ok(())
}

fn convert_value<'de, R: Reader<'de>, W: Writer>(
    reader: &mut R,
    writer: &mut W,
    kind: Type,
) -> Result<(), Error> {
    match kind {
        Type::Bool => writer.bool(reader.bool()?),
        Type::I8 => writer.i8(reader.i8()?),
        Type::I16 => writer.i16(reader.i16()?),
        Type::I32 => writer.i32(reader.i32()?),
        Type::I64 => writer.i64(reader.i64()?),
        Type::Double => writer.double(reader.double()?),
        Type::Float => writer.float(reader.float()?)?,
        Type::Uuid => writer.uuid(&reader.uuid()?)?,
        // The protocols between which this converts write text like binary.
        Type::String => writer.binary(&reader.binary()?)?,
        Type::Struct => {
            let (mut from, mut to) = (reader.struct_begin()?, writer.struct_begin()?);
            while let Some(header) = reader.field_begin(&mut from, &[])? {
                let field = Field::new(header.id, "", header.kind);
                convert_field(reader, writer, &mut to, &field)?;
                reader.field_end()?;
            }
            writer.struct_end(to);
        }
        Type::List | Type::Set => {
            let mut items = reader.list_begin(kind, None, 0)?;
            writer.list_begin(kind, items.element, items.left)?;
            while reader.next(&mut items)? {
                convert_value(reader, writer, items.element)?;
            }
            writer.list_end();
        }
        Type::Map => {
            let mut items = reader.map_begin(None, 0)?;
            writer.map_begin(items.element, items.value, items.left)?;
            while reader.next(&mut items)? {
                convert_value(reader, writer, items.element)?;
                convert_value(reader, writer, items.value)?;
            }
            writer.map_end();
        }
    }
    Ok(())
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
