//! One call of `validity::values::spread`.

use bytelane::validity::values;
use std::hint::black_box;

bytelane_size::program!(
    spread = [0.0f64; 64];
    values::spread(black_box(&[1.0; 8]), black_box(&[1; 8]), &mut spread)
);
