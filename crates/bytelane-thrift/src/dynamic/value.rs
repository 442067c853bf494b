//! Values, and how they are written.

use crate::mask::{FieldMask, Key, MaskedWriter};
use crate::protocol::{Protocol, Writer};
use crate::wire::Segment;
use crate::{
    Element, Encode, Error, ErrorKind, Field, Message, Options, Type, Uuid, message, unknown,
};

/// A value of any type.
///
/// It has what its message had: each field, in the order of the message, also those that the
/// schema does not declare. So it is written with the same bytes, if the message had the form that
/// writers give it.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Value {
    /// `bool`
    Bool(bool),
    /// `i8`
    I8(i8),
    /// `i16`
    I16(i16),
    /// `i32`, and the number of an enum that has no name for it
    I32(i32),
    /// `i64`
    I64(i64),
    /// `float`
    Float(f32),
    /// `double`
    Double(f64),
    /// `string`
    String(String),
    /// `binary`
    Binary(Vec<u8>),
    /// `uuid`
    Uuid(Uuid),
    /// Variant of an enum
    Enum {
        /// Number of the variant.
        number: i32,
        /// Name of the variant.
        name: &'static str,
    },
    /// `list`
    List(List),
    /// `set`, in the order of the message
    Set(List),
    /// `map`, in the order of the message
    Map(Map),
    /// A struct, union or exception
    Struct(Struct),
}

/// Elements of a list or set.
#[derive(Clone, PartialEq, Debug)]
pub struct List {
    /// Type of the elements in messages.
    pub element: Type,
    /// Elements, all of that type.
    pub values: Vec<Value>,
}

/// Entries of a map.
#[derive(Clone, PartialEq, Debug)]
pub struct Map {
    /// Type of the keys in messages.
    pub key: Type,
    /// Type of the values in messages.
    pub value: Type,
    /// Entries, all of these types.
    pub entries: Vec<(Value, Value)>,
}

/// Fields of a struct, union or exception.
///
/// As a [`Message`], it is read without a schema: all of its fields are undeclared, without names.
///
/// ```
/// use bytelane_thrift::dynamic::{Struct, Value};
/// use bytelane_thrift::{Binary, Compact, Message};
///
/// let message = b"\x08\0\x01\0\0\0\x05\0"; // field 1: the i32 5
/// let value = Struct::decode::<Binary>(message)?;
/// assert_eq!(value.by_id(1), Some(&Value::I32(5)));
/// assert_eq!(value.encode::<Compact>()?, [0x15, 10, 0]);
/// # Ok::<(), bytelane_thrift::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Struct {
    /// Fields in the order of the message. Undeclared ones have no name: it is empty.
    pub fields: Vec<(Field, Value)>,
}

impl Struct {
    /// Returns the value of the field with a name. If the message has several, the last one counts.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.find(|field| field.name == name)
    }

    /// Returns the value of the field with an id. If the message has several, the last one counts.
    #[must_use]
    pub fn by_id(&self, id: i16) -> Option<&Value> {
        self.find(|field| field.id == id)
    }

    fn find(&self, is_it: impl Fn(&Field) -> bool) -> Option<&Value> {
        let mut fields = self.fields.iter().rev();
        fields
            .find(|(field, _)| is_it(field))
            .map(|(_, value)| value)
    }
}

impl Value {
    /// Returns the type in messages.
    #[must_use]
    pub fn kind(&self) -> Type {
        match self {
            Self::Bool(_) => Type::Bool,
            Self::I8(_) => Type::I8,
            Self::I16(_) => Type::I16,
            Self::I32(_) | Self::Enum { .. } => Type::I32,
            Self::I64(_) => Type::I64,
            Self::Float(_) => Type::Float,
            Self::Double(_) => Type::Double,
            Self::String(_) | Self::Binary(_) => Type::String,
            Self::Uuid(_) => Type::Uuid,
            Self::List(_) => Type::List,
            Self::Set(_) => Type::Set,
            Self::Map(_) => Type::Map,
            Self::Struct(_) => Type::Struct,
        }
    }

    /// Encodes the value. A message is a [`Struct`]; other values are parts of messages.
    ///
    /// # Errors
    ///
    /// Those of [`Message::encode`]; an element whose type is not that of its container; in
    /// SimpleJSON, a field without a name.
    pub fn encode<P: Protocol>(&self) -> Result<Vec<u8>, Error> {
        self.encode_with::<P>(Options::default())
    }

    /// Same as [`encode`](Self::encode), within [`Limits`](crate::Limits) of the caller's choice.
    ///
    /// # Errors
    ///
    /// The same as [`encode`](Self::encode).
    pub fn encode_with<P: Protocol>(&self, options: impl Into<Options>) -> Result<Vec<u8>, Error> {
        let bytes = Vec::with_capacity(P::room(self.room()));
        let (bytes, result) = message::written::<P>(bytes, options, |writer| self.write(writer));
        result.map(|()| bytes)
    }

    /// Same as [`encode_with`](Self::encode_with), but writes only the parts that a mask selects. A value
    /// does not know which fields are required, so those that the mask does not select are left out as
    /// well.
    ///
    /// # Errors
    ///
    /// The same as [`encode`](Self::encode).
    pub fn encode_masked<P: Protocol>(
        &self,
        mask: &FieldMask,
        options: impl Into<Options>,
    ) -> Result<Vec<u8>, Error> {
        let bytes = Vec::with_capacity(P::room(self.room()));
        let (bytes, result) = message::written::<P>(bytes, options, |writer| {
            let mut writer = MaskedWriter::new(writer, mask.root());
            self.write(&mut writer)
        });
        result.map(|()| bytes)
    }

