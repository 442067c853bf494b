//! Restores files whose footer is lost: their pages are found by their headers, and the schema of a file with the same
//! columns says what they are.
//!
//! The restored file has the row groups that are certain, and a column with the offset that each row came from.

mod columns;
mod division;
mod fit;
mod offsets;
mod scan;

use bytelane_parquet::chunk::{Chunk, Page, physical_type};
use bytelane_parquet::file::FileWriter;
use bytelane_parquet::format::{
    ColumnChunk, ColumnMetaData, CompressionCodec, Encoded, Encoding, PageType, RowGroup,
};
use bytelane_parquet::input::{InputFile, bytes_at};
use bytelane_parquet::{Error, Result};
use columns::Columns;
use division::{Group, divide};
use fit::{Fits, is_damaged};
pub(super) use offsets::OFFSETS as OFFSETS_COLUMN;
use scan::{Scanned, Segment, scan};
use serde::Serialize;
use std::io::BufWriter;
use std::ops::Range;
use std::path::Path;
use tempfile::NamedTempFile;

/// Number of pages that are decompressed to find the compression of a file.
const SAMPLE: usize = 32;

/// Range of bytes of a file without a footer that was left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LeftOut {
    /// Offset of the first byte.
    pub start: u64,
    /// Offset of the byte after the last one.
    pub end: u64,
    /// Description of the problem.
    pub problem: String,
}

/// Restored file.
pub(super) struct Restored {
    pub file: NamedTempFile,
    pub left_out: Vec<LeftOut>,
    /// Number of rows of each row group.
    pub rows: Vec<u64>,
}

/// Restores a file that has no footer, with the schema of another file.
pub(super) fn restore(input: &InputFile, schema: &Path) -> Result<Restored> {
    let columns = Columns::open(schema).map_err(|error| error.in_file(schema))?;
    let Scanned { segments, gaps } = scan(input)?;
    if segments.is_empty() {
        let problem = "nothing can be salvaged: no page of a Parquet file is found";
        return Err(Error::corrupt(problem));
    }
    let no_page = |range: Range<u64>| LeftOut {
        start: range.start,
        end: range.end,
        problem: "no page begins here".to_owned(),
    };
    let mut left_out: Vec<LeftOut> = gaps.into_iter().map(no_page).collect();
    let codecs = columns.codecs_of(input, &segments)?;
    let mut output = NamedTempFile::with_prefix(".bytelane-")?;
    let mut writer = FileWriter::new(BufWriter::new(output.as_file_mut()), None)?;
    let mut rows = Vec::new();
    for segment in &segments {
        let mut fits = Fits::new(input, &columns, &codecs, &segment.pages);
        for group in certain(segment, &columns, &mut fits, &mut left_out) {
            let offsets = fits.rows_of(&group);
            columns.write(input, segment, &group, &codecs, &mut writer)?;
            writer.add_chunk(offsets::chunk(&offsets)?, input)?;
            let described = RowGroup {
                num_rows: i64::try_from(group.rows).unwrap_or(i64::MAX),
                ..Default::default()
            };
            writer.end_row_group(described, input)?;
            rows.push(group.rows);
        }
    }
    writer.finish(columns.footer)?;
    drop(writer);
    left_out.sort_unstable_by_key(|it| it.start);
    Ok(Restored {
        file: output,
        left_out,
        rows,
    })
}

/// Returns the row groups of a segment that are certain, and names the other pages.
fn certain(
    segment: &Segment,
    columns: &Columns,
    fits: &mut Fits<'_>,
    left_out: &mut Vec<LeftOut>,
) -> Vec<Group> {
    let mut certain: Vec<Group> = Vec::new();
    let (mut from, mut begins, mut is_given_up) = (0, segment.begins, false);
    while from < segment.pages.len() && !is_given_up {
        let divided = divide(segment, from, begins, &columns.paths, fits);
        certain.extend(divided.certain);
        is_given_up = divided.is_given_up;
        from = divided.pages.max(from + 1);
        begins = false;
        if columns.leaves.len() == 1 && fits.is_of_other_column(from) {
            // With a single column, any pages that can be decoded would do. There are others.
            certain.clear();
            break;
        }
    }
    let mut page = 0;
    let ends = certain.iter().map(|it| (it.start(), it.end));
    for (start, end) in ends.chain([(segment.pages.len(), segment.pages.len())]) {
        if page < start {
            let last = &segment.pages[start - 1];
            left_out.push(LeftOut {
                start: segment.pages[page].offset,
                end: last.offset + last.compressed(),
                problem:
                    "its pages do not belong to a complete row group, or to one that is certain"
                        .to_owned(),
            });
        }
        page = end;
    }
    certain
}

