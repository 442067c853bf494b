//! One call of `byte_stream_split::decode`.

use bytelane::byte_stream_split;
use std::hint::black_box;

fn main() {
    println!("{}", bytelane::Backend::active());
    let mut values = [0f32; 64];
    let _ = black_box(byte_stream_split::decode(black_box(&[1; 256]), &mut values));
    black_box(values);
}
