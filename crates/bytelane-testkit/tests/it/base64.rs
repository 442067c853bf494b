//! Compares base64 on every backend with the crate `base64`: the same bytes, and the same verdict
//! on every text.

use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::{Engine as _, alphabet};
use bytelane::Backend;
use bytelane::base64::{Alphabet, DecodePadding, Engine, ErrorKind};
use bytelane_testkit::{backends, on, reduced};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// An engine, and its counterpart in the crate `base64`.
type Pair = (Engine, GeneralPurpose);

/// Returns all combinations of an engine's options.
fn engines() -> Vec<Pair> {
    let alphabets = [
        (Alphabet::Standard, &alphabet::STANDARD),
        (Alphabet::UrlSafe, &alphabet::URL_SAFE),
    ];
    let paddings = [
        (DecodePadding::Required, DecodePaddingMode::RequireCanonical),
        (DecodePadding::None, DecodePaddingMode::RequireNone),
        (DecodePadding::Either, DecodePaddingMode::Indifferent),
    ];
    let mut engines = Vec::new();
    for (alphabet, their_alphabet) in alphabets {
        for (padding, their_padding) in paddings {
            for (written, trailing_bits) in [(true, true), (true, false), (false, true)] {
                let ours = Engine::new(alphabet)
                    .with_encode_padding(written)
                    .with_decode_padding(padding)
                    .with_decode_allow_trailing_bits(trailing_bits);
                let config = GeneralPurposeConfig::new()
                    .with_encode_padding(written)
                    .with_decode_padding_mode(their_padding)
                    .with_decode_allow_trailing_bits(trailing_bits);
                engines.push((ours, GeneralPurpose::new(their_alphabet, config)));
            }
        }
    }
    engines
}

fn all_backends() -> impl Iterator<Item = Backend> {
    backends().into_iter().chain([Backend::Scalar])
}

fn assert_same_text((ours, theirs): &Pair, bytes: &[u8]) {
    let expected = theirs.encode(bytes);
    for backend in all_backends() {
        let mut text = String::new();
        on(backend, || ours.encode_append(bytes, &mut text));
        assert_eq!(text, expected, "{backend}, {ours:?}");
    }
}

/// Checks for the same bytes or the same error, at the same offset.
fn assert_same_verdict((ours, theirs): &Pair, text: &[u8]) {
    let expected = theirs.decode(text);
    for backend in all_backends() {
        let mut bytes = Vec::new();
        let result = on(backend, || ours.decode_append(text, &mut bytes));
        let fault = result.map_err(|error| (error.kind(), error.offset().expect("in the text")));
        let same = match (fault, &expected) {
            (Ok(_), Ok(expected)) => bytes == *expected,
            (
                Err((ErrorKind::InvalidByte(byte), offset)),
                Err(base64::DecodeError::InvalidByte(their_offset, their_byte)),
            ) => {
                // We report the first of several errors; the crate checks a single last character
                // of a group before it checks the text before it.
                (offset, byte) == (*their_offset, *their_byte)
                    || offset < *their_offset && *their_offset == text.len() - 1
            }
            (
                Err((ErrorKind::InvalidLength, offset)),
                Err(base64::DecodeError::InvalidLength(symbols)),
            ) => offset == *symbols,
            (
                Err((ErrorKind::InvalidLastSymbol(byte), offset)),
                Err(base64::DecodeError::InvalidLastSymbol {
                    offset: their_offset,
                    symbol,
                    ..
                }),
            ) => (offset, byte) == (*their_offset, *symbol),
            (Err((ErrorKind::InvalidPadding, _)), Err(base64::DecodeError::InvalidPadding)) => true,
            _ => false,
        };
        assert!(
            same,
            "{backend}, {ours:?}, {:?}: {result:?}, but {expected:?}",
            text.escape_ascii().to_string()
        );
    }
}

fn cases() -> ProptestConfig {
    ProptestConfig {
        cases: if reduced() { 50 } else { 2000 },
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn bytes_become_the_same_text(pair in select(engines()), bytes in vec(any::<u8>(), 0..600)) {
        assert_same_text(&pair, &bytes);
    }

    #[test]
    fn texts_of_few_characters_are_judged_alike(
        pair in select(engines()),
        text in vec(select(&b"AQZgw09+/-_== \n\xc3"[..]), 0..12),
    ) {
        assert_same_verdict(&pair, &text);
    }

    #[test]
    fn damaged_texts_are_judged_alike(
        pair in select(engines()),
        bytes in vec(any::<u8>(), 0..400),
        damage in vec((any::<prop::sample::Index>(), any::<u8>()), 0..3),
        cut in 0..4usize,
        behind in vec(Just(b'='), 0..3),
    ) {
        let mut text = pair.1.encode(&bytes).into_bytes();
        text.truncate(text.len().saturating_sub(cut));
        text.extend(behind);
        for (place, byte) in damage {
            if !text.is_empty() {
                let place = place.index(text.len());
                text[place] = byte;
            }
        }
        assert_same_verdict(&pair, &text);
    }
}

/// Tests all texts of up to five characters from a set of relevant ones, alone and after a whole
/// group.
#[test]
fn every_short_text_is_judged_alike() {
    let characters = b"AQ=!/";
    for pair in engines() {
        for len in 0..=5 {
            for number in 0..characters.len().pow(len) {
                let mut text = b"QUFB".to_vec();
                let mut rest = number;
                for _ in 0..len {
                    text.push(characters[rest % characters.len()]);
                    rest /= characters.len();
                }
                assert_same_verdict(&pair, &text);
                assert_same_verdict(&pair, &text[4..]);
            }
        }
    }
}
