//! Tests specific to `varint`: which bytes are varints, and the offset of a malformed one.

use bytelane::Backend;
use bytelane::varint::{self, Error, ErrorKind, Integer};
use bytelane_testkit::{Edge, Guarded, all_backends, on, reduced};
use proptest::prelude::*;

fn decode<T: Integer>(
    backend: Backend,
    src: &[u8],
    count: usize,
) -> Result<(usize, Vec<T>), Error> {
    let mut values = vec![T::default(); count];
    let read = on(backend, || varint::decode(src, &mut values))?;
    Ok((read, values))
}

/// Tests all inputs of up to three bytes, each followed by an end, at all positions in a window.
#[test]
fn every_varint_of_up_to_four_bytes() {
    for third in 0..=255 {
        if reduced() && ![0x00, 0x7f, 0x80, 0xff].contains(&third) {
            continue;
        }
        let mut input = Vec::with_capacity(4 << 16);
        let mut expected = Vec::with_capacity(4 << 16);
        for bytes in 0..=u16::MAX {
            let [first, second] = bytes.to_le_bytes();
            let four = [first, second, third, 0x01];
            input.extend(four);
            let (mut number, mut shift) = (0, 0);
            for byte in four {
                number |= u64::from(byte & 0x7f) << shift;
                shift += 7;
                if byte < 0x80 {
                    expected.push(number);
                    (number, shift) = (0, 0);
                }
            }
        }
        let short: Vec<u32> = expected.iter().map(|&number| number as u32).collect();
        for backend in all_backends() {
            assert_eq!(on(backend, || varint::count(&input)), expected.len());
            let wide = decode::<u64>(backend, &input, expected.len()).unwrap();
            assert!(
                wide == (input.len(), expected.clone()),
                "{backend}, {third:#x}"
            );
            let short_too = decode::<u32>(backend, &input, short.len()).unwrap();
            assert!(
                short_too == (input.len(), short.clone()),
                "{backend}, {third:#x}"
            );
        }
    }
}

/// Some writers use longer forms than necessary; these end within the type's maximum length.
#[test]
fn trailing_groups_of_zeros_are_accepted() {
    let cases: &[(&[u8], u64)] = &[
        (&[0x80, 0x00], 0),
        (&[0xff, 0x80, 0x00], 0x7f),
        (&[0x81, 0x80, 0x80, 0x80, 0x00], 1),
        (&[0xff, 0xff, 0xff, 0xff, 0x0f], u64::from(u32::MAX)),
    ];
    let wide: &[(&[u8], u64)] = &[
        (
            &[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00],
            0,
        ),
        (
            &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00],
            u64::MAX >> 1,
        ),
        (
            &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
            u64::MAX,
        ),
    ];
    for backend in all_backends() {
        for (bytes, number) in cases.iter().chain(wide) {
            let expected = Ok((100 * bytes.len(), vec![*number; 100]));
            assert_eq!(decode::<u64>(backend, &bytes.repeat(100), 100), expected);
            assert_eq!(varint::read::<u64>(bytes), Ok((*number, bytes.len())));
        }
        for (bytes, number) in cases {
            let expected = Ok((100 * bytes.len(), vec![*number as u32; 100]));
            assert_eq!(decode::<u32>(backend, &bytes.repeat(100), 100), expected);
            assert_eq!(
                varint::read::<u32>(bytes),
                Ok((*number as u32, bytes.len()))
            );
        }
    }
}

use ErrorKind::{Overflow as OVERFLOW, Overlong as OVERLONG, Truncated as TRUNCATED};

/// Returns the kind and the offset of an error.
fn fault(error: Error) -> (ErrorKind, usize) {
    (error.kind(), error.offset().expect("it is in the input"))
}