    /// Returns the value as the key of an entry that a mask can name.
    fn mask_key(&self) -> Key<'_> {
        match self {
            Self::I8(number) => Key::Number((*number).into()),
            Self::I16(number) => Key::Number((*number).into()),
            Self::I32(number) | Self::Enum { number, .. } => Key::Number((*number).into()),
            Self::I64(number) => Key::Number(*number),
            Self::String(text) => Key::Text(text.as_bytes()),
            Self::Binary(bytes) => Key::Text(bytes),
            _ => Key::Other,
        }
    }

    /// Estimates the size in bytes in the binary protocol.
    pub(super) fn room(&self) -> usize {
        match self {
            Self::Bool(_) | Self::I8(_) => 1,
            Self::I16(_) => 2,
            Self::I32(_) | Self::Enum { .. } | Self::Float(_) => 4,
            Self::I64(_) | Self::Double(_) => 8,
            Self::Uuid(_) => 16,
            Self::String(text) => 4 + text.len(),
            Self::Binary(bytes) => 4 + bytes.len(),
            Self::List(list) | Self::Set(list) => {
                5 + list.values.iter().map(Self::room).sum::<usize>()
            }
            Self::Map(map) => {
                let entries = map.entries.iter();
                6 + entries
                    .map(|(key, value)| key.room() + value.room())
                    .sum::<usize>()
            }
            Self::Struct(value) => value.room(),
        }
    }

    /// Writes the value.
    ///
    /// # Errors
    ///
    /// The same as [`encode`](Self::encode).
    pub fn write<W: Writer>(&self, writer: &mut W) -> Result<(), Error> {
        match self {
            Self::Bool(value) => writer.bool(*value),
            Self::I8(value) => writer.i8(*value),
            Self::I16(value) => writer.i16(*value),
            Self::I32(number) | Self::Enum { number, .. } => writer.i32(*number),
            Self::I64(value) => writer.i64(*value),
            Self::Float(value) => writer.float(*value)?,
            Self::Double(value) => writer.double(*value),
            Self::String(value) => writer.string(value)?,
            Self::Binary(value) => writer.binary(value)?,
            Self::Uuid(value) => writer.uuid(&value.0)?,
            Self::List(list) => list.write(Type::List, writer)?,
            Self::Set(set) => set.write(Type::Set, writer)?,
            Self::Map(map) => map.write(writer)?,
            Self::Struct(value) => value.write(writer)?,
        }
        Ok(())
    }

    /// Writes a part of a container whose parts have a type.
    fn write_as<W: Writer>(&self, expected: Type, writer: &mut W) -> Result<(), Error> {
        let found = self.kind();
        if found != expected {
            return Err(Error::new(ErrorKind::WrongType { expected, found }, None));
        }
        self.write(writer)
    }
}

impl List {
    fn write<W: Writer>(&self, kind: Type, writer: &mut W) -> Result<(), Error> {
        writer.list_begin(kind, self.element, self.values.len())?;
        for (index, value) in self.values.iter().enumerate() {
            if !writer.selects_next() {
                continue;
            }
            let written = value.write_as(self.element, writer);
            written.map_err(|error| error.within(Segment::Index(index)))?;
        }
        writer.list_end();
        Ok(())
    }
}

impl Map {
    fn write<W: Writer>(&self, writer: &mut W) -> Result<(), Error> {
        let entries = self.entries.iter();
        let len = writer.selected_entries(self.entries.len(), |selects| {
            entries.filter(|(key, _)| selects(key.mask_key())).count()
        });
        writer.map_begin(self.key, self.value, len)?;
        for (index, (key, value)) in self.entries.iter().enumerate() {
            if !writer.selects_entry(key.mask_key()) {
                continue;
            }
            let within = |error: Error| error.within(Segment::Index(index));
            writer.key_begin();
            key.write_as(self.key, writer).map_err(within)?;
            writer.value_begin();
            value.write_as(self.value, writer).map_err(within)?;
        }
        writer.map_end();
        Ok(())
    }
}

impl Element for Struct {
    const TYPE: Type = Type::Struct;
}

impl Message for Struct {
    const NAME: &'static str = "struct";
    const FIELDS: &'static [Field] = &[];
}

impl Encode for Struct {
    fn room(&self) -> usize {
        let fields = self.fields.iter();
        1 + fields.map(|(_, value)| 3 + value.room()).sum::<usize>()
    }

    fn write<W: Writer>(&self, writer: &mut W) -> Result<(), Error> {
        let mut frame = writer.struct_begin()?;
        for (field, value) in &self.fields {
            if !writer.selects(field.id) {
                continue;
            }
            if field.name.is_empty() && !W::HAS_IDS {
                return Err(unknown::other_protocol());
            }
            let field = Field::new(field.id, field.name, value.kind());
            if let Value::Bool(value) = value {
                writer.bool_field(&mut frame, &field, *value);
                continue;
            }
            writer.field_begin(&mut frame, &field);
            let written = value.write(writer);
            written.map_err(|error| error.within(Segment::Field(field.name)))?;
            writer.field_end();
        }
        writer.struct_end(frame);
        Ok(())
    }
}
