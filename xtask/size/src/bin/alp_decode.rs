//! One call of `alp::decode`.

use bytelane::alp;
use std::hint::black_box;

fn main() {
    println!("{}", bytelane::Backend::active());
    let mut values = [0.0f64; 64];
    let _ = black_box(alp::decode(black_box(&[1; 256]), &mut values));
    black_box(values);
}
