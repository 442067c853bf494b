//! Calls and replies.

use crate::input::Input;
use crate::message::written;
use crate::protocol::{Protocol, Reader, Writer};
use crate::{Decode, Encode, Envelope, Error, Message, Options, Thrift};
use std::fmt;

impl<'a> Envelope<'a> {
    /// Encodes a message: this envelope and a body.
    ///
    /// # Errors
    ///
    /// Those of [`Message::encode`].
    pub fn encode<P: Protocol, M: Message + Encode>(&self, body: &M) -> Result<Vec<u8>, Error> {
        self.encode_with::<P, M>(body, Options::default())
    }

    /// Same as [`encode`](Self::encode), within [`Limits`](crate::Limits) of the caller's choice.
    ///
    /// # Errors
    ///
    /// The same as [`encode`](Self::encode).
    pub fn encode_with<P: Protocol, M: Message + Encode>(
        &self,
        body: &M,
        options: impl Into<Options>,
    ) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::with_capacity(P::room(16 + self.name.len() + body.room()));
        self.encode_into_with::<P, M>(body, &mut bytes, options)?;
        Ok(bytes)
    }

    /// Appends a message to bytes. If there is an error, the bytes appended before it remain.
    ///
    /// # Errors
    ///
    /// The same as [`encode`](Self::encode).
    pub fn encode_into<P: Protocol, M: Message + Encode>(
        &self,
        body: &M,
        bytes: &mut Vec<u8>,
    ) -> Result<(), Error> {
        self.encode_into_with::<P, M>(body, bytes, Options::default())
    }

    /// Same as [`encode_into`](Self::encode_into), within [`Limits`](crate::Limits) of the caller's
    /// choice.
    ///
    /// # Errors
    ///
    /// The same as [`encode`](Self::encode).
    pub fn encode_into_with<P: Protocol, M: Message + Encode>(
        &self,
        body: &M,
        bytes: &mut Vec<u8>,
        options: impl Into<Options>,
    ) -> Result<(), Error> {
        let mut taken = std::mem::take(bytes);
        taken.reserve(P::room(16 + self.name.len() + body.room()));
        let result;
        (*bytes, result) = written::<P>(taken, options, |writer| {
            writer.message_begin(self)?;
            body.write(writer)?;
            writer.message_end();
            Ok(())
        });
        result
    }

    /// Reads the envelope of a message. The caller determines the type of the body from it.
    ///
    /// # Errors
    ///
    /// Those of a malformed message, or of one that exceeds a limit.
    pub fn decode<P: Protocol>(bytes: &'a [u8]) -> Result<(Self, Body<'a, P>), Error> {
        Self::decode_with(bytes, Options::default())
    }

    /// Same as [`decode`](Self::decode), with [`Options`] or [`Limits`](crate::Limits) of the
    /// caller's choice.
    ///
    /// # Errors
    ///
    /// The same as [`decode`](Self::decode).
    pub fn decode_with<P: Protocol>(
        bytes: &'a [u8],
        options: impl Into<Options>,
    ) -> Result<(Self, Body<'a, P>), Error> {
        Self::begin(Input::new(bytes, options))
    }

    /// Same as [`decode`](Self::decode), but fields of the type [`bytes::Bytes`] in the body share
    /// the memory of the message.
    ///
    /// # Errors
    ///
    /// The same as [`decode`](Self::decode).
    #[cfg(feature = "bytes")]
    pub fn decode_shared<P: Protocol>(
        message: &'a bytes::Bytes,
    ) -> Result<(Self, Body<'a, P>), Error> {
        Self::decode_shared_with(message, Options::default())
    }

    /// Same as [`decode_shared`](Self::decode_shared), with [`Options`] or
    /// [`Limits`](crate::Limits) of the caller's choice.
    ///
    /// # Errors
    ///
    /// The same as [`decode`](Self::decode).
    #[cfg(feature = "bytes")]
    pub fn decode_shared_with<P: Protocol>(
        message: &'a bytes::Bytes,
        options: impl Into<Options>,
    ) -> Result<(Self, Body<'a, P>), Error> {
        Self::begin(Input::shared(message, options))
    }

    fn begin<P: Protocol>(input: Input<'a>) -> Result<(Self, Body<'a, P>), Error> {
        let mut reader = P::reader(input);
        let envelope = reader.message_begin()?;
        Ok((envelope, Body { reader }))
    }
}

/// The body of a message whose [`Envelope`] has been read.
pub struct Body<'a, P: Protocol> {
    reader: P::Reader<'a>,
}

impl<'a, P: Protocol> Body<'a, P> {
    /// Reads the body; no bytes may follow it.
    ///
    /// # Errors
    ///
    /// Those of [`Message::decode`].
    pub fn read<M: Message + Decode<'a>>(mut self) -> Result<M, Error> {
        let body = M::read(&mut self.reader)?;
        self.reader.message_end()?;
        self.reader.end()?;
        Ok(body)
    }
}

impl<P: Protocol> fmt::Debug for Body<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Body").finish_non_exhaustive()
    }
}

/// Body of a message of the kind [`MessageKind::Exception`](crate::MessageKind::Exception): reports why a call failed.
#[derive(Clone, PartialEq, Eq, Debug, Thrift)]
#[thrift(name = "TApplicationException")]
pub struct ApplicationException {
    /// Message for humans.
    #[thrift(id = 1)]
    pub message: String,
    /// Kind for programs.
    #[thrift(id = 2, name = "type")]
    pub kind: ApplicationExceptionKind,
}

impl fmt::Display for ApplicationException {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.message.is_empty() {
            self.kind.fmt(f)
        } else {
            write!(f, "{}: {}", self.kind, self.message)
        }
    }
}

impl std::error::Error for ApplicationException {}

/// Reason why a call failed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Thrift)]
pub enum ApplicationExceptionKind {
    /// Any other reason.
    #[default]
    #[thrift(value = 0)]
    Other,
    /// The service has no such method.
    #[thrift(value = 1)]
    UnknownMethod,
    /// The message has an unexpected kind.
    #[thrift(value = 2)]
    InvalidMessageKind,
    /// The reply is to another method.
    #[thrift(value = 3)]
    WrongMethodName,
    /// The reply is to another call.
    #[thrift(value = 4)]
    BadSequence,
    /// The reply has neither a result nor an exception.
    #[thrift(value = 5)]
    MissingResult,
    /// The server failed.
    #[thrift(value = 6)]
    InternalError,
    /// The message is malformed.
    #[thrift(value = 7)]
    ProtocolError,
    /// The server does not know the transform.
    #[thrift(value = 8)]
    InvalidTransform,
    /// The server does not know the protocol.
    #[thrift(value = 9)]
    InvalidProtocol,
    /// The server does not support this kind of client.
    #[thrift(value = 10)]
    UnsupportedClient,
    /// A kind that this version does not know.
    #[thrift(unknown)]
    Unknown(i32),
}

impl fmt::Display for ApplicationExceptionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Other => "the call failed",
            Self::UnknownMethod => "unknown method",
            Self::InvalidMessageKind => "unexpected kind of message",
            Self::WrongMethodName => "a reply to another method",
            Self::BadSequence => "a reply to another call",
            Self::MissingResult => "a reply without a result",
            Self::InternalError => "internal error",
            Self::ProtocolError => "malformed message",
            Self::InvalidTransform => "unknown transform",
            Self::InvalidProtocol => "unknown protocol",
            Self::UnsupportedClient => "unsupported kind of client",
            Self::Unknown(number) => return write!(f, "error {number}"),
        })
    }
}
