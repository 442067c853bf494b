//! Functions of `bytelane-parquet` accept URLs.

use crate::faulty::{Fault, Faulty, Request, at};
use bytelane_parquet::arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use bytelane_parquet::{NewFile, ReaderBuilder, Replace, Writer, WriterOptions};
use bytelane_parquet_files::diff::{DiffOptions, diff};
use bytelane_parquet_files::inspect::{InspectOptions, inspect};
use bytelane_parquet_files::merge::{MergeOptions, merge};
use bytelane_parquet_files::rewrite::{RewriteOptions, rewrite};
use bytelane_store::{FindOptions, check_outputs, find};
use std::path::PathBuf;
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
    let options = MergeOptions::default().with_verify(true);
    let merged = merge(&inputs, "memory://files/merged.parquet", &options).unwrap();
    assert_eq!(merged.rows, 50_000);
    let options = RewriteOptions::default().with_verify(true);
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
    assert_eq!(
        inspect("memory://files/a.parquet", &InspectOptions::default())
            .unwrap()
            .rows,
        20_000
    );

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

#[test]
fn all_parts_of_an_earlier_merge_are_noticed() {
    bytelane_store::install();
    let faulty = Faulty::new();
    let store = faulty.registered("memory://parts");
    write("memory://parts/in.parquet", 0..100).unwrap();
    let merged = |replace| {
        let options = MergeOptions::default()
            .with_file_size(1 << 20)
            .with_replace(replace);
        merge(
            &["memory://parts/in.parquet"],
            "memory://parts/out/o.parquet",
            &options,
        )
    };
    for name in [
        "out/o-notes.parquet",
        "out/o-1.parquet",
        "out/below/o-00001.parquet",
    ] {
        store.replace_bytes(&at(&store, name), "other").unwrap();
    }
    assert_eq!(merged(Replace::Inputs).unwrap().outputs.len(), 1);
    // The next number is free, but a later one is not.
    store
        .replace_bytes(&at(&store, "out/o-00007.parquet"), "old")
        .unwrap();
    store.delete(&at(&store, "out/o-00000.parquet")).unwrap();
    let error = merged(Replace::Inputs).unwrap_err().to_string();
    let expected = "memory://parts/out/o-00007.parquet: ";
    assert!(error.starts_with(expected), "{error}");
    // As on a disk.
    merged(Replace::All).unwrap();
    let stored = store.list(&at(&store, "out")).unwrap();
    let keys: Vec<&str> = stored.iter().map(|(object, _)| object.key()).collect();
    let expected = [
        "out/below/o-00001.parquet",
        "out/o-00000.parquet",
        "out/o-1.parquet",
        "out/o-notes.parquet",
    ];
    assert_eq!(keys, expected);
}

#[test]
fn outputs_that_the_next_run_would_read_are_refused() {
    bytelane_store::install();
    let faulty = Faulty::new();
    let store = faulty.registered("memory://outputs");
    store
        .replace_bytes(&at(&store, "t/a.parquet"), "a")
        .unwrap();
    store
        .replace_bytes(&at(&store, "d/a.parquet"), "a")
        .unwrap();
    store
        .replace_bytes(&at(&store, "d/_delta_log/0.json"), "{}")
        .unwrap();
    let check = |input: &str, output: &str, is_owned: bool| {
        let [input, output] =
            [input, output].map(|it| PathBuf::from(format!("memory://outputs/{it}")));
        let options = FindOptions::default().with_owned(is_owned);
        let checked = check_outputs(&[input], &[output], &options);
        checked
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default()
    };
    for (input, output) in [
        ("t", "t/b.parquet"),
        ("t/", "t/b/c.parquet"),
        ("t/*.parquet", "t/b.parquet"),
        ("*", "t/b.parquet"),
        ("**/*.parquet", "u/b.parquet"),
    ] {
        let error = check(input, output, false);
        assert!(
            error.contains("the next run would read it"),
            "{input}: {error}"
        );
    }
    for (input, output) in [
        ("t", "t.new/b.parquet"),
        ("t", "t/plan.json"),
        ("t", "t/_new/b.parquet"),
        ("t/a.parquet", "t/a.parquet"),
        ("t/*.parquet", "t/a.parquet"),
        ("t/*.parquet", "t/b.parq"),
        ("t/a.parquet", "d/b.parquet"),
    ] {
        assert_eq!(check(input, output, false), "", "{input}");
    }
    let error = check("t/a.parquet", "d/a.parquet", false);
    assert!(error.contains("a table of Delta Lake"), "{error}");
    assert_eq!(check("t/a.parquet", "d/a.parquet", true), "");
    let outputs = ["u/a.parquet", "t/a.parquet", "d/a.parquet"];
    let outputs = outputs.map(|it| PathBuf::from(format!("memory://outputs/{it}")));
    let options = FindOptions::default();
    let input = [PathBuf::from("memory://outputs/t/a.parquet")];
    check_outputs(&input, &outputs[..2], &options).unwrap();
    for is_refused in [false, true] {
        if is_refused {
            faulty.fail(Request::List, "d", Fault::Denied);
        }
        let error = check_outputs(&input, &outputs, &options).unwrap_err();
        let error = error.to_string();
        assert!(error.contains("a table of Delta Lake"), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn partitions_that_are_not_utf8_are_refused() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let root = tempfile::tempdir().unwrap();
    let directory = root.path().join(OsStr::from_bytes(b"k=\xff"));
    std::fs::create_dir(&directory).unwrap();
    std::fs::write(directory.join("a.parquet"), "a").unwrap();
    let options = FindOptions::default();
    let error = find(&[root.path()], &options).unwrap_err().to_string();
    assert!(error.contains("is not UTF-8"), "{error}");
    let file = directory.join("a.parquet");
    assert_eq!(find(&[file], &options).unwrap().len(), 1);
}
