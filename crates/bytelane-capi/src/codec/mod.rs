//! The functions of each codec.

pub mod alp;
pub mod base64;
pub mod big_endian;
pub mod bit_packing;
pub mod byte_stream_split;
pub mod delta;
pub mod json_string;
pub mod rle_hybrid;
pub mod stream_vbyte;
pub mod utf8;
pub mod validity;
pub mod varint;
