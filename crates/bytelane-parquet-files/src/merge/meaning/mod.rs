//! Meanings of the columns of the inputs, and of the output: their Arrow types.

mod convert;
mod dictionaries;
mod hints;

pub(super) use convert::{Converting, repeated};
pub(super) use dictionaries::{Order, orders};
pub(super) use hints::Hints;

use crate::edits::renamed_fields;
use arrow_schema::{Field, FieldRef, Schema};
use bytelane_parquet::catch_panic::catch_panic;
use bytelane_parquet::format::{self, FileMetaData, SchemaElement, decode_footer};
use bytelane_parquet::read::arrow_schema;
use bytelane_parquet::types::physical::in_parquet;
use bytelane_parquet::types::stored::stored_schema;
use bytelane_parquet::{Problem, Result};
use bytes::Bytes;
use parquet::arrow::{ARROW_SCHEMA_META_KEY, PARQUET_FIELD_ID_META_KEY};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use std::collections::HashMap;
use std::sync::Arc;

/// Meanings of a file's top-level columns: their fields in Arrow, as readers see them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Fields(Vec<FieldRef>);

impl Fields {
    /// Returns the fields of a file; none if Arrow has no types for them.
    fn of(footer: &FileMetaData, depth: usize) -> Self {
        let schema = catch_panic(|| arrow_schema(footer, depth));
        Self(schema.map_or_else(|_| Vec::new(), |it| it.fields().to_vec()))
    }

    /// Returns the fields with the new names of columns and members.
    pub(super) fn renamed(&self, names: &[(String, String)]) -> Self {
        Self(renamed_fields(&self.0, names))
    }

    /// Returns the field of each column.
    pub(super) fn by_name(&self) -> HashMap<&[u8], &FieldRef> {
        // The first of several fields with one name remains.
        let fields = self.0.iter().rev();
        fields
            .map(|field| (field.name().as_bytes(), field))
            .collect()
    }
}

/// Fields of the last file: those of a data set often have the same schema.
#[derive(Default)]
pub(super) struct Known {
    schema: Vec<SchemaElement>,
    hint: Option<format::KeyValue>,
    fields: Option<Fields>,
}

impl Known {
    /// Returns the fields of a file.
    pub(super) fn of(&mut self, footer: &FileMetaData, depth: usize) -> Fields {
        let hint = hint_of(footer);
        if let Some(fields) = &self.fields
            && self.schema == footer.schema
            && self.hint.as_ref() == hint
        {
            return fields.clone();
        }
        let fields = Fields::of(footer, depth);
        *self = Self {
            schema: footer.schema.clone(),
            hint: hint.cloned(),
            fields: Some(fields.clone()),
        };
        fields
    }
}

/// Returns the Arrow schema in the metadata of a file.
fn hint_of(footer: &FileMetaData) -> Option<&format::KeyValue> {
    let mut pairs = footer.key_value_metadata.iter().flatten();
    pairs.find(|pair| pair.key == ARROW_SCHEMA_META_KEY)
}

/// Returns the field id that two fields have in common, if any; `None` if they differ.
pub(super) fn field_id(one: &Field, other: &Field) -> Option<Option<String>> {
    let id = |field: &Field| field.metadata().get(PARQUET_FIELD_ID_META_KEY).cloned();
    match (id(one), id(other)) {
        (Some(one), Some(other)) if one != other => None,
        (one, other) => Some(one.or(other)),
    }
}

/// Returns the schema elements with which a column of this field is written; `None` if Parquet has no type for it.
pub(super) fn elements_of(field: &Field) -> Result<Option<Vec<SchemaElement>>> {
    let schema = Arc::new(Schema::new(vec![field.clone()]));
    let elements = catch_panic(|| {
        let columns = in_parquet(&stored_schema(&schema))?;
        let mut file = Vec::new();
        let properties = Arc::new(WriterProperties::builder().build());
        SerializedFileWriter::new(&mut file, columns.root_schema_ptr(), properties)?.close()?;
        Ok(decode_footer(&Bytes::from(file))?.schema)
    });
    match elements {
        Ok(elements) => Ok(Some(elements.into_iter().skip(1).collect())),
        Err(error)
            if matches!(
                error.problem(),
                Problem::Unsupported(_) | Problem::Parquet(_)
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
