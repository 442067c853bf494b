//! Counts the work of each verb while columns, row groups, pages, key-value pairs and files double: none may grow with a
//! square.

use super::without_first_row;
use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use bytelane_parquet::filter::{SelectedRows, Selection};
use bytelane_parquet::table::{Table, TableFile, conform};
use bytelane_parquet::{Error, InputFile, ReaderBuilder, Replace};
use bytelane_parquet_files::advise::{AdviseOptions, Advisor, advise};
use bytelane_parquet_files::check::{CheckOptions, check};
use bytelane_parquet_files::diff::{DiffOptions, diff};
use bytelane_parquet_files::edit::edit;
use bytelane_parquet_files::inspect::{InspectOptions, inspect};
use bytelane_parquet_files::merge::{MergeOptions, MergePages, merge};
use bytelane_parquet_files::repair::{RepairOptions, SalvageOptions, repair, salvage};
use bytelane_parquet_files::rewrite::{RewriteOptions, rewrite};
use parquet::arrow::ArrowWriter;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use std::fs;
use std::num::NonZero;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Size of a file in each direction.
#[derive(Clone, Copy, Debug)]
struct Shape {
    columns: usize,
    row_groups: usize,
    pages: usize,
    pairs: usize,
}

const SMALL: Shape = Shape {
    columns: 2,
    row_groups: 1,
    pages: 1,
    pairs: 0,
};

fn write(path: &Path, shape: Shape) {
    let rows = shape.row_groups * shape.pages;
    let column = |number: usize| {
        let values = (0..rows).map(|row| (row * number) as i64);
        let array: ArrayRef = Arc::new(Int64Array::from_iter_values(values));
        (format!("column {number}"), array)
    };
    let batch = RecordBatch::try_from_iter((0..shape.columns).map(column)).unwrap();
    let pairs =
        (0..shape.pairs).map(|it| KeyValue::new(format!("key {it}"), format!("value {it}")));
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(shape.pages))
        .set_data_page_row_count_limit(1)
        .set_write_batch_size(1)
        .set_dictionary_enabled(false)
        .set_key_value_metadata(Some(pairs.collect()))
        .build();
    let file = fs::File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

type Verb<'a> = (&'a str, &'a dyn Fn(&Path) -> Result<(), Error>);

/// Returns the bytes that this thread allocates for the work, the same in each run: copies of metadata that are made
/// for each part of a file show as a square.
fn allocated(work: impl FnOnce()) -> u64 {
    allocation_counter::measure(work).bytes_total
}

/// Compares the work on a file with that on one of twice the size.
fn check_growth(name: &str, shapes: [Shape; 2]) {
    let directory = tempfile::tempdir().unwrap();
    let paths = ["one.parquet", "two.parquet"].map(|name| directory.path().join(name));
    let new = directory.path().join("new.parquet");
    paths
        .iter()
        .zip(shapes)
        .for_each(|(path, shape)| write(path, shape));
    let fresh = MergeOptions::default().with_pages(MergePages::Fresh);
    let split = MergeOptions::default().with_row_group_size(20);
    let rewriting = RewriteOptions::default().with_threads(NonZero::<usize>::MIN);
    let values = CheckOptions::default().with_values(true);
    let verbs: [Verb<'_>; 20] = [
        ("head", &|path| {
            let file = ReaderBuilder::open(path)?.with_limit(10);
            rows(Selection::default().read(file)?)
        }),
        ("count", &|path| {
            let file = ReaderBuilder::open(path)?;
            rows(Selection::default().with_columns::<&str>([]).read(file)?)
        }),
        ("convert", &|path| {
            rows(Selection::default().read(ReaderBuilder::open(path)?)?)
        }),
        ("convert columns by name", &|path| {
            let file = ReaderBuilder::open(path)?;
            let names = names(&file);
            rows(Selection::default().with_columns(names).read(file)?)
        }),
        ("read columns by name", &|path| {
            let file = ReaderBuilder::open(path)?;
            let names = names(&file);
            let file = file.with_columns(names.iter().map(String::as_str))?;
            file.build()?.try_for_each(|batch| batch.map(drop))?;
            Ok(())
        }),
        ("filter", &|path| {
            let filter = "\"column 1\" >= 0".parse().unwrap();
            rows(
                Selection::default()
                    .with_filter(filter)
                    .read(ReaderBuilder::open(path)?)?,
            )
        }),
        ("inspect", &|path| {
            inspect(path, &InspectOptions::default()).map(drop)
        }),
        ("check", &|path| {
            check(path, &CheckOptions::default()).map(drop)
        }),
        ("check the values", &|path| check(path, &values).map(drop)),
        ("diff", &|path| {
            diff(&[path], &[path], &DiffOptions::default()).map(drop)
        }),
        ("diff in any order", &|path| {
            diff(&[path], &[path], &any_order()).map(drop)
        }),
        ("merge", &|path| {
            merge(&[path, path], &new, &MergeOptions::default()).map(drop)
        }),
        ("verified merge", &|path| {
            merge(&[path, path], &new, &verified()).map(drop)
        }),
        ("merge with fresh pages", &|path| {
            merge(&[path, path], &new, &fresh).map(drop)
        }),
        ("merge that splits", &|path| {
            merge(&[path], &new, &split).map(drop)
        }),
        ("edit", &|path| {
            edit(path, &new, &without_first_row()).map(drop)
        }),
        ("repair", &|path| {
            repair(path, &new, &RepairOptions::default()).map(drop)
        }),
        ("salvage", &|path| {
            salvage(
                path,
                &new,
                &SalvageOptions::default().with_replace(Replace::All),
            )
            .map(drop)
        }),
        ("rewrite", &|path| rewrite(path, &new, &rewriting).map(drop)),
        ("advise", &|path| {
            advise(path, &AdviseOptions::default()).map(drop)
        }),
    ];
    let mut wrong = Vec::new();
    for (verb, run) in verbs {
        let [one, two] = [&paths[0], &paths[1]].map(|path| allocated(|| run(path).unwrap()));
        if two as f64 > 2.3 * one as f64 {
            wrong.push(format!("{verb}: {one} and {two} bytes"));
        }
    }
    assert!(wrong.is_empty(), "{name}: {wrong:#?}");
}