/// Puts malformed varints after each value of a list, with and without other varints after them:
/// every backend reports the kind and the offset.
fn assert_found_everywhere<T: Integer>(values: &[T], malformed: &[(&[u8], ErrorKind)]) {
    for (bytes, kind) in malformed {
        let error = varint::read::<T>(bytes).unwrap_err();
        assert_eq!(fault(error), (*kind, 0), "{bytes:x?}");
        let mut input = Vec::new();
        for place in 0..=values.len() {
            let offset = input.len();
            let before = input.len();
            input.extend_from_slice(bytes);
            if *kind != TRUNCATED {
                varint::encode_append(&values[place..], &mut input);
                input.resize(input.len() + 100, 0x01);
            }
            let guarded = Guarded::copy_of(&input, Edge::Back);
            for backend in all_backends() {
                let decoded = decode::<T>(backend, &guarded, values.len() + 90);
                assert_eq!(
                    decoded.map_err(fault),
                    Err((*kind, offset)),
                    "{backend}, {place}, {bytes:x?}"
                );
                // The values before it can be decoded.
                assert_eq!(
                    decode::<T>(backend, &guarded, place),
                    Ok((offset, values[..place].to_vec())),
                    "{backend}, {place}, {bytes:x?}"
                );
            }
            input.truncate(before);
            if let Some(&value) = values.get(place) {
                varint::push(value, &mut input);
            }
        }
    }
}

/// Returns values of all lengths, in runs and mixed.
fn values(bits: u32) -> Vec<u64> {
    let mut state = 1u64;
    (0..if reduced() { 90 } else { 170 })
        .map(|i| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let width = match i {
                0..70 => 7,
                70..100 => 14,
                _ => 1 + (state >> 33) as u32 % bits,
            };
            state >> (64 - width.min(bits))
        })
        .collect()
}

#[test]
fn malformed_varints_of_32_bits_are_found_everywhere() {
    let malformed: &[(&[u8], ErrorKind)] = &[
        (&[], TRUNCATED),
        (&[0x80], TRUNCATED),
        (&[0xff, 0xff, 0xff, 0xff], TRUNCATED),
        (&[0xff, 0xff, 0xff, 0xff, 0x10], OVERFLOW),
        (&[0x80, 0x80, 0x80, 0x80, 0x7f], OVERFLOW),
        (&[0x80, 0x80, 0x80, 0x80, 0x80, 0x00], OVERLONG),
        (&[0xff; 64], OVERLONG),
    ];
    let values: Vec<u32> = values(32).iter().map(|&value| value as u32).collect();
    assert_found_everywhere(&values, malformed);
    let values: Vec<i32> = values.iter().map(|&value| value.cast_signed()).collect();
    assert_found_everywhere(&values, malformed);
}

#[test]
fn malformed_varints_of_64_bits_are_found_everywhere() {
    let malformed: &[(&[u8], ErrorKind)] = &[
        (&[], TRUNCATED),
        (&[0xff; 9], TRUNCATED),
        (
            &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02],
            OVERFLOW,
        ),
        (
            &[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f],
            OVERFLOW,
        ),
        (
            &[
                0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00,
            ],
            OVERLONG,
        ),
        (&[0xff; 64], OVERLONG),
    ];
    let values = values(64);
    assert_found_everywhere(&values, malformed);
    let values: Vec<i64> = values.iter().map(|&value| value.cast_signed()).collect();
    assert_found_everywhere(&values, malformed);
}

#[test]
fn what_does_not_fit_is_an_error_with_the_room_it_needs() {
    let values = values(64);
    let needed = varint::encoded_len(&values);
    for backend in all_backends() {
        for given in 0..needed {
            let mut room = Guarded::new(given, Edge::Back);
            let error = on(backend, || varint::encode(&values, &mut room)).unwrap_err();
            assert_eq!((error.needed(), error.given()), (needed, given));
        }
    }
    let error = varint::write(1u64 << 20, &mut [0; 2]).unwrap_err();
    assert_eq!((error.needed(), error.given()), (3, 2));
}

#[test]
fn a_count_that_the_input_cannot_have_allocates_nothing() {
    let mut values: Vec<u64> = vec![7];
    let capacity = values.capacity();
    for count in [4, 1 << 30, usize::MAX] {
        let result = varint::decode_append(&[1, 2, 3], count, &mut values);
        assert_eq!(result.map_err(fault), Err((TRUNCATED, 3)));
        assert_eq!((values.len(), values.capacity()), (1, capacity));
    }
    let overlong = varint::decode_append(&[0xff; 50], usize::MAX, &mut values);
    assert_eq!(overlong.map_err(fault), Err((OVERLONG, 0)));
    assert_eq!(varint::max_encoded_len::<u64>(usize::MAX), usize::MAX);
}

