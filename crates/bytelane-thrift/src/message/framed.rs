//! The framed transport: each message is preceded by its length, in four bytes, big-endian.

use crate::service::Transport;
use std::fmt;
use std::io::{self, IoSlice, Read, Write};

/// Maximum length of messages that are copied to follow their length directly.
const COPIED: usize = 8 << 10;

/// Writes a message and its length in one piece. In two pieces, TCP would hold the second back
/// until the other side has acknowledged the first, which takes 40 ms. Still set
/// [`TcpStream::set_nodelay`](std::net::TcpStream::set_nodelay), for messages that follow each
/// other without a reply.
///
/// # Errors
///
/// The errors of the output, and [`InvalidInput`](io::ErrorKind::InvalidInput) for a message of
/// more than 2³¹ - 1 bytes.
///
/// ```
/// use bytelane_thrift::framed;
///
/// let mut stream = Vec::new();
/// framed::write_frame(&mut stream, b"message")?;
/// assert_eq!(stream, b"\0\0\0\x07message");
///
/// let mut frame = Vec::new();
/// let mut from = &stream[..];
/// assert!(framed::read_frame(&mut from, &mut frame, 1 << 20)?);
/// assert_eq!(frame, b"message");
/// assert!(!framed::read_frame(&mut from, &mut frame, 1 << 20)?);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_frame(to: &mut impl Write, message: &[u8]) -> io::Result<()> {
    let len = i32::try_from(message.len()).map_err(|_| {
        let message = format!("a frame cannot hold {} bytes", message.len());
        io::Error::new(io::ErrorKind::InvalidInput, message)
    })?;
    let len = len.to_be_bytes();
    if message.len() <= COPIED {
        // One piece, even for an output that cannot write several at once.
        return to.write_all(&[&len, message].concat());
    }
    let mut pieces = &mut [IoSlice::new(&len), IoSlice::new(message)][..];
    while !pieces.is_empty() {
        match to.write_vectored(pieces) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => IoSlice::advance_slices(&mut pieces, written),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Reads a message of at most `limit` bytes in place of the contents of `frame`. False if the
/// stream ends before another one begins.
///
/// Memory is allocated as the bytes arrive, not according to the announced length.
///
/// # Errors
///
/// The errors of the input; [`InvalidData`](io::ErrorKind::InvalidData) for a length that is
/// negative or above the limit; [`UnexpectedEof`](io::ErrorKind::UnexpectedEof) for a stream that
/// ends within a frame.
pub fn read_frame(from: &mut impl Read, frame: &mut Vec<u8>, limit: usize) -> io::Result<bool> {
    frame.clear();
    let mut len = [0; 4];
    match from.take(4).read_to_end(frame)? {
        0 => return Ok(false),
        4 => len.copy_from_slice(frame),
        _ => return Err(io::ErrorKind::UnexpectedEof.into()),
    }
    frame.clear();
    let len = i32::from_be_bytes(len);
    let len = match usize::try_from(len) {
        Ok(len) if len <= limit => len,
        _ => {
            let message = format!("a frame of {len} bytes exceeds the limit of {limit}");
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
    };
    if from.take(len as u64).read_to_end(frame)? < len {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(true)
}

/// Carries the calls of a [`Client`](crate::service::Client) over a stream, in frames.
pub struct Connection<S> {
    stream: S,
    limit: usize,
}

impl<S: Read + Write> Connection<S> {
    /// Creates a connection over a `TcpStream` or another stream, which accepts replies of at most
    /// `limit` bytes. Call [`TcpStream::set_nodelay`](std::net::TcpStream::set_nodelay) before.
    pub fn new(stream: S, limit: usize) -> Self {
        Self { stream, limit }
    }

    /// Returns the stream.
    pub fn into_inner(self) -> S {
        self.stream
    }
}

impl<S: Read + Write> Transport for Connection<S> {
    type Reply = Vec<u8>;

    fn call(&mut self, message: Vec<u8>) -> io::Result<Vec<u8>> {
        self.send(message)?;
        let mut reply = Vec::new();
        if read_frame(&mut self.stream, &mut reply, self.limit)? {
            Ok(reply)
        } else {
            Err(io::ErrorKind::UnexpectedEof.into())
        }
    }

    fn send(&mut self, message: Vec<u8>) -> io::Result<()> {
        write_frame(&mut self.stream, &message)?;
        self.stream.flush()
    }
}

impl<S> fmt::Debug for Connection<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").finish_non_exhaustive()
    }
}
