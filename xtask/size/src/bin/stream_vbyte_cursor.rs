//! One cursor of `stream_vbyte`, moved to a value.

use bytelane::stream_vbyte::Format;
use std::hint::black_box;

fn main() {
    println!("{}", bytelane::Backend::active());
    let encoded = black_box([0; 272]);
    let cursor = Format::<u32>::V1234.cursor(&encoded, 64);
    let _ = black_box(cursor.map(|mut cursor| cursor.seek(black_box(7))));
}
