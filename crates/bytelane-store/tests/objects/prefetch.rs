//! Readers request the pages of a row group before they decode them, with few requests.

use crate::faulty::{Fault, Faulty, Request, at};
use bytelane_parquet::arrow_array::{ArrayRef, Int64Array, RecordBatch};
use bytelane_parquet::parquet::arrow::ProjectionMask;
use bytelane_parquet::parquet::arrow::arrow_reader::{RowSelection, RowSelector};
use bytelane_parquet::{Encoding, ReaderBuilder, RemoteFile, Writer, WriterOptions};
use bytelane_store::{Object, install};
use std::sync::Arc;

const COLUMNS: i64 = 30;
const ROWS: i64 = 20_000;
const GROUP_ROWS: usize = 5000;

fn table() -> RecordBatch {
    let columns = (0..COLUMNS).map(|column| {
        let values = (0..ROWS).map(|row| row * (column + 7));
        let values: ArrayRef = Arc::new(Int64Array::from_iter_values(values));
        (format!("c{column}"), values)
    });
    RecordBatch::try_from_iter(columns).unwrap()
}

/// Returns a file of 5 MB with four row groups.
fn file(table: &RecordBatch) -> Vec<u8> {
    let options = WriterOptions::default()
        .with_encoding(Encoding::Plain)
        .with_row_group_size(GROUP_ROWS)
        .with_max_rows_per_page(1000);
    let mut writer = Writer::try_new(Vec::new(), table.schema(), options).unwrap();
    writer.write(table).unwrap();
    writer.into_inner().unwrap()
}

#[test]
fn a_row_group_takes_one_request() {
    install();
    let (faulty, table) = (Faulty::new(), table());
    let store = faulty.registered("memory://prefetch");
    store.put_if_absent(&at(&store, "a"), file(&table)).unwrap();
    let read = |columns: &[usize], rows: RowSelection| {
        let before = faulty.count(Request::Get, "a");
        let builder = ReaderBuilder::open("memory://prefetch/a").unwrap();
        let opened = faulty.count(Request::Get, "a") - before;
        let schema = builder.metadata().file_metadata().schema_descr();
        let mask = ProjectionMask::leaves(schema, columns.iter().copied());
        let reader = builder.with_projection(mask).with_row_selection(rows);
        let batches: Vec<_> = reader.build().unwrap().map(Result::unwrap).collect();
        let requests = faulty.count(Request::Get, "a") - before - opened;
        assert_eq!(opened, 1);
        let rows = batches.iter().map(RecordBatch::num_rows).sum::<usize>();
        (batches, rows, requests)
    };
    let everything = || RowSelection::from(vec![RowSelector::select(ROWS as usize)]);
    let all: Vec<usize> = (0..COLUMNS as usize).collect();
    let (batches, rows, requests) = read(&all, everything());
    assert_eq!(rows, ROWS as usize);
    assert_eq!(joined(&batches, 29), values(&table, 29));
    // One for each row group.
    assert_eq!(requests, 4);
    // Columns that are far apart have requests of their own.
    let (batches, _, requests) = read(&[0, 1, 29], everything());
    assert_eq!(joined(&batches, 2), values(&table, 29));
    assert!(requests <= 8, "{requests}");
    // One page of the last row group: the offset indexes are in the bytes read first.
    let skipped = RowSelector::skip(ROWS as usize - 900);
    let (batches, rows, requests) = read(&[3], vec![skipped, RowSelector::select(900)].into());
    assert_eq!((rows, requests), (900, 1));
    assert_eq!(
        values(&batches[0], 0)[..],
        values(&table, 3)[ROWS as usize - 900..]
    );
    // A failed request ahead is repeated when its bytes are needed.
    let builder = ReaderBuilder::open("memory://prefetch/a").unwrap();
    for fault in [Fault::Dropped, Fault::Truncated] {
        faulty.fail(Request::Get, "a", fault);
    }
    let batches: Vec<_> = builder.build().unwrap().map(Result::unwrap).collect();
    assert_eq!(joined(&batches, 7), values(&table, 7));
}

fn joined(batches: &[RecordBatch], column: usize) -> Vec<i64> {
    let all = batches.iter().flat_map(|batch| values(batch, column));
    all.collect()
}

fn values(batch: &RecordBatch, column: usize) -> Vec<i64> {
    let column = batch.column(column).as_any();
    column
        .downcast_ref::<Int64Array>()
        .unwrap()
        .values()
        .to_vec()
}

#[test]
fn bytes_on_their_way_are_waited_for() {
    let faulty = Faulty::new();
    let store = faulty.registered("memory://ahead");
    let bytes: Vec<u8> = (0..12_u32 << 20)
        .map(|index| (index / 5 % 253) as u8)
        .collect();
    store
        .put_if_absent(&at(&store, "a"), bytes.clone())
        .unwrap();
    let file = Object::open(&at(&store, "a")).unwrap();
    let before = faulty.count(Request::Get, "a");
    let ranges = [0..4 << 20, (9 << 20)..(10 << 20), (4 << 20) + 9..5 << 20];
    file.prefetch(&ranges, 16 << 20);
    for range in &ranges {
        let wanted = &bytes[range.start as usize..range.end as usize];
        assert_eq!(file.read(range.clone()).unwrap(), wanted);
    }
    assert_eq!(faulty.count(Request::Get, "a") - before, 2);
}
