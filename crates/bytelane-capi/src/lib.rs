#![doc = include_str!("../README.md")]
#![allow(unsafe_code)] // C passes pointers: see `buffers`.
#![allow(non_camel_case_types)]
// The names are those of the header. The requirements on pointers, common to all functions, are
// stated once, at the top of the header.
#![allow(clippy::missing_safety_doc)]

pub mod alp;
pub mod base64;
pub mod big_endian;
pub mod bit_packing;
mod buffers;
pub mod byte_stream_split;
pub mod delta;
pub mod json_string;
pub mod library;
pub mod result;
pub mod rle_hybrid;
pub mod stream_vbyte;
pub mod utf8;
pub mod validity;
pub mod varint;
