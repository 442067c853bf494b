//! The codecs, one file each.

pub(crate) mod alp;
pub(crate) mod base64;
pub(crate) mod big_endian;
pub(crate) mod bit_packing;
pub(crate) mod byte_stream_split;
pub(crate) mod delta;
pub(crate) mod json_string;
pub(crate) mod rle_hybrid;
pub(crate) mod stream_vbyte;
pub(crate) mod utf8;
pub mod validity;
pub(crate) mod varint;
