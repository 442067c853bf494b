//! Trait that writes the values of a message.

use crate::mask::Key;
use crate::output::Output;
use crate::{Envelope, Error, Field, Frame, Type, UnknownField};

/// Defines methods of [`Writer`] that write a whole field, in one piece if a protocol can.
macro_rules! fields {
    ($($field:ident $one:ident $T:ty)*) => { $(
        /// Writes a whole field.
        #[inline]
        fn $field(&mut self, frame: &mut Frame, field: &Field, value: $T) {
            self.field_begin(frame, field);
            self.$one(value);
            self.field_end();
        }
    )* };
}

/// Writes values one after the other.
///
/// Implementations of [`Encode`](crate::Encode) must call the methods in the order of Thrift's
/// grammar: a struct is `struct_begin`, then for each field `field_begin`, a value, `field_end`,
/// and finally `struct_end`.
pub trait Writer: Sized {
    /// Destination of the bytes.
    type Output: Output;

    /// True if the protocol writes the ids of fields; false if it writes only their names.
    const HAS_IDS: bool = true;

    /// True if a mask selects what is written.
    #[doc(hidden)]
    const IS_MASKED: bool = false;

    /// Returns the output so far.
    #[doc(hidden)]
    fn output(&mut self) -> &mut Self::Output;

    /// Writes with this writer in a local variable, to which nothing else refers: if all of the
    /// writing is inlined, the compiler keeps the length of the output in a register.
    #[doc(hidden)]
    fn locally<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> T {
        write(self)
    }

    /// Returns whether a mask selects a field of the struct that is written.
    #[doc(hidden)]
    #[inline]
    fn selects(&self, _: i16) -> bool {
        true
    }

    /// Goes to the next element of a list or set. Returns whether a mask selects it; otherwise, it must
    /// not be written.
    #[doc(hidden)]
    #[inline]
    fn selects_next(&mut self) -> bool {
        true
    }

    /// Goes to the next entry of a map. Returns whether a mask selects it; otherwise, it must not be
    /// written.
    #[doc(hidden)]
    #[inline]
    fn selects_entry(&mut self, _: Key<'_>) -> bool {
        true
    }

    /// Returns the number of entries of a map that a mask selects; `count` counts the keys that
    /// satisfy a predicate.
    #[doc(hidden)]
    #[inline]
    fn selected_entries(
        &self,
        len: usize,
        _count: impl FnOnce(&dyn Fn(Key<'_>) -> bool) -> usize,
    ) -> usize {
        len
    }

    /// Ends writing. Returns the output.
    fn finish(self) -> Self::Output;

    /// Starts a message: its body, a struct, follows.
    fn message_begin(&mut self, envelope: &Envelope) -> Result<(), Error>;

    /// Ends a message. Does nothing by default.
    #[inline]
    fn message_end(&mut self) {}

    /// Starts a struct, union or exception.
    fn struct_begin(&mut self) -> Result<Frame, Error>;

    /// Ends it.
    fn struct_end(&mut self, frame: Frame);

    /// Starts a field.
    fn field_begin(&mut self, frame: &mut Frame, field: &Field);

    /// Ends it. Does nothing by default.
    #[inline]
    fn field_end(&mut self) {}

    /// Writes a whole field of the type bool.
    #[inline]
    fn bool_field(&mut self, frame: &mut Frame, field: &Field, value: bool) {
        self.field_begin(frame, field);
        self.bool(value);
        self.field_end();
    }

    fields! {
        i8_field i8 i8
        i16_field i16 i16
        i32_field i32 i32
        i64_field i64 i64
        double_field double f64
    }

    /// Writes a whole field of the type string.
    #[inline]
    fn string_field(&mut self, frame: &mut Frame, field: &Field, value: &str) -> Result<(), Error> {
        self.field_begin(frame, field);
        self.string(value)?;
        self.field_end();
        Ok(())
    }

    /// Writes a whole field of the type binary.
    #[inline]
    fn binary_field(
        &mut self,
        frame: &mut Frame,
        field: &Field,
        value: &[u8],
    ) -> Result<(), Error> {
        self.field_begin(frame, field);
        self.binary(value)?;
        self.field_end();
        Ok(())
    }

    /// Writes a field that was read as an unknown one.
    fn unknown_field(&mut self, frame: &mut Frame, field: &UnknownField) -> Result<(), Error>;

    /// Starts a list or set, according to `kind`, of `len` elements.
    fn list_begin(&mut self, kind: Type, element: Type, len: usize) -> Result<(), Error>;

    /// Ends it.
    fn list_end(&mut self);

    /// Starts a map of `len` entries. Each entry consists of `key_begin`, the key, `value_begin`,
    /// the value.
    fn map_begin(&mut self, key: Type, value: Type, len: usize) -> Result<(), Error>;

    /// Starts an entry of a map.
    #[inline]
    fn key_begin(&mut self) {}

    /// Starts the value of an entry.
    #[inline]
    fn value_begin(&mut self) {}

    /// Ends a map.
    fn map_end(&mut self);

    /// Writes a value.
    fn bool(&mut self, value: bool);
    /// Writes a value.
    fn i8(&mut self, value: i8);
    /// Writes a value.
    fn i16(&mut self, value: i16);
    /// Writes a value.
    fn i32(&mut self, value: i32);
    /// Writes a value.
    fn i64(&mut self, value: i64);
    /// Writes a value.
    fn double(&mut self, value: f64);
    /// Writes a value: an error in Apache's compact protocol.
    fn float(&mut self, value: f32) -> Result<(), Error>;
    /// Writes a value: an error in fbthrift's compact protocol.
    fn uuid(&mut self, value: &[u8; 16]) -> Result<(), Error>;
    /// Writes a value.
    fn string(&mut self, value: &str) -> Result<(), Error>;
    /// Writes a value.
    fn binary(&mut self, value: &[u8]) -> Result<(), Error>;

    /// Writes the elements of a list.
    #[inline]
    fn i8s(&mut self, values: &[i8]) {
        for i in 0..values.len() {
            self.i8(values[i]);
        }
    }
    /// Writes the elements of a list.
    #[inline]
    fn i16s(&mut self, values: &[i16]) {
        for i in 0..values.len() {
            self.i16(values[i]);
        }
    }
    /// Writes the elements of a list.
    #[inline]
    fn i32s(&mut self, values: &[i32]) {
        for i in 0..values.len() {
            self.i32(values[i]);
        }
    }
    /// Writes the elements of a list.
    #[inline]
    fn i64s(&mut self, values: &[i64]) {
        for i in 0..values.len() {
            self.i64(values[i]);
        }
    }
    /// Writes the elements of a list.
    #[inline]
    fn doubles(&mut self, values: &[f64]) {
        for i in 0..values.len() {
            self.double(values[i]);
        }
    }
    /// Writes the elements of a list: an error in Apache's compact protocol.
    #[inline]
    fn floats(&mut self, values: &[f32]) -> Result<(), Error> {
        for i in 0..values.len() {
            self.float(values[i])?;
        }
        Ok(())
    }
}
