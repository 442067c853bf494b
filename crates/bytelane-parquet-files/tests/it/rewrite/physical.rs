//! Tests every physical type with every annotation: a rewrite changes no byte of a value in any encoding.

use bytelane_parquet::{Encoding, parse_compression};
use bytelane_parquet_files::rewrite::{RewriteOptions, rewrite_bytes};
use bytes::Bytes;
use parquet::basic::{ConvertedType, LogicalType, Repetition, TimeUnit, Type as PhysicalType};
use parquet::column::reader::ColumnReader;
use parquet::data_type::{AsBytes, ByteArray, DataType, FixedLenByteArray, Int96};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{Type, TypePtr};
use std::sync::Arc;

const ROWS: usize = 120;

/// Physical types, with the lengths that annotations require and one that no annotation has.
const TYPES: [(PhysicalType, i32); 12] = [
    (PhysicalType::BOOLEAN, -1),
    (PhysicalType::INT32, -1),
    (PhysicalType::INT64, -1),
    (PhysicalType::INT96, -1),
    (PhysicalType::FLOAT, -1),
    (PhysicalType::DOUBLE, -1),
    (PhysicalType::BYTE_ARRAY, -1),
    (PhysicalType::FIXED_LEN_BYTE_ARRAY, 2),
    (PhysicalType::FIXED_LEN_BYTE_ARRAY, 5),
    (PhysicalType::FIXED_LEN_BYTE_ARRAY, 12),
    (PhysicalType::FIXED_LEN_BYTE_ARRAY, 16),
    (PhysicalType::FIXED_LEN_BYTE_ARRAY, 33),
];

/// Annotations of leaves in files of old writers.
const CONVERTED: [ConvertedType; 19] = [
    ConvertedType::UTF8,
    ConvertedType::ENUM,
    ConvertedType::DECIMAL,
    ConvertedType::DATE,
    ConvertedType::TIME_MILLIS,
    ConvertedType::TIME_MICROS,
    ConvertedType::TIMESTAMP_MILLIS,
    ConvertedType::TIMESTAMP_MICROS,
    ConvertedType::UINT_8,
    ConvertedType::UINT_16,
    ConvertedType::UINT_32,
    ConvertedType::UINT_64,
    ConvertedType::INT_8,
    ConvertedType::INT_16,
    ConvertedType::INT_32,
    ConvertedType::INT_64,
    ConvertedType::JSON,
    ConvertedType::BSON,
    ConvertedType::INTERVAL,
];

fn logical_types() -> Vec<Option<LogicalType>> {
    let units = [TimeUnit::MILLIS, TimeUnit::MICROS, TimeUnit::NANOS];
    let times = units.into_iter().flat_map(|unit| {
        [true, false].into_iter().flat_map(move |utc| {
            [
                LogicalType::time(utc, unit),
                LogicalType::timestamp(utc, unit),
            ]
        })
    });
    let integers = [8, 16, 32, 64].into_iter().flat_map(|width| {
        [
            LogicalType::integer(width, true),
            LogicalType::integer(width, false),
        ]
    });
    let others = [
        LogicalType::String,
        LogicalType::Enum,
        LogicalType::Json,
        LogicalType::Bson,
        LogicalType::Date,
        LogicalType::Unknown,
        LogicalType::Uuid,
        LogicalType::Float16,
        LogicalType::decimal(2, 3),
        LogicalType::decimal(0, 9),
        LogicalType::decimal(2, 11),
        LogicalType::decimal(5, 38),
    ];
    let all = times.chain(integers).chain(others);
    std::iter::once(None).chain(all.map(Some)).collect()
}

