//! Appending to a `Vec` gives the same result whatever its spare capacity is and contains: fresh
//! memory, or bytes left over from earlier use, which must never show up as values.

use bytelane::base64::{STANDARD, STANDARD_NO_PAD};
use bytelane::json_string::{BARE, QUOTED};
use bytelane::stream_vbyte::{Format, Integer as Number};
use bytelane::varint::{self, Integer};
use bytelane::{Backend, base64, big_endian, byte_stream_split};
use bytelane_testkit::{backends, on, reduced};
use std::fmt::Debug;

/// A value that can be built by repeating one byte.
trait Value: Copy + PartialEq + Debug {
    fn filled(byte: u8) -> Self;
}

macro_rules! values {
    ($($T:ty)*) => { $(
        impl Value for $T {
            fn filled(byte: u8) -> Self {
                Self::from_ne_bytes([byte; size_of::<Self>()])
            }
        }
    )* };
}
values! { u8 u16 u32 i32 u64 i64 f32 f64 }

/// Returns numbers of all lengths.
fn numbers(count: usize) -> impl Iterator<Item = u64> {
    let mix = |i: u64| 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(i + 1);
    (0..count as u64).map(move |i| mix(i) >> (mix(i) % 61))
}

fn counts() -> &'static [usize] {
    match (cfg!(miri), reduced()) {
        (true, _) => &[70],
        (false, true) => &[0, 1, 17, 64, 131, 515],
        (false, false) => &[0, 1, 3, 8, 17, 33, 63, 64, 65, 131, 300, 515, 1025, 4099],
    }
}

/// Calls a test on every backend, including the specification.
fn every_backend(test: impl Fn(&str)) {
    for backend in backends().into_iter().chain([Backend::Scalar]) {
        on(backend, || test(backend.name()));
    }
}

/// Returns vectors of three values, with different amounts and contents of spare capacity.
fn destinations<T: Value>(most: usize) -> impl Iterator<Item = (String, Vec<T>)> {
    const FRESH: Option<u8> = None;
    let rooms = [0, most.saturating_sub(1), most, most + 1, most + 1000];
    // Miri itself knows which bytes are fresh, and has no time for all of them.
    let contents = if cfg!(miri) {
        &[FRESH][..]
    } else {
        &[FRESH, Some(0xa5), Some(0x5a)]
    };
    contents.iter().flat_map(move |&content| {
        rooms.into_iter().map(move |room| {
            let mut to = Vec::with_capacity(3 + room);
            if let Some(byte) = content {
                to.resize(3 + room, T::filled(byte));
                to.clear();
            }
            to.extend([T::filled(0x3c); 3]);
            (format!("{room} spare, {content:x?}"), to)
        })
    })
}

/// Checks that `append` adds `expected` to the end of a vector, and changes nothing else.
fn assert_appends<T: Value>(place: &str, expected: &[T], append: impl Fn(&mut Vec<T>)) {
    for (spare, mut to) in destinations(expected.len()) {
        append(&mut to);
        let (before, appended) = to.split_at(3);
        assert_eq!(before, [T::filled(0x3c); 3], "{place}, {spare}");
        assert!(appended == expected, "{place}, {spare}");
    }
}

/// Checks that `append` fails and leaves the vector unchanged.
fn assert_refuses<T: Value, E>(
    place: &str,
    most: usize,
    append: impl Fn(&mut Vec<T>) -> Result<usize, E>,
) {
    for (spare, mut to) in destinations(most) {
        assert!(append(&mut to).is_err(), "{place}, {spare}");
        assert_eq!(to, [T::filled(0x3c); 3], "{place}, {spare}");
    }
}

fn fixed_width<T>(value: impl Fn(u64) -> T)
where
    T: Value + bytelane::Value,
{
    for &count in counts() {
        let values: Vec<T> = numbers(count).map(&value).collect();
        let swapped = on(Backend::Scalar, || big_endian::encode_to_vec(&values));
        let split = on(Backend::Scalar, || {
            byte_stream_split::encode_to_vec(&values)
        });
        every_backend(|backend| {
            let place = format!("{count} of {} bytes, {backend}", size_of::<T>());
            assert_appends(&place, &swapped, |to| {
                assert_eq!(big_endian::encode_append(&values, to), swapped.len());
            });
            assert_appends(&place, &values, |to| {
                assert_eq!(big_endian::decode_append(&swapped, to), Ok(count));
            });
            assert_appends(&place, &split, |to| {
                assert_eq!(byte_stream_split::encode_append(&values, to), split.len());
            });
            assert_appends(&place, &values, |to| {
                assert_eq!(byte_stream_split::decode_append(&split, to), Ok(count));
            });
            if let [.., _] = swapped[..]
                && size_of::<T>() > 1
            {
                let cut = swapped.len() - 1;
                assert_refuses(&place, count, |to: &mut Vec<T>| {
                    big_endian::decode_append(&swapped[..cut], to)
                });
                assert_refuses(&place, count, |to: &mut Vec<T>| {
                    byte_stream_split::decode_append(&split[..cut], to)
                });
            }
        });
    }
}

