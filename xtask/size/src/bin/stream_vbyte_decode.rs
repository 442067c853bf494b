//! One call of `stream_vbyte::Format::decode`.

use bytelane::stream_vbyte::Format;
use std::hint::black_box;

fn main() {
    println!("{}", bytelane::Backend::active());
    let mut values = [0u32; 64];
    let _ = black_box(Format::V1234.decode(black_box(&[1; 256]), &mut values));
    black_box(values);
}
