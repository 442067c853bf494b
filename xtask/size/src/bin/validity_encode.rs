//! One call of `validity::Format::encode`.

use bytelane::validity::Format;
use std::hint::black_box;

fn main() {
    println!("{}", bytelane::Backend::active());
    let mut bitmap = [0; 32];
    let format = Format::<u16>::new(black_box(1));
    let _ = black_box(format.map(|format| format.encode(black_box(&[1; 256]), &mut bitmap)));
    black_box(bitmap);
}
