//! Whole messages, from and to bytes.

use crate::input::Input;
use crate::output::{Buffer, Length};
use crate::protocol::{Protocol, Reader, Writer};
use crate::{Decode, Element, Encode, Error, Field, Options};

/// A struct, union or exception: what derives [`Thrift`](crate::Thrift), and is not an enum.
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
    /// Its name in the IDL.
    const NAME: &'static str;

    /// Its fields.
    const FIELDS: &'static [Field];

    /// The message as bytes.
    ///
    /// # Errors
    ///
    /// A container or string larger than 2³¹ - 1, more than 64 values within each other, a struct
    /// or container as the key of a map in JSON, a type that the protocol's dialect does not have.
    #[inline]
    fn encode<P: Protocol>(&self) -> Result<Vec<u8>, Error>
    where
        Self: Encode,
    {
        self.encode_with::<P>(Options::default())
    }

    /// [`encode`](Self::encode) within [`Limits`](crate::Limits) of the caller's choice.
    ///
    /// # Errors
    ///
    /// Those of [`encode`](Self::encode).
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

    /// Appends the message to bytes. What has been appended before an error stays there.
    ///
    /// # Errors
    ///
    /// Those of [`encode`](Self::encode).
    fn encode_into<P: Protocol>(&self, bytes: &mut Vec<u8>) -> Result<(), Error>
    where
        Self: Encode,
    {
        self.encode_into_with::<P>(bytes, Options::default())
    }

    /// [`encode_into`](Self::encode_into) within [`Limits`](crate::Limits) of the caller's choice.
    ///
    /// # Errors
    ///
    /// Those of [`encode`](Self::encode).
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

    /// The length of what [`encode`](Self::encode) returns, in bytes.
    ///
    /// # Errors
    ///
    /// Those of [`encode`](Self::encode).
    fn encoded_len<P: Protocol>(&self) -> Result<usize, Error>
    where
        Self: Encode,
    {
        self.encoded_len_with::<P>(Options::default())
    }

    /// [`encoded_len`](Self::encoded_len) within [`Limits`](crate::Limits) of the caller's choice.
    ///
    /// # Errors
    ///
    /// Those of [`encode`](Self::encode).
    fn encoded_len_with<P: Protocol>(&self, options: impl Into<Options>) -> Result<usize, Error>
    where
        Self: Encode,
    {
        let mut writer = P::writer(Length::default(), &options.into().limits);
        self.write(&mut writer)?;
        Ok(writer.finish().0)
    }

    /// Reads a message that is all of `bytes`; white space after JSON is skipped.
    ///
    /// # Errors
    ///
    /// Whatever is malformed, missing or beyond the default [`Limits`](crate::Limits); the error
    /// tells the place.
    #[inline]
    fn decode<'de, P: Protocol>(bytes: &'de [u8]) -> Result<Self, Error>
    where
        Self: Decode<'de>,
    {
        Self::decode_with::<P>(bytes, Options::default())
    }

    /// [`decode`](Self::decode) with [`Options`] or [`Limits`](crate::Limits) of the caller's choice.
    ///
    /// # Errors
    ///
    /// Those of [`decode`](Self::decode).
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

    /// [`decode`](Self::decode) where fields of the type [`bytes::Bytes`] share the memory of the
    /// message.
    ///
    /// # Errors
    ///
    /// Those of [`decode`](Self::decode).
    #[cfg(feature = "bytes")]
    #[inline]
    fn decode_shared<'de, P: Protocol>(message: &'de bytes::Bytes) -> Result<Self, Error>
    where
        Self: Decode<'de>,
    {
        Self::decode_shared_with::<P>(message, Options::default())
    }

    /// [`decode_shared`](Self::decode_shared) with [`Options`] or [`Limits`](crate::Limits) of the
    /// caller's choice.
    ///
    /// # Errors
    ///
    /// Those of [`decode`](Self::decode).
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

    /// Reads a message at the start of `bytes`, and returns its length as well.
    ///
    /// # Errors
    ///
    /// Those of [`decode`](Self::decode).
    #[inline]
    fn decode_prefix<'de, P: Protocol>(bytes: &'de [u8]) -> Result<(Self, usize), Error>
    where
        Self: Decode<'de>,
    {
        Self::decode_prefix_with::<P>(bytes, Options::default())
    }

    /// [`decode_prefix`](Self::decode_prefix) with [`Options`] or [`Limits`](crate::Limits) of the
    /// caller's choice.
    ///
    /// # Errors
    ///
    /// Those of [`decode`](Self::decode).
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
    /// fields that the message does not have stay as they are, also in structs within this one.
    ///
    /// # Errors
    ///
    /// Those of [`decode`](Self::decode); the value may have been changed in part then.
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

    /// [`merge`](Self::merge) with [`Options`] or [`Limits`](crate::Limits) of the caller's choice.
    ///
    /// # Errors
    ///
    /// Those of [`merge`](Self::merge).
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
}

/// Bytes with what a writer has appended to them, and whether all of it could be written.
pub(crate) fn written<P: Protocol>(
    bytes: Vec<u8>,
    options: impl Into<Options>,
    body: impl Fn(&mut P::Writer<P::Buffer>) -> Result<(), Error>,
) -> (Vec<u8>, Result<(), Error>) {
    let mut writer = P::writer(P::Buffer::new(bytes), &options.into().limits);
    let result = write(&mut writer, body);
    (writer.finish().into_bytes(), result)
}

/// Writes a value, a second time where there was not enough room for it. Not inlined: of what a
/// parameter refers to, the compiler knows that nothing else does, and loads the length of the output
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

/// No loop: of one, the compiler would compute in advance what each round has in common.
#[cold]
#[inline(never)]
fn write_again<W: Writer<Output: Buffer>>(
    writer: &mut W,
    value: impl Fn(&mut W) -> Result<(), Error>,
) -> Result<(), Error> {
    write(writer, value)
}

/// Reads all of an input: nothing may be left.
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
