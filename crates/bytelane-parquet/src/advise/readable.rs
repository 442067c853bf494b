//! The columns of a file that Arrow has types for. The crate `parquet` opens no file with another one, so that it is
//! shown a footer without these.

use crate::contained::contained;
use crate::physical::roots;
use crate::rewrite::source::alone;
use crate::{Error, Problem, Result};
use parquet::arrow::parquet_to_arrow_schema;
use parquet::file::metadata::{
    FileMetaData, KeyValue, ParquetMetaData, ParquetMetaDataBuilder, RowGroupMetaData,
};
use parquet::schema::types::{SchemaDescriptor, Type, TypePtr};
use std::ops::Range;
use std::sync::Arc;

/// A column of the schema's outermost level that has leaves.
pub(super) struct Root {
    /// Its type.
    pub(super) in_file: TypePtr,
    /// Its leaves, counted over the whole schema.
    pub(super) leaves: Range<usize>,
    /// Which one of those that can be read it is, or why it cannot be read.
    pub(super) readable: std::result::Result<usize, String>,
}

/// The columns of a footer, and what of it can be read.
pub(super) fn readable(footer: &Arc<ParquetMetaData>) -> Result<(Vec<Root>, Arc<ParquetMetaData>)> {
    let file = footer.file_metadata();
    let roots = roots(file.schema_descr()).into_iter().enumerate();
    let roots = roots.map(|(number, (in_file, leaves))| Root {
        in_file,
        leaves,
        readable: Ok(number),
    });
    let mut roots: Vec<Root> = roots.collect();
    let has_type = has_type(file.schema_descr(), file.key_value_metadata());
    if has_type.is_ok() && roots.len() == file.schema().get_fields().len() {
        return Ok((roots, Arc::clone(footer)));
    }
    let mut count = 0;
    for root in &mut roots {
        let alone = alone(file.schema_descr(), &root.in_file)?;
        root.readable = self::has_type(&alone, None).map(|()| {
            count += 1;
            count - 1
        });
    }
    let kept = kept(footer, roots.iter().filter(|root| root.readable.is_ok()))?;
    Ok((roots, Arc::new(kept)))
}

impl Root {
    /// Its number for the reader.
    pub(super) fn number(&self) -> Result<usize> {
        let number = self.readable.clone();
        number.map_err(|why| Error::new(Problem::Unsupported(why)))
    }
}

/// Whether Arrow has a type for each column, or why not.
fn has_type(
    schema: &SchemaDescriptor,
    entries: Option<&Vec<KeyValue>>,
) -> std::result::Result<(), String> {
    let converted = contained(|| Ok(parquet_to_arrow_schema(schema, entries).map(drop)?));
    converted.map_err(|error| format!("Arrow has no type for it: {error}"))
}

/// A footer with these columns only. It names no Arrow schema, which would be that of all columns.
fn kept<'a>(
    footer: &ParquetMetaData,
    roots: impl Iterator<Item = &'a Root> + Clone,
) -> Result<ParquetMetaData> {
    let file = footer.file_metadata();
    let fields = roots.clone().map(|root| Arc::clone(&root.in_file));
    let schema = Type::group_type_builder(file.schema().name()).with_fields(fields.collect());
    let schema = Arc::new(SchemaDescriptor::new(Arc::new(schema.build()?)));
    let mut kept = ParquetMetaDataBuilder::new(FileMetaData::new(
        file.version(),
        file.num_rows(),
        file.created_by().map(ToOwned::to_owned),
        None,
        Arc::clone(&schema),
        None,
    ));
    for row_group in footer.row_groups() {
        let leaves = roots.clone().flat_map(|root| root.leaves.clone());
        let columns = leaves.map(|leaf| row_group.column(leaf).clone());
        let of_these = RowGroupMetaData::builder(Arc::clone(&schema))
            .set_num_rows(row_group.num_rows())
            .set_total_byte_size(row_group.total_byte_size())
            .set_column_metadata(columns.collect());
        kept = kept.add_row_group(of_these.build()?);
    }
    Ok(kept.build())
}
