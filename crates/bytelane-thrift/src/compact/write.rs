//! Writes the compact protocol.

use super::format::{FALSE, PROTOCOL, TRUE, VERSION, number};
use super::{Apache, Dialect};
use crate::output::Output;
use crate::protocol::{WriteLimits, Writer};
use crate::{Envelope, Error, ErrorKind, Field, Frame, Type, UnknownField};
use bytelane::varint;
use std::marker::PhantomData;

/// Writes [`Compact`](crate::Compact).
#[derive(Debug)]
pub struct CompactWriter<O, D = Apache> {
    output: O,
    limits: WriteLimits,
    dialect: PhantomData<fn() -> D>,
}

impl<O: Output, D: Dialect> CompactWriter<O, D> {
    #[inline]
    pub(super) fn new(output: O, limits: WriteLimits) -> Self {
        Self {
            output,
            limits,
            dialect: PhantomData,
        }
    }

    /// Writes the header of a field, with the number of its type. For a bool, this number is its
    /// value.
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

    /// Writes a field that is a varint or starts with one, usually in one piece: each piece waits
    /// for the output length that the previous one produced.
    #[inline]
    fn field<T: varint::Integer>(&mut self, frame: &mut Frame, field: &Field, value: T) {
        let number = number(field.kind);
        let delta = field.id.wrapping_sub(frame.last);
        if let (1..=15, Some((varint, len))) = (delta, varint::short(value)) {
            frame.last = field.id;
            let bytes = varint << 8 | u64::from((delta as u8) << 4 | number);
            self.output.piece(bytes.to_le_bytes(), 1 + len);
        } else {
            self.header(frame, field.id, number);
            self.output.varint(value);
        }
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
    fn output(&mut self) -> &mut O {
        &mut self.output
    }

    #[inline]
    fn locally<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> T {
        let mut own = Self::new(std::mem::take(&mut self.output), self.limits);
        let result = write(&mut own);
        *self = own;
        result
    }

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
    fn bool_field(&mut self, frame: &mut Frame, field: &Field, value: bool) {
        self.header(frame, field.id, if value { TRUE } else { FALSE });
    }

    #[inline]
    fn i16_field(&mut self, frame: &mut Frame, field: &Field, value: i16) {
        self.field(frame, field, i32::from(value));
    }

    #[inline]
    fn i32_field(&mut self, frame: &mut Frame, field: &Field, value: i32) {
        self.field(frame, field, value);
    }

    #[inline]
    fn i64_field(&mut self, frame: &mut Frame, field: &Field, value: i64) {
        self.field(frame, field, value);
    }

    #[inline]
    fn string_field(&mut self, frame: &mut Frame, field: &Field, value: &str) -> Result<(), Error> {
        self.binary_field(frame, field, value.as_bytes())
    }

    #[inline]
    fn binary_field(
        &mut self,
        frame: &mut Frame,
        field: &Field,
        value: &[u8],
    ) -> Result<(), Error> {
        self.limits.string(value.len())?;
        self.field(frame, field, value.len() as u32);
        self.output.bytes(value);
        Ok(())
    }

    fn unknown_field(&mut self, frame: &mut Frame, field: &UnknownField) -> Result<(), Error> {
        if field.encoding() != D::ENCODING {
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
        // Widened in parts: there is no 16-bit varint.
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
