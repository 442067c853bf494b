//! Table of the codecs of the catalog.

use super::{Function, Functions};
use bytelane_capi::codec::alp::*;
use bytelane_capi::codec::base64::*;
use bytelane_capi::codec::big_endian::*;
use bytelane_capi::codec::bit_packing::*;
use bytelane_capi::codec::byte_stream_split::*;
use bytelane_capi::codec::delta::*;
use bytelane_capi::codec::fsst::*;
use bytelane_capi::codec::json_string::*;
use bytelane_capi::codec::rle_hybrid::*;
use bytelane_capi::codec::stream_vbyte::*;
use bytelane_capi::codec::utf8::*;
use bytelane_capi::codec::validity::*;
use bytelane_capi::codec::varint::*;
use bytelane_capi::result::{BYTELANE_OK, bytelane_result};
use std::mem::MaybeUninit;

/// Converts parameters of the catalog to the C functions, and to the equivalent parameters there.
pub type Make = fn(&str) -> (String, Functions);

/// Codecs, by their names in the catalog.
pub static CODECS: &[(&str, Make)] = &[
    ("byte_stream_split", byte_stream_split),
    ("big_endian", big_endian),
    ("base64", base64),
    ("json_string", json_string),
    ("stream_vbyte", stream_vbyte),
    ("varint", varint),
    ("utf8", utf8),
    ("bit_packing", bit_packing),
    ("delta", delta),
    ("rle_hybrid", rle_hybrid),
    ("validity", validity),
    ("alp", alp),
    ("fsst", fsst),
];

/// Returns the value of a parameter, or an empty string.
fn parameter<'a>(parameters: &'a str, name: &str) -> &'a str {
    let mut pairs = parameters
        .split(',')
        .filter_map(|pair| pair.split_once('='));
    pairs
        .find(|(key, _)| *key == name)
        .map_or("", |(_, value)| value)
}

/// Boxes a call of a C function. The tests pass buffers that exist.
macro_rules! function {
    ([$src:ident, $length:ident, $dst:ident, $room:ident] => $function:ident $arguments:tt) => {
        Box::new(move |$src: *const u8, $length, $dst: *mut u8, $room| -> bytelane_result {
            // SAFETY: the caller of the closure passes buffers of these lengths, or buffers that
            // the function rejects without accessing the memory.
            unsafe { $function $arguments }
        }) as Function
    };
}

fn byte_stream_split(parameters: &str) -> (String, Functions) {
    let width = parameter(parameters, "width").parse().expect("a width");
    let functions = match width {
        1 | 2 | 4 | 8 => Functions {
            encode: function!([src, count, dst, room] => bytelane_byte_stream_split_encode(
                src.cast(), count, width, dst, room
            )),
            decode: function!([src, length, dst, room] => bytelane_byte_stream_split_decode(
                src, length, dst.cast(), room, width
            )),
            unit: width,
            opening: b"",
        },
        _ => Functions {
            encode: function!([src, length, dst, room] => bytelane_byte_stream_split_encode_bytes(
                src, length, width, dst, room
            )),
            decode: function!([src, length, dst, room] => bytelane_byte_stream_split_decode_bytes(
                src, length, width, dst, room
            )),
            unit: 1,
            opening: b"",
        },
    };
    (parameters.to_owned(), functions)
}

fn big_endian(parameters: &str) -> (String, Functions) {
    let width = parameter(parameters, "width").parse().expect("a width");
    let functions = Functions {
        encode: function!([src, count, dst, room] => bytelane_big_endian_encode(
            src.cast(), count, width, dst, room
        )),
        decode: function!([src, length, dst, room] => bytelane_big_endian_decode(
            src, length, dst.cast(), room, width
        )),
        unit: width,
        opening: b"",
    };
    (parameters.to_owned(), functions)
}