/// Generates numbers of 1 to 64 bits, each width equally likely.
fn number() -> impl Strategy<Value = u64> {
    (any::<u64>(), 0..64).prop_map(|(bits, shift)| bits >> shift)
}

fn assert_round_trips<T: Integer>(values: &[T]) {
    let mut expected = vec![0xaa];
    for &value in values {
        let mut one = [0; 10];
        let length = varint::write(value, &mut one).unwrap();
        assert_eq!(varint::read(&one), Ok((value, length)));
        assert_eq!(varint::push(value, &mut expected), length);
    }
    let varints = &expected[1..];
    for backend in all_backends() {
        let length = on(backend, || varint::encoded_len(values));
        assert_eq!(length, varints.len(), "{backend}");
        let mut encoded = vec![0xaa];
        let length = on(backend, || varint::encode_append(values, &mut encoded));
        assert_eq!(length, varints.len(), "{backend}");
        assert_eq!(encoded, expected, "{backend}");
        let mut decoded = vec![T::default()];
        let read = on(backend, || {
            varint::decode_append(varints, values.len(), &mut decoded)
        });
        assert_eq!(read, Ok(varints.len()), "{backend}");
        assert_eq!(&decoded[1..], values, "{backend}");
    }
}

proptest! {
    #[test]
    fn lists_are_single_varints_one_after_the_other(numbers in prop::collection::vec(number(), 0..300)) {
        assert_round_trips::<u64>(&numbers);
        assert_round_trips(&numbers.iter().map(|&number| number.cast_signed()).collect::<Vec<_>>());
        assert_round_trips(&numbers.iter().map(|&number| number as u32).collect::<Vec<_>>());
        assert_round_trips(&numbers.iter().map(|&number| number as i32).collect::<Vec<_>>());
    }
}

/// Streams are decoded in pieces: varints cross their borders, and errors report the offset in the
/// whole input.
#[test]
fn streams_keep_the_place() {
    let codec = bytelane_catalog::open("varint:type=u64").unwrap();
    let numbers: Vec<u64> = (0..30_000u64).map(|i| i.wrapping_mul(i << 40)).collect();
    let little_endian: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
    let backend = Backend::active();
    let mut encoded = Vec::new();
    codec
        .encode_stream(backend, &mut &little_endian[..], &mut encoded)
        .unwrap();
    let mut decoded = Vec::new();
    codec
        .decode_stream(backend, &mut &encoded[..], &mut decoded)
        .unwrap();
    assert!(decoded == little_endian);

    let last = encoded.len() - varint::encoded_len(&numbers[29_999..]);
    let cut = codec.decode_stream(backend, &mut &encoded[..last + 1], &mut Vec::new());
    let expected = format!("offset {last}: {TRUNCATED}");
    assert_eq!(cut.unwrap_err().to_string(), expected);
    encoded.extend([0xff; 11]);
    let overlong = codec.decode_stream(backend, &mut &encoded[..], &mut Vec::new());
    let offset = encoded.len() - 11;
    assert_eq!(
        overlong.unwrap_err().to_string(),
        format!("offset {offset}: {OVERLONG}")
    );
}

/// Compares with protobuf's reader in the crate `prost`, which follows the same rules for 64 bits.
#[cfg(target_arch = "x86_64")]
mod prost {
    use super::*;
    use ::prost::encoding::{decode_varint, encode_varint};

    proptest! {
        #[test]
        fn prost_writes_the_same(numbers in prop::collection::vec(number(), 0..200)) {
            let mut expected = Vec::new();
            for &number in &numbers {
                encode_varint(number, &mut expected);
            }
            let mut encoded = Vec::new();
            varint::encode_append(&numbers, &mut encoded);
            prop_assert_eq!(encoded, expected);
        }

        #[test]
        fn prost_reads_the_same(bytes in prop::collection::vec(
            prop_oneof![2 => 0x80u8..=0xff, 1 => any::<u8>()], 0..200
        )) {
            let (mut rest, mut expected) = (&bytes[..], Vec::new());
            while let Ok(number) = decode_varint(&mut rest) {
                expected.push(number);
            }
            for backend in all_backends() {
                let (_, values) = decode::<u64>(backend, &bytes, expected.len()).unwrap();
                prop_assert_eq!(&values, &expected);
                prop_assert!(decode::<u64>(backend, &bytes, expected.len() + 1).is_err());
            }
        }
    }
}
