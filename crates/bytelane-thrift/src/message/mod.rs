//! Whole messages, from and to bytes: alone, in envelopes, and one after the other on a transport.

mod buffered;
mod envelope;
pub mod framed;
mod masks;
pub mod unframed;

pub(crate) use buffered::Buffered;
pub use envelope::{ApplicationException, ApplicationExceptionKind, Body};

use crate::input::Input;
use crate::mask::{FieldMask, MaskedReader, MaskedWriter};
use crate::output::{Buffer, Length};
use crate::protocol::{Protocol, Reader, Writer};
use crate::{Decode, Element, Encode, Error, Field, Options};

/// A struct, union or exception: a type that derives [`Thrift`](crate::Thrift) and is not an enum.
///
/// The protocol is a type parameter of each call:
///
/// ```
/// use bytelane_thrift::{Binary, Message, Thrift};
///
/// #[derive(Debug, PartialEq, Thrift)]
/// struct Point {
///     #[thrift(id = 1)]
///     x: i32,
///     #[thrift(id = 2)]
///     y: Option<i32>,
/// }
///
/// let point = Point { x: 5, y: None };
/// let bytes = point.encode::<Binary>()?;
/// assert_eq!(bytes, b"\x08\0\x01\0\0\0\x05\0");
/// assert_eq!(Point::decode::<Binary>(&bytes)?, point);
/// # Ok::<(), bytelane_thrift::Error>(())
/// ```
pub trait Message: Element {
    /// Name in the IDL.
    const NAME: &'static str;

    /// Declared fields.
    const FIELDS: &'static [Field];

    /// Encodes the message.
    ///
    /// # Errors
    ///
    /// A container or string is larger than 2³¹ - 1, values are nested more than 64 deep, the key
    /// of a map in JSON is a struct or container, or the protocol's dialect does not support a
    /// type.
    #[inline]
    fn encode<P: Protocol>(&self) -> Result<Vec<u8>, Error>
    where
        Self: Encode,
    {
        self.encode_with::<P>(Options::default())
    }

    /// Same as [`encode`](Self::encode), within [`Limits`](crate::Limits) of the caller's choice.
    ///
    /// # Errors
    ///
    /// The same as [`encode`](Self::encode).
    #[inline]
    fn encode_with<P: Protocol>(&self, options: impl Into<Options>) -> Result<Vec<u8>, Error>
    where
        Self: Encode,
    {
        let bytes = P::Buffer::new(Vec::with_capacity(P::room(self.room())));
        let mut writer = P::writer(bytes, &options.into().limits);
        write(&mut writer, |writer| self.write(writer))?;
        Ok(writer.finish().into_bytes())
    }

    /// Appends the message to bytes. If there is an error, the bytes appended before it remain.
    ///
    /// # Errors
    ///
    /// The same as [`encode`](Self::encode).
    fn encode_into<P: Protocol>(&self, bytes: &mut Vec<u8>) -> Result<(), Error>
    where
        Self: Encode,
    {
        self.encode_into_with::<P>(bytes, Options::default())
    }

    /// Same as [`encode_into`](Self::encode_into), within [`Limits`](crate::Limits) of the caller's
    /// choice.
    ///
    /// # Errors
    ///
    /// The same as [`encode`](Self::encode).
    fn encode_into_with<P: Protocol>(
        &self,
        bytes: &mut Vec<u8>,
        options: impl Into<Options>,
    ) -> Result<(), Error>
    where
        Self: Encode,
    {
        let mut taken = std::mem::take(bytes);
        taken.reserve(P::room(self.room()));
        let result;
        (*bytes, result) = written::<P>(taken, options, |writer| self.write(writer));
        result
    }

    /// Returns the length of the result of [`encode`](Self::encode), in bytes.
    ///
    /// # Errors
    ///
    /// The same as [`encode`](Self::encode).
    fn encoded_len<P: Protocol>(&self) -> Result<usize, Error>
    where
        Self: Encode,
    {
        self.encoded_len_with::<P>(Options::default())
    }

    /// Same as [`encoded_len`](Self::encoded_len), within [`Limits`](crate::Limits) of the caller's
    /// choice.
    ///
    /// # Errors
    ///
    /// The same as [`encode`](Self::encode).
    fn encoded_len_with<P: Protocol>(&self, options: impl Into<Options>) -> Result<usize, Error>
    where
        Self: Encode,
    {
        let mut writer = P::writer(Length::default(), &options.into().limits);
        self.write(&mut writer)?;
        Ok(writer.finish().0)
    }

