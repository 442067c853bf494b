//! Every backend against the specification.

use super::*;
use std::vec::Vec;

fn every_list<T: Value>(value: impl Fn(u64) -> T, to_be_bytes: impl Fn(T) -> Vec<u8>) {
    for backend in Backend::available() {
        for count in (0..=130).chain([513, 4099, 70_001]) {
            let values: Vec<T> = (0..count)
                .map(|i| value(0x9e37_79b9_7f4a_7c15u64.wrapping_mul(i + 1)))
                .collect();
            let expected: Vec<u8> = values
                .iter()
                .flat_map(|&value| to_be_bytes(value))
                .collect();
            for offset in 0..if count < 600 { 65 } else { 3 } {
                let mut encoded = std::vec![0xaa; offset + expected.len() + 1];
                encode_with(backend, &values, &mut encoded[offset..][..expected.len()]).unwrap();
                assert!(
                    encoded[offset..][..expected.len()] == expected,
                    "{backend}, {count} values at {offset}"
                );
                assert!(
                    encoded[..offset]
                        .iter()
                        .chain(encoded.last())
                        .all(|&byte| byte == 0xaa)
                );

                let mut decoded = std::vec![T::default(); values.len()];
                decode_with(backend, &encoded[offset..][..expected.len()], &mut decoded).unwrap();
                assert!(
                    memory::bytes(&decoded) == memory::bytes(&values),
                    "{backend}, {count} values from {offset}"
                );
            }
            let mut appended = std::vec![value(1)];
            decode_into_vec_with(backend, &expected, &mut appended).unwrap();
            assert_eq!(appended.len(), values.len() + 1);
            assert!(
                memory::bytes(&appended[1..]) == memory::bytes(&values),
                "{backend}, {count} values appended"
            );
        }
    }
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
fn lengths_that_do_not_fit_are_errors() {
    let mut dst = [0xaa; 7];
    assert_eq!(
        encode(&[1u32, 2], &mut dst),
        Err(Error::Destination {
            needed: 8,
            given: 7
        })
    );
    assert_eq!(dst, [0xaa; 7]);
    let mut values = [0u32; 2];
    assert_eq!(
        decode(&[1; 7], &mut values),
        Err(Error::Indivisible { bytes: 7, width: 4 })
    );
    assert_eq!(
        decode(&[1; 4], &mut values),
        Err(Error::Destination {
            needed: 4,
            given: 8
        })
    );
    assert_eq!(values, [0; 2]);
    let mut values = std::vec![1u64];
    assert_eq!(
        decode_into_vec(&[1; 12], &mut values),
        Err(Error::Indivisible {
            bytes: 12,
            width: 8
        })
    );
    assert_eq!(values, [1]);
}

#[test]
fn a_backend_that_is_missing_is_an_error() {
    for &backend in Backend::ALL
        .iter()
        .filter(|backend| !backend.is_available())
    {
        assert_eq!(
            encode_with(backend, &[1u16], &mut [0; 2]),
            Err(Error::Unavailable(backend))
        );
        assert_eq!(
            encode_with(backend, &[1u8], &mut [0]),
            Err(Error::Unavailable(backend))
        );
    }
}
