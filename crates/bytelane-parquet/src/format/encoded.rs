//! Values that stay as their bytes until they are asked for.

use super::{decode, decode_part, encode};
use crate::Result;
use bytelane_thrift::{Decode, DecodeOwned, Element, Encode, Error, Output, Reader, Type, Writer};
use bytes::Bytes;
use std::marker::PhantomData;

/// A struct, union or list as its bytes in the message that it was read from. It is written as it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Encoded<T> {
    bytes: Bytes,
    of: PhantomData<fn() -> T>,
}

impl<T: Encode + DecodeOwned> Encoded<T> {
    /// Encodes a value.
    ///
    /// # Errors
    ///
    /// Those of [`encode`].
    pub fn new(value: &T) -> Result<Self> {
        Ok(Self::of_bytes(encode(value)?.into()))
    }

    /// Decodes the value.
    ///
    /// # Errors
    ///
    /// Those of [`decode`].
    #[inline]
    pub fn decode(&self) -> Result<T> {
        decode(&self.bytes)
    }
}

/// A struct, union or list without contents.
impl<T> Default for Encoded<T> {
    fn default() -> Self {
        Self::of_bytes(Bytes::from_static(&[0]))
    }
}

impl<T> Encoded<T> {
    /// Returns the number of bytes.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Decodes a part of the value, a struct that declares some of its fields only.
    pub(crate) fn decode_part<'a, P: Decode<'a>>(&'a self) -> Result<P> {
        decode_part(&self.bytes)
    }

    fn of_bytes(bytes: Bytes) -> Self {
        Self {
            bytes,
            of: PhantomData,
        }
    }
}

impl<T: Element> Element for Encoded<T> {
    const TYPE: Type = T::TYPE;
}

impl<T: Element> Encode for Encoded<T> {
    fn room(&self) -> usize {
        self.bytes.len()
    }

    fn write<W: Writer>(&self, writer: &mut W) -> std::result::Result<(), Error> {
        writer.output().bytes(&self.bytes);
        Ok(())
    }
}

impl<'de, T: Element> Decode<'de> for Encoded<T> {
    fn read<R: Reader<'de>>(reader: &mut R) -> std::result::Result<Self, Error> {
        let rest = reader.input().rest();
        reader.skip(T::TYPE)?;
        let length = rest.len() - reader.input().rest().len();
        reader.input().share(&rest[..length]).map(Self::of_bytes)
    }
}
