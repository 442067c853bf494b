//! Tests the scalar code against the RFC, and every backend against the scalar code.

use super::*;
use crate::Backend;
use crate::cost_of_a_call::{report, round};
use crate::grid::thinned;
use crate::simd::are_beyond_cache;
use core::hint::black_box;
use core::mem::MaybeUninit;
use std::string::ToString;
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

fn backends() -> impl Iterator<Item = Detected> {
    Backend::available().map(|backend| Detected::new(backend).unwrap())
}

fn scalar() -> Detected {
    Detected::new(Backend::Scalar).unwrap()
}

fn input(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 197 + i / 83 * 11) as u8).collect()
}

fn decode_with(
    backend: Detected,
    engine: Engine,
    text: &[u8],
    dst: &mut [u8],
) -> Result<usize, Error> {
    engine
        .decode_with(backend, text, dst)
        .map(|bytes| bytes.len())
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
        for backend in backends() {
            let mut dst = [0; 8];
            let encoded = STANDARD.encode_with(backend, bytes, &mut dst[..]);
            assert_eq!(encoded.unwrap(), text.as_bytes(), "{backend:?}");
            let decoded = STANDARD.decode_with(backend, text, &mut dst[..]);
            assert_eq!(decoded.unwrap(), bytes.as_bytes(), "{backend:?}");
        }
    }
}

#[test]
fn every_backend_does_what_the_specification_says() {
    for len in thinned((0..=515).chain([1000, 4099, 70_001]), 5) {
        let bytes = input(len);
        for engine in thinned(ENGINES, 2) {
            let mut expected = vec![0; engine.encoded_len(len).unwrap()];
            let text = engine.encode_with(scalar(), &bytes, &mut expected[..]);
            let text = text.unwrap();
            for backend in backends() {
                let case = std::format!("{backend:?}, {engine:?}, {len} bytes");
                let mut dst = vec![0xaa; text.len() + 3];
                let encoded = engine.encode_with(backend, &bytes, &mut dst[..]);
                assert!(encoded.unwrap() == text, "{case}");
                assert_eq!(dst[text.len()..], [0xaa; 3], "{case}");
                let mut dst = vec![MaybeUninit::uninit(); text.len()];
                let encoded = engine.encode_with(backend, &bytes, &mut dst[..]);
                assert!(encoded.unwrap() == text, "{case}");

                let mut dst = vec![0xaa; len + 3];
                let decoded = engine.decode_with(backend, &text, &mut dst[..]);
                assert!(decoded.unwrap() == bytes, "{case}");
                assert_eq!(dst[len..], [0xaa; 3], "{case}");
                let mut dst = vec![MaybeUninit::uninit(); len];
                let decoded = engine.decode_with(backend, &text, &mut dst[..]);
                assert!(decoded.unwrap() == bytes, "{case}");
            }
        }
    }
}

/// With any byte at any position of a short text, every backend agrees with the scalar code.
#[test]
#[cfg_attr(miri, ignore = "takes too long")]
fn every_byte_at_every_place() {
    for engine in ENGINES {
        for len in (0..=26).chain([36, 37, 48, 49, 64, 95]) {
            let good = engine.encode_to_string(input(len)).into_bytes();
            for place in 0..good.len() {
                let mut text = good.clone();
                for byte in 0..=255 {
                    text[place] = byte;
                    let mut expected = vec![0; decoded_len(&text)];
                    let expected = engine.decode_with(scalar(), &text, &mut expected[..]);
                    for backend in backends() {
                        let mut decoded = vec![0; decoded_len(&text)];
                        let decoded = engine.decode_with(backend, &text, &mut decoded[..]);
                        assert_eq!(decoded, expected, "{backend:?}, {engine:?}, {text:?}");
                    }
                }
            }
        }
    }
}

/// An error in a long text is found at any position.
#[test]
#[cfg_attr(miri, ignore = "takes too long")]
fn a_bad_byte_in_a_long_text_is_named() {
    let good = STANDARD.encode_to_string(input(1200)).into_bytes();
    let mut decoded = vec![0; 1200];
    for backend in backends() {
        for offset in 0..good.len() {
            for byte in [b'=', b' ', 0x80 | good[offset], b'_', 0] {
                let mut text = good.clone();
                text[offset] = byte;
                let error = match (byte, offset) {
                    // Padding after the last but one character leaves stray bits.
                    (b'=', 1599) => Error::at(1598, ErrorKind::InvalidLastSymbol(good[1598])),
                    _ => Error::at(offset, ErrorKind::InvalidByte(byte)),
                };
                let result = decode_with(backend, STANDARD, &text, &mut decoded);
                assert_eq!(result, Err(error), "{backend:?}");
            }
        }
    }
}

