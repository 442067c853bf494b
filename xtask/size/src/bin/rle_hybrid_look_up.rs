//! One call of `rle_hybrid::Dictionary::decode`.

use bytelane::rle_hybrid::{Dictionary, Format};
use std::hint::black_box;

bytelane_size::program!(values = [0.0f64; 64]; {
    let dictionary = Dictionary::new(black_box(&[1.0; 100]));
    let format = Format::<u32>::new(black_box(13));
    let decode = |format| dictionary.decode(format, black_box(&[1; 256]), &mut values);
    format.map(decode)
});
