//! Tests files with ALP columns: files of this crate and of the crate `parquet`, each read by both.

use arrow_array::builder::{Float64Builder, ListBuilder};
use arrow_array::{ArrayRef, Float32Array, Float64Array, RecordBatch, RecordBatchReader};
use bytelane::Detected;
use bytelane_parquet::compatibility::Readers;
use bytelane_parquet::{
    DataPageVersion, Encoding, Encodings, Goal, Reader, Writer, WriterOptions, bytelane,
    parse_compression,
};
use bytelane_parquet_files::advise::{AdviseOptions, Settings, advise, advise_batches};
use bytelane_parquet_files::inspect::{Column, inspect_reader};
use bytelane_parquet_files::rewrite::{RewriteOptions, rewrite_bytes};
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Encoding as Coding;
use parquet::file::metadata::{ParquetMetaDataOptions, ParquetMetaDataReader};
use parquet::file::properties::{WriterProperties, WriterVersion};
use std::sync::Arc;

const ROWS: usize = 10_000;

/// Returns a price, or sometimes a special number.
fn price(row: usize) -> f64 {
    let special = [f64::NAN, -0.0, f64::INFINITY, 1.0 / 3.0, f64::MIN_POSITIVE];
    match row % 97 {
        0 => special[row / 97 % special.len()],
        _ => (row * 7919 % 100_000) as f64 / 100.0,
    }
}

fn is_there(row: usize) -> bool {
    // Some pages have no values at all, and others have no nulls.
    row % 7 != 3 && !(3000..4500).contains(&row) || (6000..7500).contains(&row)
}

/// Returns lists of zero to three numbers.
fn lists() -> ArrayRef {
    let mut lists = ListBuilder::new(Float64Builder::new());
    for row in 0..ROWS {
        let numbers = (0..row % 4).map(|at| is_there(row + at).then(|| price(row + at)));
        match row % 11 {
            0 => lists.append_null(),
            _ => lists.append_value(numbers),
        }
    }
    Arc::new(lists.finish())
}

/// Returns columns of both types, with nulls, without nulls, with only nulls, and a nested one.
fn batch() -> RecordBatch {
    let rows = || 0..ROWS;
    let singles = |row| price(row) as f32;
    let columns: [(&str, ArrayRef, bool); 6] = [
        (
            "double",
            Arc::new(Float64Array::from_iter_values(rows().map(price))),
            false,
        ),
        (
            "single",
            Arc::new(Float32Array::from_iter_values(rows().map(singles))),
            false,
        ),
        (
            "optional",
            Arc::new(Float64Array::from_iter(
                rows().map(|row| is_there(row).then(|| price(row))),
            )),
            true,
        ),
        (
            "optional single",
            Arc::new(Float32Array::from_iter(
                rows().map(|row| is_there(row).then(|| singles(row))),
            )),
            true,
        ),
        ("absent", Arc::new(Float64Array::new_null(ROWS)), true),
        ("list", lists(), true),
    ];
    RecordBatch::try_from_iter_with_nullable(columns).unwrap()
}

fn concat(reader: impl RecordBatchReader) -> RecordBatch {
    let schema = reader.schema();
    let batches: Vec<RecordBatch> = reader.collect::<Result<_, _>>().unwrap();
    arrow_select::concat::concat_batches(&schema, &batches).unwrap()
}

/// Asserts that both readers return the rows, ours with any batch size and on any backend.
fn assert_holds(file: &Bytes, rows: &RecordBatch) {
    for batch_size in [1, 100, 1024, 1500, 65_536] {
        for backend in bytelane::Backend::available() {
            let builder = Reader::builder(file.clone()).unwrap();
            let builder = builder.with_batch_size(batch_size);
            let builder = builder.with_backend(Detected::new(backend).unwrap());
            // Arrays compare floats by their bits.
            assert_eq!(&concat(builder.build().unwrap()), rows, "{batch_size}");
        }
    }
    let theirs = ParquetRecordBatchReaderBuilder::try_new(file.clone()).unwrap();
    assert_eq!(&concat(theirs.with_batch_size(1000).build().unwrap()), rows);
}

