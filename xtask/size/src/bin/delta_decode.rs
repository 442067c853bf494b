//! One call of `delta::decode`.

use bytelane::delta;
use std::hint::black_box;

bytelane_size::program!(values = [0i64; 64]; delta::decode(black_box(&[1; 256]), &mut values));
