//! One call of `base64::Engine::decode`.

use bytelane::base64;
use std::hint::black_box;

fn main() {
    println!("{}", bytelane::Backend::active());
    let mut bytes = [0; 192];
    let _ = black_box(base64::STANDARD.decode(black_box(&[b'A'; 256]), &mut bytes));
    black_box(bytes);
}
