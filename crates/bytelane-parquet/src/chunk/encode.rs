//! A column chunk in BYTE_STREAM_SPLIT or ALP: pages, their indexes, and what the footer says of them.

use super::column::check_required;
use super::layout::Layout;
use super::rows::Rows;
use crate::page::{PageEncoder, PageValues, ValueEncoding, dense};
use crate::statistics::{Bounds, Order};
use crate::types::physical;
use crate::{Result, WriterOptions};
use arrow_array::Array;
use bytes::Bytes;
use parquet::basic::{BoundaryOrder, Compression, Encoding, EncodingMask, PageType};
use parquet::bloom_filter::Sbbf;
use parquet::column::page::PageWriter;
use parquet::column::writer::ColumnCloseResult;
use parquet::file::metadata::{
    ColumnChunkMetaData, ColumnIndexBuilder, LevelHistogram, OffsetIndexBuilder, PageEncodingStats,
};
use parquet::file::properties::EnabledStatistics;
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;
use std::cmp::Ordering;

/// A chunk while its pages are written.
pub(super) struct OwnChunk<'a> {
    column: &'a ColumnDescPtr,
    encoding: ValueEncoding,
    options: &'a WriterOptions,
    statistics: EnabledStatistics,
    order: Order,
    width: usize,
    pages: &'a mut PageEncoder,
    scratch: &'a mut Vec<u8>,
    bytes: TrackedWrite<Vec<u8>>,
    bounds: Bounds,
    rows: usize,
    nulls: usize,
    /// How the values of pages are stored, and how many pages have it.
    pages_in: Vec<(ValueEncoding, i32)>,
    compressed_size: i64,
    uncompressed_size: i64,
    column_index: ColumnIndexBuilder,
    offset_index: OffsetIndexBuilder,
    boundaries: Boundaries,
    bloom_filter: Option<Sbbf>,
}

impl<'a> OwnChunk<'a> {
    /// Encodes all rows: the chunk's bytes, and what is to be known of them. The layout has this encoding.
    pub(super) fn encode(
        column: &'a ColumnDescPtr,
        mut rows: Rows,
        options: &'a WriterOptions,
        layout: &Layout,
        encoding: ValueEncoding,
        pages: &'a mut PageEncoder,
        scratch: &'a mut Vec<u8>,
    ) -> Result<(Bytes, ColumnCloseResult)> {
        let path = column.path();
        let Some(width) = physical::width(column) else {
            return Err(physical::not_convertible(rows.data_type(), column));
        };
        let bloom_filter = options.bloom_filter_of(path.clone());
        let (bloom_filter, probability) = match &bloom_filter {
            Some(wanted) => (
                Some(Sbbf::new_with_ndv_fpp(wanted.ndv(), wanted.fpp())?),
                wanted.fpp(),
            ),
            None => (None, 0.0),
        };
        let statistics = options.statistics_of(path.clone());
        let mut column_index = ColumnIndexBuilder::new(column.physical_type());
        if statistics != EnabledStatistics::Page {
            column_index.to_invalid();
        }
        let mut chunk = Self {
            column,
            encoding,
            options,
            statistics,
            order: Order::of(column),
            width,
            pages,
            scratch,
            bytes: TrackedWrite::new(Vec::new()),
            bounds: Bounds::default(),
            rows: 0,
            nulls: 0,
            pages_in: Vec::new(),
            compressed_size: 0,
            uncompressed_size: 0,
            column_index,
            offset_index: OffsetIndexBuilder::new(),
            boundaries: Boundaries::default(),
            bloom_filter,
        };
        while let Some(page) = rows.take(layout.pages.rows_of_width(width))? {
            chunk.append_page(&page)?;
        }
        if let Some(filter) = &mut chunk.bloom_filter {
            filter.fold_to_target_fpp(probability);
        }
        let compression = options.compression_of(path.clone());
        chunk.finish(compression)
    }

    fn append_page(&mut self, array: &dyn Array) -> Result<()> {
        check_required(self.column, array)?;
        let (slots, nulls, null_count) = (array.len(), array.nulls(), array.null_count());
        let values = physical::to_physical(array, self.column)?;
        let mut scratch = std::mem::take(self.scratch);
        let dense = dense(&values, self.width, nulls, &mut scratch);
        let bounds = match self.statistics {
            EnabledStatistics::None => Bounds::default(),
            EnabledStatistics::Chunk | EnabledStatistics::Page => {
                self.order.bounds(dense, self.width)
            }
        };
        if let Some(filter) = &mut self.bloom_filter {
            for value in dense.chunks_exact(self.width) {
                filter.insert(value);
            }
        }
        let in_header =
            self.options.page_header_statistics && self.statistics == EnabledStatistics::Page;
        let page = self.pages.encode(&PageValues {
            encoding: self.encoding,
            slots,
            nulls,
            optional: self.column.max_def_level() > 0,
            dense,
            width: self.width,
            statistics: in_header.then(|| bounds.statistics(self.column, null_count as u64)),
        })?;
        *self.scratch = scratch;

        let written = SerializedPageWriter::new(&mut self.bytes).write_page(page.page)?;
        self.pages.recycle(page.memory);
        self.offset_index
            .append_offset_and_size(written.offset as i64, written.compressed_size as i32);
        self.offset_index.append_row_count(slots as i64);
        self.append_to_column_index(&bounds, slots, null_count);
        self.bounds.merge(&bounds, self.order);
        self.compressed_size += written.compressed_size as i64;
        self.uncompressed_size += written.uncompressed_size as i64;
        self.rows += slots;
        self.nulls += null_count;
        match self
            .pages_in
            .iter_mut()
            .find(|(it, _)| *it == page.encoding)
        {
            Some((_, pages)) => *pages += 1,
            None => self.pages_in.push((page.encoding, 1)),
        }
        Ok(())
    }