/// Two errors in the last group must not cancel each other out.
#[test]
fn several_bad_characters_in_the_last_group() {
    for engine in [STANDARD, URL_SAFE.with_decode_allow_trailing_bits(true)] {
        for group in ["!!==", "!!!=", "A!!=", "!A!=", "!!A=", "!!AA", "!!!!"] {
            for before in [0, 4, 28, 64, 256] {
                let text = "A".repeat(before) + group;
                let first_bad = before + group.find('!').unwrap();
                for backend in backends() {
                    let error = decode_with(backend, engine, text.as_bytes(), &mut [0; 256]);
                    let error = error.unwrap_err();
                    assert_eq!(error.offset(), Some(first_bad), "{backend:?} {text}");
                }
            }
        }
    }
}

#[test]
fn padding_and_stray_bits() {
    use DecodePadding::{Either, None, Required};
    let byte = |offset, byte| Err(Error::at(offset, ErrorKind::InvalidByte(byte)));
    let padding = |offset| Err(Error::at(offset, ErrorKind::InvalidPadding));
    let length = |offset| Err(Error::at(offset, ErrorKind::InvalidLength));
    let last = |offset, byte| Err(Error::at(offset, ErrorKind::InvalidLastSymbol(byte)));
    // By required padding: required, none, either.
    let cases: &[(&str, [Result<usize, Error>; 3])] = &[
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
            for backend in backends() {
                let case = std::format!("{text}, {decode_padding:?}, {backend:?}");
                let result = decode_with(backend, engine, text.as_bytes(), &mut [0; 6]);
                assert_eq!(result, *expected, "{case}");
                let lenient = engine.with_decode_allow_trailing_bits(true);
                let result = decode_with(backend, lenient, text.as_bytes(), &mut [0; 6]);
                match expected.map_err(|error| error.kind()) {
                    Err(ErrorKind::InvalidLastSymbol(_)) => assert!(result.is_ok(), "{case}"),
                    _ => assert_eq!(result, *expected, "{case}"),
                }
            }
        }
    }
}

#[test]
fn lengths_are_exact() {
    for len in thinned(0..100, 5) {
        let bytes = input(len);
        for engine in ENGINES {
            let text = engine.encode_to_string(&bytes);
            assert_eq!(engine.encoded_len(len), Some(text.len()));
            assert_eq!(decoded_len(text.as_bytes()), len);
            assert!((len..len + 3).contains(&decoded_len_estimate(text.len())));
            if len == 0 {
                continue;
            }
            let mut short = vec![0xaa; text.len() - 1];
            let error = DestinationError::new(text.len(), short.len());
            assert_eq!(engine.encode(&bytes, &mut short), Err(error));
            assert!(short.iter().all(|&byte| byte == 0xaa));
            let mut short = vec![0xaa; len - 1];
            let error = DestinationError::new(len, short.len());
            assert_eq!(engine.decode(&text, &mut short), Err(error.into()));
            assert!(short.iter().all(|&byte| byte == 0xaa));
        }
    }
    let (padded, unpadded) = (STANDARD, STANDARD_NO_PAD);
    let whole = usize::MAX / 4 * 3;
    assert_eq!(padded.encoded_len(whole), Some(usize::MAX - 3));
    assert_eq!(padded.encoded_len(whole + 1), None);
    assert_eq!(unpadded.encoded_len(whole + 1), Some(usize::MAX - 1));
    assert_eq!(unpadded.encoded_len(usize::MAX), None);
}

