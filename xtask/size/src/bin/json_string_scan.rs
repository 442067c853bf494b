//! One call of `json_string::scan`.

use bytelane::json_string;
use std::hint::black_box;

bytelane_size::program!(json_string::scan(black_box(b"text\"")));
