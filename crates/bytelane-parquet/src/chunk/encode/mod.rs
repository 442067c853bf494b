//! Encodes the rows of a leaf as a column chunk: pages, their indexes, and metadata for the footer.

mod bloom;
mod dense;
mod dictionary;
mod indexes;
mod pages;
mod shared;
mod statistics;

use super::Chunk;
use super::layout::Layout;
use super::leaf::{LeafPath, LeafValues, Unit, shred};
use super::rows::Rows;
use crate::page::{
    DenseValues, EncodedPage, PageEncoder, PageValues, Pieces, SlotLevels, SymbolEncoder,
    ValueEncoding,
};
use crate::statistics::{Bounds, Order};
use crate::types::physical;
use crate::{Encoding, Result, WriterOptions};
use arrow_array::ArrayRef;
use arrow_buffer::Buffer;
use bloom::BloomFilter;
use dense::with_dense;
use pages::{FirstPage, PagePart, Pages};
use parquet::basic::Type;
use parquet::file::properties::EnabledStatistics;
use parquet::schema::types::ColumnDescPtr;
pub use shared::{Helpers, SharedChunk};
use statistics::{bounds_of, described};
use std::sync::Arc;

/// Number of bytes of strings of each page from which symbols are chosen.
const TRAINED_PER_PAGE: usize = 1 << 14;

/// Chunk of a leaf, and the encoding of its values: PLAIN if a dictionary would have become too
/// large.
#[derive(Debug)]
pub struct EncodedLeaf {
    pub chunk: Chunk,
    pub(crate) encoding: Encoding,
    /// Number of entries of its dictionary.
    pub(crate) entries: Option<usize>,
}

/// Encoder of the chunk of a leaf.
pub(super) struct LeafEncoder<'a> {
    column: &'a ColumnDescPtr,
    path: &'a LeafPath,
    options: &'a Arc<WriterOptions>,
    order: Order,
    statistics: EnabledStatistics,
    pages: &'a mut PageEncoder,
    scratch: &'a mut Vec<u8>,
    /// Threads that may encode some of the pages.
    helpers: Option<&'a Helpers>,
    /// Symbols of pages in FSST.
    symbols: Option<Arc<SymbolEncoder>>,
}

impl<'a> LeafEncoder<'a> {
    pub(super) fn new(
        column: &'a ColumnDescPtr,
        path: &'a LeafPath,
        options: &'a Arc<WriterOptions>,
        pages: &'a mut PageEncoder,
        scratch: &'a mut Vec<u8>,
    ) -> Self {
        Self {
            order: options.order_of(column),
            statistics: options.statistics_of(column.path().clone()),
            column,
            path,
            options,
            pages,
            scratch,
            helpers: None,
            symbols: None,
        }
    }

    /// Lets threads without work encode some of the pages.
    pub(super) fn helped_by(self, helpers: Option<&'a Helpers>) -> Self {
        Self { helpers, ..self }
    }

    /// Encodes all rows. If the dictionary becomes too large, falls back to PLAIN for the whole
    /// chunk.
    pub(super) fn encode(&mut self, rows: Rows, layout: &Layout) -> Result<EncodedLeaf> {
        if layout.encoding == Encoding::Dictionary
            && let Some(leaf) = self.with_dictionary(rows.clone(), layout)?
        {
            return Ok(leaf);
        }
        let (encoding, values) = match layout.encoding {
            Encoding::ByteStreamSplit => (layout.encoding, ValueEncoding::ByteStreamSplit),
            Encoding::DeltaBinaryPacked => (layout.encoding, ValueEncoding::Delta),
            Encoding::DeltaLengthByteArray => {
                (layout.encoding, ValueEncoding::DeltaLengthByteArray)
            }
            Encoding::DeltaByteArray => (layout.encoding, ValueEncoding::DeltaByteArray),
            Encoding::Rle => (layout.encoding, ValueEncoding::Rle),
            Encoding::Alp => (layout.encoding, ValueEncoding::Alp),
            Encoding::Fsst => {
                self.symbols = self.trained(rows.clone(), layout)?;
                match self.symbols {
                    Some(_) => (layout.encoding, ValueEncoding::Fsst),
                    None => (
                        Encoding::DeltaLengthByteArray,
                        ValueEncoding::DeltaLengthByteArray,
                    ),
                }
            }
            Encoding::Plain | Encoding::Dictionary | Encoding::Auto => {
                (Encoding::Plain, ValueEncoding::Plain)
            }
        };
        let chunk = self.without_dictionary(rows, layout, values)?;
        Ok(EncodedLeaf {
            chunk,
            encoding,
            entries: None,
        })
    }

