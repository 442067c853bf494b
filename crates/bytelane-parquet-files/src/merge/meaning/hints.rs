//! Joins the Arrow schemas in the metadata of the inputs.

use super::hint_of;
use crate::merge::schema::Columns;
use arrow_schema::Schema;
use bytelane_parquet::Error;
use bytelane_parquet::catch_panic::catch_panic;
use bytelane_parquet::format::{self, FileMetaData};
use bytelane_parquet::types::written::{FieldBytes, metadata_text, with_bytes};
use parquet::arrow::{ARROW_SCHEMA_META_KEY, encode_arrow_schema};
use std::collections::HashMap;

/// Arrow schemas in the metadata of the inputs.
#[derive(Debug, Default)]
pub(in crate::merge) struct Hints {
    /// Arrow schema of the first input that has one.
    first: Option<format::KeyValue>,
    files: usize,
    /// Number of inputs that have the same one.
    same: usize,
    bytes: FieldBytes,
}

impl Hints {
    /// Adds that of a file.
    pub(in crate::merge) fn add(&mut self, footer: &FileMetaData) {
        self.files += 1;
        let Some(own) = hint_of(footer) else {
            return;
        };
        let is_first = self.first.is_none();
        let first = self.first.get_or_insert_with(|| own.clone());
        let is_same = first == own;
        self.same += usize::from(is_same);
        let value = own.value.as_deref().map(str::from_utf8);
        if let Some(Ok(encoded)) = value.filter(|_| is_first || !is_same) {
            self.bytes.add(encoded);
        }
    }

    /// Returns the pair for the output with these other pairs, if an input has one; an error is a note. `is_same` says
    /// whether all pairs are those of each input.
    pub(in crate::merge) fn joined(
        self,
        columns: &Columns,
        others: &[format::KeyValue],
        is_same: bool,
    ) -> Option<std::result::Result<format::KeyValue, String>> {
        let first = self.first?;
        if self.same == self.files && !columns.changed && is_same {
            return Some(Ok(first));
        }
        let fields = columns.roots.iter().map(|root| root.field.clone());
        let Some(fields) = fields.collect::<Option<Vec<_>>>() else {
            let note = format!(
                "key-value pair {ARROW_SCHEMA_META_KEY} was left out: Arrow has no types for some columns"
            );
            return Some(Err(note));
        };
        // pyarrow takes the metadata of a table from here.
        let others = others.iter().map(|pair| {
            let value = pair.value.as_deref().unwrap_or_default();
            (pair.key.to_vec(), value.to_vec())
        });
        let others: Vec<_> = others.collect();
        let texts = others
            .iter()
            .map(|(key, value)| (metadata_text(key), metadata_text(value)));
        let schema = Schema::new_with_metadata(fields, texts.collect::<HashMap<_, _>>());
        let mut metadata = self.bytes.of(&schema.fields);
        metadata.push((Vec::new(), others));
        let encoded = catch_panic(|| {
            let encoded = encode_arrow_schema(&schema);
            Ok::<_, Error>(with_bytes(&encoded, &metadata).unwrap_or(encoded))
        });
        Some(match encoded {
            Ok(encoded) => Ok(format::KeyValue {
                value: Some(encoded.into_bytes().into()),
                ..first
            }),
            Err(error) => Err(format!(
                "key-value pair {ARROW_SCHEMA_META_KEY} was left out: {}",
                error.problem()
            )),
        })
    }
}
