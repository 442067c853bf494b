//! Tests geospatial statistics: the writer computes them, `merge`, `edit` and `repair` keep them or make them again, and `check` compares
//! them with the values.

use super::Files;
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, BinaryArray, Int32Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use bytelane_parquet::filter::Selection;
use bytelane_parquet::format::{self, ColumnMetaData, GeospatialStatistics};
use bytelane_parquet::{ColumnOptions, Encoding, Reader, ReaderBuilder, Writer, WriterOptions};
use bytelane_parquet_files::check::{CheckOptions, check};
use bytelane_parquet_files::edit::{EditOptions, edit};
use bytelane_parquet_files::edits::Edits;
use bytelane_parquet_files::merge::{MergeOptions, MergePages, merge};
use bytelane_parquet_files::repair::{RepairOptions, repair};
use bytes::Bytes;
use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

const PLANAR: &str = r#"{"crs":"OGC:CRS84","crs_type":"authority_code"}"#;
const SPHERICAL: &str = r#"{"crs":"OGC:CRS84","crs_type":"authority_code","edges":"spherical"}"#;

/// Returns a point in WKB, with a z if the row is odd.
fn point(row: i32) -> Vec<u8> {
    let (x, y, z) = (f64::from(row), f64::from(-2 * row), 0.5);
    let (code, coordinates) = match row % 2 {
        0 => (1_u32, vec![x, y]),
        _ => (1001, vec![x, y, z]),
    };
    let head = [&[1][..], &code.to_le_bytes()].concat();
    let tail = coordinates.iter().flat_map(|it| it.to_le_bytes());
    head.into_iter().chain(tail).collect()
}

fn rows(from: i32, count: i32, metadata: &str) -> RecordBatch {
    let name = "ARROW:extension:name".to_owned();
    let key = "ARROW:extension:metadata".to_owned();
    let metadata = [
        (name, "geoarrow.wkb".to_owned()),
        (key, metadata.to_owned()),
    ];
    let geometries = Field::new("geometry", DataType::Binary, true).with_metadata(metadata);
    let schema = Schema::new(vec![Field::new("id", DataType::Int32, false), geometries]);
    let values = (from..from + count).map(|row| (row % 5 != 4).then(|| point(row)));
    let columns: [ArrayRef; 2] = [
        Arc::new(Int32Array::from_iter_values(from..from + count)),
        Arc::new(BinaryArray::from_iter(values)),
    ];
    RecordBatch::try_new(Arc::new(schema), columns.into()).unwrap()
}

fn write(path: &Path, rows: &RecordBatch, encoding: Encoding) {
    let column = ColumnOptions::default().with_encoding(encoding);
    let options = WriterOptions::default()
        .with_max_rows_per_page(40)
        .with_column("geometry", column);
    let mut writer = Writer::try_new(File::create(path).unwrap(), rows.schema(), options).unwrap();
    writer.write(rows).unwrap();
    writer.close().unwrap();
}

/// Returns the metadata of the chunks of geometries, after comparing them with the values.
fn chunks(path: &Path) -> Vec<ColumnMetaData> {
    let found = check(path, &CheckOptions::default().with_values(true)).unwrap();
    assert_eq!(found.findings, Vec::new());
    let footer = format::decode_footer(&Bytes::from(fs::read(path).unwrap())).unwrap();
    let groups = footer.row_groups.iter();
    let chunks = groups.map(|group| group.columns[1].decode().unwrap().meta_data);
    chunks.collect()
}

fn statistics(path: &Path) -> Option<GeospatialStatistics> {
    let chunks = chunks(path);
    assert_eq!(chunks.len(), 1);
    let statistics = chunks[0].geospatial_statistics.as_ref()?;
    Some(statistics.decode().unwrap())
}

/// Returns the range of x, and the types.
fn said(path: &Path) -> ((f64, f64), Vec<i32>) {
    let statistics = statistics(path).unwrap();
    let bbox = statistics.bbox.unwrap();
    assert_eq!((bbox.ymin, bbox.ymax), (-2.0 * bbox.xmax, -2.0 * bbox.xmin));
    assert_eq!((bbox.zmin, bbox.zmax), (Some(0.5), Some(0.5)));
    ((bbox.xmin, bbox.xmax), statistics.geospatial_types.unwrap())
}

