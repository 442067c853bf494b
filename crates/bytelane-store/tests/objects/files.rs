//! Functions of `bytelane-parquet` accept URLs.

use crate::faulty::{Fault, Faulty, Request, at};
use bytelane_parquet::arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use bytelane_parquet::diff::{DiffOptions, diff};
use bytelane_parquet::inspect::inspect;
use bytelane_parquet::merge::{MergeOptions, merge};
use bytelane_parquet::rewrite::{RewriteOptions, rewrite};
use bytelane_parquet::{NewFile, ReaderBuilder, Writer, WriterOptions};
use std::sync::Arc;

fn write(url: &str, ids: std::ops::Range<i64>) -> bytelane_parquet::Result<()> {
    let names = StringArray::from_iter_values(ids.clone().map(|id| format!("name {}", id % 100)));
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(ids));
    let batch = RecordBatch::try_from_iter([("id", ids), ("name", Arc::new(names) as _)])?;
    let new = NewFile::create(url)?;
    let mut writer = Writer::try_new(new.file(), batch.schema(), WriterOptions::default())?;
    writer.write(&batch)?;
    writer.close()?;
    new.finish()
}

#[test]
fn files_on_stores_are_written_read_rewritten_and_merged() {
    bytelane_store::install();
    let faulty = Faulty::new();
    let store = faulty.registered("memory://files");
    faulty.fail(Request::Put, "a.parquet", Fault::Lost);
    write("memory://files/a.parquet", 0..20_000).unwrap();
    write("memory://files/b.parquet", 20_000..50_000).unwrap();
    let rows = |url: &str| -> usize {
        let reader = ReaderBuilder::open(url).unwrap().build().unwrap();
        reader.map(|batch| batch.unwrap().num_rows()).sum()
    };
    assert_eq!(rows("memory://files/a.parquet"), 20_000);
    let inputs = ["memory://files/a.parquet", "memory://files/b.parquet"];
    let options = MergeOptions::default().with_verification(true);
    let merged = merge(&inputs, "memory://files/merged.parquet", &options).unwrap();
    assert_eq!(merged.rows, 50_000);
    let options = RewriteOptions::new(WriterOptions::default()).with_verification(true);
    // In place.
    let rewritten = rewrite(
        "memory://files/merged.parquet",
        "memory://files/merged.parquet",
        &options,
    );
    assert!(rewritten.unwrap().verified);
    assert_eq!(rows("memory://files/merged.parquet"), 50_000);
    let difference = diff(
        &inputs,
        &["memory://files/merged.parquet"],
        &DiffOptions::default(),
    );
    assert!(difference.unwrap().is_none());
    faulty.fail(Request::Get, "a.parquet", Fault::Truncated);
    assert_eq!(inspect("memory://files/a.parquet").unwrap().rows, 20_000);

    // An object that is replaced while it is read.
    let reader = ReaderBuilder::open("memory://files/b.parquet")
        .unwrap()
        .build()
        .unwrap();
    store
        .replace_bytes(&at(&store, "b.parquet"), "other")
        .unwrap();
    drop(reader);
    let error = ReaderBuilder::open("memory://files/b.parquet")
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("memory://files/b.parquet: "), "{error}");
    let error = ReaderBuilder::open("memory://files/none.parquet")
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "memory://files/none.parquet: there is no such object; check the bucket and the key"
    );
    let error = write("https://example.org/a.parquet", 0..1)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("cannot be written to a web server"),
        "{error}"
    );
}
