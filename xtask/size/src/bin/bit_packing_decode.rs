//! One call of `bit_packing::Format::decode`.

use bytelane::bit_packing::Format;
use std::hint::black_box;

bytelane_size::program!(values = [0u32; 64]; {
    let format = Format::<u32>::new(black_box(13)).expect("at most 32 bits");
    format.decode(black_box(&[1; 256]), &mut values)
});
