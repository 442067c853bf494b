//! Tests files with one oddity: everything else can be read, and a rewrite keeps the footer unchanged.

mod annotations;
mod footers;
mod hints;
mod lists;
mod pages;
mod statistics;

use arrow_array::{Array, ArrayRef, Int32Array, RecordBatch};
use arrow_schema::{Field, Schema};
use bytelane_parquet::filter::Selection;
use bytelane_parquet::format::{
    ColumnChunk, Encoded, FileMetaData, SchemaElement, Statistics, decode, encode,
};
use bytelane_parquet::{Reader, Result, Writer, WriterOptions, parse_compression};
use bytelane_parquet_files::advise::{AdviseOptions, advise};
use bytelane_parquet_files::inspect::inspect_reader;
use bytelane_parquet_files::rewrite::{RewriteOptions, rewrite_bytes};
use bytes::Bytes;
use std::num::NonZero;
use std::sync::Arc;

pub const ROWS: usize = 200;

/// Returns the numbers of the column that is not odd.
fn numbers() -> ArrayRef {
    Arc::new(Int32Array::from_iter_values(0..ROWS as i32))
}

/// Writes a file of the columns `ok` and `x`, neither of which has nulls, without an Arrow schema.
pub fn file_of(x: &ArrayRef) -> Bytes {
    let fields = vec![
        Field::new("ok", numbers().data_type().clone(), false),
        Field::new("x", x.data_type().clone(), false),
    ];
    let schema = Arc::new(Schema::new(fields));
    let batch = RecordBatch::try_new(Arc::clone(&schema), vec![numbers(), Arc::clone(x)]);
    let mut file = Vec::new();
    let mut writer = Writer::try_new(&mut file, schema, WriterOptions::default()).unwrap();
    writer.write(&batch.unwrap()).unwrap();
    writer.close().unwrap();
    changed(&file.into(), |footer| footer.key_value_metadata = None)
}

/// Returns the footer of a file.
pub fn footer(file: &Bytes) -> FileMetaData {
    let end = file.len() - 8;
    decode(&file.slice(end - footer_length(file)..)).unwrap()
}

fn footer_length(file: &Bytes) -> usize {
    let length = file[file.len() - 8..].first_chunk().unwrap();
    u32::from_le_bytes(*length) as usize
}

/// Returns the same file with another footer.
pub fn changed(file: &Bytes, change: impl FnOnce(&mut FileMetaData)) -> Bytes {
    let mut new = footer(file);
    change(&mut new);
    let new = encode(&new).unwrap();
    let pages = &file[..file.len() - 8 - footer_length(file)];
    let length = (new.len() as u32).to_le_bytes();
    [pages, &new, &length, b"PAR1"].concat().into()
}

/// Returns the same file with another schema element for `x`.
pub fn with_element(file: &Bytes, change: impl FnOnce(&mut SchemaElement)) -> Bytes {
    changed(file, |footer| change(&mut footer.schema[2]))
}

/// Returns the same file with another description of the chunk of `x`.
pub fn with_chunk(file: &Bytes, change: impl FnOnce(&mut ColumnChunk)) -> Bytes {
    changed(file, |footer| {
        let chunk = &mut footer.row_groups[0].columns[1];
        let mut decoded = chunk.decode().unwrap();
        change(&mut decoded);
        *chunk = Encoded::new(&decoded).unwrap();
    })
}

/// Reads rows of some columns in batches of `rows` rows, and concatenates them.
fn read(file: &Bytes, columns: &[&str], rows: usize, threads: usize) -> Result<Vec<ArrayRef>> {
    let reader = Reader::builder(file.clone())?
        .with_columns(columns.iter().copied())?
        .with_batch_size(rows)
        .with_threads(NonZero::new(threads).unwrap())
        .build()?;
    let batches = reader.collect::<std::result::Result<Vec<_>, _>>()?;
    let columns = 0..batches[0].num_columns();
    let columns = columns.map(|column| {
        let parts: Vec<&dyn Array> = batches
            .iter()
            .map(|it| it.column(column).as_ref())
            .collect();
        Ok(arrow_select::concat::concat(&parts)?)
    });
    columns.collect()
}

