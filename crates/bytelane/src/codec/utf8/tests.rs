//! Compares every backend with the specification, and with the standard library.

use super::*;
use crate::Backend;
use crate::cost_of_a_call::{report, round};
use crate::grid::thinned;
use core::hint::black_box;
use std::format;
use std::string::String;
use std::vec::Vec;

fn backends() -> impl Iterator<Item = Detected> {
    Backend::available().map(|backend| Detected::new(backend).unwrap())
}

/// Result of the standard library: `None`, or the offset and the length of the first error.
type Outcome = Option<(usize, Option<usize>)>;

fn of_std(src: &[u8]) -> Outcome {
    let error = core::str::from_utf8(src).err()?;
    Some((error.valid_up_to(), error.error_len()))
}

fn outcome(result: Result<&str, Error>) -> Outcome {
    let error = result.err()?;
    assert_eq!(error.offset(), Some(error.valid_up_to()));
    Some((error.valid_up_to(), error.error_len()))
}

/// Checks all functions on all backends. Returns whether the input is text.
#[track_caller]
fn assert_as_std(src: &[u8]) -> bool {
    let expected = of_std(src);
    let valid = expected.map_or(src.len(), |(valid, _)| valid);
    for backend in backends() {
        let place = || format!("{backend}: {}", src.escape_ascii());
        let result = validate_with(backend, src);
        assert_eq!(outcome(result), expected, "{}", place());
        assert_eq!(valid_up_to_with(backend, src), valid, "{}", place());
        assert_eq!(is_ascii_with(backend, src), src.is_ascii(), "{}", place());
        if src.len() <= 32 {
            // Without the shortcuts.
            assert_eq!(text_up_to(src, backend), valid, "{}", place());
            assert_eq!(is_ascii_blocks(src, backend), src.is_ascii(), "{}", place());
        }
        if let Ok(text) = result {
            assert_eq!(text.as_bytes(), src);
            let count = count_chars_with(backend, text);
            assert_eq!(count, text.chars().count(), "{}", place());
        }
    }
    expected.is_none()
}

/// Sequences of each kind, with valid and invalid lengths, second bytes and other bytes of
/// characters.
const SEQUENCES: &[&[u8]] = &[
    // Characters: the first and the last of each length, and next to the surrogates.
    b"\x7f",
    b"\xc2\x80",
    b"\xdf\xbf",
    b"\xe0\xa0\x80",
    b"\xed\x9f\xbf",
    b"\xee\x80\x80",
    b"\xef\xbf\xbf",
    b"\xf0\x90\x80\x80",
    b"\xf4\x8f\xbf\xbf",
    // Continuations without a lead, one to four of them, and after a whole character.
    b"\x80",
    b"\xbf\xbf",
    b"\x80\xbf\x80",
    b"\x80\x80\x80\x80",
    b"\xc2\x80\x80",
    b"\xe1\x80\x80\x80",
    b"\xf1\x80\x80\x80\x80",
    // Incomplete characters, each before the end or before what comes next.
    b"\xc2",
    b"\xe1",
    b"\xe1\x80",
    b"\xf1",
    b"\xf1\x80",
    b"\xf1\x80\x80",
    b"\xc2\xc2\x80",
    b"\xe1\x80\xe1\x80\x80",
    b"\xf1\x80\x80\xf1\x80\x80\x80",
    // Overlong forms.
    b"\xc0\x80",
    b"\xc1\xbf",
    b"\xe0\x80\x80",
    b"\xe0\x9f\xbf",
    b"\xf0\x80\x80\x80",
    b"\xf0\x8f\xbf\xbf",
    // Surrogates.
    b"\xed\xa0\x80",
    b"\xed\xbf\xbf",
    // Above U+10FFFF, and bytes that are in no character.
    b"\xf4\x90\x80\x80",
    b"\xf5\x80\x80\x80",
    b"\xf8\x88\x80\x80\x80",
    b"\xfe",
    b"\xff",
];

