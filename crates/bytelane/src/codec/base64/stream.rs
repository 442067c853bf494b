//! Base64 through `std::io`.
#![forbid(unsafe_code)]

use super::{DecodeError, DecodePadding, Engine, PAD};
use crate::{Backend, Unavailable};
use std::boxed::Box;
use std::io::{self, Read, Write};

#[cfg(test)]
#[path = "stream_tests.rs"]
mod tests;

/// Bytes of a full buffer, a multiple of three, and characters of the same.
const BYTES: usize = 6 * 1024;
const TEXT: usize = BYTES / 3 * 4;

/// Encodes what is written to it and writes the text to another writer.
///
/// It buffers: call [`finish`](Self::finish) at the end, which writes the last group and its
/// padding. Dropping it does the same, but loses the error if that fails. After an error the next
/// call goes on where the writer stopped.
///
/// ```
/// use bytelane::base64::{Encoder, STANDARD};
/// use std::io::Write;
///
/// let mut encoder = Encoder::new(Vec::new(), STANDARD);
/// encoder.write_all(b"by")?;
/// encoder.write_all(b"tes")?;
/// assert_eq!(encoder.finish()?, b"Ynl0ZXM=");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Encoder<W: Write> {
    engine: Engine,
    backend: Backend,
    /// None once finished.
    writer: Option<W>,
    /// Bytes that are not encoded yet: the first `bytes_len`.
    bytes: Box<[u8; BYTES]>,
    bytes_len: usize,
    /// Text that is not written yet: from `written` to `text_len`.
    text: Box<[u8; TEXT]>,
    text_len: usize,
    written: usize,
}

impl<W: Write> Encoder<W> {
    /// An encoder in front of a writer.
    pub fn new(writer: W, engine: Engine) -> Self {
        Self {
            engine,
            backend: Backend::active(),
            writer: Some(writer),
            bytes: Box::new([0; BYTES]),
            bytes_len: 0,
            text: Box::new([0; TEXT]),
            text_len: 0,
            written: 0,
        }
    }

    /// [`new`](Self::new) on a backend of the caller's choice.
    ///
    /// # Errors
    ///
    /// [`Unavailable`].
    pub fn new_with(backend: Backend, writer: W, engine: Engine) -> Result<Self, Unavailable> {
        if !backend.is_available() {
            return Err(Unavailable(backend));
        }
        let mut encoder = Self::new(writer, engine);
        encoder.backend = backend;
        Ok(encoder)
    }

