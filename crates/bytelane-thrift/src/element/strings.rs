//! Strings and binary, owned, borrowed and shared.

use super::Element;
use crate::protocol::{Reader, Writer};
use crate::{Error, ErrorKind, Type};
use std::borrow::Cow;

impl<'de> Element<'de> for String {
    const TYPE: Type = Type::String;

    #[inline]
    fn write<W: Writer>(&self, writer: &mut W) -> Result<(), Error> {
        writer.string(self)
    }

    #[inline]
    fn read<R: Reader<'de>>(reader: &mut R) -> Result<Self, Error> {
        let mut value = String::new();
        reader.string_into(&mut value)?;
        Ok(value)
    }

    #[inline]
    fn read_into<R: Reader<'de>>(&mut self, reader: &mut R) -> Result<(), Error> {
        reader.string_into(self)
    }
}

impl<'de> Element<'de> for Vec<u8> {
    const TYPE: Type = Type::String;

    #[inline]
    fn write<W: Writer>(&self, writer: &mut W) -> Result<(), Error> {
        writer.binary(self)
    }

    #[inline]
    fn read<R: Reader<'de>>(reader: &mut R) -> Result<Self, Error> {
        let mut value = Vec::new();
        reader.binary_into(&mut value)?;
        Ok(value)
    }

    #[inline]
    fn read_into<R: Reader<'de>>(&mut self, reader: &mut R) -> Result<(), Error> {
        reader.binary_into(self)
    }
}

impl<'de: 'a, 'a> Element<'de> for Cow<'a, str> {
    const TYPE: Type = Type::String;

    #[inline]
    fn write<W: Writer>(&self, writer: &mut W) -> Result<(), Error> {
        writer.string(self)
    }

    #[inline]
    fn read<R: Reader<'de>>(reader: &mut R) -> Result<Self, Error> {
        reader.string()
    }
}

impl<'de: 'a, 'a> Element<'de> for Cow<'a, [u8]> {
    const TYPE: Type = Type::String;

    #[inline]
    fn write<W: Writer>(&self, writer: &mut W) -> Result<(), Error> {
        writer.binary(self)
    }

    #[inline]
    fn read<R: Reader<'de>>(reader: &mut R) -> Result<Self, Error> {
        reader.binary()
    }
}

impl<'de: 'a, 'a> Element<'de> for &'a str {
    const TYPE: Type = Type::String;

    #[inline]
    fn write<W: Writer>(&self, writer: &mut W) -> Result<(), Error> {
        writer.string(self)
    }

    #[inline]
    fn read<R: Reader<'de>>(reader: &mut R) -> Result<Self, Error> {
        match reader.string()? {
            Cow::Borrowed(text) => Ok(text),
            Cow::Owned(_) => Err(reader.error(ErrorKind::CannotBorrow)),
        }
    }
}

impl<'de: 'a, 'a> Element<'de> for &'a [u8] {
    const TYPE: Type = Type::String;

    #[inline]
    fn write<W: Writer>(&self, writer: &mut W) -> Result<(), Error> {
        writer.binary(self)
    }

    #[inline]
    fn read<R: Reader<'de>>(reader: &mut R) -> Result<Self, Error> {
        match reader.binary()? {
            Cow::Borrowed(bytes) => Ok(bytes),
            Cow::Owned(_) => Err(reader.error(ErrorKind::CannotBorrow)),
        }
    }
}

#[cfg(feature = "bytes")]
impl<'de> Element<'de> for bytes::Bytes {
    const TYPE: Type = Type::String;

    #[inline]
    fn write<W: Writer>(&self, writer: &mut W) -> Result<(), Error> {
        writer.binary(self)
    }

    #[inline]
    fn read<R: Reader<'de>>(reader: &mut R) -> Result<Self, Error> {
        let value = reader.binary()?;
        let input = reader.input();
        match (value, input.shared) {
            (Cow::Owned(bytes), _) => Ok(bytes.into()),
            (Cow::Borrowed(bytes), Some(message)) => Ok(message.slice_ref(bytes)),
            (Cow::Borrowed(bytes), None) => {
                input.charge(bytes.len())?;
                Ok(Self::copy_from_slice(bytes))
            }
        }
    }
}
