//! One call of `stream_vbyte::Cursor::seek_at_least`.

use bytelane::stream_vbyte::Format;
use std::hint::black_box;

fn main() {
    println!("{}", bytelane::Backend::active());
    let cursor = Format::V1234.delta(0u32).cursor(black_box(&[1; 256]), 64);
    if let Ok(mut cursor) = cursor {
        let _ = black_box(cursor.seek_at_least(black_box(77)));
    }
}
