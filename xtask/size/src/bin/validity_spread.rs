//! One call of `validity::values::spread`.

use bytelane::validity::values;
use std::hint::black_box;

fn main() {
    println!("{}", bytelane::Backend::active());
    let mut spread = [0.0f64; 64];
    let _ = black_box(values::spread(
        black_box(&[1.0; 8]),
        black_box(&[1; 8]),
        &mut spread,
    ));
    black_box(spread);
}
