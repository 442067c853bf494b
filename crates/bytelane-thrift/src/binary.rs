//! The binary protocol: numbers in big-endian order, sizes of four bytes.

use crate::input::Input;
use crate::output::Output;
use crate::protocol::{Protocol, Reader, WriteLimits, Writer};
use crate::{
    Envelope, Error, ErrorKind, Field, FieldHeader, Frame, Items, Limits, MessageKind, Type,
};
use bytelane::{Value, big_endian};
use std::borrow::Cow;

/// The binary protocol. Lists of numbers are moved in one piece.
///
/// `STRICT` is about [`Envelope`]s only. The strict ones start with the protocol's version; the
/// others, which are older, start with their name. `Binary` writes and takes strict ones,
/// `Binary<false>` writes the others and takes both.
///
/// Source: [Thrift binary protocol encoding](https://github.com/apache/thrift/blob/master/doc/specs/thrift-binary-protocol.md).
#[derive(Clone, Copy, Debug, Default)]
pub struct Binary<const STRICT: bool = true>;

const VERSION: u32 = 0x8001_0000;

impl<const STRICT: bool> Protocol for Binary<STRICT> {
    type Writer<O: Output> = BinaryWriter<O, STRICT>;
    type Reader<'de> = BinaryReader<'de, STRICT>;

    #[inline]
    fn room(len: usize) -> usize {
        len
    }

    #[inline]
    fn writer<O: Output>(output: O, limits: &Limits) -> Self::Writer<O> {
        BinaryWriter {
            output,
            limits: WriteLimits::new(limits),
        }
    }

    #[inline]
    fn reader(input: Input<'_>) -> Self::Reader<'_> {
        BinaryReader { input }
    }
}

/// The fewest bytes that a value of a type has.
fn smallest(kind: Type) -> usize {
    match kind {
        Type::Bool | Type::I8 | Type::Struct => 1,
        Type::I16 => 2,
        Type::I32 | Type::Float | Type::String => 4,
        Type::I64 | Type::Double => 8,
        Type::List | Type::Set => 5,
        Type::Map => 6,
        Type::Uuid => 16,
    }
}

/// Whether all values of a type have as many bytes, and any bytes will do.
fn has_one_length(kind: Type) -> bool {
    use Type::{Double, Float, I8, I16, I32, I64, Uuid};
    matches!(kind, I8 | I16 | I32 | I64 | Double | Float | Uuid)
}

/// Writes [`Binary`].
#[derive(Debug)]
pub struct BinaryWriter<O, const STRICT: bool = true> {
    output: O,
    limits: WriteLimits,
}

impl<O: Output, const STRICT: bool> BinaryWriter<O, STRICT> {
    /// The header of a field, and its first bytes, in one piece: each piece waits for the length
    /// of the output that the one before it made.
    #[inline]
    fn field<const N: usize>(&mut self, field: &Field, first: [u8; N]) {
        let mut bytes = [0; 11];
        let [high, low] = field.id.to_be_bytes();
        bytes[..3].copy_from_slice(&[field.kind as u8, high, low]);
        bytes[3..3 + N].copy_from_slice(&first);
        self.output.bytes(&bytes[..3 + N]);
    }
}

impl<O: Output, const STRICT: bool> Writer for BinaryWriter<O, STRICT> {
    type Output = O;

    fn finish(self) -> O {
        self.output
    }

