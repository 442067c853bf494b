//! Tests `check`: files of several writers are valid, and each kind of damage is located.

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BinaryArray, Float64Array, Int64Array, ListArray, RecordBatch, StringArray,
    StructArray,
};
use bytelane_parquet::format::{
    BoundingBox, ColumnChunk, Encoded, FileMetaData, GeospatialStatistics, KeyValue, RowGroup,
    SortingColumn, Statistics, decode, encode,
};
use bytelane_parquet::{Encoding, Writer, WriterOptions};
use bytelane_parquet_files::check::{CheckOptions, Checked, Severity, check};
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::file::properties::{WriterProperties, WriterVersion};
use std::fs;
use std::sync::Arc;

fn rows() -> RecordBatch {
    let lists =
        (0..3000).map(|row| (row % 5 > 0).then(|| (0..row % 4).map(move |at| Some(at * row))));
    let float = |row: i32| match row % 9 {
        0 => f64::NAN,
        1 => -0.0,
        _ => f64::from(row).sin(),
    };
    let columns: [(&str, ArrayRef); 4] = [
        ("id", Arc::new(Int64Array::from_iter_values(0..3000))),
        (
            "float",
            Arc::new(Float64Array::from_iter_values((0..3000).map(float))),
        ),
        (
            "text",
            Arc::new(StringArray::from_iter(
                (0..3000).map(|row| (row % 7 > 0).then(|| format!("größe {}", row % 90))),
            )),
        ),
        (
            "list",
            Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(lists)),
        ),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true)))
        .unwrap()
}

fn checked(file: &[u8]) -> Checked {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file.parquet");
    fs::write(&path, file).unwrap();
    check(&path, &CheckOptions::default().with_values(true)).unwrap()
}

fn written(properties: WriterProperties) -> Vec<u8> {
    let mut file = Vec::new();
    let rows = rows();
    let mut writer = ArrowWriter::try_new(&mut file, rows.schema(), Some(properties)).unwrap();
    writer.write(&rows).unwrap();
    writer.close().unwrap();
    file
}

fn usual() -> Vec<u8> {
    let properties = WriterProperties::builder()
        .set_data_page_row_count_limit(500)
        .set_write_batch_size(100)
        .set_bloom_filter_enabled(true);
    written(properties.build())
}

/// Changes the footer of a file.
fn with_footer(file: &[u8], change: impl Fn(&mut FileMetaData)) -> Vec<u8> {
    let end = file.len() - 8;
    let length = u32::from_le_bytes(*file[end..].first_chunk().unwrap()) as usize;
    let start = end - length;
    let mut footer: FileMetaData = decode(&Bytes::copy_from_slice(&file[start..end])).unwrap();
    change(&mut footer);
    let footer = encode(&footer).unwrap();
    let length = (footer.len() as u32).to_le_bytes();
    [&file[..start], &footer, &length, b"PAR1"].concat()
}

/// Changes the footer's description of a chunk of the first row group.
fn with_chunk(file: &[u8], leaf: usize, change: impl Fn(&mut ColumnChunk)) -> Vec<u8> {
    with_footer(file, |footer| {
        let chunk = &mut footer.row_groups[0].columns[leaf];
        let mut decoded = chunk.decode().unwrap();
        change(&mut decoded);
        *chunk = Encoded::new(&decoded).unwrap();
    })
}

#[test]
fn files_of_several_writers_are_fine() {
    let mut files = vec![usual(), written(WriterProperties::builder().build())];
    let two = WriterProperties::builder()
        .set_writer_version(WriterVersion::PARQUET_2_0)
        .set_max_row_group_row_count(Some(700));
    files.push(written(two.build()));
    for encoding in [Encoding::Auto, Encoding::ByteStreamSplit, Encoding::Alp] {
        let mut file = Vec::new();
        let options = WriterOptions::default()
            .with_encoding(encoding)
            .with_max_rows_per_page(450);
        let mut writer = Writer::try_new(&mut file, rows().schema(), options).unwrap();
        writer.write(&rows()).unwrap();
        writer.close().unwrap();
        files.push(file);
    }
    for file in files {
        let checked = checked(&file);
        assert_eq!(checked.findings, Vec::new());
        assert_eq!(checked.rows, 3000);
        assert!(checked.pages >= 4);
    }
}

