//! Tests that `Encoding::Auto` chooses the best encoding, or one close to it.

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, Decimal128Array, DictionaryArray, FixedSizeBinaryArray, Float32Array,
    Float64Array, Int32Array, Int64Array, RecordBatch, StringArray,
};
use bytelane_parquet::compatibility::Readers;
use bytelane_parquet::{
    ColumnOptions, Encoding, Encodings, Goal, Writer, WriterOptions, parse_compression,
};
use std::sync::Arc;

/// Maximum size of the choice, relative to the best fixed encoding.
const TOLERANCE: f64 = 1.03;

/// Returns the size of a column in a file, and its encoding in the first row group.
fn written(column: &ArrayRef, options: WriterOptions) -> (i64, Encoding) {
    let batch =
        RecordBatch::try_from_iter_with_nullable([("x", Arc::clone(column), true)]).unwrap();
    let mut writer = Writer::try_new(Vec::new(), batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    let written = writer.close().unwrap();
    let row_groups = written.metadata.row_groups().iter();
    let size = row_groups
        .map(|row_group| row_group.column(0).compressed_size())
        .sum();
    let encoding = written
        .encodings
        .first()
        .map_or(Encoding::Plain, |leaves| leaves[0]);
    (size, encoding)
}

fn options(compression: &str) -> WriterOptions {
    WriterOptions::default()
        .with_goal(Goal::Size)
        .with_readers(Readers::any())
        .with_encodings(Encodings::default().with(Encoding::Alp))
        .with_compression(parse_compression(compression).unwrap())
}

/// Asserts that a column is as small as in the best encoding, or nearly so. Returns the choice.
fn assert_close_to_best(
    name: &str,
    column: &ArrayRef,
    compression: &str,
    among: &[Encoding],
) -> Encoding {
    let sizes = among.iter().map(|encoding| {
        let options = options(compression).with_encoding(*encoding);
        written(column, options)
    });
    let sizes: Vec<(i64, Encoding)> = sizes.collect();
    let (chosen, encoding) = written(column, options(compression));
    let best = sizes.iter().map(|(size, _)| *size).min().unwrap();
    assert!(
        chosen as f64 <= best as f64 * TOLERANCE,
        "{name} with {compression}: {chosen} bytes in {encoding}, of {sizes:?}"
    );
    encoding
}

const FOR_FLOATS: [Encoding; 4] = [
    Encoding::Plain,
    Encoding::Dictionary,
    Encoding::ByteStreamSplit,
    Encoding::Alp,
];
const FOR_INTEGERS: [Encoding; 4] = [
    Encoding::Plain,
    Encoding::Dictionary,
    Encoding::ByteStreamSplit,
    Encoding::DeltaBinaryPacked,
];

/// Returns a generator of pseudorandom numbers with a fixed seed.
fn random() -> impl FnMut() -> u64 {
    let mut state = 1_u64;
    move || {
        state = state
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        (state ^ (state >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd) >> 11
    }
}

fn doubles(values: impl Iterator<Item = f64>) -> ArrayRef {
    Arc::new(Float64Array::from_iter_values(values))
}

const COUNT: usize = 100_000;

/// Returns columns with different distributions.
fn float_columns() -> Vec<(&'static str, ArrayRef)> {
    let mut next = random();
    let noise: Vec<f64> = (0..COUNT)
        .map(|_| next() as f64 / (1_u64 << 53) as f64)
        .collect();
    let mut level = 20.0;
    let walk: Vec<f64> = noise
        .iter()
        .map(|step| {
            level += step - 0.5;
            level
        })
        .collect();
    let singles = walk.iter().map(|value| *value as f32);
    vec![
        ("noise", doubles(noise.iter().copied())),
        ("walk", doubles(walk.iter().copied())),
        (
            "tenths",
            doubles(walk.iter().map(|value| (value * 10.0).round() / 10.0)),
        ),
        (
            "repeated",
            doubles(noise.iter().map(|value| noise[(value * 300.0) as usize])),
        ),
        ("constant", doubles((0..COUNT).map(|_| 1.5))),
        ("steps", doubles((0..COUNT).map(|index| noise[index / 50]))),
        (
            "single precision",
            Arc::new(Float32Array::from_iter_values(singles)),
        ),
        (
            "with nulls",
            Arc::new(Float64Array::from_iter(
                walk.iter()
                    .enumerate()
                    .map(|(index, value)| (index % 3 > 0).then_some(*value)),
            )),
        ),
    ]
}

#[test]
fn floats_are_close_to_the_best() {
    let mut chosen = Vec::new();
    for compression in ["none", "snappy", "zstd:1", "zstd:3"] {
        for (name, column) in float_columns() {
            let encoding = assert_close_to_best(name, &column, compression, &FOR_FLOATS);
            chosen.push(encoding);
        }
    }
    for encoding in FOR_FLOATS {
        assert!(
            chosen.contains(&encoding),
            "{encoding} is never the best here"
        );
    }
}

#[test]
fn integers_are_close_to_the_best() {
    let mut next = random();
    let mut time = 1_700_000_000_000_i64;
    let times = (0..COUNT).map(|_| {
        time += 900 + (next() % 200) as i64;
        time
    });
    let times: ArrayRef = Arc::new(Int64Array::from_iter_values(times));
    let few: ArrayRef = Arc::new(Int32Array::from_iter_values(
        (0..COUNT).map(|_| [7, 1 << 20, -3][(next() % 3) as usize]),
    ));
    let wide: ArrayRef = Arc::new(Int64Array::from_iter_values(
        (0..COUNT).map(|_| (next() % (1 << 40)) as i64),
    ));
    let mut chosen = Vec::new();
    for compression in ["none", "zstd:1"] {
        for (name, column) in [("times", &times), ("few", &few), ("wide", &wide)] {
            chosen.push(assert_close_to_best(
                name,
                column,
                compression,
                &FOR_INTEGERS,
            ));
        }
    }
    assert!(chosen.contains(&Encoding::DeltaBinaryPacked), "{chosen:?}");
}

#[test]
#[ignore = "needs BYTELANE_FLOATS, a directory of .f32 and .f64 files"]
fn given_files_are_close_to_the_best() {
    for (path, column) in crate::given::columns() {
        for compression in ["zstd:1", "zstd:3"] {
            let name = path.display().to_string();
            let encoding = assert_close_to_best(&name, &column, compression, &FOR_FLOATS);
            eprintln!("{name} {compression}: {encoding}");
        }
    }
}

#[test]
fn readers_limit_the_choice() {
    let column = &float_columns()[0].1;
    let chosen = |readers: &str| {
        written(
            column,
            options("zstd:1").with_readers(readers.parse().unwrap()),
        )
        .1
    };
    assert_eq!(chosen("any"), Encoding::ByteStreamSplit);
    assert_eq!(chosen("pyarrow>=17,duckdb"), Encoding::ByteStreamSplit);
    assert_ne!(chosen("pyarrow,spark>=4.2"), Encoding::ByteStreamSplit);
    assert_ne!(chosen("pyarrow>=16"), Encoding::ByteStreamSplit);
}

#[test]
fn booleans_in_stretches_become_runs() {
    let mut next = random();
    let stretches = (0..COUNT).map(|row| Some(row / 1000 % 3 == 0));
    let stretches: ArrayRef = Arc::new(BooleanArray::from_iter(stretches));
    let coins: Vec<Option<bool>> = (0..COUNT).map(|_| Some(next().is_multiple_of(2))).collect();
    let coins: ArrayRef = Arc::new(BooleanArray::from(coins));
    for compression in ["none", "zstd:1"] {
        let among = [Encoding::Plain, Encoding::Rle];
        let chosen = assert_close_to_best("stretches", &stretches, compression, &among);
        assert_eq!(chosen, Encoding::Rle, "{compression}");
        assert_close_to_best("coins", &coins, compression, &among);
    }
    let old = options("none").with_readers("trino".parse().unwrap());
    assert_eq!(written(&stretches, old).1, Encoding::Plain);
}

#[test]
fn what_is_asked_for_wins() {
    let column = &float_columns()[0].1;
    let dictionary = ColumnOptions::default().with_encoding(Encoding::Dictionary);
    let asked = options("zstd:1").with_column("x", dictionary);
    assert_eq!(written(column, asked).1, Encoding::Dictionary);
    // This applies even if the readers cannot read it.
    let split = options("zstd:1")
        .with_readers("spark>=4.2".parse().unwrap())
        .with_encoding(Encoding::ByteStreamSplit);
    assert_eq!(written(column, split).1, Encoding::ByteStreamSplit);
}

/// Maximum size for each goal, relative to the smallest. `PAGES` adds what the best page size saves.
const ALLOWANCES: [(Goal, f64); 3] = [
    (Goal::Balanced, 1.01),
    (Goal::Read, 1.06),
    (Goal::Write, 1.06),
];
const PAGES: f64 = 1.02;
/// Size in bytes of the header and levels of an additional page, which may be needed where a dictionary
/// grows.
const PAGE: f64 = 80.0;

#[test]
fn speed_costs_no_more_than_allowed() {
    for (name, column) in float_columns() {
        for compression in ["none", "zstd:1"] {
            let size = |goal| written(&column, options(compression).with_goal(goal)).0 as f64;
            let least = size(Goal::Size);
            for (goal, allowance) in ALLOWANCES {
                let size = size(goal);
                let most = least * allowance * PAGES + PAGE;
                assert!(
                    size <= most,
                    "{name}, {compression}, {goal}: {size} of {least}"
                );
            }
        }
    }
}

#[test]
fn goals_differ() {
    // Nearly half of the values are distinct: a dictionary saves 3%.
    let mut next = random();
    let distinct: Vec<f32> = (0..47_000).map(|_| next() as f32).collect();
    let values = (0..COUNT).map(|index| distinct[index % distinct.len()]);
    let column: ArrayRef = Arc::new(Float32Array::from_iter_values(values));
    let chosen = |goal| written(&column, options("none").with_goal(goal)).1;
    assert_eq!(chosen(Goal::Size), Encoding::Dictionary);
    // BYTE_STREAM_SPLIT would take as many bytes.
    assert_eq!(chosen(Goal::Write), Encoding::Plain);
}

#[test]
fn a_choice_is_repeated_only_while_values_are_alike() {
    const ROWS: i64 = 100_000;
    let mut next = random();
    let mut few = || -> Vec<i64> { (0..ROWS).map(|_| (next() % 500) as i64 * 7919).collect() };
    let groups = [
        few(),
        few(),
        (0..ROWS).map(|row| row * row / 1000).collect(),
        few(),
    ];
    let mut all = random();
    let all: Vec<i64> = (0..ROWS).map(|_| all().cast_signed()).collect();
    let groups: Vec<ArrayRef> = groups
        .into_iter()
        .chain([all.clone(), all])
        .map(|values| Arc::new(Int64Array::from(values)) as ArrayRef)
        .collect();
    for compression in ["none", "zstd:1"] {
        let compression = parse_compression(compression).unwrap();
        let options = WriterOptions::default().with_compression(compression);
        let batch =
            |column: &ArrayRef| RecordBatch::try_from_iter([("x", Arc::clone(column))]).unwrap();
        let schema = batch(&groups[0]).schema();
        let mut writer = Writer::try_new(Vec::new(), schema, options.clone()).unwrap();
        for column in &groups {
            writer.write(&batch(column)).unwrap();
            writer.flush().unwrap();
        }
        let together = writer.close().unwrap();
        for (index, column) in groups.iter().enumerate() {
            let (alone, encoding) = written(column, options.clone());
            assert_eq!(together.encodings[index], [encoding], "{index}");
            let size = together
                .metadata
                .row_group(index)
                .column(0)
                .compressed_size();
            assert!(size <= alone + alone / 100, "{index}: {size} of {alone}");
        }
    }
}

#[test]
fn threads_that_share_a_column_write_the_same_file() {
    let mut next = random();
    let texts = (0..400_000).map(|_| format!("{:020}", next()));
    let texts: ArrayRef = Arc::new(texts.map(Some).collect::<StringArray>());
    let numbers: ArrayRef = Arc::new(Int32Array::from_iter_values(0..400_000));
    let batch = RecordBatch::try_from_iter([("text", texts), ("number", numbers)]).unwrap();
    let file = |threads: usize| {
        let options = WriterOptions::default().with_threads(threads.try_into().unwrap());
        let mut writer = Writer::try_new(Vec::new(), batch.schema(), options).unwrap();
        writer.write(&batch).unwrap();
        writer.into_inner().unwrap()
    };
    let alone = file(1);
    assert!((2..5).all(|threads| file(threads) == alone));
}

#[test]
fn every_type_and_few_rows_have_a_choice() {
    let none = Float64Array::from(vec![None::<f64>; 1000]);
    let columns: Vec<ArrayRef> = vec![
        Arc::new(none),
        Arc::new(Float64Array::from(vec![1.0])),
        Arc::new(Float64Array::from(vec![f64::NAN, -0.0, 0.0, f64::INFINITY])),
        Arc::new(Float64Array::from(Vec::<f64>::new())),
        Arc::new(Int32Array::from(vec![i32::MIN, i32::MAX, 0])),
        Arc::new(Int64Array::from(vec![i64::MIN, i64::MAX, 0, 1, -1])),
        Arc::new(BooleanArray::from(vec![true, false])),
        Arc::new(StringArray::from(vec!["a", "b"])),
        Arc::new(Decimal128Array::from(vec![1, -1, i128::from(i64::MAX)])),
        Arc::new(FixedSizeBinaryArray::try_from_iter([[1_u8; 20], [2; 20]].iter()).unwrap()),
        // No values at all.
        Arc::new(DictionaryArray::<Int32Type>::from_iter([None::<&str>; 9])),
    ];
    for column in &columns {
        for compression in ["none", "zstd:1", "gzip", "brotli:1"] {
            for goal in Goal::ALL {
                let options = options(compression).with_goal(*goal);
                let endless = options.clone().with_max_rows_per_page(usize::MAX);
                let endless = endless.with_data_page_size(usize::MAX);
                for options in [options, endless] {
                    assert_ne!(written(column, options).1, Encoding::Auto);
                }
            }
            // Write it in one row group, and in many arrays.
            let batch = RecordBatch::try_from_iter_with_nullable([("x", Arc::clone(column), true)])
                .unwrap();
            let mut writer =
                Writer::try_new(Vec::new(), batch.schema(), options(compression)).unwrap();
            (0..10).for_each(|_| writer.write(&batch).unwrap());
            writer.close().unwrap();
        }
    }
}