fn options(version: DataPageVersion, compression: &str) -> WriterOptions {
    WriterOptions::default()
        .with_encoding(Encoding::Alp)
        .with_compression(parse_compression(compression).unwrap())
        .with_data_page_version(version)
        .with_max_rows_per_page(1500)
        .with_row_group_size(7000)
}

fn written(rows: &RecordBatch, options: WriterOptions) -> Bytes {
    let mut file = Vec::new();
    let mut writer = Writer::try_new(&mut file, rows.schema(), options).unwrap();
    writer.write(rows).unwrap();
    writer.close().unwrap();
    file.into()
}

fn columns(file: &Bytes) -> Vec<Column> {
    let groups = inspect_reader(file).unwrap().row_groups.into_iter();
    groups.flat_map(|group| group.columns).collect()
}

#[test]
fn our_files_are_read_by_both() {
    let rows = batch();
    for version in DataPageVersion::ALL {
        for compression in ["none", "zstd:1"] {
            let file = written(&rows, options(version, compression));
            assert_holds(&file, &rows);
            for column in columns(&file) {
                match column.path.as_str() {
                    // Pages without values stay in PLAIN.
                    "absent" => assert_eq!(column.encodings, ["plain"]),
                    // Pages with few values are no smaller in ALP.
                    path if path.starts_with("optional") || path.starts_with("list") => {
                        assert!(column.encodings.contains(&"alp".to_owned()));
                    }
                    _ => assert_eq!(column.encodings, ["alp"], "{}", column.path),
                }
                assert!(column.nulls.is_some() && column.offset_index);
            }
        }
    }
}

#[test]
fn files_of_the_crate_parquet_are_read_by_both() {
    let rows = batch();
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        for has_dictionary in [false, true] {
            let properties = WriterProperties::builder()
                .set_encoding(Coding::ALP)
                .set_dictionary_enabled(has_dictionary)
                // Pages use a dictionary first, and ALP once it is full.
                .set_dictionary_page_size_limit(4096)
                .set_writer_version(version)
                .set_data_page_row_count_limit(1500)
                .set_max_row_group_row_count(Some(7000));
            let mut file = Vec::new();
            let properties = Some(properties.build());
            let mut writer = ArrowWriter::try_new(&mut file, rows.schema(), properties).unwrap();
            writer.write(&rows).unwrap();
            writer.close().unwrap();
            let file = Bytes::from(file);
            let with_alp = columns(&file).into_iter();
            let with_alp = with_alp.filter(|column| column.encodings.contains(&"alp".to_owned()));
            assert!(with_alp.count() >= 10);
            assert_holds(&file, &rows);
        }
    }
}

