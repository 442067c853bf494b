//! Loops that handle one value at a time, the baseline of the publications: the specification
//! compiled without vectorisation.

use bytelane_measure::memory::opaque;

/// Name of these loops in the column of backends.
pub const UNVECTORISED: &str = "unvectorised";

/// Loop from the input to the output; the number is the bytes per value.
pub type Loop = fn(&[u8], usize, &mut [u8]);

/// Loops to compare a codec with.
#[derive(Clone, Copy, Debug)]
pub struct Baseline {
    pub encode: Loop,
    pub decode: Loop,
}

/// Returns the loops that a codec is compared with, if a publication has some.
pub fn of(codec: &str) -> Option<Baseline> {
    match codec {
        "byte_stream_split" => Some(Baseline {
            encode: split_bytes,
            decode: join_bytes,
        }),
        "big_endian" => Some(Baseline {
            encode: swap_bytes,
            decode: swap_bytes,
        }),
        _ => None,
    }
}

// In each loop, the usual widths are known at compile time, as in C++.

fn split_bytes(values: &[u8], width: usize, streams: &mut [u8]) {
    match width {
        4 => split(values, 4, streams),
        8 => split(values, 8, streams),
        _ => split(values, width, streams),
    }
}

#[inline(always)]
fn split(values: &[u8], width: usize, streams: &mut [u8]) {
    let count = values.len() / width;
    for (index, value) in values.chunks_exact(width).enumerate() {
        for (stream, &byte) in value.iter().enumerate() {
            streams[stream * count + index] = opaque(u64::from(byte)) as u8;
        }
    }
}

fn join_bytes(streams: &[u8], width: usize, values: &mut [u8]) {
    match width {
        4 => join(streams, 4, values),
        8 => join(streams, 8, values),
        _ => join(streams, width, values),
    }
}

#[inline(always)]
fn join(streams: &[u8], width: usize, values: &mut [u8]) {
    let count = streams.len() / width;
    for (index, value) in values.chunks_exact_mut(width).enumerate() {
        for (stream, byte) in value.iter_mut().enumerate() {
            *byte = opaque(u64::from(streams[stream * count + index])) as u8;
        }
    }
}

fn swap_bytes(from: &[u8], width: usize, to: &mut [u8]) {
    match width {
        4 => swap(from, to, |value| {
            (opaque(u32::from_le_bytes(value).into()) as u32).to_be_bytes()
        }),
        8 => swap(from, to, |value| {
            opaque(u64::from_le_bytes(value)).to_be_bytes()
        }),
        _ => {
            for (from, to) in from.chunks_exact(width).zip(to.chunks_exact_mut(width)) {
                for (byte, place) in from.iter().rev().zip(to) {
                    *place = opaque(u64::from(*byte)) as u8;
                }
            }
        }
    }
}

#[inline(always)]
fn swap<const WIDTH: usize>(
    from: &[u8],
    to: &mut [u8],
    swapped: impl Fn([u8; WIDTH]) -> [u8; WIDTH],
) {
    for (from, to) in from.as_chunks().0.iter().zip(to.as_chunks_mut().0) {
        *to = swapped(*from);
    }
}
