//! What the code that the derive writes calls.

pub use crate::protocol::{Reader, Writer};

use crate::wire::Segment;
use crate::{Element, Error, ErrorKind, Field, FieldHeader, Frame};

/// Writes a field.
#[inline]
pub fn write_field<'de, T: Element<'de>, W: Writer>(
    value: &T,
    writer: &mut W,
    frame: &mut Frame,
    field: &'static Field,
) -> Result<(), Error> {
    let written = value.write_field(writer, frame, field);
    written.map_err(|error| error.within(Segment::Field(field.name)))
}

/// Reads a field over its value.
#[inline]
pub fn read_field<'de, T: Element<'de>, R: Reader<'de>>(
    value: &mut T,
    reader: &mut R,
    header: FieldHeader,
    name: &'static str,
) -> Result<(), Error> {
    let read = expect::<T, R>(reader, header).and_then(|()| value.read_into(reader));
    read.map_err(|error| error.within(Segment::Field(name)))
}

/// Reads an optional field over its value.
#[inline]
pub fn read_optional<'de, T: Element<'de>, R: Reader<'de>>(
    value: &mut Option<T>,
    reader: &mut R,
    header: FieldHeader,
    name: &'static str,
) -> Result<(), Error> {
    let read = expect::<T, R>(reader, header).and_then(|()| T::read_optional(value, reader));
    read.map_err(|error| error.within(Segment::Field(name)))
}

/// Reads the field of a union, which has none so far if `first`.
#[inline]
pub fn read_variant<'de, T: Element<'de>, R: Reader<'de>>(
    first: bool,
    reader: &mut R,
    header: FieldHeader,
    name: &'static str,
) -> Result<T, Error> {
    if !first {
        return Err(reader.error(ErrorKind::SecondUnionField));
    }
    let read = expect::<T, R>(reader, header).and_then(|()| T::read(reader));
    read.map_err(|error| error.within(Segment::Field(name)))
}

#[inline]
fn expect<'de, T: Element<'de>, R: Reader<'de>>(
    reader: &mut R,
    header: FieldHeader,
) -> Result<(), Error> {
    reader.input().expect(Some(T::TYPE), header.kind)
}

/// The error of a union of which no field is known.
#[cold]
pub fn empty_union<'de, R: Reader<'de>>(reader: &mut R) -> Error {
    reader.error(ErrorKind::EmptyUnion)
}

/// The error of a number that is none of an enum's.
#[cold]
pub fn unknown_enum_value<'de, R: Reader<'de>>(reader: &mut R, number: i32) -> Error {
    reader.error(ErrorKind::UnknownEnumValue(number))
}

/// That all the required fields of a struct have been seen.
#[inline]
pub fn check_required<'de, R: Reader<'de>, const N: usize>(
    reader: &mut R,
    seen: [bool; N],
    names: [&'static str; N],
) -> Result<(), Error> {
    for i in 0..N {
        if !seen[i] {
            return Err(reader.error(ErrorKind::MissingField(names[i])));
        }
    }
    Ok(())
}
