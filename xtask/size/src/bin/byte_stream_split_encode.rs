//! One call of `byte_stream_split::encode`.

use bytelane::byte_stream_split;
use std::hint::black_box;

bytelane_size::program!(
    bytes = [0; 256];
    byte_stream_split::encode(black_box(&[1f32; 64]), &mut bytes)
);
