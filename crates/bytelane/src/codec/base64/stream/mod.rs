//! Base64 through `std::io`.
#![forbid(unsafe_code)]

use super::{DecodePadding, Engine, Error, ErrorKind, PAD};
use crate::Detected;
use core::fmt;
use std::boxed::Box;
use std::format;
use std::io::{self, Read, Write};

#[cfg(test)]
mod tests;

/// Size of a full buffer in bytes, a multiple of three, and in characters.
const BYTES: usize = 6 * 1024;
const TEXT: usize = BYTES / 3 * 4;

/// Encodes everything written to it, and writes the text to another writer.
///
/// It buffers: call [`finish`](Self::finish) at the end, which writes the last group and its
/// padding. Dropping it does the same, also while a panic unwinds, but loses the error if that
/// fails.
///
/// Any bytes can be encoded, so errors come only from the writer. After an error, the next call
/// continues where the writer stopped: no text is lost or written twice. A writer that panics is
/// never called again, because there is no way to know how much text it accepted: from then on
/// `write`, `flush` and `finish` return an error.
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
    backend: Detected,
    /// `None` once it has been returned to the caller.
    writer: Option<W>,
    /// True while a call of the writer has not returned.
    panicked: bool,
    /// True if `finish` has been called.
    finishing: bool,
    /// Bytes not encoded yet: the first `bytes_len`.
    bytes: Box<[u8; BYTES]>,
    bytes_len: usize,
    /// Text not written yet: from `written` to `text_len`.
    text: Box<[u8; TEXT]>,
    text_len: usize,
    written: usize,
}

impl<W: Write> Encoder<W> {
    /// Creates an encoder that writes to `writer`.
    pub fn new(writer: W, engine: Engine) -> Self {
        Self::new_with(Detected::active(), writer, engine)
    }

    /// Same as [`new`](Self::new), on a backend of the caller's choice.
    pub fn new_with(backend: Detected, writer: W, engine: Engine) -> Self {
        Self {
            engine,
            backend,
            writer: Some(writer),
            panicked: false,
            finishing: false,
            bytes: Box::new([0; BYTES]),
            bytes_len: 0,
            text: Box::new([0; TEXT]),
            text_len: 0,
            written: 0,
        }
    }

