//! Tests files of the writer by reading them with the crate `parquet`.

use arrow_array::types::Int64Type;
use arrow_array::{
    ArrayRef, BooleanArray, Float32Array, Float64Array, Int32Array, Int64Array, ListArray,
    RecordBatch, StringArray,
};
use arrow_schema::{DataType, Field, Schema};
use bytelane_parquet::filter::Selection;
use bytelane_parquet::{
    ColumnOptions, ContentDefinedPages, DataPageVersion, Encoding, Reader, Writer, WriterOptions,
    parse_compression,
};
use bytes::Bytes;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{ColumnOrder, SortOrder};
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaDataReader};
use parquet::file::statistics::Statistics;
use std::num::NonZero;
use std::sync::Arc;

fn batch(rows: usize, seed: usize) -> RecordBatch {
    let value = |i: usize| (((i + seed) * 7919) % 1000) as f64 / 10.0;
    let columns: [(&str, ArrayRef); 5] = [
        (
            "f64",
            Arc::new(Float64Array::from_iter_values((0..rows).map(value))),
        ),
        (
            "f32",
            Arc::new(Float32Array::from_iter(
                (0..rows).map(|i| (i % 7 != 3).then(|| value(i) as f32)),
            )),
        ),
        (
            "i32",
            Arc::new(Int32Array::from_iter(
                (0..rows).map(|i| (i % 3 != 0).then_some(i as i32 - 50)),
            )),
        ),
        (
            "text",
            Arc::new(StringArray::from_iter_values(
                (0..rows).map(|i| format!("name {}", i % 17)),
            )),
        ),
        (
            "bool",
            Arc::new(BooleanArray::from_iter(
                (0..rows).map(|i| (i % 5 != 0).then_some(i % 2 == 0)),
            )),
        ),
    ];
    let nullable = columns.into_iter().map(|(name, array)| (name, array, true));
    RecordBatch::try_from_iter_with_nullable(nullable).expect("a batch")
}

fn write(batches: &[RecordBatch], options: WriterOptions) -> Bytes {
    let mut file = Vec::new();
    let mut writer =
        Writer::try_new(&mut file, batches[0].schema(), options).expect("options that fit");
    for batch in batches {
        writer.write(batch).expect("a batch that fits");
    }
    writer.close().expect("a file");
    file.into()
}

fn read(file: Bytes) -> RecordBatch {
    let reader = ParquetRecordBatchReaderBuilder::try_new(file)
        .and_then(|builder| builder.with_batch_size(1 << 20).build())
        .expect("a reader");
    let schema = arrow_array::RecordBatchReader::schema(&reader);
    let batches: Vec<RecordBatch> = reader.collect::<Result<_, _>>().expect("batches");
    arrow_select::concat::concat_batches(&schema, &batches).expect("one batch")
}

#[test]
fn batches_come_back_whatever_the_pages() {
    let batches = [batch(1000, 0), batch(1, 5), batch(2500, 9)];
    let whole =
        arrow_select::concat::concat_batches(&batches[0].schema(), &batches).expect("one batch");
    for version in [DataPageVersion::V1, DataPageVersion::V2] {
        for (page_rows, group_rows) in [(1 << 17, 1 << 20), (100, 1 << 20), (333, 1001)] {
            let options = WriterOptions::default()
                .with_encoding(Encoding::ByteStreamSplit)
                .with_data_page_version(version)
                .with_max_rows_per_page(page_rows)
                .with_row_group_size(group_rows);
            assert_eq!(
                read(write(&batches, options)),
                whole,
                "{version:?} {page_rows}"
            );
        }
    }
}

