//! Server side of a connection over a blocking stream.

use super::{Call, Session};
use crate::Error;
use crate::message::Buffered;
use std::fmt;
use std::io::{self, Read, Write};

/// Answers the calls of one connection, whether the client sends headers, frames or neither.
///
/// ```no_run
/// use bytelane_thrift::header::{ProtocolId, Server};
/// use bytelane_thrift::service::Request;
/// use bytelane_thrift::{Binary, Compact};
/// use std::net::TcpListener;
///
/// # fn dispatch<P: bytelane_thrift::Protocol>(_: Request<P>) -> Option<Vec<u8>> { None }
/// let listener = TcpListener::bind("127.0.0.1:9090")?;
/// let (stream, _) = listener.accept()?;
/// stream.set_nodelay(true)?;
/// Server::new(stream, 1 << 20).serve(|call| {
///     Ok(match call.protocol() {
///         ProtocolId::Binary => dispatch(Request::<Binary>::decode(call.message())?),
///         ProtocolId::Compact => dispatch(Request::<Compact>::decode(call.message())?),
///     })
/// })?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Server<S> {
    input: Buffered<S>,
    session: Session,
}

impl<S: Read + Write> Server<S> {
    /// Creates a server that accepts frames and messages of at most `limit` bytes.
    pub fn new(stream: S, limit: usize) -> Self {
        Self {
            input: Buffered::new(stream),
            session: Session::new(limit),
        }
    }

    /// Passes each call to a function, and sends the reply that it returns. Returns when the client
    /// closes the connection.
    ///
    /// Memory is allocated as the bytes arrive, up to twice the limit.
    ///
    /// # Errors
    ///
    /// The errors of the stream; [`InvalidData`](io::ErrorKind::InvalidData) for a frame that is
    /// malformed or exceeds a limit, and for errors of the function;
    /// [`UnexpectedEof`](io::ErrorKind::UnexpectedEof) for a stream that ends within a message.
    pub fn serve(
        &mut self,
        mut answer: impl FnMut(&mut Call<'_>) -> Result<Option<Vec<u8>>, Error>,
    ) -> io::Result<()> {
        let invalid = |error| io::Error::new(io::ErrorKind::InvalidData, error);
        loop {
            let found = self.session.receive(self.input.bytes());
            if let Some(mut call) = found.map_err(invalid)? {
                let reply = answer(&mut call).map_err(invalid)?;
                let reply = reply.map(|message| call.reply(message)).transpose();
                let reply = reply.map_err(invalid)?;
                let len = call.len();
                self.input.consume(len);
                if let Some(bytes) = reply {
                    self.input.stream.write_all(&bytes)?;
                    self.input.stream.flush()?;
                }
            } else if self.input.fill()? == 0 {
                if self.input.bytes().is_empty() {
                    return Ok(());
                }
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }

    /// Returns the stream.
    pub fn into_inner(self) -> S {
        self.input.stream
    }
}

impl<S> fmt::Debug for Server<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").finish_non_exhaustive()
    }
}
