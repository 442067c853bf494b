//! Compares every backend with the definition.

use super::*;
use crate::grid::thinned;
use crate::{Backend, Detected};
use core::mem::MaybeUninit;
use std::vec::Vec;

fn backends() -> impl Iterator<Item = Detected> {
    Backend::available().map(|backend| Detected::new(backend).unwrap())
}

/// Returns sums of differences of up to `width` bits.
fn sums(count: usize, width: u32) -> Vec<i64> {
    let mut sum = 0i64;
    let number = |i: u64| 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(i).rotate_left(31) ^ i;
    let difference = |i| match width {
        0 => 3,
        _ => (number(i) >> (64 - width)).cast_signed(),
    };
    (1..=count as u64)
        .map(|i| {
            sum = sum.wrapping_add(difference(i)).wrapping_sub(7);
            sum
        })
        .collect()
}

/// Encodes on every backend, expects the same bytes, and decodes them.
fn round_trip<T: Integer>(format: Format, values: &[T]) -> Vec<u8> {
    let mut encoded = format.encode_to_vec(values);
    let length = encoded.len();
    assert_eq!(format.encoded_len(values), length);
    assert!(length <= format.max_encoded_len::<T>(values.len()));
    assert_eq!(validate::<T>(&encoded), Ok((values.len() as u64, length)));
    assert_eq!(stored(&encoded), Ok(values.len() as u64));
    for backend in backends() {
        let place = std::format!("{backend}, {format:?}, {} values", values.len());
        let mut again = std::vec![0xa5; length];
        let written = format.encode_with(backend, values, &mut again[..]);
        assert!(written.unwrap() == encoded, "{place}");
        let short = format.encode_with(backend, values, &mut again[..length - 1]);
        assert_eq!(
            short,
            Err(DestinationError::new(length, length - 1)),
            "{place}"
        );
        for more in [0, 5, 200] {
            encoded.resize(length + more, 0xff);
            let mut read = std::vec![MaybeUninit::<T>::uninit(); values.len()];
            let (read, end) = decode_with(backend, &encoded, &mut read[..]).unwrap();
            assert!(read == values, "{place}");
            assert!(values.len() < 2 || end == length, "{place}");
            encoded.truncate(length);
        }
    }
    encoded
}

#[test]
fn every_width_of_both_types() {
    for width in thinned(0..=64, 2) {
        for count in thinned([0, 1, 2, 31, 32, 33, 34, 100, 128, 129, 130, 300, 1000], 3) {
            let values = sums(count, width);
            round_trip(Format::STANDARD, &values);
            let values: Vec<i32> = values.iter().map(|&value| value as i32).collect();
            round_trip(Format::STANDARD, &values);
        }
    }
}

#[test]
fn blocks_of_other_sizes() {
    for (block, miniblocks) in [(128, 1), (128, 2), (256, 8), (1024, 2), (4096, 4)] {
        let format = Format::new(block, miniblocks).unwrap();
        for count in thinned([1, 97, 129, 1025, 5000], 1) {
            round_trip(format, &sums(count, 20));
        }
    }
    for (block, miniblocks) in [(0, 1), (64, 1), (128, 0), (128, 3), (128, 8), (1 << 31, 4)] {
        assert_eq!(
            Format::new(block, miniblocks),
            None,
            "{block}, {miniblocks}"
        );
    }
}

#[test]
fn differences_wrap_around() {
    let ends = [i64::MIN, i64::MAX, 0, -1, 1, i64::MAX, i64::MIN];
    round_trip(Format::STANDARD, &ends);
    let ends = [i32::MIN, i32::MAX, 0, -1, 1, i32::MAX, i32::MIN];
    round_trip(Format::STANDARD, &ends);
}

#[test]
fn the_example_of_the_specification() {
    // "7, 5, 3, 1, 2, 3, 4, 5": differences -2, -2, -2, 1, 1, 1, 1, of which -2 is the smallest.
    let encoded = encode_to_vec(&[7i32, 5, 3, 1, 2, 3, 4, 5]);
    assert_eq!(encoded[..10], [0x80, 0x01, 4, 8, 14, 3, 2, 0, 0, 0]);
    assert_eq!(encoded[10..], [0b1100_0000, 0b0011_1111, 0, 0, 0, 0, 0, 0]);
}

#[test]
fn ranges_sum_what_lies_before() {
    let values = sums(700, 13);
    for format in [Format::STANDARD, Format::new(512, 2).unwrap()] {
        let encoded = format.encode_to_vec(&values);
        for backend in backends() {
            for start in thinned([0, 1, 2, 31, 32, 33, 65, 128, 129, 130, 500, 699, 700], 3) {
                for count in thinned([0, 1, 7, 33, 150, 200], 2) {
                    let end = usize::min(start + count, 700);
                    let mut read = [0; 200];
                    let read = decode_range_with(backend, &encoded, start..end, &mut read[..]);
                    assert_eq!(
                        read.unwrap(),
                        &values[start..end],
                        "{backend}, {start}..{end}"
                    );
                }
            }
        }
    }
}

