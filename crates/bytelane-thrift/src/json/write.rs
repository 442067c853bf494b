//! Writes JSON.

use super::VERSION;
use crate::output::Output;
use crate::protocol::{WriteLimits, Writer};
use crate::unknown::{Encoding, other_protocol};
use crate::{Envelope, Error, Field, Frame, Type, UnknownField, Uuid};
use bytelane::decimal;

/// Minimum number of numbers in a list to write many at a time. Shorter lists are written number by
/// number, without memory for the text of many.
const FEWEST: usize = 8;

/// Writes [`Json`](crate::Json), or [`SimpleJson`](crate::SimpleJson) if `SIMPLE`.
#[derive(Debug)]
pub struct JsonWriter<O, const SIMPLE: bool> {
    output: O,
    limits: WriteLimits,
    /// Separator before the next value: `,`, `:`, or 0 for nothing.
    separator: u8,
    /// True if the next value is the key of a map, and so in quotes, unless it contains others.
    key: bool,
}

impl<O: Output, const SIMPLE: bool> JsonWriter<O, SIMPLE> {
    #[inline]
    pub(super) fn new(output: O, limits: WriteLimits) -> Self {
        Self {
            output,
            limits,
            separator: 0,
            key: false,
        }
    }

    /// Separates a value from the preceding one.
    #[inline]
    fn separate(&mut self) {
        if self.separator != 0 {
            self.output.byte(self.separator);
        }
        self.separator = b',';
    }

    /// Writes a number or a bool.
    #[inline]
    fn plain(&mut self, text: &[u8]) {
        self.separate();
        if self.key {
            self.quoted(text);
        } else {
            self.output.bytes(text);
        }
    }

    /// Writes a text that needs no escapes.
    #[inline]
    fn quoted(&mut self, text: &[u8]) {
        self.output.byte(b'"');
        self.output.bytes(text);
        self.output.byte(b'"');
    }

    #[inline]
    fn integer(&mut self, value: i64) {
        self.plain(itoa::Buffer::new().format(value).as_bytes());
    }

    /// Writes elements of a list, many at a time if there are many.
    #[inline]
    fn integers<T: Copy + Into<i64>>(&mut self, values: &[T]) {
        if values.len() < FEWEST {
            return values.iter().for_each(|&value| self.integer(value.into()));
        }
        let mut text = decimal::Text::default();
        let mut wide = [0; decimal::MOST];
        for part in values.chunks(decimal::MOST) {
            for (wide, &value) in wide.iter_mut().zip(part) {
                *wide = value.into();
            }
            self.elements(text.write(&wide[..part.len()]));
        }
    }

    /// Writes elements of a list, each with a comma in front.
    #[inline]
    fn elements(&mut self, text: &[u8]) {
        let without = usize::from(self.separator == 0);
        self.separator = b',';
        self.output.bytes(&text[without..]);
    }

    /// Writes a floating-point number, including the three kinds that JSON does not have.
    #[inline]
    fn real(&mut self, value: f64, digits: &str) {
        let text = match value {
            _ if value.is_finite() => return self.plain(digits.as_bytes()),
            f64::INFINITY => &b"Infinity"[..],
            f64::NEG_INFINITY => b"-Infinity",
            _ => b"NaN",
        };
        self.separate();
        self.quoted(text);
    }

    /// Starts a value that contains others. If it is a key, the values in it are none.
    #[inline]
    fn open(&mut self, bracket: u8) {
        self.key = false;
        self.separate();
        self.output.byte(bracket);
        self.separator = 0;
    }

    /// Ends a value that contains others.
    #[inline]
    fn close(&mut self, bracket: u8) {
        self.output.byte(bracket);
        self.separator = b',';
    }

    /// Writes the name of a type. Names have two or three letters, so no call is needed to copy
    /// them.
    #[inline]
    fn quoted_type(&mut self, kind: Type) {
        match *super::name(kind).as_bytes() {
            [a, b, c] => self.output.array([b'"', a, b, c, b'"']),
            [a, b] => self.output.array([b'"', a, b, b'"']),
            _ => self.quoted(super::name(kind).as_bytes()),
        }
    }

    /// Writes the name of a type as a value.
    #[inline]
    fn type_name(&mut self, kind: Type) {
        self.separate();
        self.quoted_type(kind);
    }

    /// Starts a field.
    #[inline]
    pub(crate) fn named_field_begin(&mut self, id: i16, name: &str, kind: Type) {
        if SIMPLE {
            self.separate();
            self.quoted(name.as_bytes());
        } else {
            self.separate();
            if let digit @ 1..=9 = id {
                self.output.array([b'"', b'0' + digit as u8, b'"']);
            } else {
                self.quoted(itoa::Buffer::new().format(id).as_bytes());
            }
            self.output.array(*b":{");
            self.quoted_type(kind);
        }
        self.separator = b':';
    }
}

impl<O: Output, const SIMPLE: bool> Writer for JsonWriter<O, SIMPLE> {
    type Output = O;

    const HAS_IDS: bool = !SIMPLE;

