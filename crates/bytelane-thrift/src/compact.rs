//! The compact protocol: varints, and field numbers as differences.

use crate::input::Input;
use crate::output::Output;
use crate::protocol::{Protocol, Reader, WriteLimits, Writer};
use crate::{
    Envelope, Error, ErrorKind, Field, FieldHeader, Frame, Items, Limits, MessageKind, Type,
};
use bytelane::{big_endian, varint};
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
}

impl Dialect for Apache {
    const BIG_ENDIAN: bool = false;
    const TYPE_13: Type = Type::Uuid;
}

impl Dialect for Fbthrift {
    const BIG_ENDIAN: bool = true;
    const TYPE_13: Type = Type::Float;
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

/// The fewest bytes that a value of a type has.
fn smallest(kind: Type) -> usize {
    match kind {
        Type::Double => 8,
        Type::Uuid => 16,
        Type::Float => 4,
        _ => 1,
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
        CompactReader {
            input,
            field: None,
            dialect: PhantomData,
        }
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
        self.limits.enter()?;
        Ok(Frame::default())
    }

    #[inline]
    fn struct_end(&mut self, _: Frame) {
        self.output.byte(0);
        self.limits.leave();
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
#[derive(Debug)]
pub struct CompactReader<'de, D = Apache> {
    input: Input<'de>,
    /// The value of the field of type bool whose header has been read.
    field: Option<bool>,
    dialect: PhantomData<D>,
}

impl<'de, D: Dialect> CompactReader<'de, D> {
    #[inline]
    fn varint<T: varint::Integer>(&mut self) -> Result<T, Error> {
        match varint::read(self.input.rest) {
            Ok((value, len)) => {
                self.input.rest = &self.input.rest[len..];
                Ok(value)
            }
            Err(error) => Err(self.varint_error(error)),
        }
    }

    #[cold]
    fn varint_error(&self, error: varint::Error) -> Error {
        let kind = match error {
            varint::Error::Truncated { .. } => ErrorKind::UnexpectedEnd,
            _ => ErrorKind::InvalidVarint,
        };
        self.input.error(kind).behind(error.offset().unwrap_or(0))
    }

    #[inline]
    fn size(&mut self) -> Result<usize, Error> {
        let size = self.varint::<u32>()?;
        self.input.size(size)
    }

    #[inline]
    fn kind(&mut self, number: u8) -> Result<Type, Error> {
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
            number => return Err(self.input.error(ErrorKind::UnknownType(number))),
        })
    }

    #[inline]
    fn text(&mut self) -> Result<&'de str, Error> {
        let len = self.size()?;
        self.input.take_text(len)
    }

    #[inline]
    fn bytes(&mut self) -> Result<&'de [u8], Error> {
        let len = self.size()?;
        self.input.take_string(len)
    }

    /// Moves the elements of a list in one piece.
    #[inline]
    fn varints<T: varint::Integer>(
        &mut self,
        items: Items,
        values: &mut Vec<T>,
    ) -> Result<(), Error> {
        match varint::decode_into_vec(self.input.rest, items.left, values) {
            Ok(len) => {
                self.input.rest = &self.input.rest[len..];
                self.input.leave();
                Ok(())
            }
            Err(error) => Err(self.varint_error(error)),
        }
    }
}

