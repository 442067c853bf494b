//! One call of `utf8::validate`.

use bytelane::utf8;
use std::hint::black_box;

bytelane_size::program!(utf8::validate(black_box(b"text")));
