//! Strings and binary, owned, borrowed and shared.

use super::{Decode, Element, Encode};
use crate::mask::Key;
use crate::protocol::{Reader, Writer};
use crate::{Error, ErrorKind, Field, Frame, Type};
use std::borrow::Cow;

/// Bytes of a text and of binary, by the names of the methods that write them.
mod bytes_of {
    pub fn string(text: &str) -> &[u8] {
        text.as_bytes()
    }

    pub fn binary(bytes: &[u8]) -> &[u8] {
        bytes
    }
}

/// Writes all string and binary types.
macro_rules! written {
    ($($T:ty: $write:ident $write_field:ident,)*) => { $(
        impl Element for $T {
            const TYPE: Type = Type::String;
        }

        impl Encode for $T {
            #[inline]
            fn room(&self) -> usize {
                4 + self.len()
            }

            #[inline]
            fn mask_key(&self) -> Key<'_> {
                Key::Text(bytes_of::$write(self))
            }

            #[inline]
            fn write<W: Writer>(&self, writer: &mut W) -> Result<(), Error> {
                writer.$write(self)
            }

            #[inline]
            fn write_field<W: Writer>(
                &self,
                writer: &mut W,
                frame: &mut Frame,
                field: &Field,
            ) -> Result<(), Error> {
                writer.$write_field(frame, field, self)
            }
        }
    )* };
}
written! {
    str: string string_field,
    String: string string_field,
    Cow<'_, str>: string string_field,
    [u8]: binary binary_field,
    Vec<u8>: binary binary_field,
    Cow<'_, [u8]>: binary binary_field,
}
#[cfg(feature = "bytes")]
written! { bytes::Bytes: binary binary_field, }

impl<'de> Decode<'de> for String {
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

impl<'de> Decode<'de> for Vec<u8> {
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

impl<'de: 'a, 'a> Decode<'de> for Cow<'a, str> {
    #[inline]
    fn read<R: Reader<'de>>(reader: &mut R) -> Result<Self, Error> {
        reader.string()
    }
}

impl<'de: 'a, 'a> Decode<'de> for Cow<'a, [u8]> {
    #[inline]
    fn read<R: Reader<'de>>(reader: &mut R) -> Result<Self, Error> {
        reader.binary()
    }
}

impl<'de: 'a, 'a> Decode<'de> for &'a str {
    #[inline]
    fn read<R: Reader<'de>>(reader: &mut R) -> Result<Self, Error> {
        match reader.string()? {
            Cow::Borrowed(text) => Ok(text),
            Cow::Owned(_) => Err(reader.error(ErrorKind::CannotBorrow)),
        }
    }
}

impl<'de: 'a, 'a> Decode<'de> for &'a [u8] {
    #[inline]
    fn read<R: Reader<'de>>(reader: &mut R) -> Result<Self, Error> {
        match reader.binary()? {
            Cow::Borrowed(bytes) => Ok(bytes),
            Cow::Owned(_) => Err(reader.error(ErrorKind::CannotBorrow)),
        }
    }
}

#[cfg(feature = "bytes")]
impl<'de> Decode<'de> for bytes::Bytes {
    #[inline]
    fn read<R: Reader<'de>>(reader: &mut R) -> Result<Self, Error> {
        match reader.binary()? {
            Cow::Owned(bytes) => Ok(bytes.into()),
            Cow::Borrowed(bytes) => reader.input().share(bytes),
        }
    }
}
