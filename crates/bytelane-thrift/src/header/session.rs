//! Server side of a connection, without its stream.

use super::read::invalid;
use super::{Header, MAX_BLOCK, MAX_ENTRIES, MAX_FRAME, ProtocolId};
use crate::unframed::Scanner;
use crate::{Binary, Compact, Error, ErrorKind};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// Finds the calls in the bytes that one connection has received: the part of a [`Server`] that
/// does not depend on a stream, for use with any runtime.
///
/// [`Server`]: super::Server
///
/// ```
/// use bytelane_thrift::header::{ProtocolId, Session};
/// use bytelane_thrift::{Binary, Envelope};
///
/// let bytes = b"\0\0\0\x11\x80\x01\0\x01\0\0\0\x04ping\0\0\0\x07\0";
/// let mut session = Session::new(1 << 20);
/// assert!(session.receive(&bytes[..9])?.is_none()); // More bytes are needed.
/// let call = session.receive(bytes)?.unwrap();
/// assert_eq!((call.len(), call.protocol()), (21, ProtocolId::Binary));
/// let (envelope, _) = Envelope::decode::<Binary>(call.message())?;
/// assert_eq!(envelope.name, "ping");
/// # Ok::<(), bytelane_thrift::Error>(())
/// ```
pub struct Session {
    limit: usize,
    binary: Scanner<Binary>,
    compact: Scanner<Compact>,
    /// Persistent strings of the client.
    persistent: BTreeMap<Vec<u8>, Vec<u8>>,
}

impl Session {
    /// Creates a session that accepts frames and messages of at most `limit` bytes. A message must
    /// not be longer before and after each transform is undone.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self {
            limit: limit.min(MAX_FRAME),
            binary: Scanner::default(),
            compact: Scanner::default(),
            persistent: BTreeMap::new(),
        }
    }

    /// Returns the call at the start of `bytes`, which are those of the previous call of this
    /// function and more. `None` if it is not complete. After this function has returned a call,
    /// remove [`Call::len`] bytes.
    ///
    /// | first bytes | |
    /// |---|---|
    /// | `80 01` | a message of [`Binary`] without a frame |
    /// | `82` and version 1 | a message of [`Compact`] without a frame |
    /// | a length, `0F FF` or `10 00` | a frame with a [`Header`] |
    /// | a length, then as above | a frame without a header |
    ///
    /// # Errors
    ///
    /// The bytes are none of these, the header is malformed, or a limit is exceeded. Close the
    /// connection. The offset is that in the frame, after its length.
    pub fn receive<'a>(&mut self, bytes: &'a [u8]) -> Result<Option<Call<'a>>, Error> {
        let Some(start) = bytes.first_chunk::<4>() else {
            return Ok(None);
        };
        if let Some(protocol) = protocol_of(*start) {
            return self.unframed(protocol, bytes);
        }
        let len = u32::from_be_bytes(*start) as usize;
        if len > self.limit {
            return Err(Error::new(ErrorKind::FrameLimit(self.limit), Some(0)));
        }
        let Some(frame) = bytes[4..].get(..len) else {
            return Ok(None);
        };
        self.framed(frame).map(Some)
    }

    fn unframed<'a>(
        &mut self,
        protocol: ProtocolId,
        bytes: &'a [u8],
    ) -> Result<Option<Call<'a>>, Error> {
        let len = match protocol {
            ProtocolId::Binary => self.binary.message_len(bytes)?,
            ProtocolId::Compact => self.compact.message_len(bytes)?,
        };
        if len.unwrap_or(bytes.len()) > self.limit {
            return Err(Error::new(ErrorKind::FrameLimit(self.limit), Some(0)));
        }
        Ok(len.map(|len| Call {
            len,
            message: Cow::Borrowed(&bytes[..len]),
            protocol,
            carrier: Carrier::Unframed,
        }))
    }

    fn framed<'a>(&mut self, frame: &'a [u8]) -> Result<Call<'a>, Error> {
        let len = 4 + frame.len();
        if let Some(protocol) = frame.first_chunk().and_then(|start| protocol_of(*start)) {
            return Ok(Call {
                len,
                message: Cow::Borrowed(frame),
                protocol,
                carrier: Carrier::Framed,
            });
        }
        if Header::format(frame).is_none() {
            let problem = "the frame is neither a message nor has a header";
            return Err(invalid(problem, 0));
        }
        let (mut header, message) = Header::decode(frame, self.limit)?;
        self.keep(&mut header)?;
        Ok(Call {
            len,
            message,
            protocol: header.protocol,
            carrier: Carrier::Header(Box::new(Headers {
                reply: header.reply(),
                call: header,
            })),
        })
    }

    /// Keeps the persistent strings of a header, and adds earlier ones to its strings.
    fn keep(&mut self, header: &mut Header) -> Result<(), Error> {
        let new = header.persistent.clone();
        self.persistent.extend(new);
        let bytes = self.persistent.iter();
        let bytes: usize = bytes.map(|(key, value)| key.len() + value.len()).sum();
        if self.persistent.len() > MAX_ENTRIES || bytes > MAX_BLOCK {
            let problem = "the connection has more persistent strings than a header can hold";
            return Err(invalid(problem, 0));
        }
        for (key, value) in &self.persistent {
            let entry = header.strings.entry(key.clone());
            entry.or_insert_with(|| value.clone());
        }
        Ok(())
    }
}

