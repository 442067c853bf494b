//! The binary protocol: numbers in big-endian order, sizes of four bytes.

use crate::input::Input;
use crate::layout::{Layout, LayoutReader};
use crate::output::Output;
use crate::protocol::{Protocol, WriteLimits, Writer};
use crate::unknown::Encoding;
use crate::{
    Envelope, Error, ErrorKind, Field, FieldHeader, Frame, Limits, MessageKind, Type, UnknownField,
};
use bytelane::Reserved;
use std::borrow::Cow;

/// The binary protocol. Lists of numbers are copied as a whole.
///
/// `STRICT` affects only [`Envelope`]s. Strict envelopes start with the protocol's version; older
/// ones start with the name. `Binary` writes and accepts strict ones; `Binary<false>` writes older
/// ones and accepts both.
///
/// Source: [Thrift binary protocol encoding](https://github.com/apache/thrift/blob/master/doc/specs/thrift-binary-protocol.md).
#[derive(Clone, Copy, Debug, Default)]
pub struct Binary<const STRICT: bool = true>;

const VERSION: u32 = 0x8001_0000;

impl<const STRICT: bool> Protocol for Binary<STRICT> {
    type Writer<O: Output> = BinaryWriter<O, STRICT>;
    type Reader<'de> = BinaryReader<'de, STRICT>;
    type Buffer = Reserved;

    #[inline]
    fn room(len: usize) -> usize {
        // Short text at the end is copied in two pieces.
        len + 16
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
        LayoutReader::new(input)
    }
}

/// Writes [`Binary`].
#[derive(Debug)]
pub struct BinaryWriter<O, const STRICT: bool = true> {
    output: O,
    limits: WriteLimits,
}

impl<O: Output, const STRICT: bool> BinaryWriter<O, STRICT> {
    /// Writes the header of a field and its first bytes in one piece: each piece waits for the
    /// output length that the previous one produced. Pieces of 8 and 16 bytes are stored at once.
    #[inline]
    fn field<const N: usize>(&mut self, field: &Field, first: [u8; N]) {
        let [high, low] = field.id.to_be_bytes();
        let header = [field.kind as u8, high, low];
        if N <= 5 {
            let mut bytes = [0; 8];
            bytes[..3].copy_from_slice(&header);
            bytes[3..3 + N].copy_from_slice(&first);
            self.output.piece(bytes, 3 + N);
        } else {
            let mut bytes = [0; 16];
            bytes[..3].copy_from_slice(&header);
            bytes[3..3 + N].copy_from_slice(&first);
            self.output.piece(bytes, 3 + N);
        }
    }
}

impl<O: Output, const STRICT: bool> Writer for BinaryWriter<O, STRICT> {
    type Output = O;

    #[inline]
    fn output(&mut self) -> &mut O {
        &mut self.output
    }

    #[inline]
    fn locally<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> T {
        let mut own = Self {
            output: std::mem::take(&mut self.output),
            limits: self.limits,
        };
        let result = write(&mut own);
        *self = own;
        result
    }

    #[inline]
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
    fn field_begin(&mut self, _: &mut Frame, field: &Field) {
        self.field(field, []);
    }

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

    fn unknown_field(&mut self, frame: &mut Frame, field: &UnknownField) -> Result<(), Error> {
        if field.encoding() != Encoding::Binary {
            return field.convert(self, frame);
        }
        self.field_begin(frame, &field.field());
        self.output.bytes(field.bytes());
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
pub type BinaryReader<'de, const STRICT: bool = true> = LayoutReader<'de, BinaryLayout<STRICT>>;

/// Layout of [`Binary`], for the code shared with [`Compact`](crate::Compact).
#[derive(Clone, Copy, Debug, Default)]
pub struct BinaryLayout<const STRICT: bool>;

#[inline]
fn kind(input: &Input<'_>, number: u8) -> Result<Type, Error> {
    Type::from_number(number).ok_or_else(|| input.error(ErrorKind::UnknownType(number)))
}

#[inline]
fn u32(input: &mut Input<'_>) -> Result<u32, Error> {
    input.array().map(u32::from_be_bytes)
}

impl<const STRICT: bool> Layout for BinaryLayout<STRICT> {
    const ENCODING: Encoding = Encoding::Binary;
    const LARGEST_BOOL: u8 = 1;

    fn envelope<'de>(input: &mut Input<'de>) -> Result<Envelope<'de>, Error> {
        let start = *input;
        let first = u32(input)?;
        let (kind, name) = if first >> 16 == VERSION >> 16 {
            let len = Self::size(input)?;
            (first as u8, input.take_text(len)?)
        } else if STRICT || first > i32::MAX as u32 {
            return Err(start.error(ErrorKind::InvalidVersion));
        } else {
            let name = input.take_text(first as usize)?;
            (input.byte()?, name)
        };
        let Some(kind) = MessageKind::from_number(kind) else {
            return Err(input.error(ErrorKind::InvalidMessageKind(kind)));
        };
        Ok(Envelope {
            name: Cow::Borrowed(name),
            kind,
            sequence: Self::i32(input)?,
        })
    }

