//! The specification against the RFC, and every backend against the specification.

use super::*;
use std::vec;
use std::vec::Vec;

const ENGINES: [Engine; 6] = [
    STANDARD,
    STANDARD_NO_PAD,
    URL_SAFE,
    URL_SAFE_NO_PAD,
    STANDARD_NO_PAD.with_decode_padding(DecodePadding::Either),
    URL_SAFE.with_decode_allow_trailing_bits(true),
];

fn input(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 197 + i / 83 * 11) as u8).collect()
}

#[test]
fn rfc_4648_section_10() {
    let vectors = [
        ("", ""),
        ("f", "Zg=="),
        ("fo", "Zm8="),
        ("foo", "Zm9v"),
        ("foob", "Zm9vYg=="),
        ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ];
    for (bytes, text) in vectors {
        for backend in Backend::available() {
            let mut encoded = [0; 8];
            let len = encode_with(backend, bytes.as_bytes(), &mut encoded).unwrap();
            assert_eq!(&encoded[..len], text.as_bytes(), "{backend}");
            let mut decoded = [0; 6];
            let len = decode_with(backend, text.as_bytes(), &mut decoded).unwrap();
            assert_eq!(&decoded[..len], bytes.as_bytes(), "{backend}");
        }
    }
}

#[test]
fn every_backend_does_what_the_specification_says() {
    for len in (0..=515).chain([1000, 4099, 70_001]) {
        let bytes = input(len);
        for engine in ENGINES {
            let text = engine.encode(&bytes);
            let mut expected = vec![0; text.len()];
            engine
                .encode_slice_with(Backend::Scalar, &bytes, &mut expected)
                .unwrap();
            for backend in Backend::available() {
                let mut encoded = vec![0xaa; text.len() + 3];
                assert_eq!(
                    engine.encode_slice_with(backend, &bytes, &mut encoded),
                    Ok(text.len())
                );
                assert!(
                    encoded[..text.len()] == expected,
                    "{backend}, {engine:?}, {len} bytes"
                );
                assert_eq!(
                    encoded[text.len()..],
                    [0xaa; 3],
                    "{backend}, {engine:?}, {len} bytes"
                );
                let mut decoded = vec![0xaa; len + 3];
                assert_eq!(
                    engine.decode_slice_with(backend, &text, &mut decoded),
                    Ok(len),
                    "{backend}"
                );
                assert!(
                    decoded[..len] == bytes,
                    "{backend}, {engine:?}, {len} bytes"
                );
                assert_eq!(
                    decoded[len..],
                    [0xaa; 3],
                    "{backend}, {engine:?}, {len} bytes"
                );
            }
        }
    }
}

/// Whatever stands at one place of a short text, every backend says of it what the specification
/// says.
#[test]
fn every_byte_at_every_place() {
    for engine in ENGINES {
        for len in (0..=26).chain([36, 37, 48, 49, 64, 95]) {
            let good = engine.encode(input(len)).into_bytes();
            for place in 0..good.len() {
                let mut text = good.clone();
                for byte in 0..=255 {
                    text[place] = byte;
                    let mut expected = vec![0; decoded_len(&text)];
                    let outcome = engine.decode_slice_with(Backend::Scalar, &text, &mut expected);
                    for backend in Backend::available() {
                        let mut decoded = vec![0; expected.len()];
                        let result = engine.decode_slice_with(backend, &text, &mut decoded);
                        assert_eq!(result, outcome, "{backend}, {engine:?}, {text:?}");
                        assert!(
                            result.is_err() || decoded == expected,
                            "{backend}, {text:?}"
                        );
                    }
                }
            }
        }
    }
}

/// A fault in a long text is found wherever it is.
#[test]
fn a_bad_byte_in_a_long_text_is_named() {
    let good = STANDARD.encode(input(1200)).into_bytes();
    let mut decoded = vec![0; 1200];
    for backend in Backend::available() {
        for offset in 0..good.len() {
            for byte in [b'=', b' ', 0x80 | good[offset], b'_', 0] {
                let mut text = good.clone();
                text[offset] = byte;
                let result = STANDARD.decode_slice_with(backend, &text, &mut decoded);
                let error = match (byte, offset) {
                    // Behind the last place but one it is padding, which leaves stray bits.
                    (b'=', 1599) => DecodeError::InvalidLastSymbol {
                        offset: 1598,
                        byte: good[1598],
                    },
                    _ => DecodeError::InvalidByte { offset, byte },
                };
                assert_eq!(result, Err(error), "{backend}");
            }
        }
    }
}

