//! Compares every backend with the specification.

use super::*;
use crate::LengthErrorKind;
use crate::cost_of_a_call::{report, round};
use crate::grid::thinned;
use core::hint::black_box;
use core::mem::MaybeUninit;
use std::vec::Vec;

fn every_list<T: Value>(value: impl Fn(u64) -> T, to_be_bytes: impl Fn(T) -> Vec<u8>) {
    for backend in Backend::available() {
        let backend = Detected::new(backend).unwrap();
        for count in thinned((0..=130).chain([513, 4099, 70_001]), 3) {
            let values: Vec<T> = (0..count)
                .map(|i| value(0x9e37_79b9_7f4a_7c15u64.wrapping_mul(i + 1)))
                .collect();
            let expected: Vec<u8> = values
                .iter()
                .flat_map(|&value| to_be_bytes(value))
                .collect();
            let offsets = if count < 600 { 65 } else { 3 };
            for offset in thinned(0..offsets, 2) {
                let room = offset + expected.len() + 1;
                let mut encoded = std::vec![0xaa; room];
                let written = encode_with(backend, &values, &mut encoded[offset..]).unwrap();
                assert!(
                    written == expected,
                    "{backend:?}, {count} values at {offset}"
                );
                let mut around = encoded[..offset].iter().chain(encoded.last());
                assert!(around.all(|&byte| byte == 0xaa));

                let mut decoded = std::vec![MaybeUninit::<T>::uninit(); values.len()];
                let decoded = decode_with(backend, &expected, &mut decoded[..]).unwrap();
                assert!(
                    memory::bytes(decoded) == memory::bytes(&values),
                    "{backend:?}, {count} values from {offset}"
                );
            }
        }
    }
}

#[test]
fn all_shapes_agree() {
    let values = [1u16, 2, 3];
    let bytes = [0, 1, 0, 2, 0, 3];
    let mut encoded = [0xaa; 7];
    assert_eq!(encode(&values, &mut encoded), Ok(6));
    assert_eq!(encoded, [0, 1, 0, 2, 0, 3, 0xaa]);
    assert_eq!(encode_to_vec(&values), bytes);
    let mut decoded = [7u16; 4];
    assert_eq!(decode(&bytes, &mut decoded), Ok(3));
    assert_eq!(decoded, [1, 2, 3, 7]);
    assert_eq!(decode_to_vec(&bytes), Ok(values.to_vec()));
}

#[test]
fn lists_of_integers() {
    every_list(|bits| bits as i8, |value| value.to_be_bytes().to_vec());
    every_list(|bits| bits as u16, |value| value.to_be_bytes().to_vec());
    every_list(|bits| bits as i32, |value| value.to_be_bytes().to_vec());
    every_list(|bits| bits as i64, |value| value.to_be_bytes().to_vec());
}

#[test]
fn lists_of_floats_keep_every_bit() {
    every_list(
        |bits| f32::from_bits(bits as u32),
        |value| value.to_be_bytes().to_vec(),
    );
    every_list(f64::from_bits, |value| value.to_be_bytes().to_vec());
    every_list(
        |_| f64::from_bits(0x7ff0_0000_0000_0001),
        |value| value.to_be_bytes().to_vec(),
    );
}

#[test]
fn lengths_that_do_not_fit_are_errors_and_nothing_is_written() {
    let mut encoded = [0; 3];
    let error = encode(&[1u32], &mut encoded).unwrap_err();
    assert_eq!((error.needed(), error.given()), (4, 3));
    assert_eq!(encoded, [0; 3]);
    let mut values = [0u32; 2];
    let indivisible = |bytes, width| LengthErrorKind::Indivisible { bytes, width };
    assert_eq!(
        decode(&[1; 7], &mut values).unwrap_err().kind(),
        indivisible(7, 4)
    );
    let too_short = LengthErrorKind::Destination(DestinationError::new(12, 8));
    assert_eq!(decode(&[1; 12], &mut values).unwrap_err().kind(), too_short);
    assert_eq!(values, [0; 2]);
    let mut values = std::vec![1u64];
    let error = decode_append(&[1; 12], &mut values).unwrap_err();
    assert_eq!(error.kind(), indivisible(12, 8));
    assert_eq!(values, [1]);
}

#[test]
#[ignore = "a measurement"]
fn cost_of_a_call() {
    let values = [1u32, 2];
    let call = || {
        let mut dst = [0; 8];
        round(|| assert!(encode(black_box(&values[..]), black_box(&mut dst)).is_ok()))
    };
    let kernel = || {
        let (src, mut dst) = (memory::bytes(&values), [Slot::new(0); 8]);
        let kernel: fn(&[u8], &mut [Slot]) = black_box(kernel::swap_few::<4>);
        round(|| kernel(black_box(src), black_box(&mut dst)))
    };
    report("big_endian encode 8", call, kernel);
}
