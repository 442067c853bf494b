//! Compares every backend with the specification: all variants and transforms, truncated streams,
//! and the cursor against plain decoding.

use super::*;
use crate::Backend;
use crate::grid::thinned;
use core::mem::MaybeUninit;
use std::vec::Vec;

fn backends() -> impl Iterator<Item = Detected> {
    Backend::available().map(|backend| Detected::new(backend).unwrap())
}

fn scalar() -> Detected {
    Detected::new(Backend::Scalar).unwrap()
}

/// Returns numbers of all lengths up to `bits` bits.
fn numbers(count: usize, bits: u32) -> Vec<u64> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(u64::from(bits) + 1);
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut number = |_| next() >> (64 - bits) >> (next() % u64::from(bits));
    (0..count).map(&mut number).collect()
}

fn formats<T: Integer>(plain: &[Format<T>], start: T) -> Vec<Format<T>> {
    let mut formats = Vec::new();
    for &plain in plain {
        let delta = plain.delta(start);
        formats.extend([plain, delta, plain.zigzag(), delta.zigzag()]);
    }
    formats
}

/// Calls `test` with formats and values of every kind.
fn each(counts: impl Iterator<Item = usize> + Clone, test: impl Test) {
    let lengths = [32, 8, 16, 64];
    for count in counts {
        for (kind, bits) in thinned(lengths.into_iter().enumerate(), 1) {
            let values = numbers(count, bits);
            let narrow: Vec<u32> = values.iter().map(|&value| value as u32).collect();
            for format in formats(&[Format::V1234, Format::V0124], 77 * kind as u32) {
                test.run(format, &narrow);
            }
            let signed: Vec<i32> = narrow.iter().map(|&value| value as i32).collect();
            test.run(Format::V1234.zigzag(), &signed);
            for format in formats(&[Format::V1248], 77 * kind as u64) {
                test.run(format, &values);
            }
            let signed: Vec<i64> = values.iter().map(|&value| value as i64).collect();
            test.run(Format::V1248.delta(-5).zigzag(), &signed);
        }
    }
}

trait Test {
    fn run<T: Integer>(&self, format: Format<T>, values: &[T]);
}

fn encoded<T: Integer>(backend: Detected, format: Format<T>, values: &[T]) -> Vec<u8> {
    let mut room = std::vec![MaybeUninit::uninit(); format.max_encoded_len(values.len())];
    let written = format.encode_with(backend, values, &mut room[..]);
    written.unwrap().to_vec()
}

fn decoded<T: Integer>(
    backend: Detected,
    format: Format<T>,
    src: &[u8],
    count: usize,
) -> Result<(Vec<T>, usize), Error> {
    let mut room = std::vec![MaybeUninit::uninit(); count];
    let (values, read) = format.decode_with(backend, src, &mut room[..])?;
    Ok((values.to_vec(), read))
}

#[test]
fn the_example_of_the_classic() {
    let ids: [u32; 8] = [0, 100, 200, 300, 400, 500, 600, 700];
    let bytes = [
        0x40, 0x55, 0x00, 0x64, 0xc8, 0x2c, 0x01, 0x90, 0x01, 0xf4, 0x01, 0x58, 0x02, 0xbc, 0x02,
    ];
    for backend in backends() {
        assert_eq!(encoded(backend, Format::V1234, &ids), bytes, "{backend:?}");
    }
}

#[test]
fn zigzag_alternates_signs() {
    let values = [0, -1, 1, -2, 2, i32::MAX, i32::MIN];
    let mut bytes = std::vec![0x00, 0b11_1100, 0, 1, 2, 3, 4];
    bytes.extend(0xffff_fffe_u32.to_le_bytes());
    bytes.extend(0xffff_ffff_u32.to_le_bytes());
    for backend in backends() {
        assert_eq!(
            encoded(backend, Format::V1234.zigzag(), &values),
            bytes,
            "{backend:?}"
        );
    }
}

