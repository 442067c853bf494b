//! Spreading and compacting values.

use super::*;
use crate::validity::values::{self, count_valid};

/// A type with values other than zero.
trait Test: Element {
    fn number(i: usize) -> Self;
}

macro_rules! tests {
    ($($T:ident)*) => { $(
        impl Test for $T {
            fn number(i: usize) -> Self {
                (u128::from(random(i as u64) | 1) * 0x1_0001_0001_0001) as $T
            }
        }
    )* };
}
tests! { u8 i8 u16 i16 u32 i32 f32 u64 i64 f64 u128 i128 }

fn moves<T: Test>() {
    for count in thinned(COUNTS, 1) {
        for percent in thinned([50, 0, 90, 100, 98], 1) {
            let (bits, bitmap) = bits(count, percent, size_of::<T>() as u64);
            let valid = bits.iter().filter(|bit| **bit).count();
            let dense: Vec<T> = (0..valid).map(T::number).collect();
            let mut next = dense.iter();
            let value = |bit: &bool| {
                if *bit {
                    *next.next().unwrap()
                } else {
                    T::default()
                }
            };
            let expected: Vec<T> = bits.iter().map(value).collect();
            let full = |i: usize| if bits[i] { expected[i] } else { T::number(i) };
            let full: Vec<T> = (0..count).map(full).collect();
            let bitmap = dirty(&bitmap, count);
            assert_eq!(count_valid(&bitmap, count), Ok(valid));
            assert_eq!(values::compact_to_vec(&full, &bitmap).unwrap(), dense);
            let spread = values::spread_to_vec(&dense, &bitmap, count);
            assert_eq!(spread.unwrap(), expected);
            for backend in backends() {
                let place = std::format!(
                    "{backend}, {}, {count} values, {percent}%",
                    core::any::type_name::<T>()
                );
                let mut room = std::vec![T::number(3); count];
                let spread = values::spread_with(backend, &dense, &bitmap, &mut room[..]);
                assert_eq!(spread.unwrap(), expected, "{place}");
                for more in thinned([0, 1, 100], 1) {
                    let mut room = std::vec![T::number(3); valid + more];
                    let compacted = values::compact_with(backend, &full, &bitmap, &mut room[..]);
                    assert_eq!(compacted.unwrap(), dense, "{place}");
                }
            }
        }
    }
}

#[test]
fn values_of_every_size_are_spread_and_compacted() {
    moves::<u8>();
    moves::<u16>();
    moves::<f32>();
    moves::<f64>();
    moves::<u128>();
}

#[test]
fn every_byte_of_a_bitmap_moves_values() {
    for byte in thinned(0..=255, 4) {
        let bitmap = [byte, !byte, 0x55, byte, 0, 0xff, byte, 1];
        let count = values::count_valid(&bitmap, 64).unwrap();
        let dense: Vec<u32> = (1..=count as u32).collect();
        let mut next = 0;
        let expected: Vec<u32> = (0..64)
            .map(|i| {
                let bit = u32::from(bitmap[i / 8] >> (i % 8) & 1);
                next += bit;
                next * bit
            })
            .collect();
        for backend in backends() {
            let mut room = [9; 64];
            let spread = values::spread_with(backend, &dense, &bitmap, &mut room[..]);
            assert_eq!(spread.unwrap(), expected, "{backend}, {byte:#x}");
            let small: Vec<u8> = expected.iter().map(|&value| value as u8).collect();
            let mut room = [9; 64];
            let compacted = values::compact_with(backend, &small, &bitmap, &mut room[..]);
            let dense: Vec<u8> = dense.iter().map(|&value| value as u8).collect();
            assert_eq!(compacted.unwrap(), dense, "{backend}, {byte:#x}");
        }
    }
}

fn refuses<T: Test>() {
    for count in thinned([70, 1, 64, 129, 300], 1) {
        for percent in thinned([60, 100, 98], 1) {
            let (bits, bitmap) = bits(count, percent, 5);
            let needed = bits.iter().filter(|bit| **bit).count();
            let values: Vec<T> = (0..count).map(T::number).collect();
            for backend in backends() {
                let mut room = std::vec![T::default(); count];
                for given in [needed.saturating_sub(1), needed + 1, needed + 64, 0] {
                    if given == needed {
                        continue;
                    }
                    let dense = std::vec![T::number(1); given];
                    let spread = values::spread_with(backend, &dense, &bitmap, &mut room[..]);
                    let expected = Error::nowhere(ErrorKind::Values { needed, given });
                    assert_eq!(spread.unwrap_err(), expected, "{backend}, {count} values");
                }
                if let Some(less) = needed.checked_sub(1) {
                    let compacted =
                        values::compact_with(backend, &values, &bitmap, &mut room[..less]);
                    let width = size_of::<T>();
                    let expected = DestinationError::new(needed * width, less * width);
                    assert_eq!(compacted.unwrap_err(), expected.into(), "{backend}");
                }
                let short = &bitmap[..bitmap.len() - 1];
                let (needed, given) = (bitmap.len(), bitmap.len() - 1);
                let expected = Error::nowhere(ErrorKind::Bitmap { needed, given });
                let spread = values::spread_with(backend, &values, short, &mut room[..]);
                assert_eq!(spread.unwrap_err(), expected);
                let compacted = values::compact_with(backend, &values, short, &mut room[..]);
                assert_eq!(compacted.unwrap_err(), expected);
            }
        }
    }
}

#[test]
fn lengths_that_do_not_fit_are_refused() {
    refuses::<i8>();
    refuses::<i16>();
    refuses::<i32>();
    refuses::<i64>();
    refuses::<i128>();
}

#[test]
fn appended_values_follow_what_is_there() {
    let mut values = std::vec![0.5];
    assert_eq!(
        values::spread_append(&[1.5, 2.5], &[0b1010], 4, &mut values),
        Ok(())
    );
    assert!(values::spread_append(&[1.5], &[0b1010], 4, &mut values).is_err());
    assert_eq!(values, [0.5, 0.0, 1.5, 0.0, 2.5]);
    let mut dense = std::vec![7.5];
    assert_eq!(
        values::compact_append(&values, &[0b10101], &mut dense),
        Ok(3)
    );
    assert!(values::compact_append(&values, &[], &mut dense).is_err());
    assert_eq!(dense, [7.5, 0.5, 1.5, 2.5]);
}

/// Compares the steps that replace `pext` with selecting bit by bit.
#[test]
fn bits_are_selected() {
    for i in thinned(0..200, 4) {
        let (bits, places) = (
            random(2 * i) << 20 ^ random(i),
            random(i) << 16 ^ random(7 * i),
        );
        for places in [places, 0, !0, 1, 1 << 63] {
            let mut expected = 0;
            let set = (0..64).filter(|place| places >> place & 1 != 0);
            for (next, place) in set.enumerate() {
                expected |= (bits >> place & 1) << next;
            }
            assert_eq!(super::kernel::select_in_steps(bits, places), expected);
        }
    }
}
