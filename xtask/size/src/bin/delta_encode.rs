//! One call of `delta::encode`.

use bytelane::delta;
use std::hint::black_box;

fn main() {
    println!("{}", bytelane::Backend::active());
    let mut encoded = [0; 1024];
    let _ = black_box(delta::encode(black_box(&[1i64; 64]), &mut encoded));
    black_box(encoded);
}
