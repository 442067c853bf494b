//! The functions of each codec.

pub mod alp;
pub mod base64;
pub mod big_endian;
pub mod bit_packing;
pub mod byte_stream_split;
pub mod delta;
pub mod fsst;
pub mod json_string;
pub mod rle_hybrid;
pub mod stream_vbyte;
pub mod utf8;
pub mod validity;
pub mod varint;

use crate::exports::Function;

/// Codecs in the order of the header, with the functions that it derives from lists.
#[doc(hidden)]
pub const CODECS: &[(&str, &[Function])] = &[
    ("byte_stream_split", byte_stream_split::FUNCTIONS),
    ("big_endian", &[]),
    ("stream_vbyte", stream_vbyte::FUNCTIONS),
    ("varint", varint::FUNCTIONS),
    ("base64", base64::FUNCTIONS),
    ("json_string", json_string::FUNCTIONS),
    ("utf8", utf8::FUNCTIONS),
    ("bit_packing", bit_packing::FUNCTIONS),
    ("delta", delta::FUNCTIONS),
    ("rle_hybrid", rle_hybrid::FUNCTIONS),
    ("validity", validity::FUNCTIONS),
    ("alp", alp::FUNCTIONS),
    ("fsst", fsst::FUNCTIONS),
];