impl<'de, D: Dialect> Reader<'de> for CompactReader<'de, D> {
    #[inline]
    fn input(&mut self) -> &mut Input<'de> {
        &mut self.input
    }

    fn finish(self) -> Input<'de> {
        self.input
    }

    fn message_begin(&mut self) -> Result<Envelope<'de>, Error> {
        let start = self.input;
        let [protocol, kind] = self.input.array()?;
        if protocol != PROTOCOL || kind & 31 != VERSION {
            return Err(start.error(ErrorKind::InvalidVersion));
        }
        let Some(kind) = MessageKind::from_number(kind >> 5) else {
            return Err(start.error(ErrorKind::InvalidMessageKind(kind >> 5)));
        };
        let sequence = self.varint::<u32>()?.cast_signed();
        Ok(Envelope {
            name: Cow::Borrowed(self.text()?),
            kind,
            sequence,
        })
    }

    fn message_end(&mut self) -> Result<(), Error> {
        Ok(())
    }

    #[inline]
    fn struct_begin(&mut self) -> Result<Frame, Error> {
        self.input.enter()?;
        Ok(Frame::default())
    }

    #[inline]
    fn field_begin(
        &mut self,
        frame: &mut Frame,
        _: &'static [Field],
    ) -> Result<Option<FieldHeader>, Error> {
        let header = self.input.byte()?;
        if header == 0 {
            self.input.leave();
            return Ok(None);
        }
        let number = header & 15;
        let kind = self.kind(number)?;
        let id = match header >> 4 {
            0 => i16::try_from(self.varint::<i32>()?).ok(),
            delta => frame.last.checked_add(delta.into()),
        };
        let Some(id) = id else {
            return Err(self.input.error(ErrorKind::InvalidFieldId));
        };
        if kind == Type::Bool {
            self.field = Some(number == TRUE);
        }
        frame.last = id;
        Ok(Some(FieldHeader { id, kind }))
    }

    #[inline]
    fn field_end(&mut self) -> Result<(), Error> {
        Ok(())
    }

    #[inline]
    fn list_begin(&mut self, _: Type, element: Option<Type>, cost: usize) -> Result<Items, Error> {
        let header = self.input.byte()?;
        let len = match header >> 4 {
            15 => self.size()?,
            len => len.into(),
        };
        if len == 0 {
            return self.input.enter_items(0, (Type::Bool, Type::Bool), 1, 0);
        }
        let kind = self.kind(header & 15)?;
        self.input.expect(element, kind)?;
        self.input
            .enter_items(len, (kind, kind), smallest(kind), cost)
    }

    #[inline]
    fn map_begin(&mut self, types: Option<(Type, Type)>, cost: usize) -> Result<Items, Error> {
        let len = self.size()?;
        if len == 0 {
            return self.input.enter_items(0, (Type::Bool, Type::Bool), 1, 0);
        }
        let kinds = self.input.byte()?;
        let (key, value) = (self.kind(kinds >> 4)?, self.kind(kinds & 15)?);
        self.input.expect(types.map(|types| types.0), key)?;
        self.input.expect(types.map(|types| types.1), value)?;
        let smallest = smallest(key) + smallest(value);
        self.input.enter_items(len, (key, value), smallest, cost)
    }

    #[inline]
    fn next(&mut self, items: &mut Items) -> Result<bool, Error> {
        Ok(self.input.next(items))
    }

    #[inline]
    fn bool(&mut self) -> Result<bool, Error> {
        if let Some(value) = self.field.take() {
            return Ok(value);
        }
        match self.input.byte()? {
            TRUE => Ok(true),
            // Some writers write 0.
            FALSE | 0 => Ok(false),
            byte => Err(self.input.error(ErrorKind::InvalidBool(byte))),
        }
    }

    #[inline]
    fn i8(&mut self) -> Result<i8, Error> {
        self.input.byte().map(u8::cast_signed)
    }

    #[inline]
    fn i16(&mut self) -> Result<i16, Error> {
        let start = self.input;
        let value = self.varint::<i32>()?;
        i16::try_from(value).map_err(|_| start.error(ErrorKind::NumberOutOfRange))
    }

    #[inline]
    fn i32(&mut self) -> Result<i32, Error> {
        self.varint()
    }

    #[inline]
    fn i64(&mut self) -> Result<i64, Error> {
        self.varint()
    }

    #[inline]
    fn double(&mut self) -> Result<f64, Error> {
        let bytes = self.input.array()?;
        Ok(if D::BIG_ENDIAN {
            f64::from_be_bytes(bytes)
        } else {
            f64::from_le_bytes(bytes)
        })
    }

    #[inline]
    fn float(&mut self) -> Result<f32, Error> {
        self.input.array().map(f32::from_be_bytes)
    }

    #[inline]
    fn uuid(&mut self) -> Result<[u8; 16], Error> {
        self.input.array()
    }

    #[inline]
    fn string(&mut self) -> Result<Cow<'de, str>, Error> {
        self.text().map(Cow::Borrowed)
    }

    #[inline]
    fn binary(&mut self) -> Result<Cow<'de, [u8]>, Error> {
        self.bytes().map(Cow::Borrowed)
    }

    #[inline]
    fn i8s(&mut self, items: Items, values: &mut Vec<i8>) -> Result<(), Error> {
        let bytes = self.input.take(items.left)?;
        values.extend_from_slice(bytemuck::cast_slice(bytes));
        self.input.leave();
        Ok(())
    }

    #[inline]
    fn i32s(&mut self, items: Items, values: &mut Vec<i32>) -> Result<(), Error> {
        self.varints(items, values)
    }

    #[inline]
    fn i64s(&mut self, items: Items, values: &mut Vec<i64>) -> Result<(), Error> {
        self.varints(items, values)
    }

    /// Widened a part at a time: there is no varint of 16 bits of its own.
    fn i16s(&mut self, mut items: Items, values: &mut Vec<i16>) -> Result<(), Error> {
        let mut wide = [0i32; 256];
        values.reserve(items.left);
        while items.left > 0 {
            let count = items.left.min(wide.len());
            let start = self.input;
            match varint::decode(self.input.rest, &mut wide[..count]) {
                Ok(len) => self.input.rest = &self.input.rest[len..],
                Err(error) => return Err(self.varint_error(error)),
            }
            for &value in &wide[..count] {
                let value = i16::try_from(value);
                values.push(value.map_err(|_| start.error(ErrorKind::NumberOutOfRange))?);
            }
            items.left -= count;
        }
        self.input.leave();
        Ok(())
    }

    fn doubles(&mut self, items: Items, values: &mut Vec<f64>) -> Result<(), Error> {
        let bytes = self.input.take(items.left * size_of::<f64>())?;
        if D::BIG_ENDIAN {
            let moved = big_endian::decode_into_vec(bytes, values);
            debug_assert!(moved.is_ok(), "a whole number of values");
        } else {
            let (bytes, _) = bytes.as_chunks();
            values.extend(bytes.iter().map(|&bytes| f64::from_le_bytes(bytes)));
        }
        self.input.leave();
        Ok(())
    }

    fn skip_string(&mut self) -> Result<(), Error> {
        self.bytes().map(drop)
    }
}
