//! One call of `bit_packing::Format::encode`.

use bytelane::bit_packing::Format;
use std::hint::black_box;

bytelane_size::program!(packed = [0; 256]; {
    let format = Format::<u64>::new(black_box(13)).expect("at most 64 bits");
    format.encode(black_box(&[1; 64]), &mut packed)
});