#[test]
fn each_sequence_at_each_offset_of_a_group() {
    let backgrounds = ["a", "é", "漢", "😀", "aé漢😀"];
    for (sequence, background) in thinned(
        SEQUENCES
            .iter()
            .flat_map(|sequence| backgrounds.map(|background| (sequence, background))),
        12,
    ) {
        let text = background.repeat(400 / background.len() + 1);
        // Across the borders of vectors, blocks and groups, and the ends of short inputs.
        for before in thinned(0..330, 2) {
            let Some(front) = text.get(..before) else {
                continue;
            };
            for after in thinned([0, 1, 3, 15, 16, 31, 47, 64, 200], 2) {
                let Some(back) = text.get(..after) else {
                    continue;
                };
                let src = [front.as_bytes(), sequence, back.as_bytes()].concat();
                assert_as_std(&src);
            }
        }
    }
}

#[test]
fn equal_bytes_in_both_halves_of_a_vector_do_not_cancel_out() {
    for len in thinned(16..=64, 4) {
        for byte in [0x80, 0xc3, 0xff] {
            assert_as_std(&[byte].repeat(len));
            for at in thinned(0..8, 3) {
                let mut src = [b'a'].repeat(len);
                (src[at], src[at + 8]) = (byte, byte);
                assert!(!assert_as_std(&src));
            }
        }
    }
}

#[test]
fn characters_that_end_too_soon_before_groups_of_ascii() {
    let unfinished: [&[u8]; 4] = [b"\xc3", b"\xe2\x80", b"\xf0\x90\x80", b"\xf0\x9f"];
    for sequence in unfinished {
        for before in thinned(0..600, 20) {
            let (front, back) = ([b'a'].repeat(before), [b'a'].repeat(600));
            assert!(!assert_as_std(&[&front, sequence, &back].concat()));
        }
    }
}

#[test]
fn every_code_point_is_text() {
    // Collecting them all would take Miri minutes.
    let step = if cfg!(miri) { 9973 } else { 1 };
    let numbers = (0..=0x10_ffff).step_by(step);
    let characters: Vec<char> = numbers.filter_map(char::from_u32).collect();
    for part in characters.chunks(300) {
        let text: String = part.iter().collect();
        assert!(assert_as_std(text.as_bytes()));
    }
}

/// Tests all pairs of bytes alone, and before two continuations, so that only the pair decides
/// about sequences of up to four; and the same next to ASCII.
#[test]
fn every_pair_of_bytes() {
    let bytes = thinned(0..=u8::MAX, 5);
    for (&a, &b) in bytes.iter().flat_map(|a| bytes.iter().map(move |b| (a, b))) {
        let alone = [&[a, b][..], &[a, b, 0x80], &[a, b, 0x80, 0xbf]];
        let beside = [
            &[b'a', a, b, 0x80][..],
            &[a, b, 0x80, b'a'],
            &[a, b, 0x80, 0xbf, b'a'],
        ];
        for src in alone.into_iter().chain(beside) {
            let expected = of_std(src);
            for backend in backends() {
                assert_eq!(
                    outcome(validate_with(backend, src)),
                    expected,
                    "{backend}: {src:x?}"
                );
            }
        }
    }
}

#[test]
fn every_length_of_ascii_and_one_byte_beyond_it() {
    let mut bytes = [b'a'; 700];
    for len in thinned(0..=bytes.len(), 6) {
        assert!(assert_as_std(&bytes[..len]));
        for place in thinned((0..len).step_by(1 + len / 40), 2) {
            for byte in [0x80, 0xc3] {
                bytes[place] = byte;
                assert!(!assert_as_std(&bytes[..len]), "{place} of {len}");
            }
            bytes[place] = b'a';
        }
    }
}

/// Returns a generator of small numbers, the same ones in each run.
fn random() -> impl FnMut(usize) -> usize {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % below
    }
}