fn base64(parameters: &str) -> (String, Functions) {
    let mut flags = match parameter(parameters, "padding") {
        "none" => BYTELANE_BASE64_NO_PADDING,
        "either" => BYTELANE_BASE64_NO_PADDING | BYTELANE_BASE64_PADDING_OPTIONAL,
        _ => 0,
    };
    if parameter(parameters, "alphabet") == "url" {
        flags |= BYTELANE_BASE64_URL_SAFE;
    }
    if parameter(parameters, "trailing_bits") == "ignored" {
        flags |= BYTELANE_BASE64_TRAILING_BITS;
    }
    let functions = Functions {
        encode: function!([src, length, dst, room] => bytelane_base64_encode(
            src, length, flags, dst, room
        )),
        decode: function!([src, length, dst, room] => bytelane_base64_decode(
            src, length, flags, dst, room
        )),
        unit: 1,
        opening: b"",
    };
    // The catalog's default skips whitespace.
    let given = parameters.split(',').filter(|pair| !pair.is_empty());
    let given = given.filter(|pair| !pair.starts_with("whitespace="));
    let strict: Vec<_> = given.chain(["whitespace=none"]).collect();
    (strict.join(","), functions)
}

fn json_string(parameters: &str) -> (String, Functions) {
    let (flags, opening): (_, &[u8]) = match parameter(parameters, "quotes") {
        "false" => (BYTELANE_JSON_STRING_BARE, b""),
        _ => (0, b"\""),
    };
    let functions = Functions {
        encode: function!([src, length, dst, room] => bytelane_json_string_escape(
            src, length, flags, dst, room
        )),
        decode: function!([src, length, dst, room] => bytelane_json_string_unescape(
            src, length, flags, dst, room
        )),
        unit: 1,
        opening,
    };
    (parameters.to_owned(), functions)
}

fn stream_vbyte(parameters: &str) -> (String, Functions) {
    let mut format = bytelane_stream_vbyte_format::default();
    for (name, flag) in [
        ("delta", BYTELANE_STREAM_VBYTE_DELTA),
        ("zigzag", BYTELANE_STREAM_VBYTE_ZIGZAG),
    ] {
        if parameter(parameters, name) == "true" {
            format.flags |= flag;
        }
    }
    let functions = match parameter(parameters, "variant") {
        "1248" => {
            format.variant = BYTELANE_STREAM_VBYTE_1248;
            Functions {
                encode: function!([src, count, dst, room] => bytelane_stream_vbyte_encode_u64(
                    format, src.cast(), count, dst, room
                )),
                decode: function!([src, length, dst, room] => bytelane_stream_vbyte_decode_u64(
                    format, src, length, dst.cast(), room
                )),
                unit: 8,
                opening: b"",
            }
        }
        variant => {
            if variant == "0124" {
                format.variant = BYTELANE_STREAM_VBYTE_0124;
            }
            Functions {
                encode: function!([src, count, dst, room] => bytelane_stream_vbyte_encode_u32(
                    format, src.cast(), count, dst, room
                )),
                decode: function!([src, length, dst, room] => bytelane_stream_vbyte_decode_u32(
                    format, src, length, dst.cast(), room
                )),
                unit: 4,
                opening: b"",
            }
        }
    };
    (parameters.to_owned(), functions)
}

fn varint(parameters: &str) -> (String, Functions) {
    macro_rules! of {
        ($encode:ident, $decode:ident, $unit:literal) => {
            Functions {
                encode: function!([src, count, dst, room] => $encode(src.cast(), count, dst, room)),
                decode: function!([src, length, dst, room] => $decode(src, length, dst.cast(), room)),
                unit: $unit,
                opening: b"",
            }
        };
    }
    let functions = match parameter(parameters, "type") {
        "u32" => of!(bytelane_varint_encode_u32, bytelane_varint_decode_u32, 4),
        "u64" => of!(bytelane_varint_encode_u64, bytelane_varint_decode_u64, 8),
        "i32" => of!(bytelane_varint_encode_i32, bytelane_varint_decode_i32, 4),
        _ => of!(bytelane_varint_encode_i64, bytelane_varint_decode_i64, 8),
    };
    (parameters.to_owned(), functions)
}

