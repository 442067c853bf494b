//! Compares every backend with the definition.

mod lists;
mod moving;

use super::*;
use crate::grid::thinned;
use crate::{Backend, DestinationError, Detected};
use std::vec::Vec;

fn backends() -> impl Iterator<Item = Detected> {
    Backend::available().map(|backend| Detected::new(backend).unwrap())
}

fn random(i: u64) -> u64 {
    let number = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(i + 1);
    (number ^ number >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 16
}

/// Returns bits of which `percent` are set, and their bitmap. Some words are all ones or zeros.
fn bits(count: usize, percent: u64, seed: u64) -> (Vec<bool>, Vec<u8>) {
    let is_set = |i: usize| match random((i / 64) as u64 ^ seed << 20) % 4 {
        0 if percent < 100 => false,
        1 if percent > 0 => true,
        _ => random(i as u64 ^ seed << 40) % 100 < percent,
    };
    let bits: Vec<bool> = (0..count).map(is_set).collect();
    let byte = |bits: &[bool]| {
        bits.iter()
            .rev()
            .fold(0, |byte, bit| byte << 1 | *bit as u8)
    };
    let bitmap = bits.chunks(8).map(byte).collect();
    (bits, bitmap)
}

const COUNTS: [usize; 16] = [
    70, 0, 1, 7, 8, 9, 63, 64, 65, 127, 128, 129, 300, 512, 1000, 3001,
];

/// Sets the bits after the last one of a bitmap, which do not count.
fn dirty(bitmap: &[u8], count: usize) -> Vec<u8> {
    let mut bitmap = bitmap.to_vec();
    if !count.is_multiple_of(8) {
        *bitmap.last_mut().unwrap() |= 0xff << (count % 8);
    }
    bitmap
}

fn levels_and_bitmap<T: Level + From<u8>>(max: u16, of: impl Fn(u16) -> T) {
    let format = Format::<T>::new(max).unwrap();
    for count in thinned(COUNTS, 1) {
        for percent in thinned([50, 0, 90, 100], 1) {
            let (bits, bitmap) = bits(count, percent, max.into());
            let expected: Vec<T> = bits.iter().map(|bit| of(max - u16::from(!bit))).collect();
            let lower = |i: usize| of((random(i as u64) % u64::from(max)) as u16);
            let levels: Vec<T> = (0..count)
                .map(|i| if bits[i] { of(max) } else { lower(i) })
                .collect();
            let valid = bits.iter().filter(|bit| **bit).count();
            for backend in backends() {
                let place = std::format!("{backend}, maximum {max}, {count} levels, {percent}%");
                let mut room = std::vec![0xa5; bitmap.len() + 3];
                let written = format.encode_with(backend, &levels, &mut room[..]);
                let (written, found) = written.unwrap();
                assert_eq!((&*written, found), (&bitmap[..], valid), "{place}");
                let mut read = std::vec![of(0); count];
                let dirty = dirty(&bitmap, count);
                let read = format.decode_with(backend, &dirty, &mut read[..]);
                assert_eq!(
                    read.unwrap(),
                    (&mut expected.clone()[..], bitmap.len()),
                    "{place}"
                );
            }
        }
    }
}

#[test]
fn levels_become_bits_and_bits_become_levels() {
    for max in thinned([255, 1, 2, 254], 1) {
        levels_and_bitmap::<u8>(max, |level| level as u8);
    }
    for max in thinned([32_767, 1, 3, 255, 256, 300], 1) {
        levels_and_bitmap::<u16>(max, |level| level);
    }
}

#[test]
fn formats_have_a_greatest_level() {
    assert_eq!(Format::<u8>::new(0), None);
    assert_eq!(Format::<u8>::new(256), None);
    assert_eq!(Format::<u16>::new(0), None);
    assert_eq!(Format::<u16>::new(32_768), None);
    assert_eq!(Format::<u16>::new(32_767).unwrap().max_level(), 32_767);
}

#[test]
fn levels_beyond_the_maximum_are_named() {
    for (max, level) in thinned([(1, 2), (3, 32_768), (300, 301), (32_767, 65_535)], 2) {
        let format = Format::<u16>::new(max).unwrap();
        for count in thinned([70, 1, 64, 65, 129, 300], 1) {
            for bad in thinned([0, 1, 63, 64, 128, 250], 2) {
                let mut levels = std::vec![max; count];
                if bad >= count {
                    continue;
                }
                levels[bad..].fill(level);
                for backend in backends() {
                    let mut room = [0; 40];
                    let encoded = format.encode_with(backend, &levels, &mut room[..]);
                    let expected = Error::at(2 * bad, ErrorKind::Level { max });
                    assert_eq!(
                        encoded.unwrap_err(),
                        expected,
                        "{backend}, {bad} of {count}"
                    );
                }
            }
        }
    }
    for backend in backends() {
        let format = Format::<u8>::new(4).unwrap();
        let mut levels = [4; 100];
        levels[70] = 255;
        let mut room = [0; 13];
        let encoded = format.encode_with(backend, &levels, &mut room[..]);
        let expected = Error::at(70, ErrorKind::Level { max: 4 });
        assert_eq!(encoded.unwrap_err(), expected, "{backend}");
    }
}

#[test]
fn lengths_that_do_not_fit_are_named() {
    let format = Format::<u16>::new(1).unwrap();
    for backend in backends() {
        let mut room = [0; 8];
        let short = format.encode_with(backend, &[1; 65], &mut room[..]);
        assert_eq!(short.unwrap_err(), DestinationError::new(9, 8).into());
        let (needed, given) = (9, 8);
        let error = Error::nowhere(ErrorKind::Bitmap { needed, given });
        let mut room = [0; 65];
        let short = format.decode_with(backend, &[0; 8], &mut room[..]);
        assert_eq!(short.unwrap_err(), error);
    }
    assert!(format.decode_to_vec(&[0; 8], usize::MAX).is_err());
}

#[test]
fn appended_bits_and_levels_follow_what_is_there() {
    let format = Format::<u16>::new(3).unwrap();
    let mut bitmap = std::vec![7];
    assert_eq!(format.encode_append(&[3, 2, 3, 0], &mut bitmap), Ok(2));
    assert!(format.encode_append(&[3, 4], &mut bitmap).is_err());
    assert_eq!(bitmap, [7, 0b101]);
    let mut levels = std::vec![9];
    assert_eq!(format.decode_append(&bitmap[1..], 4, &mut levels), Ok(1));
    assert!(format.decode_append(&bitmap[1..], 9, &mut levels).is_err());
    assert_eq!(levels, [9, 3, 2, 3, 2]);
}
