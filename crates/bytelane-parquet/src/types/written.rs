//! Decodes the Arrow schema that a writer left in the metadata of a file.
//!
//! pyarrow's metadata may be any bytes, while texts of the format, and those of the crates that decode it, are UTF-8. Other bytes
//! are replaced, so that the types of the columns are not lost with them.

use super::fields::children;
use crate::catch_panic::catch_panic;
use crate::{Error, Result};
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::{Field as FlatField, root_as_message};
use arrow_schema::{Field, Fields, Schema};
use bytelane::base64::STANDARD;
use flatbuffers::InvalidFlatbuffer;
use parquet::arrow::{ARROW_SCHEMA_META_KEY, parquet_to_arrow_schema};
use parquet::file::metadata::{FileMetaData, KeyValue};
use std::collections::HashMap;

/// Metadata that is not UTF-8: a path of indices from the schema to a field or one of its children, with keys and values. An empty
/// path is that of the schema.
pub type MetadataBytes = (Vec<usize>, Vec<Pair>);

/// Key and value.
type Pair = (Vec<u8>, Vec<u8>);

/// Returns text that stands for bytes in schemas: `?` replaces each byte that is not UTF-8.
#[must_use]
pub fn metadata_text(bytes: &[u8]) -> String {
    let mut bytes = bytes.to_vec();
    make_text(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

fn make_text(bytes: &mut [u8]) {
    while let Err(error) = std::str::from_utf8(bytes) {
        bytes[error.valid_up_to()] = b'?';
    }
}

/// Returns the value of the pair `ARROW:schema` with bytes in place of the texts that stand for them.
pub fn with_bytes(encoded: &str, metadata: &[MetadataBytes]) -> Option<String> {
    let mut bytes = STANDARD.decode_to_vec(encoded).ok()?;
    let start = if bytes.starts_with(&[0xff; 4]) { 8 } else { 0 };
    let mut patches = Vec::new();
    let body = bytes.get(start..)?;
    let message = root_as_message(body).ok()?;
    let schema = message.header_as_schema()?;
    for (path, pairs) in metadata {
        let mut children = schema.fields();
        let mut texts = schema.custom_metadata();
        for at in path {
            let field = children?.iter().nth(*at)?;
            (children, texts) = (field.children(), field.custom_metadata());
        }
        for text in texts.into_iter().flatten() {
            let (text_key, text_value) = (text.key()?, text.value()?);
            let own = pairs.iter().find(|(key, _)| metadata_text(key) == text_key);
            let Some((key, value)) = own.filter(|(_, it)| metadata_text(it) == text_value) else {
                continue;
            };
            for (text, bytes) in [(text_key, key), (text_value, value)] {
                let place = text.as_ptr().addr() - body.as_ptr().addr();
                patches.push((start + place, bytes));
            }
        }
    }
    for (place, patch) in patches {
        // Text has the length of the bytes for which it stands.
        bytes
            .get_mut(place..place + patch.len())?
            .copy_from_slice(patch);
    }
    Some(STANDARD.encode_to_string(&bytes))
}

/// Metadata of fields that is not UTF-8: keys and values, by the names from a top-level column to a field, with the texts that
/// stand for both.
#[derive(Debug, Default)]
pub struct FieldBytes(HashMap<(Vec<String>, [String; 2]), Pair>);

impl FieldBytes {
    /// Adds that of the value of a pair `ARROW:schema`.
    pub fn add(&mut self, encoded: &str) {
        let (Ok(texts), Ok(bytes)) = (written_message(encoded), stored_message(encoded)) else {
            return;
        };
        if texts == bytes {
            return;
        }
        let schema = root_as_message(&texts)
            .ok()
            .and_then(|it| it.header_as_schema());
        for field in schema.and_then(|it| it.fields()).into_iter().flatten() {
            self.add_field(field, &mut Vec::new(), (&texts, &bytes));
        }
    }

    fn add_field(
        &mut self,
        field: FlatField<'_>,
        names: &mut Vec<String>,
        message: (&[u8], &[u8]),
    ) {
        let (texts, bytes) = message;
        names.push(field.name().unwrap_or_default().to_owned());
        let stored = |text: &str| {
            let place = text.as_ptr().addr() - texts.as_ptr().addr();
            bytes[place..place + text.len()].to_vec()
        };
        for pair in field.custom_metadata().into_iter().flatten() {
            let [key, value] = [pair.key(), pair.value()].map(Option::unwrap_or_default);
            let own = (stored(key), stored(value));
            if own.0 != key.as_bytes() || own.1 != value.as_bytes() {
                let texts = [key, value].map(str::to_owned);
                self.0.insert((names.clone(), texts), own);
            }
        }
        for child in field.children().into_iter().flatten() {
            self.add_field(child, names, message);
        }
        names.pop();
    }

    /// Returns that of fields whose metadata has texts in its place.
    pub fn of(&self, fields: &Fields) -> Vec<MetadataBytes> {
        let mut found = Vec::new();
        if !self.0.is_empty() {
            for (at, field) in fields.iter().enumerate() {
                self.find(field, (&mut vec![at], &mut Vec::new()), &mut found);
            }
        }
        found
    }

    fn find(
        &self,
        field: &Field,
        (path, names): (&mut Vec<usize>, &mut Vec<String>),
        found: &mut Vec<MetadataBytes>,
    ) {
        names.push(field.name().clone());
        let pairs = field.metadata().iter().filter_map(|(key, value)| {
            let texts = [key, value].map(|it| it.clone());
            self.0.get(&(names.clone(), texts)).cloned()
        });
        let pairs: Vec<_> = pairs.collect();
        if !pairs.is_empty() {
            found.push((path.clone(), pairs));
        }
        for (at, child) in children(field.data_type()).into_iter().enumerate() {
            path.push(at);
            self.find(child, (path, names), found);
            path.pop();
        }
        names.pop();
    }
}

/// Returns the Arrow schema in the value of the pair `ARROW:schema`.
pub fn written_schema(encoded: &str) -> Result<Schema> {
    let message = written_message(encoded)?;
    let message = root_as_message(&message).map_err(|_| odd())?;
    let schema = message.header_as_schema().ok_or_else(odd)?;
    // The conversion may panic if the message is damaged.
    catch_panic(|| try_fb_to_schema(schema).map_err(|_| odd()))
}

/// Returns the message in the value of the pair `ARROW:schema`, with `?` in place of bytes of its texts that are not UTF-8.
pub(crate) fn written_message(encoded: &str) -> Result<Vec<u8>> {
    let mut message = stored_message(encoded)?;
    loop {
        let text = match root_as_message(&message) {
            Ok(_) => return Ok(message),
            Err(InvalidFlatbuffer::Utf8Error { range, .. }) => range,
            Err(_) => return Err(odd()),
        };
        let text = message.get_mut(text).ok_or_else(odd)?;
        make_text(text);
    }
}

/// Returns the message in the value of the pair `ARROW:schema`, whose texts may be any bytes.
fn stored_message(encoded: &str) -> Result<Vec<u8>> {
    let mut message = STANDARD.decode_to_vec(encoded).map_err(|_| odd())?;
    if message.starts_with(&[0xff; 4]) {
        message.drain(..message.len().min(8));
    }
    Ok(message)
}

fn odd() -> Error {
    Error::corrupt("the Arrow schema is damaged")
}

/// Returns metadata of a file in which the crate `parquet` can decode the Arrow schema; `None` if that cannot be mended.
pub(crate) fn with_texts(pairs: Option<&Vec<KeyValue>>) -> Option<Vec<KeyValue>> {
    let mut pairs = pairs?.clone();
    let pair = pairs
        .iter_mut()
        .find(|it| it.key == ARROW_SCHEMA_META_KEY)?;
    let message = written_message(pair.value.as_deref()?).ok()?;
    pair.value = Some(STANDARD.encode_to_string(&message));
    Some(pairs)
}

/// Returns the Arrow schema of a file as the crate `parquet` derives it.
pub fn schema_in_parquet(file: &FileMetaData) -> Result<Schema> {
    catch_panic(|| {
        let (columns, pairs) = (file.schema_descr(), file.key_value_metadata());
        match parquet_to_arrow_schema(columns, pairs) {
            Ok(schema) => Ok(schema),
            Err(error) => match with_texts(pairs) {
                Some(pairs) => Ok(parquet_to_arrow_schema(columns, Some(&pairs))?),
                None => Err(error.into()),
            },
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_schema::{DataType, TimeUnit};
    use parquet::arrow::encode_arrow_schema;

    #[test]
    fn types_are_read_beside_metadata_that_is_not_text() {
        let text = "a text in the metadata";
        let metadata = HashMap::from([("key".to_owned(), text.to_owned())]);
        let data_type = DataType::Duration(TimeUnit::Second);
        let field = Field::new("d", data_type, true).with_metadata(metadata.clone());
        let schema = Schema::new_with_metadata(vec![field.clone()], metadata);
        let mut bytes = STANDARD
            .decode_to_vec(encode_arrow_schema(&schema))
            .expect("bytes");
        for start in 0..bytes.len() - text.len() {
            if bytes[start..].starts_with(text.as_bytes()) {
                bytes[start] = 0xff;
            }
        }
        let read = written_schema(&STANDARD.encode_to_string(&bytes)).expect("a schema");
        assert_eq!(read.field(0).data_type(), field.data_type());
        assert_eq!(
            read.metadata().get("key").map(String::as_str),
            Some("? text in the metadata")
        );
        assert!(written_schema("AAAA").is_err());
    }
}