#[test]
fn padding_and_stray_bits() {
    use DecodePadding::{Either, None, Required};
    let byte = |offset, byte| Err(DecodeError::InvalidByte { offset, byte });
    let padding = |offset| Err(DecodeError::InvalidPadding { offset });
    let length = |offset| Err(DecodeError::InvalidLength { offset });
    let last = |offset, byte| Err(DecodeError::InvalidLastSymbol { offset, byte });
    // By what is asked for: required, none, either.
    let cases: &[(&str, [Result<usize, DecodeError>; 3])] = &[
        ("", [Ok(0); 3]),
        ("QQ==", [Ok(1), padding(2), Ok(1)]),
        ("QQ=", [padding(3), padding(2), Ok(1)]),
        ("QQ", [padding(2), Ok(1), Ok(1)]),
        ("QUE=", [Ok(2), padding(3), Ok(2)]),
        ("QUE", [padding(3), Ok(2), Ok(2)]),
        ("QUFB", [Ok(3); 3]),
        ("QUE==", [byte(3, b'='); 3]),
        ("QUFB=", [byte(4, b'='); 3]),
        ("QQ===", [byte(2, b'='); 3]),
        ("Q", [length(1); 3]),
        ("Q=", [byte(1, b'='); 3]),
        ("Q==", [byte(1, b'='); 3]),
        ("Q===", [byte(1, b'='); 3]),
        ("=", [byte(0, b'='); 3]),
        ("====", [byte(0, b'='); 3]),
        ("QQ==QQ==", [byte(2, b'='); 3]),
        ("QR==", [last(1, b'R'), padding(2), last(1, b'R')]),
        ("QUF", [padding(3), last(2, b'F'), last(2, b'F')]),
        ("QUFB\n", [byte(4, b'\n'); 3]),
    ];
    for (text, expected) in cases {
        for (decode_padding, expected) in [Required, None, Either].into_iter().zip(expected) {
            let engine = STANDARD.with_decode_padding(decode_padding);
            for backend in Backend::available() {
                let result = engine.decode_slice_with(backend, text, &mut [0; 6]);
                assert_eq!(result, *expected, "{text}, {decode_padding:?}, {backend}");
                let lenient = engine.with_decode_allow_trailing_bits(true);
                let result = lenient.decode_slice_with(backend, text, &mut [0; 6]);
                match expected {
                    Err(DecodeError::InvalidLastSymbol { .. }) => assert!(result.is_ok(), "{text}"),
                    _ => assert_eq!(result, *expected, "{text}, {decode_padding:?}, {backend}"),
                }
            }
        }
    }
}

#[test]
fn lengths_are_exact() {
    for len in 0..100 {
        let bytes = input(len);
        for engine in ENGINES {
            let text = engine.encode(&bytes);
            assert_eq!(engine.encoded_len(len), Some(text.len()));
            assert_eq!(decoded_len(text.as_bytes()), len);
            assert!((len..len + 3).contains(&decoded_len_estimate(text.len())));
            let mut short = vec![0; text.len().saturating_sub(1)];
            let (needed, given) = (text.len(), short.len());
            let expected = match len {
                0 => Ok(0),
                _ => Err(Error::Destination { needed, given }),
            };
            assert_eq!(engine.encode_slice(&bytes, &mut short), expected);
            let mut short = vec![0; len.saturating_sub(1)];
            let (needed, given) = (len, short.len());
            let expected = match len {
                0 => Ok(0),
                _ => Err(DecodeError::Destination { needed, given }),
            };
            assert_eq!(engine.decode_slice(&text, &mut short), expected);
        }
    }
    assert_eq!(encoded_len(usize::MAX / 4 * 3, true), Some(usize::MAX - 3));
    assert_eq!(encoded_len(usize::MAX / 4 * 3 + 1, true), None);
    assert_eq!(
        encoded_len(usize::MAX / 4 * 3 + 1, false),
        Some(usize::MAX - 1)
    );
    assert_eq!(encoded_len(usize::MAX, false), None);
}

#[test]
fn appending_keeps_what_is_there() {
    let mut text = std::string::String::from("text: ");
    STANDARD.encode_string("bytes", &mut text);
    assert_eq!(text, "text: Ynl0ZXM=");
    let mut text = b"text: ".to_vec();
    STANDARD.encode_vec("bytes", &mut text);
    assert_eq!(text, b"text: Ynl0ZXM=");
    let mut bytes = b"bytes: ".to_vec();
    assert_eq!(STANDARD.decode_vec("Ynl0ZXM=", &mut bytes), Ok(5));
    assert_eq!(bytes, b"bytes: bytes");
    assert!(STANDARD.decode_vec("Ynl0ZXM!", &mut bytes).is_err());
    assert_eq!(bytes, b"bytes: bytes");
    assert_eq!(encode_to_string(b"bytes"), "Ynl0ZXM=");
    assert_eq!(decode_to_vec(b"Ynl0ZXM=").unwrap(), b"bytes");
}

#[test]
fn a_missing_backend_is_an_error() {
    for &backend in Backend::ALL
        .iter()
        .filter(|backend| !backend.is_available())
    {
        assert_eq!(
            encode_with(backend, b"", &mut []),
            Err(Error::Unavailable(backend))
        );
        let unavailable = Err(DecodeError::Unavailable(backend));
        assert_eq!(decode_with(backend, b"", &mut []), unavailable);
        assert!(Encoder::new_with(backend, Vec::new(), STANDARD).is_err());
        assert!(Decoder::new_with(backend, &b""[..], STANDARD).is_err());
    }
}