/// Returns all columns whose annotation the format allows.
fn columns() -> Vec<TypePtr> {
    let mut columns: Vec<TypePtr> = Vec::new();
    let mut add = |physical, length, logical: Option<LogicalType>, converted| {
        let (scale, precision) = match &logical {
            Some(LogicalType::Decimal(decimal)) => (decimal.scale, decimal.precision),
            _ => (1, 4),
        };
        for repetition in [Repetition::REQUIRED, Repetition::OPTIONAL] {
            let column = Type::primitive_type_builder(&format!("c{}", columns.len()), physical)
                .with_length(length)
                .with_repetition(repetition)
                .with_logical_type(logical.clone())
                .with_converted_type(converted)
                .with_scale(scale)
                .with_precision(precision)
                .build();
            columns.extend(column.map(Arc::new));
        }
    };
    for (physical, length) in TYPES {
        for logical in logical_types() {
            add(physical, length, logical, ConvertedType::NONE);
        }
        for converted in CONVERTED {
            add(physical, length, None, converted);
        }
    }
    columns
}

/// Returns a value of a physical type: extremes, small numbers beyond 8 and 16 bits, and bytes that are not
/// text.
pub fn value(row: usize, length: usize) -> Vec<u8> {
    const EDGES: [i64; 12] = [
        300,
        70_000,
        i64::MIN,
        i64::MAX,
        -1,
        0,
        -129,
        i32::MIN as i64,
        i32::MAX as i64 + 1,
        128,
        0x7ff8_0000_0000_0001,
        0x7fc0_0001_ffc0_0001,
    ];
    let seed = EDGES[row % EDGES.len()] ^ (row / EDGES.len()) as i64;
    let bytes = seed.to_le_bytes();
    (0..length)
        .map(|at| bytes[at % 8] ^ (at / 8 * 91) as u8)
        .collect()
}

/// Returns the values of a column, without the nulls.
fn values<T: DataType>(column: &Type, of: impl Fn(Vec<u8>) -> T::T) -> Vec<T::T> {
    let length = match column.get_physical_type() {
        PhysicalType::FIXED_LEN_BYTE_ARRAY => match column {
            Type::PrimitiveType { type_length, .. } => *type_length as usize,
            Type::GroupType { .. } => 0,
        },
        _ => 12,
    };
    let rows = (0..ROWS).filter(|row| !column.is_optional() || row % 5 != 2);
    rows.map(|row| of(value(row, length))).collect()
}

fn number<const N: usize>(bytes: Vec<u8>) -> [u8; N] {
    bytes[..N].try_into().unwrap()
}

fn write<T: DataType>(
    mut writer: SerializedColumnWriter<'_>,
    column: &Type,
    of: impl Fn(Vec<u8>) -> T::T,
) {
    let values = values::<T>(column, of);
    let levels: Vec<i16> = (0..ROWS).map(|row| i16::from(row % 5 != 2)).collect();
    let levels = column.is_optional().then_some(levels.as_slice());
    writer
        .typed::<T>()
        .write_batch(&values, levels, None)
        .unwrap();
    writer.close().unwrap();
}

fn file(columns: &[TypePtr]) -> Bytes {
    use parquet::data_type::{
        BoolType, ByteArrayType, DoubleType, FixedLenByteArrayType, FloatType, Int32Type,
        Int64Type, Int96Type,
    };
    let schema = Type::group_type_builder("schema").with_fields(columns.to_vec());
    let properties = WriterProperties::builder().set_dictionary_enabled(false);
    let mut file = Vec::new();
    let mut writer = SerializedFileWriter::new(
        &mut file,
        Arc::new(schema.build().unwrap()),
        Arc::new(properties.build()),
    )
    .unwrap();
    let mut row_group = writer.next_row_group().unwrap();
    for of in columns {
        let column = row_group.next_column().unwrap().unwrap();
        match of.get_physical_type() {
            PhysicalType::BOOLEAN => write::<BoolType>(column, of, |it| it[0] & 1 == 0),
            PhysicalType::INT32 => {
                write::<Int32Type>(column, of, |it| i32::from_le_bytes(number(it)));
            }
            PhysicalType::INT64 => {
                write::<Int64Type>(column, of, |it| i64::from_le_bytes(number(it)));
            }
            PhysicalType::INT96 => write::<Int96Type>(column, of, |it| {
                let part = |at: usize| u32::from_le_bytes(it[at..at + 4].try_into().unwrap());
                Int96::from(vec![part(0), part(4), part(8)])
            }),
            PhysicalType::FLOAT => {
                write::<FloatType>(column, of, |it| f32::from_le_bytes(number(it)));
            }
            PhysicalType::DOUBLE => {
                write::<DoubleType>(column, of, |it| f64::from_le_bytes(number(it)));
            }
            PhysicalType::BYTE_ARRAY => write::<ByteArrayType>(column, of, ByteArray::from),
            PhysicalType::FIXED_LEN_BYTE_ARRAY => {
                write::<FixedLenByteArrayType>(column, of, FixedLenByteArray::from);
            }
        }
    }
    row_group.close().unwrap();
    writer.close().unwrap();
    file.into()
}

