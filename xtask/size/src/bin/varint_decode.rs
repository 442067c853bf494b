//! One call of `varint::decode`.

use bytelane::varint;
use std::hint::black_box;

bytelane_size::program!(values = [0u32; 64]; varint::decode(black_box(&[1; 256]), &mut values));
