//! One call of `delta::decode`.

use bytelane::delta;
use std::hint::black_box;

fn main() {
    println!("{}", bytelane::Backend::active());
    let mut values = [0i64; 64];
    let _ = black_box(delta::decode(black_box(&[1; 256]), &mut values));
    black_box(values);
}
