//! One call of `alp::decode`.

use bytelane::alp;
use std::hint::black_box;

bytelane_size::program!(values = [0.0f64; 64]; alp::decode(black_box(&[1; 256]), &mut values));