/// Checks a file with a single fault, which must be the only error and be found in this column.
#[track_caller]
fn found(file: &[u8], column: Option<&str>, wanted: &str) {
    let checked = checked(file);
    let found = checked
        .findings
        .iter()
        .any(|finding| finding.problem.contains(wanted) && finding.column.as_deref() == column);
    assert!(found, "{wanted}: {:#?}", checked.findings);
}

#[test]
fn what_the_footer_says_wrong_is_found() {
    let good = usual();
    let footer = |change: fn(&mut FileMetaData)| with_footer(&good, change);
    found(
        &footer(|it| it.num_rows = 7),
        None,
        "says 7 rows, but its row groups have 3000",
    );
    found(
        &footer(|it| it.row_groups[0].total_byte_size += 1),
        None,
        "bytes without compression",
    );
    found(
        &footer(|it| it.row_groups[0].ordinal = Some(3)),
        None,
        "ordinal",
    );
    let sorted = |leaf: i32| {
        move |row_group: &mut RowGroup| {
            let by = SortingColumn {
                column_idx: leaf,
                descending: true,
                ..Default::default()
            };
            row_group.sorting_columns = Some(vec![by]);
        }
    };
    found(
        &with_footer(&good, |it| sorted(0)(&mut it.row_groups[0])),
        None,
        "not sorted",
    );
    found(
        &with_footer(&good, |it| sorted(9)(&mut it.row_groups[0])),
        None,
        "is not there",
    );
    let chunk = |change: fn(&mut ColumnChunk)| with_chunk(&good, 0, change);
    let id = Some("id");
    found(
        &chunk(|it| it.meta_data.num_values = 5),
        id,
        "says 5 values",
    );
    found(
        &chunk(|it| it.meta_data.total_uncompressed_size -= 2),
        id,
        "without compression",
    );
    found(
        &chunk(|it| it.meta_data.encoding_stats = Some(Encoded::new(&vec![]).unwrap())),
        id,
        "encoding_stats",
    );
    found(
        &chunk(|it| it.meta_data.encodings = Encoded::new(&vec![]).unwrap()),
        id,
        "does not name",
    );
    found(
        &chunk(|it| it.meta_data.data_page_offset += 1),
        id,
        "is elsewhere",
    );
    found(
        &chunk(|it| it.meta_data.total_compressed_size = 1 << 40),
        id,
        "beyond the file",
    );
}

#[test]
fn values_that_contradict_what_is_said_of_them_are_found() {
    let good = usual();
    let with_statistics = |leaf: usize, change: fn(&mut Statistics)| {
        with_chunk(&good, leaf, |chunk| {
            let mut statistics = chunk
                .meta_data
                .statistics
                .as_ref()
                .unwrap()
                .decode()
                .unwrap();
            change(&mut statistics);
            chunk.meta_data.statistics = Some(Encoded::new(&statistics).unwrap());
        })
    };
    let one =
        |it: &mut Statistics| it.min_value = Some(Bytes::from_static(&[1, 0, 0, 0, 0, 0, 0, 0]));
    found(&with_statistics(0, one), Some("id"), "below the minimum");
    let one =
        |it: &mut Statistics| it.max_value = Some(Bytes::from_static(&[1, 0, 0, 0, 0, 0, 0, 0]));
    found(&with_statistics(0, one), Some("id"), "above the maximum");
    found(
        &with_statistics(2, |it| it.null_count = Some(3)),
        Some("text"),
        "count 3 nulls",
    );
    found(
        &with_statistics(3, |it| it.null_count = Some(3)),
        Some("list.list.item"),
        "count 3 nulls",
    );
    // Bloom filter of another column.
    let other = with_footer(&good, |footer| {
        let columns = &mut footer.row_groups[0].columns;
        let text = columns[2].decode().unwrap().meta_data;
        let mut id = columns[0].decode().unwrap();
        id.meta_data.bloom_filter_offset = text.bloom_filter_offset;
        id.meta_data.bloom_filter_length = text.bloom_filter_length;
        columns[0] = Encoded::new(&id).unwrap();
    });
    found(&other, Some("id"), "Bloom filter");
    // Indexes of another column.
    let other = with_footer(&good, |footer| {
        let columns = &mut footer.row_groups[0].columns;
        let float = columns[1].decode().unwrap();
        let mut id = columns[0].decode().unwrap();
        id.offset_index_offset = float.offset_index_offset;
        id.column_index_offset = float.column_index_offset;
        columns[0] = Encoded::new(&id).unwrap();
    });
    found(&other, Some("id"), "elsewhere, or of another size");
}