/// Returns the bounds of the first column, as a reader sees them.
fn bounds(file: &Bytes) -> Option<(f64, f64)> {
    let metadata = ParquetMetaDataReader::new()
        .parse_and_finish(file)
        .expect("a footer");
    for column in 0..metadata.file_metadata().schema_descr().num_columns() {
        assert_eq!(
            metadata.file_metadata().column_order(column),
            ColumnOrder::TYPE_DEFINED_ORDER(SortOrder::SIGNED)
        );
    }
    match metadata.row_group(0).column(0).statistics() {
        Some(Statistics::Double(own)) => own.min_opt().copied().zip(own.max_opt().copied()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn float_statistics_are_in_the_type_defined_order() {
    let nan = f64::NAN;
    let cases = [
        (vec![3.0, nan, -2.5], Some((-2.5, 3.0))),
        (vec![0.0, 1.0], Some((-0.0, 1.0))),
        (vec![-1.0, -0.0], Some((-1.0, 0.0))),
        (vec![-nan, nan], None),
        (
            vec![f64::INFINITY, f64::NEG_INFINITY],
            Some((f64::NEG_INFINITY, f64::INFINITY)),
        ),
        (
            vec![f64::INFINITY, nan],
            Some((f64::INFINITY, f64::INFINITY)),
        ),
    ];
    for (values, want) in cases {
        for encoding in [
            Encoding::Plain,
            Encoding::Dictionary,
            Encoding::ByteStreamSplit,
        ] {
            let array: ArrayRef = Arc::new(Float64Array::from(values.clone()));
            let batch = RecordBatch::try_from_iter([("x", array)]).expect("a batch");
            let options = WriterOptions::default().with_encoding(encoding);
            let file = write(&[batch], options);
            let bits = |(least, most): (f64, f64)| (least.to_bits(), most.to_bits());
            assert_eq!(
                bounds(&file).map(bits),
                want.map(bits),
                "{encoding} {values:?}"
            );
        }
    }
}

#[test]
fn total_order_bounds_zeros_and_nan_as_they_are() {
    let (nan, large) = (f64::NAN, f64::from_bits(u64::MAX >> 1));
    let cases = [
        (vec![3.0, nan, -2.5], (-2.5, 3.0)),
        (vec![0.0, 1.0], (0.0, 1.0)),
        (vec![-1.0, -0.0], (-1.0, -0.0)),
        (vec![0.0, -0.0, 0.0], (-0.0, 0.0)),
        (vec![0.0, -0.0], (-0.0, 0.0)),
        (vec![-0.0, 0.0], (-0.0, 0.0)),
        (vec![nan, -nan, large], (-nan, large)),
    ];
    for (values, want) in cases {
        for encoding in [Encoding::Plain, Encoding::Dictionary] {
            let floats: ArrayRef = Arc::new(Float64Array::from(values.clone()));
            let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1; values.len()]));
            let batch = RecordBatch::try_from_iter([("x", floats), ("y", numbers)]).expect("rows");
            let options = WriterOptions::default().with_encoding(encoding);
            let file = write(&[batch], options.with_total_order(true));
            let metadata = ParquetMetaDataReader::new();
            let metadata = metadata.parse_and_finish(&file).expect("a footer");
            let about = metadata.file_metadata();
            assert_eq!(about.column_order(0), ColumnOrder::IEEE_754_TOTAL_ORDER);
            let signed = ColumnOrder::TYPE_DEFINED_ORDER(SortOrder::SIGNED);
            assert_eq!(about.column_order(1), signed);
            let statistics = metadata.row_group(0).column(0).statistics();
            let Some(Statistics::Double(own)) = statistics else {
                panic!("{statistics:?}");
            };
            let nans = values.iter().filter(|it| it.is_nan()).count() as u64;
            assert_eq!(own.nan_count_opt(), Some(nans), "{values:?}");
            let range = own.min_opt().zip(own.max_opt()).expect("bounds");
            let bits = |(least, most): (f64, f64)| (least.to_bits(), most.to_bits());
            assert_eq!(
                bits((*range.0, *range.1)),
                bits(want),
                "{encoding} {values:?}"
            );
        }
    }
}