#[test]
fn random_mixtures_of_sequences() {
    let mut random = random();
    let texts: [&[u8]; 5] = [
        b"a",
        b"\xc3\xa9",
        b"\xe6\xbc\xa2",
        b"\xf0\x9f\x98\x80",
        b" ",
    ];
    for _ in thinned(0..20_000, 6) {
        let mut src = Vec::new();
        let most = 1 + random(400);
        let kinds = 1 + random(texts.len());
        while src.len() < most {
            src.extend_from_slice(texts[random(kinds)]);
        }
        assert!(assert_as_std(&src));
        match random(3) {
            0 => src.truncate(random(src.len())),
            1 => {
                let at = random(src.len());
                src[at] = random(256) as u8;
            }
            _ => {
                let at = random(src.len());
                let sequence = SEQUENCES[random(SEQUENCES.len())];
                src.splice(at..at, sequence.iter().copied());
            }
        }
        assert_as_std(&src);
    }
}

/// Validates in pieces. Must return the same as validating the whole.
fn in_pieces<'a>(
    backend: Detected,
    mut pieces: impl Iterator<Item = &'a [u8]>,
) -> Result<usize, Error> {
    let mut validator = Validator::new_with(backend);
    let pushed = pieces.try_for_each(|piece| validator.push(piece));
    if let Err(error) = pushed {
        assert_eq!(validator.push(b"more"), pushed);
        assert_eq!(validator.push(b""), pushed);
        assert_eq!(validator.valid_up_to(), error.valid_up_to());
        assert_eq!(validator.clone().finish(), pushed);
    }
    let valid = validator.valid_up_to();
    pushed.and(validator.finish()).map(|()| valid)
}

#[test]
fn pieces_come_to_the_same_as_the_whole() {
    let text = "aé漢😀 and more than a block of letters, which a backend takes at once: aé漢😀";
    for sequence in thinned(SEQUENCES, 4) {
        let src = [text.as_bytes(), sequence, b"bc"].concat();
        let src = [&src[..], &src[..text.len() + sequence.len()]];
        for src in src {
            let expected = validate(src).map(str::len);
            for backend in backends() {
                for cut in thinned(0..=src.len(), 3) {
                    let (front, back) = src.split_at(cut);
                    let halves = [front, back].into_iter();
                    assert_eq!(in_pieces(backend, halves), expected, "{backend}, {cut}");
                }
                for length in thinned([1, 2, 3, 5, 70], 2) {
                    assert_eq!(in_pieces(backend, src.chunks(length)), expected);
                }
            }
        }
    }
}

/// Simulates a stream with more bytes than a `usize` can count: the offset in the error is then not
/// exact.
#[test]
fn places_beyond_the_largest_number_do_not_overflow() {
    for near in [usize::MAX - 3, usize::MAX] {
        let mut validator = Validator::new();
        validator.valid = near;
        validator.push(b"abcd\xc3").unwrap();
        validator.push(b"\xa9abcd").unwrap();
        let error = validator.push(b"\xff").unwrap_err();
        assert!(error.valid_up_to() >= near - 1);
    }
}

#[test]
fn errors_say_what_and_where() {
    let error = validate(b"ab\xe2\x82").unwrap_err();
    assert_eq!(
        format!("{error}"),
        "offset 2: the input ends within a character"
    );
    let error = validate(b"ab\xe2\x82!").unwrap_err();
    assert_eq!(format!("{error}"), "offset 2: invalid UTF-8");
    assert_eq!(error.error_len(), Some(2));
}

#[test]
#[ignore = "a measurement"]
fn cost_of_a_call() {
    let backend = Detected::active();
    for text in [
        "漢字",
        "größer than sixteen bytes",
        "more than thirty-two bytes of ASCII",
    ] {
        let src = text.as_bytes();
        report(
            &format!("utf8::validate, {} bytes", src.len()),
            || round(|| assert!(black_box(validate(black_box(src))).is_ok())),
            || {
                let kernel: fn(&[u8], Detected) -> usize = black_box(text_up_to);
                round(|| assert!(black_box(kernel(black_box(src), backend)) > 0))
            },
        );
    }
}