#[test]
fn all_shapes_agree() {
    let mut dst = [0xaa; 10];
    assert_eq!(STANDARD.encode("bytes", &mut dst), Ok(8));
    assert_eq!(&dst, b"Ynl0ZXM=\xaa\xaa");
    let mut dst = [MaybeUninit::uninit(); 10];
    assert_eq!(
        STANDARD
            .encode_with(Detected::active(), "bytes", &mut dst[..])
            .unwrap(),
        b"Ynl0ZXM="
    );
    assert_eq!(STANDARD.encode_to_string("bytes"), "Ynl0ZXM=");
    let mut text = std::string::String::from("text: ");
    assert_eq!(STANDARD.encode_append("bytes", &mut text), 8);
    assert_eq!(text, "text: Ynl0ZXM=");
    let mut text = b"text: ".to_vec();
    assert_eq!(STANDARD.encode_append("bytes", &mut text), 8);
    assert_eq!(text, b"text: Ynl0ZXM=");

    let mut dst = [0xaa; 6];
    assert_eq!(STANDARD.decode("Ynl0ZXM=", &mut dst), Ok(5));
    assert_eq!(&dst, b"bytes\xaa");
    let mut dst = [MaybeUninit::uninit(); 6];
    assert_eq!(
        STANDARD
            .decode_with(Detected::active(), "Ynl0ZXM=", &mut dst[..])
            .unwrap(),
        b"bytes"
    );
    assert_eq!(STANDARD.decode_to_vec("Ynl0ZXM=").unwrap(), b"bytes");
    let mut bytes = b"bytes: ".to_vec();
    assert_eq!(STANDARD.decode_append("Ynl0ZXM=", &mut bytes), Ok(5));
    assert_eq!(bytes, b"bytes: bytes");
    assert!(STANDARD.decode_append("Ynl0ZXM!", &mut bytes).is_err());
    assert_eq!(bytes, b"bytes: bytes");
}

/// The parts of a buffer that is stored past the cache fit together wherever it begins, and faults in each are found.
#[test]
#[cfg_attr(miri, ignore = "a long input")]
fn buffers_beyond_the_cache() {
    let len = (3 << 20) + 5;
    assert!(cfg!(not(target_arch = "x86_64")) || are_beyond_cache(2 * len));
    let src = input(len);
    let mut expected = vec![0; STANDARD.encoded_len(len).unwrap()];
    let encoded = STANDARD.encode_with(scalar(), &src, &mut expected[..]);
    assert_eq!(encoded.unwrap().len(), expected.len());
    let mut to = vec![0; expected.len() + 64];
    for begin in [0, 1, 4, 38] {
        let written = STANDARD.encode(&src, &mut to[begin..]).unwrap();
        assert!(to[begin..][..written] == expected, "{begin}");
        to.fill(0);
        assert_eq!(STANDARD.decode(&expected, &mut to[begin..]), Ok(len));
        assert!(to[begin..][..len] == src, "{begin}");
        to.fill(0);
    }
    for fault in [1, expected.len() / 2, expected.len() - 9] {
        let right = core::mem::replace(&mut expected[fault], b'!');
        let error = STANDARD.decode(&expected, &mut to).unwrap_err();
        assert_eq!(error.offset(), Some(fault));
        expected[fault] = right;
    }
}

#[test]
fn errors_read_well() {
    let message = |text| STANDARD.decode_to_vec(text).unwrap_err().to_string();
    assert_eq!(
        message("QU\nB"),
        "offset 2: the byte 0x0a is not in the base64 alphabet"
    );
    assert_eq!(
        message("QUFBQ"),
        "offset 5: the text ends after the first character of a group of four"
    );
    assert_eq!(
        message("QQ="),
        "offset 3: the padding is missing or not allowed"
    );
    assert_eq!(
        message("QR=="),
        "offset 1: the last character, 'R', has bits beyond the last byte"
    );
    let error = STANDARD.decode("QUFB", &mut []).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the result needs 3 bytes, but the destination has 0"
    );
}

/// A single kernel.
type Kernel<'a> = &'a dyn Fn(&[u8], &mut [Slot]);

fn rounds(kernel: Kernel<'_>, src: &[u8], dst: &mut [Slot]) -> f64 {
    let kernel = black_box(kernel);
    round(|| kernel(black_box(src), black_box(&mut *dst)))
}

crate::backend::dispatch! {
    fn kernel_alone(src: &[u8], dst: &mut [Slot]) -> f64 = |token, src, dst| {
        rounds(&|src, dst| kernel::encode_short(token, STANDARD, src, dst), src, dst)
    }, or |src, dst| rounds(&|src, dst| scalar::encode(STANDARD, src, dst), src, dst);
}

#[test]
#[ignore = "a measurement"]
fn cost_of_a_call() {
    let src = [7; 6];
    for backend in backends() {
        let call = || {
            let mut dst = [0; 8];
            Backend::set_active(*backend).unwrap();
            round(|| {
                assert!(
                    STANDARD
                        .encode(black_box(&src[..]), black_box(&mut dst))
                        .is_ok()
                )
            })
        };
        let kernel = || kernel_alone(&src, &mut [Slot::new(0); 8], backend);
        report(&std::format!("base64 encode 6 {backend}"), call, kernel);
    }
}
