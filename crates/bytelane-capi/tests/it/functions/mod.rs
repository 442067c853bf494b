//! Tests that every codec of the catalog has C functions, and that they do the same.

mod allocation;
pub mod common;
mod fsst;

use bytelane_capi::result::*;
use common::{Case, cases, run};
use std::ptr;

/// A generator of bytes, the same on every run.
struct Bytes(u64);

impl Bytes {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        self.0 >> 33
    }

    fn some(&mut self, length: usize) -> Vec<u8> {
        // A few different bytes, so that texts are often well formed.
        let alphabet = br#"abcAZ09+/-_=\\"u00e9nrt  "#;
        let any = self.next().is_multiple_of(3);
        let byte = |bytes: &mut Self| match (any, bytes.next()) {
            (true, number) => number as u8,
            (false, number) => alphabet[number as usize % alphabet.len()],
        };
        (0..length).map(|_| byte(self)).collect()
    }
}

#[test]
fn every_codec_of_the_catalog_has_c_functions() {
    let header = include_str!("../../../include/bytelane.h");
    for entry in bytelane_catalog::CODECS {
        let name = entry.name;
        let in_table = common::CODECS.iter().any(|(listed, _)| *listed == name);
        let in_header = header.contains(&format!("struct bytelane_result bytelane_{name}_"));
        assert!(
            in_table && in_header,
            "`{name}` has no C functions: docs/getting-started/c.md, \"Adding a codec\""
        );
    }
}

#[test]
fn they_do_what_the_catalog_does() {
    let mut bytes = Bytes(1);
    for case in cases() {
        for length in (0..70).chain([255, 1000, 4096]) {
            for more in [-1, 0, 1, 100_000] {
                let values = bytes.some(length * case.codec.width());
                case.check_encoding(&values, more);
            }
            let encoded = bytes.some(length);
            for room in [0, length / 2, length, 8 * length] {
                case.check_decoding(&encoded, room);
            }
        }
    }
}

/// UTF-8 characters of every length, escaped and not.
const ESCAPES: &str = r#"ab\n\u0000\u007f\u0080\u07ff\u0800\uffff\ud83d\ude00\"\\\/\b\f\r\té😀z"#;

#[test]
fn strings_with_escapes_are_read_to_destinations_of_any_length() {
    let all = cases();
    for case in all
        .iter()
        .filter(|case| case.name.starts_with("json_string"))
    {
        let opening = str::from_utf8(case.functions.opening).unwrap();
        let string = format!("{opening}{ESCAPES}{opening}").into_bytes();
        for room in 0..string.len() {
            case.check_decoding(&string, room);
            for place in 0..string.len() {
                case.check_decoding(&string[..place], room);
                for byte in *b"x\\\"\x01\xff0d" {
                    let mut changed = string.clone();
                    changed[place] = byte;
                    case.check_decoding(&changed, room);
                }
            }
        }
    }
}

#[test]
fn inputs_of_the_fuzzer_pass() {
    let (cases, mut bytes) = (cases(), Bytes(2));
    for length in 0..3000 {
        let input = bytes.some(length % 100);
        run(&cases, &input);
    }
}

/// Returns the functions of a case with their units.
fn both(case: &Case) -> [(&common::Function, usize, usize); 2] {
    let functions = &case.functions;
    [
        (&functions.encode, functions.unit, 1),
        (&functions.decode, 1, functions.unit),
    ]
}

#[test]
fn what_is_no_buffer_is_refused() {
    for case in cases() {
        for (function, from, to) in both(&case) {
            let src = [0_u64; 8];
            let mut dst = [7_u64; 8];
            let (src, dst_start) = (src.as_ptr().cast::<u8>(), dst.as_mut_ptr().cast::<u8>());
            let null = ptr::null();
            let huge = isize::MAX as usize;
            let status = |a, b, c, d| function(a, b, c, d).status;
            assert_eq!(
                status(null, 1, dst_start, 64 / to),
                BYTELANE_NULL,
                "{}",
                case.name
            );
            assert_eq!(
                status(src, 8, ptr::null_mut(), 1),
                BYTELANE_NULL,
                "{}",
                case.name
            );
            for too_long in [huge / from + 1, usize::MAX / from, usize::MAX] {
                let status = status(src, too_long, dst_start, 64 / to);
                assert_eq!(status, BYTELANE_LENGTH, "{}", case.name);
            }
            for too_long in [huge / to + 1, usize::MAX / to, usize::MAX] {
                let status = status(src, 0, dst_start, too_long);
                assert_eq!(status, BYTELANE_LENGTH, "{}", case.name);
            }
            assert_eq!(dst, [7; 8], "{}", case.name);
        }
    }
}