    /// Writes everything, the last group with its padding too, and returns the writer, which is
    /// not flushed.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn finish(mut self) -> io::Result<W> {
        self.write_all_text()?;
        self.writer
            .take()
            .ok_or_else(|| io::ErrorKind::BrokenPipe.into())
    }

    fn write_all_text(&mut self) -> io::Result<()> {
        self.write_text_of(self.bytes_len / 3 * 3)?;
        self.write_text_of(self.bytes_len)
    }

    /// Writes the text of the first `len` bytes.
    fn write_text_of(&mut self, len: usize) -> io::Result<()> {
        self.write_text()?;
        let (bytes, text) = (&self.bytes[..len], &mut self.text[..]);
        self.text_len = self
            .engine
            .encode_slice_with(self.backend, bytes, text)
            .map_err(io::Error::other)?;
        self.written = 0;
        self.bytes.copy_within(len..self.bytes_len, 0);
        self.bytes_len -= len;
        self.write_text()
    }

    fn write_text(&mut self) -> io::Result<()> {
        let Some(writer) = &mut self.writer else {
            return Ok(());
        };
        while self.written < self.text_len {
            match writer.write(&self.text[self.written..self.text_len]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(len) => self.written += len,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl<W: Write> Write for Encoder<W> {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        if self.bytes_len == BYTES {
            self.write_text_of(BYTES)?;
        }
        let len = usize::min(from.len(), BYTES - self.bytes_len);
        self.bytes[self.bytes_len..][..len].copy_from_slice(&from[..len]);
        self.bytes_len += len;
        Ok(len)
    }

    /// Writes the text of all whole groups: one or two bytes may stay.
    fn flush(&mut self) -> io::Result<()> {
        self.write_text_of(self.bytes_len / 3 * 3)?;
        self.writer.as_mut().map_or(Ok(()), W::flush)
    }
}

impl<W: Write> Drop for Encoder<W> {
    fn drop(&mut self) {
        // A writer that has panicked is left alone; an error has nowhere to go.
        if self.writer.is_some() && !std::thread::panicking() {
            let _ = self.write_all_text();
        }
    }
}

/// Reads text from another reader and decodes it.
///
/// A fault of the text is an [`io::Error`] of the kind [`InvalidData`](io::ErrorKind::InvalidData)
/// with a [`DecodeError`] inside, whose offset counts from the beginning of the stream; reading on
/// fails again with the same. Bytes from before the fault may or may not have been read until then.
///
/// ```
/// use bytelane::base64::{Decoder, STANDARD};
/// use std::io::Read;
///
/// let mut text = String::new();
/// Decoder::new(&b"Ynl0ZXM="[..], STANDARD).read_to_string(&mut text)?;
/// assert_eq!(text, "bytes");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Decoder<R> {
    engine: Engine,
    backend: Backend,
    reader: R,
    /// Text that is not decoded yet: the first `text_len` characters.
    text: Box<[u8; TEXT]>,
    text_len: usize,
    /// Characters decoded before.
    offset: usize,
    /// Bytes that are not read yet: from `read` to `bytes_len`.
    bytes: Box<[u8; BYTES]>,
    bytes_len: usize,
    read: usize,
    /// How it ended, if it has.
    end: Option<Result<(), DecodeError>>,
}

impl<R: Read> Decoder<R> {
    /// A decoder behind a reader. It reads in large pieces, and to the end: what follows the text
    /// in the same stream must be cut off before.
    pub fn new(reader: R, engine: Engine) -> Self {
        Self {
            engine,
            backend: Backend::active(),
            reader,
            text: Box::new([0; TEXT]),
            text_len: 0,
            offset: 0,
            bytes: Box::new([0; BYTES]),
            bytes_len: 0,
            read: 0,
            end: None,
        }
    }

    /// [`new`](Self::new) on a backend of the caller's choice.
    ///
    /// # Errors
    ///
    /// [`Unavailable`].
    pub fn new_with(backend: Backend, reader: R, engine: Engine) -> Result<Self, Unavailable> {
        if !backend.is_available() {
            return Err(Unavailable(backend));
        }
        Ok(Self {
            backend,
            ..Self::new(reader, engine)
        })
    }

    /// The reader, which may be ahead of what was decoded.
    pub fn into_inner(self) -> R {
        self.reader
    }

    /// Reads once from the reader and decodes what is certainly not the end of the text; at the
    /// end of the stream all that is left.
    fn decode_more(&mut self) -> io::Result<()> {
        let len = self.reader.read(&mut self.text[self.text_len..])?;
        self.text_len += len;
        let at_end = len == 0;
        // The last group may have padding; whether it is the last, only the end tells.
        let decode = if at_end {
            self.text_len
        } else {
            self.text_len.saturating_sub(1) / 4 * 4
        };
        let text = &self.text[..decode];
        let result = if at_end {
            self.engine
                .decode_slice_with(self.backend, text, &mut self.bytes[..])
        } else {
            let unpadded = self.engine.with_decode_padding(DecodePadding::None);
            unpadded
                .decode_slice_with(self.backend, text, &mut self.bytes[..])
                .map_err(|error| match error {
                    DecodeError::InvalidPadding { offset } => {
                        DecodeError::InvalidByte { offset, byte: PAD }
                    }
                    error => error,
                })
        };
        match result {
            Ok(len) => (self.read, self.bytes_len) = (0, len),
            Err(error) => self.end = Some(Err(error.behind(self.offset))),
        }
        if at_end && self.end.is_none() {
            self.end = Some(Ok(()));
        }
        self.text.copy_within(decode..self.text_len, 0);
        self.text_len -= decode;
        self.offset = self.offset.saturating_add(decode);
        Ok(())
    }
}

impl<R: Read> Read for Decoder<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if to.is_empty() {
            return Ok(0);
        }
        while self.read == self.bytes_len {
            match self.end {
                None => self.decode_more()?,
                Some(Ok(())) => return Ok(0),
                Some(Err(error)) => return Err(io::Error::new(io::ErrorKind::InvalidData, error)),
            }
        }
        let len = usize::min(to.len(), self.bytes_len - self.read);
        to[..len].copy_from_slice(&self.bytes[self.read..][..len]);
        self.read += len;
        Ok(len)
    }
}
