//! One cursor of `stream_vbyte`, moved to a value.

use bytelane::stream_vbyte::Format;
use std::hint::black_box;

bytelane_size::program!({
    let encoded = black_box([0; 272]);
    let cursor = Format::<u32>::V1234.cursor(&encoded, 64);
    cursor.map(|mut cursor| cursor.seek(black_box(7)))
});
