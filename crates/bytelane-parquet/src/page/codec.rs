//! The compressions of pages, their contexts kept from page to page.

use crate::{Error, Problem, Result};
use parquet::basic::{Compression, CompressionCodec};
use std::io::{Cursor, Write};

/// A compression at a level, ready for pages.
pub(crate) enum Compressor {
    None,
    Snappy(Box<snap::raw::Encoder>),
    Gzip(flate2::Compression),
    Brotli(u32),
    Zstd(zstd::bulk::Compressor<'static>),
    Lz4Raw,
}

/// As the crate `parquet` and most others set it: windows of 4 MiB.
const BROTLI_WINDOW_BITS: u32 = 22;
/// What brotli moves at a time.
const BROTLI_BUFFER: usize = 1 << 16;

impl Compressor {
    pub(crate) fn new(compression: Compression) -> Result<Self> {
        Ok(match compression {
            Compression::UNCOMPRESSED => Compressor::None,
            Compression::SNAPPY => Compressor::Snappy(Box::new(snap::raw::Encoder::new())),
            Compression::GZIP(level) => {
                Compressor::Gzip(flate2::Compression::new(level.compression_level()))
            }
            Compression::BROTLI(level) => Compressor::Brotli(level.compression_level()),
            Compression::ZSTD(level) => {
                Compressor::Zstd(zstd::bulk::Compressor::new(level.compression_level())?)
            }
            Compression::LZ4_RAW => Compressor::Lz4Raw,
            Compression::LZO | Compression::LZ4 => {
                return Err(unsupported(CompressionCodec::from(compression)));
            }
        })
    }

    /// Appends the compressed bytes.
    pub(crate) fn append(&mut self, bytes: &[u8], to: &mut Vec<u8>) -> Result<()> {
        let start = to.len();
        match self {
            Compressor::None => to.extend_from_slice(bytes),
            Compressor::Snappy(encoder) => {
                to.resize(start + snap::raw::max_compress_len(bytes.len()), 0);
                let written = encoder
                    .compress(bytes, &mut to[start..])
                    .map_err(std::io::Error::from)?;
                to.truncate(start + written);
            }
            Compressor::Gzip(level) => {
                let mut encoder = flate2::write::GzEncoder::new(to, *level);
                encoder.write_all(bytes)?;
                encoder.finish()?;
            }
            Compressor::Brotli(quality) => {
                let mut encoder =
                    brotli::CompressorWriter::new(to, BROTLI_BUFFER, *quality, BROTLI_WINDOW_BITS);
                encoder.write_all(bytes)?;
                // The last block is written where the encoder is dropped.
                encoder.flush()?;
            }
            Compressor::Zstd(context) => {
                to.reserve(zstd::zstd_safe::compress_bound(bytes.len()));
                let mut cursor = Cursor::new(to);
                cursor.set_position(start as u64);
                context.compress_to_buffer(bytes, &mut cursor)?;
            }
            Compressor::Lz4Raw => {
                let most = lz4_flex::block::get_maximum_output_size(bytes.len());
                to.resize(start + most, 0);
                let written = lz4_flex::block::compress_into(bytes, &mut to[start..])
                    .map_err(std::io::Error::other)?;
                to.truncate(start + written);
            }
        }
        Ok(())
    }
}

fn unsupported(codec: CompressionCodec) -> Error {
    Problem::Unsupported(format!(
        "pages compressed with {codec} are not supported here"
    ))
    .into()
}
