//! Values of unknown fields, and their conversion between protocols.

use super::{Encoding, UnknownField};
use crate::input::Input;
use crate::protocol::{Protocol, Reader, Writer};
use crate::{
    Binary, Compact, DecodeOwned, Error, ErrorKind, FbthriftCompact, Field, Frame, Json, Options,
    Type,
};

impl UnknownField {
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