/// Definition levels followed by repetition levels, and the bytes of each value.
pub type Stored = (Vec<i16>, Vec<Vec<u8>>);

/// Returns the contents of the columns of a file, read by the column readers of the crate `parquet`.
pub fn stored(file: &Bytes) -> Vec<Stored> {
    macro_rules! read {
        ($reader:expr) => {{
            let (mut levels, mut repetition, mut values) = (Vec::new(), Vec::new(), Vec::new());
            let definition = Some(&mut levels);
            $reader
                .read_records(ROWS, definition, Some(&mut repetition), &mut values)
                .unwrap();
            levels.append(&mut repetition);
            let values = values.iter().map(|value| value.as_bytes().to_vec());
            (levels, values.collect())
        }};
    }
    let file = SerializedFileReader::new(file.clone()).unwrap();
    let row_group = file.get_row_group(0).unwrap();
    let columns = 0..row_group.num_columns();
    columns
        .map(
            |column| match row_group.get_column_reader(column).unwrap() {
                ColumnReader::BoolColumnReader(mut reader) => read!(reader),
                ColumnReader::Int32ColumnReader(mut reader) => read!(reader),
                ColumnReader::Int64ColumnReader(mut reader) => read!(reader),
                ColumnReader::Int96ColumnReader(mut reader) => read!(reader),
                ColumnReader::FloatColumnReader(mut reader) => read!(reader),
                ColumnReader::DoubleColumnReader(mut reader) => read!(reader),
                ColumnReader::ByteArrayColumnReader(mut reader) => read!(reader),
                ColumnReader::FixedLenByteArrayColumnReader(mut reader) => read!(reader),
            },
        )
        .collect()
}

#[test]
fn no_annotation_changes_a_value() {
    let columns = columns();
    assert!(columns.len() > 200, "{} columns", columns.len());
    let file = file(&columns);
    let before = stored(&file);
    assert_eq!(before.len(), columns.len());
    for (number, encoding) in Encoding::ALL.iter().enumerate() {
        let names = ["none", "snappy", "gzip", "zstd", "brotli", "lz4_raw"];
        let compression = names[number % names.len()];
        let options = RewriteOptions::default()
            .with_encoding(*encoding)
            .with_compression(parse_compression(compression).unwrap())
            .with_verify(true);
        let (new, rewritten) = rewrite_bytes(file.clone(), &options).unwrap();
        for (column, of) in rewritten.columns.iter().zip(&columns) {
            let is_copied = of.get_physical_type() == PhysicalType::INT96;
            assert_eq!(column.obstacle.is_some(), is_copied, "{column:?} {of:?}");
        }
        // The crate `parquet` reads no previews; the verification has compared these values.
        if encoding.is_preview() {
            continue;
        }
        for ((before, after), of) in before.iter().zip(&stored(&new)).zip(&columns) {
            assert_eq!(before, after, "{of:?} in {encoding} with {compression}");
        }
    }
}

