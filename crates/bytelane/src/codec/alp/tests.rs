//! Compares every backend with the definition.

use super::*;
use crate::grid::thinned;
use crate::{Backend, DestinationError, Detected, memory};
use core::mem::MaybeUninit;
use std::vec::Vec;

fn backends() -> impl Iterator<Item = Detected> {
    Backend::available().map(|backend| Detected::new(backend).unwrap())
}

fn random(i: u64) -> u64 {
    (0x9e37_79b9_7f4a_7c15_u64
        .wrapping_mul(i + 1)
        .rotate_left(31)
        ^ i)
        .wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

/// Constants and conversions of both types, for the tests.
trait Number: Float {
    fn new(value: f64) -> Self;
    fn of_bits(bits: u64) -> Self;
    fn same(values: &[Self], others: &[Self]) -> bool {
        memory::bytes(values) == memory::bytes(others)
    }
}

impl Number for f64 {
    fn new(value: f64) -> Self {
        value
    }
    fn of_bits(bits: u64) -> Self {
        Self::from_bits(bits)
    }
}

impl Number for f32 {
    fn new(value: f64) -> Self {
        value as Self
    }
    fn of_bits(bits: u64) -> Self {
        Self::from_bits(bits as u32)
    }
}

/// Returns lists of different kinds: decimals, integers, random bits, special values, with
/// exceptions in between.
fn lists<T: Number>(count: usize) -> Vec<Vec<T>> {
    let list = |value: &dyn Fn(u64) -> T| (0..count as u64).map(value).collect();
    let special = [
        0.0,
        -0.0,
        1.0,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::MIN_POSITIVE,
        5e-324,
        f64::MAX,
        9007199254740993.0,
        -9223372036854775808.0,
        9223372036854775808.0,
        9223372036854774784.0,
        -2147483648.0,
        2147483648.0,
        2147483520.0,
        2251799813685248.0,
        4503599627370497.0,
        1e16,
        0.1,
        -1e-7,
    ];
    std::vec![
        list(&|i| T::new((random(i) % 100_000) as f64 / 100.0)),
        list(&|i| T::new(-((random(i) % 1000) as f64) / 1000.0)),
        list(&|i| T::new((random(i) % (1 << 20)) as f64 * 1000.0)),
        list(&|i| T::of_bits(random(i))),
        list(&|i| T::new(special[random(i) as usize % special.len()])),
        list(&|i| match random(i) % 50 {
            0 => T::of_bits(random(i + 1)),
            _ => T::new((random(i) % 10_000) as f64 / 10.0),
        }),
        list(&|i| T::new((random(i).cast_signed() >> 3) as f64)),
        list(&|_| T::new(12.5)),
        list(&|i| T::new((random(i) % 4096) as f64 / 4096.0)),
    ]
}

/// Encodes on every backend, expects the same bytes, and decodes them.
fn round_trip<T: Number>(format: Format, values: &[T]) {
    let encoded = format.encode_to_vec(values).unwrap();
    let length = encoded.len();
    let place = std::format!("{format:?}, {} values", values.len());
    assert_eq!(format.encoded_len(values), length, "{place}");
    assert!(
        length <= format.max_encoded_len::<T>(values.len()),
        "{place}"
    );
    assert_eq!(
        validate::<T>(&encoded),
        Ok((values.len(), length)),
        "{place}"
    );
    assert_eq!(stored(&encoded), Ok(values.len()));
    for backend in backends() {
        let place = std::format!("{backend}, {place}");
        // The search takes Miri a second with vectors, and half a minute without them.
        if !cfg!(miri) || *backend != Backend::Scalar {
            let mut again = std::vec![0xa5; length];
            let written = format.encode_with(backend, values, &mut again[..]);
            assert!(written.unwrap() == encoded, "{place}");
            let short = format.encode_with(backend, values, &mut again[..length - 1]);
            let error = ErrorKind::Destination(DestinationError::new(length, length - 1));
            assert_eq!(short.unwrap_err().kind(), error, "{place}");
        }
        for more in [0, 100] {
            let longer = [&encoded[..], &[0xff; 100][..more]].concat();
            let mut read = std::vec![MaybeUninit::<T>::uninit(); values.len()];
            let (read, end) = decode_with(backend, &longer, &mut read[..]).unwrap();
            let differs = (0..read.len()).find(|&i| !T::same(&read[i..=i], &values[i..=i]));
            let differs = differs.map(|i| (i, read[i], values[i]));
            assert!(differs.is_none(), "{place}: {differs:?}");
            assert_eq!(end, length, "{place}");
        }
    }
}

#[test]
fn all_kinds_of_values_in_vectors_of_several_sizes() {
    for vector in thinned([8, 64, 1024, 4096], 1) {
        let format = Format::new(vector).unwrap();
        for count in thinned([0, 1, 7, 8, 9, 17, 65, 100, 1000, 1024, 1025, 5000], 2) {
            let count = if cfg!(miri) { count.min(20) } else { count };
            for list in thinned(lists::<f64>(count), 1) {
                round_trip(format, &list);
            }
            for list in thinned(lists::<f32>(count), 1) {
                round_trip(format, &list);
            }
        }
    }
}

#[test]
fn sizes_of_vectors_that_are_not_allowed() {
    for vector in [0, 1, 4, 12, 1000, 1 << 16, 1 << (usize::BITS - 1)] {
        assert_eq!(Format::new(vector), None, "{vector}");
    }
    assert_eq!(Format::new(1 << 15).unwrap().vector_len(), 32_768);
}

/// All steps of the encoder agree with the specification, for a pair and a block.
fn steps_agree<const K: usize, S: Steps<K>>(
    simd: S,
    pair: Pair,
    limits: [i64; 2],
    block: &[u8; 64],
) {
    let powers = pair.powers::<K>();
    let [mut expected, mut least] = [[0; 64]; 2];
    let specification = scalar::Specification;
    let mut found = Steps::<K>::nothing(specification);
    Steps::<K>::weigh(specification, &powers, &limits, block, &mut found);
    let count = Steps::<K>::count(specification, found);
    let ends = Steps::<K>::ends(specification, found);

    let (mine, within) = (powers.in_steps(simd), simd.limits(limits));
    let mut simd_found = simd.nothing();
    simd.weigh(&mine, &within, block, &mut simd_found);
    assert_eq!(
        simd.count(simd_found),
        count,
        "{pair:?}, {limits:?}, {block:?}"
    );
    let simd_ends = simd.ends(simd_found);
    if ends[0] > ends[1] {
        assert!(
            simd_ends[0] > simd_ends[1],
            "{pair:?}, {limits:?}, {block:?}"
        )
    } else {
        assert_eq!(simd_ends, ends, "{pair:?}, {limits:?}, {block:?}")
    }
    let exceptions = scalar::integers::<K>(&powers, &limits, 5, block, &mut expected);
    assert_eq!(64 / K - exceptions.count_ones() as usize, count);
    let power = pair::up::<K>(pair.exponent - pair.factor);
    let likely = Steps::<K>::likely(specification, power, block);
    assert_eq!(
        likely | exceptions,
        u32::MAX >> (32 - 64 / K),
        "{pair:?}, {block:?}"
    );
    assert_eq!(simd.likely(power, block), likely, "{pair:?}, {block:?}");
    let is_small = ends[0] > -(1 << 51) && ends[1] < 1 << 51;
    if is_small || S::BIAS == 0 {
        let other = S::BIAS.wrapping_add(5);
        assert_eq!(
            simd.integers(&mine, &within, other, block, &mut least),
            exceptions,
            "{pair:?}, {limits:?}, {block:?}"
        );
        for (a, b) in least
            .as_chunks::<K>()
            .0
            .iter()
            .zip(expected.as_chunks::<K>().0)
        {
            use crate::codec::bit_packing::from_ne_bytes;
            let unbiased = from_ne_bytes(*a).wrapping_sub(S::BIAS);
            assert_eq!(
                unbiased,
                from_ne_bytes(*b),
                "{pair:?}, {limits:?}, {block:?}"
            );
        }
    }
}

dispatch! {
    fn steps<const K: usize>(pair: Pair, block: &[u8; 64]) = steps_of::<K, _>, or no_steps;
}

fn steps_of<const K: usize, S: Steps<K>>(simd: S, pair: Pair, block: &[u8; 64]) {
    let limits = [widest::<K>(), [-100, 1000], [5, 5], [1 << 20, 1 << 30]];
    for limits in thinned(limits, 2) {
        steps_agree::<K, S>(simd, pair, limits, block);
    }
}

fn no_steps(_: Pair, _: &[u8; 64]) {}

#[test]
fn every_pair_finds_the_same_integers_on_every_backend() {
    fn all<const K: usize, T: Number>() {
        let lists = lists::<T>(if cfg!(miri) { 16 } else { 160 });
        for list in thinned(lists, 2) {
            let mut near: Vec<T> = list.clone();
            // Multiples of powers of ten, and their neighbours.
            near.extend((0..64).map(|i| T::new(10f64.powi(i / 2 - 12) * f64::from(i + 1))));
            for block in thinned(memory::bytes(&near).as_chunks::<64>().0.to_vec(), 2) {
                for exponent in thinned(0..=pair::most::<K>(), 3) {
                    for factor in thinned(0..=exponent, 2) {
                        for backend in backends() {
                            // 8-byte numbers are multiplied once.
                            for is_double in
                                [false, true].into_iter().take(if K == 4 { 2 } else { 1 })
                            {
                                let pair = Pair {
                                    exponent,
                                    factor,
                                    is_double,
                                };
                                steps::<K>(pair, &block, backend);
                            }
                        }
                    }
                }
            }
        }
    }
    all::<4, f32>();
    all::<8, f64>();
}

/// Builds a page of one vector, as the specification lays it out.
fn page(
    pair: [u8; 2],
    frame: &[u8],
    width: u8,
    packed: &[u8],
    exceptions: &[(u16, u64)],
) -> Vec<u8> {
    let mut page = std::vec![0, 0, 10, 4, 0, 0, 0, 4, 0, 0, 0];
    page.extend(pair);
    page.extend((exceptions.len() as u16).to_le_bytes());
    page.extend(frame);
    page.push(width);
    page.extend(packed);
    exceptions
        .iter()
        .for_each(|(position, _)| page.extend(position.to_le_bytes()));
    exceptions
        .iter()
        .for_each(|(_, value)| page.extend(&value.to_le_bytes()[..frame.len()]));
    page
}

#[test]
fn vectors_of_exceptions_alone_in_any_order() {
    for order in [[0, 1, 2, 3], [3, 1, 2, 0], [0, 1, 2, 2]] {
        let exceptions = order.map(|i| (i, f64::from(10 * i).to_bits()));
        let page = page([0, 0], &7u64.to_le_bytes(), 0, &[], &exceptions);
        let expected: Vec<f64> = (0..4)
            .map(|i| {
                if order.contains(&i) {
                    f64::from(10 * i)
                } else {
                    7.0
                }
            })
            .collect();
        for backend in backends() {
            for first in 0..4 {
                let mut values = [0.0; 4];
                let values = &mut values[first..];
                let read = decode_range_with(backend, &page, first..4, &mut *values).unwrap();
                assert_eq!(read, &expected[first..], "{backend}, {order:?}");
            }
        }
    }
}

#[test]
fn the_example_of_the_specification() {
    let integers = [11665u64, 11665, 21665, 0];
    let packed = integers
        .iter()
        .rev()
        .fold(0, |packed, integer| packed << 15 | integer);
    let example = page(
        [4, 3],
        &3335i64.to_le_bytes(),
        15,
        &packed.to_le_bytes(),
        &[(1, f64::NAN.to_bits())],
    );
    assert_eq!(example.len(), 7 + 4 + 31);
    let (values, read) = decode_to_vec::<f64>(&example, 4).unwrap();
    assert!(f64::same(&values, &[1500.0, f64::NAN, 2500.0, 333.5]));
    assert_eq!(read, example.len());
    // The encoder finds integers that are just as short.
    assert_eq!(encode_to_vec(&values).unwrap().len(), example.len());
}

#[test]
fn every_frame_and_width_is_converted_exactly() {
    let frames = [
        0,
        1,
        -1,
        1 << 51,
        -1 << 51,
        (1 << 51) - 1,
        1 << 53,
        i64::MAX,
        i64::MIN,
        i64::MAX - 1000,
    ];
    for frame in thinned(frames, 3) {
        for width in thinned([0, 1, 7, 10, 25, 31, 32, 50, 51, 52, 57, 58, 63, 64u32], 3) {
            let packed: Vec<u8> = (0..width.div_ceil(2))
                .map(|i| random(u64::from(i)) as u8)
                .collect();
            for pair in [[0, 0], [14, 12], [18, 0]] {
                let wide = page(pair, &frame.to_le_bytes(), width as u8, &packed, &[]);
                check_against_scalar::<f64>(&wide);
                if width <= 32 {
                    let pair = pair.map(|power| power.min(10));
                    let narrow = page(
                        pair,
                        &(frame as i32).to_le_bytes(),
                        width as u8,
                        &packed,
                        &[],
                    );
                    check_against_scalar::<f32>(&narrow);
                }
            }
        }
    }
}

fn check_against_scalar<T: Number>(page: &[u8]) {
    let scalar = Detected::new(Backend::Scalar).unwrap();
    let [mut expected, mut read] = [[T::default(); 4]; 2];
    decode_with(scalar, page, &mut expected[..]).unwrap();
    for backend in backends() {
        decode_with(backend, page, &mut read[..]).unwrap();
        assert!(T::same(&read, &expected), "{backend}: {page:?}");
    }
}

#[test]
fn ranges_begin_and_end_anywhere() {
    let format = Format::new(128).unwrap();
    for values in thinned(lists::<f32>(700), 1) {
        let encoded = format.encode_to_vec(&values).unwrap();
        for backend in backends() {
            for start in thinned([0, 1, 7, 8, 100, 127, 128, 129, 300, 511, 699, 700], 3) {
                for count in thinned([0, 1, 5, 30, 128, 333], 2) {
                    let end = usize::min(start + count, 700);
                    let mut read = [0.0; 333];
                    let read = decode_range_with(backend, &encoded, start..end, &mut read[..]);
                    let read = read.unwrap();
                    assert!(
                        f32::same(read, &values[start..end]),
                        "{backend}, {start}..{end}"
                    );
                }
            }
        }
    }
    let (start, end) = (3, 2);
    let error = decode_range::<f32>(&[], start..end, &mut []).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Range { start, end });
}

