//! Messages one after the other, without their lengths: the buffered transports.
//!
//! A [`MessageReader`] reads one message after the other from a stream. For bytes from other
//! sources, a [`Scanner`] determines whether a message is complete. Both continue where they
//! stopped when more bytes arrive, so a message that arrives a byte at a time costs no more than a
//! complete one.

use crate::input::Input;
use crate::json::End;
use crate::message::Buffered;
use crate::protocol::{Protocol, Reader};
use crate::service::Transport;
use crate::{Error, ErrorKind, Frame, Items, Options, Type};
use std::fmt;
use std::io::{self, Read, Write};
use std::marker::PhantomData;
use std::mem;

/// Looks for the end of a message: an [`Envelope`](crate::Envelope) with its body.
///
/// ```
/// use bytelane_thrift::unframed::Scanner;
/// use bytelane_thrift::{Binary, Envelope, MessageKind, Thrift};
///
/// #[derive(Thrift)]
/// struct Ping {}
///
/// let call = Envelope { name: "ping".into(), kind: MessageKind::Call, sequence: 1 };
/// let bytes = call.encode::<Binary, _>(&Ping {})?;
/// let mut scanner = Scanner::<Binary>::default();
/// assert_eq!(scanner.message_len(&bytes[..9])?, None);
/// assert_eq!(scanner.message_len(&bytes)?, Some(bytes.len()));
/// # Ok::<(), bytelane_thrift::Error>(())
/// ```
pub struct Scanner<P> {
    options: Options,
    scan: Scan,
    protocol: PhantomData<P>,
}

impl<P: Protocol> Scanner<P> {
    /// Creates a scanner with [`Options`] or [`Limits`](crate::Limits) of the caller's choice.
    pub fn new(options: impl Into<Options>) -> Self {
        Self {
            options: options.into(),
            scan: Scan::default(),
            protocol: PhantomData,
        }
    }

    /// Returns the length of the message at the start of `bytes`, which are those of the previous
    /// call and more. `None` if the message is not complete. After it returned a length, the next
    /// call is for another message.
    ///
    /// Not all errors in a message are detected: decode it to find them.
    ///
    /// # Errors
    ///
    /// Those of a malformed message, or of one that exceeds a limit.
    pub fn message_len(&mut self, bytes: &[u8]) -> Result<Option<usize>, Error> {
        let found = if P::IS_JSON {
            Ok(self.scan.json(bytes))
        } else {
            self.scan.values::<P>(bytes, self.options)
        };
        if !matches!(found, Ok(None)) {
            self.scan = Scan::default();
        }
        found
    }
}

impl<P: Protocol> Default for Scanner<P> {
    fn default() -> Self {
        Self::new(Options::default())
    }
}

impl<P> fmt::Debug for Scanner<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scanner").finish_non_exhaustive()
    }
}

/// State of a [`Scanner`].
#[derive(Clone, Debug, Default)]
struct Scan {
    /// Number of bytes that need not be examined again.
    at: usize,
    /// True if the envelope has been read.
    begun: bool,
    /// Levels around the next byte, outermost first.
    levels: Vec<Level>,
    json: End,
}

#[derive(Clone, Debug)]
enum Level {
    /// A struct, and the type of the field that has begun.
    Struct(Frame, Option<Type>),
    /// A container, and the type of the value that comes before its next element.
    Items(Items, Option<Type>),
}

impl Scan {
    fn json(&mut self, bytes: &[u8]) -> Option<usize> {
        let found = self.json.find(&bytes[self.at..]).map(|len| self.at + len);
        self.at = bytes.len();
        found
    }

    /// Continues, value by value, in a protocol in which no value depends on preceding ones.
    fn values<P: Protocol>(
        &mut self,
        bytes: &[u8],
        options: Options,
    ) -> Result<Option<usize>, Error> {
        let depth = options
            .limits
            .depth
            .saturating_sub(self.levels.len() as u32);
        let options = options.with_limits(options.limits.with_depth(depth));
        let mut reader = P::reader(Input::behind(bytes, self.at, options));
        loop {
            match self.step(&mut reader) {
                Ok(true) => return Ok(Some(self.at)),
                Ok(false) => {}
                Err(error) if error.kind() == ErrorKind::UnexpectedEnd => return Ok(None),
                Err(error) => return Err(error),
            }
        }
    }

    /// Reads one value, or the header of one. True at the end. If there is an error, no bytes have
    /// been consumed.
    fn step<'de, R: Reader<'de>>(&mut self, reader: &mut R) -> Result<bool, Error> {
        if !self.begun {
            reader.message_begin()?;
            let frame = reader.struct_begin()?;
            self.levels.push(Level::Struct(frame, None));
            self.begun = true;
        } else if let Some(level) = self.levels.last_mut() {
            match level.step(reader)? {
                Step::Stay(after) => *level = after,
                Step::Enter(after, inner) => {
                    *level = after;
                    self.levels.push(inner);
                }
                Step::Leave => drop(self.levels.pop()),
            }
        } else {
            return Ok(true);
        }
        self.at = reader.input().offset();
        Ok(false)
    }
}

/// Effect of a step on its level; the first field is the level that follows.
enum Step {
    Stay(Level),
    Enter(Level, Level),
    Leave,
}