#[test]
fn the_writer_describes_geometries() {
    let files = Files::new();
    let path = files.path("points.parquet");
    for encoding in [
        Encoding::Plain,
        Encoding::Dictionary,
        Encoding::DeltaLengthByteArray,
    ] {
        write(&path, &rows(0, 103, PLANAR), encoding);
        assert_eq!(said(&path), ((0.0, 102.0), vec![1, 1001]), "{encoding:?}");
    }
    write(&path, &rows(0, 103, SPHERICAL), Encoding::Auto);
    let of_sphere = statistics(&path).unwrap();
    assert_eq!(
        (of_sphere.bbox, of_sphere.geospatial_types),
        (None, Some(vec![1, 1001]))
    );
}

#[test]
fn coordinate_systems_are_kept() {
    let files = Files::new();
    let path = files.path("points.parquet");
    let local = r#"{"crs":{"type":"EngineeringCRS","name":"site"}}"#;
    let number = r#"{"crs":"7","crs_type":"srid"}"#;
    let other = r#"{"crs":"EPSG:2056"}"#;
    for metadata in [PLANAR, SPHERICAL, local, number, other] {
        write(&path, &rows(0, 10, metadata), Encoding::Auto);
        let mut reader = Reader::try_new(File::open(&path).unwrap(), 1 << 10).unwrap();
        let batch = reader.next().unwrap().unwrap();
        let schema = batch.schema();
        let field = schema.field(1);
        assert_eq!(field.extension_type_name(), Some("geoarrow.wkb"));
        assert_eq!(field.extension_type_metadata(), Some(metadata));
        assert_eq!(batch, rows(0, 10, metadata));
    }
}

