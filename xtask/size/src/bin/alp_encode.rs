//! One call of `alp::encode`.

use bytelane::alp;
use std::hint::black_box;

bytelane_size::program!(encoded = [0; 1024]; alp::encode(black_box(&[1.0f64; 64]), &mut encoded));