#[test]
fn pages_of_nan_alone_do_not_hide_numbers_in_total_order() {
    let values = [f64::NAN, f64::NAN, 1.5, 2.5, -f64::NAN, f64::NAN];
    let array: ArrayRef = Arc::new(Float64Array::from(values.to_vec()));
    let batch = RecordBatch::try_from_iter([("x", array)]).expect("rows");
    let options = WriterOptions::default()
        .with_encoding(Encoding::Plain)
        .with_max_rows_per_page(2);
    for total in [true, false] {
        let file = write(
            std::slice::from_ref(&batch),
            options.clone().with_total_order(total),
        );
        let metadata = ParquetMetaDataReader::new();
        let metadata = metadata.parse_and_finish(&file).expect("a footer");
        let chunk = metadata.row_group(0).column(0);
        let Some(Statistics::Double(own)) = chunk.statistics() else {
            panic!("{:?}", chunk.statistics());
        };
        assert_eq!((own.min_opt(), own.max_opt()), (Some(&1.5), Some(&2.5)));
        assert_eq!(own.nan_count_opt(), Some(4));
        // The type-defined order cannot express pages without numbers.
        assert_eq!(chunk.column_index_range().is_some(), total);
        let selection = Selection::default().with_filter("x > 2".parse().expect("a condition"));
        let reader = Reader::builder(file).expect("a footer");
        let rows = selection.read(reader).expect("a selection");
        let rows: usize = rows.map(|batch| batch.expect("rows").num_rows()).sum();
        assert_eq!(rows, 1);
    }
}

#[test]
fn options_that_do_not_fit_are_refused() {
    let schema = batch(1, 0).schema();
    let cases = [
        (
            WriterOptions::default().with_column("f65", ColumnOptions::default()),
            "the file has no column \"f65\"",
        ),
        (
            WriterOptions::default().with_column(
                "text",
                ColumnOptions::default().with_encoding(Encoding::ByteStreamSplit),
            ),
            "column text: the encoding byte_stream_split does not support columns of the type BYTE_ARRAY",
        ),
        (
            WriterOptions::default().with_max_rows_per_page(0),
            "the rows of a page cannot be 0",
        ),
    ];
    for (options, want) in cases {
        let error = Writer::try_new(Vec::new(), Arc::clone(&schema), options)
            .map(drop)
            .expect_err(want);
        // The names of the columns may follow.
        assert!(error.to_string().starts_with(want), "{error}");
    }
}

#[test]
fn nulls_in_a_required_column_are_refused() {
    let schema = Schema::new(vec![Field::new("x", DataType::Float64, false)]);
    let mut writer = Writer::try_new(Vec::new(), Arc::new(schema), WriterOptions::default())
        .expect("options that fit");
    let array: ArrayRef = Arc::new(Float64Array::from(vec![Some(1.0), None]));
    let batch = RecordBatch::try_from_iter_with_nullable([("x", array, true)]).expect("a batch");
    assert!(writer.write(&batch).is_err() || writer.close().is_err());
}

