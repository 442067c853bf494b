//! Loops that handle one value at a time, the baseline of the publications: the specification
//! compiled without vectorisation.

use bytelane_measure::memory::opaque;

/// Name of these loops in the column of backends.
pub const UNVECTORISED: &str = "unvectorised";

/// Loop to compare with: takes the input, the output and the bytes per value.
#[derive(Debug)]
pub struct Baseline {
    pub name: &'static str,
    pub encode: fn(&[u8], usize, &mut [u8]),
    pub decode: fn(&[u8], usize, &mut [u8]),
}

/// Only list of the loops that codecs are compared with.
static BASELINES: &[(&str, &[Baseline])] = &[
    (
        "byte_stream_split",
        &[Baseline {
            name: UNVECTORISED,
            encode: split_bytes,
            decode: join_bytes,
        }],
    ),
    (
        "big_endian",
        &[Baseline {
            name: UNVECTORISED,
            encode: swap_bytes,
            decode: swap_bytes,
        }],
    ),
];

/// Returns the loops that this codec is compared with.
pub fn of(codec: &str) -> &'static [Baseline] {
    BASELINES
        .iter()
        .find(|(name, _)| *name == codec)
        .map_or(&[], |(_, baselines)| baselines)
}

fn split_bytes(values: &[u8], width: usize, streams: &mut [u8]) {
    match width {
        4 => split::<4>(values, streams),
        8 => split::<8>(values, streams),
        _ => split_any(values, width, streams),
    }
}

/// Splits values into byte streams. The width is known at compile time, as in C++.
fn split<const WIDTH: usize>(values: &[u8], streams: &mut [u8]) {
    split_any(values, WIDTH, streams);
}

#[inline(always)]
fn split_any(values: &[u8], width: usize, streams: &mut [u8]) {
    let count = values.len() / width;
    for (index, value) in values.chunks_exact(width).enumerate() {
        for (stream, &byte) in value.iter().enumerate() {
            streams[stream * count + index] = opaque(u64::from(byte)) as u8;
        }
    }
}

fn join_bytes(streams: &[u8], width: usize, values: &mut [u8]) {
    match width {
        4 => join::<4>(streams, values),
        8 => join::<8>(streams, values),
        _ => join_any(streams, width, values),
    }
}

fn join<const WIDTH: usize>(streams: &[u8], values: &mut [u8]) {
    join_any(streams, WIDTH, values);
}

#[inline(always)]
fn join_any(streams: &[u8], width: usize, values: &mut [u8]) {
    let count = streams.len() / width;
    for (index, value) in values.chunks_exact_mut(width).enumerate() {
        for (stream, byte) in value.iter_mut().enumerate() {
            *byte = opaque(u64::from(streams[stream * count + index])) as u8;
        }
    }
}

fn swap_bytes(from: &[u8], width: usize, to: &mut [u8]) {
    match width {
        4 => swap::<4>(from, to, |value| {
            (opaque(u32::from_le_bytes(value).into()) as u32).to_be_bytes()
        }),
        8 => swap::<8>(from, to, |value| {
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
