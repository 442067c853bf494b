//! Reads the compact protocol.

use super::format::{FALSE, PROTOCOL, TRUE, VERSION, number};
use super::{Apache, Dialect, Outlines, skip};
use crate::input::Input;
use crate::layout::{Layout, LayoutReader};
use crate::unknown::Encoding;
use crate::{Envelope, Error, ErrorKind, FieldHeader, Frame, MessageKind, Type};
use bytelane::varint;
use std::borrow::Cow;
use std::marker::PhantomData;

/// Reads [`Compact`](crate::Compact).
pub type CompactReader<'de, D = Apache> = LayoutReader<'de, CompactLayout<D>>;

/// Layout of [`Compact`](crate::Compact), for the code shared with [`Binary`](crate::Binary).
#[derive(Clone, Copy, Debug, Default)]
pub struct CompactLayout<D> {
    /// Value of a bool field whose header has been read.
    bool_field: Option<bool>,
    dialect: PhantomData<fn() -> D>,
}

#[inline]
fn kind<D: Dialect>(input: &Input<'_>, number: u8) -> Result<Type, Error> {
    Ok(match number {
        TRUE | FALSE => Type::Bool,
        3 => Type::I8,
        4 => Type::I16,
        5 => Type::I32,
        6 => Type::I64,
        7 => Type::Double,
        8 => Type::String,
        9 => Type::List,
        10 => Type::Set,
        11 => Type::Map,
        12 => Type::Struct,
        13 => D::TYPE_13,
        number => return Err(input.error(ErrorKind::UnknownType(number))),
    })
}

#[inline]
fn varint<T: varint::Integer>(input: &mut Input<'_>) -> Result<T, Error> {
    match varint::read(input.rest) {
        Ok((value, len)) => {
            input.rest = &input.rest[len..];
            Ok(value)
        }
        Err(error) => Err(varint_error(input, error)),
    }
}

/// Reads all elements of a list in one call.
#[inline]
fn varints<T: varint::Integer>(
    input: &mut Input<'_>,
    count: usize,
    values: &mut Vec<T>,
) -> Result<(), Error> {
    match varint::decode_append(input.rest, count, values) {
        Ok(len) => {
            input.rest = &input.rest[len..];
            Ok(())
        }
        Err(error) => Err(varint_error(input, error)),
    }
}

#[cold]
fn varint_error(input: &Input<'_>, error: varint::Error) -> Error {
    let kind = match error.kind() {
        varint::ErrorKind::Truncated => ErrorKind::UnexpectedEnd,
        _ => ErrorKind::InvalidVarint,
    };
    input.error(kind).behind(error.offset().unwrap_or(0))
}

impl<D: Dialect> Layout for CompactLayout<D> {
    const ENCODING: Encoding = D::ENCODING;
    const LARGEST_BOOL: u8 = FALSE;

