//! Tests pages of the crate `parquet`, and pages that no writer produces.

mod arrays;
mod hostile;
mod like_parquet;
mod views;

use super::{ByteArrayDecoder, Slots};
use crate::Result;
use crate::budget::Budget;
use crate::page::header::ValueEncoding;
use crate::page::values::ArrayDecoder;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::DataType;
use bytelane::Detected;
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Encoding, Repetition, Type};
use parquet::column::page::Page;
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::{ColumnDescriptor, ColumnPath, Type as SchemaType};
use std::sync::Arc;

/// Memory limit that no array of these tests reaches.
const MEMORY: u64 = 1 << 30;

/// Pages of a column chunk.
#[derive(Debug, Default)]
struct Chunk {
    dictionary: Option<(Bytes, usize)>,
    pages: Vec<EncodedPage>,
}

/// Values of a page, and the validity of its slots.
#[derive(Debug)]
struct EncodedPage {
    encoding: ValueEncoding,
    values: Bytes,
    valid: Vec<bool>,
}

/// Settings for writing a chunk with the crate `parquet`.
#[derive(Clone, Copy, Debug)]
struct Layout {
    /// Encoding; `None` for a dictionary.
    encoding: Option<Encoding>,
    page_rows: usize,
    /// Maximum dictionary size in bytes, after which pages are in PLAIN.
    dictionary_bytes: usize,
}

impl Layout {
    fn of(encoding: impl Into<Option<Encoding>>, page_rows: usize) -> Self {
        Self {
            encoding: encoding.into(),
            page_rows,
            dictionary_bytes: 1 << 20,
        }
    }
}

const ENCODINGS: [Option<Encoding>; 4] = [
    None,
    Some(Encoding::PLAIN),
    Some(Encoding::DELTA_LENGTH_BYTE_ARRAY),
    Some(Encoding::DELTA_BYTE_ARRAY),
];

/// Writes a file with one column.
fn file(array: &ArrayRef, layout: Layout) -> Bytes {
    let batch = RecordBatch::try_from_iter_with_nullable([("x", Arc::clone(array), true)]);
    let batch = batch.expect("one column");
    let properties = WriterProperties::builder()
        .set_writer_version(WriterVersion::PARQUET_2_0)
        .set_dictionary_enabled(layout.encoding.is_none())
        .set_dictionary_page_size_limit(layout.dictionary_bytes)
        .set_data_page_row_count_limit(layout.page_rows)
        .set_write_batch_size(layout.page_rows.min(1024));
    let properties = match layout.encoding {
        Some(encoding) => properties.set_encoding(encoding),
        // Encoding after a dictionary that is too large.
        None => properties.set_column_encoding("x".into(), Encoding::PLAIN),
    };
    let mut file = Vec::new();
    let writer = ArrowWriter::try_new(&mut file, batch.schema(), Some(properties.build()));
    let mut writer = writer.expect("a writer");
    writer.write(&batch).expect("a batch");
    writer.close().expect("a file");
    file.into()
}

/// Returns the pages of the only column of a file, which was written from the array.
fn pages(file: Bytes, array: &dyn Array) -> Chunk {
    let reader = SerializedFileReader::new(file).expect("a file");
    let row_group = reader.get_row_group(0).expect("a row group");
    let mut pages = row_group.get_column_page_reader(0).expect("pages");
    let mut chunk = Chunk::default();
    let mut row = 0;
    while let Some(page) = pages.get_next_page().expect("a page") {
        match page {
            Page::DictionaryPage {
                buf, num_values, ..
            } => chunk.dictionary = Some((buf, num_values as usize)),
            Page::DataPageV2 {
                buf,
                num_values,
                encoding,
                def_levels_byte_len,
                ..
            } => {
                let rows = row..row + num_values as usize;
                row = rows.end;
                chunk.pages.push(EncodedPage {
                    encoding: value_encoding(encoding),
                    values: buf.slice(def_levels_byte_len as usize..),
                    valid: rows.map(|row| array.is_valid(row)).collect(),
                });
            }
            Page::DataPage { .. } => panic!("a page of version 1"),
        }
    }
    assert_eq!(row, array.len());
    chunk
}

