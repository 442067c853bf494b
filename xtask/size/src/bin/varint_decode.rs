//! One call of `varint::decode`.

use bytelane::varint;
use std::hint::black_box;

fn main() {
    println!("{}", bytelane::Backend::active());
    let mut values = [0u32; 64];
    let _ = black_box(varint::decode(black_box(&[1; 256]), &mut values));
    black_box(values);
}