    fn envelope<'de>(input: &mut Input<'de>) -> Result<Envelope<'de>, Error> {
        let start = *input;
        let [protocol, kind] = input.array()?;
        if protocol != PROTOCOL || kind & 31 != VERSION {
            return Err(start.error(ErrorKind::InvalidVersion));
        }
        let Some(kind) = MessageKind::from_number(kind >> 5) else {
            return Err(start.error(ErrorKind::InvalidMessageKind(kind >> 5)));
        };
        let sequence = varint::<u32>(input)?.cast_signed();
        let len = Self::size(input)?;
        Ok(Envelope {
            name: Cow::Borrowed(input.take_text(len)?),
            kind,
            sequence,
        })
    }

    #[inline]
    fn size(input: &mut Input<'_>) -> Result<usize, Error> {
        let size = varint::<u32>(input)?;
        input.size(size)
    }

    #[inline]
    fn field(
        &mut self,
        input: &mut Input<'_>,
        frame: &mut Frame,
        first: u8,
    ) -> Result<FieldHeader, Error> {
        let number = first & 15;
        let kind = kind::<D>(input, number)?;
        let id = match first >> 4 {
            0 => {
                let id = i16::try_from(varint::<i32>(input)?).ok();
                input.is_ordered &= id.is_some_and(|id| id > frame.last);
                id
            }
            delta => frame.last.checked_add(delta.into()),
        };
        let Some(id) = id else {
            return Err(input.error(ErrorKind::InvalidFieldId));
        };
        if kind == Type::Bool {
            self.bool_field = Some(number == TRUE);
        }
        frame.last = id;
        Ok(FieldHeader { id, kind })
    }

    #[inline]
    fn list(input: &mut Input<'_>) -> Result<(usize, Type), Error> {
        let header = input.byte()?;
        let len = match header >> 4 {
            15 => Self::size(input)?,
            len => len.into(),
        };
        match len {
            // Some writers write no type if there are no elements.
            0 => Ok((0, kind::<D>(input, header & 15).unwrap_or(Type::Bool))),
            _ => Ok((len, kind::<D>(input, header & 15)?)),
        }
    }

    #[inline]
    fn map(input: &mut Input<'_>) -> Result<(usize, Type, Type), Error> {
        let len = Self::size(input)?;
        if len == 0 {
            return Ok((0, Type::Bool, Type::Bool));
        }
        let kinds = input.byte()?;
        let key = kind::<D>(input, kinds >> 4)?;
        Ok((len, key, kind::<D>(input, kinds & 15)?))
    }

    #[inline]
    fn behind_fields<'de>(
        mut rest: &'de [u8],
        strings: usize,
        frame: &mut Frame,
        selects: impl Fn(i16) -> bool,
    ) -> &'de [u8] {
        // One load has the header, and a number or the length of a string. The last bytes are left to the reader.
        while let Some(first) = rest.first_chunk::<8>() {
            let [header, next, after, ..] = *first;
            let delta = header >> 4;
            let Some(id) = frame.last.checked_add(delta.into()) else {
                break;
            };
            if delta == 0 || selects(id) {
                break;
            }
            // Integers of fewer bytes than the longest are always in the range of their type. The CPU does not
            // wait for the number if it predicts that it has one byte.
            let len = match header & 15 {
                TRUE | FALSE => 1,
                3 => 2,
                4..=6 if next < 0x80 => 2,
                4 if after < 0x80 => 3,
                number @ (5 | 6) => {
                    let ends = !u64::from_le_bytes(*first) & 0x8080_8080_8080_8000;
                    let len = ends.trailing_zeros() as usize / 8 + 1;
                    if len > if number == 5 { 5 } else { 8 } {
                        break;
                    }
                    len
                }
                7 => 9,
                8 if next < 0x80 && usize::from(next) <= strings => 2 + usize::from(next),
                _ => break,
            };
            let Some(behind) = rest.get(len..) else {
                break;
            };
            (rest, frame.last) = (behind, id);
        }
        rest
    }

    fn smallest(kind: Type) -> usize {
        match kind {
            Type::Double => 8,
            Type::Uuid => 16,
            Type::Float => 4,
            _ => 1,
        }
    }

    fn behind<'de>(input: &Input<'de>, kind: Type) -> Option<&'de [u8]> {
        let limits = input.limits();
        skip::behind(input.rest, number(kind), limits, limits.depth)
    }

    #[inline]
    fn behind_alike<'de>(input: &Input<'de>, outlines: &mut Outlines) -> Option<&'de [u8]> {
        outlines.behind(input.rest, |rest| {
            let limits = input.limits();
            skip::behind(rest, number(Type::Struct), limits, limits.depth)
        })
    }

    #[inline]
    fn bool(&mut self, input: &mut Input<'_>) -> Result<bool, Error> {
        if let Some(value) = self.bool_field.take() {
            return Ok(value);
        }
        match input.byte()? {
            TRUE => Ok(true),
            // Some writers write 0.
            FALSE | 0 => Ok(false),
            byte => Err(input.error(ErrorKind::InvalidBool(byte))),
        }
    }

    #[inline]
    fn i16(input: &mut Input<'_>) -> Result<i16, Error> {
        let start = *input;
        let value = varint::<i32>(input)?;
        i16::try_from(value).map_err(|_| start.error(ErrorKind::NumberOutOfRange))
    }

    #[inline]
    fn i32(input: &mut Input<'_>) -> Result<i32, Error> {
        varint(input)
    }

    #[inline]
    fn i64(input: &mut Input<'_>) -> Result<i64, Error> {
        varint(input)
    }

    #[inline]
    fn double(input: &mut Input<'_>) -> Result<f64, Error> {
        let bytes = input.array()?;
        Ok(if D::BIG_ENDIAN {
            f64::from_be_bytes(bytes)
        } else {
            f64::from_le_bytes(bytes)
        })
    }

    /// Widened in parts: there is no 16-bit varint.
    fn i16s(input: &mut Input<'_>, count: usize, values: &mut Vec<i16>) -> Result<(), Error> {
        let mut wide = [0i32; 256];
        let mut left = count;
        while left > 0 {
            let count = left.min(wide.len());
            let start = *input;
            match varint::decode(input.rest, &mut wide[..count]) {
                Ok(len) => input.rest = &input.rest[len..],
                Err(error) => return Err(varint_error(input, error)),
            }
            for &value in &wide[..count] {
                let value = i16::try_from(value);
                values.push(value.map_err(|_| start.error(ErrorKind::NumberOutOfRange))?);
            }
            left -= count;
        }
        Ok(())
    }

    #[inline]
    fn i32s(input: &mut Input<'_>, count: usize, values: &mut Vec<i32>) -> Result<(), Error> {
        varints(input, count, values)
    }

    #[inline]
    fn i64s(input: &mut Input<'_>, count: usize, values: &mut Vec<i64>) -> Result<(), Error> {
        varints(input, count, values)
    }

    fn doubles(input: &mut Input<'_>, count: usize, values: &mut Vec<f64>) -> Result<(), Error> {
        if D::BIG_ENDIAN {
            return input.big_endian(count, values);
        }
        let bytes = input.take(count * size_of::<f64>())?;
        let (bytes, _) = bytes.as_chunks();
        values.extend(bytes.iter().map(|&bytes| f64::from_le_bytes(bytes)));
        Ok(())
    }
}
