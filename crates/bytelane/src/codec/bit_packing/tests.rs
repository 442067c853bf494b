//! Compares every backend with the definition, bit by bit.

use super::layout::{PLACES, spills};
use super::*;
use crate::cost_of_a_call::{report, round};
use crate::grid::thinned;
use crate::{Backend, DestinationError, Detected};
use core::hint::black_box;
use core::mem::MaybeUninit;
use std::vec::Vec;

fn backends() -> impl Iterator<Item = Detected> {
    Backend::available().map(|backend| Detected::new(backend).unwrap())
}

/// Returns numbers that do not repeat.
fn numbers(count: usize) -> impl Iterator<Item = u64> {
    (1..=count as u64).map(|i| 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(i).rotate_left(31) ^ i)
}

/// Packs the bits of values of one width, one by one.
fn packed(bits: &[u64], width: usize) -> Vec<u8> {
    let mut bytes = std::vec![0; (bits.len() * width).div_ceil(8)];
    for (i, bits) in bits.iter().enumerate() {
        for bit in 0..width {
            let place = i * width + bit;
            bytes[place / 8] |= ((bits >> bit & 1) as u8) << (place % 8);
        }
    }
    bytes
}

/// Packs and unpacks at several offsets, on every backend.
fn round_trip<T: Integer>(format: Format<T>, values: &[T], packed: &[u8]) {
    for backend in backends() {
        let place = std::format!("{backend}, {format:?}, {} values", values.len());
        for offset in [0, 1, 13] {
            let mut bytes = std::vec![0xa5; offset + packed.len() + 1];
            let written = format.encode_with(backend, values, &mut bytes[offset..]);
            assert_eq!(written.unwrap(), packed, "{place}");
            let mut around = bytes[..offset].iter().chain(bytes.last());
            assert!(around.all(|&byte| byte == 0xa5), "{place}");
        }
        // Bytes after the values make no difference, whether or not they fill a window.
        for more in [0, 1, 40, 100] {
            let mut bytes = packed.to_vec();
            bytes.resize(packed.len() + more, 0xff);
            let mut read = std::vec![MaybeUninit::uninit(); values.len()];
            let read = format.decode_with(backend, &bytes, &mut read[..]);
            assert_eq!(
                read.unwrap(),
                (&mut values.to_vec()[..], packed.len()),
                "{place}"
            );
        }
    }
}

fn every_width<T: Integer>(of: impl Fn(u64) -> T) {
    let counts = (0..=140).chain([255, 256, 1000, 2051]);
    for width in thinned(0..=8 * size_of::<T>(), 3) {
        let format = Format::<T>::new(width as u32).unwrap();
        for count in thinned(counts.clone(), 2) {
            let bits: Vec<u64> = numbers(count)
                .map(|bits| bits & layout::low_bits(width))
                .collect();
            let packed = packed(&bits, width);
            let values: Vec<T> = bits.iter().map(|&bits| of(bits)).collect();
            round_trip(format, &values, &packed);
            let shifted: Vec<T> = bits.iter().map(|&bits| of(bits.wrapping_sub(77))).collect();
            round_trip(format.frame(of(77u64.wrapping_neg())), &shifted, &packed);
        }
    }
}

#[test]
fn bytes_of_every_width() {
    every_width(|bits| bits as u8);
}

#[test]
fn words_of_every_width() {
    every_width(|bits| bits as u16);
}

#[test]
fn numbers_of_32_bits_of_every_width() {
    every_width(|bits| bits as u32);
}

#[test]
fn numbers_of_64_bits_of_every_width() {
    every_width(|bits| bits as i64);
}

fn every_zigzag<T: SignedInteger>(of: impl Fn(i64) -> T) {
    for width in thinned(1..=8 * size_of::<T>(), 3) {
        let format = Format::<T>::new(width as u32).unwrap().zigzag();
        for count in thinned([1, 7, 16, 63, 100, 130], 2) {
            let bits: Vec<u64> = numbers(count)
                .map(|bits| bits & layout::low_bits(width))
                .collect();
            let signed = |bits: u64| (bits >> 1).cast_signed() ^ -(bits & 1).cast_signed();
            let values: Vec<T> = bits.iter().map(|&bits| of(signed(bits))).collect();
            round_trip(format, &values, &packed(&bits, width));
        }
    }
}

#[test]
fn zigzag_of_every_width() {
    every_zigzag(|value| value as i32);
    every_zigzag(|value| value);
}

#[test]
fn every_bit_has_one_place() {
    for (width, places) in PLACES.iter().enumerate() {
        let mut owners = std::vec![0; width];
        for value in 0..8 {
            let first = 8 * usize::from(places[value]) + usize::from(places[8 + value]);
            assert!(places[8 + value] < 8);
            for bit in first..first + width {
                assert_eq!(
                    owners[bit / 8] >> (bit % 8) & 1,
                    0,
                    "width {width}, bit {bit}"
                );
                owners[bit / 8] |= 1 << (bit % 8);
            }
        }
        assert!(owners.iter().all(|&owned| owned == 0xff), "width {width}");
    }
}