#[test]
fn values_of_fixed_width() {
    fixed_width(|bits| bits as u16);
    fixed_width(|bits| bits as f32);
    fixed_width(|bits| bits as i64);
}

fn variable_width<T: Value + Integer>(value: impl Fn(u64) -> T) {
    for &count in counts() {
        let values: Vec<T> = numbers(count).map(&value).collect();
        let encoded = on(Backend::Scalar, || varint::encode_to_vec(&values));
        every_backend(|backend| {
            let place = format!("{count} varints, {backend}");
            assert_appends(&place, &encoded, |to| {
                assert_eq!(varint::encode_append(&values, to), encoded.len());
            });
            assert_appends(&place, &values, |to| {
                let read = varint::decode_append(&encoded, count, to);
                assert_eq!(read, Ok(encoded.len()));
            });
            assert_refuses(&place, count + 1, |to: &mut Vec<T>| {
                varint::decode_append(&encoded, count + 1, to)
            });
        });
    }
}

#[test]
fn varints() {
    variable_width(|bits| bits as u32);
    variable_width(|bits| bits as i32);
    variable_width(|bits| bits);
    variable_width(|bits| bits as i64);
}

fn controlled<T: Value + Number>(plain: Format<T>, value: impl Fn(u64) -> T) {
    for format in [plain, plain.delta(value(9)), plain.zigzag()] {
        for &count in counts() {
            let values: Vec<T> = numbers(count).map(&value).collect();
            let encoded = on(Backend::Scalar, || format.encode_to_vec(&values));
            every_backend(|backend| {
                let place = format!("{count} values, {format:?}, {backend}");
                assert_appends(&place, &encoded, |to| {
                    assert_eq!(format.encode_append(&values, to), encoded.len());
                });
                assert_appends(&place, &values, |to| {
                    let read = format.decode_append(&encoded, count, to);
                    assert_eq!(read, Ok(encoded.len()));
                });
                if count > 0 {
                    let cut = &encoded[..count.div_ceil(4) - 1];
                    assert_refuses(&place, count, |to| format.decode_append(cut, count, to));
                }
            });
        }
    }
}

#[test]
fn integers_with_control_bytes() {
    controlled(Format::V1234, |bits| bits as u32);
    controlled(Format::V0124, |bits| bits as u32);
    controlled(Format::V1248, |bits| bits);
}

#[test]
fn base64_texts() {
    for engine in [STANDARD, STANDARD_NO_PAD, base64::URL_SAFE] {
        for &count in counts() {
            let bytes: Vec<u8> = numbers(count).map(|bits| bits as u8).collect();
            let text = on(Backend::Scalar, || engine.encode_to_string(&bytes));
            every_backend(|backend| {
                let place = format!("{count} bytes, {engine:?}, {backend}");
                assert_appends(&place, text.as_bytes(), |to| {
                    assert_eq!(engine.encode_append(&bytes, to), text.len());
                });
                assert_appends(&place, &bytes, |to| {
                    assert_eq!(engine.decode_append(&text, to), Ok(count));
                });
                let broken = format!("{}!", &text[..text.len() / 4 * 4]);
                assert_refuses(&place, count, |to| engine.decode_append(&broken, to));
            });
        }
    }
}

#[test]
fn json_strings() {
    const PIECES: [&str; 6] = ["plain text", "\"", "\n", "é", "😀", "\\u0041"];
    for format in [QUOTED, BARE] {
        for &count in counts() {
            let pieces = numbers(count).map(|bits| PIECES[(bits % 6) as usize]);
            let text: String = pieces.collect();
            let json = on(Backend::Scalar, || format.escape_to_string(&text));
            // Reading begins after the opening quote of a string.
            let string = json.strip_prefix('"').filter(|_| format == QUOTED);
            let string = string.unwrap_or(&json).as_bytes();
            every_backend(|backend| {
                let place = format!("{count} pieces, {format:?}, {backend}");
                assert_appends(&place, json.as_bytes(), |to| {
                    format.escape_append(&text, to);
                });
                assert_appends(&place, text.as_bytes(), |to| {
                    let consumed = format.unescape_append(string, to).unwrap();
                    assert_eq!(
                        (consumed.read, consumed.written),
                        (string.len(), text.len())
                    );
                });
                let inside = string.len() - usize::from(format == QUOTED);
                let broken = [&string[..inside], b"\n\""].concat();
                assert_refuses(&place, broken.len(), |to| {
                    format
                        .unescape_append(&broken, to)
                        .map(|consumed| consumed.written)
                });
            });
        }
    }
}
