//! Builds files around pages that may be malformed.

use bytelane_parquet::parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type};
use bytelane_parquet::parquet::column::page::{CompressedPage, Page, PageWriter};
use bytelane_parquet::parquet::column::writer::ColumnCloseResult;
use bytelane_parquet::parquet::file::metadata::{ColumnChunkMetaData, ColumnChunkMetaDataBuilder};
use bytelane_parquet::parquet::file::writer::{
    SerializedFileWriter, SerializedPageWriter, TrackedWrite,
};
use bytelane_parquet::parquet::schema::types::{SchemaDescriptor, Type as SchemaType};
use bytes::Bytes;
use std::sync::Arc;

/// Column chunk of the column `x`, for a file of one row group.
pub struct Chunk {
    pub physical: Type,
    /// Size of a value in bytes, if the type does not determine it.
    pub length: i32,
    pub optional: bool,
    /// Set if the column has lists of optional values. [`list_page`](Self::list_page) makes their pages.
    pub is_list: bool,
    pub compression: Compression,
    pub dictionary: Option<CompressedPage>,
    pub pages: Vec<CompressedPage>,
}

impl Chunk {
    /// Returns a version 1 data page. Levels are ignored unless the column is optional.
    pub fn page(&self, num_values: u32, encoding: Encoding, levels: &[u8], values: &[u8]) -> Page {
        let buf = if self.optional {
            [&(levels.len() as u32).to_le_bytes(), levels, values].concat()
        } else {
            values.to_vec()
        };
        Page::DataPage {
            buf: buf.into(),
            num_values,
            encoding,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        }
    }

    /// Returns a page of null lists, empty lists, and lists of nulls: definition levels up to 2.
    pub fn list_page(&self, num_values: u32, repetition: &[u8], definition: &[u8]) -> Page {
        let levels = [repetition, definition].map(|levels| {
            let length = (levels.len() as u32).to_le_bytes();
            [&length, levels].concat()
        });
        Page::DataPage {
            buf: levels.concat().into(),
            num_values,
            encoding: Encoding::PLAIN,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        }
    }

    /// Returns the file. Its footer and page headers are derived from the pages.
    pub fn file(self) -> Bytes {
        let (schema, is_list) = (self.schema(), self.is_list);
        let column = SchemaDescriptor::new(Arc::clone(&schema)).column(0);
        let mut encodings = vec![Encoding::RLE];
        encodings.extend(self.pages.iter().map(CompressedPage::encoding));
        let values = self.pages.iter().map(|page| i64::from(page.num_values()));
        let metadata = ColumnChunkMetaData::builder(column)
            .set_compression(self.compression)
            .set_encodings(encodings)
            .set_num_values(values.sum());
        let (chunk, metadata) = self.written(metadata);
        let close = ColumnCloseResult {
            bytes_written: chunk.len() as u64,
            rows_written: if is_list {
                3
            } else {
                metadata.num_values() as u64
            },
            metadata,
            bloom_filter: None,
            column_index: None,
            offset_index: None,
        };
        let mut file = Vec::new();
        let mut writer =
            SerializedFileWriter::new(&mut file, schema, Arc::default()).expect("a schema");
        let mut row_group = writer.next_row_group().expect("a row group");
        row_group.append_column(&chunk, close).expect("a chunk");
        row_group.close().expect("a row group");
        writer.close().expect("a footer");
        file.into()
    }

    fn schema(&self) -> Arc<SchemaType> {
        let repetition = if self.optional {
            Repetition::OPTIONAL
        } else {
            Repetition::REQUIRED
        };
        let column = SchemaType::primitive_type_builder("x", self.physical)
            .with_repetition(repetition)
            .with_length(self.length)
            .build()
            .expect("a type that exists");
        let column = if self.is_list {
            list_of(column)
        } else {
            column
        };
        let schema = SchemaType::group_type_builder("schema")
            .with_fields(vec![Arc::new(column)])
            .build();
        Arc::new(schema.expect("one column"))
    }

    /// Returns the bytes of the pages, and their description.
    fn written(self, metadata: ColumnChunkMetaDataBuilder) -> (Bytes, ColumnChunkMetaData) {
        let mut sink = TrackedWrite::new(Vec::new());
        let mut uncompressed = 0;
        let mut write = |page, sink: &mut TrackedWrite<Vec<u8>>| {
            let written = SerializedPageWriter::new(sink)
                .write_page(page)
                .expect("vectors take what they are given");
            uncompressed += written.uncompressed_size as i64;
        };
        let has_dictionary = self.dictionary.is_some();
        if let Some(page) = self.dictionary {
            write(page, &mut sink);
        }
        let data = sink.bytes_written() as i64;
        for page in self.pages {
            write(page, &mut sink);
        }
        let bytes = Bytes::from(sink.into_inner().expect("a vector"));
        let metadata = metadata
            .set_dictionary_page_offset(has_dictionary.then_some(0))
            .set_data_page_offset(data)
            .set_total_compressed_size(bytes.len() as i64)
            .set_total_uncompressed_size(uncompressed)
            .build()
            .expect("a chunk");
        (bytes, metadata)
    }
}

fn list_of(item: SchemaType) -> SchemaType {
    let group = |name, repetition, of, logical| {
        SchemaType::group_type_builder(name)
            .with_repetition(repetition)
            .with_logical_type(logical)
            .with_fields(vec![Arc::new(of)])
            .build()
            .expect("a group")
    };
    let repeated = group("list", Repetition::REPEATED, item, None);
    group("x", Repetition::OPTIONAL, repeated, Some(LogicalType::List))
}
