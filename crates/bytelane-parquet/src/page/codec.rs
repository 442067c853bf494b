//! Compresses and decompresses pages. Contexts are kept from page to page.

use super::snappy;
use crate::{Error, Problem, Result, format};
use parquet::basic::{Compression, CompressionCodec};
use std::cell::RefCell;
use std::io::{Cursor, Read, Write};

/// Codec at a level, ready to compress pages.
pub enum Compressor {
    None,
    Snappy(Box<snap::raw::Encoder>),
    Gzip(flate2::Compression),
    Brotli(u32),
    Zstd(zstd::bulk::Compressor<'static>),
    Lz4Raw,
}

/// Window of 4 MiB, as in the crate `parquet` and most other writers.
const BROTLI_WINDOW_BITS: u32 = 22;
/// Buffer size of brotli in bytes.
const BROTLI_BUFFER: usize = 1 << 16;

impl Compressor {
    pub fn new(compression: Compression) -> Result<Self> {
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

    /// Returns whether it leaves bytes unchanged.
    pub(crate) fn is_none(&self) -> bool {
        matches!(self, Compressor::None)
    }

    /// Appends the compressed bytes.
    pub fn append(&mut self, bytes: &[u8], to: &mut Vec<u8>) -> Result<()> {
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
                // Dropping the encoder writes the last block.
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

/// Returns the codec under its name in the crate `parquet`.
pub fn codec_in_parquet(codec: format::CompressionCodec) -> Result<CompressionCodec> {
    Ok(match codec {
        format::CompressionCodec::Uncompressed => CompressionCodec::UNCOMPRESSED,
        format::CompressionCodec::Snappy => CompressionCodec::SNAPPY,
        format::CompressionCodec::Gzip => CompressionCodec::GZIP,
        format::CompressionCodec::Lzo => CompressionCodec::LZO,
        format::CompressionCodec::Brotli => CompressionCodec::BROTLI,
        format::CompressionCodec::Lz4 => CompressionCodec::LZ4,
        format::CompressionCodec::Zstd => CompressionCodec::ZSTD,
        format::CompressionCodec::Lz4Raw => CompressionCodec::LZ4_RAW,
        format::CompressionCodec::Unknown(number) => {
            let problem = format!("pages with the compression {number}, which is not known");
            return Err(Problem::Unsupported(problem).into());
        }
    })
}

fn unsupported(codec: CompressionCodec) -> Error {
    if codec == CompressionCodec::LZO {
        let problem = "pages compressed with LZO, or in a way that is not known, are not supported";
        return Problem::Unsupported(problem.to_owned()).into();
    }
    Problem::Unsupported(format!("pages compressed with {codec} are not supported")).into()
}

/// Codec ready to decompress pages.
pub enum Decompressor {
    None,
    Snappy,
    Gzip,
    Brotli,
    Zstd,
    Lz4Raw,
    /// Deprecated LZ4, of which there are three variants.
    Lz4,
}

impl Decompressor {
    pub fn new(codec: CompressionCodec) -> Result<Self> {
        Ok(match codec {
            CompressionCodec::UNCOMPRESSED => Decompressor::None,
            CompressionCodec::SNAPPY => Decompressor::Snappy,
            CompressionCodec::GZIP => Decompressor::Gzip,
            CompressionCodec::BROTLI => Decompressor::Brotli,
            CompressionCodec::ZSTD => Decompressor::Zstd,
            CompressionCodec::LZ4_RAW => Decompressor::Lz4Raw,
            CompressionCodec::LZ4 => Decompressor::Lz4,
            other => return Err(unsupported(other)),
        })
    }

    pub(super) fn codec(&self) -> CompressionCodec {
        match self {
            Decompressor::None => CompressionCodec::UNCOMPRESSED,
            Decompressor::Snappy => CompressionCodec::SNAPPY,
            Decompressor::Gzip => CompressionCodec::GZIP,
            Decompressor::Brotli => CompressionCodec::BROTLI,
            Decompressor::Zstd => CompressionCodec::ZSTD,
            Decompressor::Lz4Raw => CompressionCodec::LZ4_RAW,
            Decompressor::Lz4 => CompressionCodec::LZ4,
        }
    }

    /// Decompresses into the first `size` bytes of a buffer. The buffer grows as needed, and may stay longer
    /// than `size`.
    pub fn decompress(&mut self, bytes: &[u8], size: usize, to: &mut Vec<u8>) -> Result<()> {
        check_promise(self.codec(), bytes.len(), size)?;
        if let Decompressor::Brotli = self {
            to.clear();
            let source = brotli::Decompressor::new(bytes, BROTLI_BUFFER);
            // The buffer grows only with the data that is decompressed.
            source
                .take(size as u64 + 1)
                .read_to_end(to)
                .map_err(not_decompressed)?;
            return check_size(to.len(), size);
        }
        // The following two write to memory that is not zeroed.
        if let Decompressor::Zstd = self {
            to.clear();
            to.reserve_exact(size);
            let written = with_zstd(|context| context.decompress_to_buffer(bytes, to))?;
            return check_size(written.map_err(not_decompressed)?, size);
        }
        if let Decompressor::Snappy = self {
            let (promised, tags) = snappy::split_size(bytes).map_err(not_decompressed)?;
            check_size(promised, size)?;
            let decompressed = snappy::decompress(tags, size, std::mem::take(to));
            *to = decompressed.map_err(not_decompressed)?;
            return check_size(to.len(), size);
        }
        if to.len() < size {
            to.resize(size, 0);
        }
        let destination = &mut to[..size];
        let written = match self {
            Decompressor::None => {
                check_size(bytes.len(), size)?;
                destination.copy_from_slice(bytes);
                size
            }
            Decompressor::Lz4Raw => {
                lz4_flex::block::decompress_into(bytes, destination).map_err(not_decompressed)?
            }
            Decompressor::Lz4 => decompress_lz4(bytes, destination)?,
            Decompressor::Gzip
            | Decompressor::Brotli
            | Decompressor::Snappy
            | Decompressor::Zstd => fill(flate2::read::MultiGzDecoder::new(bytes), destination)?,
        };
        check_size(written, size)
    }
}

/// Calls a function with the thread's zstd context. One that all columns share stays in the cache, unlike one for each.
fn with_zstd<T>(call: impl FnOnce(&mut zstd::bulk::Decompressor<'static>) -> T) -> Result<T> {
    thread_local! {
        static CONTEXT: RefCell<Option<zstd::bulk::Decompressor<'static>>> = const { RefCell::new(None) };
    }
    CONTEXT.with_borrow_mut(|context| {
        let context = match context {
            Some(context) => context,
            None => context.insert(zstd::bulk::Decompressor::new()?),
        };
        Ok(call(context))
    })
}

/// Decompresses one of the variants of LZ4: Hadoop's blocks, each after its decompressed and its compressed
/// size; LZ4 frames; or a single block. Parquet's codec LZ4 was never specified, so writers differ
/// ([Compression.md](https://github.com/apache/parquet-format/blob/master/Compression.md#lz4)). The variants
/// are tried in the same order as in the crate `parquet`.
fn decompress_lz4(bytes: &[u8], to: &mut [u8]) -> Result<usize> {
    if let Some(written) = decompress_hadoop(bytes, to) {
        return Ok(written);
    }
    let frames = fill(lz4_flex::frame::FrameDecoder::new(bytes), to);
    match frames {
        Ok(written) if written == to.len() => Ok(written),
        _ => lz4_flex::block::decompress_into(bytes, to).map_err(not_decompressed),
    }
}

/// Decompresses Hadoop's blocks. Returns their size if the bytes are such blocks and fill the destination.
fn decompress_hadoop(mut bytes: &[u8], to: &mut [u8]) -> Option<usize> {
    let mut written = 0;
    while !bytes.is_empty() {
        let (decompressed, rest) = bytes.split_first_chunk()?;
        let (compressed, rest) = rest.split_first_chunk()?;
        let [decompressed, compressed] =
            [*decompressed, *compressed].map(|size| u32::from_be_bytes(size) as usize);
        let block = rest.get(..compressed)?;
        let destination = to.get_mut(written..)?.get_mut(..decompressed)?;
        let found = lz4_flex::block::decompress_into(block, destination).ok()?;
        if found != decompressed {
            return None;
        }
        written += found;
        bytes = &rest[compressed..];
    }
    (written == to.len()).then_some(written)
}

/// Returns the maximum number of bytes that one compressed byte can expand to.
fn greatest_ratio(codec: CompressionCodec) -> usize {
    match codec {
        CompressionCodec::UNCOMPRESSED => 1,
        // A copy of 64 bytes takes 3 bytes.
        CompressionCodec::SNAPPY => 22,
        // 258 bytes take 2 bits.
        CompressionCodec::GZIP => 1032,
        // A block of 128 KiB that repeats one byte takes 4 bytes.
        CompressionCodec::ZSTD => 1 << 15,
        // One byte lengthens a copy by 255 bytes.
        CompressionCodec::LZ4_RAW | CompressionCodec::LZ4 => 255,
        // A copy may have any length.
        CompressionCodec::BROTLI | CompressionCodec::LZO => usize::MAX,
    }
}

/// Returns an error if no input of this length can expand to the size that a page header claims. This avoids
/// allocating memory in vain.
pub fn check_promise(codec: CompressionCodec, compressed: usize, promised: usize) -> Result<()> {
    // Headers, and a last block that is not full.
    const SLACK: usize = 64;
    if promised > (compressed + SLACK).saturating_mul(greatest_ratio(codec)) {
        Err(Error::corrupt(format!(
            "{compressed} compressed bytes cannot expand to the {promised} bytes that the page header claims",
        )))
    } else {
        Ok(())
    }
}

/// Reads up to the size of `to`. If there are more bytes, returns that size plus one.
fn fill(mut source: impl Read, mut to: &mut [u8]) -> Result<usize> {
    let room = to.len();
    while !to.is_empty() {
        match source.read(to).map_err(not_decompressed)? {
            0 => return Ok(room - to.len()),
            read => to = &mut to[read..],
        }
    }
    let beyond = source.read(&mut [0]).map_err(not_decompressed)?;
    Ok(room + beyond)
}

fn not_decompressed(error: impl std::fmt::Display) -> Error {
    Error::corrupt(format!("the page cannot be decompressed: {error}"))
}

fn check_size(found: usize, promised: usize) -> Result<()> {
    if found == promised {
        Ok(())
    } else {
        Err(Error::corrupt(format!(
            "the page header claims {promised} bytes, but the page has {found}{}",
            if found > promised { " or more" } else { "" }
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_compression;

    const ALL: [&str; 6] = ["none", "snappy", "gzip:6", "brotli:5", "zstd:1", "lz4_raw"];

    fn both(name: &str) -> (Compressor, Decompressor) {
        let compression = parse_compression(name).expect("a name");
        let codec = CompressionCodec::from(compression);
        (
            Compressor::new(compression).expect("a compressor"),
            Decompressor::new(codec).expect("a decompressor"),
        )
    }

    #[test]
    fn every_codec_returns_what_it_was_given() {
        for name in ALL {
            let (mut compressor, mut decompressor) = both(name);
            let mut back = Vec::new();
            for length in [0, 1, 100, 5000, 300_000, 7] {
                let bytes: Vec<u8> = (0..length).map(|i: u32| (i / 7 % 13) as u8).collect();
                let mut compressed = b"before".to_vec();
                compressor.append(&bytes, &mut compressed).expect(name);
                assert_eq!(&compressed[..6], b"before", "{name}");
                decompressor
                    .decompress(&compressed[6..], bytes.len(), &mut back)
                    .expect(name);
                assert_eq!(back[..bytes.len()], bytes, "{name}");
            }
        }
    }

    #[test]
    fn three_kinds_of_lz4_are_read() {
        let text: Vec<u8> = (0..5000u32).map(|i| (i / 7 % 13) as u8).collect();
        let (first, second) = text.split_at(2000);
        let mut hadoop = Vec::new();
        for block in [first, second] {
            let compressed = lz4_flex::block::compress(block);
            hadoop.extend((block.len() as u32).to_be_bytes());
            hadoop.extend((compressed.len() as u32).to_be_bytes());
            hadoop.extend(compressed);
        }
        let mut frame = lz4_flex::frame::FrameEncoder::new(Vec::new());
        frame.write_all(&text).expect("a vector");
        let frame = frame.finish().expect("a frame");
        for compressed in [hadoop, frame, lz4_flex::block::compress(&text)] {
            let mut decompressor = Decompressor::new(CompressionCodec::LZ4).expect("a codec");
            let mut back = Vec::new();
            decompressor
                .decompress(&compressed, text.len(), &mut back)
                .expect("one of three");
            assert_eq!(back, text);
            for size in [text.len() - 1, text.len() + 1] {
                let result = decompressor.decompress(&compressed, size, &mut back);
                assert!(result.is_err(), "{size}");
            }
        }
    }

    #[test]
    fn what_repeats_most_still_decompresses() {
        for name in ALL {
            let (mut compressor, mut decompressor) = both(name);
            let (mut compressed, mut back) = (Vec::new(), Vec::new());
            let bytes = vec![7; 10 << 20];
            compressor.append(&bytes, &mut compressed).expect(name);
            decompressor
                .decompress(&compressed, bytes.len(), &mut back)
                .expect(name);
            assert_eq!(back, bytes, "{name}");
        }
    }

    #[test]
    fn a_wrong_size_is_an_error() {
        for name in ALL {
            let (mut compressor, mut decompressor) = both(name);
            let bytes: Vec<u8> = (0..10_000u32).map(|i| (i / 7 % 13) as u8).collect();
            let mut compressed = Vec::new();
            compressor.append(&bytes, &mut compressed).expect(name);
            for size in [0, bytes.len() - 1, bytes.len() + 1, 1 << 31] {
                let mut back = Vec::new();
                let result = decompressor.decompress(&compressed, size, &mut back);
                assert!(result.is_err(), "{name} {size}");
            }
            for cut in 0..compressed.len().min(50) {
                let mut back = Vec::new();
                let result = decompressor.decompress(&compressed[..cut], bytes.len(), &mut back);
                assert!(result.is_err(), "{name} cut at {cut}");
            }
        }
    }

    #[test]
    fn a_promise_that_the_bytes_cannot_keep_allocates_nothing() {
        for name in ALL.iter().filter(|name| !name.starts_with("brotli")) {
            let (_, mut decompressor) = both(name);
            let mut back = Vec::new();
            let result = decompressor.decompress(&[1, 2, 3], i32::MAX as usize, &mut back);
            assert!(result.is_err(), "{name}");
            assert_eq!(back.capacity(), 0, "{name}");
        }
    }
}