struct RoundTrip;
impl Test for RoundTrip {
    fn run<T: Integer>(&self, format: Format<T>, values: &[T]) {
        let expected = encoded(scalar(), format, values);
        let followed = [&expected[..], &[0xff; 200]].concat();
        for backend in backends() {
            let place = std::format!("{backend:?}, {format:?}, {} values", values.len());
            assert!(
                encoded(backend, format, values) == expected,
                "encode, {place}"
            );
            let length = format.encoding(backend, values).len();
            assert_eq!(length, expected.len(), "{place}");
            let mut exact = std::vec![0x55; expected.len()];
            let written = format.encode_with(backend, values, &mut exact[..]);
            assert!(
                written.unwrap() == expected,
                "encode to an exact slice, {place}"
            );

            for (src, what) in [(&expected, "decode"), (&followed, "with bytes behind")] {
                let (decoded, read) = decoded(backend, format, src, values.len()).unwrap();
                assert_eq!(read, expected.len(), "{what}, {place}");
                assert!(decoded == values, "{what}, {place}");
            }
            let valid = format.validate_with(backend, &expected, values.len());
            assert_eq!(valid, Ok(expected.len()), "{place}");
        }
    }
}

#[test]
fn every_backend_does_what_the_specification_says() {
    let counts = [67].into_iter().chain(0..=140);
    let counts = counts.chain([255, 256, 257, 511, 515, 1025, 5003]);
    each(thinned(counts, 1).into_iter(), RoundTrip);
}

struct Short;
impl Test for Short {
    fn run<T: Integer>(&self, format: Format<T>, values: &[T]) {
        let whole = encoded(scalar(), format, values);
        let mut room = std::vec![0; whole.len()];
        for length in thinned(0..whole.len(), 3) {
            let cut = &whole[..length];
            let expected = decoded(scalar(), format, cut, values.len()).unwrap_err();
            assert!(expected.offset().is_some_and(|offset| offset <= length));
            for backend in backends() {
                let place = std::format!("{backend:?}, {format:?}, {length} bytes");
                let error = decoded(backend, format, cut, values.len()).unwrap_err();
                assert_eq!(error, expected, "{place}");
                let error = format.validate_with(backend, cut, values.len());
                assert_eq!(error, Err(expected), "{place}");
                let error = format.encode_with(backend, values, &mut room[..length]);
                let too_small = DestinationError::new(whole.len(), length);
                assert_eq!(error, Err(too_small), "{place}");
            }
        }
    }
}

#[test]
fn what_is_cut_short_names_the_place() {
    each(thinned([31, 1, 4, 7, 66, 130], 1).into_iter(), Short);
}

struct Cursors;
impl Test for Cursors {
    fn run<T: Integer>(&self, format: Format<T>, values: &[T]) {
        let encoded = encoded(scalar(), format, values);
        for backend in backends() {
            let place = std::format!("{backend:?}, {format:?}, {} values", values.len());
            let mut cursor = format.cursor_with(backend, &encoded, values.len()).unwrap();
            let mut places = Vec::new();
            let mut piece = std::vec![T::ZERO; values.len() + 1];
            for length in [0, 1, 2, 3, 4, 5, 16, 29, 64, 67, 200, 1]
                .into_iter()
                .cycle()
            {
                places.push(cursor.checkpoint());
                let at = cursor.index();
                let read = cursor
                    .decode(&mut piece[..usize::min(length, values.len())])
                    .unwrap();
                assert_eq!(piece[..read], values[at..at + read], "{place}, from {at}");
                assert_eq!(cursor.remaining(), values.len() - at - read);
                if cursor.remaining() == 0 {
                    break;
                }
            }
            assert_eq!(cursor.checkpoint().offset, encoded.len(), "{place}");
            for &there in places.iter().rev() {
                cursor.resume(there).unwrap();
                let read = cursor
                    .decode(&mut piece[..usize::min(3, values.len())])
                    .unwrap();
                assert_eq!(
                    piece[..read],
                    values[there.index..there.index + read],
                    "{place}"
                );
                cursor.seek(there.index).unwrap();
                assert_eq!(cursor.checkpoint(), there, "{place}");
                let length = usize::min(values.len() - there.index, 37);
                cursor.decode_at(there.index, &mut piece[..length]).unwrap();
                assert_eq!(
                    piece[..length],
                    values[there.index..there.index + length],
                    "{place}"
                );
            }
        }
    }
}

#[test]
fn the_cursor_reads_what_decoding_gives() {
    each(thinned([63, 0, 1, 6, 300, 1000], 1).into_iter(), Cursors);
}

