//! Client side of frames with headers.

use super::{Format, Header, Subprotocol};
use crate::service::{AsyncTransport, Transport};
use crate::{Envelope, Error};
use std::fmt;
use std::io;
use std::marker::PhantomData;

/// Adds headers to the messages of a framed [`Transport`] or [`AsyncTransport`], in the protocol
/// `P`.
///
/// ```no_run
/// use bytelane_thrift::header::{Format, WithHeader};
/// use bytelane_thrift::service::Client;
/// use bytelane_thrift::{Compact, framed};
/// use std::net::TcpStream;
///
/// let stream = TcpStream::connect("127.0.0.1:9090")?;
/// stream.set_nodelay(true)?;
/// let frames = framed::Connection::new(stream, 1 << 20);
/// let mut transport = WithHeader::<_, Compact>::new(frames, Format::THeader, 1 << 20);
/// transport.header().strings.insert(b"trace".into(), b"7f3a".into());
/// let client = Client::<Compact, _>::new(transport);
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct WithHeader<T, P> {
    frames: T,
    header: Header,
    reply: Option<Header>,
    limit: usize,
    protocol: PhantomData<fn() -> P>,
}

impl<T, P: Subprotocol> WithHeader<T, P> {
    /// Creates a transport that accepts replies whose message has at most `limit` bytes after its
    /// transforms are undone.
    pub fn new(frames: T, format: Format, limit: usize) -> Self {
        let mut header = Header::new(format);
        header.protocol = P::ID;
        Self {
            frames,
            header,
            reply: None,
            limit,
            protocol: PhantomData,
        }
    }

    /// Returns the header of the calls, to add strings and transforms. Each call gets its number
    /// from the message. Persistent strings are sent with the next call, and then removed.
    pub fn header(&mut self) -> &mut Header {
        &mut self.header
    }

    /// Returns the header of the last reply. `None` before the first one.
    pub fn reply_header(&self) -> Option<&Header> {
        self.reply.as_ref()
    }

    /// Returns the framed transport.
    pub fn into_inner(self) -> T {
        self.frames
    }

    fn frame(&mut self, message: &[u8]) -> io::Result<Vec<u8>> {
        let (call, _) = Envelope::decode::<P>(message).map_err(invalid_input)?;
        self.header.sequence = call.sequence;
        let frame = self.header.encode(message).map_err(invalid_input)?;
        self.header.persistent.clear();
        Ok(frame)
    }

    fn reply<R: AsRef<[u8]>>(&mut self, frame: R) -> io::Result<Reply<R>> {
        let bytes = frame.as_ref();
        let (header, message) = Header::decode(bytes, self.limit).map_err(invalid_data)?;
        if header.protocol != P::ID {
            let (found, expected) = (header.protocol, P::ID);
            let message = format!("the reply is in the protocol {found:?}, not {expected:?}");
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        let start = bytes.len() - message.len().min(bytes.len());
        let undone = match message {
            std::borrow::Cow::Borrowed(_) => None,
            std::borrow::Cow::Owned(message) => Some(message),
        };
        self.reply = Some(header);
        Ok(Reply {
            frame,
            start,
            undone,
        })
    }
}

fn invalid_input(error: Error) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, error)
}

fn invalid_data(error: Error) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

impl<T: Transport, P: Subprotocol> Transport for WithHeader<T, P> {
    type Reply = Reply<T::Reply>;

    fn call(&mut self, message: Vec<u8>) -> io::Result<Self::Reply> {
        let frame = self.frame(&message)?;
        let reply = self.frames.call(frame)?;
        self.reply(reply)
    }

    fn send(&mut self, message: Vec<u8>) -> io::Result<()> {
        let frame = self.frame(&message)?;
        self.frames.send(frame)
    }
}

impl<T: AsyncTransport, P: Subprotocol> AsyncTransport for WithHeader<T, P> {
    type Reply = Reply<T::Reply>;

    async fn call(&mut self, message: Vec<u8>) -> io::Result<Self::Reply> {
        let frame = self.frame(&message)?;
        let reply = self.frames.call(frame).await?;
        self.reply(reply)
    }

    async fn send(&mut self, message: Vec<u8>) -> io::Result<()> {
        let frame = self.frame(&message)?;
        self.frames.send(frame).await
    }
}

impl<T, P> fmt::Debug for WithHeader<T, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("WithHeader");
        debug.field("header", &self.header).finish_non_exhaustive()
    }
}

/// Message of a reply: the bytes of its frame, or those of the undone transforms.
#[derive(Debug)]
pub struct Reply<R> {
    frame: R,
    /// Start of the message in the frame.
    start: usize,
    undone: Option<Vec<u8>>,
}

impl<R: AsRef<[u8]>> AsRef<[u8]> for Reply<R> {
    fn as_ref(&self) -> &[u8] {
        match &self.undone {
            Some(message) => message,
            None => &self.frame.as_ref()[self.start..],
        }
    }
}