/// Decodes on all backends, which must give the same result.
fn same<T: Integer>(src: &[u8], count: usize) -> Result<usize, Error> {
    let outcome = |backend| {
        let mut values = std::vec![T::default(); count];
        let read = decode_with(backend, src, &mut values[..]).map(|(_, read)| read);
        (read, if read.is_ok() { values } else { Vec::new() })
    };
    let expected = outcome(Detected::new(Backend::Scalar).unwrap());
    for backend in backends() {
        assert_eq!(outcome(backend), expected, "{backend}, {count} of {src:?}");
    }
    let (count, values) = (count as u64, validate::<T>(src));
    match (expected.0, values) {
        // Values that were not requested may still be malformed.
        (Ok(read), Ok((_, length))) => assert!(read <= length),
        (Err(error), Ok((values, _))) => {
            assert_eq!(
                (error.kind(), count > values),
                (ErrorKind::Count { values }, true)
            );
        }
        (Err(error), Err(other)) if !matches!(error.kind(), ErrorKind::Count { .. }) => {
            assert_eq!(error, other);
        }
        _ => {}
    }
    expected.0
}

/// Miniblocks of one width are read at once, but only as many of them as the values need.
#[test]
fn the_first_values_read_up_to_the_end_of_their_miniblock() {
    let encoded = encode_to_vec(&sums(257, 13));
    for count in thinned([2, 3, 33, 34, 65, 66, 97, 98, 130, 200, 226], 3) {
        let read = same::<i64>(&encoded, count).unwrap();
        assert_eq!(same::<i64>(&encoded[..read], count), Ok(read), "{count}");
        let error = same::<i64>(&encoded[..read - 1], count).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Truncated, "{count}");
    }
}

#[test]
fn every_truncation_is_an_error() {
    let values = sums(200, 9);
    let encoded = encode_to_vec(&values);
    for length in thinned(0..encoded.len(), 20) {
        let error = same::<i64>(&encoded[..length], 200).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Truncated, "{length} bytes");
        assert!(error.offset().unwrap() <= length);
    }
}

#[test]
fn every_changed_byte_gives_the_same_everywhere() {
    let encoded = encode_to_vec(&sums(140, 9));
    for at in thinned(0..encoded.len(), 10) {
        for byte in thinned([0, 1, 32, 33, 65, 0x7f, 0x80, 0xff], 4) {
            let mut changed = encoded.clone();
            changed[at] = byte;
            let _ = same::<i64>(&changed, 140);
            let _ = same::<i32>(&changed, 100);
        }
    }
}

#[test]
fn what_is_malformed_is_named_with_its_place() {
    let fails = |src: &[u8]| {
        let error = same::<i32>(src, 2).unwrap_err();
        (error.kind(), error.offset())
    };
    assert_eq!(fails(&[0, 4, 2, 0]), (ErrorKind::Block, Some(0)));
    assert_eq!(fails(&[100, 4, 2, 0]), (ErrorKind::Block, Some(0)));
    let huge = [0x80, 0x80, 0x80, 0x80, 0x08, 4, 2, 0];
    assert_eq!(fails(&huge), (ErrorKind::Block, Some(0)));
    assert_eq!(fails(&[0x80, 1, 0, 2, 0]), (ErrorKind::Miniblocks, Some(2)));
    assert_eq!(fails(&[0x80, 1, 8, 2, 0]), (ErrorKind::Miniblocks, Some(2)));
    assert_eq!(fails(&[0xff; 11]), (ErrorKind::Varint, Some(0)));
    let count = ErrorKind::Count { values: 1 };
    assert_eq!(fails(&[0x80, 1, 4, 1, 0]), (count, None));
    let width = ErrorKind::Width { width: 33 };
    assert_eq!(fails(&[0x80, 1, 4, 2, 0, 0, 33, 0, 0, 0]), (width, Some(6)));
    assert_eq!(
        fails(&[0x80, 1, 4, 2, 0, 0, 32, 0, 0]),
        (ErrorKind::Truncated, Some(6))
    );
    assert_eq!(
        fails(&[0x80, 1, 4, 2, 0, 0, 32, 0, 0, 0]),
        (ErrorKind::Truncated, Some(10))
    );
    // A miniblock without values may have any width.
    assert_eq!(same::<i32>(&[0x80, 1, 4, 2, 0, 2, 0, 99, 0, 0], 2), Ok(10));
    // The number of values in the header does not cause an allocation.
    let many = [
        0x80, 1, 4, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0,
    ];
    assert_eq!(stored(&many), Ok(u64::MAX));
    let error = decode_to_vec::<i64>(&many, usize::MAX / 16).unwrap_err();
    assert_eq!(
        (error.kind(), error.offset()),
        (ErrorKind::Truncated, Some(14))
    );
}
