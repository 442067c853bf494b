//! Applies the transforms of messages, and undoes them.

use super::Transform;
use crate::{Error, ErrorKind};
use std::borrow::Cow;

/// Applies transforms in order.
pub(super) fn apply<'a>(
    transforms: &[Transform],
    message: &'a [u8],
) -> Result<Cow<'a, [u8]>, Error> {
    let mut message = Cow::Borrowed(message);
    for transform in transforms {
        message = compress(*transform, &message)?.into();
    }
    Ok(message)
}

/// Undoes transforms in reverse order. No result may exceed `limit` bytes.
pub(super) fn undo<'a>(
    transforms: &[Transform],
    message: &'a [u8],
    limit: usize,
) -> Result<Cow<'a, [u8]>, Error> {
    if message.len() > limit {
        return Err(Error::new(ErrorKind::FrameLimit(limit), None));
    }
    let mut message = Cow::Borrowed(message);
    for transform in transforms.iter().rev() {
        message = decompress(*transform, &message, limit)?.into();
    }
    Ok(message)
}

#[cfg(not(feature = "transforms"))]
fn compress(transform: Transform, _: &[u8]) -> Result<Vec<u8>, Error> {
    Err(missing(transform))
}

#[cfg(not(feature = "transforms"))]
fn decompress(transform: Transform, _: &[u8], _: usize) -> Result<Vec<u8>, Error> {
    Err(missing(transform))
}

#[cfg(not(feature = "transforms"))]
fn missing(transform: Transform) -> Error {
    let number = transform.number().into();
    Error::new(ErrorKind::UnknownTransform(number), None)
}

#[cfg(feature = "transforms")]
use with_feature::{compress, decompress};

#[cfg(feature = "transforms")]
mod with_feature {
    use super::Transform;
    use crate::{Error, ErrorKind};
    use flate2::Compression;
    use flate2::read::{ZlibDecoder, ZlibEncoder};
    use std::io::{self, Read};

    /// Logarithm of the maximum window of a zstd frame that does not store the length of its
    /// content: 8 MiB, which RFC 8878 recommends to support.
    const WINDOW_LOG: u32 = 23;

    pub(in super::super) fn compress(
        transform: Transform,
        message: &[u8],
    ) -> Result<Vec<u8>, Error> {
        let mut output = Vec::new();
        match transform {
            Transform::Zlib => {
                let mut encoder = ZlibEncoder::new(message, Compression::default());
                encoder.read_to_end(&mut output).map_err(Error::custom)?;
            }
            Transform::Zstd => {
                output = zstd::bulk::compress(message, 0).map_err(Error::custom)?;
            }
        }
        Ok(output)
    }

    pub(in super::super) fn decompress(
        transform: Transform,
        bytes: &[u8],
        limit: usize,
    ) -> Result<Vec<u8>, Error> {
        let (result, name) = match transform {
            Transform::Zlib => (
                read(ZlibDecoder::new(bytes), limit),
                "the message is not valid zlib",
            ),
            Transform::Zstd => (zstd(bytes, limit), "the message is not valid zstd"),
        };
        match result {
            Ok(Some(message)) => Ok(message),
            Ok(None) => Err(Error::new(ErrorKind::FrameLimit(limit), None)),
            Err(_) => Err(Error::new(ErrorKind::InvalidFrame(name), None)),
        }
    }

    fn zstd(bytes: &[u8], limit: usize) -> io::Result<Option<Vec<u8>>> {
        let len = zstd::zstd_safe::get_frame_content_size(bytes);
        match len.map_err(|_| io::ErrorKind::InvalidData)? {
            // Without a window: the output is the window.
            Some(len) => match usize::try_from(len) {
                Ok(len) if len <= limit => zstd::bulk::decompress(bytes, len).map(Some),
                _ => Ok(None),
            },
            None => {
                let mut decoder = zstd::Decoder::with_buffer(bytes)?;
                decoder.window_log_max(WINDOW_LOG)?;
                read(decoder, limit)
            }
        }
    }

    /// Reads everything. `None` if it exceeds `limit` bytes.
    fn read(mut from: impl Read, limit: usize) -> io::Result<Option<Vec<u8>>> {
        let mut message = Vec::new();
        let mut len = 0;
        loop {
            if len == message.len() {
                // One byte more than the limit shows that there are more.
                let more = (len + len.max(4 << 10)).min(limit.saturating_add(1));
                message.reserve_exact(more - len);
                message.resize(more, 0);
            }
            match from.read(&mut message[len..]) {
                Ok(0) => {
                    message.truncate(len);
                    return Ok(Some(message));
                }
                Ok(read) => len += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
            if len > limit {
                return Ok(None);
            }
        }
    }
}
