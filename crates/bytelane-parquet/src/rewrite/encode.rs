//! Re-encoded column chunks: a column of one row group becomes a file of its own in memory, whose
//! chunks are then moved like those of any other file.

use super::checksums::with_checksums;
use super::chunk::Chunk;
use super::int96::{Check, Int96Unit};
use super::kinds::PageKinds;
use super::plan::BESIDE_INT96;
use super::source::{Column, Reopen, Root, Source};
use crate::bare::{bare_leaf, group_of};
use crate::budget::{Budget, MemoryLimit, extent, too_large};
use crate::metadata::{Footer, read_footer};
use crate::{Error, Result, Writer, WriterOptions};
use arrow_array::RecordBatchReader;
use bytes::Bytes;
use parquet::arrow::ArrowSchemaConverter;
use parquet::basic::{LogicalType, Type as PhysicalType};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor, Type, TypePtr};
use std::sync::Arc;

impl<R: Reopen> Source<R> {
    /// A re-encoded column of a row group, or why that fails.
    pub fn encode(
        &self,
        at: Column<'_>,
        limit: u64,
        options: WriterOptions,
        convert: Option<Int96Unit>,
    ) -> Result<std::result::Result<Encoded, String>> {
        if convert.is_none() && at.root.has_int96() {
            return Ok(Err(BESIDE_INT96.to_owned()));
        }
        let batches = match self.batches(at, convert)? {
            Ok(batches) => batches,
            Err(obstacle) => return Ok(Err(obstacle)),
        };
        let column = in_file(at.root, convert)?;
        let by_arrow = ArrowSchemaConverter::new().convert(&batches.schema())?;
        let pairs = || by_arrow.columns().iter().zip(column.columns());
        if by_arrow.num_columns() != column.num_columns()
            || !pairs().all(|(by_arrow, column)| can_store(by_arrow, column))
        {
            return Ok(Err("Arrow has no type for this column".to_owned()));
        }
        let mut check = match convert {
            Some(unit) => Check::new(self, at, unit)?,
            None => None,
        };
        let mut bytes = Vec::new();
        let options = options.with_row_group_rows(usize::MAX);
        let mut writer = Writer::with_types(&mut bytes, batches.schema(), &column, options)?;
        let memory = Budget::new(limit).reservation();
        let mut rows_read = 0;
        for batch in batches {
            let batch = batch?;
            if memory.add(extent(batch.column(0))).is_err() {
                return Ok(Err(too_large(limit)));
            }
            if let Some(check) = &mut check {
                check.next(batch.column(0))?;
            }
            rows_read += batch.num_rows() as i64;
            writer.write(&batch)?;
        }
        if rows_read != at.row_group.rows {
            return Err(Error::corrupt(format!(
                "the column has {rows_read} rows, but its row group has {}",
                at.row_group.rows
            )));
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
}

impl Encoded {
    fn new(bytes: Bytes) -> Result<Self> {
        let footer = read_footer(&bytes)?;
        Ok(Self { bytes, footer })
    }

    /// The chunk of a leaf.
    pub fn chunk(&self, leaf: usize) -> Result<New> {
        let described = self.footer.metadata.row_group(0).column(leaf);
        let chunk = &self.footer.file.row_groups[0].columns[leaf];
        let (kinds, range) = PageKinds::of(&self.bytes, described, MemoryLimit::NONE)?;
        Ok(New {
            stored: range.end - range.start,
            described: described.clone(),
            kinds,
            chunk: Chunk::new(chunk.decode()?, range, &self.bytes)?,
            bytes: self.bytes.clone(),
        })
    }
}

/// A chunk that was re-encoded.
#[derive(Debug)]
pub(super) struct New {
    /// Bytes of its pages, without checksums.
    pub stored: u64,
    pub described: ColumnChunkMetaData,
    pub kinds: PageKinds,
    pub chunk: Chunk,
    /// The file that it is in.
    pub bytes: Bytes,
}

impl New {
    /// The same, each page with its checksum.
    pub fn with_checksums(mut self) -> Result<Self> {
        self.bytes = with_checksums(&mut self.chunk, &self.bytes)?;
        self.kinds.checksums = true;
        Ok(self)
    }
}

/// The column as the crate `parquet` can write it.
fn in_file(root: &Root, convert: Option<Int96Unit>) -> Result<SchemaDescriptor> {
    let column = known(root.in_file(), convert)?;
    let schema = Type::group_type_builder(root.schema.name()).with_fields(vec![column]);
    Ok(SchemaDescriptor::new(Arc::new(schema.build()?)))
}

/// A type without logical types that the crate `parquet` does not know and refuses to write. They mean nothing for
/// how values are stored, and the schema of the new file is that of the old one anyway.
fn known(column: &TypePtr, convert: Option<Int96Unit>) -> Result<TypePtr> {
    let info = column.get_basic_info();
    let id = info.has_id().then(|| info.id());
    let unknown = matches!(info.logical_type_ref(), Some(LogicalType::_Unknown { .. }));
    match column.as_ref() {
        Type::PrimitiveType {
            physical_type: PhysicalType::INT96,
            ..
        } if convert.is_some() => {
            let logical = convert.map(Int96Unit::logical_type);
            let leaf = Type::primitive_type_builder(info.name(), PhysicalType::INT64)
                .with_repetition(info.repetition())
                .with_logical_type(logical)
                .with_id(id);
            Ok(Arc::new(leaf.build()?))
        }
        Type::PrimitiveType {
            physical_type,
            type_length,
            ..
        } if unknown => bare_leaf(column, *physical_type, *type_length),
        Type::PrimitiveType { .. } => Ok(Arc::clone(column)),
        Type::GroupType { fields, .. } => {
            let fields = fields.iter().map(|field| known(field, convert));
            group_of(column, fields.collect::<Result<_>>()?)
        }
    }
}

/// Whether the crate `parquet` would store values without annotations in the same way. It has the same levels there.
fn can_store(by_arrow: &ColumnDescriptor, column: &ColumnDescriptor) -> bool {
    let levels = |column: &ColumnDescriptor| (column.max_def_level(), column.max_rep_level());
    let physical =
        |column: &ColumnDescriptor| (column.physical_type(), column.type_length().max(0));
    levels(by_arrow) == levels(column) && physical(by_arrow) == physical(column)
}
