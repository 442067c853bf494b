//! Tests footers that are read for some columns only.

use super::{decoded, footer};
use arrow_array::{ArrayRef, Int64Array, RecordBatch, RecordBatchReader, StructArray};
use bytelane_parquet::format::{Encoded, encode};
use bytelane_parquet::{Problem, Reader, ReaderBuilder, Writer, WriterOptions};
use bytes::Bytes;
use parquet::arrow::ARROW_SCHEMA_META_KEY;
use parquet::file::reader::{ChunkReader, Length};
use std::io::{Cursor, Read};
use std::ops::Range;
use std::sync::{Arc, Mutex};

fn written(batch: &RecordBatch) -> Bytes {
    let mut file = Vec::new();
    let mut writer = Writer::try_new(&mut file, batch.schema(), WriterOptions::default()).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
    file.into()
}

/// Returns a file with this number of columns, each with one row that contains its number.
fn wide(columns: i64) -> Bytes {
    let columns = (0..columns).map(|column| {
        let number: ArrayRef = Arc::new(Int64Array::from(vec![column]));
        (format!("column_{column}"), number)
    });
    written(&RecordBatch::try_from_iter(columns).unwrap())
}

/// File that records which of its bytes are read.
#[derive(Clone)]
struct Watched {
    file: Bytes,
    read: Arc<Mutex<Vec<Range<u64>>>>,
}

impl Length for Watched {
    fn len(&self) -> u64 {
        self.file.len() as u64
    }
}

impl ChunkReader for Watched {
    type T = Box<dyn Read>;

    fn get_read(&self, start: u64) -> parquet::errors::Result<Self::T> {
        let rest = self.file.slice(start as usize..);
        self.read.lock().unwrap().push(start..self.len());
        Ok(Box::new(Cursor::new(rest)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        self.read.lock().unwrap().push(start..start + length as u64);
        Ok(self.file.slice(start as usize..start as usize + length))
    }
}

#[test]
fn reading_three_of_ten_thousand_columns_decodes_three() {
    let wanted = [0_i64, 4321, 9_999];
    let file = wide(10_000);
    let mut changed = decoded(&file);
    let chunks = &mut changed.row_groups[0].columns;
    let mut pages = Vec::new();
    for (column, chunk) in chunks.iter_mut().enumerate() {
        if wanted.contains(&(column as i64)) {
            let values = chunk.decode().unwrap().meta_data;
            let start = values
                .dictionary_page_offset
                .unwrap_or(values.data_page_offset) as u64;
            pages.push(start..start + values.total_compressed_size as u64);
        } else {
            // A struct without any fields can be skipped, but not decoded.
            *chunk = Encoded::default();
        }
    }
    let changed = encode(&changed).unwrap();
    let length = (changed.len() as u32).to_le_bytes();
    let before = &file[..file.len() - 8 - footer(&file).len()];
    let file = Bytes::from([before, &changed, &length, b"PAR1"].concat());

    let all = Reader::builder(file.clone()).unwrap();
    let chunks = all.metadata().row_group(0).columns();
    assert_eq!(chunks.iter().map(|it| it.num_values()).sum::<i64>(), 3);
    let error = all.build().unwrap().next().unwrap().unwrap_err();
    let error = error.to_string();
    assert!(
        error.contains("column_1:") && error.contains("file_offset"),
        "{error}"
    );
    let read = Arc::new(Mutex::new(Vec::new()));
    let watched = Watched {
        file: file.clone(),
        read: Arc::clone(&read),
    };
    let names = wanted.map(|column| format!("column_{column}"));
    let names = || names.iter().map(String::as_str);
    let builder = ReaderBuilder::try_new_with_columns(watched, names()).unwrap();
    let opened = std::mem::take(&mut *read.lock().unwrap());
    let end = file.len() as u64;
    assert_eq!(opened, [end - 8..end, before.len() as u64..end - 8]);
    assert_eq!(builder.metadata().row_group(0).num_columns(), 3);

    let batch = builder.build().unwrap().next().unwrap().unwrap();
    assert_eq!(batch.schema().fields().len(), 3);
    for ((array, name), column) in batch.columns().iter().zip(names()).zip(wanted) {
        assert_eq!(batch.schema().fields().find(name).unwrap().1.name(), name);
        assert_eq!(array.as_ref(), &Int64Array::from(vec![column]));
    }
    // Only pages are read: neither the footer again, nor indexes.
    let read = read.lock().unwrap();
    assert!(!read.is_empty());
    for range in read.iter() {
        assert!(
            pages
                .iter()
                .any(|it| it.start <= range.start && range.start < it.end),
            "{range:?}"
        );
    }
}

#[test]
fn all_columns_of_a_file_are_found_by_themselves() {
    let number = |first: i64| Arc::new(Int64Array::from_iter_values(first..first + 5)) as ArrayRef;
    let group = |first: i64| {
        let fields = [("x", number(first)), ("y.z", number(first + 10))];
        let fields = fields.map(|(name, values)| {
            (
                Arc::new(arrow_schema::Field::new(
                    name,
                    values.data_type().clone(),
                    false,
                )),
                values,
            )
        });
        Arc::new(StructArray::from(fields.to_vec())) as ArrayRef
    };
    let batch = RecordBatch::try_from_iter([
        ("a", number(100)),
        ("g", group(200)),
        ("g.x", number(300)),
        ("last", number(400)),
    ])
    .unwrap();
    let file = written(&batch);
    assert!(
        decoded(&file)
            .key_value_metadata
            .unwrap()
            .iter()
            .any(|it| it.key == ARROW_SCHEMA_META_KEY)
    );
    let all = Reader::builder(file.clone()).unwrap();
    for paths in [
        &["a"][..],
        &["g"],
        &["g.x"],
        &["g.y.z", "last"],
        &["last", "a"],
        &["a", "g", "last"],
        &[],
    ] {
        let all = all.clone().with_columns(paths.iter().copied()).unwrap();
        let only = ReaderBuilder::try_new_with_columns(file.clone(), paths.iter().copied());
        let [all, only] = [all, only.unwrap()].map(|it| it.build().unwrap());
        assert_eq!(all.schema(), only.schema(), "{paths:?}");
        let [all, only] = [all, only].map(|it| it.map(Result::unwrap).collect::<Vec<_>>());
        assert_eq!(all, only, "{paths:?}");
    }
    for paths in [&["b"][..], &["a", "g.z"], &["g.y"]] {
        let error = ReaderBuilder::try_new_with_columns(file.clone(), paths.iter().copied());
        let error = error.unwrap_err();
        assert!(
            matches!(error.problem(), Problem::NoSuchColumn(_)),
            "{error}"
        );
    }
}