    /// Reads a message that is all of `bytes`; whitespace after JSON is skipped.
    ///
    /// # Errors
    ///
    /// The message is malformed, lacks a required field, or exceeds the default
    /// [`Limits`](crate::Limits); the error contains the offset.
    #[inline]
    fn decode<'de, P: Protocol>(bytes: &'de [u8]) -> Result<Self, Error>
    where
        Self: Decode<'de>,
    {
        Self::decode_with::<P>(bytes, Options::default())
    }

    /// Same as [`decode`](Self::decode), with [`Options`] or [`Limits`](crate::Limits) of the
    /// caller's choice.
    ///
    /// # Errors
    ///
    /// The same as [`decode`](Self::decode).
    #[inline]
    fn decode_with<'de, P: Protocol>(
        bytes: &'de [u8],
        options: impl Into<Options>,
    ) -> Result<Self, Error>
    where
        Self: Decode<'de>,
    {
        whole::<P, _>(Input::new(bytes, options), Self::read)
    }

    /// Same as [`decode`](Self::decode), but fields of the type [`bytes::Bytes`] share the memory
    /// of the message.
    ///
    /// # Errors
    ///
    /// The same as [`decode`](Self::decode).
    #[cfg(feature = "bytes")]
    #[inline]
    fn decode_shared<'de, P: Protocol>(message: &'de bytes::Bytes) -> Result<Self, Error>
    where
        Self: Decode<'de>,
    {
        Self::decode_shared_with::<P>(message, Options::default())
    }

    /// Same as [`decode_shared`](Self::decode_shared), with [`Options`] or
    /// [`Limits`](crate::Limits) of the caller's choice.
    ///
    /// # Errors
    ///
    /// The same as [`decode`](Self::decode).
    #[cfg(feature = "bytes")]
    #[inline]
    fn decode_shared_with<'de, P: Protocol>(
        message: &'de bytes::Bytes,
        options: impl Into<Options>,
    ) -> Result<Self, Error>
    where
        Self: Decode<'de>,
    {
        whole::<P, _>(Input::shared(message, options), Self::read)
    }

    /// Same as [`decode`](Self::decode), but reads only the parts that a mask selects. Everything else
    /// keeps its default value; it is skipped, and only its structure is checked.
    ///
    /// # Errors
    ///
    /// The same as [`decode`](Self::decode).
    #[inline]
    fn decode_masked<'de, P: Protocol>(bytes: &'de [u8], mask: &FieldMask) -> Result<Self, Error>
    where
        Self: Decode<'de>,
    {
        Self::decode_masked_with::<P>(bytes, mask, Options::default())
    }

    /// Same as [`decode_masked`](Self::decode_masked), with [`Options`] or
    /// [`Limits`](crate::Limits) of the caller's choice.
    ///
    /// # Errors
    ///
    /// The same as [`decode`](Self::decode).
    #[inline]
    fn decode_masked_with<'de, P: Protocol>(
        bytes: &'de [u8],
        mask: &FieldMask,
        options: impl Into<Options>,
    ) -> Result<Self, Error>
    where
        Self: Decode<'de>,
    {
        let reader = P::reader(Input::new(bytes, options));
        let mut reader = MaskedReader::new(reader, mask.root());
        let mut result = Self::read(&mut reader);
        if result.is_ok()
            && let Err(error) = reader.end()
        {
            result = Err(error);
        }
        result
    }

    /// Same as [`encode`](Self::encode), but writes only the parts that a mask selects, and all required
    /// fields.
    ///
    /// # Errors
    ///
    /// The same as [`encode`](Self::encode); a handwritten [`Encode::write`] writes a container of
    /// which the mask selects parts.
    fn encode_masked<P: Protocol>(&self, mask: &FieldMask) -> Result<Vec<u8>, Error>
    where
        Self: Encode,
    {
        self.encode_masked_with::<P>(mask, Options::default())
    }

    /// Same as [`encode_masked`](Self::encode_masked), within [`Limits`](crate::Limits) of the
    /// caller's choice.
    ///
    /// # Errors
    ///
    /// The same as [`encode_masked`](Self::encode_masked).
    fn encode_masked_with<P: Protocol>(
        &self,
        mask: &FieldMask,
        options: impl Into<Options>,
    ) -> Result<Vec<u8>, Error>
    where
        Self: Encode,
    {
        let bytes = Vec::with_capacity(P::room(self.room()));
        let (bytes, result) = written::<P>(bytes, options, |writer| {
            let mut writer = MaskedWriter::new(writer, mask.root());
            self.write(&mut writer)?;
            writer.check()
        });
        result.map(|()| bytes)
    }

    /// Reads a message at the start of `bytes`. Returns its length as well.
    ///
    /// # Errors
    ///
    /// The same as [`decode`](Self::decode).
    #[inline]
    fn decode_prefix<'de, P: Protocol>(bytes: &'de [u8]) -> Result<(Self, usize), Error>
    where
        Self: Decode<'de>,
    {
        Self::decode_prefix_with::<P>(bytes, Options::default())
    }

    /// Same as [`decode_prefix`](Self::decode_prefix), with [`Options`] or
    /// [`Limits`](crate::Limits) of the caller's choice.
    ///
    /// # Errors
    ///
    /// The same as [`decode`](Self::decode).
    #[inline]
    fn decode_prefix_with<'de, P: Protocol>(
        bytes: &'de [u8],
        options: impl Into<Options>,
    ) -> Result<(Self, usize), Error>
    where
        Self: Decode<'de>,
    {
        let mut reader = P::reader(Input::new(bytes, options));
        let value = Self::read(&mut reader)?;
        Ok((value, reader.finish().offset()))
    }

    /// Reads a message over this value. Strings and containers are replaced and keep their memory;
    /// fields that are not in the message stay unchanged, also in structs within this one.
    ///
    /// # Errors
    ///
    /// The same as [`decode`](Self::decode); the value may have been partly changed then.
    ///
    /// ```
    /// # use bytelane_thrift::{Binary, Message, Thrift};
    /// #[derive(Thrift)]
    /// struct Numbers {
    ///     #[thrift(id = 1)]
    ///     numbers: Vec<i32>,
    /// }
    ///
    /// let mut numbers = Numbers { numbers: Vec::with_capacity(1000) };
    /// for round in 0..3 {
    ///     let message = Numbers { numbers: vec![round; 1000] }.encode::<Binary>()?;
    ///     numbers.merge::<Binary>(&message)?; // allocates nothing
    ///     assert_eq!(numbers.numbers.capacity(), 1000);
    /// }
    /// # Ok::<(), bytelane_thrift::Error>(())
    /// ```
    #[inline]
    fn merge<'de, P: Protocol>(&mut self, bytes: &'de [u8]) -> Result<(), Error>
    where
        Self: Decode<'de>,
    {
        self.merge_with::<P>(bytes, Options::default())
    }

    /// Same as [`merge`](Self::merge), with [`Options`] or [`Limits`](crate::Limits) of the
    /// caller's choice.
    ///
    /// # Errors
    ///
    /// The same as [`merge`](Self::merge).
    #[inline]
    fn merge_with<'de, P: Protocol>(
        &mut self,
        bytes: &'de [u8],
        options: impl Into<Options>,
    ) -> Result<(), Error>
    where
        Self: Decode<'de>,
    {
        let mut input = Input::new(bytes, options);
        input.merges = true;
        whole::<P, _>(input, |reader| self.read_into(reader))
    }

    /// Same as [`merge`](Self::merge), but reads only the parts that a mask selects. This is the
    /// fastest way to read a few fields of many messages: large structs are not created again.
    ///
    /// # Errors
    ///
    /// The same as [`merge`](Self::merge).
    fn merge_masked<'de, P: Protocol>(
        &mut self,
        bytes: &'de [u8],
        mask: &FieldMask,
        options: impl Into<Options>,
    ) -> Result<(), Error>
    where
        Self: Decode<'de>,
    {
        let mut input = Input::new(bytes, options);
        input.merges = true;
        let mut reader = MaskedReader::new(P::reader(input), mask.root());
        self.read_into(&mut reader)?;
        reader.end()
    }
}

