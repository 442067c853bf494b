//! One call of `varint::encode`.

use bytelane::varint;
use std::hint::black_box;

fn main() {
    println!("{}", bytelane::Backend::active());
    let mut bytes = [0; 640];
    let _ = black_box(varint::encode(black_box(&[300i64; 64]), &mut bytes));
    black_box(bytes);
}
