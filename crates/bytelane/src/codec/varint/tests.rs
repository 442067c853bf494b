//! Compares every backend with single varints, and single varints with the scalar code.

use super::*;
use crate::Backend;
use crate::grid::thinned;
use core::mem::MaybeUninit;
use std::string::ToString;
use std::vec::Vec;

fn backends() -> impl Iterator<Item = Detected> {
    Backend::available().map(|backend| Detected::new(backend).unwrap())
}

/// Returns values of 7 bits, then of up to 14, then of all widths of the type, and finally all of
/// the maximum width.
fn values<T: Integer>(count: usize) -> Vec<T> {
    let bits = 8 * size_of::<T>() as u32;
    let mut state = count as u64;
    let mut value = |i| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let width = match 4 * i / count.max(1) {
            0 => 7,
            1 => 14,
            2 => 1 + (state >> 33) as u32 % bits,
            _ => bits,
        };
        T::from_wire(state >> (64 - width))
    };
    (0..count).map(&mut value).collect()
}

/// Encodes varints, one after the other.
fn varints<T: Integer>(values: &[T]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for &value in values {
        let mut one = [0; 10];
        let length = write(value, &mut one).unwrap();
        bytes.extend_from_slice(&one[..length]);
    }
    bytes
}

fn decoded<T: Integer>(
    backend: Detected,
    src: &[u8],
    count: usize,
) -> Result<(Vec<T>, usize), Error> {
    let mut room = std::vec![MaybeUninit::uninit(); count];
    let (values, read) = decode_with(backend, src, &mut room[..])?;
    Ok((values.to_vec(), read))
}

/// Returns lists that begin, continue and end with one byte each or with several: a block of 64
/// values has a path of its own if all have one byte, and so have the last 64.
fn lists_of_mixed_blocks<T: Integer>() -> Vec<Vec<T>> {
    let short = |i: u64| T::from_wire(i % 128);
    let long = |i: u64| T::from_wire(i << 20 | 1);
    let list = |parts: &[(usize, bool)]| {
        let values = parts.iter().flat_map(|&(count, is_long)| {
            (1..=count as u64).map(move |i| if is_long { long(i) } else { short(i) })
        });
        values.collect()
    };
    let mixtures: [&[(usize, bool)]; 5] = [
        &[(200, false)],
        &[(64, false), (40, true), (100, false)],
        &[(70, true), (130, false)],
        &[(130, false), (20, true)],
        &[(150, true), (1, false)],
    ];
    mixtures.map(list).into()
}

fn every_destination<T: Integer>() {
    let lists = thinned(lists_of_mixed_blocks::<T>(), 2);
    let cases = backends().flat_map(|backend| lists.iter().map(move |list| (backend, list)));
    for (backend, values) in cases {
        let expected = varints(values);
        for room in thinned(0..=expected.len() + 8 * ENCODE_ROOM, 12) {
            let mut encoded = std::vec![MaybeUninit::uninit(); room];
            let encoded = encode_with(backend, values, &mut encoded[..]);
            match &encoded {
                Ok(encoded) => assert!(**encoded == expected, "{backend:?}, {room}"),
                Err(error) => assert_eq!(error.needed(), expected.len(), "{backend:?}, {room}"),
            }
            assert_eq!(
                encoded.is_ok(),
                room >= expected.len(),
                "{backend:?}, {room}"
            );
        }
        for cut in thinned(0..expected.len(), 12) {
            let [of_backend, of_scalar] = [backend, Detected::new(Backend::Scalar).unwrap()]
                .map(|it| decoded::<T>(it, &expected[..cut], values.len()).unwrap_err());
            assert_eq!(of_backend, of_scalar, "{backend:?}, {cut}");
        }
        for count in thinned(0..=values.len(), 12) {
            let length = varints(&values[..count]).len();
            let front = decoded::<T>(backend, &expected, count).unwrap();
            assert!(
                front == (values[..count].to_vec(), length),
                "{backend:?}, {count}"
            );
        }
    }
}

#[test]
fn mixed_blocks_to_every_destination() {
    every_destination::<u32>();
    every_destination::<i64>();
}

