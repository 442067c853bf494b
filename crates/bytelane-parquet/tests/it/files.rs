//! Tests files that several threads read, and files that appear when they are complete.

use arrow_array::{Int64Array, RecordBatch, StringArray};
use bytelane_parquet::{NewFile, Problem, ReaderBuilder, Writer, WriterOptions};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::thread;

fn batch(rows: i64) -> RecordBatch {
    let numbers = Int64Array::from_iter_values(0..rows);
    let texts = StringArray::from_iter_values((0..rows).map(|row| format!("row {row}")));
    RecordBatch::try_from_iter([("n", Arc::new(numbers) as _), ("t", Arc::new(texts) as _)])
        .unwrap()
}

fn write(path: &Path, batch: &RecordBatch) {
    let new = NewFile::create(path).unwrap();
    let options = WriterOptions::default().with_row_group_size(5000);
    let mut writer = Writer::try_new(new.file(), batch.schema(), options).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
    new.finish().unwrap();
}

#[test]
fn threads_read_one_open_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("data.parquet");
    let batch = batch(40_000);
    write(&path, &batch);
    let reader = ReaderBuilder::open(&path).unwrap();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut first = 0;
                for read in reader.clone().with_batch_size(1000).build().unwrap() {
                    let read = read.unwrap();
                    assert_eq!(read, batch.slice(first, read.num_rows()));
                    first += read.num_rows();
                }
                assert_eq!(first, batch.num_rows());
            });
        }
    });
}

#[test]
fn an_unfinished_file_leaves_the_old_one() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("data.parquet");
    write(&path, &batch(10));
    let before = fs::read(&path).unwrap();
    let new = NewFile::create(&path).unwrap();
    fs::File::set_len(new.file(), 7).unwrap();
    assert_eq!(fs::read(&path).unwrap(), before);
    drop(new);
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);

    write(&path, &batch(20));
    assert_ne!(fs::read(&path).unwrap(), before);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    let error = NewFile::create(directory.path()).unwrap_err();
    assert!(matches!(error.problem(), Problem::Input(_)), "{error}");
    assert_eq!(error.place().file.as_deref(), Some(directory.path()));
}

#[cfg(unix)]
#[test]
fn a_new_file_has_the_permissions_of_any_new_file() {
    use std::os::unix::fs::PermissionsExt;

    let directory = tempfile::tempdir().unwrap();
    let (path, other) = (directory.path().join("a"), directory.path().join("b"));
    write(&path, &batch(1));
    fs::write(&other, b"").unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&path), mode(&other));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    write(&path, &batch(2));
    assert_eq!(mode(&path) & 0o777, 0o640);
}
