//! One call of `byte_stream_split::encode`.

use bytelane::byte_stream_split;
use std::hint::black_box;

fn main() {
    println!("{}", bytelane::Backend::active());
    let mut bytes = [0; 256];
    let _ = black_box(byte_stream_split::encode(
        black_box(&[1f32; 64]),
        &mut bytes,
    ));
    black_box(bytes);
}