fn value_encoding(encoding: Encoding) -> ValueEncoding {
    match encoding {
        Encoding::PLAIN => ValueEncoding::Plain,
        Encoding::RLE_DICTIONARY => ValueEncoding::Dictionary,
        Encoding::DELTA_LENGTH_BYTE_ARRAY => ValueEncoding::DeltaLengthByteArray,
        Encoding::DELTA_BYTE_ARRAY => ValueEncoding::DeltaByteArray,
        other => panic!("no encoding of strings: {other}"),
    }
}

fn column(physical: Type) -> ColumnDescriptor {
    let column = SchemaType::primitive_type_builder("x", physical)
        .with_repetition(Repetition::OPTIONAL)
        .with_length(8)
        .build()
        .expect("a column");
    ColumnDescriptor::new(Arc::new(column), 1, 0, ColumnPath::from("x"))
}

fn decoder(data_type: &DataType, memory: u64) -> ByteArrayDecoder {
    let column = column(Type::BYTE_ARRAY);
    ByteArrayDecoder::new(Detected::active(), data_type, &column, &Budget::new(memory))
        .expect("a type of strings")
}

/// Action on the next rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Read an array.
    Read(usize),
    Skip(usize),
}

/// Reads rows of a chunk in steps. The last step is repeated.
fn read(chunk: &Chunk, data_type: &DataType, steps: &[Step], memory: u64) -> Result<Vec<ArrayRef>> {
    let mut decoder = decoder(data_type, memory);
    if let Some((values, count)) = &chunk.dictionary {
        decoder.keep_dictionary(values.clone(), *count)?;
    }
    let last = *steps.last().expect("a step");
    let mut steps = steps.iter().copied().chain(std::iter::repeat(last));
    let mut arrays = Vec::new();
    let mut step = steps.next().expect("steps without end");
    let mut validity = Vec::new();
    for page in &chunk.pages {
        let valid = page.valid.iter().filter(|valid| **valid).count();
        decoder.open_page(page.encoding, page.values.clone(), valid)?;
        let mut rows = &page.valid[..];
        while !rows.is_empty() {
            let (Step::Read(left) | Step::Skip(left)) = &mut step;
            let taken;
            (taken, rows) = rows.split_at(rows.len().min(*left));
            *left -= taken.len();
            let (is_done, left) = (*left == 0, *left);
            match step {
                Step::Skip(_) => {
                    decoder.skip(taken.iter().filter(|valid| **valid).count())?;
                }
                Step::Read(_) => {
                    if validity.is_empty() {
                        decoder.reserve(taken.len() + left);
                    }
                    append(&mut decoder, taken)?;
                    validity.extend_from_slice(taken);
                }
            }
            if is_done {
                if let Step::Read(_) = step {
                    arrays.push(finish(&mut decoder, &mut validity)?);
                }
                step = steps.next().expect("steps without end");
            }
        }
        decoder.close_page();
    }
    if !validity.is_empty() {
        arrays.push(finish(&mut decoder, &mut validity)?);
    }
    Ok(arrays)
}

fn append(decoder: &mut ByteArrayDecoder, rows: &[bool]) -> Result<()> {
    let valid = rows.iter().filter(|valid| **valid).count();
    let bits = BooleanBuffer::from(rows);
    let slots = match valid {
        0 => Slots::Null(rows.len()),
        _ if valid == rows.len() => Slots::Valid(valid),
        _ => Slots::Mixed {
            bits: bits.values(),
            slots: rows.len(),
            valid,
        },
    };
    assert_eq!((slots.len(), slots.valid()), (rows.len(), valid));
    decoder.append(slots)
}

/// Finishes the array of a batch.
fn finish(decoder: &mut ByteArrayDecoder, validity: &mut Vec<bool>) -> Result<ArrayRef> {
    let nulls = NullBuffer::from(std::mem::take(validity));
    let array = decoder.finish(Some(nulls).filter(|nulls| nulls.null_count() > 0));
    decoder.release();
    array
}