/// The window after a varint that two windows share ends before another varint is complete.
#[test]
fn no_varint_is_complete_after_one_that_two_windows_share() {
    let specification = Detected::new(Backend::Scalar).unwrap();
    // Under Miri, only windows of 64 bytes that leave a varint on their last bytes.
    let places = thinned((50..64).chain(0..50), 2);
    let lengths = (1..=10).flat_map(|shared| (0..24).map(move |unfinished| (shared, unfinished)));
    let lengths = thinned(lengths, 3);
    for (backend, before) in
        backends().flat_map(|backend| places.iter().map(move |place| (backend, *place)))
    {
        for &(shared, unfinished) in &lengths {
            let mut src = std::vec![1; before];
            src.extend(core::iter::repeat_n(0x80, shared - 1));
            src.push(1);
            src.extend(core::iter::repeat_n(0xff, unfinished));
            let error = decoded::<u64>(backend, &src, before + 100).unwrap_err();
            let expected = decoded::<u64>(specification, &src, before + 100).unwrap_err();
            assert_eq!(
                error, expected,
                "{backend:?}, {before} before {shared} bytes, {unfinished} after them"
            );
        }
    }
}

fn every_list<T: Integer>() {
    let counts = [
        130, 0, 1, 7, 15, 16, 31, 32, 63, 64, 65, 100, 300, 515, 4099,
    ];
    for (backend, count) in
        backends().flat_map(|backend| thinned(counts, 3).into_iter().map(move |n| (backend, n)))
    {
        let values = values::<T>(count);
        let expected = varints(&values);
        let place = std::format!("{backend:?}, {count} values");
        let length = T::list_len(&values, backend);
        assert_eq!(length, expected.len(), "{place}");
        assert_eq!(count_ends(&expected, backend), count, "{place}");
        for more in [0, 1, 2000] {
            let mut encoded = std::vec![MaybeUninit::uninit(); length + more];
            let encoded = encode_with(backend, &values, &mut encoded[..]).unwrap();
            assert!(encoded == expected, "{place}");

            let mut src = expected.clone();
            src.resize(length + more, 0xff);
            let all = decoded::<T>(backend, &src, count).unwrap();
            assert!(all == (values.clone(), length), "{place}");
        }
    }
}

#[test]
fn every_backend_writes_and_reads_the_same() {
    every_list::<u32>();
    every_list::<u64>();
    every_list::<i32>();
    every_list::<i64>();
}

/// Loads and stores of 4 and 8 bytes need no alignment: Miri reports code that assumes it.
fn every_offset<T: Integer>() {
    let values = values::<T>(if cfg!(miri) { 73 } else { 300 });
    let expected = varints(&values);
    for (backend, offset) in
        backends().flat_map(|backend| thinned(0..9, 2).into_iter().map(move |n| (backend, n)))
    {
        let mut encoded = std::vec![0xaa; offset + expected.len() + 2000];
        let written = encode_with(backend, &values, &mut encoded[offset..]).unwrap();
        assert!(written == expected, "{backend:?}, to {offset}");
        assert!(encoded[..offset].iter().all(|&byte| byte == 0xaa));
        let all = decoded::<T>(backend, &encoded[offset..], values.len()).unwrap();
        assert!(
            all == (values.clone(), expected.len()),
            "{backend:?}, from {offset}"
        );
    }
}

#[test]
fn lists_may_begin_at_any_offset() {
    every_offset::<u32>();
    every_offset::<u64>();
    every_offset::<i32>();
    every_offset::<i64>();
}

#[test]
fn bytes_are_those_of_the_specification() {
    assert_eq!(encode_to_vec(&[150u32]), [0x96, 0x01]);
    assert_eq!(encode_to_vec(&[0i32, -1, 1, -2]), [0, 1, 2, 3]);
    assert_eq!(
        encode_to_vec(&[i32::MIN]),
        [0xff, 0xff, 0xff, 0xff, 0x0f],
        "4294967295"
    );
    let most = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
    assert_eq!(encode_to_vec(&[u64::MAX]), most);
    assert_eq!(read::<i64>(&most), Ok((i64::MIN, 10)));
}

#[test]
fn all_shapes_agree() {
    let (values, bytes) = ([1u32, 127, 300], [0x01, 0x7f, 0xac, 0x02]);
    assert_eq!(encoded_len(&values), 4);
    assert_eq!(count(&bytes), 3);
    let mut encoded = [0; 5];
    assert_eq!(encode(&values, &mut encoded), Ok(4));
    assert_eq!(encoded[..4], bytes);
    let mut uninit = [MaybeUninit::uninit(); 5];
    assert_eq!(
        encode_with(Detected::active(), &values, &mut uninit[..]).unwrap(),
        bytes
    );
    let mut appended = std::vec![7];
    assert_eq!(encode_append(&values, &mut appended), 4);
    assert_eq!(appended, [7, 0x01, 0x7f, 0xac, 0x02]);
    assert_eq!(encode_to_vec(&values), bytes);
    let mut pushed = Vec::new();
    assert_eq!(values.map(|value| push(value, &mut pushed)), [1, 1, 2]);
    assert_eq!(pushed, bytes);

    let mut decoded = [0u32; 3];
    assert_eq!(decode(&appended[1..], &mut decoded), Ok(4));
    assert_eq!(decoded, values);
    let mut uninit = [MaybeUninit::<u32>::uninit(); 2];
    let (some, read) = decode_with(Detected::active(), &bytes, &mut uninit[..]).unwrap();
    assert_eq!((&*some, read), (&values[..2], 2));
    let mut appended = std::vec![7u32];
    assert_eq!(decode_append(&bytes, 2, &mut appended), Ok(2));
    assert_eq!(appended, [7, 1, 127]);
    assert_eq!(decode_to_vec(&bytes, 3), Ok((values.to_vec(), 4)));
}

