//! One call of `validity::Format::encode`.

use bytelane::validity::Format;
use std::hint::black_box;

bytelane_size::program!(bitmap = [0; 32]; {
    let format = Format::<u16>::new(black_box(1));
    format.map(|format| format.encode(black_box(&[1; 256]), &mut bitmap))
});