    fn message_begin(&mut self, envelope: &Envelope) -> Result<(), Error> {
        if STRICT {
            self.output
                .array((VERSION | envelope.kind as u32).to_be_bytes());
            self.string(&envelope.name)?;
        } else {
            self.string(&envelope.name)?;
            self.output.byte(envelope.kind as u8);
        }
        self.i32(envelope.sequence);
        Ok(())
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
    fn field_begin(&mut self, _: &mut Frame, field: &Field) {
        self.field(field, []);
    }

    #[inline]
    fn field_end(&mut self) {}

    #[inline]
    fn bool_field(&mut self, _: &mut Frame, field: &Field, value: bool) {
        self.field(field, [value.into()]);
    }

    #[inline]
    fn i8_field(&mut self, _: &mut Frame, field: &Field, value: i8) {
        self.field(field, value.to_be_bytes());
    }

    #[inline]
    fn i16_field(&mut self, _: &mut Frame, field: &Field, value: i16) {
        self.field(field, value.to_be_bytes());
    }

    #[inline]
    fn i32_field(&mut self, _: &mut Frame, field: &Field, value: i32) {
        self.field(field, value.to_be_bytes());
    }

    #[inline]
    fn i64_field(&mut self, _: &mut Frame, field: &Field, value: i64) {
        self.field(field, value.to_be_bytes());
    }

    #[inline]
    fn double_field(&mut self, _: &mut Frame, field: &Field, value: f64) {
        self.field(field, value.to_be_bytes());
    }

    #[inline]
    fn string_field(&mut self, frame: &mut Frame, field: &Field, value: &str) -> Result<(), Error> {
        self.binary_field(frame, field, value.as_bytes())
    }

    #[inline]
    fn binary_field(&mut self, _: &mut Frame, field: &Field, value: &[u8]) -> Result<(), Error> {
        self.limits.string(value.len())?;
        self.field(field, (value.len() as u32).to_be_bytes());
        self.output.bytes(value);
        Ok(())
    }

    #[inline]
    fn list_begin(&mut self, _: Type, element: Type, len: usize) -> Result<(), Error> {
        self.limits.enter_container(len)?;
        let [a, b, c, d] = (len as u32).to_be_bytes();
        self.output.array([element as u8, a, b, c, d]);
        Ok(())
    }

    #[inline]
    fn list_end(&mut self) {
        self.limits.leave();
    }

    #[inline]
    fn map_begin(&mut self, key: Type, value: Type, len: usize) -> Result<(), Error> {
        self.limits.enter_container(len)?;
        let [a, b, c, d] = (len as u32).to_be_bytes();
        self.output.array([key as u8, value as u8, a, b, c, d]);
        Ok(())
    }

    #[inline]
    fn map_end(&mut self) {
        self.limits.leave();
    }

    #[inline]
    fn bool(&mut self, value: bool) {
        self.output.byte(value.into());
    }

    #[inline]
    fn i8(&mut self, value: i8) {
        self.output.byte(value.cast_unsigned());
    }

    #[inline]
    fn i16(&mut self, value: i16) {
        self.output.array(value.to_be_bytes());
    }

    #[inline]
    fn i32(&mut self, value: i32) {
        self.output.array(value.to_be_bytes());
    }

    #[inline]
    fn i64(&mut self, value: i64) {
        self.output.array(value.to_be_bytes());
    }

    #[inline]
    fn double(&mut self, value: f64) {
        self.output.array(value.to_be_bytes());
    }

    #[inline]
    fn float(&mut self, value: f32) -> Result<(), Error> {
        self.output.array(value.to_be_bytes());
        Ok(())
    }

    #[inline]
    fn uuid(&mut self, value: &[u8; 16]) -> Result<(), Error> {
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
        self.output.array((value.len() as u32).to_be_bytes());
        self.output.bytes(value);
        Ok(())
    }

    #[inline]
    fn i8s(&mut self, values: &[i8]) {
        self.output.big_endian(values);
    }

    #[inline]
    fn i16s(&mut self, values: &[i16]) {
        self.output.big_endian(values);
    }

    #[inline]
    fn i32s(&mut self, values: &[i32]) {
        self.output.big_endian(values);
    }

    #[inline]
    fn i64s(&mut self, values: &[i64]) {
        self.output.big_endian(values);
    }

    #[inline]
    fn doubles(&mut self, values: &[f64]) {
        self.output.big_endian(values);
    }

    #[inline]
    fn floats(&mut self, values: &[f32]) -> Result<(), Error> {
        self.output.big_endian(values);
        Ok(())
    }
}

/// Reads [`Binary`].
#[derive(Debug)]
pub struct BinaryReader<'de, const STRICT: bool = true> {
    input: Input<'de>,
}

impl<'de, const STRICT: bool> BinaryReader<'de, STRICT> {
    #[inline]
    fn kind(&mut self, number: u8) -> Result<Type, Error> {
        Type::from_number(number).ok_or_else(|| self.input.error(ErrorKind::UnknownType(number)))
    }

    #[inline]
    fn u32(&mut self) -> Result<u32, Error> {
        self.input.array().map(u32::from_be_bytes)
    }

    #[inline]
    fn size(&mut self) -> Result<usize, Error> {
        let size = self.u32()?;
        self.input.size(size)
    }

    #[inline]
    fn bytes(&mut self) -> Result<&'de [u8], Error> {
        let len = self.size()?;
        self.input.take_string(len)
    }

    /// Moves the elements of a list in one piece. That there are as many bytes was checked when
    /// the list began.
    #[inline]
    fn numbers<T: Value>(&mut self, items: Items, values: &mut Vec<T>) -> Result<(), Error> {
        let bytes = self.input.take(items.left * size_of::<T>())?;
        let moved = big_endian::decode_into_vec(bytes, values);
        debug_assert!(moved.is_ok(), "a whole number of values");
        self.input.leave();
        Ok(())
    }
}

