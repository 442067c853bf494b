//! One call of `base64::Engine::encode`.

use bytelane::base64;
use std::hint::black_box;

fn main() {
    println!("{}", bytelane::Backend::active());
    let mut text = [0; 256];
    let _ = black_box(base64::STANDARD.encode(black_box(&[1; 192]), &mut text));
    black_box(text);
}
