//! One call of `big_endian::decode`.

use bytelane::big_endian;
use std::hint::black_box;

fn main() {
    println!("{}", bytelane::Backend::active());
    let mut values = [0u32; 64];
    let _ = black_box(big_endian::decode(black_box(&[1; 256]), &mut values));
    black_box(values);
}
