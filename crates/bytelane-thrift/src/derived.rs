//! Functions that derived code calls.

pub use crate::mask::{Described, Key, Shape};
pub use crate::protocol::{Reader, Writer};

use crate::input::Mark;
use crate::unknown::Encoding;
use crate::wire::Segment;
use crate::{
    Decode, Encode, Error, ErrorKind, Field, FieldHeader, Frame, Type, UnknownField, UnknownFields,
};

/// Writes a field, unless a mask does not select it.
#[inline]
pub fn write_field<T: Encode + ?Sized, W: Writer>(
    value: &T,
    writer: &mut W,
    frame: &mut Frame,
    field: &'static Field,
) -> Result<(), Error> {
    if writer.selects(field.id) {
        write_required(value, writer, frame, field)
    } else {
        Ok(())
    }
}

/// Writes a field that readers require.
#[inline]
pub fn write_required<T: Encode + ?Sized, W: Writer>(
    value: &T,
    writer: &mut W,
    frame: &mut Frame,
    field: &'static Field,
) -> Result<(), Error> {
    let written = value.write_field(writer, frame, field);
    written.map_err(|error| error.within(Segment::Field(field.name)))
}

/// Estimates the size in bytes of the unknown fields of a struct.
#[inline]
pub fn unknown_room(fields: &UnknownFields) -> usize {
    fields.room()
}

/// Estimates the size in bytes of an unknown field.
pub fn field_room(field: &UnknownField) -> usize {
    field.room()
}

/// Writes the fields that a struct does not declare.
#[inline]
pub fn write_unknown<W: Writer>(
    fields: &UnknownFields,
    writer: &mut W,
    frame: &mut Frame,
) -> Result<(), Error> {
    for field in fields {
        writer.unknown_field(frame, field)?;
    }
    Ok(())
}

/// Reads a field over its value. False if the message has a field of another type, which is then
/// kept in `unknown`, or skipped.
#[inline]
pub fn read_field<'de, T: Decode<'de>, R: Reader<'de>>(
    value: &mut T,
    reader: &mut R,
    header: FieldHeader,
    name: &'static str,
    unknown: Option<&mut UnknownFields>,
) -> Result<bool, Error> {
    read::<T, R>(reader, header, name, unknown, |reader| {
        if T::TYPE == Type::Struct && !reader.input().merges {
            // Missing fields get the default of the struct's own type.
            *value = T::read(reader)?;
            return Ok(());
        }
        value.read_into(reader)
    })
}

/// Same as [`read_field`], for an optional field.
#[inline]
pub fn read_optional<'de, T: Decode<'de>, R: Reader<'de>>(
    value: &mut Option<T>,
    reader: &mut R,
    header: FieldHeader,
    name: &'static str,
    unknown: Option<&mut UnknownFields>,
) -> Result<bool, Error> {
    read::<T, R>(reader, header, name, unknown, |reader| {
        if T::TYPE == Type::Struct && !reader.input().merges {
            *value = None;
        }
        T::read_optional(value, reader)
    })
}

/// Reads the field of a union; `first` is true if it has none so far. `None` if the field has
/// another type.
#[inline]
pub fn read_variant<'de, T: Decode<'de>, R: Reader<'de>>(
    first: bool,
    reader: &mut R,
    header: FieldHeader,
    name: &'static str,
) -> Result<Option<T>, Error> {
    if !first {
        return Err(reader.error(ErrorKind::SecondUnionField));
    }
    let mut value = None;
    read::<T, R>(reader, header, name, None, |reader| {
        value = Some(T::read(reader)?);
        Ok(())
    })?;
    Ok(value)
}

