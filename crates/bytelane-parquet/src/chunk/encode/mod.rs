//! Encodes the rows of a leaf as a column chunk: pages, their indexes, and metadata for the footer.

mod bloom;
mod dense;
mod dictionary;
mod indexes;
mod pages;
mod statistics;

use super::Chunk;
use super::layout::Layout;
use super::leaf::{LeafPath, LeafValues, Unit, shred};
use super::rows::Rows;
use crate::page::{DenseValues, PageEncoder, PageValues, SlotLevels, ValueEncoding};
use crate::statistics::{Bounds, Order};
use crate::types::physical;
use crate::{Encoding, Result, WriterOptions};
use arrow_array::ArrayRef;
use bloom::BloomFilter;
use dense::with_dense;
use pages::Pages;
use parquet::basic::Type;
use parquet::file::properties::EnabledStatistics;
use parquet::schema::types::ColumnDescPtr;
use statistics::{bounds_of, described};

/// Chunk of a leaf, and the encoding of its values: PLAIN if a dictionary would have become too
/// large.
#[derive(Debug)]
pub(crate) struct EncodedLeaf {
    pub(crate) chunk: Chunk,
    pub(crate) encoding: Encoding,
}

/// Encoder of the chunk of a leaf.
pub(super) struct LeafEncoder<'a> {
    column: &'a ColumnDescPtr,
    path: &'a LeafPath,
    options: &'a WriterOptions,
    order: Order,
    statistics: EnabledStatistics,
    pages: &'a mut PageEncoder,
    scratch: &'a mut Vec<u8>,
}

impl<'a> LeafEncoder<'a> {
    pub(super) fn new(
        column: &'a ColumnDescPtr,
        path: &'a LeafPath,
        options: &'a WriterOptions,
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
        }
    }

    /// Encodes all rows. If the dictionary becomes too large, falls back to PLAIN for the whole
    /// chunk.
    pub(super) fn encode(&mut self, rows: Rows, layout: &Layout) -> Result<EncodedLeaf> {
        if layout.encoding == Encoding::Dictionary
            && let Some(chunk) = self.with_dictionary(rows.clone(), layout)?
        {
            let encoding = Encoding::Dictionary;
            return Ok(EncodedLeaf { chunk, encoding });
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
            Encoding::Plain | Encoding::Dictionary | Encoding::Auto => {
                (Encoding::Plain, ValueEncoding::Plain)
            }
        };
        let chunk = self.without_dictionary(rows, layout, values)?;
        Ok(EncodedLeaf { chunk, encoding })
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
        let mut scratch = std::mem::take(self.scratch);
        while let Some(arrays) = rows.take_page(self.path, unit, layout.pages) {
            let (levels, values) = self.shred(arrays)?;
            let values: Vec<LeafValues> = values
                .into_iter()
                .map(LeafValues::unpacked)
                .collect::<Result<_>>()?;
            with_dense(
                self.column,
                &values,
                self.options.backend,
                &mut scratch,
                |values| {
                    let bounds = match self.statistics {
                        EnabledStatistics::None => Bounds::default(),
                        _ => bounds_of(values, self.order),
                    };
                    filter.insert(values);
                    if let DenseValues::Strings(strings) = values {
                        pages.add_strings(strings.iter().map(|string| string.len()).sum());
                    }
                    self.append(&mut pages, &levels, values, encoding, &bounds)?;
                    Ok(())
                },
            )?;
        }
        *self.scratch = scratch;
        pages.finish(None, filter.finish()?, self.pages, self.options)
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
        pages: &mut Pages<'_>,
        levels: &SlotLevels,
        values: DenseValues<'_>,
        encoding: ValueEncoding,
        bounds: &Bounds,
    ) -> Result<()> {
        let in_header =
            self.options.page_header_statistics && self.statistics == EnabledStatistics::Page;
        let (nulls, length) = (levels.slots - levels.values, self.options.bound_bytes);
        let page = self.pages.append(
            &PageValues {
                encoding,
                values,
                levels,
                greatest: self.path.levels(),
                statistics: in_header
                    .then(|| described(bounds, self.column, self.order, nulls, length)),
            },
            &mut pages.bytes,
        )?;
        pages.append(levels, bounds, &page);
        Ok(())
    }
}
