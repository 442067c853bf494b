//! Chooses the compression of joined chunks.

use crate::merge::window::Window;
use bytelane_parquet::Result;
use bytelane_parquet::budget::MemoryLimit;
use bytelane_parquet::chunk::{estimated_compression, stored_range};
use bytelane_parquet::format::{ColumnChunk, ColumnMetaData, CompressionCodec};
use bytelane_parquet::page::codec_in_parquet;
use parquet::basic::Compression;
use parquet::file::reader::Length;

/// Returns the codec of most values; for the deprecated LZ4, its replacement if pages are written.
pub(in crate::merge) fn target<'a>(
    chunks: impl Iterator<Item = &'a ColumnMetaData>,
    has_new_pages: bool,
) -> Result<CompressionCodec> {
    let mut sizes: Vec<(CompressionCodec, i64)> = Vec::new();
    for chunk in chunks {
        let values = chunk.num_values;
        match sizes.iter_mut().find(|(codec, _)| *codec == chunk.codec) {
            Some((_, all)) => *all = all.saturating_add(values),
            None => sizes.push((chunk.codec, values)),
        }
    }
    let most = sizes.iter().max_by_key(|(_, values)| *values);
    let most = most.map_or(CompressionCodec::Zstd, |(codec, _)| *codec);
    Ok(match most {
        // The deprecated LZ4 is not written, but may be copied.
        CompressionCodec::Lz4 if has_new_pages || sizes.len() > 1 => CompressionCodec::Lz4Raw,
        other => other,
    })
}

/// Returns the compression of new pages; `None` for codecs that are only copied.
pub(in crate::merge) fn compression_of(codec: CompressionCodec) -> Result<Option<Compression>> {
    Ok(Some(match codec {
        CompressionCodec::Uncompressed => Compression::UNCOMPRESSED,
        CompressionCodec::Snappy => Compression::SNAPPY,
        CompressionCodec::Gzip => Compression::GZIP(Default::default()),
        CompressionCodec::Brotli => Compression::BROTLI(Default::default()),
        CompressionCodec::Zstd => Compression::ZSTD(Default::default()),
        CompressionCodec::Lz4Raw => Compression::LZ4_RAW,
        CompressionCodec::Lz4 | CompressionCodec::Lzo => return Ok(None),
        CompressionCodec::Unknown(_) => return codec_in_parquet(codec).map(|_| None),
    }))
}

/// Returns the codec with about the level of the first of these chunks that has it. Each comes with its file.
pub(in crate::merge) fn like<'a>(
    codec: CompressionCodec,
    memory: MemoryLimit,
    chunks: impl IntoIterator<Item = (&'a Window, &'a ColumnChunk)>,
) -> Result<Option<Compression>> {
    let Some(usual) = compression_of(codec)? else {
        return Ok(None);
    };
    let mut chunks = chunks.into_iter();
    let Some((window, chunk)) = chunks.find(|(_, chunk)| chunk.meta_data.codec == codec) else {
        return Ok(Some(usual));
    };
    let range = stored_range(chunk, window.len())?;
    let values = chunk.meta_data.num_values;
    estimated_compression(window, usual, values, range, memory).map(Some)
}
