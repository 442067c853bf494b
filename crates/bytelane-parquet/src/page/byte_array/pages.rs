//! Represents a page in any of the encodings.

use super::encodings::codes;
use super::encodings::delta::Delta;
use super::encodings::delta_length::DeltaLength;
use super::encodings::indices::Indices;
use super::encodings::plain::Plain;
use super::encodings::room::Room;
use crate::page::header::ValueEncoding;
use crate::page::symbols::Symbols;
use crate::{Error, Result};
use bytelane::Detected;
use bytes::Bytes;

/// Page that may have values left.
pub(super) enum Page {
    Plain(Plain),
    Indices(Indices),
    DeltaLength(DeltaLength),
    Delta(Delta),
}

impl Page {
    pub(super) fn open(
        backend: Detected,
        encoding: ValueEncoding,
        bytes: Bytes,
        valid: usize,
        room: &Room<'_>,
    ) -> Result<Self> {
        Ok(match encoding {
            ValueEncoding::Plain => Self::Plain(Plain::open(bytes, valid)?),
            ValueEncoding::Dictionary => Self::Indices(Indices::open(backend, bytes, valid)?),
            ValueEncoding::DeltaLengthByteArray => {
                Self::DeltaLength(DeltaLength::open(backend, bytes, valid, room)?)
            }
            ValueEncoding::DeltaByteArray => Self::Delta(Delta::open(backend, bytes, valid, room)?),
            ValueEncoding::Fsst => {
                return Err(codes::no_symbols());
            }
            ValueEncoding::ByteStreamSplit
            | ValueEncoding::Alp
            | ValueEncoding::Delta
            | ValueEncoding::Rle => {
                return Err(Error::corrupt(format!(
                    "a page in {}, which values of the type BYTE_ARRAY cannot have",
                    encoding.in_specification()
                )));
            }
        })
    }

    /// Opens a page in FSST, whose strings are decoded at once.
    pub(super) fn open_codes(
        backend: Detected,
        symbols: &Symbols,
        bytes: Bytes,
        valid: usize,
        room: &Room<'_>,
    ) -> Result<Self> {
        Ok(Self::DeltaLength(codes::open(
            backend, symbols, &bytes, valid, room,
        )?))
    }

    /// Skips the next values.
    pub(super) fn skip(&mut self, count: usize, room: &Room<'_>) -> Result<()> {
        match self {
            Self::Plain(page) => page.skip(count),
            Self::Indices(page) => page.skip(count),
            Self::DeltaLength(page) => {
                page.skip(count);
                Ok(())
            }
            Self::Delta(page) => page.skip(count, room),
        }
    }
}
