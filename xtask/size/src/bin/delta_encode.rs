//! One call of `delta::encode`.

use bytelane::delta;
use std::hint::black_box;

bytelane_size::program!(encoded = [0; 1024]; delta::encode(black_box(&[1i64; 64]), &mut encoded));