#[test]
fn damaged_bytes_are_found() {
    let mut options = WriterOptions::default().with_encoding(Encoding::Plain);
    options = options.with_compression(parquet::basic::Compression::UNCOMPRESSED);
    let mut file = Vec::new();
    let text: ArrayRef = Arc::new(StringArray::from_iter_values(
        (0..50).map(|row| format!("row {row}")),
    ));
    let batch = RecordBatch::try_from_iter([("text", text)]).unwrap();
    let mut writer = Writer::try_new(&mut file, batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    assert_eq!(checked(&file).findings, Vec::new());
    let at = file.windows(6).position(|it| it == b"row 25").unwrap();
    let mut damaged = file.clone();
    damaged[at + 2] = 0xff;
    found(&damaged, Some("text"), "not UTF-8");
    let cut = &file[..file.len() - 1];
    let checked = checked(cut);
    assert_eq!(checked.findings.len(), 1);
    assert_eq!(checked.findings[0].severity, Severity::Error);
    assert!(
        checked.findings[0]
            .to_string()
            .contains("error: not a Parquet file")
    );
}

/// Returns a file of points in WKB and in coordinates of their own, with metadata of GeoParquet.
fn with_geo(geo: &str) -> Vec<u8> {
    let point = |x: f64| {
        let head = [&[1][..], &1_u32.to_le_bytes()].concat();
        [&head[..], &x.to_le_bytes(), &(-x).to_le_bytes()].concat()
    };
    let points = (0..50).map(|row| (row % 7 > 0).then(|| point(f64::from(row))));
    let numbers = || Arc::new(Float64Array::from_iter_values((0..50).map(f64::from)));
    let members: [(&str, ArrayRef); 2] = [("x", numbers()), ("y", numbers())];
    let members = StructArray::try_from(members.to_vec()).unwrap();
    let columns: [(&str, ArrayRef); 2] = [
        ("g", Arc::new(BinaryArray::from_iter(points))),
        ("p", Arc::new(members)),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut file = Vec::new();
    let mut writer = Writer::try_new(&mut file, batch.schema(), WriterOptions::default()).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let pair = KeyValue {
        key: Bytes::from_static(b"geo"),
        value: Some(Bytes::copy_from_slice(geo.as_bytes())),
        unknown_fields: Default::default(),
    };
    with_footer(&file, |it| {
        it.key_value_metadata
            .get_or_insert_default()
            .push(pair.clone());
    })
}

#[test]
fn geometries_are_compared_with_the_metadata() {
    let geo = |g: &str, p: &str| {
        let columns = format!("\"columns\":{{\"g\":{{{g}}},\"p\":{{{p}}}}}");
        with_geo(&format!(
            "{{\"version\":\"1.1.0\",\"primary_column\":\"g\",{columns}}}"
        ))
    };
    let (wkb, types) = (r#""encoding":"WKB""#, r#""geometry_types":["Point"]"#);
    let native = format!(r#""encoding":"point",{types}"#);
    let p = format!(r#"{native},"bbox":[0,0,49,49]"#);
    let g = |more: &str| geo(&format!("{wkb},{types}{more}"), &p);
    for fine in [
        r#","bbox":[1,-48,48,-1],"covering":{"bbox":{"xmin":["p","x"],"ymin":["p","y"],"xmax":["p","x"],"ymax":["p","y"]}}"#,
        r#","bbox":[5,-50,4,0]"#,
        "",
    ] {
        assert_eq!(checked(&g(fine)).findings, Vec::new());
    }
    let in_g = |more: &str, wanted: &str| found(&g(more), Some("g"), wanted);
    in_g(r#","bbox":[1,-48,47,-1]"#, "1 geometries are outside");
    in_g(r#","bbox":[9,-50,4,0]"#, "3 geometries are outside");
    in_g(r#","bbox":[1,0,48,-48]"#, "the smallest y");
    in_g(r#","bbox":[1,2,3]"#, "not a list of 4 or 6 numbers");
    in_g(
        r#","covering":{"bbox":{"xmin":["p","z"]}}"#,
        "no column of the file for xmin",
    );
    let other = format!(r#"{wkb},"geometry_types":["Polygon"]"#);
    found(&geo(&other, &p), Some("g"), "42 geometries have types");
    found(&geo(&p, &p), Some("g"), "the column has no coordinates");
    let small = format!(r#"{native},"bbox":[0,0,40,49]"#);
    let wkb = format!("{wkb},{types}");
    found(&geo(&wkb, &small), Some("p.x"), "9 coordinates are outside");
    found(&geo(&wkb, &wkb), Some("p"), "not a BYTE_ARRAY");
    found(&with_geo("{}"), None, "not metadata of GeoParquet");
    let absent = r#"{"columns":{"other":{"encoding":"WKB","geometry_types":[]}}}"#;
    found(
        &with_geo(absent),
        Some("other"),
        "the file does not have it",
    );
    found(&with_geo(absent), None, "the primary column");
}

#[test]
fn geometries_are_compared_with_geospatial_statistics() {
    let bbox = |xmax: f64| BoundingBox {
        xmin: 0.0,
        xmax,
        ymin: -50.0,
        ymax: 0.0,
        zmin: None,
        zmax: None,
        mmin: None,
        mmax: None,
        unknown_fields: Default::default(),
    };
    let with = |xmax: f64, code: i32| {
        with_chunk(&with_geo("{}"), 0, |chunk| {
            let statistics = GeospatialStatistics {
                bbox: Some(bbox(xmax)),
                geospatial_types: Some(vec![code]),
                unknown_fields: Default::default(),
            };
            chunk.meta_data.geospatial_statistics = Some(Encoded::new(&statistics).unwrap());
        })
    };
    assert_eq!(checked(&with(50.0, 1)).findings.len(), 1);
    found(&with(20.0, 1), Some("g"), "24 geometries are outside");
    found(&with(50.0, 3), Some("g"), "42 geometries have types");
}

#[test]
fn the_summary_says_whether_values_were_read() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("summary.parquet");
    let summary = |file: &[u8], values: bool| {
        fs::write(&path, file).unwrap();
        let options = CheckOptions::default().with_values(values);
        check(&path, &options).unwrap().summary
    };
    let damaged = with_footer(&usual(), |footer| footer.num_rows += 1);
    assert_eq!(summary(&usual(), true), "nothing is wrong");
    assert_eq!(
        summary(&usual(), false),
        "structure is consistent; values not read"
    );
    assert_eq!(summary(&damaged, true), "1 error, 0 warnings");
    assert_eq!(
        summary(&damaged, false),
        "1 error, 0 warnings; values not read"
    );
}
