//! One call of `rle_hybrid::Format::encode`.

use bytelane::rle_hybrid::Format;
use std::hint::black_box;

bytelane_size::program!(encoded = [0; 512]; {
    let format = Format::<u32>::new(black_box(13));
    format.map(|format| format.encode(black_box(&[1; 64]), &mut encoded))
});
