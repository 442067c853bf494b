//! Whole messages, from and to bytes.

use crate::input::Input;
use crate::output::Length;
use crate::protocol::{Protocol, Reader, Writer};
use crate::{Element, Error, ErrorKind, Field, Limits};

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
pub trait Message<'de>: Element<'de> {
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
    fn encode<P: Protocol>(&self) -> Result<Vec<u8>, Error> {
        self.encode_with::<P>(&Limits::default())
    }

    /// [`encode`](Self::encode) within limits of the caller's choice.
    ///
    /// # Errors
    ///
    /// Those of [`encode`](Self::encode).
    fn encode_with<P: Protocol>(&self, limits: &Limits) -> Result<Vec<u8>, Error> {
        let room = P::room(self.room());
        let mut writer = P::writer(Vec::with_capacity(room), limits);
        self.write(&mut writer)?;
        Ok(writer.finish())
    }

    /// Appends the message to bytes. What has been appended before an error stays there.
    ///
    /// # Errors
    ///
    /// Those of [`encode`](Self::encode).
    fn encode_into<P: Protocol>(&self, bytes: &mut Vec<u8>) -> Result<(), Error> {
        let mut writer = P::writer(std::mem::take(bytes), &Limits::default());
        let result = self.write(&mut writer);
        *bytes = writer.finish();
        result
    }

    /// The length of what [`encode`](Self::encode) returns, in bytes.
    ///
    /// # Errors
    ///
    /// Those of [`encode`](Self::encode).
    fn encoded_len<P: Protocol>(&self) -> Result<usize, Error> {
        let mut writer = P::writer(Length::default(), &Limits::default());
        self.write(&mut writer)?;
        Ok(writer.finish().0)
    }

    /// Reads a message that is all of `bytes`.
    ///
    /// # Errors
    ///
    /// Whatever is malformed, missing, of another type or beyond the default [`Limits`]; the error
    /// tells the place.
    fn decode<P: Protocol>(bytes: &'de [u8]) -> Result<Self, Error> {
        Self::decode_with::<P>(bytes, &Limits::default())
    }

    /// [`decode`](Self::decode) within limits of the caller's choice.
    ///
    /// # Errors
    ///
    /// Those of [`decode`](Self::decode).
    fn decode_with<P: Protocol>(bytes: &'de [u8], limits: &Limits) -> Result<Self, Error> {
        let mut reader = P::reader(Input::new(bytes, limits));
        let value = Self::read(&mut reader)?;
        end(reader.finish())?;
        Ok(value)
    }

    /// [`decode`](Self::decode) where fields of the type [`bytes::Bytes`] share the memory of the
    /// message.
    ///
    /// # Errors
    ///
    /// Those of [`decode`](Self::decode).
    #[cfg(feature = "bytes")]
    fn decode_shared<P: Protocol>(message: &'de bytes::Bytes) -> Result<Self, Error> {
        let mut reader = P::reader(Input::shared(message, &Limits::default()));
        let value = Self::read(&mut reader)?;
        end(reader.finish())?;
        Ok(value)
    }

    /// Reads a message at the start of `bytes`, and returns its length as well.
    ///
    /// # Errors
    ///
    /// Those of [`decode`](Self::decode).
    fn decode_prefix<P: Protocol>(bytes: &'de [u8]) -> Result<(Self, usize), Error> {
        let mut reader = P::reader(Input::new(bytes, &Limits::default()));
        let value = Self::read(&mut reader)?;
        Ok((value, reader.finish().offset()))
    }

    /// Reads a message over this value. Strings and containers are replaced and keep their memory;
    /// fields that the message does not have stay as they are.
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
    fn merge<P: Protocol>(&mut self, bytes: &'de [u8]) -> Result<(), Error> {
        let mut reader = P::reader(Input::new(bytes, &Limits::default()));
        self.read_into(&mut reader)?;
        end(reader.finish())
    }
}

/// That nothing is left.
fn end(input: Input<'_>) -> Result<(), Error> {
    if input.rest().is_empty() {
        return Ok(());
    }
    Err(input.error(ErrorKind::TrailingBytes))
}
