//! Tests the options of the reader: what to read, and how.

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{ArrayRef, FixedSizeListArray, Float64Array, Int64Array, RecordBatch};
use arrow_buffer::NullBuffer;
use arrow_schema::Field;
use bytelane_parquet::{
    ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder, Problem, Reader, arrow_array,
    arrow_schema, parquet,
};
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{RowSelection, RowSelector};
use parquet::errors::Result;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use parquet::file::reader::{ChunkReader, Length};
use std::error::Error;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

const ROWS: usize = 100_000;
const PAGE_ROWS: usize = 1000;

fn batch() -> RecordBatch {
    let ids = Int64Array::from_iter_values(0..ROWS as i64);
    let prices = (0..ROWS).map(|row| (row % 7 > 0).then_some(row as f64));
    let columns: [(&str, ArrayRef, bool); 2] = [
        ("id", Arc::new(ids), false),
        ("price", Arc::new(Float64Array::from_iter(prices)), true),
    ];
    RecordBatch::try_from_iter_with_nullable(columns).expect("columns of one length")
}

/// Writes a file with pages of [`PAGE_ROWS`] rows.
fn file(is_indexed: bool, row_group_rows: usize) -> Bytes {
    let batch = batch();
    let properties = WriterProperties::builder()
        .set_writer_version(WriterVersion::PARQUET_2_0)
        .set_dictionary_enabled(false)
        .set_statistics_enabled(EnabledStatistics::None)
        .set_offset_index_disabled(!is_indexed)
        .set_data_page_row_count_limit(PAGE_ROWS)
        .set_write_batch_size(PAGE_ROWS)
        .set_max_row_group_row_count(Some(row_group_rows))
        .build();
    let mut file = Vec::new();
    let mut writer =
        ArrowWriter::try_new(&mut file, batch.schema(), Some(properties)).expect("a writer");
    writer.write(&batch).expect("rows");
    writer.close().expect("a file");
    file.into()
}

/// File that counts reads and bytes.
#[derive(Clone)]
struct Counted {
    file: Bytes,
    reads: Arc<AtomicUsize>,
    bytes: Arc<AtomicUsize>,
}

impl Counted {
    fn new(file: Bytes) -> Self {
        let (reads, bytes) = Default::default();
        Self { file, reads, bytes }
    }

    /// Returns the reads and bytes since the last call.
    fn take(&self) -> (usize, usize) {
        (
            self.reads.swap(0, Ordering::Relaxed),
            self.bytes.swap(0, Ordering::Relaxed),
        )
    }
}

impl Length for Counted {
    fn len(&self) -> u64 {
        self.file.len() as u64
    }
}

impl ChunkReader for Counted {
    type T = <Bytes as ChunkReader>::T;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        self.file.get_read(start)
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(length, Ordering::Relaxed);
        self.file.get_bytes(start, length)
    }
}

#[test]
fn pages_without_wanted_rows_are_not_read() {
    let wanted = RowSelection::from(vec![
        RowSelector::skip(40_500),
        RowSelector::select(100),
        RowSelector::skip(50_000),
        RowSelector::select(100),
    ]);
    for is_indexed in [true, false] {
        let input = Counted::new(file(is_indexed, ROWS));
        let builder = Reader::builder(input.clone()).expect("a footer");
        input.take();
        let reader = builder.with_row_selection(wanted.clone()).build();
        let batches: Vec<_> = reader
            .expect("options")
            .map(|it| it.expect("rows"))
            .collect();
        let (reads, bytes) = input.take();
        let [rows] = &batches[..] else {
            panic!("{} batches", batches.len());
        };
        let all = batch();
        assert_eq!(rows.slice(0, 100), all.slice(40_500, 100));
        assert_eq!(rows.slice(100, 100), all.slice(90_600, 100));
        // Two pages of each of two columns, with 8 bytes per value.
        let pages = 4 * PAGE_ROWS * 8;
        if is_indexed {
            // Two indexes, and the headers of all pages, which must agree with the indexes before pages are skipped.
            let headers = 2 * ROWS / PAGE_ROWS;
            assert!(
                reads <= 10 + headers && bytes < pages + 200 * 256 + 5000,
                "{reads} {bytes}"
            )
        } else {
            // The headers of the other pages.
            assert!(bytes < pages + 200 * 256 + 5000, "{bytes}")
        }
    }
}