impl<'de, const STRICT: bool> Reader<'de> for BinaryReader<'de, STRICT> {
    #[inline]
    fn input(&mut self) -> &mut Input<'de> {
        &mut self.input
    }

    fn finish(self) -> Input<'de> {
        self.input
    }

    fn message_begin(&mut self) -> Result<Envelope<'de>, Error> {
        let start = self.input;
        let first = self.u32()?;
        let (kind, name) = if first >> 16 == VERSION >> 16 {
            let len = self.size()?;
            (first as u8, self.input.take_text(len)?)
        } else if STRICT || first > i32::MAX as u32 {
            return Err(start.error(ErrorKind::InvalidVersion));
        } else {
            let name = self.input.take_text(first as usize)?;
            (self.input.byte()?, name)
        };
        let Some(kind) = MessageKind::from_number(kind) else {
            return Err(self.input.error(ErrorKind::InvalidMessageKind(kind)));
        };
        Ok(Envelope {
            name: Cow::Borrowed(name),
            kind,
            sequence: self.i32()?,
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
        _: &mut Frame,
        _: &'static [Field],
    ) -> Result<Option<FieldHeader>, Error> {
        let kind = self.input.byte()?;
        if kind == 0 {
            self.input.leave();
            return Ok(None);
        }
        let kind = self.kind(kind)?;
        let id = self.i16()?;
        Ok(Some(FieldHeader { id, kind }))
    }

    #[inline]
    fn field_end(&mut self) -> Result<(), Error> {
        Ok(())
    }

    #[inline]
    fn list_begin(&mut self, _: Type, element: Option<Type>, cost: usize) -> Result<Items, Error> {
        let [kind, a, b, c, d] = self.input.array()?;
        let len = self.input.size(u32::from_be_bytes([a, b, c, d]))?;
        if len == 0 && Type::from_number(kind).is_none() {
            // Some writers name no type where there are no elements.
            return self.input.enter_items(0, (Type::Bool, Type::Bool), 1, 0);
        }
        let kind = self.kind(kind)?;
        if len > 0 {
            self.input.expect(element, kind)?;
        }
        self.input
            .enter_items(len, (kind, kind), smallest(kind), cost)
    }

    #[inline]
    fn map_begin(&mut self, types: Option<(Type, Type)>, cost: usize) -> Result<Items, Error> {
        let [key, value, a, b, c, d] = self.input.array()?;
        let len = self.input.size(u32::from_be_bytes([a, b, c, d]))?;
        if len == 0 {
            return self.input.enter_items(0, (Type::Bool, Type::Bool), 1, 0);
        }
        let (key, value) = (self.kind(key)?, self.kind(value)?);
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
        match self.input.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            byte => Err(self.input.error(ErrorKind::InvalidBool(byte))),
        }
    }

    #[inline]
    fn i8(&mut self) -> Result<i8, Error> {
        self.input.byte().map(u8::cast_signed)
    }

    #[inline]
    fn i16(&mut self) -> Result<i16, Error> {
        self.input.array().map(i16::from_be_bytes)
    }

    #[inline]
    fn i32(&mut self) -> Result<i32, Error> {
        self.input.array().map(i32::from_be_bytes)
    }

    #[inline]
    fn i64(&mut self) -> Result<i64, Error> {
        self.input.array().map(i64::from_be_bytes)
    }

    #[inline]
    fn double(&mut self) -> Result<f64, Error> {
        self.input.array().map(f64::from_be_bytes)
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
        let len = self.size()?;
        self.input.take_text(len).map(Cow::Borrowed)
    }

    #[inline]
    fn binary(&mut self) -> Result<Cow<'de, [u8]>, Error> {
        self.bytes().map(Cow::Borrowed)
    }

    #[inline]
    fn i8s(&mut self, items: Items, values: &mut Vec<i8>) -> Result<(), Error> {
        self.numbers(items, values)
    }

    #[inline]
    fn i16s(&mut self, items: Items, values: &mut Vec<i16>) -> Result<(), Error> {
        self.numbers(items, values)
    }

    #[inline]
    fn i32s(&mut self, items: Items, values: &mut Vec<i32>) -> Result<(), Error> {
        self.numbers(items, values)
    }

    #[inline]
    fn i64s(&mut self, items: Items, values: &mut Vec<i64>) -> Result<(), Error> {
        self.numbers(items, values)
    }

    #[inline]
    fn doubles(&mut self, items: Items, values: &mut Vec<f64>) -> Result<(), Error> {
        self.numbers(items, values)
    }

    #[inline]
    fn floats(&mut self, items: Items, values: &mut Vec<f32>) -> Result<(), Error> {
        self.numbers(items, values)
    }

    fn skip_elements(&mut self, mut items: Items) -> Result<(), Error> {
        if has_one_length(items.element) {
            // That there are as many bytes was checked when the list began.
            self.input.take(items.left * smallest(items.element))?;
            items.left = 0;
        }
        while self.next(&mut items)? {
            self.skip(items.element)?;
        }
        Ok(())
    }

    fn skip_string(&mut self) -> Result<(), Error> {
        self.bytes().map(drop)
    }
}