/// Returns bytes with everything that a writer has appended to them, and whether all of it could be
/// written.
pub(crate) fn written<P: Protocol>(
    bytes: Vec<u8>,
    options: impl Into<Options>,
    body: impl Fn(&mut P::Writer<P::Buffer>) -> Result<(), Error>,
) -> (Vec<u8>, Result<(), Error>) {
    let mut writer = P::writer(P::Buffer::new(bytes), &options.into().limits);
    let result = write(&mut writer, body);
    (writer.finish().into_bytes(), result)
}

/// Writes a value, a second time if there was not enough room for it. Not inlined: the compiler
/// knows that nothing else refers to the target of a parameter, and loads the length of the output
/// less often.
#[inline(never)]
fn write<W: Writer<Output: Buffer>>(
    writer: &mut W,
    value: impl Fn(&mut W) -> Result<(), Error>,
) -> Result<(), Error> {
    let start = writer.output().len();
    value(writer)?;
    if writer.output().is_complete(start) {
        return Ok(());
    }
    write_again(writer, value)
}

/// Not a loop: the compiler would precompute what its iterations have in common.
#[cold]
#[inline(never)]
fn write_again<W: Writer<Output: Buffer>>(
    writer: &mut W,
    value: impl Fn(&mut W) -> Result<(), Error>,
) -> Result<(), Error> {
    write(writer, value)
}

/// Reads all of an input: no bytes may be left.
#[inline]
fn whole<'de, P: Protocol, T>(
    input: Input<'de>,
    read: impl FnOnce(&mut P::Reader<'de>) -> Result<T, Error>,
) -> Result<T, Error> {
    let mut reader = P::reader(input);
    let value = read(&mut reader)?;
    reader.end()?;
    Ok(value)
}