#[test]
fn intervals_are_read_with_all_their_parts() {
    use arrow_array::cast::AsArray;
    use arrow_array::types::IntervalMonthDayNanoType;
    use bytelane_parquet::Reader;

    let column = Type::primitive_type_builder("i", PhysicalType::FIXED_LEN_BYTE_ARRAY)
        .with_length(12)
        .with_converted_type(ConvertedType::INTERVAL);
    let file = file(&[Arc::new(column.build().unwrap())]);
    let stored = stored(&file).remove(0).1;
    let batch = Reader::builder(file).unwrap().build().unwrap().next();
    let batch = batch.unwrap().unwrap();
    let read = batch.column(0).as_primitive::<IntervalMonthDayNanoType>();
    let read: Vec<Vec<u8>> = read
        .iter()
        .flatten()
        .map(|it| {
            let milliseconds = u32::try_from(it.nanoseconds / 1_000_000).unwrap();
            let parts = [it.months as u32, it.days as u32, milliseconds];
            parts.map(u32::to_le_bytes).concat()
        })
        .collect();
    assert_eq!(read, stored);
}

/// Writes a `map<string, INT96>` with one entry in each row.
fn map_of_int96() -> Bytes {
    use parquet::data_type::{ByteArrayType, Int96Type};

    let leaf = |name, physical, repetition| {
        let leaf = Type::primitive_type_builder(name, physical).with_repetition(repetition);
        Arc::new(leaf.build().unwrap())
    };
    let entry = vec![
        leaf("key", PhysicalType::BYTE_ARRAY, Repetition::REQUIRED),
        leaf("value", PhysicalType::INT96, Repetition::OPTIONAL),
    ];
    let entries = Type::group_type_builder("key_value")
        .with_repetition(Repetition::REPEATED)
        .with_fields(entry);
    let map = Type::group_type_builder("map")
        .with_repetition(Repetition::OPTIONAL)
        .with_logical_type(Some(LogicalType::Map))
        .with_fields(vec![Arc::new(entries.build().unwrap())]);
    let schema = Type::group_type_builder("schema");
    let schema = schema.with_fields(vec![Arc::new(map.build().unwrap())]);
    let schema = Arc::new(schema.build().unwrap());
    let mut file = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut file, schema, Arc::default()).unwrap();
    let mut row_group = writer.next_row_group().unwrap();
    let (first, rows) = (vec![0; ROWS], 0..ROWS);
    let mut keys = row_group.next_column().unwrap().unwrap();
    let of: Vec<ByteArray> = rows.clone().map(|row| value(row, 3).into()).collect();
    let levels = (vec![2; ROWS], vec![3; ROWS]);
    keys.typed::<ByteArrayType>()
        .write_batch(&of, Some(&levels.0), Some(&first))
        .unwrap();
    keys.close().unwrap();
    let mut times = row_group.next_column().unwrap().unwrap();
    let of: Vec<Int96> = rows
        .map(|row| vec![row as u32, 0, 2_440_588].into())
        .collect();
    times
        .typed::<Int96Type>()
        .write_batch(&of, Some(&levels.1), Some(&first))
        .unwrap();
    times.close().unwrap();
    row_group.close().unwrap();
    writer.close().unwrap();
    file.into()
}

#[test]
fn a_map_of_int96_gets_advice_and_is_copied() {
    use bytelane_parquet_files::advise::{AdviseOptions, advise};

    let file = map_of_int96();
    let path = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(&path, &file).unwrap();
    for exact in [false, true] {
        let options = AdviseOptions::default().with_exact(exact);
        let advice = advise(&path, &options).unwrap();
        assert_eq!(advice.columns.len(), 2);
        assert!(
            advice.columns.iter().all(|column| column.keep),
            "{advice:?}"
        );
        assert_eq!(advice.bytes_now(), advice.bytes_then());
    }
    let options = RewriteOptions::default()
        .with_compression(parse_compression("zstd").unwrap())
        .with_verify(true);
    let (new, rewritten) = rewrite_bytes(file.clone(), &options).unwrap();
    assert!(
        rewritten
            .columns
            .iter()
            .all(|column| column.obstacle.is_some())
    );
    assert_eq!(stored(&new), stored(&file));
}