#[test]
fn an_estimate_is_near_the_length() {
    for values in thinned(lists::<f64>(if cfg!(miri) { 500 } else { 30_000 }), 1) {
        let estimate = estimated_len(&values);
        let length = Format::STANDARD.encoded_len(&values);
        assert!(
            estimate.abs_diff(length) < length / 20,
            "{estimate} for {length}"
        );
    }
}

/// Returns the error of decoding all values, which must be the same on every backend.
fn error<T: Number>(page: &[u8], count: usize) -> (Option<usize>, ErrorKind) {
    let mut errors: Vec<Error> = Vec::new();
    for backend in backends() {
        let mut values = std::vec![T::default(); count];
        errors.push(decode_with(backend, page, &mut values[..]).unwrap_err());
        assert_eq!(errors[0], errors[errors.len() - 1], "{backend}");
    }
    assert_eq!(decode_to_vec::<T>(page, count), Err(errors[0]));
    (errors[0].offset(), errors[0].kind())
}

#[test]
fn what_is_malformed_is_refused() {
    let good = encode_to_vec(&[1.5f64, 2.5, f64::NAN]).unwrap();
    let with = |place: usize, byte| {
        let mut page = good.clone();
        page[place] = byte;
        page
    };
    assert_eq!(error::<f64>(&good, 4).1, ErrorKind::Count { values: 3 });
    for length in thinned(0..good.len(), 6) {
        let (place, kind) = error::<f64>(&good[..length], 3);
        let begins = [0, 7, 11][usize::from(length >= 7) + usize::from(length >= 11)];
        assert_eq!(
            (place, kind),
            (Some(begins), ErrorKind::Truncated),
            "{length}"
        );
    }
    let cases = [
        (0, 1, ErrorKind::Mode { mode: 1 }),
        (1, 7, ErrorKind::Mode { mode: 7 }),
        (2, 2, ErrorKind::VectorSize { logarithm: 2 }),
        (2, 16, ErrorKind::VectorSize { logarithm: 16 }),
        (2, 255, ErrorKind::VectorSize { logarithm: 255 }),
        (6, 0x80, ErrorKind::Negative),
        (7, 3, ErrorKind::Offset { stored: 3 }),
        (7, 5, ErrorKind::Offset { stored: 5 }),
        (
            11,
            19,
            ErrorKind::Exponent {
                exponent: 19,
                factor: good[12],
            },
        ),
        (
            12,
            20,
            ErrorKind::Exponent {
                exponent: good[11],
                factor: 20,
            },
        ),
        (13, 4, ErrorKind::Exceptions { exceptions: 4 }),
        (23, 65, ErrorKind::Width { width: 65 }),
    ];
    for (place, byte, kind) in cases {
        let (found, error) = error::<f64>(&with(place, byte), 3);
        assert_eq!(error, kind);
        let at = match kind {
            ErrorKind::Negative => 3,
            ErrorKind::Exponent { .. } => 11,
            _ => place,
        };
        assert_eq!(found, Some(at), "{kind:?}");
    }
    let position = good.len() - 10;
    let kind = ErrorKind::Position { position: 3 };
    assert_eq!(error::<f64>(&with(position, 3), 3), (Some(position), kind));
    // More exceptions than the input has room for.
    assert_eq!(
        error::<f64>(&with(13, 2), 3),
        (Some(11), ErrorKind::Truncated)
    );
}