#[test]
fn pages_that_would_not_become_smaller_are_plain() {
    let random = |row: u64| f64::from_bits((row + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let values = (0..6000).map(|row| {
        if row < 3000 {
            price(row)
        } else {
            random(row as u64)
        }
    });
    let column: ArrayRef = Arc::new(Float64Array::from_iter_values(values));
    let rows = RecordBatch::try_from_iter([("x", column)]).unwrap();
    for version in DataPageVersion::ALL {
        let file = written(&rows, options(version, "none"));
        assert_holds(&file, &rows);
        let [column] = &columns(&file)[..] else {
            panic!("one column");
        };
        assert_eq!(column.encodings, ["alp", "plain"]);
        let pages = column.pages.iter();
        let encodings: Vec<_> = pages
            .map(|page| page.encoding.clone().unwrap_or_default())
            .collect();
        assert_eq!(encodings, ["alp", "alp", "plain", "plain"]);
        // The footer's page encodings, for readers that rely on them.
        let options = ParquetMetaDataOptions::new().with_encoding_stats_as_mask(false);
        let metadata = ParquetMetaDataReader::new()
            .with_metadata_options(Some(options))
            .parse_and_finish(&file)
            .unwrap();
        let counts = metadata
            .row_group(0)
            .column(0)
            .page_encoding_stats()
            .unwrap();
        let counts: Vec<_> = counts.iter().map(|it| (it.encoding, it.count)).collect();
        assert_eq!(counts, [(Coding::ALP, 2), (Coding::PLAIN, 2)]);
    }
}

#[test]
fn statistics_are_those_of_other_encodings() {
    let rows = batch();
    let alp = written(&rows, options(DataPageVersion::V1, "none"));
    let plain = options(DataPageVersion::V1, "none").with_encoding(Encoding::ByteStreamSplit);
    let plain = written(&rows, plain);
    let of = |file: &Bytes| {
        let columns = columns(file).into_iter();
        let told = columns.map(|it| {
            (
                it.path,
                it.values,
                it.nulls,
                it.min,
                it.max,
                it.column_index,
            )
        });
        told.collect::<Vec<_>>()
    };
    assert_eq!(of(&alp), of(&plain));
}

#[test]
fn every_changed_byte_is_an_error_or_values() {
    let rows = batch().slice(0, 120);
    let rows = rows.project(&[0, 2]).unwrap();
    for version in DataPageVersion::ALL {
        let options = options(version, "none").with_max_rows_per_page(50);
        let whole = written(&rows, options);
        let metadata = ParquetMetaDataReader::new()
            .parse_and_finish(&whole)
            .unwrap();
        let (start, length) = metadata.row_group(0).column(0).byte_range();
        let (last, more) = metadata.row_group(0).column(1).byte_range();
        assert_eq!(start + length, last);
        let mut errors = 0;
        for at in start as usize..(last + more) as usize {
            for change in [1, 0x10, 0x80, 0xff] {
                let mut changed = whole.to_vec();
                changed[at] ^= change;
                let builder = Reader::builder(Bytes::from(changed)).unwrap();
                let mut reader = builder.with_batch_size(30).build().unwrap();
                let read = reader.try_fold(0, |rows, batch| batch.map(|it| rows + it.num_rows()));
                match read {
                    Ok(found) => assert_eq!(found, rows.num_rows()),
                    Err(error) => {
                        errors += 1;
                        let error = error.to_string();
                        assert!(error.contains("row group 0, column "), "{error}");
                        assert!(error.contains(", page "), "{error}");
                    }
                }
            }
        }
        assert!(errors > 300, "{version:?}: {errors} errors");
    }
}

/// Tests a page whose header says ALP, in a column of integers.
#[test]
fn only_floats_are_in_alp() {
    let column: ArrayRef = Arc::new(arrow_array::Int64Array::from_iter_values(0..100));
    let rows = RecordBatch::try_from_iter([("x", column)]).unwrap();
    let options = WriterOptions::default().with_compression(parse_compression("none").unwrap());
    let whole = written(
        &rows,
        options.clone().with_encoding(Encoding::ByteStreamSplit),
    );
    // The number of the encoding in the header is a zigzag varint after its field's header. The byte of the
    // footer stays.
    let at = whole.windows(3).position(|bytes| bytes == [0x15, 18, 0x15]);
    let mut changed = whole.to_vec();
    changed[at.expect("the encoding in the page header") + 1] = 20;
    let mut reader = Reader::builder(Bytes::from(changed))
        .unwrap()
        .build()
        .unwrap();
    let error = reader.next().unwrap().expect_err("integers in ALP");
    assert!(
        error.to_string().contains("values are not floats"),
        "{error}"
    );
    let own = bytelane_parquet::ColumnOptions::default().with_encoding(Encoding::Alp);
    let refused = Writer::try_new(Vec::new(), rows.schema(), options.with_column("x", own));
    assert!(refused.is_err());
}

/// Returns prices with two digits after the point, and numbers that use all of their bits.
fn prices_and_noise(rows: usize) -> RecordBatch {
    let noise = |row: u64| (row + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) as f64 / 1e5;
    let columns: [(&str, ArrayRef); 2] = [
        (
            "price",
            Arc::new(Float64Array::from_iter_values((0..rows).map(|row| {
                (row as u64)
                    .wrapping_mul(0x2545_f491_4f6c_dd1d)
                    .rotate_left(17) as u32 as f64
                    / 100.0
            }))),
        ),
        (
            "noise",
            Arc::new(Float64Array::from_iter_values((0..rows as u64).map(noise))),
        ),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

/// Returns the encodings that `Auto` chooses.
fn chosen(rows: &RecordBatch, options: WriterOptions) -> Vec<Encoding> {
    let mut writer = Writer::try_new(Vec::new(), rows.schema(), options).unwrap();
    writer.write(rows).unwrap();
    writer.close().unwrap().encodings.remove(0)
}

#[test]
fn auto_becomes_alp_only_where_it_was_asked_for_and_all_readers_know_it() {
    let rows = prices_and_noise(30_000);
    let more = || WriterOptions::default().with_encodings("+alp".parse().unwrap());
    for (options, is_possible) in [
        (WriterOptions::default(), false),
        (
            WriterOptions::default().with_readers("any".parse().unwrap()),
            false,
        ),
        (more(), false),
        (
            more().with_readers("arrow-rs,pyarrow".parse().unwrap()),
            false,
        ),
        (more().with_readers("arrow-rs>=60".parse().unwrap()), false),
        (more().with_readers("arrow-rs".parse().unwrap()), true),
        (more().with_readers("any".parse().unwrap()), true),
    ] {
        for goal in Goal::ALL {
            let encodings = chosen(&rows, options.clone().with_goal(*goal));
            let wanted = is_possible.then_some(Encoding::Alp);
            assert_eq!(
                wanted.is_some(),
                encodings[0] == Encoding::Alp,
                "{goal}: {encodings:?}"
            );
            assert_ne!(encodings[1], Encoding::Alp, "{goal}");
        }
    }
}

#[test]
fn only_encodings_of_the_list_are_chosen() {
    let rows = prices_and_noise(3000);
    for (list, wanted) in [
        ("byte_stream_split", Encoding::ByteStreamSplit),
        ("dictionary", Encoding::Dictionary),
        ("alp", Encoding::Plain),
        ("delta_binary_packed", Encoding::Plain),
    ] {
        let options = WriterOptions::default().with_encodings(list.parse().unwrap());
        assert_eq!(chosen(&rows, options), [wanted, wanted], "{list}");
    }
}

fn rewritten(file: &Bytes, options: RewriteOptions) -> (Bytes, Vec<String>) {
    let (new, _) = rewrite_bytes(file.clone(), &options.with_verify(true)).unwrap();
    let encodings = columns(&new).into_iter().map(|it| it.encodings.join(" "));
    let encodings = encodings.collect();
    (new, encodings)
}

/// Existing preview pages are kept only where the preview could have been chosen.
#[test]
fn rewrite_keeps_alp_only_where_it_was_asked_for_and_all_readers_know_it() {
    let rows = prices_and_noise(5000).project(&[0]).unwrap();
    let file = written(&rows, options(DataPageVersion::V1, "zstd:1"));
    let more = || RewriteOptions::default().with_encodings("+alp".parse().unwrap());
    let able = || more().with_readers("arrow-rs".parse().unwrap());
    let own = RewriteOptions::default().with_column_encoding("price", Encoding::Alp);
    for (options, is_kept) in [
        (RewriteOptions::default(), false),
        (
            RewriteOptions::default().with_readers("any".parse().unwrap()),
            false,
        ),
        (more(), false),
        (able(), true),
        (able().with_goal(Goal::Read), true),
        (own, true),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("in.parquet");
        std::fs::write(&path, &file).unwrap();
        let (new, encodings) = rewritten(&file, options.clone());
        assert_eq!(encodings == ["alp"], is_kept, "{encodings:?}");
        assert_holds(&new, &rows);
        // Nothing is left to do.
        assert_eq!(rewritten(&new, options).1, encodings);
    }
}

#[test]
fn advise_tells_why_alp_goes() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("in.parquet");
    let rows = prices_and_noise(5000).project(&[0]).unwrap();
    std::fs::write(
        &path,
        written(&rows, options(DataPageVersion::V1, "zstd:1")),
    )
    .unwrap();
    let usual = AdviseOptions::default();
    let more = || AdviseOptions::default().with_encodings("+alp".parse().unwrap());
    let able = more().with_readers("arrow-rs".parse().unwrap());
    for (options, reason) in [
        (usual, Some("kept only with with_encodings +alp")),
        (more(), Some("which pyarrow cannot read")),
        (able, None),
    ] {
        let advice = advise(&path, &options).unwrap();
        let [column] = &advice.columns[..] else {
            panic!("one column");
        };
        assert_eq!(column.now.as_deref(), Some("ALP ZSTD"));
        assert_eq!(column.keep, reason.is_none());
        assert_eq!(column.encoding == Encoding::Alp, reason.is_none());
        let found = column.reason.as_deref();
        assert!(found.is_some() == reason.is_some());
        assert!(
            found
                .unwrap_or_default()
                .contains(reason.unwrap_or_default()),
            "{found:?}"
        );
    }
}

#[test]
fn advise_shows_alp_beside_the_others() {
    let rows = prices_and_noise(20_000);
    let of = |options: AdviseOptions| {
        advise_batches(rows.schema(), vec![rows.clone()], &options).unwrap()
    };
    let usual = of(AdviseOptions::default());
    assert!(usual.columns[0].candidates.iter().all(|it| !it.preview));
    let more = || AdviseOptions::default().with_encodings("+alp".parse().unwrap());

    let advice = of(more());
    let shown = advice.columns[0].candidates.iter().find(|it| it.preview);
    let shown = shown.expect("it was asked for");
    assert_eq!(shown.encoding, Encoding::Alp);
    assert_eq!(shown.obstacle.as_deref(), Some("pyarrow"));
    assert!(shown.ratio > 1.5 && shown.write_mib_s > 0.0 && shown.read_mib_s > 0.0);
    assert_ne!(advice.columns[0].encoding, Encoding::Alp);

    let advice = of(more().with_readers("arrow-rs".parse().unwrap()));
    assert_eq!(advice.columns[0].encoding, Encoding::Alp);
    assert_ne!(advice.columns[1].encoding, Encoding::Alp);
    let settings = |writer: &str| {
        advice
            .settings
            .iter()
            .find(|it| it.writer == writer)
            .unwrap()
    };
    assert!(settings("arrow-rs").text.contains("Encoding::ALP"));
    for writer in ["pyarrow", "Spark"] {
        let Settings {
            text, shortcoming, ..
        } = settings(writer);
        assert!(!text.contains("ALP"), "{text}");
        assert!(
            shortcoming
                .as_ref()
                .unwrap()
                .contains("ALP, so these columns become PLAIN: price.")
        );
    }
}

/// Pages that ALP would not make smaller are not a reason to re-encode their column.
#[test]
fn columns_with_some_plain_pages_are_left_alone() {
    let rows = prices_and_noise(10_000);
    let both = [rows.column(0).slice(0, 9000), rows.column(1).slice(0, 1000)];
    let both = arrow_select::concat::concat(&[&both[0], &both[1]]).unwrap();
    let rows = RecordBatch::try_from_iter([("price", both)]).unwrap();
    let options = options(DataPageVersion::V1, "none").with_max_rows_per_page(1000);
    let file = written(&rows, options.with_row_group_size(1 << 20));
    assert_eq!(columns(&file)[0].encodings, ["alp", "plain"]);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("in.parquet");
    std::fs::write(&path, &file).unwrap();
    let own = RewriteOptions::default().with_column_encoding("price", Encoding::Alp);
    for goal in Goal::ALL {
        let encodings: Encodings = "+alp".parse().unwrap();
        let advice = AdviseOptions::default()
            .with_goal(*goal)
            .with_readers(Readers::any())
            .with_encodings(encodings.clone());
        assert!(advise(&path, &advice).unwrap().columns[0].keep, "{goal}");
        let options = RewriteOptions::default()
            .with_goal(*goal)
            .with_readers(Readers::any())
            .with_encodings(encodings);
        for options in [options, own.clone().with_goal(*goal)] {
            let (_, done) = rewrite_bytes(file.clone(), &options).unwrap();
            assert_eq!(done.columns[0].rewritten, 0, "{goal}");
        }
    }
}
