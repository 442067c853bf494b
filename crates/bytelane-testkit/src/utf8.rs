//! Runs the fuzz target of utf8 on one input. It is here so that the ordinary tests can run it as
//! well.

use crate::{Edge, Guarded, backends};
use bytelane::utf8::{self, Error, Validator};
use bytelane::{Backend, Detected};

/// Offset and length of the first error, if there is one.
pub type Fault = Option<(usize, Option<usize>)>;

/// Returns the error that the standard library finds.
#[must_use]
pub fn of_std(bytes: &[u8]) -> Fault {
    let error = std::str::from_utf8(bytes).err()?;
    Some((error.valid_up_to(), error.error_len()))
}

/// Validates an input on every backend, whole and in pieces: each must find what the standard
/// library finds, without reading outside the input.
///
/// An input is a byte, the length of the pieces, and the bytes to validate.
///
/// # Panics
///
/// If a backend differs.
pub fn run(input: &[u8]) {
    let Some((&length, bytes)) = input.split_first() else {
        return;
    };
    let expected = of_std(bytes);
    for backend in backends().into_iter().chain([Backend::Scalar]) {
        let backend = Detected::new(backend).expect("it is available");
        for edge in [Edge::Front, Edge::Back] {
            let bytes = Guarded::copy_of(bytes, edge);
            assert_whole(backend, &bytes, expected);
        }
        let mut pieces = bytes.chunks(usize::from(length).max(1));
        let mut validator = Validator::new_with(backend);
        let pushed = pieces.try_for_each(|piece| validator.push(piece));
        let found = pushed.and_then(|()| validator.finish());
        assert_eq!(fault(found), expected, "{backend}, pieces of {bytes:x?}");
    }
}

fn assert_whole(backend: Detected, bytes: &[u8], expected: Fault) {
    let result = utf8::validate_with(backend, bytes);
    assert_eq!(fault(result), expected, "{backend}: {bytes:x?}");
    let valid = expected.map_or(bytes.len(), |(place, _)| place);
    assert_eq!(utf8::valid_up_to_with(backend, bytes), valid);
    assert_eq!(utf8::is_ascii_with(backend, bytes), bytes.is_ascii());
    if let Ok(text) = result {
        let count = utf8::count_chars_with(backend, text);
        assert_eq!(count, text.chars().count(), "{backend}: {bytes:x?}");
    }
}

fn fault<T>(result: Result<T, Error>) -> Fault {
    let error = result.err()?;
    Some((error.valid_up_to(), error.error_len()))
}

/// Returns seed inputs: texts of each length of a character, whole, with a wrong byte and
/// truncated.
#[must_use]
pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for text in ["a", "é", "漢", "😀", "aé漢😀"] {
        for count in [1, 9, 30, 90] {
            let text = text.repeat(count);
            let cut = &text.as_bytes()[..text.len() - 1];
            let wrong = [text.as_bytes(), b"\xff", text.as_bytes()].concat();
            let inputs = [text.as_bytes(), cut, &wrong];
            seeds.extend(inputs.map(|bytes| [&[7], bytes].concat()));
        }
    }
    seeds
}
