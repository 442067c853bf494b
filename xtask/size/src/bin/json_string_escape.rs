//! One call of `json_string::escape`.

use bytelane::json_string;
use std::hint::black_box;

bytelane_size::program!(json = [0; 256]; json_string::QUOTED.escape(black_box("text"), &mut json));