    /// Writes everything, including the last group and its padding, and returns the writer without
    /// flushing it.
    ///
    /// # Errors
    ///
    /// The errors of the writer. The error contains the encoder: call `finish` on it to try again.
    /// It accepts no more bytes.
    ///
    /// ```
    /// use bytelane::base64::{Encoder, STANDARD};
    /// use std::io::Write;
    ///
    /// let mut room = [0; 4];
    /// let mut encoder = Encoder::new(&mut room[..], STANDARD);
    /// encoder.write_all(b"bytes")?;
    /// let failed = encoder.finish().unwrap_err();
    /// assert_eq!(failed.error().kind(), std::io::ErrorKind::WriteZero);
    ///
    /// let mut more_room = [0; 4];
    /// let mut encoder = failed.into_encoder();
    /// *encoder.get_mut() = &mut more_room;
    /// encoder.finish()?;
    /// assert_eq!((&room, &more_room), (b"Ynl0", b"ZXM="));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn finish(mut self) -> Result<W, FinishError<W>> {
        self.finishing = true;
        match self.write_all_text() {
            Ok(()) => Ok(self.into_inner()),
            Err(error) => Err(FinishError {
                error,
                encoder: self,
            }),
        }
    }

    /// Returns the writer.
    pub fn get_ref(&self) -> &W {
        self.writer.as_ref().expect(WRITER)
    }

    /// Returns the writer, for example to make room after an error. Anything that you write to it
    /// directly ends up between two pieces of the encoded text.
    pub fn get_mut(&mut self) -> &mut W {
        self.writer.as_mut().expect(WRITER)
    }

    /// Returns the writer and discards the text that it has not accepted yet. To write that text,
    /// call [`finish`](Self::finish).
    pub fn into_inner(mut self) -> W {
        self.writer.take().expect(WRITER)
    }

    fn write_all_text(&mut self) -> io::Result<()> {
        self.write_text_of(self.bytes_len / 3 * 3)?;
        self.write_text_of(self.bytes_len)
    }

    /// Writes the text of the first `len` bytes.
    fn write_text_of(&mut self, len: usize) -> io::Result<()> {
        self.write_text()?;
        let (bytes, text) = (&self.bytes[..len], &mut self.text[..]);
        let encoded = self.engine.encode_with(self.backend, bytes, text);
        self.text_len = encoded.map_err(io::Error::other)?.len();
        self.written = 0;
        self.bytes.copy_within(len..self.bytes_len, 0);
        self.bytes_len -= len;
        self.write_text()
    }

    fn write_text(&mut self) -> io::Result<()> {
        while self.written < self.text_len {
            let given = self.text_len - self.written;
            match self.call_writer(|writer, text| writer.write(text)) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(len) if len > given => {
                    self.written = self.text_len;
                    let message = format!("the writer reported {len} bytes written out of {given}");
                    return Err(io::Error::other(message));
                }
                Ok(len) => self.written += len,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Calls the writer with the text not written yet.
    fn call_writer<T>(
        &mut self,
        call: impl FnOnce(&mut W, &[u8]) -> io::Result<T>,
    ) -> io::Result<T> {
        self.refuse_after_panic()?;
        let writer = self.writer.as_mut().expect(WRITER);
        self.panicked = true;
        let result = call(writer, &self.text[self.written..self.text_len]);
        self.panicked = false;
        result
    }

    fn refuse_after_panic(&self) -> io::Result<()> {
        if self.panicked {
            Err(io::Error::other(
                "the writer panicked in an earlier call; how much of the text it took is unknown",
            ))
        } else {
            Ok(())
        }
    }
}

/// Reason why there is always a writer.
const WRITER: &str = "only what consumes the encoder takes its writer";

impl<W: Write> Write for Encoder<W> {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        self.refuse_after_panic()?;
        if self.finishing {
            return Err(io::Error::other(
                "bytes cannot follow the end of a base64 text; call `finish` again",
            ));
        }
        if self.bytes_len == BYTES {
            self.write_text_of(BYTES)?;
        }
        let len = usize::min(from.len(), BYTES - self.bytes_len);
        self.bytes[self.bytes_len..][..len].copy_from_slice(&from[..len]);
        self.bytes_len += len;
        Ok(len)
    }

    /// Writes the text of all whole groups, but not of the one or two bytes after them.
    fn flush(&mut self) -> io::Result<()> {
        self.write_text_of(self.bytes_len / 3 * 3)?;
        self.call_writer(|writer, _| writer.flush())
    }
}

impl<W: Write> Drop for Encoder<W> {
    fn drop(&mut self) {
        // There is no way to report an error here.
        if self.writer.is_some() {
            let _ = self.write_all_text();
        }
    }
}

/// Error of a failed [`Encoder::finish`], together with the encoder.
///
/// Dropping it, or converting it to an [`io::Error`], drops the encoder, which then tries once more
/// to write the rest of the text.
pub struct FinishError<W: Write> {
    error: io::Error,
    encoder: Encoder<W>,
}

impl<W: Write> FinishError<W> {
    /// Returns the error of the writer.
    pub fn error(&self) -> &io::Error {
        &self.error
    }

    /// Returns the error of the writer. Drops the encoder.
    pub fn into_error(self) -> io::Error {
        self.error
    }

    /// Returns the encoder, with the text that the writer has not accepted yet.
    pub fn into_encoder(self) -> Encoder<W> {
        self.encoder
    }

    /// Returns the error of the writer, and the encoder.
    pub fn into_parts(self) -> (io::Error, Encoder<W>) {
        (self.error, self.encoder)
    }
}

