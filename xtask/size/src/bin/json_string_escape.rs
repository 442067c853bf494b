//! One call of `json_string::escape`.

use bytelane::json_string;
use std::hint::black_box;

fn main() {
    println!("{}", bytelane::Backend::active());
    let mut json = [0; 256];
    let _ = black_box(json_string::QUOTED.escape(black_box("text"), &mut json));
    black_box(json);
}