#[test]
fn a_malformed_varint_is_found_at_any_place() {
    let cases: [(&[u8], ErrorKind); 3] = [
        (&[0xff; 4], ErrorKind::Truncated),
        (&[0xff, 0xff, 0xff, 0xff, 0x10], ErrorKind::Overflow),
        (&[0x80, 0x80, 0x80, 0x80, 0x80, 0], ErrorKind::Overlong),
    ];
    let values = values::<u32>(100);
    for (malformed, kind) in cases {
        for place in thinned(0..=100, 3) {
            let mut src = varints(&values[..place]);
            let expected = Error::at(src.len(), kind);
            src.extend_from_slice(malformed);
            if kind != ErrorKind::Truncated {
                src.resize(src.len() + 200, 1);
            }
            for backend in backends() {
                let error = decoded::<u32>(backend, &src, 150);
                assert_eq!(error, Err(expected), "{backend:?}, {place}");
                let before = decoded::<u32>(backend, &src, place);
                assert_eq!(
                    before,
                    Ok((values[..place].to_vec(), expected.offset().unwrap()))
                );
            }
            let mut kept = std::vec![7u32];
            assert_eq!(decode_append(&src, place + 1, &mut kept), Err(expected));
            assert_eq!(kept, [7]);
        }
        assert_eq!(read::<u32>(malformed), Err(Error::at(0, kind)));
    }
}

#[test]
fn a_ninth_and_a_tenth_byte_have_eight_bits_together() {
    let cases: [(&[u8], Option<u64>); 4] = [
        (
            &[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01],
            Some(1 << 56),
        ),
        (
            &[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01],
            Some(1 << 63),
        ),
        (
            &[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00],
            Some(0),
        ),
        (
            &[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02],
            None,
        ),
    ];
    for (bytes, number) in cases {
        let expected = match number {
            Some(number) => Ok((std::vec![number; 90], 90 * bytes.len())),
            None => Err(Error::at(0, ErrorKind::Overflow)),
        };
        for backend in backends() {
            assert_eq!(
                decoded(backend, &bytes.repeat(90), 90),
                expected,
                "{backend:?}"
            );
        }
    }
}

#[test]
fn too_little_room_is_an_error_with_the_room_it_needs() {
    let values = values::<u64>(if cfg!(miri) { 20 } else { 200 });
    let needed = encoded_len(&values);
    for backend in backends() {
        for given in thinned(0..needed, 4) {
            let mut room = std::vec![0; given];
            let error = encode_with(backend, &values, &mut room[..]).unwrap_err();
            assert_eq!((error.needed(), error.given()), (needed, given));
        }
    }
    let error = write(1u64 << 20, &mut [0; 2]).unwrap_err();
    assert_eq!((error.needed(), error.given()), (3, 2));
}

#[test]
fn a_count_that_the_input_cannot_have_allocates_nothing() {
    let mut values = std::vec![7u64];
    let capacity = values.capacity();
    for count in [4, 1 << 30, usize::MAX] {
        let error = decode_append(&[1, 2, 3], count, &mut values);
        assert_eq!(error, Err(Error::at(3, ErrorKind::Truncated)));
        assert_eq!((values.len(), values.capacity()), (1, capacity));
    }
    let error = decode_append(&[0xff; 50], usize::MAX, &mut values);
    assert_eq!(error, Err(Error::at(0, ErrorKind::Overlong)));
    assert_eq!(max_encoded_len::<u64>(usize::MAX), usize::MAX);
}

#[test]
fn errors_name_the_place() {
    let error = read::<u32>(&[0x80]).unwrap_err();
    assert_eq!(
        error.behind(2).to_string(),
        "offset 2: the input ends within this varint"
    );
    // No input is that long: the largest offset stands for all offsets beyond it.
    assert_eq!(
        Error::at(1, ErrorKind::Overlong)
            .behind(usize::MAX)
            .offset(),
        Some(usize::MAX - 1)
    );
}
