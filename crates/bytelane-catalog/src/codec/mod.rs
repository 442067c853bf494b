//! The codecs, one file each, and the list of them.

mod alp;
mod base64;
mod big_endian;
mod bit_packing;
mod byte_stream_split;
mod delta;
pub(crate) mod fsst;
mod json_string;
mod rle_hybrid;
mod stream_vbyte;
mod utf8;
pub mod validity;
mod varint;

use crate::Entry;

/// All codecs.
pub static CODECS: &[Entry] = &[
    byte_stream_split::ENTRY,
    big_endian::ENTRY,
    base64::ENTRY,
    json_string::ENTRY,
    stream_vbyte::ENTRY,
    varint::ENTRY,
    utf8::ENTRY,
    bit_packing::ENTRY,
    delta::ENTRY,
    rle_hybrid::ENTRY,
    validity::ENTRY,
    alp::ENTRY,
    fsst::ENTRY,
];