/// Same as [`read_variant`], for a union that keeps unknown members, including fields of another
/// type.
#[inline]
pub fn read_known_or_unknown<'de, T: Decode<'de>, U, R: Reader<'de>>(
    first: bool,
    reader: &mut R,
    header: FieldHeader,
    name: &'static str,
    known: impl FnOnce(T) -> U,
    unknown: impl FnOnce(UnknownField) -> U,
) -> Result<Option<U>, Error> {
    if first && T::TYPE != header.kind && !reader.input().strict_types {
        return reader.unknown_field(header).map(unknown).map(Some);
    }
    let mark = reader.mark();
    if let Some(value) = read_variant(first, reader, header, name)? {
        return Ok(Some(known(value)));
    }
    reader.reset(&mark);
    reader.unknown_field(header).map(unknown).map(Some)
}

/// Returns the unknown member of a union that has no members.
#[must_use]
pub fn no_field() -> UnknownField {
    UnknownField::new(0, Type::Struct, Encoding::Binary, &[0])
}

/// Reads the value of a field with `read`. If its type, or the type of elements in it, differs from
/// the declared one, keeps or skips it.
#[inline]
fn read<'de, T: Decode<'de>, R: Reader<'de>>(
    reader: &mut R,
    header: FieldHeader,
    name: &'static str,
    unknown: Option<&mut UnknownFields>,
    read: impl FnOnce(&mut R) -> Result<(), Error>,
) -> Result<bool, Error> {
    if header.kind != T::TYPE {
        let (expected, found) = (T::TYPE, header.kind);
        let mark = reader.mark();
        let error = |reader: &mut R| reader.error(ErrorKind::WrongType { expected, found });
        return other_type(reader, &mark, header, name, unknown, error);
    }
    // Only containers have types beyond that of the header. For other values, no mark is kept: it
    // would be loaded in one piece right after it was stored in two, which is slow.
    let is_container = matches!(T::TYPE, Type::List | Type::Set | Type::Map);
    let mark = is_container.then(|| reader.mark());
    match (read(reader), mark) {
        (Ok(()), _) => Ok(true),
        (Err(error), Some(mark)) if matches!(error.kind(), ErrorKind::WrongType { .. }) => {
            other_type(reader, &mark, header, name, unknown, |_| error)
        }
        (Err(error), _) => Err(error.within(Segment::Field(name))),
    }
}

/// Keeps or skips a field of another type, unless types are strict.
#[cold]
fn other_type<'de, R: Reader<'de>>(
    reader: &mut R,
    mark: &Mark<'de>,
    header: FieldHeader,
    name: &'static str,
    unknown: Option<&mut UnknownFields>,
    error: impl FnOnce(&mut R) -> Error,
) -> Result<bool, Error> {
    let passed = if reader.input().strict_types {
        Err(error(reader))
    } else {
        reader.reset(mark);
        match unknown {
            Some(fields) => read_unknown(fields, reader, header),
            None => reader.skip(header.kind),
        }
    };
    match passed {
        Ok(()) => Ok(false),
        Err(error) => Err(error.within(Segment::Field(name))),
    }
}

/// Reads a field that the struct does not declare, and keeps it.
pub fn read_unknown<'de, R: Reader<'de>>(
    fields: &mut UnknownFields,
    reader: &mut R,
    header: FieldHeader,
) -> Result<(), Error> {
    let field = reader.unknown_field(header)?;
    fields.push(field, reader.input())
}

/// Returns the error for a union without a known field.
#[cold]
pub fn empty_union<'de, R: Reader<'de>>(reader: &mut R) -> Error {
    reader.error(ErrorKind::EmptyUnion)
}

/// Returns the error for a number without a variant of the enum.
#[cold]
pub fn unknown_enum_value<'de, R: Reader<'de>>(reader: &mut R, number: i32) -> Error {
    reader.error(ErrorKind::UnknownEnumValue(number))
}

/// Checks that all required fields of a struct have been seen.
#[inline]
pub fn check_required<'de, R: Reader<'de>, const N: usize>(
    reader: &mut R,
    seen: [bool; N],
    names: [&'static str; N],
    ids: [i16; N],
) -> Result<(), Error> {
    for i in 0..N {
        if !seen[i] && !reader.is_hidden(ids[i]) {
            return Err(reader.error(ErrorKind::MissingField(names[i])));
        }
    }
    Ok(())
}
