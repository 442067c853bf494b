//! The compact protocol: varints, and field numbers as differences.

use crate::input::Input;
use crate::layout::{Layout, LayoutReader};
use crate::output::Output;
use crate::protocol::{Protocol, WriteLimits, Writer};
use crate::unknown::Encoding;
use crate::{
    Envelope, Error, ErrorKind, Field, FieldHeader, Frame, Limits, MessageKind, Type, UnknownField,
};
use bytelane::varint;
use std::borrow::Cow;
use std::marker::PhantomData;

/// The compact protocol. Lists of numbers are moved in one piece.
///
/// There are two dialects, which differ in doubles and in what type 13 is: [`Apache`]'s, and
/// [`Fbthrift`]'s. [`FbthriftCompact`] is short for the second.
///
/// Source: [Thrift compact protocol encoding](https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md).
#[derive(Clone, Copy, Debug, Default)]
pub struct Compact<D = Apache>(PhantomData<D>);

/// The compact protocol of fbthrift.
pub type FbthriftCompact = Compact<Fbthrift>;

/// The compact protocol as Apache Thrift writes it: doubles are little-endian, type 13 is `uuid`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Apache;

/// The compact protocol as fbthrift writes it: doubles are big-endian, type 13 is `float`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fbthrift;

/// In what [`Compact`]'s dialects differ.
pub trait Dialect: Copy + std::fmt::Debug + Default {
    /// Whether doubles are big-endian.
    const BIG_ENDIAN: bool;
    /// Type 13.
    const TYPE_13: Type;
    /// What its bytes are called.
    #[doc(hidden)]
    const ENCODING: Encoding;
}

impl Dialect for Apache {
    const BIG_ENDIAN: bool = false;
    const TYPE_13: Type = Type::Uuid;
    const ENCODING: Encoding = Encoding::Compact;
}

impl Dialect for Fbthrift {
    const BIG_ENDIAN: bool = true;
    const TYPE_13: Type = Type::Float;
    const ENCODING: Encoding = Encoding::FbthriftCompact;
}

const PROTOCOL: u8 = 0x82;
const VERSION: u8 = 1;

/// Types as the compact protocol numbers them.
const TRUE: u8 = 1;
const FALSE: u8 = 2;

fn number(kind: Type) -> u8 {
    match kind {
        Type::Bool => TRUE,
        Type::I8 => 3,
        Type::I16 => 4,
        Type::I32 => 5,
        Type::I64 => 6,
        Type::Double => 7,
        Type::String => 8,
        Type::List => 9,
        Type::Set => 10,
        Type::Map => 11,
        Type::Struct => 12,
        Type::Uuid | Type::Float => 13,
    }
}

impl<D: Dialect> Protocol for Compact<D> {
    type Writer<O: Output> = CompactWriter<O, D>;
    type Reader<'de> = CompactReader<'de, D>;

    #[inline]
    fn writer<O: Output>(output: O, limits: &Limits) -> Self::Writer<O> {
        CompactWriter {
            output,
            limits: WriteLimits::new(limits),
            dialect: PhantomData,
        }
    }

    #[inline]
    fn reader(input: Input<'_>) -> Self::Reader<'_> {
        LayoutReader::new(input)
    }
}

/// Writes [`Compact`].
#[derive(Debug)]
pub struct CompactWriter<O, D = Apache> {
    output: O,
    limits: WriteLimits,
    dialect: PhantomData<D>,
}

impl<O: Output, D: Dialect> CompactWriter<O, D> {
    /// The header of a field, with the number of its type, which for a bool is its value.
    #[inline]
    fn header(&mut self, frame: &mut Frame, id: i16, number: u8) {
        match id.wrapping_sub(frame.last) {
            // A difference that wraps around is negative.
            delta @ 1..=15 => self.output.byte((delta as u8) << 4 | number),
            _ => {
                self.output.byte(number);
                self.output.varint(i32::from(id));
            }
        }
        frame.last = id;
    }

    #[inline]
    fn check_type_13(&self, kind: Type) -> Result<(), Error> {
        if kind != D::TYPE_13 {
            return Err(Error::new(ErrorKind::Unsupported(kind), None));
        }
        Ok(())
    }
}

impl<O: Output, D: Dialect> Writer for CompactWriter<O, D> {
    type Output = O;

    #[inline]
    fn finish(self) -> O {
        self.output
    }

    fn message_begin(&mut self, envelope: &Envelope) -> Result<(), Error> {
        let kind = (envelope.kind as u8) << 5 | VERSION;
        self.output.array([PROTOCOL, kind]);
        self.output.varint(envelope.sequence.cast_unsigned());
        self.string(&envelope.name)
    }

    fn message_end(&mut self) {}

    #[inline]
    fn struct_begin(&mut self) -> Result<Frame, Error> {
        self.limits.enter_struct()
    }

    #[inline]
    fn struct_end(&mut self, frame: Frame) {
        self.output.byte(0);
        self.limits.leave_struct(frame);
    }

    #[inline]
    fn field_begin(&mut self, frame: &mut Frame, field: &Field) {
        self.header(frame, field.id, number(field.kind));
    }

