//! Every backend against the specification.

use super::*;
use std::vec::Vec;

fn input(len: usize) -> Vec<u8> {
    (0..len)
        .map(|i| (i * 7 + i / 251 * 3 + i / 65_537) as u8)
        .collect()
}

#[test]
fn every_backend_does_what_the_specification_says() {
    for backend in Backend::available() {
        for width in [1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 32] {
            for count in (0..=200).chain([513, 4099, 70_001]) {
                let values = input(count * width);
                let mut streams = Vec::new();
                for k in 0..width {
                    streams.extend((0..count).map(|i| values[i * width + k]));
                }
                let mut encoded = std::vec![0xaa; values.len()];
                encode_with(backend, &values, width, &mut encoded).unwrap();
                assert!(
                    encoded == streams,
                    "encode, {backend}, width {width}, {count} values"
                );
                let mut decoded = std::vec![0xaa; values.len()];
                decode_with(backend, &encoded, width, &mut decoded).unwrap();
                assert!(
                    decoded == values,
                    "decode, {backend}, width {width}, {count} values"
                );
            }
        }
    }
}

#[test]
fn a_backend_that_is_missing_is_an_error() {
    for &backend in Backend::ALL
        .iter()
        .filter(|backend| !backend.is_available())
    {
        let missing = Err(Error::Unavailable(backend));
        for width in [1, 2, 3, 4, 8, 16] {
            let (src, mut dst) = (std::vec![1; width], std::vec![0; width]);
            assert_eq!(encode_with(backend, &src, width, &mut dst), missing);
            assert_eq!(decode_with(backend, &src, width, &mut dst), missing);
            assert_eq!(dst, std::vec![0; width]);
        }
    }
}
