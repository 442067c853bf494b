//! How values are read: with a schema, and those parts of a message that no schema declares.

use super::{FieldType, List, Map, Schema, Struct, StructType, Value, ValueType};
use crate::input::Input;
use crate::mask::{FieldMask, InvalidPath, MaskedReader};
use crate::protocol::{Protocol, Reader};
use crate::wire::Segment;
use crate::{Decode, Error, ErrorKind, Field, FieldHeader, Items, Options, Type, Uuid};

/// Bytes of memory for an element of a list, and for an entry of a map.
const ELEMENT: usize = size_of::<Value>();
const ENTRY: usize = size_of::<(Value, Value)>();

impl Schema {
    /// Reads a value of a type of this schema from all of `bytes`.
    ///
    /// A field that the schema does not declare, or declares with another type, is kept without a
    /// name. Default values of the IDL are not added.
    ///
    /// # Errors
    ///
    /// The message is malformed, lacks a required field, has a union with no field or several, or
    /// exceeds the default [`Limits`](crate::Limits).
    ///
    /// # Panics
    ///
    /// The type refers to a struct or enum that is not in this schema.
    pub fn decode<P: Protocol>(&self, ty: &ValueType, bytes: &[u8]) -> Result<Value, Error> {
        self.decode_with::<P>(ty, bytes, Options::default())
    }

    /// Same as [`decode`](Self::decode), with [`Options`] or [`Limits`](crate::Limits) of the
    /// caller's choice.
    ///
    /// # Errors
    ///
    /// The same as [`decode`](Self::decode).
    ///
    /// # Panics
    ///
    /// The same as [`decode`](Self::decode).
    pub fn decode_with<P: Protocol>(
        &self,
        ty: &ValueType,
        bytes: &[u8],
        options: impl Into<Options>,
    ) -> Result<Value, Error> {
        let mut reader = P::reader(Input::new(bytes, options));
        let value = self.read(ty, &mut reader)?;
        reader.end()?;
        Ok(value)
    }

    /// Same as [`decode_with`](Self::decode_with), but reads only the parts that a mask of
    /// [`mask`](Self::mask) selects. Everything else is skipped.
    ///
    /// # Errors
    ///
    /// The same as [`decode`](Self::decode).
    ///
    /// # Panics
    ///
    /// The same as [`decode`](Self::decode).
    pub fn decode_masked<P: Protocol>(
        &self,
        ty: &ValueType,
        bytes: &[u8],
        mask: &FieldMask,
        options: impl Into<Options>,
    ) -> Result<Value, Error> {
        let reader = P::reader(Input::new(bytes, options));
        let mut reader = MaskedReader::new(reader, mask.root());
        let value = self.read(ty, &mut reader)?;
        reader.end()?;
        Ok(value)
    }

    /// Creates a mask that selects parts of values of a type, as [`FieldMask::of`] does for
    /// generated types.
    ///
    /// # Errors
    ///
    /// The same as [`FieldMask::of`].
    ///
    /// # Panics
    ///
    /// The same as [`decode`](Self::decode).
    ///
    /// ```
    /// use bytelane_thrift::dynamic::{FieldType, Schema, StructType, ValueType};
    /// use bytelane_thrift::{Compact, Options};
    ///
    /// let fields = [(1, "x"), (2, "y")].map(|(id, name)| FieldType::new(id, name, ValueType::I32));
    /// let schema = Schema::new(vec![StructType::new("Point", fields.to_vec())], vec![]);
    /// let point = schema.parse_type("Point")?;
    /// let mask = schema.mask(&point, ["y"])?;
    /// let bytes = [0x15, 10, 0x15, 12, 0];
    /// let value = schema.decode_masked::<Compact>(&point, &bytes, &mask, Options::default())?;
    /// assert_eq!(value.encode::<Compact>()?, [0x25, 12, 0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn mask(
        &self,
        ty: &ValueType,
        paths: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<FieldMask, InvalidPath> {
        FieldMask::selecting((self, ty), paths)
    }