#[test]
fn work_grows_with_the_columns() {
    let shape = |columns| Shape { columns, ..SMALL };
    check_growth("columns", [shape(300), shape(600)]);
}

#[test]
fn work_grows_with_the_row_groups() {
    let shape = |row_groups| Shape {
        row_groups,
        ..SMALL
    };
    check_growth("row groups", [shape(200), shape(400)]);
}

#[test]
fn work_grows_with_the_pages() {
    let shape = |pages| Shape { pages, ..SMALL };
    check_growth("pages", [shape(2000), shape(4000)]);
}

#[test]
fn work_grows_with_the_key_value_pairs() {
    let shape = |pairs| Shape { pairs, ..SMALL };
    check_growth("key-value pairs", [shape(2000), shape(4000)]);
}

#[test]
fn a_condition_is_tested_on_a_limited_number_of_rows() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("one.parquet");
    let pages = 300;
    write(&path, Shape { pages, ..SMALL });
    let read = |limit| {
        let filter = "\"column 1\" in (5, 7, 100, 200)".parse().unwrap();
        let selection = Selection::default().with_filter(filter);
        let file = ReaderBuilder::open(&path).unwrap();
        rows(selection.with_row_limit(limit).read(file)?)
    };
    let error = read(1).unwrap_err();
    assert!(error.to_string().contains("limit of 1 rows"), "{error}");
    read(300).unwrap();
}

/// Returns the names of all columns.
fn names(file: &ReaderBuilder<InputFile>) -> Vec<String> {
    let fields = file.schema().fields().iter();
    fields.map(|field| field.name().clone()).collect()
}

/// Reads all batches.
fn rows(mut batches: SelectedRows) -> Result<(), Error> {
    batches.try_for_each(|batch| batch.map(drop))?;
    Ok(())
}

fn any_order() -> DiffOptions {
    DiffOptions::default().with_any_order(true)
}

fn verified() -> MergeOptions {
    MergeOptions::default().with_verify(true)
}

type VerbOfFiles<'a> = (&'a str, &'a dyn Fn(&[PathBuf]) -> Result<(), Error>);

#[test]
fn work_grows_with_the_files() {
    let directory = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> = (0..200)
        .map(|number| directory.path().join(format!("{number}.parquet")))
        .collect();
    paths.iter().for_each(|path| write(path, SMALL));
    let new = directory.path().join("new.parquet");
    let fresh = MergeOptions::default().with_pages(MergePages::Fresh);
    let split = verified().with_row_group_size(1);
    let small = MergeOptions::default().with_file_size(1);
    let one_thread = AdviseOptions::default().with_threads(NonZero::<usize>::MIN);
    let verbs: [VerbOfFiles<'_>; 9] = [
        ("head, cat and count", &|paths| {
            let files: Vec<TableFile> = paths.iter().map(TableFile::new).collect();
            let table = Table::open(&files, false)?;
            for (index, path) in paths.iter().enumerate() {
                let selection = table.selection(index, &Selection::default())?;
                for batch in selection.read(ReaderBuilder::open(path)?)? {
                    conform(&batch?, table.schema())?;
                }
            }
            Ok(())
        }),
        ("advise", &|paths| {
            let mut advisor = Advisor::open_all(paths, &one_thread)?;
            advisor.advise_rest(|_| ControlFlow::Continue(()))
        }),
        ("diff", &|paths| {
            diff(paths, paths, &DiffOptions::default()).map(drop)
        }),
        ("diff in any order", &|paths| {
            diff(paths, paths, &any_order()).map(drop)
        }),
        ("merge", &|paths| {
            merge(paths, &new, &MergeOptions::default()).map(drop)
        }),
        ("verified merge", &|paths| {
            merge(paths, &new, &verified()).map(drop)
        }),
        ("merge with fresh pages", &|paths| {
            merge(paths, &new, &fresh).map(drop)
        }),
        ("merge with small row groups", &|paths| {
            merge(paths, &new, &split).map(drop)
        }),
        ("merge to several files", &|paths| {
            merge(paths, &new, &small).map(drop)
        }),
    ];
    let mut wrong = Vec::new();
    for (verb, run) in verbs {
        let [one, two] = [100, 200].map(|files| allocated(|| run(&paths[..files]).unwrap()));
        if two as f64 > 2.3 * one as f64 {
            wrong.push(format!("{verb}: {one} and {two} bytes"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
