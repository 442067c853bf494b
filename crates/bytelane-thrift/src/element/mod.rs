//! What can be a field, an element, a key or a value.

mod containers;
mod numbers;
mod strings;

use crate::protocol::{Reader, Writer};
use crate::wire::Segment;
use crate::{Error, Field, Frame, Items, Type};

/// A Rust type that is a value in a message: numbers, strings, containers, and what derives
/// [`Thrift`](crate::Thrift).
///
/// | in the IDL | in Rust |
/// |---|---|
/// | `bool i8 i16 i32 i64 double float` | `bool i8 i16 i32 i64 f64 f32`, [`Double`](crate::Double) |
/// | `string` | `String`, `Cow<str>`, `&str` |
/// | `binary` | `Vec<u8>`, `Cow<[u8]>`, `&[u8]`, `bytes::Bytes` (with the feature `bytes`) |
/// | `uuid` | [`Uuid`](crate::Uuid) |
/// | `list<T>` | `Vec<T>` |
/// | `set<T>` | `BTreeSet<T>`, `HashSet<T>` |
/// | `map<K, V>` | `BTreeMap<K, V>`, `HashMap<K, V>` |
/// | any | `Box<T>` |
///
/// `'de` is how long the message lives that borrowed values are read from. Lists are written and
/// read by their elements' type, so that one of numbers is moved in one piece.
pub trait Element<'de>: Sized {
    /// The type in messages.
    const TYPE: Type;

    /// About how many bytes the value has in the binary protocol, told quickly: for how many to make
    /// room. No more than a small multiple of what it has in memory.
    #[inline]
    fn room(&self) -> usize {
        size_of::<Self>()
    }

    /// Writes the value.
    ///
    /// # Errors
    ///
    /// A limit, or a value that the protocol does not have.
    fn write<W: Writer>(&self, writer: &mut W) -> Result<(), Error>;

    /// Reads a value.
    ///
    /// # Errors
    ///
    /// Those of a malformed message, or of one that exceeds a limit.
    fn read<R: Reader<'de>>(reader: &mut R) -> Result<Self, Error>;

    /// Reads a value over another one. Strings and containers are replaced and keep their memory;
    /// fields of structs that the message does not have stay unchanged.
    ///
    /// # Errors
    ///
    /// Those of [`read`](Self::read); the value may have been changed in part then.
    #[inline]
    fn read_into<R: Reader<'de>>(&mut self, reader: &mut R) -> Result<(), Error> {
        *self = Self::read(reader)?;
        Ok(())
    }

    /// Reads an optional value over another one. Unions without a field that this version knows
    /// are none.
    ///
    /// # Errors
    ///
    /// Those of [`read_into`](Self::read_into).
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

    /// Writes a field.
    ///
    /// # Errors
    ///
    /// Those of [`write`](Self::write).
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
    /// Those of [`write`](Self::write).
    fn write_list<W: Writer>(values: &[Self], writer: &mut W) -> Result<(), Error> {
        for (i, value) in values.iter().enumerate() {
            value
                .write(writer)
                .map_err(|error| error.within(Segment::Index(i)))?;
        }
        Ok(())
    }

    /// Reads the elements of a list that are left, and appends them.
    ///
    /// # Errors
    ///
    /// Those of [`read`](Self::read).
    fn read_list<R: Reader<'de>>(
        reader: &mut R,
        mut items: Items,
        values: &mut Vec<Self>,
    ) -> Result<(), Error> {
        values.reserve(items.first_capacity::<Self>());
        while reader.next(&mut items)? {
            let value =
                Self::read(reader).map_err(|error| error.within(Segment::Index(values.len())))?;
            values.push(value);
        }
        Ok(())
    }
}

impl<'de, T: Element<'de>> Element<'de> for Box<T> {
    const TYPE: Type = T::TYPE;

    #[inline]
    fn room(&self) -> usize {
        (**self).room()
    }

    #[inline]
    fn write<W: Writer>(&self, writer: &mut W) -> Result<(), Error> {
        (**self).write(writer)
    }

    #[inline]
    fn read<R: Reader<'de>>(reader: &mut R) -> Result<Self, Error> {
        reader.input().charge(size_of::<T>())?;
        T::read(reader).map(Box::new)
    }

    #[inline]
    fn read_into<R: Reader<'de>>(&mut self, reader: &mut R) -> Result<(), Error> {
        (**self).read_into(reader)
    }

    #[inline]
    fn read_optional<R: Reader<'de>>(slot: &mut Option<Self>, reader: &mut R) -> Result<(), Error> {
        if let Some(value) = slot {
            return value.read_into(reader);
        }
        reader.input().charge(size_of::<T>())?;
        let mut value = None;
        T::read_optional(&mut value, reader)?;
        *slot = value.map(Box::new);
        Ok(())
    }

    #[inline]
    fn write_field<W: Writer>(
        &self,
        writer: &mut W,
        frame: &mut Frame,
        field: &Field,
    ) -> Result<(), Error> {
        (**self).write_field(writer, frame, field)
    }
}
