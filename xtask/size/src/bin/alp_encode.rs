//! One call of `alp::encode`.

use bytelane::alp;
use std::hint::black_box;

fn main() {
    println!("{}", bytelane::Backend::active());
    let mut encoded = [0; 1024];
    let _ = black_box(alp::encode(black_box(&[1.0f64; 64]), &mut encoded));
    black_box(encoded);
}