    #[inline]
    fn output(&mut self) -> &mut O {
        &mut self.output
    }

    #[inline]
    fn finish(self) -> O {
        self.output
    }

    fn message_begin(&mut self, envelope: &Envelope) -> Result<(), Error> {
        self.open(b'[');
        self.integer(VERSION);
        self.string(&envelope.name)?;
        self.integer(envelope.kind as i64);
        self.i32(envelope.sequence);
        Ok(())
    }

    fn message_end(&mut self) {
        self.close(b']');
    }

    #[inline]
    fn struct_begin(&mut self) -> Result<Frame, Error> {
        let frame = self.limits.enter_struct()?;
        self.open(b'{');
        Ok(frame)
    }

    #[inline]
    fn struct_end(&mut self, frame: Frame) {
        self.close(b'}');
        self.limits.leave_struct(frame);
    }

    #[inline]
    fn field_begin(&mut self, _: &mut Frame, field: &Field) {
        self.named_field_begin(field.id, field.name, field.kind);
    }

    #[inline]
    fn field_end(&mut self) {
        if !SIMPLE {
            self.close(b'}');
        }
    }

    fn unknown_field(&mut self, frame: &mut Frame, field: &UnknownField) -> Result<(), Error> {
        if SIMPLE || field.encoding() != Encoding::Json {
            return Err(other_protocol());
        }
        self.field_begin(frame, &field.field());
        self.separate();
        self.output.bytes(field.bytes());
        self.field_end();
        Ok(())
    }

    #[inline]
    fn list_begin(&mut self, _: Type, element: Type, len: usize) -> Result<(), Error> {
        self.limits.enter_container(len)?;
        self.open(b'[');
        if !SIMPLE {
            self.type_name(element);
            self.integer(len as i64);
        }
        Ok(())
    }

    #[inline]
    fn list_end(&mut self) {
        self.close(b']');
        self.limits.leave();
    }

    #[inline]
    fn map_begin(&mut self, key: Type, value: Type, len: usize) -> Result<(), Error> {
        self.limits.enter_container(len)?;
        if !SIMPLE {
            self.open(b'[');
            self.type_name(key);
            self.type_name(value);
            self.integer(len as i64);
        }
        self.open(b'{');
        Ok(())
    }

    #[inline]
    fn key_begin(&mut self) {
        self.key = true;
    }

    #[inline]
    fn value_begin(&mut self) {
        self.key = false;
        self.separator = b':';
    }

    #[inline]
    fn map_end(&mut self) {
        self.close(b'}');
        if !SIMPLE {
            self.close(b']');
        }
        self.limits.leave();
    }

    #[inline]
    fn bool(&mut self, value: bool) {
        self.plain(match (SIMPLE, value) {
            (true, true) => &b"true"[..],
            (true, false) => b"false",
            (false, true) => b"1",
            (false, false) => b"0",
        });
    }

    #[inline]
    fn i8(&mut self, value: i8) {
        self.integer(value.into());
    }

    #[inline]
    fn i16(&mut self, value: i16) {
        self.integer(value.into());
    }

    #[inline]
    fn i32(&mut self, value: i32) {
        self.integer(value.into());
    }

    #[inline]
    fn i64(&mut self, value: i64) {
        self.integer(value);
    }

    #[inline]
    fn double(&mut self, value: f64) {
        self.real(value, zmij::Buffer::new().format(value));
    }

    #[inline]
    fn float(&mut self, value: f32) -> Result<(), Error> {
        self.real(value.into(), zmij::Buffer::new().format(value));
        Ok(())
    }

    #[inline]
    fn i8s(&mut self, values: &[i8]) {
        self.integers(values);
    }

    #[inline]
    fn i16s(&mut self, values: &[i16]) {
        self.integers(values);
    }

    #[inline]
    fn i32s(&mut self, values: &[i32]) {
        self.integers(values);
    }

    #[inline]
    fn i64s(&mut self, values: &[i64]) {
        self.integers(values);
    }

    #[inline]
    fn doubles(&mut self, values: &[f64]) {
        if values.len() < FEWEST {
            return values.iter().for_each(|&value| self.double(value));
        }
        let mut text = decimal::Text::default();
        for part in values.chunks(decimal::MOST) {
            match text.write_decimals(part) {
                Some(text) => self.elements(text),
                None => part.iter().for_each(|&value| self.double(value)),
            }
        }
    }

    fn uuid(&mut self, value: &[u8; 16]) -> Result<(), Error> {
        self.separate();
        self.output.byte(b'"');
        self.output.array(Uuid(*value).to_text());
        self.output.byte(b'"');
        Ok(())
    }

    #[inline]
    fn string(&mut self, value: &str) -> Result<(), Error> {
        self.limits.string(value.len())?;
        self.separate();
        self.output.json_string(value);
        Ok(())
    }

    #[inline]
    fn binary(&mut self, value: &[u8]) -> Result<(), Error> {
        self.limits.string(value.len())?;
        self.separate();
        self.output.byte(b'"');
        self.output.base64(value);
        self.output.byte(b'"');
        Ok(())
    }
}