impl<W: Write> fmt::Debug for FinishError<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FinishError")
            .field("error", &self.error)
            .finish_non_exhaustive()
    }
}

impl<W: Write> fmt::Display for FinishError<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl<W: Write> core::error::Error for FinishError<W> {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        self.error.source()
    }
}

impl<W: Write> From<FinishError<W>> for io::Error {
    fn from(error: FinishError<W>) -> Self {
        error.into_error()
    }
}

/// Reads text from another reader and decodes it.
///
/// Malformed text gives an [`io::Error`] of the kind [`InvalidData`](io::ErrorKind::InvalidData)
/// with an [`Error`] inside, whose offset counts from the beginning of the stream. Bytes before the
/// error may be missing. After it, every call returns the same error, and the reader is not called
/// again.
///
/// Errors of the reader are passed on. The next call continues where the reader stopped; nothing is
/// lost.
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
    backend: Detected,
    reader: R,
    /// Text not decoded yet: the first `text_len` characters.
    text: Box<[u8; TEXT]>,
    text_len: usize,
    /// Number of characters decoded before.
    offset: usize,
    /// Bytes not read yet: from `read` to `bytes_len`.
    bytes: Box<[u8; BYTES]>,
    bytes_len: usize,
    read: usize,
    /// Final result, once the stream has ended.
    end: Option<Result<(), Error>>,
}

impl<R: Read> Decoder<R> {
    /// Creates a decoder that reads from `reader`. It reads in large pieces, up to the end: if
    /// anything follows the text in the same stream, limit the reader to the text first.
    pub fn new(reader: R, engine: Engine) -> Self {
        Self::new_with(Detected::active(), reader, engine)
    }

    /// Same as [`new`](Self::new), on a backend of the caller's choice.
    pub fn new_with(backend: Detected, reader: R, engine: Engine) -> Self {
        Self {
            engine,
            backend,
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

    /// Returns the reader, which may be ahead of the decoded text.
    pub fn into_inner(self) -> R {
        self.reader
    }

    /// Reads once from the reader and decodes the text that is certain not to be the end; at the
    /// end of the stream, decodes the rest.
    fn decode_more(&mut self) -> io::Result<()> {
        let room = &mut self.text[self.text_len..];
        let len = self.reader.read(room)?;
        if len > room.len() {
            let given = room.len();
            let message = format!("the reader reported {len} bytes read into a buffer of {given}");
            return Err(io::Error::other(message));
        }
        self.text_len += len;
        let at_end = len == 0;
        // The last group may have padding, and only the end of the stream shows which group is the
        // last.
        let decode = if at_end {
            self.text_len
        } else {
            self.text_len.saturating_sub(1) / 4 * 4
        };
        let text = &self.text[..decode];
        let engine = if at_end {
            self.engine
        } else {
            self.engine.with_decode_padding(DecodePadding::None)
        };
        match engine.decode_with(self.backend, text, &mut self.bytes[..]) {
            Ok(bytes) => (self.read, self.bytes_len) = (0, bytes.len()),
            Err(error) => {
                let error = match (error.kind(), error.offset()) {
                    // More text follows, so padding is an error here, whatever the engine requires.
                    (ErrorKind::InvalidPadding, Some(offset)) if !at_end => {
                        Error::at(offset, ErrorKind::InvalidByte(PAD))
                    }
                    _ => error,
                };
                self.end = Some(Err(error.behind(self.offset)));
            }
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
        while self.read == self.bytes_len {
            match self.end {
                Some(Ok(())) => return Ok(0),
                Some(Err(error)) => return Err(io::Error::new(io::ErrorKind::InvalidData, error)),
                None if to.is_empty() => return Ok(0),
                None => self.decode_more()?,
            }
        }
        let len = usize::min(to.len(), self.bytes_len - self.read);
        to[..len].copy_from_slice(&self.bytes[self.read..][..len]);
        self.read += len;
        Ok(len)
    }
}
