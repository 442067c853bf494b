//! Texts that come from memory, places of the result within a cache line, and blocks with few special bytes.

use super::{BARE, QUOTED, backends, escape, expected, without_room};
use crate::grid::thinned;
use std::vec;
use std::vec::Vec;

#[test]
#[cfg_attr(miri, ignore = "megabytes")]
fn texts_from_memory_are_escaped_like_others() {
    let length = (8 << 20) + 100;
    // Portable code has no path of its own for these.
    let specials = [
        Some(length - 40),
        None,
        Some(3),
        Some(70_000),
        Some(length - 1),
    ];
    let portable = backends().count() == 1;
    for special in specials.into_iter().take(if portable { 1 } else { 5 }) {
        let mut text = "0123456789abcdefghi".repeat(length / 19 + 1);
        text.truncate(length);
        if let Some(at) = special {
            text.replace_range(at..=at, "\n");
        }
        let expected = std::format!("\"{}\"", text.replace('\n', "\\n"));
        for backend in backends() {
            let room = expected.len();
            assert!(escape(backend, QUOTED, &text, room).as_ref() == Ok(&expected));
            let error = escape(backend, QUOTED, &text, room - 1).unwrap_err();
            assert_eq!(error, without_room(room));
        }
    }
}

#[test]
fn long_results_begin_anywhere_in_a_line() {
    let text = "abcdefghijklmnopq".repeat(300);
    for start in thinned([7].into_iter().chain(0..64), 1) {
        for end in thinned([text.len(), 4096, 4095], 2) {
            for backend in backends() {
                let mut json = vec![b'?'; start + end];
                let written = BARE.escape_with(backend, &text[..end], &mut json[start..]);
                assert_eq!(written.unwrap(), &text[..end]);
                assert_eq!(json[..start], Vec::from_iter([b'?'; 64])[..start]);
            }
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "for a step of AVX-512, which Miri does not run")]
fn few_special_bytes_are_escaped_anywhere_in_a_block() {
    let places = [0, 1, 2, 30, 47, 48, 49, 58, 59, 60, 61, 62, 63];
    let plain = "0123456789abcdef".repeat(60);
    for (i, &first) in places.iter().enumerate() {
        for (j, &second) in places.iter().enumerate().skip(i) {
            for &third in &places[j..] {
                let mut text = plain.clone();
                for (at, special) in [(first, "\n"), (second, "\""), (third, "\\")] {
                    text.replace_range(64 + at..=64 + at, special);
                    text.replace_range(320 + at..=320 + at, special);
                }
                text.replace_range(200..=200, "\u{1}");
                let json = expected(&text);
                for backend in backends() {
                    let room = json.len() + 600;
                    assert_eq!(escape(backend, BARE, &text, room).as_ref(), Ok(&json));
                }
            }
        }
    }
}
