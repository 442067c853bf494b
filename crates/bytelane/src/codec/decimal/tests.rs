use super::*;
use crate::Backend;
use std::format;
use std::string::String;
use std::vec::Vec;

fn check(values: &[i64]) {
    let expected: String = values.iter().map(|value| format!(",{value}")).collect();
    for backend in Backend::available() {
        let backend = Detected::new(backend).unwrap();
        // What is left of other numbers does no harm.
        let mut text = Text { bytes: [b'x'; ROOM] };
        let written = text.write_with(backend, values);
        let written = core::str::from_utf8(written).unwrap();
        assert_eq!(written, expected, "{backend}");
    }
}

/// Numbers of all lengths, those next to the powers of ten and of two, and those next to what the
/// kernels divide by.
fn values() -> impl Iterator<Item = i64> {
    let powers = (0..19).map(|power| 10i64.pow(power));
    let multiples = powers.flat_map(|power| (1..10).filter_map(move |i| power.checked_mul(i)));
    let twos = (0..63).map(|bits| 1i64 << bits);
    let near = multiples.chain(twos);
    let near = near.flat_map(|value| (-2..3).map(move |i| value.saturating_add(i)));
    let mixed = (0..20_000u64).map(|i| {
        let bits = i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        bits.cast_signed() >> (i % 64)
    });
    let eights = mixed.clone().map(|value| value / 100_000_000 * 100_000_000 - 1);
    let all = near.chain(mixed).chain(eights).chain([0, i64::MAX, i64::MIN]);
    all.flat_map(|value| [value, value.wrapping_neg()])
}

#[test]
fn integers_become_the_digits_of_the_standard_library() {
    let values: Vec<_> = values().collect();
    values.chunks(MOST).for_each(check);
    let short: Vec<_> = values.iter().map(|&value| i64::from(value as i32)).collect();
    short.chunks(MOST).for_each(check);
}

#[test]
fn every_count_of_integers_is_written() {
    for value in [0, -7, i64::from(u32::MAX), i64::MIN] {
        for count in 0..=MOST {
            check(&[value; MOST][..count]);
        }
    }
}

#[test]
#[should_panic(expected = "33 integers in one call")]
fn more_integers_than_there_is_room_for_are_refused() {
    Text::default().write(&[0; MOST + 1]);
}