#[test]
fn numbers_spill_where_one_reaches_past_the_room() {
    for bits in 0..=64 {
        let ends = (0..8).map(|number| number * bits % 8 + bits);
        let last = ends.max().unwrap();
        for room in [32, 64] {
            assert_eq!(spills(bits, room), last > room, "{bits} bits in {room}");
        }
    }
}

#[test]
fn ranges_skip_what_lies_before() {
    for width in thinned([0, 1, 7, 13, 31, 32], 2) {
        let format = Format::<u32>::new(width).unwrap();
        let mask = layout::low_bits(width as usize);
        let values: Vec<u32> = numbers(203).map(|bits| (bits & mask) as u32).collect();
        let packed = format.encode_to_vec(&values).unwrap();
        for backend in backends() {
            for start in thinned(0..=203, 3) {
                for end in thinned((start..=203).step_by(17), 3) {
                    let mut read = [7; 203];
                    let range =
                        format.decode_range_with(backend, &packed, start..end, &mut read[..]);
                    assert_eq!(
                        range.unwrap(),
                        &values[start..end],
                        "{backend}, {start}..{end}"
                    );
                }
            }
        }
    }
}

#[test]
fn values_that_do_not_fit_are_named() {
    let format = Format::<u32>::new(9).unwrap();
    let narrow = Format::<i64>::new(5).unwrap().frame(-3);
    for backend in backends() {
        for count in thinned(1..150, 3) {
            for bad in thinned((0..count).step_by(5), 2) {
                let mut values = std::vec![511; count];
                values[bad] = 512;
                let mut bytes = [0; 200];
                let error = format.encode_with(backend, &values, &mut bytes[..]);
                let error = error.unwrap_err();
                assert_eq!(error.offset(), Some(4 * bad), "{backend}, {count}");
                assert_eq!(error.kind(), ErrorKind::Value { width: 9 });
                let mut values = std::vec![28i64; count];
                values[bad] = -4;
                let error = narrow.encode_with(backend, &values, &mut bytes[..]);
                assert_eq!(
                    error.unwrap_err().offset(),
                    Some(8 * bad),
                    "{backend}, {count}"
                );
            }
        }
    }
}

#[test]
fn lengths_that_do_not_fit_are_errors_and_nothing_is_written() {
    let format = Format::<u16>::new(11).unwrap();
    let mut short = [0xa5; 2];
    let error = format.encode(&[1, 2], &mut short).unwrap_err();
    assert_eq!(
        error.kind(),
        ErrorKind::Destination(DestinationError::new(3, 2))
    );
    assert_eq!(short, [0xa5; 2]);
    let mut values = [7; 3];
    for bytes in 0..5 {
        let error = format.decode(&[0; 5][..bytes], &mut values).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Truncated { needed: 5 });
        assert_eq!((error.offset(), values), (Some(bytes), [7; 3]));
    }
    let needed = usize::MAX;
    let error = format.decode_to_vec(&[0; 5], usize::MAX / 8).unwrap_err();
    assert_eq!(
        error.kind(),
        ErrorKind::Truncated {
            needed: format.encoded_len(usize::MAX / 8)
        }
    );
    let error = Format::<u64>::new(64)
        .unwrap()
        .decode_to_vec(&[0; 5], usize::MAX)
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Truncated { needed });
    #[allow(clippy::reversed_empty_ranges, reason = "that is the fault")]
    let error = format.decode_range(&[0; 5], 2..1, &mut values).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Range { start: 2, end: 1 });
    let error = format
        .decode_range(&[0; 50], 4..8, &mut values)
        .unwrap_err();
    assert_eq!(
        error.kind(),
        ErrorKind::Destination(DestinationError::new(8, 6))
    );
    assert_eq!(Format::<u16>::new(17), None);
}

#[test]
#[ignore = "a measurement"]
fn cost_of_a_call() {
    let format = Format::<u32>::new(13).unwrap();
    let bytes = [0x5a; 13];
    let call = || {
        let mut values = [0; 8];
        round(|| {
            assert!(
                format
                    .decode(black_box(&bytes), black_box(&mut values))
                    .is_ok()
            )
        })
    };
    let scalar = || {
        let mut slots = [Slot::new(0); 32];
        let layout = Layout {
            width: 13,
            reference: 0,
            zigzag: false,
        };
        round(|| scalar::unpack::<4>(layout, black_box(&bytes), black_box(&mut slots)))
    };
    report("bit_packing decode 8", call, scalar);
}
