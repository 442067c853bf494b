//! One call of `varint::encode`.

use bytelane::varint;
use std::hint::black_box;

bytelane_size::program!(bytes = [0; 640]; varint::encode(black_box(&[300i64; 64]), &mut bytes));
