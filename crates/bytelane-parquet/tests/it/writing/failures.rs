//! Tests what a writer does after an error, and that threads of a pool write the same file.

use arrow_array::{ArrayRef, Int64Array, RecordBatch, TimestampSecondArray};
use bytelane_parquet::rayon::ThreadPoolBuilder;
use bytelane_parquet::{Reader, Writer, WriterOptions};
use bytes::Bytes;
use std::io::{self, Write};
use std::sync::Arc;
use std::thread;

/// Sink with room for a number of bytes.
#[derive(Debug)]
struct Disk {
    bytes: Vec<u8>,
    room: usize,
}

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() > self.room {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn rows(times: Vec<i64>) -> RecordBatch {
    let ids = Int64Array::from_iter_values(0..times.len() as i64);
    let columns: [(&str, ArrayRef); 2] = [
        ("id", Arc::new(ids)),
        ("time", Arc::new(TimestampSecondArray::from(times))),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

#[test]
fn no_file_is_finished_without_the_rows_of_an_error() {
    let batch = rows((0..4000).map(|row| row * row).collect());
    let options = || WriterOptions::default().with_row_group_size(1000);
    let whole = {
        let mut writer = Writer::try_new(Vec::new(), batch.schema(), options()).unwrap();
        writer.write(&batch).unwrap();
        writer.into_inner().unwrap().len()
    };
    // In the pages of a row group, in the indexes, and in the footer.
    for room in [whole / 3, whole - 700, whole - 1] {
        let bytes = Vec::new();
        let disk = Disk { bytes, room };
        let mut writer = Writer::try_new(disk, batch.schema(), options()).unwrap();
        let first = writer
            .write(&batch)
            .and_then(|()| writer.finish().map(drop));
        let first = first.unwrap_err().to_string();
        assert!(!first.contains("incomplete"), "{first}");
        let later = [
            writer.write(&batch),
            writer.finish().map(drop),
            writer.into_inner().map(drop),
        ];
        for error in later {
            let error = error.unwrap_err().to_string();
            assert!(
                error.contains("left the file incomplete"),
                "{room}: {error}"
            );
        }
    }
}

#[test]
fn rows_that_are_refused_leave_no_column_longer_than_others() {
    let (good, bad) = (rows(vec![1, 2, 3]), rows(vec![4, i64::MAX]));
    let mut writer = Writer::try_new(Vec::new(), good.schema(), WriterOptions::default()).unwrap();
    writer.write(&good).unwrap();
    let error = writer.write(&bad).unwrap_err().to_string();
    assert!(
        error.contains("column time") && error.contains("too far away"),
        "{error}"
    );
    writer.write(&good).unwrap();
    let file = Bytes::from(writer.into_inner().unwrap());
    let mut reader = Reader::builder(file).unwrap().build().unwrap();
    let batch = reader.next().unwrap().unwrap();
    let ids: &Int64Array = batch.column(0).as_any().downcast_ref().unwrap();
    assert_eq!(ids.values()[..], [0, 1, 2, 0, 1, 2]);
    assert!(reader.next().is_none());
}

#[test]
fn threads_of_a_pool_write_the_same_file() {
    let batch = rows((0..5000).map(|row| row * row).collect());
    let write = |pool| {
        let options = WriterOptions::default().with_row_group_size(2000);
        let mut writer = Writer::try_new(Vec::new(), batch.schema(), options).unwrap();
        if let Some(pool) = pool {
            writer = writer.with_pool(pool);
        }
        writer.write(&batch).unwrap();
        writer.into_inner().unwrap()
    };
    let alone = write(None);
    for threads in [1, 2, 5] {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = Arc::new(pool.unwrap());
        // Several writers share a pool, and one of them runs on it.
        thread::scope(|scope| {
            let two = [0, 1].map(|_| scope.spawn(|| write(Some(Arc::clone(&pool)))));
            let within = pool.install(|| write(Some(Arc::clone(&pool))));
            assert!(within == alone, "{threads} threads");
            for other in two {
                assert!(other.join().unwrap() == alone, "{threads} threads");
            }
        });
    }
}