#[test]
fn threads_read_the_same_batches_in_order() {
    for row_group_rows in [3000, ROWS] {
        let file = file(true, row_group_rows);
        let read = |threads: usize, columns: &[&str]| {
            let builder = Reader::builder(file.clone()).expect("a footer");
            let builder = builder.with_columns(columns.iter().copied());
            let reader = builder
                .expect("the columns are there")
                .with_batch_size(700)
                .with_threads(NonZero::new(threads).expect("not 0"))
                .build();
            let batches = reader.expect("options").map(|batch| batch.expect("rows"));
            batches.collect::<Vec<_>>()
        };
        for columns in [&["id", "price"][..], &["price"]] {
            let alone = read(1, columns);
            let rows: usize = alone.iter().map(RecordBatch::num_rows).sum();
            assert_eq!(rows, ROWS);
            for threads in [2, 3, 8] {
                assert!(read(threads, columns) == alone, "{threads} threads");
            }
        }
    }
}

/// Threads that read ahead stop, and release the input.
#[test]
fn a_reader_can_be_dropped_at_any_batch() {
    let file = file(true, 3000);
    for taken in 0..5 {
        let builder = Reader::builder(file.clone()).expect("a footer");
        let builder = builder.with_batch_size(100);
        let mut reader = builder
            .with_threads(NonZero::new(2).expect("not 0"))
            .build()
            .expect("options");
        for _ in 0..taken {
            reader.next().expect("a batch").expect("rows");
        }
        drop(reader);
        let end = Instant::now() + Duration::from_secs(60);
        while !file.is_unique() {
            assert!(
                Instant::now() < end,
                "threads still read after {taken} batches"
            );
            thread::yield_now();
        }
    }
}

#[test]
fn an_error_comes_after_the_batches_before_it() {
    let mut file = file(true, 10_000).to_vec();
    let builder = Reader::builder(Bytes::from(file.clone())).expect("a footer");
    // Header of the first page in the fifth row group.
    let (start, _) = builder.metadata().row_group(4).column(0).byte_range();
    file[start as usize..][..8].fill(0xff);
    for threads in [1, 2, 5] {
        let builder = Reader::builder(Bytes::from(file.clone())).expect("a footer");
        let threads = NonZero::new(threads).expect("not 0");
        let mut reader = builder.with_threads(threads).build().expect("options");
        for row_group in 0..4 {
            let rows = reader.next().expect("a batch").expect("rows");
            let ids = rows.column(0).as_primitive::<Int64Type>();
            assert_eq!(ids.value(0), row_group * 10_000);
        }
        let error = reader
            .next()
            .expect("an error")
            .expect_err("a damaged page");
        let want = "row group 4, column id, page 0: ";
        assert!(error.to_string().contains(want), "{error}");
        assert!(reader.next().is_none());
    }
}

#[test]
fn batches_that_take_too_much_memory_have_fewer_rows() {
    let file = file(false, ROWS);
    let read = |limit: u64, rows: usize| {
        let builder = Reader::builder(file.clone()).expect("a footer");
        let builder = builder.with_memory_limit(limit).with_batch_size(rows);
        let batches = builder.build().expect("options");
        let rows = batches.map(|batch| Ok(batch?.num_rows()));
        rows.sum::<std::result::Result<usize, arrow_schema::ArrowError>>()
    };
    // Two columns of 8 bytes per value, the bits of nulls, and two pages.
    for rows in [10_000, 5000, 10] {
        assert_eq!(read(15 * 10_000, rows).expect("smaller batches"), ROWS);
    }
    let error = read(10_000, 10_000).expect_err("too little for two pages");
    let error = bytelane_parquet::Error::new(error);
    assert!(
        matches!(error.problem(), Problem::MemoryLimit { limit: 10_000 }),
        "{error}"
    );
    assert!(error.to_string().contains("with_memory_limit"), "{error}");
}