    #[inline]
    fn size(input: &mut Input<'_>) -> Result<usize, Error> {
        let size = u32(input)?;
        input.size(size)
    }

    #[inline]
    fn field(
        &mut self,
        input: &mut Input<'_>,
        _: &mut Frame,
        first: u8,
    ) -> Result<FieldHeader, Error> {
        let kind = kind(input, first)?;
        let id = Self::i16(input)?;
        Ok(FieldHeader { id, kind })
    }

    #[inline]
    fn list(input: &mut Input<'_>) -> Result<(usize, Type), Error> {
        let [number, a, b, c, d] = input.array()?;
        let len = input.size(u32::from_be_bytes([a, b, c, d]))?;
        match Type::from_number(number) {
            // Some writers write no type if there are no elements.
            None if len == 0 => Ok((0, Type::Bool)),
            _ => Ok((len, kind(input, number)?)),
        }
    }

    #[inline]
    fn map(input: &mut Input<'_>) -> Result<(usize, Type, Type), Error> {
        let [key, value, a, b, c, d] = input.array()?;
        match input.size(u32::from_be_bytes([a, b, c, d]))? {
            0 => {
                let known = |number| Type::from_number(number).unwrap_or(Type::Bool);
                Ok((0, known(key), known(value)))
            }
            len => Ok((len, kind(input, key)?, kind(input, value)?)),
        }
    }

    #[inline]
    fn behind_fields<'de>(
        mut rest: &'de [u8],
        strings: usize,
        _: &mut Frame,
        selects: impl Fn(i16) -> bool,
    ) -> &'de [u8] {
        // One load has the header and the length of a string. The last bytes are left to the reader.
        while let Some(first) = rest.first_chunk::<8>() {
            let word = u64::from_be_bytes(*first);
            if selects((word >> 40) as i16) {
                break;
            }
            let len = match first[0] {
                2 if first[3] <= 1 => 4,
                3 => 4,
                6 => 5,
                8 | 19 => 7,
                4 | 10 => 11,
                16 => 19,
                11 => {
                    let len = (word >> 8) as u32 as usize;
                    if len > strings {
                        break;
                    }
                    7 + len
                }
                _ => break,
            };
            let Some(behind) = rest.get(len..) else {
                break;
            };
            rest = behind;
        }
        rest
    }

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

    fn has_one_length(kind: Type) -> bool {
        use Type::{Double, Float, I8, I16, I32, I64, Uuid};
        matches!(kind, I8 | I16 | I32 | I64 | Double | Float | Uuid)
    }

    #[inline]
    fn bool(&mut self, input: &mut Input<'_>) -> Result<bool, Error> {
        match input.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            byte => Err(input.error(ErrorKind::InvalidBool(byte))),
        }
    }

    #[inline]
    fn i16(input: &mut Input<'_>) -> Result<i16, Error> {
        input.array().map(i16::from_be_bytes)
    }

    #[inline]
    fn i32(input: &mut Input<'_>) -> Result<i32, Error> {
        input.array().map(i32::from_be_bytes)
    }

    #[inline]
    fn i64(input: &mut Input<'_>) -> Result<i64, Error> {
        input.array().map(i64::from_be_bytes)
    }

    #[inline]
    fn double(input: &mut Input<'_>) -> Result<f64, Error> {
        input.array().map(f64::from_be_bytes)
    }

    #[inline]
    fn i16s(input: &mut Input<'_>, count: usize, values: &mut Vec<i16>) -> Result<(), Error> {
        input.big_endian(count, values)
    }

    #[inline]
    fn i32s(input: &mut Input<'_>, count: usize, values: &mut Vec<i32>) -> Result<(), Error> {
        input.big_endian(count, values)
    }

    #[inline]
    fn i64s(input: &mut Input<'_>, count: usize, values: &mut Vec<i64>) -> Result<(), Error> {
        input.big_endian(count, values)
    }

    #[inline]
    fn doubles(input: &mut Input<'_>, count: usize, values: &mut Vec<f64>) -> Result<(), Error> {
        input.big_endian(count, values)
    }
}
