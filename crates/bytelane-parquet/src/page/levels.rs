//! Definition levels of flat columns: one bit a value, in the hybrid of runs and packed bits
//! ([Encodings.md](https://github.com/apache/parquet-format/blob/master/Encodings.md), "Run Length Encoding /
//! Bit-Packing Hybrid").
//!
//! The packed bits are Arrow's validity bitmap as it is, so that neither direction looks at single values.

use arrow_buffer::BooleanBuffer;

/// Equal bytes of the bitmap from which a run is shorter than the bits: its header and that of the packed bits
/// behind it.
const LONG: usize = 8;

fn append_number(mut number: usize, to: &mut Vec<u8>) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

fn append_run(count: usize, valid: bool, to: &mut Vec<u8>) {
    append_number(count << 1, to);
    to.push(u8::from(valid));
}

fn append_packed(bits: &[u8], to: &mut Vec<u8>) {
    if !bits.is_empty() {
        append_number(bits.len() << 1 | 1, to);
        to.extend_from_slice(bits);
    }
}

/// Appends the levels of a page in which all values are valid, or all are null.
pub(crate) fn append_uniform(count: usize, valid: bool, to: &mut Vec<u8>) {
    append_run(count, valid, to);
}

/// Appends the levels of a page.
pub(crate) fn append(valid: &BooleanBuffer, to: &mut Vec<u8>) {
    let bitmap = valid.sliced();
    let (whole, rest) = (valid.len() / 8, valid.len() % 8);
    let bytes = &bitmap.as_slice()[..whole];
    // Up to here everything is written.
    let mut done = 0;
    let mut at = 0;
    while at < whole {
        let byte = bytes[at];
        let equal = bytes[at..].iter().take_while(|next| **next == byte).count();
        if matches!(byte, 0 | 0xff) && equal >= LONG {
            append_packed(&bytes[done..at], to);
            append_run(equal * 8, byte != 0, to);
            done = at + equal;
        }
        at += equal;
    }
    if rest == 0 {
        append_packed(&bytes[done..], to);
    } else {
        // The bits behind the last value are anything in Arrow, and zero here.
        let mut last = bytes[done..].to_vec();
        last.push(bitmap.as_slice()[whole] & ((1 << rest) - 1));
        append_packed(&last, to);
    }
}
