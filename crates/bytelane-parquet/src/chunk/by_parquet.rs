//! Chunks that the crate `parquet` has encoded.
//!
//! The crate hands a chunk out only as a part of a file, so it writes one into memory, of one row group and one column.

use super::place::pages_at;
use super::{Chunk, Column, EncodedColumn};
use crate::Result;
use crate::format::decode_footer;
use bytes::Bytes;
use parquet::file::writer::SerializedFileWriter;
use std::sync::Arc;

/// Bytes of a file apart from its pages: most have less.
const REST: usize = 4096;

/// Returns the chunks of the leaves of a column.
pub(super) fn chunks(column: &Column, encoded: Vec<EncodedColumn>) -> Result<Vec<Chunk>> {
    let sizes = encoded.iter().map(|leaf| leaf.metadata().compressed_size());
    let mut file = Vec::with_capacity(sizes.sum::<i64>() as usize + REST);
    let mut writer = SerializedFileWriter::new(&mut file, column.root(), Arc::default())?;
    let mut row_group = writer.next_row_group()?;
    for leaf in encoded {
        leaf.append_to(&mut row_group)?;
    }
    row_group.close()?;
    writer.close()?;
    let file = Bytes::from(file);
    let footer = decode_footer(&file)?;
    let chunks = footer.row_groups.iter().flat_map(|group| &group.columns);
    let chunks = chunks.map(|chunk| {
        let chunk = chunk.decode()?;
        let found = &chunk.meta_data;
        let (data, dictionary) = (found.data_page_offset, found.dictionary_page_offset);
        let range = pages_at(
            data,
            dictionary,
            found.total_compressed_size,
            file.len() as u64,
        )?;
        Chunk::in_memory(&file, chunk, range)
    });
    chunks.collect()
}