impl Columns {
    /// Returns the compression of each column: that of the file with the schema, or, if all columns have the same, the
    /// one with which most pages can be decompressed.
    fn codecs_of(&self, input: &InputFile, segments: &[Segment]) -> Result<Vec<CompressionCodec>> {
        use CompressionCodec::{Brotli, Gzip, Lz4, Lz4Raw, Snappy, Uncompressed, Zstd};
        let known = self.codecs.as_deref().unwrap_or_default();
        if let [first, rest @ ..] = known
            && rest.iter().any(|it| it != first)
        {
            return Ok(known.to_vec());
        }
        let pages = segments.iter().flat_map(|segment| &segment.pages);
        let pages: Vec<&Page> = pages.take(SAMPLE).collect();
        let mut best = (0, Uncompressed);
        let others = [Uncompressed, Snappy, Zstd, Gzip, Lz4Raw, Brotli, Lz4];
        for codec in known.first().copied().into_iter().chain(others) {
            let mut intact = 0;
            for page in &pages {
                let bytes = bytes_at(input, page.offset..page.offset + page.compressed())?;
                intact += usize::from(!is_damaged(page, &bytes, codec));
            }
            if intact > best.0 {
                best = (intact, codec);
            }
        }
        Ok(vec![best.1; self.leaves.len()])
    }

    /// Copies the chunks of a row group.
    fn write(
        &self,
        input: &InputFile,
        segment: &Segment,
        group: &Group,
        codecs: &[CompressionCodec],
        writer: &mut FileWriter<impl std::io::Write>,
    ) -> Result<()> {
        let ends = group.starts.iter().skip(1).chain([&group.end]);
        let ranges = group.starts.iter().zip(ends);
        for ((start, end), (column, codec)) in ranges.zip(codecs.iter().enumerate()) {
            let pages = &segment.pages[*start..*end];
            let (described, range) = self.described(pages, column, *codec)?;
            writer.add_chunk(Chunk::open(input, described, range)?, input)?;
        }
        Ok(())
    }

    /// Describes the chunk of a column.
    fn described(
        &self,
        pages: &[Page],
        column: usize,
        codec: CompressionCodec,
    ) -> Result<(ColumnChunk, Range<u64>)> {
        let (Some(first), Some(last)) = (pages.first(), pages.last()) else {
            return Err(Error::corrupt("a chunk without pages"));
        };
        let data = pages.iter().find(|page| page.is_data());
        let range = first.offset..last.offset + last.compressed();
        let mut encodings: Vec<Encoding> = vec![Encoding::Rle];
        for encoding in pages.iter().filter_map(Page::encoding) {
            if !encodings.contains(&encoding) {
                encodings.push(encoding);
            }
        }
        let of_first = |kind| Some(first).filter(|it| it.header.page_type == kind);
        let uncompressed: u64 = pages.iter().map(Page::uncompressed).sum();
        let meta_data = ColumnMetaData {
            physical_type: physical_type(self.leaves[column].physical_type()),
            encodings: Encoded::new(&encodings)?,
            path_in_schema: Some(Encoded::new(&self.paths[column])?),
            codec,
            num_values: pages.iter().map(Page::values).sum(),
            total_uncompressed_size: uncompressed as i64,
            total_compressed_size: (range.end - range.start) as i64,
            data_page_offset: data.unwrap_or(first).offset as i64,
            dictionary_page_offset: of_first(PageType::DictionaryPage).map(|it| it.offset as i64),
            symbol_table_page_offset: of_first(PageType::SymbolTablePage)
                .map(|it| it.offset as i64),
            symbol_table_page_length: of_first(PageType::SymbolTablePage)
                .map(|it| it.compressed() as i32),
            ..Default::default()
        };
        let described = ColumnChunk {
            meta_data,
            ..Default::default()
        };
        Ok((described, range))
    }
}
