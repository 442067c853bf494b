//! One call of `byte_stream_split::decode`.

use bytelane::byte_stream_split;
use std::hint::black_box;

bytelane_size::program!(
    values = [0f32; 64];
    byte_stream_split::decode(black_box(&[1; 256]), &mut values)
);
