//! Tests ALP pages exchanged with the crate `parquet`: each side reads the other's pages, bit for bit.

mod pairs;
mod theirs;

use bytelane::alp::{self, Float, Format};
use bytemuck::Pod;
use parquet::data_type::{DataType, DoubleType, FloatType};
use proptest::prelude::*;
use std::fs;
use std::path::Path;

fn bits<T: Pod>(values: &[T]) -> &[u8] {
    bytemuck::cast_slice(values)
}

/// Reads the pages that `parquet` writes of values, and has it read those of bytelane. Returns the size of
/// all pages, ours and theirs.
fn exchange<T: DataType>(values: &[T::T], format: Format) -> [usize; 2]
where
    T::T: Float + Pod,
{
    let mut bytes = [0; 2];
    let mut read: Vec<T::T> = Vec::new();
    for (theirs, count) in theirs::encode::<T>(values, 5000) {
        assert_eq!(alp::validate::<T::T>(&theirs), Ok((count, theirs.len())));
        alp::decode_append(&theirs, count, &mut read).expect("a page of the other encoder");
        let page = &read[read.len() - count..];
        let ours = format.encode_to_vec(page).expect("a small page");
        let again = theirs::decode::<T>(&ours, count).expect("a page of bytelane");
        assert!(bits(&again) == bits(page), "{format:?}: the bits");
        bytes = [bytes[0] + ours.len(), bytes[1] + theirs.len()];
    }
    assert!(bits(&read) == bits(values), "the bits of all values");
    bytes
}

fn random(i: u64) -> u64 {
    (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31)
}

#[test]
fn bytelane_reads_what_the_crate_parquet_writes_and_writes_no_more() {
    let kinds: [&dyn Fn(u64) -> f64; 6] = [
        &|i| (random(i) % 100_000) as f64 / 100.0,
        &|i| -((random(i) % 1_000_000) as f64),
        &|i| f64::from_bits(random(i)),
        &|i| {
            [
                f64::NAN,
                -0.0,
                0.1,
                f64::INFINITY,
                5e-324,
                9_007_199_254_740_993.0,
            ][i as usize % 6]
        },
        &|i| {
            if i % 40 == 0 {
                f64::NAN
            } else {
                (i % 777) as f64 / 8.0
            }
        },
        &|_| 2.5,
    ];
    for kind in kinds {
        for count in [1, 7, 1024, 1025, 20_000] {
            let values: Vec<f64> = (0..count).map(kind).collect();
            let doubles = exchange::<DoubleType>(&values, Format::STANDARD);
            let values: Vec<f32> = values.iter().map(|&value| value as f32).collect();
            let floats = exchange::<FloatType>(&values, Format::STANDARD);
            for [ours, theirs] in [doubles, floats] {
                assert!(ours <= theirs, "{ours} bytes for {theirs}");
            }
        }
    }
}

/// Generates decimals of up to nine digits after the point, integers of all sizes, and arbitrary bits.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => (any::<i32>(), 0..32u32, 0..10i32)
            .prop_map(|(digits, shift, point)| f64::from(digits >> shift) / 10f64.powi(point)),
        1 => (any::<i64>(), 0..64u32).prop_map(|(integer, shift)| (integer >> shift) as f64),
        1 => any::<u64>().prop_map(f64::from_bits),
    ]
}

/// Generates decimals with the same number of digits after the point, some of them replaced by arbitrary
/// numbers.
fn decimals() -> impl Strategy<Value = Vec<f64>> {
    (0..10i32, 0..31u32, 0..20usize).prop_flat_map(|(point, shift, other)| {
        let decimal =
            any::<i32>().prop_map(move |digits| f64::from(digits >> shift) / 10f64.powi(point));
        let step = [usize::MAX, 7, 50, 300][other % 4];
        (
            prop::collection::vec(decimal, 0..3000),
            prop::collection::vec(number(), 1..30),
        )
            .prop_map(move |(mut values, others)| {
                let places = values.iter_mut().skip(3).step_by(step);
                places.zip(others).for_each(|(value, other)| *value = other);
                values
            })
    })
}

fn lists() -> impl Strategy<Value = Vec<f64>> {
    prop_oneof![decimals(), prop::collection::vec(number(), 0..3000)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 2 } else { 100 }))]

    #[test]
    fn each_reads_what_the_other_writes(values in lists(), logarithm in 3..16u32) {
        let format = Format::new(1 << logarithm).expect("a power of two");
        exchange::<DoubleType>(&values, format);
        let values: Vec<f32> = values.iter().map(|&value| value as f32).collect();
        exchange::<FloatType>(&values, format);
    }
}

/// Returns decimals with exceptions, integers and random bits, in vectors of all three kinds.
fn golden<T: Pod>(of: fn(f64) -> T, of_bits: fn(u64) -> T) -> Vec<T> {
    let value = |i: u64| match (i / 1000, random(i) % 40) {
        (0, 0) => of_bits(random(i + 1)),
        (0, _) => of((random(i) % 100_000) as f64 / 100.0),
        (1, 0) => of(-0.0),
        (1, _) => of((random(i) % (1 << 20)) as f64 * 1000.0 - 1e8),
        _ => of_bits(random(i)),
    };
    (0..3000).map(value).collect()
}

/// Compares with a golden file. `BYTELANE_WRITE_GOLDEN=1` writes the files.
fn assert_golden<T: DataType>(name: &str, values: &[T::T], format: Format)
where
    T::T: Float + Pod,
{
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/golden/alp");
    let path = |extension: &str| directory.join(format!("{name}.{extension}"));
    // The crate `parquet` chooses the size of vectors itself.
    let is_theirs = format == Format::STANDARD;
    if std::env::var_os("BYTELANE_WRITE_GOLDEN").is_some() {
        let ours = format.encode_to_vec(values).expect("a small page");
        fs::write(path("values"), bits(values)).expect("a file");
        fs::write(path("bytes"), ours).expect("a file");
        if is_theirs {
            let pages = theirs::encode::<T>(values, values.len());
            let [(page, _)] = &pages[..] else {
                panic!("not one page");
            };
            fs::write(path("parquet"), page).expect("a file");
        }
    }
    assert!(fs::read(path("values")).expect("a file") == bits(values));
    for extension in ["bytes", "parquet"].iter().take(1 + usize::from(is_theirs)) {
        let page = fs::read(path(extension)).expect("a file");
        let again = theirs::decode::<T>(&page, values.len()).expect("a page");
        assert!(bits(&again) == bits(values), "{name}.{extension}");
    }
}

#[test]
#[cfg(target_endian = "little")]
fn the_crate_parquet_reads_the_golden_pages() {
    let doubles = golden(|value| value, f64::from_bits);
    assert_golden::<DoubleType>("type=f64", &doubles, Format::STANDARD);
    let floats = golden(|value| value as f32, |bits| f32::from_bits(bits as u32));
    assert_golden::<FloatType>("type=f32", &floats, Format::STANDARD);
    let small = Format::new(64).expect("a power of two");
    assert_golden::<FloatType>("type=f32,vector=64", &floats, small);
}
