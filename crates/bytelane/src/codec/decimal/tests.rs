use super::*;
use crate::Backend;
use crate::grid::thinned;
use std::format;
use std::string::String;
use std::vec::Vec;

/// Number of random numbers. Generating more and skipping them would take most of the time under
/// Miri.
const MANY: u64 = if cfg!(miri) { 100 } else { 20_000 };

fn check(values: &[i64]) {
    let expected: String = values.iter().map(|value| format!(",{value}")).collect();
    for backend in Backend::available() {
        let backend = Detected::new(backend).unwrap();
        // Leftovers of other numbers do no harm.
        let mut text = Text {
            bytes: [b'x'; ROOM],
        };
        let written = text.write_with(backend, values);
        let written = core::str::from_utf8(written).unwrap();
        assert_eq!(written, expected, "{backend}");
    }
}

/// Returns numbers of all lengths, including neighbours of powers of ten and of two, and of the
/// divisors of the kernels.
fn values() -> impl Iterator<Item = i64> {
    let powers = (0..19).map(|power| 10i64.pow(power));
    let multiples = powers.flat_map(|power| (1..10).filter_map(move |i| power.checked_mul(i)));
    let twos = (0..63).map(|bits| 1i64 << bits);
    let near = multiples.chain(twos);
    let near = near.flat_map(|value| (-2..3).map(move |i| value.saturating_add(i)));
    let mixed = (0..MANY).map(|i| {
        let bits = i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        bits.cast_signed() >> (i % 64)
    });
    let eights = mixed
        .clone()
        .map(|value| value / 100_000_000 * 100_000_000 - 1);
    let all = near
        .chain(mixed)
        .chain(eights)
        .chain([0, i64::MAX, i64::MIN]);
    all.flat_map(|value| [value, value.wrapping_neg()])
}

#[test]
fn integers_become_the_digits_of_the_standard_library() {
    let values = thinned(values(), 300);
    values.chunks(MOST).for_each(check);
    let short: Vec<_> = values
        .iter()
        .map(|&value| i64::from(value as i32))
        .collect();
    short.chunks(MOST).for_each(check);
}

#[test]
fn every_count_of_integers_is_written() {
    for value in [0, -7, i64::from(u32::MAX), i64::MIN] {
        for count in thinned(0..=MOST, 6) {
            check(&[value; MOST][..count]);
        }
    }
}

#[test]
#[should_panic(expected = "33 integers in one call")]
fn more_integers_than_there_is_room_for_are_refused() {
    Text::default().write(&[0; MOST + 1]);
}

fn check_decimals(values: &[f64], are_decimals: bool) {
    let expected: String = values.iter().map(|value| format!(",{value:?}")).collect();
    let mut text = Text {
        bytes: [b'x'; ROOM],
    };
    let written = text
        .write_decimals(values)
        .map(|text| core::str::from_utf8(text).unwrap());
    assert_eq!(written, are_decimals.then_some(expected.as_str()));
}

#[test]
fn decimals_become_the_digits_of_the_standard_library() {
    let bits = (0..MANY).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (14 + i % 50));
    let numbers = bits.chain((0..15).flat_map(|power| {
        let power = 10u64.pow(power);
        [power - 1, power, power + 1, 2 * power, 999_999_999_999_999]
    }));
    for (i, number) in thinned(numbers, 60).into_iter().enumerate() {
        let number = number % 1_000_000_000_000_000;
        // Parsed by the standard library, since a division could be wrong in the same way as the
        // code under test.
        let text = format!("{}.{:06}", number / 1_000_000, number % 1_000_000);
        let value: f64 = text.parse().unwrap();
        // For smaller numbers, the standard library writes an exponent.
        if value >= 1e-4 || value == 0.0 {
            check_decimals(&[value], true);
        }
        if value >= 1e-4 {
            check_decimals(&[0.5, -value, value, 3.0][..1 + i % 4], true);
        }
    }
    check_decimals(&[1234.25; MOST], true);
    check_decimals(&[], true);
}

#[test]
fn other_doubles_are_not_written() {
    let others = [
        -0.0,
        0.1 + 0.2,
        1e-6,
        -9e-6,
        1e-7,
        0.123_456_7,
        1e9,
        -1e9,
        4e15,
        9e15,
        1e22,
        1e300,
        f64::MAX,
        f64::MIN_POSITIVE,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        1.0_f64.next_up(),
        999_999_999.0_f64.next_down(),
    ];
    for other in others {
        check_decimals(&[other], false);
        check_decimals(&[1.5, other], false);
        let mut many = [2.0; MOST];
        many[MOST - 1] = other;
        check_decimals(&many, false);
    }
}
