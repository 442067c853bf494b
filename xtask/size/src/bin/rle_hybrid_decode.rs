//! One call of `rle_hybrid::Format::decode`.

use bytelane::rle_hybrid::Format;
use std::hint::black_box;

bytelane_size::program!(values = [0u32; 64]; {
    let format = Format::<u32>::new(black_box(13));
    format.map(|format| format.decode(black_box(&[1; 256]), &mut values))
});
