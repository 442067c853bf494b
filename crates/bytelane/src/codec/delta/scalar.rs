//! The specification as code: parquet-format, `Encodings.md`, "Delta Encoding".
//!
//! > 1. Compute the differences between consecutive elements. [..]
//! > 2. Compute the frame of reference (the minimum of the deltas in the block). Subtract this min
//! >    delta from all deltas in the block. This guarantees that all values are non-negative.
//! > 3. Encode the frame of reference (min delta) as a zigzag ULEB128 int followed by the bit widths
//! >    of the miniblocks and the delta values (minus the min delta) bit-packed per miniblock.
#![forbid(unsafe_code)]

use super::blocks::{Header, Miniblocks};
use super::{Error, ErrorKind};
use crate::codec::bit_packing::{read, to_ne_bytes};
use crate::memory::{Slot, write};

/// Decodes the values from number `start` on, until the destination is full. Returns the offset
/// after the last miniblock read.
#[inline(never)]
pub(super) fn decode<const K: usize>(
    src: &[u8],
    start: usize,
    dst: &mut [Slot],
) -> Result<usize, Error> {
    let header = Header::read(src)?;
    let (values, _) = dst.as_chunks_mut::<K>();
    let end = (start as u64).saturating_add(values.len() as u64);
    if end > header.values {
        let values = header.values;
        return Err(Error::nowhere(ErrorKind::Count { values }));
    }
    let mut miniblocks = Miniblocks::<K>::new(src, header);
    let (mut value, mut number) = (header.first, 0);
    let mut put = |value, number: usize| {
        if let Some(to) = number.checked_sub(start).and_then(|i| values.get_mut(i)) {
            write(to, to_ne_bytes::<K>(value));
        }
    };
    put(value, 0);
    while (number as u64) + 1 < end && end > start as u64 {
        let run = miniblocks.next(end - 1 - number as u64)?;
        for i in 0..run.count {
            let difference = read(run.layout, &src[run.at..], i);
            value = value
                .wrapping_add(difference)
                .wrapping_add(run.layout.reference);
            number += 1;
            put(value, number);
        }
    }
    Ok(miniblocks.at())
}
