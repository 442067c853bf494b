//! Writes the metadata of the schema.

use super::Writer;
use crate::format::KeyValue;
use crate::types::written::{MetadataBytes, metadata_text, with_bytes};
use arrow_schema::Schema;
use parquet::arrow::{ARROW_SCHEMA_META_KEY, encode_arrow_schema};
use std::io::Write;
use std::sync::Arc;

impl<W: Write + Send> Writer<W> {
    /// Adds a key-value pair to the footer.
    pub fn append_key_value(&mut self, key: impl Into<String>, value: impl Into<String>) {
        self.append_key_value_bytes([(key.into().into_bytes(), value.into().into_bytes())]);
    }

    /// Adds key-value pairs to the footer that may be any bytes, as in pyarrow. Parquet's format
    /// demands UTF-8, and some readers ignore other pairs.
    pub fn append_key_value_bytes(&mut self, pairs: impl IntoIterator<Item = (Vec<u8>, Vec<u8>)>) {
        let mut pairs = pairs.into_iter().peekable();
        if pairs.peek().is_none() {
            return;
        }
        let own = self.footer.key_value_metadata.get_or_insert_default();
        own.extend(pairs.map(|(key, value)| KeyValue {
            key: key.into(),
            value: Some(value.into()),
            ..Default::default()
        }));
    }

    /// Adds metadata of the schema and its fields that is not UTF-8, as pyarrow writes it: that of the schema to the footer and
    /// to `ARROW:schema`, that of fields to `ARROW:schema`. In the schema of this writer, such fields have the
    /// [`metadata_text`] of each key and value.
    pub fn append_metadata_bytes(&mut self, metadata: Vec<MetadataBytes>) {
        if metadata.is_empty() {
            return;
        }
        let mut schema = Schema::clone(&self.stored);
        for (_, pairs) in metadata.iter().filter(|(path, _)| path.is_empty()) {
            self.append_key_value_bytes(pairs.clone());
            for (key, value) in pairs {
                let key = metadata_text(key);
                if !schema.metadata.contains_key(&key) {
                    schema.metadata.insert(key, metadata_text(value));
                }
            }
        }
        self.stored = Arc::new(schema);
        self.metadata_bytes.extend(metadata);
        let schema = Arc::clone(&self.stored);
        self.describe(&schema);
    }

    /// Gives dictionaries keys that suffice for the entries of all batches.
    pub(super) fn widen_keys(&mut self) {
        let Some(schema) = self.dictionaries.widened(&self.stored) else {
            return;
        };
        self.describe(&schema);
    }

    /// Encodes an Arrow schema in the footer.
    fn describe(&mut self, schema: &Schema) {
        let pairs = self.footer.key_value_metadata.iter_mut().flatten();
        for pair in pairs.filter(|pair| pair.key == ARROW_SCHEMA_META_KEY) {
            let encoded = encode_arrow_schema(schema);
            let encoded = with_bytes(&encoded, &self.metadata_bytes).unwrap_or(encoded);
            pair.value = Some(encoded.into());
        }
    }
}
