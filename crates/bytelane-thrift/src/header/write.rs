//! Writes headers.

use super::{FIXED, Format, Header, MAX_BLOCK, MAX_ENTRIES, MAX_FRAME, MAX_TRANSFORMS, transform};
use crate::{Error, ErrorKind};
use std::collections::BTreeMap;

impl Header {
    /// Returns the frame of a message, without its length.
    ///
    /// # Errors
    ///
    /// The header has more than a header can hold, or entries that its format does not have; a
    /// transform needs the feature `transforms`; the frame exceeds 2³⁰ - 1 bytes.
    pub fn encode(&self, message: &[u8]) -> Result<Vec<u8>, Error> {
        self.check()?;
        let message = transform::apply(&self.transforms, message)?;
        let mut frame = Vec::with_capacity(self.room() + message.len());
        frame.extend(self.format.magic());
        frame.extend(self.flags.to_be_bytes());
        frame.extend(self.sequence.to_be_bytes());
        frame.extend([0, 0]);
        match self.format {
            Format::THeader => self.write_theader(&mut frame),
            Format::TtHeader => self.write_ttheader(&mut frame)?,
        }
        frame.resize(FIXED + (frame.len() - FIXED).next_multiple_of(4), 0);
        let len = frame.len() - FIXED;
        if len > MAX_BLOCK {
            return Err(problem("the header has more than 262140 bytes"));
        }
        frame[FIXED - 2..FIXED].copy_from_slice(&((len / 4) as u16).to_be_bytes());
        if frame.len() + message.len() > MAX_FRAME {
            return Err(Error::new(ErrorKind::FrameLimit(MAX_FRAME), None));
        }
        frame.extend_from_slice(&message);
        Ok(frame)
    }

    fn check(&self) -> Result<(), Error> {
        let entries = self.strings.len() + self.persistent.len() + self.integers.len();
        if entries > MAX_ENTRIES {
            return Err(problem("the header has more than 1024 entries"));
        }
        if self.transforms.len() > MAX_TRANSFORMS {
            return Err(problem("the message has more than 4 transforms"));
        }
        match self.format {
            Format::THeader if !self.integers.is_empty() || self.token.is_some() => Err(problem(
                "only TTHeader has strings with numbers and an access token",
            )),
            Format::TtHeader if !self.persistent.is_empty() => {
                Err(problem("only THeader has persistent strings"))
            }
            _ => Ok(()),
        }
    }

    /// Returns about as many bytes as the header takes.
    fn room(&self) -> usize {
        let strings = self.strings.iter().chain(&self.persistent);
        let strings = strings.map(|(key, value)| key.len() + value.len() + 4);
        let integers = self.integers.values().map(|value| value.len() + 4);
        let token = self.token.as_ref().map_or(0, Vec::len);
        let entries = strings.chain(integers).sum::<usize>() + token;
        FIXED + 32 + entries.min(MAX_BLOCK)
    }

    fn write_theader(&self, frame: &mut Vec<u8>) {
        frame.extend([self.protocol.number(), self.transforms.len() as u8]);
        frame.extend(self.transforms.iter().map(|transform| transform.number()));
        for (kind, strings) in [(2, &self.persistent), (1, &self.strings)] {
            if strings.is_empty() {
                continue;
            }
            frame.push(kind);
            varint(frame, strings.len());
            for text in pairs(strings) {
                varint(frame, text.len());
                frame.extend_from_slice(text);
            }
        }
    }

    fn write_ttheader(&self, frame: &mut Vec<u8>) -> Result<(), Error> {
        frame.extend([self.protocol.number(), self.transforms.len() as u8]);
        frame.extend(self.transforms.iter().map(|transform| transform.number()));
        if let Some(token) = &self.token {
            frame.push(0x11);
            short(frame, token)?;
        }
        if !self.strings.is_empty() {
            frame.push(0x01);
            frame.extend((self.strings.len() as u16).to_be_bytes());
            for text in pairs(&self.strings) {
                short(frame, text)?;
            }
        }
        if !self.integers.is_empty() {
            frame.push(0x10);
            frame.extend((self.integers.len() as u16).to_be_bytes());
            for (key, value) in &self.integers {
                frame.extend(key.to_be_bytes());
                short(frame, value)?;
            }
        }
        Ok(())
    }
}

/// Returns keys and values in turn.
fn pairs(strings: &BTreeMap<Vec<u8>, Vec<u8>>) -> impl Iterator<Item = &Vec<u8>> {
    strings.iter().flat_map(|(key, value)| [key, value])
}

fn problem(problem: &'static str) -> Error {
    Error::new(ErrorKind::InvalidFrame(problem), None)
}

fn varint(frame: &mut Vec<u8>, mut value: usize) {
    while value >= 0x80 {
        frame.push(value as u8 | 0x80);
        value >>= 7;
    }
    frame.push(value as u8);
}

/// Writes a string with its length in two bytes.
fn short(frame: &mut Vec<u8>, text: &[u8]) -> Result<(), Error> {
    let len = u16::try_from(text.len());
    let len = len.map_err(|_| problem("a string of a TTHeader has more than 65535 bytes"))?;
    frame.extend(len.to_be_bytes());
    frame.extend_from_slice(text);
    Ok(())
}
