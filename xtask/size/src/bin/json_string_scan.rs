//! One call of `json_string::scan`.

use bytelane::json_string;
use std::hint::black_box;

fn main() {
    println!("{}", bytelane::Backend::active());
    let _ = black_box(json_string::scan(black_box(b"text\"")));
}