#[test]
fn the_cursor_finds_the_next_that_is_large_enough() {
    let mut id = 10;
    let mut next = |gap| {
        id += gap;
        id
    };
    let count = if cfg!(miri) { 130 } else { 3000 };
    let ids: Vec<u32> = numbers(count, 14)
        .iter()
        .map(|&gap| next(gap as u32))
        .collect();
    for backend in backends() {
        for format in [
            Format::V1234.delta(10),
            Format::V0124.delta(3),
            Format::V1234,
        ] {
            let encoded = encoded(backend, format, &ids);
            let start = format.cursor_with(backend, &encoded, ids.len()).unwrap();
            for step in thinned([20_000, 1, 100, 1000, 500_000], 1) {
                let mut cursor = start.clone();
                let mut target = 0;
                loop {
                    let found = cursor.seek_at_least(target).unwrap();
                    let index = ids.partition_point(|&id| id < target);
                    assert_eq!(found, ids.get(index).copied(), "{backend:?}, {target}");
                    assert_eq!(cursor.index(), index);
                    let Some(found) = found else { break };
                    let mut here = [0; 2];
                    let read = cursor.clone().decode(&mut here).unwrap();
                    assert_eq!(here[..read], ids[index..index + read]);
                    target = found + step;
                }
            }
        }
    }
}

#[test]
fn a_forged_checkpoint_harms_nobody() {
    let values: Vec<u32> = numbers(500, 32).iter().map(|&value| value as u32).collect();
    for backend in backends() {
        for format in [
            Format::V1234,
            Format::V1234.delta(0),
            Format::V0124.zigzag(),
        ] {
            let encoded = encoded(backend, format, &values);
            let mut cursor = format.cursor_with(backend, &encoded, values.len()).unwrap();
            let mut decoded = [0; 130];
            for index in thinned((0..=510).chain([usize::MAX - 1, usize::MAX]), 2) {
                for offset in [
                    0,
                    124,
                    125,
                    126,
                    700,
                    encoded.len() - 1,
                    encoded.len(),
                    encoded.len() + 1,
                    usize::MAX,
                ] {
                    let place = Checkpoint {
                        index,
                        offset,
                        previous: 5,
                    };
                    let resumed = cursor.resume(place);
                    let possible = index <= 500 && (125..=encoded.len()).contains(&offset);
                    assert_eq!(resumed.is_ok(), possible, "{place:?}");
                    if possible {
                        let outcome = cursor.decode(&mut decoded);
                        assert!(outcome.is_ok() || cursor.checkpoint() == place);
                        let _ = cursor.skip(usize::min(cursor.remaining(), 77));
                        let _ = cursor.seek_at_least(1 << 31);
                        let _ = cursor.seek(499);
                    }
                }
            }
        }
    }
}

#[test]
fn a_count_beyond_the_input_is_an_error() {
    for backend in backends() {
        for count in [41, 1 << 20, usize::MAX] {
            let error = Format::<u64>::V1248.validate_with(backend, &[0; 10], count);
            let needed = count.div_ceil(4);
            let expected = Error::at(10, ErrorKind::Controls { needed });
            assert_eq!(error, Err(expected));
        }
        let none = Format::<u32>::V0124.validate_with(backend, &[0; 10], 40);
        assert_eq!(none, Ok(10), "zeros have no data");
    }
}

/// Values beyond the cache are the same, at every alignment, and incomplete data are found after them.
#[test]
#[cfg(target_arch = "x86_64")]
#[cfg_attr(miri, ignore = "a long list")]
fn values_beyond_the_cache() {
    use crate::simd::are_beyond_cache;

    fn test<T: Integer>(format: Format<T>, values: &[T]) {
        let stream = encoded(scalar(), format, values);
        let bytes = size_of_val(values) + stream.len();
        assert!(are_beyond_cache(bytes));
        let mut room = std::vec![MaybeUninit::uninit(); values.len() + 3];
        for backend in backends() {
            for offset in [0, 1, 2, 3] {
                let mut decode = |src| {
                    let to = &mut room[offset..][..values.len()];
                    let (decoded, read) = format.decode_with(backend, src, to)?;
                    assert_eq!(read, stream.len());
                    assert!(decoded == values, "{format:?} {backend:?} {offset}");
                    Ok(())
                };
                decode(&stream).unwrap();
                let short: Result<(), Error> = decode(&stream[..stream.len() - 1]);
                let error = short.unwrap_err();
                let data = matches!(error.kind(), ErrorKind::Data { value, .. } if value == values.len() - 1);
                assert!(data, "{error}");
            }
        }
    }
    let mut values = numbers(1_300_007, 32);
    values[..500_000]
        .iter_mut()
        .for_each(|value| *value &= 0xff);
    let narrow: Vec<u32> = values.iter().map(|&value| value as u32).collect();
    for format in formats(&[Format::V1234, Format::V0124], 7) {
        test(format, &narrow);
    }
    test(Format::V1248, &values);
}