#[test]
fn vectors_that_overlap_or_leave_gaps_are_refused() {
    let format = Format::new(8).unwrap();
    let good = format.encode_to_vec(&[0.5f32; 24]).unwrap();
    assert_eq!(good.len(), 7 + 3 * (4 + 9));
    for (vector, stored) in [
        (1, 12u32),
        (1, 20),
        (1, 22),
        (2, 21),
        (2, 31),
        (2, u32::MAX),
    ] {
        let mut page = good.clone();
        page[7 + 4 * vector..][..4].copy_from_slice(&stored.to_le_bytes());
        let place = Some(7 + 4 * vector);
        assert_eq!(
            error::<f32>(&page, 24),
            (place, ErrorKind::Offset { stored })
        );
        assert_eq!(validate::<f32>(&page).unwrap_err().offset(), place);
    }
    // A vector past the end is noticed when it is read, even alone.
    let mut page = good.clone();
    page[15..19].copy_from_slice(&1000u32.to_le_bytes());
    let read = decode_range::<f32>(&page, 20..21, &mut [0.0]);
    assert_eq!(read.unwrap_err().kind(), ErrorKind::Offset { stored: 1000 });
}

#[test]
fn appending_does_not_change_what_is_there() {
    let mut page = std::vec![1, 2, 3];
    assert_eq!(
        encode_append(&[0.25f32, 0.5], &mut page),
        Ok(page.len() - 3)
    );
    let mut values = std::vec![7.0f32];
    assert_eq!(
        decode_append(&page[3..], 2, &mut values),
        Ok(page.len() - 3)
    );
    assert_eq!(values, [7.0, 0.25, 0.5]);
    assert!(decode_append(&page[3..], 3, &mut values).is_err());
    assert_eq!(values.len(), 3);
}
