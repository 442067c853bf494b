//! Reads headers.

use super::{FIXED, Format, Header, MAX_ENTRIES, MAX_TRANSFORMS, ProtocolId, Transform, transform};
use crate::{Error, ErrorKind};
use std::borrow::Cow;
use std::collections::BTreeMap;

impl Header {
    /// Reads the frame of a message, without its length. Returns the header and the message, which
    /// is copied only if it has transforms.
    ///
    /// An entry of an unknown kind ends the header, because its length is unknown; what follows it
    /// is ignored.
    ///
    /// # Errors
    ///
    /// The frame has no header, the header is malformed or has a protocol or a transform that is
    /// not supported, or the message exceeds `limit` bytes. The offset is that in the frame.
    pub fn decode(frame: &[u8], limit: usize) -> Result<(Self, Cow<'_, [u8]>), Error> {
        let format = Self::format(frame).ok_or_else(|| invalid("the frame has no header", 0))?;
        let Some((fixed, rest)) = frame.split_at_checked(FIXED) else {
            return Err(invalid("the frame ends within its header", frame.len()));
        };
        let mut header = Self::new(format);
        header.flags = u16::from_be_bytes([fixed[2], fixed[3]]);
        header.sequence = i32::from_be_bytes([fixed[4], fixed[5], fixed[6], fixed[7]]);
        let len = 4 * usize::from(u16::from_be_bytes([fixed[8], fixed[9]]));
        let Some((_, message)) = rest.split_at_checked(len) else {
            return Err(invalid("the header is longer than its frame", 8));
        };
        let mut block = Block {
            bytes: &frame[..FIXED + len],
            at: FIXED,
            format,
            entries: 0,
        };
        block.protocol(&mut header)?;
        let transforms = block.transforms(&mut header)?;
        block.entries(&mut header)?;
        let at = |error: Error| error.at(transforms);
        let message = transform::undo(&header.transforms, message, limit).map_err(at)?;
        Ok((header, message))
    }

    /// Returns the kind of header that a frame starts with. `None` if it has none.
    #[must_use]
    pub fn format(frame: &[u8]) -> Option<Format> {
        [Format::THeader, Format::TtHeader]
            .into_iter()
            .find(|format| frame.starts_with(&format.magic()))
    }
}

/// Returns an error at a byte of the frame.
pub(super) fn invalid(problem: &'static str, at: usize) -> Error {
    Error::new(ErrorKind::InvalidFrame(problem), Some(at))
}

/// The variable part of a header.
struct Block<'a> {
    /// The frame, up to the end of the header.
    bytes: &'a [u8],
    at: usize,
    format: Format,
    /// Number of entries that have been announced.
    entries: usize,
}

impl<'a> Block<'a> {
    fn protocol(&mut self, header: &mut Header) -> Result<(), Error> {
        let at = self.at;
        header.protocol = match self.small()? {
            0 => ProtocolId::Binary,
            2 => ProtocolId::Compact,
            other => return Err(Error::new(ErrorKind::UnknownProtocol(other), Some(at))),
        };
        Ok(())
    }

    /// Returns the offset of the transforms.
    fn transforms(&mut self, header: &mut Header) -> Result<usize, Error> {
        let start = self.at;
        let count = self.small()? as usize;
        if count > MAX_TRANSFORMS {
            return Err(invalid("the message has more than 4 transforms", start));
        }
        for _ in 0..count {
            let at = self.at;
            header.transforms.push(match self.small()? {
                0 => continue,
                1 => Transform::Zlib,
                5 => Transform::Zstd,
                other => return Err(Error::new(ErrorKind::UnknownTransform(other), Some(at))),
            });
        }
        Ok(start)
    }

    fn entries(&mut self, header: &mut Header) -> Result<(), Error> {
        while self.at < self.bytes.len() {
            match (self.format, self.small()?) {
                (Format::THeader, 1) => self.strings(&mut header.strings)?,
                (Format::THeader, 2) => self.strings(&mut header.persistent)?,
                // Padding of one byte: an entry may follow.
                (Format::TtHeader, 0) => {}
                (Format::TtHeader, 0x01) => self.strings(&mut header.strings)?,
                (Format::TtHeader, 0x10) => self.integers(&mut header.integers)?,
                (Format::TtHeader, 0x11) => header.token = Some(self.string()?.to_vec()),
                // Padding, or an unknown kind.
                _ => break,
            }
        }
        Ok(())
    }

    fn strings(&mut self, strings: &mut BTreeMap<Vec<u8>, Vec<u8>>) -> Result<(), Error> {
        for _ in 0..self.count()? {
            let key = self.string()?.to_vec();
            strings.insert(key, self.string()?.to_vec());
        }
        Ok(())
    }

    fn integers(&mut self, integers: &mut BTreeMap<u16, Vec<u8>>) -> Result<(), Error> {
        for _ in 0..self.count()? {
            let key = self.u16()?;
            integers.insert(key, self.string()?.to_vec());
        }
        Ok(())
    }

    fn count(&mut self) -> Result<usize, Error> {
        let at = self.at;
        let count = self.length()?;
        self.entries = self.entries.saturating_add(count);
        if self.entries > MAX_ENTRIES {
            return Err(invalid("the header has more than 1024 entries", at));
        }
        Ok(count)
    }

    fn string(&mut self) -> Result<&'a [u8], Error> {
        let len = self.length()?;
        self.take(len)
    }

    /// Reads the number of entries, or the length of a string.
    fn length(&mut self) -> Result<usize, Error> {
        match self.format {
            Format::THeader => Ok(self.varint()? as usize),
            Format::TtHeader => Ok(self.u16()?.into()),
        }
    }

    /// Reads the number of a protocol, a transform or a kind of entry.
    fn small(&mut self) -> Result<u32, Error> {
        match self.format {
            Format::THeader => self.varint(),
            Format::TtHeader => Ok(self.take(1)?[0].into()),
        }
    }

    fn u16(&mut self) -> Result<u16, Error> {
        let bytes = self.take(2)?;
        Ok(u16::from_be_bytes([bytes[0], bytes[1]]))
    }

    /// Reads a varint of up to 5 bytes.
    fn varint(&mut self) -> Result<u32, Error> {
        let start = self.at;
        let mut value = 0;
        for shift in (0..35).step_by(7) {
            let byte = self.take(1)?[0];
            value |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                let value = u32::try_from(value).ok();
                return value.ok_or_else(|| Error::new(ErrorKind::InvalidVarint, Some(start)));
            }
        }
        Err(Error::new(ErrorKind::InvalidVarint, Some(start)))
    }

    fn take(&mut self, len: usize) -> Result<&'a [u8], Error> {
        let taken = self.bytes[self.at..].get(..len);
        let taken = taken.ok_or_else(|| invalid("the header ends within an entry", self.at))?;
        self.at += len;
        Ok(taken)
    }
}
