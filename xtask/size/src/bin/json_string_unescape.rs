//! One call of `json_string::unescape`.

use bytelane::json_string;
use std::hint::black_box;

fn main() {
    println!("{}", bytelane::Backend::active());
    let mut text = [0; 256];
    let _ = black_box(json_string::QUOTED.unescape(black_box(b"text\""), &mut text));
    black_box(text);
}