/// Uses the names like a program that was written for the crate `parquet`.
#[test]
fn the_names_of_the_crate_parquet_do() -> std::result::Result<(), Box<dyn Error>> {
    fn sum(reader: ParquetRecordBatchReader) -> Result<f64> {
        let mut sum = 0.0;
        for batch in reader {
            let batch = batch?;
            let prices = batch.column(1).as_primitive::<Float64Type>();
            sum += prices.iter().flatten().sum::<f64>();
        }
        Ok(sum)
    }
    let builder = ParquetRecordBatchReaderBuilder::try_new(file(true, ROWS))?;
    assert_eq!(builder.schema().fields().len(), 2);
    assert_eq!(builder.parquet_schema().num_columns(), 2);
    assert_eq!(builder.metadata().num_row_groups(), 1);
    let reader = builder
        .with_row_groups(vec![0])
        .with_batch_size(8192)
        .with_offset(10)
        .with_limit(5)
        .build()?;
    assert_eq!(sum(reader)?, f64::from(10 + 11 + 12 + 13));
    let whole = || file(true, ROWS);
    let theirs = parquet::arrow::arrow_reader::ParquetRecordBatchReader::try_new(whole(), ROWS)?
        .collect::<std::result::Result<Vec<_>, _>>()?;
    let mut rows = 0;
    for batch in ParquetRecordBatchReader::try_new(whole(), 8192)? {
        let batch = batch?;
        assert_eq!(batch, theirs[0].slice(rows, batch.num_rows()));
        assert!((1..=8192).contains(&batch.num_rows()));
        rows += batch.num_rows();
    }
    assert_eq!(rows, ROWS);
    let error = ParquetRecordBatchReader::try_new(Bytes::from_static(b"no file"), 8192);
    assert!(matches!(error.unwrap_err().problem(), Problem::Corrupt(_)));
    let error = ParquetRecordBatchReader::try_new(whole(), 0).unwrap_err();
    assert!(matches!(error.problem(), Problem::Option(_)), "{error}");
    Ok(())
}

/// Null lists of a fixed size have entries in Arrow. The arrays from which these are taken may be large.
#[test]
fn null_lists_of_a_fixed_size_take_memory_for_their_own_entries() {
    let mut lists = ListBuilder::new(StringBuilder::new());
    for list in 0..3000 {
        let texts = (0..10).map(|text| {
            Some(format!(
                "text {text} of the list {list}, and a few more words"
            ))
        });
        lists.append_value(texts);
    }
    let lists: ArrayRef = Arc::new(lists.finish());
    let nulls = NullBuffer::from_iter((0..1000).map(|row| row % 2 > 0));
    for is_nullable in [true, false] {
        let field = Field::new("item", lists.data_type().clone(), is_nullable);
        let column =
            FixedSizeListArray::new(Arc::new(field), 3, Arc::clone(&lists), Some(nulls.clone()));
        let batch = RecordBatch::try_from_iter([("column", Arc::new(column) as ArrayRef)]);
        let batch = batch.expect("a column");
        let mut file = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut file, batch.schema(), None).expect("a schema");
        writer.write(&batch).expect("a batch");
        writer.close().expect("a file");
        let mut reader = Reader::builder(Bytes::from(file))
            .expect("a footer")
            .build()
            .expect("a reader");
        let read = reader.next().expect("a batch").expect("rows");
        assert_eq!(read, batch);
    }
}
