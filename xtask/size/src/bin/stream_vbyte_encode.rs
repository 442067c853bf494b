//! One call of `stream_vbyte::Format::encode`.

use bytelane::stream_vbyte::Format;
use std::hint::black_box;

fn main() {
    println!("{}", bytelane::Backend::active());
    let mut bytes = [0; 272];
    let format = Format::V1234.delta(0);
    let _ = black_box(format.encode(black_box(&[300u32; 64]), &mut bytes));
    black_box(bytes);
}