#[test]
fn other_words_for_longitude_and_latitude_are_the_same() {
    let files = Files::new();
    let paths = ["a", "b", "c"].map(|name| files.path(name));
    let projjson = r#"{"crs":{"type":"GeographicCRS","id":{"authority":"EPSG","code":4326}}}"#;
    for (path, metadata) in paths
        .iter()
        .zip([PLANAR, projjson, r#"{"crs":"EPSG:4326"}"#])
    {
        write(path, &rows(0, 10, metadata), Encoding::Auto);
    }
    let to = files.path("to");
    merge(&paths, &to, &MergeOptions::default()).unwrap();
    assert_eq!(said(&to), ((0.0, 8.0), vec![1, 1001]));

    // Parquet has no such edges, and no such metadata: these are bytes.
    for metadata in [r#"{"edges":"elliptic"}"#, "{"] {
        write(&to, &rows(0, 10, metadata), Encoding::Auto);
        assert_eq!(statistics(&to), None, "{metadata}");
        let mut reader = Reader::try_new(File::open(&to).unwrap(), 1 << 10).unwrap();
        assert_eq!(reader.next().unwrap().unwrap(), rows(0, 10, metadata));
    }
}

#[test]
fn statistics_follow_the_rows() {
    let mut files = Files::new();
    for number in 0..3 {
        let path = files.path(&format!("{number}.parquet"));
        let encoding = [Encoding::Plain, Encoding::Dictionary][number as usize % 2];
        write(&path, &rows(100 * number, 100, PLANAR), encoding);
        files.paths.push(path);
    }
    let to = files.path("to.parquet");
    for pages in [MergePages::default(), MergePages::Fresh] {
        let options = MergeOptions::default().with_pages(pages).with_verify(true);
        merge(&files.paths, &to, &options).unwrap();
        assert_eq!(said(&to), ((0.0, 298.0), vec![1, 1001]));
    }

    let edits = Edits::default().with_delete_where("id >= 210 or id = 0".parse().unwrap());
    let options = MergeOptions::default().with_edits(edits.clone());
    merge(&files.paths, &to, &options).unwrap();
    assert_eq!(said(&to), ((1.0, 208.0), vec![1, 1001]));
    edit(
        &files.paths[2],
        &to,
        &EditOptions::default().with_edits(edits),
    )
    .unwrap();
    assert_eq!(said(&to), ((200.0, 208.0), vec![1, 1001]));

    merge(
        &files.paths,
        &to,
        &MergeOptions::default().with_row_group_size(50),
    )
    .unwrap();
    let ends: Vec<f64> = chunks(&to)
        .iter()
        .map(|it| it.geospatial_statistics.as_ref().unwrap())
        .map(|it| it.decode().unwrap().bbox.unwrap().xmax)
        .collect();
    assert_eq!(ends, [48.0, 98.0, 148.0, 198.0, 248.0, 298.0]);
}

#[test]
fn a_box_selects_geometries_and_skips_row_groups() {
    let mut files = Files::new();
    for number in 0..4 {
        let path = files.path(&format!("{number}.parquet"));
        let encoding = [Encoding::Plain, Encoding::Dictionary][number as usize % 2];
        write(&path, &rows(100 * number, 100, PLANAR), encoding);
        files.paths.push(path);
    }
    let path = files.path("to.parquet");
    let options = MergeOptions::default().with_row_group_size(100);
    merge(&files.paths, &path, &options).unwrap();
    for (condition, expected, groups) in [
        (
            "st_intersects_box(geometry, 150, -350, 170, 0)",
            (150..=170).collect::<Vec<i32>>(),
            1,
        ),
        (
            "st_intersects_box(geometry, 95.5, -1000, 102, 0)",
            (96..=102).collect(),
            2,
        ),
        (
            "st_intersects_box(geometry, 390, -1e3, 5, 0)",
            (0..=5).chain(390..400).collect(),
            2,
        ),
        ("st_intersects_box(geometry, 150, 1, 170, 2)", Vec::new(), 0),
        (
            "not st_intersects_box(geometry, -1, -1e3, 397, 0)",
            vec![398],
            4,
        ),
    ] {
        let wanted: Vec<i32> = expected.into_iter().filter(|row| row % 5 != 4).collect();
        let selection = Selection::default().with_filter(condition.parse().unwrap());
        let selected = selection.read(ReaderBuilder::open(&path).unwrap()).unwrap();
        let mut selected = selected;
        let mut found = Vec::new();
        for batch in &mut selected {
            let batch = batch.unwrap();
            found.extend_from_slice(batch.column(0).as_primitive::<Int32Type>().values());
        }
        assert_eq!(found, wanted, "{condition}");
        let excluded = selected.metrics().rows_excluded;
        assert_eq!(excluded, 400 - 100 * groups, "{condition}");
    }
    for (condition, problem) in [
        (
            "st_intersects_box(id, 0, 0, 1, 1)",
            "needs a column of geometries",
        ),
        (
            "st_intersects_box(geometry, 0, 1, 1, 0)",
            "the smallest y exceeds",
        ),
        (
            "st_intersects_box(geometry, 0, 1, 'x', 0)",
            "expected a number",
        ),
        ("st_intersects_box(geometry, 0, 1, 2)", "expected `,`"),
    ] {
        let read = || {
            let selection = Selection::default().with_filter(condition.parse()?);
            selection.read(ReaderBuilder::open(&path)?).map(drop)
        };
        let error: bytelane_parquet::Error = read().unwrap_err();
        assert!(error.to_string().contains(problem), "{error}");
    }
}

#[test]
fn repair_adds_statistics() {
    let files = Files::new();
    let (path, to) = (files.path("points.parquet"), files.path("repaired.parquet"));
    write(&path, &rows(0, 100, PLANAR), Encoding::Dictionary);
    let bytes = fs::read(&path).unwrap();
    let mut footer = format::decode_footer(&Bytes::from(bytes.clone())).unwrap();
    let mut chunk = footer.row_groups[0].columns[1].decode().unwrap();
    chunk.meta_data.geospatial_statistics = None;
    footer.row_groups[0].columns[1] = format::Encoded::new(&chunk).unwrap();
    let length = u32::from_le_bytes(*bytes[..bytes.len() - 4].last_chunk().unwrap());
    let pages = &bytes[..bytes.len() - 8 - length as usize];
    let footer = format::encode(&footer).unwrap();
    let end = [&(footer.len() as u32).to_le_bytes()[..], b"PAR1"].concat();
    fs::write(&path, [pages, &footer, &end].concat()).unwrap();
    assert_eq!(statistics(&path), None);
    repair(&path, &to, &RepairOptions::default()).unwrap();
    assert_eq!(said(&to), ((0.0, 98.0), vec![1, 1001]));
}