impl Level {
    fn step<'de, R: Reader<'de>>(&self, reader: &mut R) -> Result<Step, Error> {
        match *self {
            Self::Struct(frame, Some(kind)) => value(reader, kind, Self::Struct(frame, None)),
            Self::Struct(mut frame, None) => Ok(match reader.field_begin(&mut frame, &[])? {
                Some(field) => Step::Stay(Self::Struct(frame, Some(field.kind))),
                None => Step::Leave,
            }),
            // The length of these is known, however many there are.
            Self::Items(items, None) if !items.map && reader.has_one_length(items.element) => {
                reader.skip_elements(items)?;
                Ok(Step::Leave)
            }
            Self::Items(items, Some(kind)) => value(reader, kind, Self::Items(items, None)),
            Self::Items(mut items, None) => {
                if !reader.next(&mut items)? {
                    return Ok(Step::Leave);
                }
                let then = items.map.then_some(items.value);
                value(reader, items.element, Self::Items(items, then))
            }
        }
    }
}

/// Reads a value, or enters it if it contains values.
fn value<'de, R: Reader<'de>>(reader: &mut R, kind: Type, after: Level) -> Result<Step, Error> {
    let inner = match kind {
        Type::Struct => Level::Struct(reader.struct_begin()?, None),
        Type::List | Type::Set => Level::Items(reader.list_begin(kind, None, 0)?, None),
        Type::Map => Level::Items(reader.map_begin(None, 0)?, None),
        kind => {
            reader.skip(kind)?;
            return Ok(Step::Stay(after));
        }
    };
    Ok(Step::Enter(after, inner))
}

/// Reads one message after the other from a stream.
///
/// ```
/// use bytelane_thrift::unframed::MessageReader;
/// use bytelane_thrift::{Compact, Envelope, MessageKind, Thrift};
///
/// #[derive(Thrift)]
/// struct Ping {}
///
/// let call = Envelope { name: "ping".into(), kind: MessageKind::Call, sequence: 1 };
/// let message = call.encode::<Compact, _>(&Ping {})?;
/// let stream = [&message[..], &message[..]].concat(); // a `TcpStream`, or whatever is `Read`
///
/// let mut reader = MessageReader::<_, Compact>::new(&stream[..], 1 << 20);
/// while let Some(message) = reader.read_message()? {
///     let (envelope, body) = Envelope::decode::<Compact>(message)?;
///     assert_eq!(envelope.name, "ping");
///     let Ping {} = body.read()?;
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MessageReader<R, P> {
    input: Buffered<R>,
    scanner: Scanner<P>,
    limit: usize,
    /// Length of the message that was returned last, which the input starts with.
    returned: usize,
}

impl<R: Read, P: Protocol> MessageReader<R, P> {
    /// Reads messages of at most `limit` bytes.
    pub fn new(stream: R, limit: usize) -> Self {
        Self::with_options(stream, limit, Options::default())
    }

    /// Reads messages of at most `limit` bytes, with [`Options`] or [`Limits`](crate::Limits) of
    /// the caller's choice.
    pub fn with_options(stream: R, limit: usize, options: impl Into<Options>) -> Self {
        Self {
            input: Buffered::new(stream),
            scanner: Scanner::new(options),
            limit,
            returned: 0,
        }
    }

    /// Returns the next message. `None` if the stream ends before another one begins.
    ///
    /// Memory is allocated as the bytes arrive.
    ///
    /// # Errors
    ///
    /// The errors of the stream; [`InvalidData`](io::ErrorKind::InvalidData) for a message that is
    /// malformed or longer than the limit; [`UnexpectedEof`](io::ErrorKind::UnexpectedEof) for a
    /// stream that ends within a message.
    pub fn read_message(&mut self) -> io::Result<Option<&[u8]>> {
        self.input.consume(mem::take(&mut self.returned));
        loop {
            let invalid = |error| io::Error::new(io::ErrorKind::InvalidData, error);
            let found = match self.input.bytes() {
                [] => None,
                given => self.scanner.message_len(given).map_err(invalid)?,
            };
            if found.unwrap_or(self.input.bytes().len()) > self.limit {
                let message = format!("a message exceeds the limit of {} bytes", self.limit);
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            }
            if let Some(len) = found {
                self.returned = len;
                return Ok(Some(&self.input.bytes()[..len]));
            }
            if self.input.fill()? == 0 {
                // Whitespace may follow a JSON message.
                if self.input.bytes().trim_ascii().is_empty() {
                    return Ok(None);
                }
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }

    /// Returns the stream, to write replies to. Bytes that you read from it are lost to this
    /// reader.
    pub fn stream(&mut self) -> &mut R {
        &mut self.input.stream
    }
}

impl<R, P> fmt::Debug for MessageReader<R, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MessageReader").finish_non_exhaustive()
    }
}

/// Carries the calls of a [`Client`](crate::service::Client) over a stream, without frames.
pub struct Connection<S, P> {
    reader: MessageReader<S, P>,
}

impl<S: Read + Write, P: Protocol> Connection<S, P> {
    /// Creates a connection over a `TcpStream` or another stream, which accepts replies of at most
    /// `limit` bytes. Call [`TcpStream::set_nodelay`](std::net::TcpStream::set_nodelay) before.
    pub fn new(stream: S, limit: usize) -> Self {
        let reader = MessageReader::new(stream, limit);
        Self { reader }
    }

    /// Returns the stream.
    pub fn into_inner(self) -> S {
        self.reader.input.stream
    }
}

impl<S: Read + Write, P: Protocol> Transport for Connection<S, P> {
    type Reply = Vec<u8>;

    fn call(&mut self, message: Vec<u8>) -> io::Result<Vec<u8>> {
        self.send(message)?;
        match self.reader.read_message()? {
            Some(reply) => Ok(reply.to_vec()),
            None => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    fn send(&mut self, message: Vec<u8>) -> io::Result<()> {
        let stream = self.reader.stream();
        stream.write_all(&message)?;
        stream.flush()
    }
}

impl<S, P> fmt::Debug for Connection<S, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").finish_non_exhaustive()
    }
}
