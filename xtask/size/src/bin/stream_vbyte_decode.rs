//! One call of `stream_vbyte::Format::decode`.

use bytelane::stream_vbyte::Format;
use std::hint::black_box;

bytelane_size::program!(
    values = [0u32; 64]; Format::V1234.decode(black_box(&[1; 256]), &mut values)
);