fn utf8(parameters: &str) -> (String, Functions) {
    let copy = || function!([src, length, dst, room] => bytelane_utf8_copy(src, length, dst, room));
    let functions = Functions {
        encode: copy(),
        decode: copy(),
        unit: 1,
        opening: b"",
    };
    (parameters.to_owned(), functions)
}

fn bit_packing(parameters: &str) -> (String, Functions) {
    let frame = parameter(parameters, "frame").parse::<i64>().unwrap_or(0);
    let format = bytelane_bit_packing_format {
        width: parameter(parameters, "width").parse().expect("a width"),
        flags: u32::from(parameter(parameters, "zigzag") == "true"),
        reference: frame as u64,
    };
    macro_rules! of {
        ($encode:ident, $decode:ident, $unit:literal) => {
            Functions {
                encode: function!([src, count, dst, room] => $encode(
                    format, src.cast(), count, dst, room
                )),
                decode: function!([src, length, dst, room] => $decode(
                    format, src, length, dst.cast(), room
                )),
                unit: $unit,
                opening: b"",
            }
        };
    }
    let functions = match parameter(parameters, "type") {
        "u8" => of!(
            bytelane_bit_packing_encode_u8,
            bytelane_bit_packing_decode_u8,
            1
        ),
        "u16" => of!(
            bytelane_bit_packing_encode_u16,
            bytelane_bit_packing_decode_u16,
            2
        ),
        "u32" => of!(
            bytelane_bit_packing_encode_u32,
            bytelane_bit_packing_decode_u32,
            4
        ),
        "u64" => of!(
            bytelane_bit_packing_encode_u64,
            bytelane_bit_packing_decode_u64,
            8
        ),
        "i32" => of!(
            bytelane_bit_packing_encode_i32,
            bytelane_bit_packing_decode_i32,
            4
        ),
        "i64" => of!(
            bytelane_bit_packing_encode_i64,
            bytelane_bit_packing_decode_i64,
            8
        ),
        other => panic!("no C function for the type {other}"),
    };
    (parameters.to_owned(), functions)
}

fn delta(parameters: &str) -> (String, Functions) {
    let number = |name| parameter(parameters, name).parse().unwrap_or(0);
    let format = bytelane_delta_format {
        block: number("block_values"),
        miniblocks: number("miniblocks"),
    };
    let functions = match parameter(parameters, "type") {
        "i32" => Functions {
            encode: function!([src, count, dst, room] => bytelane_delta_encode_i32(
                format, src.cast(), count, dst, room
            )),
            decode: function!([src, length, dst, room] => bytelane_delta_decode_i32(
                src, length, dst.cast(), room
            )),
            unit: 4,
            opening: b"",
        },
        _ => Functions {
            encode: function!([src, count, dst, room] => bytelane_delta_encode_i64(
                format, src.cast(), count, dst, room
            )),
            decode: function!([src, length, dst, room] => bytelane_delta_decode_i64(
                src, length, dst.cast(), room
            )),
            unit: 8,
            opening: b"",
        },
    };
    (parameters.to_owned(), functions)
}

fn rle_hybrid(parameters: &str) -> (String, Functions) {
    let width = parameter(parameters, "width").parse().expect("a width");
    macro_rules! of {
        ($encode:ident, $decode:ident, $unit:literal) => {
            Functions {
                encode: function!([src, count, dst, room] => $encode(
                    width, src.cast(), count, dst, room
                )),
                decode: function!([src, length, dst, room] => $decode(
                    width, src, length, dst.cast(), room
                )),
                unit: $unit,
                opening: b"",
            }
        };
    }
    let functions = match parameter(parameters, "type") {
        "u8" => of!(
            bytelane_rle_hybrid_encode_u8,
            bytelane_rle_hybrid_decode_u8,
            1
        ),
        "u16" => of!(
            bytelane_rle_hybrid_encode_u16,
            bytelane_rle_hybrid_decode_u16,
            2
        ),
        "u32" => of!(
            bytelane_rle_hybrid_encode_u32,
            bytelane_rle_hybrid_decode_u32,
            4
        ),
        "bits" => Functions {
            encode: function!([src, length, dst, room] => bytelane_rle_hybrid_encode_bits(
                src, length, usize::saturating_mul(8, length), dst, room
            )),
            decode: function!([src, length, dst, room] => bytelane_rle_hybrid_decode_bits(
                src, length, usize::saturating_mul(8, room), dst, room
            )),
            unit: 1,
            opening: b"",
        },
        other => panic!("no C function for the type {other}"),
    };
    (parameters.to_owned(), functions)
}

