//! The columns of a file that can be read, as they are stored: without annotations. The crate `parquet` opens no file
//! with a column that Arrow has no type for, so that it is shown a footer without these.

use crate::bare::bare;
use crate::contained::contained;
use crate::physical::roots as roots_of;
use crate::rewrite::source::alone;
use crate::{Error, Problem, Result};
use parquet::arrow::parquet_to_arrow_schema;
use parquet::file::metadata::{
    FileMetaData, ParquetMetaData, ParquetMetaDataBuilder, RowGroupMetaData,
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
    let schema = footer.file_metadata().schema_descr();
    let mut count = 0;
    let mut roots = Vec::new();
    let mut bares = Vec::new();
    for (in_file, leaves) in roots_of(schema) {
        let read = bare(&in_file).and_then(|bare| {
            let alone = alone(schema, &bare)?;
            contained(|| Ok(parquet_to_arrow_schema(&alone, None)?))?;
            Ok(bare)
        });
        let readable = match read {
            Ok(bare) => {
                bares.push((bare, leaves.clone()));
                count += 1;
                Ok(count - 1)
            }
            Err(error) => Err(format!("Arrow has no type for it: {error}")),
        };
        roots.push(Root {
            in_file,
            leaves,
            readable,
        });
    }
    let kept = kept(footer, &bares)?;
    Ok((roots, Arc::new(kept)))
}

impl Root {
    /// Its number for the reader.
    pub(super) fn number(&self) -> Result<usize> {
        let number = self.readable.clone();
        number.map_err(|why| Error::new(Problem::Unsupported(why)))
    }
}

/// A footer with these columns only. It names no Arrow schema, which would be that of all columns.
fn kept(footer: &ParquetMetaData, roots: &[(TypePtr, Range<usize>)]) -> Result<ParquetMetaData> {
    let file = footer.file_metadata();
    let fields = roots.iter().map(|(bare, _)| Arc::clone(bare));
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
        let leaves = roots.iter().flat_map(|(_, leaves)| leaves.clone());
        let columns = leaves.map(|leaf| row_group.column(leaf).clone());
        let of_these = RowGroupMetaData::builder(Arc::clone(&schema))
            .set_num_rows(row_group.num_rows())
            .set_total_byte_size(row_group.total_byte_size())
            .set_column_metadata(columns.collect());
        kept = kept.add_row_group(of_these.build()?);
    }
    Ok(kept.build())
}
