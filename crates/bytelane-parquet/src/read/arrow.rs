//! Arrow types of a file's columns.

use super::schema::{can_exist, fitted, with_whole_intervals, with_zones, without_other_values};
use crate::Result;
use crate::catch_panic::catch_panic;
use crate::file::{OpenFooter, RowGroups, in_parquet};
use crate::format;
use crate::stack::with_stack;
use crate::types::extension::with_extension_types;
use crate::types::written::{with_texts, written_schema};
use arrow_schema::{Schema, SchemaRef};
use parquet::arrow::ARROW_SCHEMA_META_KEY;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::file::metadata::{FileMetaData, KeyValue, ParquetMetaData};
use std::sync::Arc;

/// Footer whose annotations all have types in Arrow.
pub(super) struct ArrowFooter {
    pub(super) footer: OpenFooter,
    /// Types of the columns without the Arrow schema.
    pub(super) own: ArrowReaderMetadata,
}

impl ArrowFooter {
    /// Removes annotations that Arrow has no types for.
    pub(super) fn new(mut footer: OpenFooter) -> Result<Self> {
        let has_schema = has_arrow_schema(&footer.schema);
        // Key-value metadata becomes metadata of the schema.
        let options = || ArrowReaderOptions::new().with_skip_arrow_metadata(has_schema);
        let own = match in_arrow(&footer.schema, footer.depth, options()) {
            Ok(own) if can_exist(own.schema().fields()) => own,
            _ => {
                let all = footer.row_groups.metadata();
                footer.schema = Arc::new(with_stack(footer.depth, || fitted(all))?);
                footer.row_groups = RowGroups::Decoded(Arc::clone(&footer.schema));
                in_arrow(&footer.schema, footer.depth, options())?
            }
        };
        Ok(Self { footer, own })
    }

    /// Returns the types that the file's Arrow schema gives the columns, except where they would
    /// change values.
    pub(super) fn usual_types(self) -> Result<(RowGroups, ArrowReaderMetadata)> {
        let Self { footer, own } = self;
        let columns = footer.schema.file_metadata().schema_descr().columns();
        let with_types = |schema| {
            let options = ArrowReaderOptions::new().with_schema(schema);
            in_arrow(&footer.schema, footer.depth, options)
        };
        let hint = |file: &Arc<ParquetMetaData>| {
            in_arrow(file, footer.depth, ArrowReaderOptions::new()).ok()
        };
        let hinted = has_arrow_schema(&footer.schema)
            .then(|| hint(&footer.schema).or_else(|| hint(&mended(&footer.schema)?)));
        let metadata = match hinted.flatten() {
            Some(hinted) => {
                let of_hint = hinted.schema();
                let zoned = written(&footer.schema).and_then(|it| with_zones(of_hint, &it));
                let asked = zoned.as_ref().unwrap_or(of_hint);
                match without_other_values(asked, own.schema(), columns).or(zoned) {
                    Some(schema) => with_types(schema).unwrap_or(own),
                    None => hinted,
                }
            }
            // The Arrow schema may belong to other columns, or be nested deeper than its format
            // allows.
            None => with_whole_intervals(own.schema()).map_or(Ok(own), with_types)?,
        };
        let extended = with_extension_types(metadata.schema(), columns);
        let extended = extended.and_then(|schema| with_types(schema).ok());
        Ok((footer.row_groups, extended.unwrap_or(metadata)))
    }
}

/// Returns the Arrow schema with which a file is read.
pub fn arrow_schema(footer: &format::FileMetaData, depth: usize) -> Result<SchemaRef> {
    let bare = format::FileMetaData {
        version: footer.version,
        schema: footer.schema.clone(),
        key_value_metadata: footer.key_value_metadata.clone(),
        created_by: footer.created_by.clone(),
        ..Default::default()
    };
    let schema = Arc::new(with_stack(depth, || in_parquet(&bare))?);
    let footer = OpenFooter {
        row_groups: RowGroups::Decoded(Arc::clone(&schema)),
        schema,
        depth,
    };
    let (_, metadata) = ArrowFooter::new(footer)?.usual_types()?;
    Ok(Arc::clone(metadata.schema()))
}

/// Returns the types that these options give the columns of a file with this nesting depth.
pub(super) fn in_arrow(
    schema: &Arc<ParquetMetaData>,
    depth: usize,
    options: ArrowReaderOptions,
) -> Result<ArrowReaderMetadata> {
    let schema = Arc::clone(schema);
    with_stack(depth, || {
        catch_panic(|| Ok(ArrowReaderMetadata::try_new(schema, options)?))
    })
}

/// Returns a footer whose Arrow schema can be decoded, although its metadata is not text.
fn mended(footer: &ParquetMetaData) -> Option<Arc<ParquetMetaData>> {
    let file = footer.file_metadata();
    let pairs = with_texts(file.key_value_metadata())?;
    let file = FileMetaData::new(
        file.version(),
        file.num_rows(),
        file.created_by().map(str::to_owned),
        Some(pairs),
        file.schema_descr_ptr(),
        file.column_orders().cloned(),
    );
    Some(Arc::new(ParquetMetaData::new(
        file,
        footer.row_groups().to_vec(),
    )))
}

fn has_arrow_schema(footer: &ParquetMetaData) -> bool {
    schema_pair(footer).is_some()
}

/// Returns the pair with the Arrow schema.
fn schema_pair(footer: &ParquetMetaData) -> Option<&KeyValue> {
    let entries = footer.file_metadata().key_value_metadata()?;
    entries.iter().find(|it| it.key == ARROW_SCHEMA_META_KEY)
}

/// Returns the Arrow schema as its writer had it, if the file has one that is not damaged.
fn written(footer: &ParquetMetaData) -> Option<Schema> {
    written_schema(schema_pair(footer)?.value.as_deref()?).ok()
}
