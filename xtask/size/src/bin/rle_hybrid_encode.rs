//! One call of `rle_hybrid::Format::encode`.

use bytelane::rle_hybrid::Format;
use std::hint::black_box;

fn main() {
    println!("{}", bytelane::Backend::active());
    let mut encoded = [0; 512];
    let format = Format::<u32>::new(black_box(13));
    let _ = black_box(format.map(|format| format.encode(black_box(&[1; 64]), &mut encoded)));
    black_box(encoded);
}
