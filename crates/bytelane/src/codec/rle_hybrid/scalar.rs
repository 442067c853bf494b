//! The specification as code: parquet-format, `Encodings.md`, "Run Length Encoding / Bit-Packing
//! Hybrid".
//!
//! > ```text
//! > run := <bit-packed-run> | <rle-run>
//! > bit-packed-run := <bit-packed-header> <bit-packed-values>
//! > bit-packed-header := varint-encode(<bit-pack-scaled-run-len> << 1 | 1)
//! > // we always bit-pack a multiple of 8 values at a time, so we only store the number of values / 8
//! > bit-pack-scaled-run-len := (bit-packed-run-len) / 8
//! > rle-run := <rle-header> <repeated-value>
//! > rle-header := varint-encode( (rle-run-len) << 1)
//! > repeated-value := value that is repeated, using a fixed-width of round-up-to-next-byte(bit-width)
//! > ```
#![forbid(unsafe_code)]

use super::entries::Entries;
use super::runs::{Contents, Cursor, Found};
use super::{Error, ErrorKind};
use crate::codec::bit_packing::{Layout, read, to_ne_bytes};
use crate::memory::{Slot, write};

/// Passes on the values from number `start` up to number `end`, each with the byte in which it
/// begins. Returns the offset after the last run read.
fn each(
    layout: Layout,
    src: &[u8],
    start: usize,
    end: usize,
    mut put: impl FnMut(usize, u32, usize) -> Result<(), Error>,
) -> Result<usize, Error> {
    let mut runs = Cursor::new(layout, src);
    let mut number = 0;
    while number < end && start < end {
        let run = runs.next(end - number)?;
        for i in start.saturating_sub(number)..run.count {
            let (value, at) = value(layout, src, run, i);
            put(number + i - start, value, at)?;
        }
        number += run.count;
    }
    Ok(runs.at())
}

/// Returns value `i` of a run, and the byte in which it begins.
fn value(layout: Layout, src: &[u8], run: Found, i: usize) -> (u32, usize) {
    match run.contents {
        Contents::Repeated(value) => (value, run.at),
        Contents::Packed => {
            let value = read(layout, &src[run.at..], i) as u32;
            (value, run.at + layout.start(i))
        }
    }
}

/// Decodes the values from number `start` on, until the destination is full.
#[inline(never)]
pub(super) fn decode<const K: usize>(
    layout: Layout,
    src: &[u8],
    start: usize,
    dst: &mut [Slot],
) -> Result<usize, Error> {
    let (values, _) = dst.as_chunks_mut::<K>();
    each(
        layout,
        src,
        start,
        start.saturating_add(values.len()),
        |i, value, _| {
            write(&mut values[i], to_ne_bytes(u64::from(value)));
            Ok(())
        },
    )
}

/// Same as [`decode`], for the entries of a dictionary that the values refer to.
#[inline(never)]
pub(super) fn look_up<const V: usize>(
    layout: Layout,
    src: &[u8],
    start: usize,
    entries: Entries<'_, V>,
    dst: &mut [Slot],
) -> Result<usize, Error> {
    let (values, _) = dst.as_chunks_mut::<V>();
    each(
        layout,
        src,
        start,
        start.saturating_add(values.len()),
        |i, index, at| {
            write(
                &mut values[i],
                entries.get(index).ok_or_else(|| entries.error(at, index))?,
            );
            Ok(())
        },
    )
}

/// Same as [`decode`], for values of one bit, to the bits of bytes, least significant bit first.
#[inline(never)]
pub(super) fn decode_bits(src: &[u8], count: usize, dst: &mut [Slot]) -> Result<usize, Error> {
    let layout = super::bits::LAYOUT;
    let mut byte = 0;
    let read = each(layout, src, 0, count, |i, bit, _| {
        byte |= (bit as u8) << (i % 8);
        dst[i / 8].write(byte);
        if i % 8 == 7 {
            byte = 0;
        }
        Ok(())
    })?;
    Ok(read)
}

/// Returns the error for the first value that does not fit.
#[cold]
pub(super) fn beyond<N: super::Number>(layout: Layout, values: &[N]) -> Error {
    let fits = |value: &N| u64::from(value.to_u32()) <= layout.mask();
    let first = values
        .iter()
        .position(|value| !fits(value))
        .unwrap_or_default();
    let width = layout.width as u32;
    Error::at(first * size_of::<N>(), ErrorKind::Value { width })
}
