//! Compares every backend with the specification.

use super::*;
use crate::grid::thinned;
use crate::{Backend, Detected, LengthErrorKind};
use core::mem::MaybeUninit;
use std::vec::Vec;

fn input(len: usize) -> Vec<u8> {
    (0..len)
        .map(|i| (i * 7 + i / 251 * 3 + i / 65_537) as u8)
        .collect()
}

#[test]
fn every_backend_does_what_the_specification_says() {
    for backend in Backend::available() {
        let backend = Detected::new(backend).unwrap();
        for width in thinned([2, 1, 3, 4, 5, 6, 8, 7, 12, 16, 20, 32], 4) {
            for count in thinned(
                [70].into_iter().chain(0..=200).chain([513, 4099, 70_001]),
                1,
            ) {
                let values = input(count * width);
                let mut streams = Vec::new();
                for k in 0..width {
                    streams.extend((0..count).map(|i| values[i * width + k]));
                }
                let sized = Width::new(width).unwrap();
                let mut encoded = std::vec![0xaa; values.len()];
                let written = sized.encode_with(backend, &values, &mut encoded[..]);
                assert!(
                    written.unwrap() == streams,
                    "encode, {backend:?}, width {width}, {count} values"
                );
                let mut decoded = std::vec![MaybeUninit::uninit(); values.len()];
                let written = sized.decode_with(backend, &encoded, &mut decoded[..]);
                assert!(
                    written.unwrap() == values,
                    "decode, {backend:?}, width {width}, {count} values"
                );
            }
        }
    }
}

/// Non-temporal stores reach memory, and overlapping blocks are correct, at every alignment.
#[test]
fn streamed_values_are_the_same() {
    for backend in Backend::available() {
        let backend = Detected::new(backend).unwrap();
        for width in [2, 4, 8, 16] {
            let sized = Width::new(width).unwrap();
            for count in thinned([100, 64, 128, 1500, 2048, 2050, 3000], 1) {
                let values = input(count * width);
                let plain = sized.encode_to_vec(&values).unwrap();
                let streamed = sized.non_temporal();
                let mut room = std::vec![0xaa; values.len() + 64];
                for offset in thinned([1, 0, 4, 16, 32, 63], 2) {
                    let to = &mut room[offset..];
                    let encoded = streamed.encode_with(backend, &values, to).unwrap();
                    assert!(
                        encoded == plain,
                        "{backend:?}, width {width}, {count} values"
                    );
                    let to = &mut room[offset..];
                    let decoded = streamed.decode_with(backend, &plain, to).unwrap();
                    assert!(
                        decoded == values,
                        "{backend:?}, width {width}, {count} values"
                    );
                }
            }
        }
    }
}

#[test]
fn all_shapes_agree() {
    let values = [0x0102u16, 0x0304];
    let bytes = [2, 4, 1, 3];
    let mut encoded = [0xaa; 5];
    assert_eq!(encode(&values, &mut encoded), Ok(4));
    assert_eq!(encoded, [2, 4, 1, 3, 0xaa]);
    assert_eq!(encode_to_vec(&values), bytes);
    let mut decoded = [7; 3];
    assert_eq!(decode(&bytes, &mut decoded), Ok(2));
    assert_eq!(decoded, [0x0102, 0x0304, 7u16]);
    assert_eq!(decode_to_vec(&bytes), Ok(values.to_vec()));
    let width = Width::new(2).unwrap();
    assert_eq!(width.decode_range(&bytes, 1..2, &mut encoded), Ok(2));
    assert_eq!(encoded, [4, 3, 1, 3, 0xaa]);
    let outside = width.decode_range(&bytes, 1..3, &mut encoded).unwrap_err();
    let (start, end, values) = (1, 3, 2);
    assert_eq!(
        outside.kind(),
        LengthErrorKind::Range { start, end, values }
    );
    assert_eq!(Width::new(0), None);
}

/// Blocks in the middle begin on a cache line. Their position affects only the speed of the stores.
#[test]
fn blocks_in_the_middle_begin_on_a_cache_line() {
    let room = std::vec![memory::Slot::new(0); 64 * 3];
    let to_first = room.as_ptr().align_offset(64);
    for before in 0..64 {
        let from = &room[to_first + 64 - before..];
        assert_eq!(kernel::to_line(from), before);
        let values = if before % 4 == 0 { before / 4 } else { 0 };
        assert_eq!(kernel::values_to_line(from.as_chunks::<4>().0), values);
    }
}