    /// A page that has values but no bounds makes the whole index invalid: the format has no way to say so.
    fn append_to_column_index(&mut self, bounds: &Bounds, slots: usize, nulls: usize) {
        let index = &mut self.column_index;
        let null_page = slots == nulls;
        let range = match null_page {
            true => Some((Vec::new(), Vec::new())),
            false => bounds.truncated(self.order),
        };
        let Some((least, most)) = range.filter(|_| index.valid()) else {
            index.to_invalid();
            return;
        };
        if !null_page {
            self.boundaries.append(&least, &most, self.order);
        }
        let nans = bounds.nan_count(self.order).map(|nans| nans as i64);
        index.append(null_page, least, most, nulls as i64, nans);
        let histogram = level_histogram(self.column, slots, nulls);
        index.append_histograms(&None, &histogram);
    }

    fn finish(mut self, compression: Compression) -> Result<(Bytes, ColumnCloseResult)> {
        let of_values = self.pages_in.iter();
        let of_values = of_values.map(|(encoding, _)| encoding.in_parquet());
        let encodings: Vec<Encoding> = of_values.chain([Encoding::RLE]).collect();
        let page_type = match self.options.version {
            crate::DataPageVersion::V1 => PageType::DATA_PAGE,
            crate::DataPageVersion::V2 => PageType::DATA_PAGE_V2,
        };
        let page_counts = self.pages_in.iter();
        let page_counts = page_counts.map(|&(encoding, count)| PageEncodingStats {
            page_type,
            encoding: encoding.in_parquet(),
            count,
        });
        let mut metadata = ColumnChunkMetaData::builder(self.column.clone())
            .set_compression(compression)
            .set_encodings_mask(EncodingMask::new_from_encodings(encodings.iter()))
            .set_page_encoding_stats(page_counts.collect())
            .set_num_values(self.rows as i64)
            .set_total_compressed_size(self.compressed_size)
            .set_total_uncompressed_size(self.uncompressed_size)
            .set_data_page_offset(0);
        if self.statistics != EnabledStatistics::None {
            let histogram = level_histogram(self.column, self.rows, self.nulls);
            metadata = metadata
                .set_statistics(self.bounds.statistics(self.column, self.nulls as u64))
                .set_definition_level_histogram(histogram);
        }
        let column_index = match self.column_index.valid() {
            true => {
                self.column_index
                    .set_boundary_order(self.boundaries.order());
                Some(self.column_index.build()?)
            }
            false => None,
        };
        let close = ColumnCloseResult {
            bytes_written: self.compressed_size as u64,
            rows_written: self.rows as u64,
            metadata: metadata.build()?,
            bloom_filter: self.bloom_filter,
            column_index,
            offset_index: Some(self.offset_index.build()),
        };
        Ok((self.bytes.into_inner()?.into(), close))
    }
}

/// How many values are null, and how many are not, in a column that can have nulls.
fn level_histogram(column: &ColumnDescPtr, slots: usize, nulls: usize) -> Option<LevelHistogram> {
    let optional = column.max_def_level() > 0;
    optional.then(|| vec![nulls as i64, (slots - nulls) as i64].into())
}

/// Whether the bounds of the pages rise or fall.
struct Boundaries {
    last: Option<(Vec<u8>, Vec<u8>)>,
    ascending: bool,
    descending: bool,
}

impl Default for Boundaries {
    fn default() -> Self {
        Self {
            last: None,
            ascending: true,
            descending: true,
        }
    }
}

impl Boundaries {
    fn append(&mut self, least: &[u8], most: &[u8], order: Order) {
        if let Some((last_least, last_most)) = &self.last {
            let change = [
                order.compare(last_least, least),
                order.compare(last_most, most),
            ];
            self.ascending &= !change.contains(&Ordering::Greater);
            self.descending &= !change.contains(&Ordering::Less);
        }
        self.last = Some((least.to_vec(), most.to_vec()));
    }

    fn order(&self) -> BoundaryOrder {
        match (self.ascending, self.descending) {
            (true, _) => BoundaryOrder::ASCENDING,
            (false, true) => BoundaryOrder::DESCENDING,
            (false, false) => BoundaryOrder::UNORDERED,
        }
    }
}
