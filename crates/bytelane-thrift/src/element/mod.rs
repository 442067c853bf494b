//! Types of fields, elements, keys and values.

mod arrays;
mod containers;
mod numbers;
mod pointers;
mod strings;

use crate::mask::{Described, Key, Shape};
use crate::protocol::{Reader, Writer};
use crate::wire::Segment;
use crate::{Error, Field, Frame, Items, Type};

/// A Rust type that corresponds to a Thrift type: the common part of [`Encode`] and [`Decode`].
///
/// | in the IDL | in Rust |
/// |---|---|
/// | `bool i8 i16 i32 i64 double float` | `bool i8 i16 i32 i64 f64 f32`, [`Double`](crate::Double), [`Float`](crate::Float) |
/// | `string` | `String`, `Cow<str>`, `&str`, `Box<str>`, `Arc<str>` |
/// | `binary` | `Vec<u8>`, `Cow<[u8]>`, `&[u8]`, `Box<[u8]>`, `Arc<[u8]>`, `[u8; N]`, `bytes::Bytes` (with the feature `bytes`) |
/// | `uuid` | [`Uuid`](crate::Uuid) |
/// | `list<T>` | `Vec<T>`, `[T; N]`, `Box<[T]>`, `Arc<[T]>`; `&[T]`, which can only be written |
/// | `set<T>` | `BTreeSet<T>`, `HashSet<T>`, `indexmap::IndexSet<T>` (with the feature `indexmap`) |
/// | `map<K, V>` | `BTreeMap<K, V>`, `HashMap<K, V>`, `indexmap::IndexMap<K, V>` (with the feature `indexmap`) |
/// | any | `Box<T>`, `Rc<T>`, `Arc<T>`; `&T`, which can only be written |
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not stand for a type of Thrift",
    label = "not a type of Thrift",
    note = "Thrift has no unsigned integers, `isize`, `char` or tuples: use `i8`, `i16`, `i32` or `i64`",
    note = "structs, unions and enums derive `Thrift`"
)]
pub trait Element {
    /// Type in messages.
    const TYPE: Type;

    /// Describes the parts of values, for [`FieldMask`](crate::FieldMask).
    #[doc(hidden)]
    #[must_use]
    fn describe() -> Described {
        Described::Leaf
    }
}

/// Values that can be written: numbers, strings, containers, and types that derive
/// [`Thrift`](crate::Thrift).
///
/// The element type writes a list, so that a list of numbers is written as a whole.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be written as a value of Thrift",
    label = "cannot be written",
    note = "Thrift has no unsigned integers, `isize`, `char` or tuples: use `i8`, `i16`, `i32` or `i64`",
    note = "structs, unions and enums derive `Thrift`"
)]
pub trait Encode: Element {
    /// Estimates, quickly, the size in bytes in the binary protocol: no more than a small multiple
    /// of the value's size in memory. If the value turns out to be larger, writing the whole
    /// message can take twice as long.
    #[inline]
    fn room(&self) -> usize {
        size_of_val(self)
    }

    /// Returns the value as the key of an entry that a [`FieldMask`](crate::FieldMask) can name.
    #[doc(hidden)]
    #[inline]
    fn mask_key(&self) -> Key<'_> {
        Key::Other
    }

    /// Writes the value.
    ///
    /// # Errors
    ///
    /// A limit is exceeded, or the protocol does not support a value.
    fn write<W: Writer>(&self, writer: &mut W) -> Result<(), Error>;

    /// Writes a field.
    ///
    /// # Errors
    ///
    /// The same as [`write`](Self::write).
    #[inline]
    fn write_field<W: Writer>(
        &self,
        writer: &mut W,
        frame: &mut Frame,
        field: &Field,
    ) -> Result<(), Error> {
        writer.field_begin(frame, field);
        self.write(writer)?;
        writer.field_end();
        Ok(())
    }

    /// Writes the elements of a list.
    ///
    /// # Errors
    ///
    /// The same as [`write`](Self::write).
    fn write_list<W: Writer>(values: &[Self], writer: &mut W) -> Result<(), Error>
    where
        Self: Sized,
    {
        writer.locally(|writer| {
            for (i, value) in values.iter().enumerate() {
                if !writer.selects_next() {
                    continue;
                }
                value
                    .write(writer)
                    .map_err(|error| error.within(Segment::Index(i)))?;
            }
            Ok(())
        })
    }
}

/// Values that can be read. `'de` is the lifetime of the message, from which values can be
/// borrowed.
///
/// The element type reads a list, so that a list of numbers is read as a whole.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read as a value of Thrift",
    label = "cannot be read",
    note = "Thrift has no unsigned integers, `isize`, `char` or tuples: use `i8`, `i16`, `i32` or `i64`",
    note = "for a struct with fields that can only be written, such as `&[T]`, add `#[thrift(encode_only)]`"
)]
pub trait Decode<'de>: Element + Sized {
    /// Reads a value.
    ///
    /// # Errors
    ///
    /// The message is malformed or exceeds a limit.
    fn read<R: Reader<'de>>(reader: &mut R) -> Result<Self, Error>;

    /// Reads a value over another one. Strings and containers are replaced and keep their memory;
    /// fields of structs that are not in the message stay unchanged.
    ///
    /// # Errors
    ///
    /// The same as [`read`](Self::read); the value may have been partly changed then.
    #[inline]
    fn read_into<R: Reader<'de>>(&mut self, reader: &mut R) -> Result<(), Error> {
        *self = Self::read(reader)?;
        Ok(())
    }

    /// Reads an optional value over another one. A union without a known field becomes `None`,
    /// unless it keeps unknown ones.
    ///
    /// # Errors
    ///
    /// The same as [`read_into`](Self::read_into).
    #[inline]
    fn read_optional<R: Reader<'de>>(slot: &mut Option<Self>, reader: &mut R) -> Result<(), Error> {
        match slot {
            Some(value) => value.read_into(reader),
            None => {
                *slot = Some(Self::read(reader)?);
                Ok(())
            }
        }
    }

    /// Reads the remaining elements of a list, and appends them.
    ///
    /// # Errors
    ///
    /// The same as [`read`](Self::read).
    fn read_list<R: Reader<'de>>(
        reader: &mut R,
        mut items: Items,
        values: &mut Vec<Self>,
    ) -> Result<(), Error> {
        items.reserve(values);
        while reader.next(&mut items)? {
            let value =
                Self::read(reader).map_err(|error| error.within(Segment::Index(values.len())))?;
            items.make_room(reader.input(), values)?;
            values.push(value);
        }
        Ok(())
    }
}

/// Values that can be read without borrowing from the message.
pub trait DecodeOwned: for<'de> Decode<'de> {}

impl<T> DecodeOwned for T where T: for<'de> Decode<'de> {}

impl Shape {
    /// Returns the shape of a type.
    #[must_use]
    pub fn of<T: Element + ?Sized>() -> Self {
        Self(T::describe)
    }
}
