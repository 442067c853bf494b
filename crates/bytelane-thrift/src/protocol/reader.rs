//! Trait that reads the values of a message.

use crate::input::{Input, Mark};
use crate::{
    Envelope, Error, ErrorKind, Field, FieldHeader, Frame, Items, Outlines, Type, UnknownField,
};
use std::borrow::Cow;

/// Reads values one after the other.
///
/// The types that the caller expects are compared with those in the message; SimpleJSON messages
/// contain no types, so it takes them from the caller.
pub trait Reader<'de>: Sized {
    /// Returns the remaining bytes and limits.
    fn input(&mut self) -> &mut Input<'de>;

    /// Ends reading. Returns the input after the value.
    fn finish(self) -> Input<'de>;

    /// Checks that nothing is left; in JSON, nothing except whitespace.
    fn end(&mut self) -> Result<(), Error> {
        let input = self.input();
        match input.rest() {
            [] => Ok(()),
            _ => Err(input.error(ErrorKind::TrailingBytes)),
        }
    }

    /// Returns the position before the next value.
    #[inline]
    fn mark(&mut self) -> Mark<'de> {
        self.input().mark()
    }

    /// Returns to a position.
    fn reset(&mut self, mark: &Mark<'de>) {
        self.input().reset(mark);
    }

    /// Returns whether a mask does not select a field of the struct that has just been read.
    #[doc(hidden)]
    #[inline]
    fn is_hidden(&self, _: i16) -> bool {
        false
    }

    /// Starts a message.
    fn message_begin(&mut self) -> Result<Envelope<'de>, Error>;

    /// Ends a message.
    fn message_end(&mut self) -> Result<(), Error>;

    /// Starts a struct, union or exception.
    fn struct_begin(&mut self) -> Result<Frame, Error>;

    /// Starts the next field, or ends the struct. `fields` are those that the type declares.
    fn field_begin(
        &mut self,
        frame: &mut Frame,
        fields: &[Field],
    ) -> Result<Option<FieldHeader>, Error>;

    /// Starts the next of the fields that satisfy a predicate, and skips those before it.
    #[doc(hidden)]
    #[inline]
    fn selected_field_begin(
        &mut self,
        frame: &mut Frame,
        fields: &[Field],
        selects: impl Fn(i16) -> bool,
    ) -> Result<Option<FieldHeader>, Error> {
        while let Some(header) = self.field_begin(frame, fields)? {
            if selects(header.id) {
                return Ok(Some(header));
            }
            self.skip(header.kind)?;
            self.field_end()?;
        }
        Ok(None)
    }

    /// Ends a field.
    fn field_end(&mut self) -> Result<(), Error>;

    /// Starts a list or set, according to `kind`. Each element takes `cost` bytes of memory.
    fn list_begin(
        &mut self,
        kind: Type,
        element: Option<Type>,
        cost: usize,
    ) -> Result<Items, Error>;

    /// Starts a map with the given types of key and value. Each entry takes `cost` bytes of memory.
    fn map_begin(&mut self, types: Option<(Type, Type)>, cost: usize) -> Result<Items, Error>;

    /// Returns whether another element or entry follows; if not, ends the container.
    fn next(&mut self, items: &mut Items) -> Result<bool, Error>;

    /// Starts the key of an entry.
    #[inline]
    fn key_begin(&mut self) {}

    /// Starts the value of an entry.
    #[inline]
    fn value_begin(&mut self) {}

    /// Reads a value.
    fn bool(&mut self) -> Result<bool, Error>;
    /// Reads a value.
    fn i8(&mut self) -> Result<i8, Error>;
    /// Reads a value.
    fn i16(&mut self) -> Result<i16, Error>;
    /// Reads a value.
    fn i32(&mut self) -> Result<i32, Error>;
    /// Reads a value.
    fn i64(&mut self) -> Result<i64, Error>;
    /// Reads a value.
    fn double(&mut self) -> Result<f64, Error>;
    /// Reads a value.
    fn float(&mut self) -> Result<f32, Error>;
    /// Reads a value.
    fn uuid(&mut self) -> Result<[u8; 16], Error>;
    /// Reads a value, borrowed if the message contains it unchanged.
    fn string(&mut self) -> Result<Cow<'de, str>, Error>;
    /// Reads a value, borrowed if the message contains it unchanged.
    fn binary(&mut self) -> Result<Cow<'de, [u8]>, Error>;

    /// Reads a value, reusing the memory of another one.
    #[inline]
    fn string_into(&mut self, value: &mut String) -> Result<(), Error> {
        match self.string()? {
            Cow::Borrowed(text) => {
                self.input().charge(text.len())?;
                value.clear();
                if value.capacity() < text.len() {
                    *value = String::with_capacity(text.len());
                }
                bytelane::append_text(value, text);
            }
            Cow::Owned(text) => *value = text,
        }
        Ok(())
    }

    /// Reads a value, reusing the memory of another one.
    #[inline]
    fn binary_into(&mut self, value: &mut Vec<u8>) -> Result<(), Error> {
        match self.binary()? {
            Cow::Borrowed(bytes) => {
                self.input().charge(bytes.len())?;
                value.clear();
                if value.capacity() < bytes.len() {
                    *value = Vec::with_capacity(bytes.len());
                }
                bytelane::extend(value, bytes);
            }
            Cow::Owned(bytes) => *value = bytes,
        }
        Ok(())
    }

    /// Reads the remaining elements of a list, and appends them.
    #[inline]
    fn bools(&mut self, mut items: Items, values: &mut Vec<bool>) -> Result<(), Error> {
        items.reserve(values);
        while self.next(&mut items)? {
            let value = self.bool()?;
            items.make_room(self.input(), values)?;
            values.push(value);
        }
        Ok(())
    }
    /// Reads the remaining elements of a list, and appends them.
    #[inline]
    fn i8s(&mut self, mut items: Items, values: &mut Vec<i8>) -> Result<(), Error> {
        items.reserve(values);
        while self.next(&mut items)? {
            let value = self.i8()?;
            items.make_room(self.input(), values)?;
            values.push(value);
        }
        Ok(())
    }
    /// Reads the remaining elements of a list, and appends them.
    #[inline]
    fn i16s(&mut self, mut items: Items, values: &mut Vec<i16>) -> Result<(), Error> {
        items.reserve(values);
        while self.next(&mut items)? {
            let value = self.i16()?;
            items.make_room(self.input(), values)?;
            values.push(value);
        }
        Ok(())
    }
    /// Reads the remaining elements of a list, and appends them.
    #[inline]
    fn i32s(&mut self, mut items: Items, values: &mut Vec<i32>) -> Result<(), Error> {
        items.reserve(values);
        while self.next(&mut items)? {
            let value = self.i32()?;
            items.make_room(self.input(), values)?;
            values.push(value);
        }
        Ok(())
    }
    /// Reads the remaining elements of a list, and appends them.
    #[inline]
    fn i64s(&mut self, mut items: Items, values: &mut Vec<i64>) -> Result<(), Error> {
        items.reserve(values);
        while self.next(&mut items)? {
            let value = self.i64()?;
            items.make_room(self.input(), values)?;
            values.push(value);
        }
        Ok(())
    }
    /// Reads the remaining elements of a list, and appends them.
    #[inline]
    fn doubles(&mut self, mut items: Items, values: &mut Vec<f64>) -> Result<(), Error> {
        items.reserve(values);
        while self.next(&mut items)? {
            let value = self.double()?;
            items.make_room(self.input(), values)?;
            values.push(value);
        }
        Ok(())
    }
    /// Reads the remaining elements of a list, and appends them.
    #[inline]
    fn floats(&mut self, mut items: Items, values: &mut Vec<f32>) -> Result<(), Error> {
        items.reserve(values);
        while self.next(&mut items)? {
            let value = self.float()?;
            items.make_room(self.input(), values)?;
            values.push(value);
        }
        Ok(())
    }

    /// Reads a value of a type and drops it.
    fn skip(&mut self, kind: Type) -> Result<(), Error> {
        self.skip_slowly(kind)
    }

    /// Same as [`skip`](Self::skip), for the elements of a list, one after the other. In the compact protocol,
    /// structs of the same layout are skipped several times as fast.
    fn skip_alike(&mut self, kind: Type, _: &mut Outlines) -> Result<(), Error> {
        self.skip(kind)
    }

    /// Same as [`skip`](Self::skip), value by value.
    #[doc(hidden)]
    fn skip_slowly(&mut self, kind: Type) -> Result<(), Error> {
        match kind {
            Type::Bool => self.bool().map(drop),
            Type::I8 => self.i8().map(drop),
            Type::Double => self.double().map(drop),
            Type::I16 => self.i16().map(drop),
            Type::I32 => self.i32().map(drop),
            Type::I64 => self.i64().map(drop),
            Type::String => self.skip_string(),
            Type::Uuid => self.uuid().map(drop),
            Type::Float => self.float().map(drop),
            Type::Struct => {
                let mut frame = self.struct_begin()?;
                while let Some(field) = self.field_begin(&mut frame, &[])? {
                    self.skip_slowly(field.kind)?;
                    self.field_end()?;
                }
                Ok(())
            }
            Type::List | Type::Set => {
                let items = self.list_begin(kind, None, 0)?;
                self.skip_elements(items)
            }
            Type::Map => {
                let mut items = self.map_begin(None, 0)?;
                while self.next(&mut items)? {
                    self.key_begin();
                    self.skip_slowly(items.element)?;
                    self.value_begin();
                    self.skip_slowly(items.value)?;
                }
                Ok(())
            }
        }
    }

    /// Returns whether all values of a type have the same number of bytes, and any bytes are valid.
    #[doc(hidden)]
    fn has_one_length(&self, _: Type) -> bool {
        false
    }

    /// Reads the remaining elements of a list or set, and drops them.
    fn skip_elements(&mut self, mut items: Items) -> Result<(), Error> {
        while self.next(&mut items)? {
            self.skip_slowly(items.element)?;
        }
        Ok(())
    }

    /// Reads a string or binary, which have the same type, and drops it.
    fn skip_string(&mut self) -> Result<(), Error>;

    /// Reads the value of a field and keeps it unchanged.
    fn unknown_field(&mut self, header: FieldHeader) -> Result<UnknownField, Error>;

    /// Creates an error at the next byte.
    #[cold]
    fn error(&mut self, kind: ErrorKind) -> Error {
        self.input().error(kind)
    }

    /// Creates an [`Error::custom`] at the next byte.
    #[cold]
    fn custom_error(&mut self, message: impl std::fmt::Display) -> Error {
        Error::custom(message).at(self.input().offset())
    }
}
