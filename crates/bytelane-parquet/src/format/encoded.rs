//! Structs that stay as their bytes until they are asked for.

use super::{decode, encode};
use crate::Result;
use bytelane_thrift::{
    Decode, DecodeOwned, Element, Encode, Error, Message, Output, Reader, Type, Writer,
};
use bytes::Bytes;
use std::marker::PhantomData;

/// A struct or union as its bytes in the message that it was read from. It is written as it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Encoded<T> {
    bytes: Bytes,
    of: PhantomData<fn() -> T>,
}

impl<T: Message + Encode + DecodeOwned> Encoded<T> {
    /// Encodes a struct.
    ///
    /// # Errors
    ///
    /// Those of [`encode`].
    pub fn new(value: &T) -> Result<Self> {
        Ok(Self::of_bytes(encode(value)?.into()))
    }

    /// Decodes the struct.
    ///
    /// # Errors
    ///
    /// Those of [`decode`].
    pub fn decode(&self) -> Result<T> {
        decode(&self.bytes)
    }
}

impl<T> Encoded<T> {
    fn of_bytes(bytes: Bytes) -> Self {
        Self {
            bytes,
            of: PhantomData,
        }
    }
}

impl<T: Message> Element for Encoded<T> {
    const TYPE: Type = Type::Struct;
}

impl<T: Message> Encode for Encoded<T> {
    fn room(&self) -> usize {
        self.bytes.len()
    }

    fn write<W: Writer>(&self, writer: &mut W) -> std::result::Result<(), Error> {
        writer.output().bytes(&self.bytes);
        Ok(())
    }
}

impl<'de, T: Message> Decode<'de> for Encoded<T> {
    fn read<R: Reader<'de>>(reader: &mut R) -> std::result::Result<Self, Error> {
        let rest = reader.input().rest();
        reader.skip(Type::Struct)?;
        let length = rest.len() - reader.input().rest().len();
        reader.input().share(&rest[..length]).map(Self::of_bytes)
    }
}
