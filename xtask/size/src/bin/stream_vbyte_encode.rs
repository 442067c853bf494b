//! One call of `stream_vbyte::Format::encode`.

use bytelane::stream_vbyte::Format;
use std::hint::black_box;

bytelane_size::program!(bytes = [0; 272]; {
    let format = Format::V1234.delta(0);
    format.encode(black_box(&[300u32; 64]), &mut bytes)
});
