//! Tests files whose facts contradict each other: each fact alone, and each pair of facts, for each verb. No verb
//! returns other rows than those of the file.

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, Int64Array, ListArray, RecordBatch, StringArray};
use bytelane_parquet::filter::Selection;
use bytelane_parquet::format::{
    ColumnChunk, ColumnIndex, Encoded, FileMetaData, OffsetIndex, decode, encode,
};
use bytelane_parquet::{Error, Reader};
use bytelane_parquet_files::check::{CheckOptions, Severity, check};
use bytelane_parquet_files::edit::{EditOptions, edit};
use bytelane_parquet_files::edits::Edits;
use bytelane_parquet_files::merge::{MergeOptions, MergePages, merge};
use bytelane_parquet_files::repair::{RepairOptions, repair};
use bytelane_parquet_files::rewrite::{RewriteOptions, rewrite};
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use std::fs;
use std::path::Path;
use std::sync::Arc;

const ROWS: i64 = 12;

/// Number of columns.
const COLUMNS: usize = 4;

fn rows() -> RecordBatch {
    let numbers = 0..ROWS as i32;
    let lists = numbers
        .clone()
        .map(|row| Some((0..=row % 2).map(move |at| Some(row * 10 + at))));
    let halves = numbers
        .clone()
        .map(|row| (row / 3 != 1).then_some(i64::from(row)));
    let columns: [(&str, ArrayRef); 4] = [
        ("id", Arc::new(Int64Array::from_iter_values(0..ROWS))),
        ("half", Arc::new(Int64Array::from_iter(halves))),
        (
            "text",
            Arc::new(StringArray::from_iter_values(
                numbers.map(|row| format!("t{}", row % 4)),
            )),
        ),
        (
            "list",
            Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(lists)),
        ),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

/// Returns the rows as a file with pages of 3 rows.
fn file(version: WriterVersion, has_dictionary: bool) -> Bytes {
    let properties = WriterProperties::builder()
        .set_writer_version(version)
        .set_dictionary_enabled(has_dictionary)
        .set_statistics_enabled(EnabledStatistics::Page)
        .set_data_page_row_count_limit(3)
        .set_write_batch_size(3)
        .build();
    let (rows, mut file) = (rows(), Vec::new());
    let mut writer = ArrowWriter::try_new(&mut file, rows.schema(), Some(properties)).unwrap();
    writer.write(&rows).unwrap();
    writer.close().unwrap();
    file.into()
}

/// Parts of a file that state facts.
struct Parts {
    body: Vec<u8>,
    footer: FileMetaData,
    chunks: Vec<ColumnChunk>,
    offsets: Vec<OffsetIndex>,
    bounds: Vec<ColumnIndex>,
}

impl Parts {
    fn of(file: &Bytes) -> Self {
        let end = file.len() - 8;
        let length = u32::from_le_bytes(*file[end..].first_chunk().unwrap()) as usize;
        let footer: FileMetaData = decode(&file.slice(end - length..end)).unwrap();
        let chunks = footer.row_groups[0].columns.iter();
        let chunks: Vec<ColumnChunk> = chunks.map(|chunk| chunk.decode().unwrap()).collect();
        let part = |offset: Option<i64>, length: Option<i32>| {
            let start = offset.unwrap() as usize;
            file.slice(start..start + length.unwrap() as usize)
        };
        let offsets = chunks
            .iter()
            .map(|it| decode(&part(it.offset_index_offset, it.offset_index_length)).unwrap());
        let bounds = chunks
            .iter()
            .map(|it| decode(&part(it.column_index_offset, it.column_index_length)).unwrap());
        Self {
            body: file[..end - length].to_vec(),
            offsets: offsets.collect(),
            bounds: bounds.collect(),
            footer,
            chunks,
        }
    }

    /// Returns the file, with its indexes behind the old ones.
    fn written(mut self) -> Vec<u8> {
        let mut put = |bytes: Vec<u8>| {
            let start = self.body.len() as i64;
            self.body.extend_from_slice(&bytes);
            (Some(start), Some(bytes.len() as i32))
        };
        let columns = self.chunks.iter_mut().zip(&self.offsets).zip(&self.bounds);
        for ((chunk, offsets), bounds) in columns {
            (chunk.offset_index_offset, chunk.offset_index_length) = put(encode(offsets).unwrap());
            (chunk.column_index_offset, chunk.column_index_length) = put(encode(bounds).unwrap());
        }
        let chunks = self.chunks.iter().map(|it| Encoded::new(it).unwrap());
        self.footer.row_groups[0].columns = chunks.collect();
        let footer = encode(&self.footer).unwrap();
        self.body.extend_from_slice(&footer);
        self.body
            .extend_from_slice(&(footer.len() as u32).to_le_bytes());
        self.body.extend_from_slice(b"PAR1");
        self.body
    }
}

/// Change that makes a fact disagree with others.
struct Lie {
    name: String,
    /// Set if no verb but reading can accept it.
    is_refused: bool,
    change: Box<dyn Fn(&mut Parts)>,
}

fn lie(name: &str, is_refused: bool, change: impl Fn(&mut Parts) + 'static) -> Lie {
    Lie {
        name: name.to_owned(),
        is_refused,
        change: Box::new(change),
    }
}

/// Returns lies about each fact of the table in the guide on contradictions, those about columns for one of them.
fn lies(column: usize) -> Vec<Lie> {
    let mut all = vec![
        lie("more rows of the file", false, |it| it.footer.num_rows += 5),
        lie("fewer rows", true, |it| {
            it.footer.row_groups[0].num_rows = 2
        }),
        lie("more rows", true, |it| {
            it.footer.row_groups[0].num_rows = 13
        }),
        lie("2^40 rows", true, |it| {
            it.footer.row_groups[0].num_rows = 1 << 40
        }),
    ];
    let firsts = |name: &str, change: fn(usize, i64) -> i64| {
        lie(&format!("{name} of column {column}"), false, move |it| {
            let pages = it.offsets[column].page_locations.iter_mut();
            for (page, location) in pages.enumerate() {
                location.first_row_index = change(page, location.first_row_index);
            }
        })
    };
    all.extend([
        firsts("a lower first row", |page, row| row - i64::from(page == 1)),
        firsts("a higher first row", |page, row| row + i64::from(page == 2)),
        firsts("first rows shifted up", |page, row| {
            row + i64::from(page > 0)
        }),
        firsts("first rows shifted down", |page, row| {
            row - i64::from(page > 0)
        }),
        lie(
            &format!("more values of column {column}"),
            true,
            move |it| {
                it.chunks[column].meta_data.num_values += 1;
            },
        ),
        lie(
            &format!("a page left out of column {column}"),
            false,
            move |it| {
                it.offsets[column].page_locations.remove(1);
            },
        ),
        lie(
            &format!("another page size of column {column}"),
            false,
            move |it| {
                it.offsets[column].page_locations[1].compressed_page_size += 1;
            },
        ),
        lie(
            &format!("another page position of column {column}"),
            false,
            move |it| {
                it.offsets[column].page_locations[1].offset += 1;
            },
        ),
        lie(
            &format!("fewer bounds of column {column}"),
            false,
            move |it| {
                drop(it.bounds[column].min_values.pop());
            },
        ),
        lie(
            &format!("a null page of column {column}"),
            false,
            move |it| {
                it.bounds[column].null_pages[2] = true;
            },
        ),
        lie(
            &format!("other null counts of column {column}"),
            false,
            move |it| {
                it.bounds[column]
                    .null_counts
                    .iter_mut()
                    .flatten()
                    .for_each(|count| *count = 1000);
            },
        ),
    ]);
    if column < 2 {
        all.push(lie(
            &format!("other bounds of column {column}"),
            false,
            move |it| {
                let bounds = &mut it.bounds[column];
                for page in [0, 2, 3] {
                    bounds.min_values[page] = Bytes::copy_from_slice(&100_i64.to_le_bytes());
                    bounds.max_values[page] = Bytes::copy_from_slice(&200_i64.to_le_bytes());
                }
            },
        ));
    }
    all
}

/// Returns the rows as texts.
fn texts(batches: impl IntoIterator<Item = RecordBatch>) -> Vec<String> {
    let rows = batches.into_iter().flat_map(|batch| {
        let rows = (0..batch.num_rows()).map(|row| format!("{:?}", batch.slice(row, 1).columns()));
        rows.collect::<Vec<_>>()
    });
    rows.collect()
}

fn read(file: Bytes, condition: Option<&str>) -> Result<Vec<String>, Error> {
    let mut selection = Selection::default();
    if let Some(condition) = condition {
        selection = selection.with_filter(condition.parse()?);
    }
    let rows = selection.read(Reader::builder(file)?)?;
    Ok(texts(rows.collect::<Result<Vec<_>, _>>()?))
}

/// Filters return the rows that they return of the true file, or an error.
fn check_filters(name: &str, lying: &Bytes, truth: &Bytes, keeps_rows: bool) {
    let conditions = (0..ROWS).map(|row| format!("id = {row}"));
    let others = [
        "half > 4",
        "half is null",
        "half is not null",
        "text = 't2'",
        "id >= 3 and half <= 8",
    ];
    for condition in conditions.chain(others.map(str::to_owned)) {
        let Ok(found) = read(lying.clone(), Some(&condition)) else {
            continue;
        };
        let wanted = read(truth.clone(), Some(&condition)).unwrap();
        if keeps_rows {
            assert_eq!(found, wanted, "{name}: {condition}");
        } else {
            assert!(
                found.iter().all(|row| wanted.contains(row)),
                "{name}: {condition}"
            );
        }
    }
}

/// Each verb returns an error that names the place, or writes a file with the true rows in which nothing is wrong.
fn check_verbs(name: &str, path: &Path, truth: &Bytes, is_refused: bool) {
    let output = path.with_file_name("output.parquet");
    let wanted = read(truth.clone(), None).unwrap();
    let fresh = MergeOptions::default().with_pages(MergePages::Fresh);
    let split = MergeOptions::default().with_row_group_size(5);
    let scrubbed = EditOptions::default().with_edits(Edits::default().with_scrub(true));
    let snappy = RewriteOptions::default().with_compression(Compression::SNAPPY);
    type Verb<'a> = (&'a str, &'a dyn Fn() -> Result<(), Error>);
    let verbs: [Verb<'_>; 6] = [
        ("merge", &|| {
            merge(&[path], &output, &MergeOptions::default()).map(drop)
        }),
        ("merge with fresh pages", &|| {
            merge(&[path], &output, &fresh).map(drop)
        }),
        ("merge with smaller row groups", &|| {
            merge(&[path], &output, &split).map(drop)
        }),
        ("edit", &|| edit(path, &output, &scrubbed).map(drop)),
        ("repair", &|| {
            repair(path, &output, &RepairOptions::default()).map(drop)
        }),
        ("rewrite", &|| rewrite(path, &output, &snappy).map(drop)),
    ];
    for (verb, run) in verbs {
        drop(fs::remove_file(&output));
        match run() {
            Err(error) => {
                let text = error.to_string();
                assert!(text.contains("input.parquet"), "{verb}, {name}: {text}");
            }
            Ok(()) => {
                assert!(!is_refused, "{verb}, {name}");
                let written = Bytes::from(fs::read(&output).unwrap());
                assert_eq!(
                    read(written.clone(), None).unwrap(),
                    wanted,
                    "{verb}, {name}"
                );
                let checked = check(&output, &CheckOptions::default().with_values(true)).unwrap();
                let is_error =
                    |it: &&bytelane_parquet_files::check::Finding| it.severity == Severity::Error;
                let wrong: Vec<_> = checked.findings.iter().filter(is_error).collect();
                assert!(wrong.is_empty(), "{verb}, {name}: {wrong:?}");
                check_filters(&format!("{verb}, {name}"), &written, truth, true);
            }
        }
    }
}

fn check_lies(truth: &Bytes, lies: &[&Lie]) {
    let mut parts = Parts::of(truth);
    lies.iter().for_each(|lie| (lie.change)(&mut parts));
    let lying = parts.written();
    let names: Vec<&str> = lies.iter().map(|lie| &*lie.name).collect();
    let name = names.join(" and ");
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("input.parquet");
    fs::write(&path, &lying).unwrap();
    let is_refused = lies.iter().any(|lie| lie.is_refused);
    check_filters(&name, &lying.into(), truth, !is_refused);
    let checked = check(&path, &CheckOptions::default().with_values(true)).unwrap();
    let is_error = checked
        .findings
        .iter()
        .any(|it| it.severity == Severity::Error);
    assert!(is_error, "check, {name}");
    check_verbs(&name, &path, truth, is_refused);
}

fn files() -> impl Iterator<Item = Bytes> {
    let versions = [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0];
    let both = versions
        .into_iter()
        .flat_map(|it| [(it, false), (it, true)]);
    both.map(|(version, has_dictionary)| file(version, has_dictionary))
}

/// Each fact of each column, with two of the files.
#[test]
fn no_contradiction_changes_rows() {
    for column in 0..COLUMNS {
        for truth in files().skip(column % 2).step_by(2) {
            for lie in lies(column) {
                check_lies(&truth, &[&lie]);
            }
        }
    }
}

/// Each pair of facts once, with one of the files and one of the pairs of columns.
#[test]
fn no_pair_of_contradictions_changes_rows() {
    let files: Vec<Bytes> = files().collect();
    let count = lies(0).len();
    let pairs = (0..count).flat_map(|one| (0..=one).map(move |other| (one, other)));
    for (number, (one, other)) in pairs.enumerate() {
        let [first, second] = [number % COLUMNS, (number + one) % COLUMNS].map(lies);
        if let (Some(first), Some(second)) = (first.get(one), second.get(other)) {
            check_lies(&files[number % files.len()], &[first, second]);
        }
    }
}

#[test]
#[ignore = "takes long: each fact and each pair of facts, columns and files"]
fn no_pair_of_contradictions_changes_rows_in_any_file() {
    let all: Vec<Lie> = (0..COLUMNS).flat_map(lies).collect();
    for truth in files() {
        for one in 0..all.len() {
            check_lies(&truth, &[&all[one]]);
            for other in 0..one {
                check_lies(&truth, &[&all[one], &all[other]]);
            }
        }
    }
}
