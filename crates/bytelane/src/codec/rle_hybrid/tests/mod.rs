//! Compares every backend with the definition.

mod choice;
mod dictionary;

use super::*;
use crate::DestinationError;
use crate::grid::thinned;
use crate::{Backend, Detected};
use std::vec::Vec;

fn backends() -> impl Iterator<Item = Detected> {
    Backend::available().map(|backend| Detected::new(backend).unwrap())
}

fn random(i: u64) -> u64 {
    let number = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(i + 1);
    (number ^ number >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 16
}

/// Returns values of a width, each repeated up to `longest` times.
fn values<T: Integer>(count: usize, width: u32, longest: u64, seed: u64) -> Vec<T> {
    let mut values = Vec::new();
    let mut i = 7 * seed;
    while values.len() < count {
        i += 1;
        let value = random(i) & ((1 << width) - 1);
        let left = 1 + random(i ^ 0xabcd) % longest;
        values.extend((0..left).map(|_| T::from_u32(value as u32)));
    }
    values.truncate(count);
    values
}

/// Encodes on every backend, expects the same bytes, and decodes them.
fn round_trip<T: Integer>(format: Format<T>, values: &[T]) -> Vec<u8> {
    let mut encoded = format.encode_to_vec(values).unwrap();
    let (count, length) = (values.len(), encoded.len());
    assert_eq!(format.encoded_len(values), length);
    assert!(length <= format.max_encoded_len(count));
    assert_eq!(format.validate(&encoded, count), Ok(length));
    for backend in backends() {
        let place = std::format!("{backend}, {format:?}, {values:?}");
        let mut again = std::vec![0xa5; length];
        let written = format.encode_with(backend, values, &mut again[..]);
        assert!(written.unwrap() == encoded, "{place}");
        if let Some(less) = length.checked_sub(1) {
            let short = format.encode_with(backend, values, &mut again[..less]);
            let error = DestinationError::new(length, less);
            assert_eq!(short.unwrap_err(), error.into(), "{place}");
        }
        for more in [0, 5, 200] {
            encoded.resize(length + more, 0xff);
            let mut read = std::vec![T::default(); count];
            let (read, end) = format
                .decode_with(backend, &encoded, &mut read[..])
                .expect(&place);
            assert!(read == values, "{place}");
            assert_eq!(end, length, "{place}");
            encoded.truncate(length);
        }
    }
    encoded
}

#[test]
fn every_width_of_every_type() {
    for width in thinned(0..=32, 3) {
        for longest in thinned([12, 1, 3, 40], 1) {
            for count in thinned([0, 1, 2, 7, 8, 9, 33, 64, 65, 128, 129, 300, 1000], 2) {
                let seed = (count as u64) << 8 | longest;
                if let Some(format) = Format::<u8>::new(width) {
                    round_trip(format, &values(count, width, longest, seed));
                }
                if let Some(format) = Format::<u16>::new(width) {
                    round_trip(format, &values(count, width, longest, seed));
                }
                let format = Format::<u32>::new(width).unwrap();
                round_trip(format, &values(count, width, longest, seed));
            }
        }
    }
    assert_eq!(Format::<u8>::new(9), None);
    assert_eq!(Format::<u32>::new(33), None);
}

#[test]
fn long_runs_have_long_headers() {
    for count in thinned([64, 63, 8191, 8192, 70_000], 1) {
        let format = Format::<u16>::new(9).unwrap();
        let encoded = round_trip(format, &std::vec![300; count]);
        assert_eq!(encoded.len(), 2 + plan::header_len(count));
        let packed = values(8 * count, 9, 1, 3);
        let encoded = round_trip(format, &packed);
        assert!(encoded.len() <= plan::header_len(count) + 9 * count);
    }
}

#[test]
fn values_that_do_not_fit_are_named() {
    for (width, at) in [(0, 70), (1, 70), (5, 70), (15, 70)] {
        let format = Format::<u16>::new(width).unwrap();
        for longest in [1, 30] {
            let mut list: Vec<u16> = values(100, width, longest, 5);
            list[at..].fill(1 << width);
            for backend in backends() {
                let mut room = [0; 300];
                let error = format
                    .encode_with(backend, &list, &mut room[..])
                    .unwrap_err();
                let expected = Error::at(2 * at, ErrorKind::Value { width });
                assert_eq!(error, expected, "{backend}, {width} bits");
                let short = format.encode_with(backend, &list, &mut room[..1]);
                let needed = format.encoded_len(&list);
                assert_eq!(short.unwrap_err(), DestinationError::new(needed, 1).into());
            }
        }
    }
}

#[test]
fn ranges_begin_anywhere() {
    for width in thinned([1, 3, 11, 32], 2) {
        let format = Format::<u32>::new(width).unwrap();
        let list: Vec<u32> = values(500, width, 20, 9);
        let encoded = format.encode_to_vec(&list).unwrap();
        for backend in backends() {
            for start in thinned(0..=500, 3) {
                for count in thinned([0, 1, 5, 16, 33, 200], 2) {
                    let end = usize::min(start + count, 500);
                    let mut read = [0; 200];
                    let read =
                        format.decode_range_with(backend, &encoded, start..end, &mut read[..]);
                    assert_eq!(
                        read.unwrap(),
                        &list[start..end],
                        "{backend}, {start}..{end}"
                    );
                }
            }
            let (start, end) = (3, 2);
            let range = format.decode_range_with(backend, &encoded, start..end, &mut [0; 0][..]);
            assert_eq!(range.unwrap_err().kind(), ErrorKind::Range { start, end });
            let far = usize::MAX - 1..usize::MAX;
            let mut one = [0];
            let beyond = format.decode_range_with(backend, &encoded, far, &mut one[..]);
            assert_eq!(beyond.unwrap_err().kind(), ErrorKind::Truncated);
        }
    }
}

/// Decodes on all backends, which must give the same result.
fn same<T: Integer>(format: Format<T>, src: &[u8], count: usize) -> Result<usize, Error> {
    let outcome = |backend| {
        let mut values = std::vec![T::default(); count];
        let read = format.decode_with(backend, src, &mut values[..]);
        let read = read.map(|(_, read)| read);
        (read, if read.is_ok() { values } else { Vec::new() })
    };
    let expected = outcome(Detected::new(Backend::Scalar).unwrap());
    for backend in backends() {
        assert_eq!(outcome(backend), expected, "{backend}, {count} of {src:?}");
    }
    assert_eq!(format.validate(src, count), expected.0);
    let mut runs = format.runs(src, count);
    let mut listed = Vec::new();
    let end = runs.try_for_each(|run| {
        match run? {
            Run::Repeated { value, count } => listed.extend((0..count).map(|_| value)),
            Run::Packed { bytes, count } => {
                let packed = crate::bit_packing::Format::<T>::new(format.width()).unwrap();
                packed.decode_append(bytes, count, &mut listed).unwrap();
            }
        }
        Ok(())
    });
    assert_eq!(end.map(|()| runs.read()), expected.0);
    assert!(expected.0.is_err() || listed == expected.1);
    expected.0
}

#[test]
fn every_truncation_and_every_changed_byte_gives_the_same_everywhere() {
    for (width, longest) in thinned([(1, 40), (2, 9), (9, 10), (13, 1)], 2) {
        let format = Format::<u16>::new(width).unwrap();
        let encoded = format
            .encode_to_vec(&values(150, width, longest, 1))
            .unwrap();
        for length in thinned(0..encoded.len(), 6) {
            let cut = same(format, &encoded[..length], 150);
            assert!(cut.is_err() || 150 % 8 != 0 && length + 5 > encoded.len());
        }
        for at in thinned(0..encoded.len(), 4) {
            for byte in thinned([0, 1, 2, 3, 32, 33, 0x7f, 0x80, 0xff], 3) {
                let mut changed = encoded.clone();
                changed[at] = byte;
                let _ = same(format, &changed, 150);
                let _ = same(format, &changed, 90);
            }
        }
    }
}

#[test]
fn what_is_malformed_is_named_with_its_place() {
    let format = Format::<u16>::new(10).unwrap();
    let fails = |src: &[u8]| {
        let error = same(format, src, 20).unwrap_err();
        (error.kind(), error.offset().unwrap())
    };
    assert_eq!(fails(&[]), (ErrorKind::Truncated, 0));
    assert_eq!(fails(&[0x80]), (ErrorKind::Truncated, 0));
    assert_eq!(fails(&[0]), (ErrorKind::Length, 0));
    assert_eq!(fails(&[1]), (ErrorKind::Length, 0));
    assert_eq!(fails(&[4, 1, 0, 0]), (ErrorKind::Length, 3));
    assert_eq!(fails(&[4, 1, 0]), (ErrorKind::Truncated, 3));
    assert_eq!(fails(&[4, 1, 0, 40]), (ErrorKind::Truncated, 3));
    assert_eq!(fails(&[4, 1, 0, 40, 1]), (ErrorKind::Truncated, 3));
    assert_eq!(
        fails(&[4, 1, 0, 40, 0, 4]),
        (ErrorKind::Value { width: 10 }, 4)
    );
    assert_eq!(fails(&[0xff; 12]), (ErrorKind::Length, 0));
    let most = [0xfe, 0xff, 0xff, 0xff, 0x0f, 1, 0];
    assert_eq!(same(format, &most, 20), Ok(7));
    let more = [0x80, 0x80, 0x80, 0x80, 0x10, 1, 0];
    assert_eq!(fails(&more), (ErrorKind::Length, 0));
    let most_packed = [0xff, 0xff, 0xff, 0xff, 0x01];
    assert_eq!(fails(&most_packed), (ErrorKind::Truncated, 0));
    let more_packed = [0x81, 0x80, 0x80, 0x80, 0x02];
    assert_eq!(fails(&more_packed), (ErrorKind::Length, 0));
    // Three groups need only the bytes of 20 values.
    let packed = [[7].as_slice(), &[0xff; 30]].concat();
    assert_eq!(same(format, &packed, 20), Ok(31));
    assert_eq!(same(format, &packed[..26], 20), Ok(26));
    assert_eq!(fails(&packed[..25]), (ErrorKind::Truncated, 0));
    // Requests one value more than the run has: nothing is allocated.
    let error = format.decode_to_vec(&most, 1 << 31).unwrap_err();
    assert_eq!(
        (error.kind(), error.offset()),
        (ErrorKind::Truncated, Some(7))
    );
}

/// No machine has memory for these counts: the missing values are detected first.
#[test]
fn nothing_is_allocated_for_counts_that_the_input_lacks() {
    let format = Format::<u32>::new(3).unwrap();
    let dictionary = Dictionary::new(&[1_u64, 2]);
    for src in [&[][..], &[0x0a, 1], &[3, 0, 0, 0]] {
        for count in [usize::MAX >> 2, usize::MAX] {
            let kind = |error: Error| error.kind();
            let found = format.decode_to_vec(src, count).map_err(kind);
            assert_eq!(found, Err(ErrorKind::Truncated));
            let found = dictionary.decode_to_vec(format, src, count).map_err(kind);
            assert_eq!(found, Err(ErrorKind::Truncated));
            let found = bits::decode_to_vec(src, count).map_err(kind);
            assert!(matches!(
                found,
                Err(ErrorKind::Truncated | ErrorKind::Length)
            ));
        }
    }
}

#[test]
fn values_without_bits_are_zeros() {
    let format = Format::<u8>::new(0).unwrap();
    assert_eq!(round_trip(format, &[0; 100]), [0xc8, 1]);
    assert_eq!(same(format, &[3], 8), Ok(1));
    assert!(same(format, &[3], 9).is_err());
}

/// Returns bits that repeat up to `longest` times, and the bytes of a bitmap.
fn bitmap(count: usize, longest: u64, seed: u64) -> (Vec<u8>, Vec<u8>) {
    let bits: Vec<u8> = values(count, 1, longest, seed);
    let byte = |bits: &[u8]| bits.iter().rev().fold(0, |byte, bit| byte << 1 | bit);
    let bytes = bits.chunks(8).map(byte).collect();
    (bits, bytes)
}

#[test]
fn bits_are_values_of_one_bit() {
    let format = bits::format();
    for longest in thinned([1, 20, 60, 500], 2) {
        for count in thinned((0..200).chain([511, 512, 513, 1000, 5000]), 4) {
            let (list, mut bytes) = bitmap(count, longest, count as u64);
            let encoded = format.encode_to_vec(&list).unwrap();
            let place = std::format!("{count} bits of {bytes:?}");
            // Bits after the last one do not count.
            let clean = bytes.clone();
            if count % 8 != 0 {
                *bytes.last_mut().unwrap() |= 0xff << (count % 8);
            }
            assert_eq!(bits::encode_to_vec(&bytes, count), encoded, "{place}");
            assert!(encoded.len() <= bits::max_encoded_len(count));
            for backend in backends() {
                let mut again = std::vec![0xa5; encoded.len()];
                let written = bits::encode_with(backend, &bytes, count, &mut again[..]);
                assert_eq!(written.unwrap(), encoded, "{backend}, {place}");
                let mut read = std::vec![0xa5; bytes.len()];
                let decoded = bits::decode_with(backend, &encoded, count, &mut read[..]);
                let (read, end) = decoded.unwrap();
                assert_eq!(
                    (&read[..], end),
                    (&clean[..], encoded.len()),
                    "{backend}, {place}"
                );
                for length in thinned(0..encoded.len(), 3) {
                    let cut = &encoded[..length];
                    let mut read = std::vec![0; clean.len()];
                    let decoded = bits::decode_with(backend, cut, count, &mut read[..]);
                    let expected = format.validate(cut, count);
                    assert_eq!(decoded.map(|(_, end)| end), expected, "{backend}, {place}");
                }
            }
        }
    }
}

#[test]
#[should_panic(expected = "the bitmap has 16 bits, not 17")]
fn a_bitmap_has_all_its_bits() {
    let _ = bits::encode_to_vec(&[0, 0], 17);
}

#[test]
fn appended_values_follow_what_is_there() {
    let format = Format::<u32>::new(3).unwrap();
    let mut encoded = std::vec![9];
    assert_eq!(format.encode_append(&[5; 20], &mut encoded), Ok(2));
    assert_eq!(encoded, [9, 40, 5]);
    assert!(format.encode_append(&[8; 20], &mut encoded).is_err());
    assert_eq!(bits::encode_append(&[0xff; 5], 40, &mut encoded), 2);
    assert_eq!(encoded, [9, 40, 5, 80, 1]);

    let mut read = std::vec![1];
    assert_eq!(format.decode_append(&encoded[1..3], 4, &mut read), Ok(2));
    assert!(format.decode_append(&encoded[1..3], 21, &mut read).is_err());
    assert_eq!(read, [1, 5, 5, 5, 5]);

    let mut found = std::vec![0.5f32];
    let six = Dictionary::new(&[0.0, 1.0, 2.0, 3.0, 4.0, 7.5]);
    assert_eq!(
        six.decode_append(format, &encoded[1..3], 2, &mut found),
        Ok(2)
    );
    let five = Dictionary::new(&six.values()[..5]);
    let missing = five.decode_append(format, &encoded[1..3], 2, &mut found);
    let (index, entries) = (5, 5);
    assert_eq!(
        missing,
        Err(Error::at(1, ErrorKind::Index { index, entries }))
    );
    assert_eq!(found, [0.5, 7.5, 7.5]);

    let mut bitmap = std::vec![7];
    assert_eq!(bits::decode_append(&encoded[3..], 12, &mut bitmap), Ok(2));
    assert!(bits::decode_append(&encoded[3..], 41, &mut bitmap).is_err());
    assert_eq!(bitmap, [7, 0xff, 0x0f]);
}