/// Checks that everything works with a file, and that `x` has these values.
pub fn check(file: &Bytes, x: &ArrayRef, what: &str) {
    for (rows, threads) in [(ROWS, 1), (7, 1), (31, 2)] {
        let both = read(file, &["ok", "x"], rows, threads);
        let both = both.unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(&both[0], &numbers(), "{what}");
        check_equal(&both[1], x, what);
    }
    let rewritten = check_others(file, what);
    check_equal(&read(&rewritten, &["x"], ROWS, 1).unwrap()[0], x, what);
}

fn check_equal(found: &ArrayRef, expected: &ArrayRef, what: &str) {
    assert_eq!(found.data_type(), expected.data_type(), "{what}");
    assert!(found == expected, "{what}: other values");
}

/// Checks that everything works with a file except reading the values of `x`. Returns the error for these.
pub fn check_unreadable(file: &Bytes, what: &str) -> String {
    let rewritten = check_others(file, what);
    let error = read(file, &["x"], ROWS, 1).unwrap_err().to_string();
    assert_eq!(
        read(&rewritten, &["x"], ROWS, 1).unwrap_err().to_string(),
        error
    );
    error
}

/// Checks that a rewrite keeps statistics, or leaves out what cannot be true.
fn check_statistics(
    before: Option<&Encoded<Statistics>>,
    after: Option<&Encoded<Statistics>>,
    what: &str,
) {
    if before == after {
        return;
    }
    let [before, after] = [before, after].map(|it| it.unwrap().decode().unwrap());
    let is_kept =
        |of: fn(&Statistics) -> &Option<Bytes>| of(&after).is_none() || of(&after) == of(&before);
    let bounds: [fn(&Statistics) -> &Option<Bytes>; 4] = [
        |it| &it.min_value,
        |it| &it.max_value,
        |it| &it.min,
        |it| &it.max,
    ];
    assert!(bounds.into_iter().all(is_kept), "{what}: {after:?}");
    let nulls = after.null_count.or(before.null_count);
    assert_eq!(nulls, before.null_count, "{what}");
    assert_eq!(after.unknown_fields, before.unknown_fields, "{what}");
}

/// Checks everything that does not depend on the values of `x`. Returns the rewritten file.
fn check_others(file: &Bytes, what: &str) -> Bytes {
    let ok = read(file, &["ok"], 50, 1).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(ok, [numbers()], "{what}");

    let filter = "ok >= 150".parse().unwrap();
    let selection = Selection::default()
        .with_columns(vec!["ok".to_owned()])
        .with_filter(filter);
    let rows = selection
        .read(Reader::builder(file.clone()).unwrap())
        .unwrap();
    let rows = rows.map(|batch| batch.unwrap().num_rows()).sum::<usize>();
    assert_eq!(rows, 50, "{what}");

    assert_eq!(inspect_reader(file).unwrap().rows, ROWS as u64, "{what}");
    let path = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(&path, file).unwrap();
    for exact in [false, true] {
        let options = AdviseOptions::default().with_exact(exact);
        let advice = advise(&path, &options).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(advice.columns[0].path, "ok", "{what}");
        assert!(
            !advice.columns[0].candidates.is_empty(),
            "{what}: {advice:?}"
        );
    }

    let options = RewriteOptions::default()
        .with_compression(parse_compression("zstd").unwrap())
        .with_verify(true);
    let (new, rewritten) =
        rewrite_bytes(file.clone(), &options).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(rewritten.columns[0].rewritten, 1, "{what}");
    let (before, after) = (footer(file), footer(&new));
    let kept = |footer: &FileMetaData| FileMetaData {
        row_groups: Vec::new(),
        ..footer.clone()
    };
    let mut wanted = kept(&before);
    let leaves = before.row_groups[0].columns.len();
    wanted.column_orders = wanted.column_orders.filter(|it| it.len() == leaves);
    assert_eq!(kept(&after), wanted, "{what}");
    let chunks = |footer: &FileMetaData| {
        let chunks = footer.row_groups[0].columns.iter();
        chunks.map(|it| it.decode().unwrap()).collect::<Vec<_>>()
    };
    for (before, after) in chunks(&before).iter().zip(&chunks(&after)) {
        let (before, after) = (&before.meta_data, &after.meta_data);
        check_statistics(before.statistics.as_ref(), after.statistics.as_ref(), what);
        assert_eq!(after.path_in_schema, before.path_in_schema, "{what}");
        assert_eq!(
            after.key_value_metadata, before.key_value_metadata,
            "{what}"
        );
    }
    new
}
