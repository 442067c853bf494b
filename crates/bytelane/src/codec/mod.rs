//! Codecs. None of them runs unsafe code of its own: scalar and kernel files forbid it, and the
//! other files deny it except in the macros of `simd` and `backend`. The `claims.rs` of a codec has
//! the `unsafe impl` of its operations, each with its proof.

pub mod alp;
pub mod base64;
pub mod big_endian;
pub mod bit_packing;
pub mod byte_stream_split;
#[doc(hidden)]
pub mod decimal;
pub mod delta;
pub mod fsst;
pub mod json_string;
pub mod rle_hybrid;
pub mod stream_vbyte;
pub mod utf8;
pub mod validity;
pub mod varint;
