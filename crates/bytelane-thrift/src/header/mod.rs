//! Frames with headers: THeader of fbthrift and Apache Thrift, and TTHeader of Kitex.
//!
//! A [`Header`] precedes the message in its frame. It has the number of the call, the protocol of
//! the message, strings for both sides, and the transforms (zlib, zstd) of the message. This module
//! reads and writes frames without their length, so any framed transport can carry them.
//!
//! | side | |
//! |---|---|
//! | client | [`WithHeader`] adds headers to a framed [`Transport`](crate::service::Transport) or [`AsyncTransport`](crate::service::AsyncTransport) |
//! | server over a blocking stream | [`Server`] answers the calls of one connection |
//! | server with any runtime | [`Session`] finds the calls in the bytes of one connection |
//!
//! A server accepts clients of all kinds: it recognizes frames with either header, frames without
//! one, and messages without frames by their first bytes, and replies in kind.
//!
//! # Limits
//!
//! The caller sets the maximum length of a frame, and of its message before and after each
//! transform is undone. A header has at most 256 KiB, [`MAX_ENTRIES`] entries and
//! [`MAX_TRANSFORMS`] transforms. Undoing a transform takes up to twice the maximum length of a
//! message, and 9 MiB for zstd.
//!
//! # Example
//!
//! ```
//! use bytelane_thrift::header::{Format, Header};
//!
//! let header = Header::new(Format::THeader).with_string("trace", "7f3a");
//! let frame = header.encode(b"a message")?;
//! let (read, message) = Header::decode(&frame, 1 << 20)?;
//! assert_eq!(read.string("trace"), Some(&b"7f3a"[..]));
//! assert_eq!(&message[..], b"a message");
//! # Ok::<(), bytelane_thrift::Error>(())
//! ```

mod client;
mod read;
mod server;
mod session;
mod transform;
mod write;

pub use client::{Reply, WithHeader};
pub use server::Server;
pub use session::{Call, Session};

use crate::{Binary, Compact, Dialect, Protocol};
use std::collections::BTreeMap;

/// Maximum number of entries of a header: strings, persistent strings and integers together.
pub const MAX_ENTRIES: usize = 1024;

/// Maximum number of transforms of a message.
pub const MAX_TRANSFORMS: usize = 4;

/// Maximum length of a frame: the first two bits of its length are 0.
const MAX_FRAME: usize = 0x3FFF_FFFF;

/// Maximum length of the variable part of a header, whose length is stored as a number of 4 bytes.
const MAX_BLOCK: usize = 4 * 0xFFFF;

/// Length of the fixed part of a header.
const FIXED: usize = 10;

/// Kind of header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Header of fbthrift and Apache Thrift.
    THeader,
    /// Header of Kitex.
    TtHeader,
}

impl Format {
    /// Returns the first two bytes of a header.
    const fn magic(self) -> [u8; 2] {
        match self {
            Self::THeader => [0x0F, 0xFF],
            Self::TtHeader => [0x10, 0x00],
        }
    }
}

/// Protocol of the message after a header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProtocolId {
    /// [`Binary`], 0 on the wire.
    Binary,
    /// [`Compact`], 2 on the wire. fbthrift uses the same number for
    /// [`FbthriftCompact`](crate::FbthriftCompact). Kitex does not accept it.
    Compact,
}

impl ProtocolId {
    const fn number(self) -> u8 {
        match self {
            Self::Binary => 0,
            Self::Compact => 2,
        }
    }
}

/// A [`Protocol`] that a header can name.
pub trait Subprotocol: Protocol {
    /// Number of the protocol.
    const ID: ProtocolId;
}

impl<const STRICT: bool> Subprotocol for Binary<STRICT> {
    const ID: ProtocolId = ProtocolId::Binary;
}

impl<D: Dialect> Subprotocol for Compact<D> {
    const ID: ProtocolId = ProtocolId::Compact;
}

/// Transform of the message after a header. Both need the feature `transforms`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Transform {
    /// zlib, 1 on the wire.
    Zlib,
    /// Zstandard, 5 on the wire. Only fbthrift supports it.
    Zstd,
}

impl Transform {
    const fn number(self) -> u8 {
        match self {
            Self::Zlib => 1,
            Self::Zstd => 5,
        }
    }
}

/// Header of a frame.
///
/// Strings are bytes, because none of the formats requires UTF-8. They are written in ascending
/// order. If a key occurs more than once, the last value is read.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Header {
    /// Kind of header.
    pub format: Format,
    /// Flags, whose meaning is up to both sides. A reply repeats them.
    pub flags: u16,
    /// Number of the call, which the message usually has as well. A reply repeats it.
    pub sequence: i32,
    /// Protocol of the message. A reply has the same.
    pub protocol: ProtocolId,
    /// Transforms, in the order in which the writer applied them. A reply has the same.
    pub transforms: Vec<Transform>,
    /// Strings with names.
    pub strings: BTreeMap<Vec<u8>, Vec<u8>>,
    /// Strings that are sent once and belong to all following frames of the connection. Only
    /// fbthrift has them.
    pub persistent: BTreeMap<Vec<u8>, Vec<u8>>,
    /// Strings with numbers, such as 6 for the called service. Only TTHeader has them; the numbers
    /// are those of `metakey.go` in `cloudwego/gopkg`.
    pub integers: BTreeMap<u16, Vec<u8>>,
    /// Access token, which only TTHeader has. Kitex shows it as the string
    /// `RPC_TRANSIT_gdpr-token`.
    pub token: Option<Vec<u8>>,
}

impl Header {
    /// Creates a header without entries, for a message in the protocol Binary.
    #[must_use]
    pub fn new(format: Format) -> Self {
        Self {
            format,
            flags: 0,
            sequence: 0,
            protocol: ProtocolId::Binary,
            transforms: Vec::new(),
            strings: BTreeMap::new(),
            persistent: BTreeMap::new(),
            integers: BTreeMap::new(),
            token: None,
        }
    }

    /// Returns this header with another string.
    #[must_use]
    pub fn with_string(mut self, key: impl Into<Vec<u8>>, value: impl Into<Vec<u8>>) -> Self {
        self.strings.insert(key.into(), value.into());
        self
    }

    /// Returns this header with another transform, which is applied after the existing ones.
    #[must_use]
    pub fn with_transform(mut self, transform: Transform) -> Self {
        self.transforms.push(transform);
        self
    }

    /// Returns a string by its name.
    #[must_use]
    pub fn string(&self, key: &str) -> Option<&[u8]> {
        self.strings.get(key.as_bytes()).map(Vec::as_slice)
    }

    /// Returns the header of the reply, without entries.
    fn reply(&self) -> Self {
        Self {
            flags: self.flags,
            sequence: self.sequence,
            protocol: self.protocol,
            transforms: self.transforms.clone(),
            ..Self::new(self.format)
        }
    }
}