    #[inline]
    fn field_end(&mut self) {}

    #[inline]
    fn bool_field(&mut self, frame: &mut Frame, field: &Field, value: bool) {
        self.header(frame, field.id, if value { TRUE } else { FALSE });
    }

    fn unknown_field(&mut self, frame: &mut Frame, field: &UnknownField) -> Result<(), Error> {
        if field.encoding() != CompactLayout::<D>::ENCODING {
            return field.convert(self, frame);
        }
        if field.kind() == Type::Bool {
            self.bool_field(frame, &field.field(), field.bytes() == [1]);
            return Ok(());
        }
        self.field_begin(frame, &field.field());
        self.output.bytes(field.bytes());
        Ok(())
    }

    #[inline]
    fn list_begin(&mut self, _: Type, element: Type, len: usize) -> Result<(), Error> {
        self.limits.enter_container(len)?;
        if len < 15 {
            self.output.byte((len as u8) << 4 | number(element));
        } else {
            self.output.byte(0xf0 | number(element));
            self.output.varint(len as u32);
        }
        Ok(())
    }

    #[inline]
    fn list_end(&mut self) {
        self.limits.leave();
    }

    #[inline]
    fn map_begin(&mut self, key: Type, value: Type, len: usize) -> Result<(), Error> {
        self.limits.enter_container(len)?;
        self.output.varint(len as u32);
        if len > 0 {
            self.output.byte(number(key) << 4 | number(value));
        }
        Ok(())
    }

    #[inline]
    fn map_end(&mut self) {
        self.limits.leave();
    }

    #[inline]
    fn bool(&mut self, value: bool) {
        self.output.byte(if value { TRUE } else { FALSE });
    }

    #[inline]
    fn i8(&mut self, value: i8) {
        self.output.byte(value.cast_unsigned());
    }

    #[inline]
    fn i16(&mut self, value: i16) {
        self.output.varint(i32::from(value));
    }

    #[inline]
    fn i32(&mut self, value: i32) {
        self.output.varint(value);
    }

    #[inline]
    fn i64(&mut self, value: i64) {
        self.output.varint(value);
    }

    #[inline]
    fn double(&mut self, value: f64) {
        self.output.array(if D::BIG_ENDIAN {
            value.to_be_bytes()
        } else {
            value.to_le_bytes()
        });
    }

    #[inline]
    fn float(&mut self, value: f32) -> Result<(), Error> {
        self.check_type_13(Type::Float)?;
        self.output.array(value.to_be_bytes());
        Ok(())
    }

    #[inline]
    fn uuid(&mut self, value: &[u8; 16]) -> Result<(), Error> {
        self.check_type_13(Type::Uuid)?;
        self.output.array(*value);
        Ok(())
    }

    #[inline]
    fn string(&mut self, value: &str) -> Result<(), Error> {
        self.binary(value.as_bytes())
    }

    #[inline]
    fn binary(&mut self, value: &[u8]) -> Result<(), Error> {
        self.limits.string(value.len())?;
        self.output.varint(value.len() as u32);
        self.output.bytes(value);
        Ok(())
    }

    #[inline]
    fn i8s(&mut self, values: &[i8]) {
        self.output.bytes(bytemuck::cast_slice(values));
    }

    fn i16s(&mut self, values: &[i16]) {
        // Widened a part at a time: there is no varint of 16 bits of its own.
        let mut wide = [0i32; 256];
        for part in values.chunks(wide.len()) {
            for i in 0..part.len() {
                wide[i] = part[i].into();
            }
            self.output.varints(&wide[..part.len()]);
        }
    }

    #[inline]
    fn i32s(&mut self, values: &[i32]) {
        self.output.varints(values);
    }

    #[inline]
    fn i64s(&mut self, values: &[i64]) {
        self.output.varints(values);
    }

    #[inline]
    fn doubles(&mut self, values: &[f64]) {
        if D::BIG_ENDIAN {
            self.output.big_endian(values);
        } else if cfg!(target_endian = "little") {
            self.output.bytes(bytemuck::cast_slice(values));
        } else {
            for i in 0..values.len() {
                self.double(values[i]);
            }
        }
    }
}

/// Reads [`Compact`].
pub type CompactReader<'de, D = Apache> = LayoutReader<'de, CompactLayout<D>>;

/// How [`Compact`] lays out what it has in common with [`Binary`](crate::Binary).
#[derive(Clone, Copy, Debug, Default)]
pub struct CompactLayout<D> {
    /// The value of the field of type bool whose header has been read.
    bool_field: Option<bool>,
    dialect: PhantomData<D>,
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

/// Moves the elements of a list in one piece.
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
            0 => i16::try_from(varint::<i32>(input)?).ok(),
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
            0 => Ok((0, Type::Bool)),
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

    fn smallest(kind: Type) -> usize {
        match kind {
            Type::Double => 8,
            Type::Uuid => 16,
            Type::Float => 4,
            _ => 1,
        }
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

    /// Widened a part at a time: there is no varint of 16 bits of its own.
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
