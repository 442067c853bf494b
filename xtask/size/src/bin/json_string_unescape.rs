//! One call of `json_string::unescape`.

use bytelane::json_string;
use std::hint::black_box;

bytelane_size::program!(
    text = [0; 256];
    json_string::QUOTED.unescape(black_box(b"text\""), &mut text)
);