    /// Creates a mask that selects everything except some parts, as [`FieldMask::without`] does for
    /// generated types.
    ///
    /// # Errors
    ///
    /// The same as [`FieldMask::of`].
    ///
    /// # Panics
    ///
    /// The same as [`decode`](Self::decode).
    pub fn mask_without(
        &self,
        ty: &ValueType,
        paths: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<FieldMask, InvalidPath> {
        FieldMask::rejecting((self, ty), paths)
    }

    /// Reads a value of a type of this schema at the start of `bytes`. Returns its length as well.
    ///
    /// # Errors
    ///
    /// The same as [`decode`](Self::decode).
    ///
    /// # Panics
    ///
    /// The same as [`decode`](Self::decode).
    pub fn decode_prefix_with<P: Protocol>(
        &self,
        ty: &ValueType,
        bytes: &[u8],
        options: impl Into<Options>,
    ) -> Result<(Value, usize), Error> {
        let mut reader = P::reader(Input::new(bytes, options));
        let value = self.read(ty, &mut reader)?;
        Ok((value, reader.finish().offset()))
    }

    /// Reads a value of a type of this schema.
    ///
    /// # Errors
    ///
    /// The same as [`decode`](Self::decode).
    ///
    /// # Panics
    ///
    /// The same as [`decode`](Self::decode).
    pub fn read<'de, R: Reader<'de>>(
        &self,
        ty: &ValueType,
        reader: &mut R,
    ) -> Result<Value, Error> {
        Ok(match ty {
            ValueType::String => Value::String(text(reader)?),
            ValueType::Binary => Value::Binary(binary(reader)?),
            ValueType::Enum(index) => {
                let number = reader.i32()?;
                match self.enums()[*index].variant(number) {
                    Some(name) => Value::Enum { number, name },
                    None => Value::I32(number),
                }
            }
            ValueType::List(element) => Value::List(self.list(Type::List, element, reader)?),
            ValueType::Set(element) => Value::Set(self.list(Type::Set, element, reader)?),
            ValueType::Map(key, value) => {
                let kinds = (key.kind(), value.kind());
                let items = reader.map_begin(Some(kinds), ENTRY)?;
                let key = |reader: &mut R| self.read(key, reader);
                let value = |reader: &mut R| self.read(value, reader);
                Value::Map(read_entries(reader, items, kinds, key, value)?)
            }
            ValueType::Struct(index) => {
                Value::Struct(self.read_struct(Some(&self.structs()[*index]), reader)?)
            }
            plain => self.undeclared(plain.kind(), reader)?,
        })
    }

    fn list<'de, R: Reader<'de>>(
        &self,
        kind: Type,
        element: &ValueType,
        reader: &mut R,
    ) -> Result<List, Error> {
        let items = reader.list_begin(kind, Some(element.kind()), ELEMENT)?;
        read_elements(reader, items, element.kind(), |reader| {
            self.read(element, reader)
        })
    }

    /// Reads a value of which only the type in the message is known. A string is text if it is
    /// UTF-8, and binary otherwise.
    fn undeclared<'de, R: Reader<'de>>(&self, kind: Type, reader: &mut R) -> Result<Value, Error> {
        Ok(match kind {
            Type::Bool => Value::Bool(reader.bool()?),
            Type::I8 => Value::I8(reader.i8()?),
            Type::I16 => Value::I16(reader.i16()?),
            Type::I32 => Value::I32(reader.i32()?),
            Type::I64 => Value::I64(reader.i64()?),
            Type::Float => Value::Float(reader.float()?),
            Type::Double => Value::Double(reader.double()?),
            Type::Uuid => Value::Uuid(Uuid(reader.uuid()?)),
            Type::String => {
                let mark = reader.mark();
                match text(reader) {
                    Err(error) if error.kind() == ErrorKind::InvalidUtf8 => {
                        reader.reset(&mark);
                        Value::Binary(binary(reader)?)
                    }
                    text => Value::String(text?),
                }
            }
            Type::List | Type::Set => {
                let items = reader.list_begin(kind, None, ELEMENT)?;
                let element = items.element;
                let read = |reader: &mut R| self.undeclared(element, reader);
                let list = read_elements(reader, items, element, read)?;
                match kind {
                    Type::Set => Value::Set(list),
                    _ => Value::List(list),
                }
            }
            Type::Map => {
                let items = reader.map_begin(None, ENTRY)?;
                let kinds = (items.element, items.value);
                let key = |reader: &mut R| self.undeclared(kinds.0, reader);
                let value = |reader: &mut R| self.undeclared(kinds.1, reader);
                Value::Map(read_entries(reader, items, kinds, key, value)?)
            }
            Type::Struct => Value::Struct(self.read_struct(None, reader)?),
        })
    }

    /// Reads a struct with its declaration, if it has one.
    pub(super) fn read_struct<'de, R: Reader<'de>>(
        &self,
        declared: Option<&StructType>,
        reader: &mut R,
    ) -> Result<Struct, Error> {
        let mut fields = Vec::new();
        let mut frame = reader.struct_begin()?;
        let expected = declared.map_or(&[][..], StructType::wire);
        while let Some(header) = reader.field_begin(&mut frame, expected)? {
            let field = match declared.and_then(|declared| declared.field(header.id)) {
                Some(field) => self.declared_field(field, header, reader)?,
                None => self.undeclared_field(header, reader)?,
            };
            reader.field_end()?;
            reader.input().grow(&mut fields)?;
            fields.push(field);
        }
        if let Some(declared) = declared {
            check(declared, &fields, reader)?;
        }
        Ok(Struct { fields })
    }

    /// Reads a field with its declared type. If the message has another one, and types are not
    /// strict, the field is read as an undeclared one.
    fn declared_field<'de, R: Reader<'de>>(
        &self,
        declared: &FieldType,
        header: FieldHeader,
        reader: &mut R,
    ) -> Result<(Field, Value), Error> {
        let FieldType { field, ty, .. } = declared;
        let within = |error: Error| error.within(Segment::Field(field.name));
        let mark = reader.mark();
        let value = match reader.input().expect(Some(field.kind), header.kind) {
            Ok(()) => self.read(ty, reader),
            Err(error) => Err(error),
        };
        match value {
            Ok(value) => Ok((*field, value)),
            Err(error)
                if matches!(error.kind(), ErrorKind::WrongType { .. })
                    && !reader.input().strict_types =>
            {
                reader.reset(&mark);
                self.undeclared_field(header, reader).map_err(within)
            }
            Err(error) => Err(within(error)),
        }
    }

    fn undeclared_field<'de, R: Reader<'de>>(
        &self,
        header: FieldHeader,
        reader: &mut R,
    ) -> Result<(Field, Value), Error> {
        let field = Field::new(header.id, "", header.kind);
        Ok((field, self.undeclared(header.kind, reader)?))
    }
}

/// Checks that required fields are there, and that a union has one field.
fn check<'de, R: Reader<'de>>(
    declared: &StructType,
    fields: &[(Field, Value)],
    reader: &mut R,
) -> Result<(), Error> {
    let mut known = declared.fields().iter();
    match fields.len() {
        0 if known.any(|it| reader.is_hidden(it.field.id)) => {}
        0 if declared.is_union() => return Err(reader.error(ErrorKind::EmptyUnion)),
        2.. if declared.is_union() => return Err(reader.error(ErrorKind::SecondUnionField)),
        _ => {}
    }
    let required = declared.fields().iter().filter(|field| field.is_required);
    for FieldType { field, .. } in required {
        let is_field = |(found, _): &(Field, Value)| found.id == field.id && !found.name.is_empty();
        if !fields.iter().any(is_field) && !reader.is_hidden(field.id) {
            return Err(reader.error(ErrorKind::MissingField(field.name)));
        }
    }
    Ok(())
}

fn read_elements<'de, R: Reader<'de>>(
    reader: &mut R,
    mut items: Items,
    element: Type,
    read: impl Fn(&mut R) -> Result<Value, Error>,
) -> Result<List, Error> {
    let mut values = Vec::new();
    items.reserve(&mut values);
    while reader.next(&mut items)? {
        let value = read(reader).map_err(|error| error.within(Segment::Index(values.len())))?;
        items.make_room(reader.input(), &mut values)?;
        values.push(value);
    }
    Ok(List { element, values })
}

fn read_entries<'de, R: Reader<'de>>(
    reader: &mut R,
    mut items: Items,
    (key, value): (Type, Type),
    read_key: impl Fn(&mut R) -> Result<Value, Error>,
    read_value: impl Fn(&mut R) -> Result<Value, Error>,
) -> Result<Map, Error> {
    let mut entries = Vec::new();
    items.reserve(&mut entries);
    while reader.next(&mut items)? {
        let within = |error: Error| error.within(Segment::Index(entries.len()));
        reader.key_begin();
        let key = read_key(reader).map_err(within)?;
        reader.value_begin();
        let value = read_value(reader).map_err(within)?;
        items.make_room(reader.input(), &mut entries)?;
        entries.push((key, value));
    }
    Ok(Map {
        key,
        value,
        entries,
    })
}

fn text<'de, R: Reader<'de>>(reader: &mut R) -> Result<String, Error> {
    let mut text = String::new();
    reader.string_into(&mut text)?;
    Ok(text)
}

fn binary<'de, R: Reader<'de>>(reader: &mut R) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    reader.binary_into(&mut bytes)?;
    Ok(bytes)
}

impl<'de> Decode<'de> for Struct {
    fn read<R: Reader<'de>>(reader: &mut R) -> Result<Self, Error> {
        Schema::default().read_struct(None, reader)
    }
}