#[test]
fn null_is_an_empty_buffer() {
    for case in cases() {
        let mut empty = [0_u8; 16];
        let result = (case.functions.encode)(ptr::null(), 0, empty.as_mut_ptr(), empty.len());
        assert_eq!(result.status, BYTELANE_OK, "{}", case.name);
        // JSON strings have quotes, and delta has a header.
        if result.count == 0 {
            let result = (case.functions.decode)(ptr::null(), 0, ptr::null_mut(), 0);
            assert_eq!(result.status, BYTELANE_OK, "{}", case.name);
        }
    }
}

#[test]
fn buffers_that_overlap_are_refused() {
    for case in cases() {
        for (function, from, to) in both(&case) {
            let mut memory = [7_u64; 16];
            let start = memory.as_mut_ptr().cast::<u8>();
            // Each buffer begins within the other, is all of it, or shares its last value.
            for (src, dst) in [(0, 0), (0, 24), (24, 0), (0, 56), (56, 0)] {
                let (src, dst) = (start.wrapping_add(src), start.wrapping_add(dst));
                let result = function(src, 64 / from, dst, 64 / to);
                assert_eq!(result.status, BYTELANE_OVERLAP, "{}", case.name);
            }
            assert_eq!(memory, [7; 16], "{}", case.name);
            let (src, dst) = (start, start.wrapping_add(64));
            for (src, dst) in [(src, dst), (dst, src)] {
                let result = function(src, 64 / from, dst, 64 / to);
                assert_ne!(result.status, BYTELANE_OVERLAP, "{}", case.name);
            }
        }
    }
}

#[test]
fn values_at_odd_addresses_are_refused() {
    for case in cases().iter().filter(|case| case.functions.unit > 1) {
        let src = [0_u64; 8];
        let mut dst = [7_u64; 8];
        let (odd, start) = (src.as_ptr().cast::<u8>().wrapping_add(1), dst.as_mut_ptr());
        let result = (case.functions.encode)(odd, 1, start.cast(), 64);
        assert_eq!(result.status, BYTELANE_MISALIGNED, "{}", case.name);
        let odd = start.cast::<u8>().wrapping_add(1);
        let result = (case.functions.decode)(src.as_ptr().cast(), 8, odd, 1);
        assert_eq!(result.status, BYTELANE_MISALIGNED, "{}", case.name);
        assert_eq!(dst, [7; 8], "{}", case.name);
    }
}

#[test]
fn arguments_that_do_not_exist_are_refused() {
    use bytelane_capi::codec::stream_vbyte::bytelane_stream_vbyte_format;
    let (src, mut dst) = ([0_u64; 8], [7_u64; 8]);
    let (src, to) = (src.as_ptr().cast::<u8>(), dst.as_mut_ptr().cast::<u8>());
    for width in [0, 3, 16, usize::MAX] {
        // SAFETY: both buffers exist.
        let result = unsafe {
            bytelane_capi::codec::big_endian::bytelane_big_endian_encode(
                src.cast(),
                1,
                width,
                to,
                64,
            )
        };
        assert_eq!(result.status, BYTELANE_ARGUMENT);
    }
    for flags in [16, u32::MAX] {
        // SAFETY: both buffers exist.
        let result =
            unsafe { bytelane_capi::codec::base64::bytelane_base64_encode(src, 3, flags, to, 64) };
        assert_eq!(result.status, BYTELANE_ARGUMENT);
    }
    for flags in [2, u32::MAX] {
        // SAFETY: both buffers exist.
        let result = unsafe {
            bytelane_capi::codec::json_string::bytelane_json_string_escape(src, 3, flags, to, 64)
        };
        assert_eq!(result.status, BYTELANE_ARGUMENT);
    }
    for (variant, flags) in [(2, 0), (3, 0), (0, 4), (u32::MAX, u32::MAX)] {
        let format = bytelane_stream_vbyte_format {
            variant,
            flags,
            start: 0,
        };
        // SAFETY: both buffers exist.
        let result = unsafe {
            bytelane_capi::codec::stream_vbyte::bytelane_stream_vbyte_encode_u32(
                format,
                src.cast(),
                1,
                to,
                64,
            )
        };
        assert_eq!(result.status, BYTELANE_ARGUMENT);
    }
    assert_eq!(dst, [7; 8]);
}
