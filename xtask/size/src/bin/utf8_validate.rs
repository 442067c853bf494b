//! One call of `utf8::validate`.

use bytelane::utf8;
use std::hint::black_box;

fn main() {
    println!("{}", bytelane::Backend::active());
    let _ = black_box(utf8::validate(black_box(b"text")));
}
