//! Corrects sizes and counts in footers of old writers.

use crate::Result;
use crate::chunk::{Pages, chunk_range};
use parquet::file::metadata::{
    ColumnChunkMetaData, FileMetaData, ParquetMetaData, RowGroupMetaData,
};
use parquet::file::reader::ChunkReader;

/// Corrects errors that old writers are known to make: a total number of rows that is not the sum
/// of the row groups, the offset of a dictionary that does not exist, and chunk sizes that omit a
/// part.
pub(super) fn with_right_sizes(
    reader: &impl ChunkReader,
    metadata: ParquetMetaData,
) -> Result<ParquetMetaData> {
    let file = metadata.file_metadata();
    let groups = metadata.row_groups().iter();
    let rows = groups.map(RowGroupMetaData::num_rows);
    let rows = rows.fold(0, i64::saturating_add);
    let counts_too_little = file.created_by().is_some_and(counts_too_little);
    let mut chunks = metadata.row_groups().iter().flat_map(|it| it.columns());
    let is_right = (file.num_rows() != 0 || rows == 0)
        && !counts_too_little
        && !chunks.any(|chunk| chunk.dictionary_page_offset() == Some(0));
    if is_right {
        return Ok(metadata);
    }
    let file = FileMetaData::new(
        file.version(),
        rows,
        file.created_by().map(str::to_owned),
        file.key_value_metadata().cloned(),
        file.schema_descr_ptr(),
        file.column_orders().cloned(),
    );
    let row_groups = metadata.row_groups().iter().map(|row_group| {
        let chunks = row_group.columns().iter().cloned();
        let chunks = chunks.map(|chunk| with_right_size(reader, chunk, counts_too_little));
        let chunks = chunks.collect::<Result<Vec<_>>>()?;
        let builder = row_group.clone().into_builder();
        Ok(builder.set_column_metadata(chunks).build()?)
    });
    Ok(ParquetMetaData::new(
        file,
        row_groups.collect::<Result<Vec<_>>>()?,
    ))
}

fn with_right_size(
    reader: &impl ChunkReader,
    chunk: ColumnChunkMetaData,
    counts_too_little: bool,
) -> Result<ColumnChunkMetaData> {
    let dictionary = chunk.dictionary_page_offset().filter(|&it| it != 0);
    let mut size = chunk.compressed_size();
    if let (true, Ok(range)) = (counts_too_little, chunk_range(&chunk, reader.len())) {
        let pages = Pages::new(reader, range.clone()).map_while(|page| page.ok());
        let end = pages.last().map(|page| page.offset + page.compressed());
        size = size.max((end.unwrap_or(range.end) - range.start) as i64);
    }
    let builder = chunk.into_builder().set_dictionary_page_offset(dictionary);
    Ok(builder.set_total_compressed_size(size).build()?)
}

/// Returns whether a writer omits the dictionary header from the size of the chunk, as parquet-mr
/// did before version 1.2.9.
pub(super) fn counts_too_little(created_by: &str) -> bool {
    let Some(rest) = created_by.strip_prefix("parquet-mr") else {
        return false;
    };
    let version = rest.trim_start().strip_prefix("version ").unwrap_or("");
    let mut numbers = version
        .split(|c: char| !c.is_ascii_digit())
        .map_while(|number| number.parse::<u32>().ok());
    let version = [(); 3].map(|()| numbers.next().unwrap_or(0));
    version < [1, 2, 9]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_versions_of_parquet_mr_count_too_little() {
        for (created_by, expected) in [
            ("parquet-mr", true),
            ("parquet-mr version 1.2.8 (build 1)", true),
            ("parquet-mr version 1.2.9", false),
            (
                "parquet-mr version 1.12.0-201812210311360288-a86293f",
                false,
            ),
            ("parquet-cpp version 1.0.0", false),
        ] {
            assert_eq!(counts_too_little(created_by), expected, "{created_by}");
        }
    }
}