    fn without_dictionary(
        &mut self,
        mut rows: Rows,
        layout: &Layout,
        encoding: ValueEncoding,
    ) -> Result<Chunk> {
        let unit = match (self.column.physical_type(), physical::width(self.column)) {
            (_, Some(width)) => Unit::Bits(8 * width),
            (Type::BOOLEAN, None) => Unit::Bits(1),
            _ => Unit::Strings,
        };
        let mut pages = self.new_pages();
        let mut filter = BloomFilter::new(self.column, self.options);
        if let Some(helpers) = self.helpers
            && !filter.is_wanted()
            && pages.extent.is_none()
            && Helpers::want(&rows)
        {
            let chunk = SharedChunk::new(self, rows, encoding, unit, layout.pages);
            let chunk = Arc::new(chunk);
            helpers.offer(&chunk);
            chunk.collect(&mut pages, self.pages, self.scratch)?;
            let first = self.symbols.as_deref().map(FirstPage::Symbols);
            return pages.finish(first, None, self.pages, self.options);
        }
        while let Some(arrays) = rows.take_page(self.path, unit, layout.pages) {
            let part = self.page(arrays, encoding, &mut pages.bytes, |values| {
                filter.insert(values);
                if let (Some(extent), DenseValues::Strings(strings)) = (&mut pages.extent, values) {
                    strings.iter().for_each(|it| extent.add(it));
                }
            })?;
            pages.append(&part);
        }
        let first = self.symbols.as_deref().map(FirstPage::Symbols);
        pages.finish(first, filter.finish()?, self.pages, self.options)
    }

    /// Chooses the symbols of a chunk from strings of each page. Returns `None` if their codes would not be smaller.
    fn trained(&self, mut rows: Rows, layout: &Layout) -> Result<Option<Arc<SymbolEncoder>>> {
        let (mut sample, mut bytes) = (Vec::new(), 0);
        while let Some(arrays) = rows.take_page(self.path, Unit::Strings, layout.pages) {
            let (_, values) = self.shred(arrays)?;
            let values: Vec<LeafValues> = values
                .into_iter()
                .map(LeafValues::unpacked)
                .collect::<Result<_>>()?;
            let mut strings = Vec::new();
            for part in &values {
                part.strings(self.column, &mut strings)?;
            }
            let all: usize = strings.iter().map(|string| string.len()).sum();
            bytes += all;
            let step = (all / TRAINED_PER_PAGE).max(1);
            let some = strings.iter().step_by(step);
            sample.extend(some.map(|string| string[..string.len().min(TRAINED_PER_PAGE)].to_vec()));
        }
        Ok(SymbolEncoder::train(&sample, bytes).map(Arc::new))
    }

    /// Appends a page with these rows to a buffer, and calls a function with its values.
    fn page(
        &mut self,
        arrays: Vec<ArrayRef>,
        encoding: ValueEncoding,
        to: &mut Pieces,
        mut see: impl FnMut(DenseValues<'_>),
    ) -> Result<PagePart> {
        let (levels, values) = self.shred(arrays)?;
        let values: Vec<LeafValues> = values
            .into_iter()
            .map(LeafValues::unpacked)
            .collect::<Result<_>>()?;
        let mut scratch = std::mem::take(self.scratch);
        let backend = self.options.backend;
        let part = with_dense(
            self.column,
            &values,
            backend,
            &mut scratch,
            |values, memory| {
                let bounds = match self.statistics {
                    EnabledStatistics::None => Bounds::default(),
                    _ => bounds_of(values, self.order),
                };
                see(values);
                let page = self.append(&levels, (values, memory), encoding, &bounds, to)?;
                Ok((bounds, page, string_bytes(values)))
            },
        );
        *self.scratch = scratch;
        let (bounds, page, strings) = part?;
        Ok(PagePart {
            levels,
            bounds,
            page,
            strings,
            bytes: Pieces::default(),
        })
    }

    fn new_pages(&self) -> Pages<'a> {
        let length = self.options.bound_bytes;
        Pages::new(self.column, self.order, self.path, self.statistics, length)
    }

    /// Returns the levels and values for the rows of a page.
    fn shred(&self, arrays: Vec<ArrayRef>) -> Result<(SlotLevels, Vec<LeafValues>)> {
        let mut all = None::<SlotLevels>;
        let mut values = Vec::with_capacity(arrays.len());
        for array in &arrays {
            let (levels, part) = shred(array, self.path)?;
            values.push(part);
            match &mut all {
                Some(all) => all.append(levels),
                None => all = Some(levels),
            }
        }
        Ok((all.unwrap_or_default(), values))
    }

    fn append(
        &mut self,
        levels: &SlotLevels,
        (values, memory): (DenseValues<'_>, Option<&Buffer>),
        encoding: ValueEncoding,
        bounds: &Bounds,
        to: &mut Pieces,
    ) -> Result<EncodedPage> {
        let in_header =
            self.options.page_header_statistics && self.statistics == EnabledStatistics::Page;
        let (nulls, length) = (levels.slots - levels.values, self.options.bound_bytes);
        let page = PageValues {
            encoding,
            values,
            symbols: self.symbols.as_deref(),
            memory,
            levels,
            greatest: self.path.levels(),
            statistics: in_header
                .then(|| described(bounds, self.column, self.order, nulls, length)),
        };
        self.pages.append(&page, to)
    }
}

/// Returns the number of bytes of strings without their lengths.
fn string_bytes(values: DenseValues<'_>) -> Option<usize> {
    let DenseValues::Strings(strings) = values else {
        return None;
    };
    Some(strings.iter().map(|string| string.len()).sum())
}
