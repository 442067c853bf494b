//! Kernels whose instructions are counted, in a file for each codec. To add one, add a row.
//!
//! A row states, for each instruction set, how often each shuffle occurs in the hot loop, how many
//! registers may be spilled there, and the maximum number of instructions of any kind. If counts
//! change because the kernel improved, the failure prints the loops found: put the new counts here.

mod alp;
mod base64;
mod big_endian;
mod bit_packing;
mod byte_stream_split;
mod delta;
mod json_string;
mod utf8;

use super::Kernel;

/// All rows.
pub const KERNELS: &[&[Kernel]] = &[
    byte_stream_split::KERNELS,
    big_endian::KERNELS,
    base64::KERNELS,
    json_string::KERNELS,
    utf8::KERNELS,
    bit_packing::KERNELS,
    delta::KERNELS,
    alp::KERNELS,
];