#[test]
fn a_finished_file_takes_no_more_rows() {
    let batch = batch(5000, 0);
    let options = WriterOptions::default().with_row_group_size(2000);
    let mut writer = Writer::try_new(Vec::new(), batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    assert_eq!(
        (writer.flushed_row_groups(), writer.buffered_rows()),
        (2, 1000)
    );
    let (memory, bytes) = (writer.memory_size(), writer.bytes_written());
    assert!((20_000..60_000).contains(&memory), "{memory} bytes");
    let written = writer.finish().unwrap();
    assert_eq!(written.encodings.len(), 3);
    assert_eq!(writer.memory_size(), 0);
    assert!(writer.bytes_written() > bytes);
    for error in [writer.write(&batch), writer.finish().map(drop)] {
        let error = error.unwrap_err().to_string();
        assert!(error.contains("the file is finished"), "{error}");
    }
    let total = writer.bytes_written();
    let file = Bytes::from(writer.into_inner().unwrap());
    assert_eq!(file.len() as u64, total);
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    assert_eq!(reader.metadata().file_metadata().num_rows(), 5000);
}

#[test]
fn row_groups_have_a_limit_of_bytes() {
    // The strings become longer, and the last one alone is too large.
    let texts = (0..2000).map(|row| "x".repeat(row / 10));
    let texts = texts.chain(["y".repeat(100_000)]);
    let texts: ArrayRef = Arc::new(StringArray::from_iter_values(texts));
    let whole = RecordBatch::try_from_iter([("text", texts)]).unwrap();
    for part in [1, 70, 5000] {
        let options = WriterOptions::default()
            .with_row_group_size(500)
            .with_row_group_bytes(20_000);
        let mut writer = Writer::try_new(Vec::new(), whole.schema(), options).unwrap();
        for start in (0..whole.num_rows()).step_by(part) {
            let rows = part.min(whole.num_rows() - start);
            writer.write(&whole.slice(start, rows)).unwrap();
            assert!(writer.memory_size() <= 20_000);
        }
        let written = writer.finish().unwrap();
        let groups = written.metadata.row_groups().iter();
        let rows: Vec<i64> = groups.map(|group| group.num_rows()).collect();
        assert!(
            rows[0] == 500 && rows[1] > rows[5] && rows.last() == Some(&1),
            "{rows:?}"
        );
        let file = Bytes::from(writer.into_inner().unwrap());
        assert_eq!(read(file), whole);
    }
    let none = WriterOptions::default().with_row_group_bytes(0);
    let error = Writer::try_new(Vec::new(), whole.schema(), none).unwrap_err();
    assert!(error.to_string().contains("the bytes of a row group"));
}

#[test]
fn bounds_of_strings_have_the_wanted_length() {
    let texts = ["ä".repeat(50), "ö".repeat(50)];
    let texts: ArrayRef = Arc::new(StringArray::from_iter_values(texts));
    let batch = RecordBatch::try_from_iter([("x", texts)]).unwrap();
    for (length, least, most) in [
        (None, 32, 32),
        (Some(9), 4, 4),
        (Some(1), 0, 50),
        (Some(usize::MAX), 50, 50),
    ] {
        let options = WriterOptions::default();
        let options = match length {
            Some(length) => options.with_bound_bytes(length),
            None => options,
        };
        let file = write(std::slice::from_ref(&batch), options);
        let metadata = ParquetMetaDataReader::new()
            .parse_and_finish(&file)
            .unwrap();
        let Some(Statistics::ByteArray(own)) = metadata.row_group(0).column(0).statistics() else {
            panic!("statistics of strings");
        };
        let bound = |bound: Option<&parquet::data_type::ByteArray>| {
            let text = bound.unwrap().as_utf8().unwrap();
            (text.to_owned(), text.chars().count())
        };
        let (low, high) = (bound(own.min_opt()), bound(own.max_opt()));
        assert_eq!((low.1, high.1), (least, most), "{length:?}");
        assert!(low.0 <= "ä".repeat(50) && "ö".repeat(50) <= high.0);
        assert_eq!(own.min_is_exact(), least == 50);
        assert_eq!(own.max_is_exact(), most == 50);
    }
}

#[test]
fn sorting_columns_are_leaves() {
    use parquet::file::metadata::SortingColumn;

    let batch = batch(100, 0);
    let by = |column_idx: i32| {
        let sorting = SortingColumn {
            column_idx,
            descending: true,
            nulls_first: false,
        };
        let options = WriterOptions::default().with_sorting_columns(vec![sorting]);
        let mut writer = Writer::try_new(Vec::new(), batch.schema(), options)?;
        writer.write(&batch)?;
        writer.close()
    };
    let written = by(4).unwrap();
    let sorting = written.metadata.row_group(0).sorting_columns().unwrap();
    assert_eq!((sorting[0].column_idx, sorting[0].descending), (4, true));
    for wrong in [-1, 5] {
        let error = by(wrong).unwrap_err().to_string();
        assert!(error.contains("of 5 columns"), "{error}");
    }
}

/// Returns the bytes of each page of the first column, according to the offset index.
fn pages_of(file: &Bytes) -> Vec<Bytes> {
    let metadata = ParquetMetaDataReader::new()
        .with_page_index_policy(PageIndexPolicy::Required)
        .parse_and_finish(file)
        .unwrap();
    let index = metadata.page_index().unwrap();
    let groups = 0..metadata.num_row_groups();
    let pages = groups.flat_map(|group| index.offset_index(group, 0).unwrap().page_locations());
    let page =
        |(offset, size): (i64, i32)| file.slice(offset as usize..offset as usize + size as usize);
    pages
        .map(|it| page((it.offset, it.compressed_page_size)))
        .collect()
}

#[test]
fn an_inserted_row_changes_few_content_defined_pages() {
    let mut numbers = (0..150_000_u64).map(|row| (row * row).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let numbers: Vec<u64> = numbers.by_ref().map(|it| it ^ (it >> 29)).collect();
    let value = |it: &u64| (*it as i64, !it.is_multiple_of(9));
    let columns = |numbers: &[u64]| -> Vec<ArrayRef> {
        let values = || numbers.iter().map(value);
        let text = |it: i64| format!("{it:x}").repeat((it & 1) as usize + 1);
        let nullable = |(it, is_valid): (i64, bool)| is_valid.then_some(it);
        let lists = values().map(|(it, is_valid)| {
            is_valid.then(|| (0..it & 3).map(|at| Some(it + at)).collect::<Vec<_>>())
        });
        vec![
            Arc::new(Int64Array::from_iter_values(values().map(|(it, _)| it))),
            Arc::new(Int64Array::from_iter(values().map(nullable))),
            Arc::new(StringArray::from_iter_values(
                values().map(|(it, _)| text(it)),
            )),
            Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(lists)),
        ]
    };
    let mut more = numbers.clone();
    more.insert(75_000, 12_345);
    let options = |version| {
        WriterOptions::default()
            .with_encoding(Encoding::Plain)
            .with_compression(parse_compression("none").unwrap())
            .with_data_page_version(version)
            .with_content_defined_pages(ContentDefinedPages::new(8_000, 64_000).unwrap())
    };
    let pairs = columns(&numbers).into_iter().zip(columns(&more));
    for (number, (before, after)) in pairs.enumerate() {
        let version = [DataPageVersion::V1, DataPageVersion::V2][number % 2];
        let file = |column: ArrayRef, parts: usize| {
            let batch = RecordBatch::try_from_iter_with_nullable([("x", column, true)]).unwrap();
            let rows = batch.num_rows().div_ceil(parts);
            let parts = (0..parts).map(|part| {
                let start = part * rows;
                batch.slice(start, rows.min(batch.num_rows() - start))
            });
            let file = write(&parts.collect::<Vec<_>>(), options(version));
            assert_eq!(read(file.clone()), batch);
            file
        };
        let before = pages_of(&file(before, 1));
        let largest = before.iter().map(Bytes::len).max();
        assert!(before.len() > 30 && largest < Some(80_000), "{number}");
        // The number of batches makes no difference.
        let after = pages_of(&file(after, 7));
        let new = after.iter().filter(|page| !before.contains(page)).count();
        assert!(
            (1..=3).contains(&new),
            "{new} of {} in {number}",
            after.len()
        );
    }
}

/// Reads the Bloom filter of the first column of each row group with the crate `parquet`.
fn bloom_filters(file: &Bytes) -> Vec<parquet::bloom_filter::Sbbf> {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::file::serialized_reader::ReadOptionsBuilder;

    let options = ReadOptionsBuilder::new().with_reader_properties(
        parquet::file::properties::ReaderProperties::builder()
            .set_read_bloom_filter(true)
            .build(),
    );
    let reader = SerializedFileReader::new_with_options(file.clone(), options.build()).unwrap();
    let groups = (0..reader.num_row_groups()).map(|index| {
        let group = reader.get_row_group(index).unwrap();
        group.get_column_bloom_filter(0).unwrap().clone()
    });
    groups.collect()
}

#[test]
fn bloom_filters_have_the_size_of_the_distinct_values() {
    let values = (0..30_000).map(|row| if row < 15_000 { row % 40 } else { row });
    let values: ArrayRef = Arc::new(Int32Array::from_iter_values(values));
    let batch = RecordBatch::try_from_iter([("x", values)]).unwrap();
    for encoding in [Encoding::Plain, Encoding::Dictionary] {
        let options = WriterOptions::default()
            .with_encoding(encoding)
            .with_row_group_size(15_000)
            .with_bloom_filter(
                parquet::file::properties::BloomFilterProperties::builder()
                    .with_fpp(0.01)
                    .build(),
            );
        let mut writer = Writer::try_new(Vec::new(), batch.schema(), options).unwrap();
        writer.write(&batch).unwrap();
        // The filters of both row groups have been written to the sink.
        assert!(writer.bytes_written() > 32_768);
        let file = Bytes::from(writer.into_inner().unwrap());
        let [few, many] = &bloom_filters(&file)[..] else {
            panic!("two row groups");
        };
        assert_eq!((few.num_blocks(), many.num_blocks()), (2, 1024));
        assert!((0..40).all(|it| few.check(&it)) && (15_000..30_000).all(|it| many.check(&it)));
        let wrong = |filter: &parquet::bloom_filter::Sbbf| {
            (50_000..60_000).filter(|it| filter.check(it)).count()
        };
        assert!(wrong(few) < 120 && wrong(many) < 120);
    }
}

#[test]
fn into_inner_finishes_a_file() {
    let batch = batch(100, 0);
    let options = WriterOptions::default();
    let mut writer = Writer::try_new(Vec::new(), batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    let file = Bytes::from(writer.into_inner().unwrap());
    let mut reader = ParquetRecordBatchReaderBuilder::try_new(file)
        .and_then(|builder| builder.build())
        .unwrap();
    assert_eq!(reader.next().unwrap().unwrap(), batch);
}

#[test]
fn properties_of_the_crate_parquet_become_options() {
    use parquet::arrow::ArrowSchemaConverter;
    use parquet::basic::{Compression, Encoding as InParquet};
    use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};

    let batch = batch(3000, 0);
    let schema = ArrowSchemaConverter::new()
        .convert(&batch.schema())
        .unwrap();
    let properties = WriterProperties::builder()
        .set_writer_version(WriterVersion::PARQUET_2_0)
        .set_compression(Compression::SNAPPY)
        .set_column_compression("text".into(), Compression::LZ4_RAW)
        .set_column_encoding("f64".into(), InParquet::BYTE_STREAM_SPLIT)
        .set_column_statistics_enabled("f32".into(), EnabledStatistics::None)
        .set_column_bloom_filter_enabled("i32".into(), true)
        .set_max_row_group_row_count(Some(1000))
        .set_data_page_row_count_limit(500)
        .set_created_by("somebody".to_owned())
        .build();
    let options = WriterOptions::from_properties(&properties, &schema);
    let mut file = Vec::new();
    let mut writer = Writer::try_new(&mut file, batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    let written = writer.close().unwrap();
    assert_eq!(written.encodings.len(), 3);
    let footer = written.metadata;
    assert_eq!(footer.file_metadata().created_by(), Some("somebody"));
    let row_group = footer.row_group(0);
    let [float64, float32, int32, text] = [0, 1, 2, 3].map(|column| row_group.column(column));
    assert_eq!(float64.compression(), Compression::SNAPPY);
    assert_eq!(text.compression(), Compression::LZ4_RAW);
    assert!(
        float64
            .encodings()
            .any(|it| it == InParquet::BYTE_STREAM_SPLIT)
    );
    assert!(float64.statistics().is_some() && float32.statistics().is_none());
    assert!(int32.bloom_filter_offset().is_some() && text.bloom_filter_offset().is_none());
    let indexed = ParquetMetaDataReader::new()
        .with_page_index_policy(PageIndexPolicy::Required)
        .parse_and_finish(&Bytes::from(file))
        .unwrap();
    let index = indexed.page_index().unwrap();
    let pages = index.offset_index(0, 0).unwrap().page_locations();
    let rows: Vec<i64> = pages.iter().map(|page| page.first_row_index).collect();
    assert_eq!(rows, [0, 500]);
    let defaults = WriterOptions::from_properties(&WriterProperties::default(), &schema);
    let same = WriterOptions::default();
    assert_eq!(defaults.encoding_of("f64"), same.encoding_of("f64"));
    assert_eq!(defaults.compression_of("f64"), Compression::UNCOMPRESSED);
}

#[test]
fn files_are_the_same_for_any_number_of_threads() {
    let (batch, other) = (batch(20_000, 0), batch(20_000, 5));
    let write = |threads: usize| {
        let options = WriterOptions::default()
            .with_row_group_size(7000)
            .with_threads(NonZero::new(threads).unwrap());
        let mut writer = Writer::try_new(Vec::new(), batch.schema(), options).unwrap();
        for batch in [&batch, &other, &batch] {
            writer.write(batch).unwrap();
        }
        writer.into_inner().unwrap()
    };
    let one = write(1);
    for threads in [2, 3, 8] {
        assert!(write(threads) == one, "{threads} threads");
    }
}