fn validity(parameters: &str) -> (String, Functions) {
    let max = parameter(parameters, "max_level").parse().expect("a level");
    let functions = match parameter(parameters, "type") {
        "u8" => Functions {
            encode: function!([src, count, dst, room] => bytelane_validity_encode_u8(
                max, src, count, dst, room
            )),
            decode: function!([src, length, dst, room] => bytelane_validity_decode_u8(
                max, src, length, dst, room
            )),
            unit: 1,
            opening: b"",
        },
        _ => Functions {
            encode: function!([src, count, dst, room] => bytelane_validity_encode_u16(
                max, src.cast(), count, dst, room
            )),
            decode: function!([src, length, dst, room] => bytelane_validity_decode_u16(
                max, src, length, dst.cast(), room
            )),
            unit: 2,
            opening: b"",
        },
    };
    (parameters.to_owned(), functions)
}

fn alp(parameters: &str) -> (String, Functions) {
    let vector = parameter(parameters, "vector").parse().unwrap_or(0);
    macro_rules! of {
        ($encode:ident, $decode:ident, $unit:literal) => {
            Functions {
                encode: function!([src, count, dst, room] => $encode(
                    vector, src.cast(), count, dst, room
                )),
                decode: function!([src, length, dst, room] => $decode(
                    src, length, dst.cast(), room
                )),
                unit: $unit,
                opening: b"",
            }
        };
    }
    let functions = match parameter(parameters, "type") {
        "f32" => of!(bytelane_alp_encode_f32, bytelane_alp_decode_f32, 4),
        _ => of!(bytelane_alp_encode_f64, bytelane_alp_decode_f64, 8),
    };
    (parameters.to_owned(), functions)
}

/// Returns a table of C, which lives until the end of the process.
fn fsst_table(symbols: &str) -> &'static bytelane_fsst_table {
    let symbols: Vec<&str> = symbols.split('|').collect();
    let table = bytelane::fsst::Table::new(&symbols).expect("symbols of the catalog");
    let bytes = table
        .write_to_vec()
        .expect("symbols in the order of the form");
    let mut place = MaybeUninit::new(std::ptr::null_mut());
    // SAFETY: all buffers exist.
    let result = unsafe { bytelane_fsst_read_table(bytes.as_ptr(), bytes.len(), Some(&mut place)) };
    assert_eq!(result.status, BYTELANE_OK);
    // SAFETY: it began as null.
    let table = unsafe { place.assume_init() };
    // SAFETY: the function has stored the address of a new table, which is never freed.
    let table = unsafe { &*table };
    // SAFETY: no buffer has a length. The first call allocates memory, and later calls do not.
    let first =
        unsafe { bytelane_fsst_encode(Some(table), std::ptr::null(), 0, std::ptr::null_mut(), 0) };
    assert_eq!(first.status, BYTELANE_OK);
    table
}

fn fsst(parameters: &str) -> (String, Functions) {
    // Tables are trained and read by calls of their own.
    let symbols = match parameter(parameters, "symbols") {
        "" => "ab|e|t",
        given => given,
    };
    let table = fsst_table(symbols);
    let functions = Functions {
        encode: function!([src, length, dst, room] => bytelane_fsst_encode(
            Some(table), src, length, dst, room
        )),
        decode: function!([src, length, dst, room] => bytelane_fsst_decode(
            Some(table), src, length, dst, room
        )),
        unit: 1,
        opening: b"",
    };
    (format!("symbols={symbols}"), functions)
}
