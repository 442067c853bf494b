//! Tests pages with every pair of an exponent and a factor, and integers of all sizes.

use super::{bits, random, theirs};
use bytelane::alp::{self, Float};
use bytelane::{Backend, Detected};
use bytemuck::Pod;
use parquet::data_type::{DataType, DoubleType, FloatType};

/// Number of values in a vector.
const VECTOR: usize = 64;

/// Common interface of both types.
trait Number: Float + Pod {
    const MOST: u8;

    fn integer(i: i64) -> i64;

    /// Returns the value according to the specification.
    fn value(integer: i64, factor: u8, exponent: u8) -> Self;

    fn bytes(self) -> Vec<u8>;

    /// Returns numbers that are exceptions.
    fn special() -> Vec<Self>;
}

macro_rules! numbers {
    ($($Float:ident, $Integer:ident, $most:literal, [$($nan:literal)*];)*) => { $(
        impl Number for $Float {
            const MOST: u8 = $most;

            fn integer(i: i64) -> i64 {
                i64::from(i as $Integer)
            }

            fn value(integer: i64, factor: u8, exponent: u8) -> Self {
                let power = |sign: &str, digits: u8| -> Self {
                    format!("1e{sign}{digits}").parse().expect("a number")
                };
                integer as Self * power("", factor) * power("-", exponent)
            }

            fn bytes(self) -> Vec<u8> {
                self.to_le_bytes().to_vec()
            }

            fn special() -> Vec<Self> {
                let infinite = [Self::INFINITY, Self::NEG_INFINITY, Self::MAX, Self::MIN];
                let small = [-0.0, Self::MIN_POSITIVE, Self::from_bits(1), -Self::from_bits(1)];
                let nan = [$(Self::from_bits($nan)),*];
                [&infinite[..], &small, &nan].concat()
            }
        }
    )* };
}
numbers! {
    f32, i32, 10, [0x7fc0_0000 0xffc0_0001 0x7f80_0001 0x7fff_ffff];
    f64, i64, 18, [0x7ff8_0000_0000_0000 0xfff8_0000_0000_0001 0x7ff0_0000_0000_0001 0x7fff_ffff_ffff_ffff];
}

/// Returns integers of several ranges: small ones, values around 2^53, and the widest.
fn integers<T: Number>(range: usize, seed: u64) -> Vec<i64> {
    let integer = |i: u64| {
        let bits = random(seed + i).cast_signed();
        match range {
            0 => bits >> 54,
            1 => (1 << 53) - 9 + (bits & 31),
            2 => -(1 << 53) - 20 + (bits & 31),
            3 => (1 << 24) - 9 + (bits & 31),
            4 => bits >> (i % 64),
            _ => [i64::MAX, i64::MIN, 0, 1, -1][i as usize % 5].wrapping_sub(bits & 3),
        }
    };
    (0..VECTOR as u64).map(integer).map(T::integer).collect()
}

/// Packs numbers of `width` bits, from the least significant bit of each byte on.
fn packed(numbers: &[u64], width: u32) -> Vec<u8> {
    let mut bytes = vec![0; (numbers.len() * width as usize).div_ceil(8)];
    for (i, number) in numbers.iter().enumerate() {
        for bit in (0..width as usize).filter(|bit| number >> bit & 1 == 1) {
            let at = i * width as usize + bit;
            bytes[at / 8] |= 1 << (at % 8);
        }
    }
    bytes
}

/// Builds a vector according to the specification. Returns it with its values.
fn vector<T: Number>(exponent: u8, factor: u8, range: usize, seed: u64) -> (Vec<u8>, Vec<T>) {
    let integers = integers::<T>(range, seed);
    let mut values: Vec<T> = integers
        .iter()
        .map(|&integer| T::value(integer, factor, exponent))
        .collect();
    let least = *integers.iter().min().expect("it is not empty");
    let difference = |integer: &i64| integer.wrapping_sub(least).cast_unsigned();
    let differences: Vec<u64> = integers.iter().map(difference).collect();
    let most = *differences.iter().max().expect("it is not empty");
    let width = u64::BITS - most.leading_zeros();

    // Every second vector has exceptions.
    let special = if seed.is_multiple_of(2) {
        T::special()
    } else {
        Vec::new()
    };
    let mut bytes = vec![exponent, factor];
    bytes.extend((special.len() as u16).to_le_bytes());
    bytes.extend(&least.to_le_bytes()[..size_of::<T>()]);
    bytes.push(width as u8);
    bytes.extend(packed(&differences, width));
    let positions = (0..special.len()).map(|i| 5 * i + 1);
    for (position, special) in positions.clone().zip(&special) {
        bytes.extend((position as u16).to_le_bytes());
        values[position] = *special;
    }
    special
        .iter()
        .for_each(|special| bytes.extend(special.bytes()));
    (bytes, values)
}

/// Builds a page with a vector for each pair and range. Returns it with its values.
fn page<T: Number>() -> (Vec<u8>, Vec<T>) {
    let (mut offsets, mut vectors, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for exponent in 0..=T::MOST {
        for factor in 0..=exponent {
            for range in 0..6 {
                offsets.push(vectors.len());
                let (bytes, some) = vector::<T>(exponent, factor, range, offsets.len() as u64);
                vectors.extend(bytes);
                values.extend(some);
            }
        }
    }
    let mut page = vec![0, 0, VECTOR.ilog2() as u8];
    page.extend((values.len() as u32).to_le_bytes());
    for offset in &offsets {
        page.extend(((4 * offsets.len() + offset) as u32).to_le_bytes());
    }
    page.extend(vectors);
    (page, values)
}

fn every_pair<T: DataType>()
where
    T::T: Number,
{
    let (page, values) = page::<T::T>();
    let theirs = theirs::decode::<T>(&page, values.len()).expect("a page");
    assert!(bits(&theirs) == bits(&values), "by the crate parquet");
    for backend in Backend::available() {
        let detected = Detected::new(backend).expect("it is available");
        let mut ours = vec![values[0]; values.len()];
        let (_, read) = alp::decode_with(detected, &page, &mut ours[..]).expect("the same page");
        assert_eq!(read, page.len());
        assert!(bits(&ours) == bits(&values), "{backend}");
    }
}

#[test]
fn every_pair_of_f32_decodes_alike() {
    every_pair::<FloatType>();
}

#[test]
fn every_pair_of_f64_decodes_alike() {
    every_pair::<DoubleType>();
}
