//! Tests that the C functions allocate nothing.

use super::common;

#[test]
fn no_function_allocates() {
    for case in common::cases() {
        let (unit, opening) = (case.functions.unit, case.functions.opening.len());
        for count in [0, 1, 20, 1000] {
            // Zeros fit any width.
            let has_width = ["bit_packing", "rle_hybrid", "validity"];
            let value = if has_width.iter().any(|name| case.name.starts_with(name)) {
                0
            } else {
                0x0041_4141_4141_4141_u64
            };
            let values = vec![value; count];
            let mut encoded = vec![0_u8; 6 * 8 * count + 4096];
            let mut decoded = vec![0_u64; count + 1];
            let bytes = 8 * count - 8 * count % case.codec.width();
            let from = values.as_ptr().cast();
            let mut lengths = (0, 0);
            let info = allocation_counter::measure(|| {
                let room = encoded.len();
                let to = encoded.as_mut_ptr();
                let done = (case.functions.encode)(from, bytes / unit, to, room);
                let short = (case.functions.encode)(from, bytes / unit, to, done.count / 2);
                let text = encoded.as_ptr().wrapping_add(opening);
                let (length, to) = (done.count.saturating_sub(opening), decoded.as_mut_ptr());
                let back = (case.functions.decode)(text, length, to.cast(), bytes / unit);
                lengths = (back.count, short.count);
                // Malformed, because it is truncated.
                _ = (case.functions.decode)(text, length / 2, to.cast(), bytes / unit);
            });
            assert_eq!(lengths.0, bytes / unit, "{}", case.name);
            assert!(bytes == 0 || lengths.1 > 0, "{}", case.name);
            assert_eq!(info.count_total, 0, "{} of {count} values", case.name);
        }
    }
}
