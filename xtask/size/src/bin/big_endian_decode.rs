//! One call of `big_endian::decode`.

use bytelane::big_endian;
use std::hint::black_box;

bytelane_size::program!(values = [0u32; 64]; big_endian::decode(black_box(&[1; 256]), &mut values));
