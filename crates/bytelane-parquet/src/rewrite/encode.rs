//! Re-encoded column chunks: a column of one row group becomes a file of its own in memory, whose
//! chunks are then moved like those of any other file.

use super::chunk::{Chunk, damaged};
use super::kinds::PageKinds;
use super::source::{Reopen, Source};
use crate::allowance::{Allowance, TOO_LARGE};
use crate::metadata::{Fields, Footer, chunk_range, read_footer};
use crate::{Error, Result, Writer, WriterOptions};
use arrow_array::RecordBatchReader;
use bytes::Bytes;
use parquet::arrow::{ArrowSchemaConverter, ProjectionMask};
use parquet::basic::{ConvertedType, LogicalType, Type as PhysicalType};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor, Type};
use std::sync::Arc;

/// Fields in parquet.thrift: the row groups of a file, and the columns of a row group.
pub(super) const ROW_GROUPS: i16 = 4;
pub(super) const COLUMNS: i16 = 1;

impl<R: Reopen> Source<R> {
    /// A re-encoded column of a row group, or why that fails; `root` counts the columns of the schema's
    /// outermost level.
    pub fn encode(
        &self,
        row_group: usize,
        root: usize,
        mut allowance: Allowance,
        options: WriterOptions,
    ) -> Result<std::result::Result<Encoded, &'static str>> {
        let file = self.metadata().file_metadata();
        let column = Arc::clone(&file.schema().get_fields()[root]);
        let column = Type::group_type_builder(file.schema().name())
            .with_fields(vec![column])
            .build()?;
        let column = SchemaDescriptor::new(Arc::new(column));
        let rows = self.metadata().row_group(row_group).num_rows();
        let mask = ProjectionMask::roots(file.schema_descr(), [root]);
        let batches = self.batches(vec![row_group], mask)?;
        let by_arrow = ArrowSchemaConverter::new().convert(&batches.schema())?;
        let pairs = || by_arrow.columns().iter().zip(column.columns());
        if by_arrow.num_columns() != column.num_columns()
            || !pairs().all(|(by_arrow, column)| can_store(by_arrow, column))
        {
            return Ok(Err("Arrow has no type for this column"));
        }
        let mut bytes = Vec::new();
        let options = options.with_row_group_rows(usize::MAX);
        let mut writer = Writer::with_types(&mut bytes, batches.schema(), &column, options)?;
        let mut rows_read = 0;
        for batch in batches {
            let batch = batch?;
            if !allowance.take(batch.column(0)) {
                return Ok(Err(TOO_LARGE));
            }
            rows_read += batch.num_rows() as i64;
            writer.write(&batch)?;
        }
        if rows_read != rows {
            let problem = format!("the column has {rows_read} rows, but its row group has {rows}");
            return Err(Error::corrupt(problem));
        }
        writer.close()?;
        Encoded::new(bytes.into()).map(Ok)
    }
}

/// A file of one column of one row group.
#[derive(Debug)]
pub(super) struct Encoded {
    bytes: Bytes,
    footer: Footer,
    chunks: Vec<Fields>,
}

impl Encoded {
    fn new(bytes: Bytes) -> Result<Self> {
        let footer = read_footer(&bytes)?;
        let (fields, _) = Fields::read(&footer.bytes).map_err(damaged)?;
        let row_groups = fields.structures(ROW_GROUPS).map_err(damaged)?;
        let chunks = row_groups.first().map(|group| group.structures(COLUMNS));
        Ok(Self {
            chunks: chunks.transpose().map_err(damaged)?.unwrap_or_default(),
            bytes,
            footer,
        })
    }

    /// The chunk of a leaf.
    pub fn new_chunk(&self, leaf: usize) -> Result<New<'_>> {
        let described = self.footer.metadata.row_group(0).column(leaf);
        let range = chunk_range(described, self.bytes.len() as u64)?;
        Ok(New {
            described,
            kinds: PageKinds::of(&self.bytes, described, range.clone())?,
            chunk: Chunk::new(self.chunks[leaf].clone(), range, &self.bytes)?,
            reader: &self.bytes,
        })
    }
}

/// A chunk that was re-encoded.
#[derive(Debug)]
pub(super) struct New<'a> {
    pub described: &'a ColumnChunkMetaData,
    pub kinds: PageKinds,
    pub chunk: Chunk,
    /// The file that it is in.
    pub reader: &'a Bytes,
}

/// Whether values that the crate `parquet` would store in one way can be stored in another one. It
/// has the same levels there; the types are the same, or decimals of which it knows the length.
fn can_store(by_arrow: &ColumnDescriptor, column: &ColumnDescriptor) -> bool {
    let levels = |column: &ColumnDescriptor| (column.max_def_level(), column.max_rep_level());
    let physical =
        |column: &ColumnDescriptor| (column.physical_type(), column.type_length().max(0));
    let is_decimal = column.converted_type() == ConvertedType::DECIMAL
        || matches!(column.logical_type_ref(), Some(LogicalType::Decimal(_)));
    let as_decimal = || match column.physical_type() {
        PhysicalType::INT32 | PhysicalType::INT64 => true,
        PhysicalType::FIXED_LEN_BYTE_ARRAY => {
            decimal_bytes(column.type_precision()) == Some(column.type_length())
        }
        _ => false,
    };
    levels(by_arrow) == levels(column)
        && (physical(by_arrow) == physical(column) || (is_decimal && as_decimal()))
}

/// The fewest bytes that hold all decimals of up to 38 digits.
fn decimal_bytes(precision: i32) -> Option<i32> {
    let most = 10_i128.checked_pow(u32::try_from(precision).ok()?)? - 1;
    let bits = i128::BITS - most.leading_zeros() + 1;
    i32::try_from(bits.div_ceil(8)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lengths_of_decimals_are_those_of_the_specification() {
        let digits = [9, 10, 11, 12, 18, 19, 38].map(decimal_bytes);
        assert_eq!(digits, [4, 5, 5, 6, 8, 9, 16].map(Some));
        assert_eq!(decimal_bytes(39), None);
    }
}
