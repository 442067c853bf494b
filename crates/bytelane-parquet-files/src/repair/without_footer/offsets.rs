//! Adds a column with the offset of the page that each row came from.

use arrow_schema::{DataType, Field, Schema};
use bytelane_parquet::chunk::{Chunk, Page};
use bytelane_parquet::format::{
    self, ColumnChunk, ColumnMetaData, ColumnOrder, CompressionCodec, DataPageHeader,
    DictionaryPageHeader, Encoded, Encoding, FieldRepetitionType, FileMetaData, KeyValue,
    PageHeader, PageType, PhysicalType, SchemaElement, TypeDefinedOrder,
};
use bytelane_parquet::types::written::written_schema;
use bytelane_parquet::{Error, Problem, Result};
use parquet::arrow::{ARROW_SCHEMA_META_KEY, encode_arrow_schema};
use std::sync::Arc;

/// Name of the column.
pub(in crate::repair) const OFFSETS: &str = "salvaged_from_offset";

/// Position of the first page in a chunk that has not been written.
const START: u64 = 4;

/// Returns the footer of a file with this column at the end. Of its key-value pairs, it has the Arrow schema.
pub(super) fn with_offsets(footer: FileMetaData, leaves: usize) -> Result<FileMetaData> {
    let mut schema = footer.schema;
    if schema.iter().any(|it| it.name == OFFSETS) {
        let problem = format!("the schema has a column {OFFSETS} already, which salvage adds");
        return Err(Problem::Input(problem).into());
    }
    if let Some(root) = schema.first_mut() {
        root.num_children = root.num_children.map(|it| it.saturating_add(1));
    }
    schema.push(SchemaElement {
        physical_type: Some(PhysicalType::Int64),
        repetition_type: Some(FieldRepetitionType::Required),
        name: OFFSETS.into(),
        ..Default::default()
    });
    let pairs = footer.key_value_metadata.unwrap_or_default();
    let arrow = pairs.iter().find(|pair| pair.key == ARROW_SCHEMA_META_KEY);
    let arrow =
        arrow.and_then(|pair| written_schema(&String::from_utf8_lossy(pair.value.as_ref()?)).ok());
    let arrow = arrow.map(|arrow| {
        let added = Arc::new(Field::new(OFFSETS, DataType::Int64, false));
        let fields = arrow.fields().iter().cloned().chain([added]);
        let schema =
            Schema::new_with_metadata(fields.collect::<Vec<_>>(), arrow.metadata().clone());
        vec![KeyValue {
            key: ARROW_SCHEMA_META_KEY.into(),
            value: Some(encode_arrow_schema(&schema).into()),
            ..Default::default()
        }]
    });
    let orders = footer.column_orders.filter(|orders| orders.len() == leaves);
    let own = ColumnOrder::TypeOrder(TypeDefinedOrder::default());
    Ok(FileMetaData {
        version: footer.version,
        schema,
        created_by: footer.created_by,
        key_value_metadata: arrow,
        column_orders: orders.map(|orders| orders.into_iter().chain([own]).collect()),
        ..Default::default()
    })
}

/// Returns the chunk of the column for rows of these pages, each with the number of rows that begin in it.
pub(super) fn chunk(pages: &[(&Page, u64)]) -> Result<Chunk> {
    let offsets: Vec<u8> = pages
        .iter()
        .flat_map(|(page, _)| page.offset.to_le_bytes())
        .collect();
    let rows: u64 = pages.iter().map(|(_, rows)| rows).sum();
    let count = |count: u64| {
        i32::try_from(count).map_err(|_| Error::corrupt("a row group with too many rows"))
    };
    let greatest = pages.len().saturating_sub(1) as u32;
    let width = (u32::BITS - greatest.leading_zeros()).max(1);
    let runs = runs(pages, width);
    let dictionary = PageHeader {
        page_type: PageType::DictionaryPage,
        uncompressed_page_size: count(offsets.len() as u64)?,
        compressed_page_size: count(offsets.len() as u64)?,
        dictionary_page_header: Some(DictionaryPageHeader {
            num_values: count(pages.len() as u64)?,
            encoding: Encoding::Plain,
            ..Default::default()
        }),
        ..Default::default()
    };
    let data = PageHeader {
        page_type: PageType::DataPage,
        uncompressed_page_size: count(runs.len() as u64)?,
        compressed_page_size: count(runs.len() as u64)?,
        data_page_header: Some(DataPageHeader {
            num_values: count(rows)?,
            encoding: Encoding::RleDictionary,
            definition_level_encoding: Encoding::Rle,
            repetition_level_encoding: Some(Encoding::Rle),
            ..Default::default()
        }),
        ..Default::default()
    };
    let mut bytes = format::encode(&dictionary)?;
    bytes.extend(offsets);
    let first = START + bytes.len() as u64;
    bytes.extend(format::encode(&data)?);
    bytes.extend(runs);
    let metadata = ColumnMetaData {
        physical_type: PhysicalType::Int64,
        encodings: Encoded::new(&vec![
            Encoding::Plain,
            Encoding::Rle,
            Encoding::RleDictionary,
        ])?,
        path_in_schema: Some(Encoded::new(&vec![OFFSETS.into()])?),
        codec: CompressionCodec::Uncompressed,
        num_values: rows as i64,
        total_uncompressed_size: bytes.len() as i64,
        total_compressed_size: bytes.len() as i64,
        data_page_offset: first as i64,
        dictionary_page_offset: Some(START as i64),
        ..Default::default()
    };
    let described = ColumnChunk {
        meta_data: metadata,
        ..Default::default()
    };
    Ok(Chunk::of_pages(
        vec![bytes.into()],
        START,
        described,
        None,
        None,
    ))
}

/// Returns the number of the page of each row: the width in bits, and a run for each page.
fn runs(pages: &[(&Page, u64)], width: u32) -> Vec<u8> {
    let mut bytes = vec![width as u8];
    for (number, (_, rows)) in pages.iter().enumerate() {
        let mut header = rows << 1;
        while header >= 0x80 {
            bytes.push(header as u8 | 0x80);
            header >>= 7;
        }
        bytes.push(header as u8);
        bytes.extend_from_slice(&(number as u32).to_le_bytes()[..width.div_ceil(8) as usize]);
    }
    bytes
}