/// Returns the protocol of a message that starts with these bytes.
fn protocol_of(start: [u8; 4]) -> Option<ProtocolId> {
    match start {
        [0x80, 0x01, ..] => Some(ProtocolId::Binary),
        [0x82, version, ..] if version & 0x1F == 1 => Some(ProtocolId::Compact),
        _ => None,
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Session");
        debug.field("limit", &self.limit).finish_non_exhaustive()
    }
}

/// A call that a [`Session`] has found.
#[derive(Debug)]
pub struct Call<'a> {
    len: usize,
    message: Cow<'a, [u8]>,
    protocol: ProtocolId,
    carrier: Carrier,
}

#[derive(Debug)]
enum Carrier {
    Unframed,
    Framed,
    Header(Box<Headers>),
}

/// Headers of a call and of its reply.
#[derive(Debug)]
struct Headers {
    call: Header,
    reply: Header,
}

impl Call<'_> {
    /// Returns the number of bytes that the call takes in the stream.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a call is never empty")]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns the message: pass it to [`Request::decode`](crate::service::Request::decode).
    #[must_use]
    pub fn message(&self) -> &[u8] {
        &self.message
    }

    /// Returns the protocol of the message, and of its reply.
    #[must_use]
    pub fn protocol(&self) -> ProtocolId {
        self.protocol
    }

    /// Returns the header, whose strings include the persistent ones of the connection. `None` if
    /// the client sends no headers.
    #[must_use]
    pub fn header(&self) -> Option<&Header> {
        match &self.carrier {
            Carrier::Header(headers) => Some(&headers.call),
            _ => None,
        }
    }

    /// Returns the header of the reply, to add strings. `None` if the client sends no headers.
    pub fn reply_header(&mut self) -> Option<&mut Header> {
        match &mut self.carrier {
            Carrier::Header(headers) => Some(&mut headers.reply),
            _ => None,
        }
    }

    /// Returns the bytes of a reply for the stream, in the same form as the call.
    ///
    /// # Errors
    ///
    /// The header or the frame exceeds a limit of the format.
    pub fn reply(&self, message: Vec<u8>) -> Result<Vec<u8>, Error> {
        let frame = match &self.carrier {
            Carrier::Unframed => return Ok(message),
            Carrier::Framed => message,
            Carrier::Header(headers) => headers.reply.encode(&message)?,
        };
        if frame.len() > MAX_FRAME {
            return Err(Error::new(ErrorKind::FrameLimit(MAX_FRAME), None));
        }
        Ok([&(frame.len() as u32).to_be_bytes(), &frame[..]].concat())
    }
}
