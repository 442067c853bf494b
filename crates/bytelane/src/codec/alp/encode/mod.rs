//! Encoding, shared by all instruction sets.
//!
//! ```text
//! header, and room for an offset per vector
//! for each vector
//!     choice    `choose`: the pair, its limits, the number of exceptions, the range of integers
//!     header    exponent, factor, exceptions, least integer, width
//!     integers  512 values at a time: multiply, round, multiply back, compare; exceptions become the
//!               least integer, whose bits are zeros; then the kernels of `bit_packing` pack them
//!     positions and values of the exceptions
//! ```
//!
//! The choice has counted the exceptions before the vector is written, so the offset of each part
//! is known at once and nothing is moved. An instruction set that cannot convert integers beyond 51
//! bits adds [`MAGIC`](super::MAGIC) instead; vectors with larger integers are left to the scalar
//! code.
#![forbid(unsafe_code)]

mod choice;
mod choose;
mod weigh;

pub(crate) use weigh::Costs;
pub(super) use weigh::weigh_blocks;

use super::page::{
    HEADER, OFFSET, POSITION, little_endian, put_header, put_vector_header, vector_header,
};
use super::scalar::Specification;
use super::{Format, Powers, Steps};
use crate::codec::bit_packing::{Kernels, PackWith, Packs, from_ne_bytes};
use crate::memory::{Slot, write};
use crate::simd::window_mut;
use choice::Choice;
use choose::Candidates;
use weigh::padded;

/// Number of integers to pack at a time. A batch stays in the first-level cache and takes a whole
/// number of bytes. Other sizes were not measured.
const BATCH: usize = 512;

/// Encodes to the front of a destination. Returns the number of bytes, or `None` if there is not
/// enough room.
#[inline(always)]
pub(super) fn encode<const K: usize, S: Steps<K> + Packs<K>>(
    simd: S,
    format: Format,
    values: &[u8],
    to: &mut [Slot],
) -> Option<usize> {
    encode_with::<K, S, _>(simd, Kernels::<K, S>(simd), format, values, to)
}

/// Same as [`encode`], with scalar code.
#[inline(never)]
pub(super) fn encode_scalar<const K: usize>(
    format: Format,
    values: &[u8],
    to: &mut [Slot],
) -> Option<usize> {
    let packing = crate::codec::bit_packing::Specification::<K>;
    encode_with::<K, Specification, _>(Specification, packing, format, values, to)
}

#[inline(always)]
fn encode_with<const K: usize, S: Steps<K>, P: PackWith>(
    steps: S,
    packing: P,
    format: Format,
    values: &[u8],
    to: &mut [Slot],
) -> Option<usize> {
    let length = format.vector_len();
    let vectors = values.len().div_ceil(K * length);
    let start = HEADER + OFFSET * vectors;
    if to.len() < start {
        return None;
    }
    put_header(to, format.logarithm, (values.len() / K) as u32);
    let mut candidates = Candidates::of::<K, S>(steps, values, length);
    let mut integers = [0; 8 * BATCH];
    let mut at = start;
    for (i, vector) in values.chunks(K * length).enumerate() {
        let offset = (at - HEADER) as u32;
        write(window_mut(to, HEADER + OFFSET * i), offset.to_le_bytes());
        let choice = candidates.best::<K, S>(steps, vector);
        let end = at + choice.vector_bytes::<K>();
        let room = to.get_mut(at..end)?;
        put_vector::<K, S, P>(steps, packing, &choice, vector, &mut integers, room);
        at = end;
    }
    Some(at)
}

/// Writes a vector to a destination of exactly its size.
#[inline(always)]
fn put_vector<const K: usize, S: Steps<K>, P: PackWith>(
    steps: S,
    packing: P,
    choice: &Choice,
    values: &[u8],
    integers: &mut [u8; 8 * BATCH],
    to: &mut [Slot],
) {
    let mut layout = choice.layout::<K>();
    let (header, to) = to.split_at_mut(vector_header::<K>());
    put_vector_header::<K>(header, choice.pair, choice.exceptions as u16, layout);
    let packed = layout.bytes(values.len() / K).unwrap_or(usize::MAX);
    let (mut packed, to) = to.split_at_mut(packed);
    let (positions, exceptions) = to.split_at_mut(POSITION * choice.exceptions);
    let mut exceptions = Exceptions::<K> {
        positions: positions.as_chunks_mut().0,
        values: exceptions.as_chunks_mut().0,
        count: 0,
    };
    // Instruction sets that do not convert large integers leave them to the scalar code.
    let is_small = choice.least > -(1 << 51) && choice.greatest < 1 << 51;
    let by_steps = is_small || S::BIAS == 0;
    if by_steps {
        layout.reference = layout.reference.wrapping_add(S::BIAS);
    }
    // In this case, no pair has been chosen, although this one may suit some values.
    let none = choice.exceptions == values.len() / K;
    let plain = choice.pair.powers::<K>();
    let powers = plain.in_steps::<K, S>(steps);
    let limits = steps.limits(choice.limits);
    let mut found = [!0; 8 * BATCH / 64];
    for (batch, values) in values.chunks(K * BATCH).enumerate() {
        let (blocks, rest) = values.as_chunks::<64>();
        let last = if rest.is_empty() {
            None
        } else {
            Some(padded(rest))
        };
        let lists = [blocks, last.as_slice()];
        let mut done = 0;
        for list in lists {
            let to = &mut integers.as_chunks_mut().0[done..done + list.len()];
            let found = &mut found[done..done + list.len()];
            if none {
                // There is nothing to pack.
            } else if by_steps {
                steps.integer_blocks(&powers, &limits, layout.reference, list, to, found);
            } else {
                integer_blocks::<K, _>(
                    Specification,
                    &plain,
                    &choice.limits,
                    layout.reference,
                    list,
                    to,
                    found,
                );
            }
            done += list.len();
        }
        for (i, (found, from)) in found.iter().zip(values.chunks(64)).enumerate() {
            exceptions.add(*found, BATCH * batch + 64 / K * i, from);
        }
        let length = layout.bytes(values.len() / K).unwrap_or(usize::MAX);
        let (room, rest) = packed.split_at_mut(length);
        packing.pack(layout, &integers[..values.len()], room);
        packed = rest;
    }
    exceptions.finish();
}

/// Same as [`Steps::integers`], for blocks, with the exception bits of each.
#[inline(always)]
pub(super) fn integer_blocks<const K: usize, S: Steps<K>>(
    steps: S,
    powers: &Powers<S::Number>,
    limits: &S::Limits,
    other: u64,
    from: &[[u8; 64]],
    to: &mut [[u8; 64]],
    exceptions: &mut [u32],
) {
    let places = to.iter_mut().zip(exceptions);
    for (from, (to, exceptions)) in from.iter().zip(places) {
        *exceptions = steps.integers(powers, limits, other, from, to);
    }
}

/// Destination for the exceptions of a vector.
struct Exceptions<'a, const K: usize> {
    positions: &'a mut [[Slot; POSITION]],
    values: &'a mut [[Slot; K]],
    count: usize,
}

impl<const K: usize> Exceptions<'_, K> {
    /// Adds the exceptions of a block, the set bits of `found`. The block begins at value `first`
    /// of the vector.
    #[inline(always)]
    fn add(&mut self, mut found: u32, first: usize, block: &[u8]) {
        while found != 0 {
            let i = found.trailing_zeros() as usize;
            found &= found - 1;
            let Some(value) = block.as_chunks::<K>().0.get(i) else {
                break;
            };
            write(
                &mut self.positions[self.count],
                ((first + i) as u16).to_le_bytes(),
            );
            write(
                &mut self.values[self.count],
                little_endian(from_ne_bytes(*value)),
            );
            self.count += 1;
        }
    }

    /// Fills the remaining room, in case there are fewer exceptions than were counted.
    #[inline(always)]
    fn finish(self) {
        for position in &mut self.positions[self.count..] {
            write(position, [0; POSITION]);
        }
        for value in &mut self.values[self.count..] {
            write(value, [0; K]);
        }
    }
}

/// Estimates the encoded size of values, from up to `samples` vectors.
#[inline(always)]
pub(super) fn length<const K: usize, S: Steps<K>>(
    simd: S,
    format: Format,
    values: &[u8],
    samples: usize,
) -> usize {
    length_with::<K, S>(simd, format, values, samples)
}

/// Same as [`length`], with scalar code.
#[inline(never)]
pub(super) fn length_scalar<const K: usize>(
    format: Format,
    values: &[u8],
    samples: usize,
) -> usize {
    length_with::<K, Specification>(Specification, format, values, samples)
}

#[inline(always)]
fn length_with<const K: usize, S: Steps<K>>(
    steps: S,
    format: Format,
    values: &[u8],
    samples: usize,
) -> usize {
    let length = format.vector_len();
    let vectors = values.len().div_ceil(K * length);
    let step = vectors.div_ceil(samples).max(1);
    let mut candidates = Candidates::of::<K, S>(steps, values, length);
    let (mut bytes, mut counted) = (0, 0);
    for vector in values.chunks(K * length).step_by(step) {
        bytes += OFFSET + candidates.best::<K, S>(steps, vector).vector_bytes::<K>();
        counted += vector.len();
    }
    let all = match counted {
        0 => 0,
        _ => (bytes as u128 * values.len() as u128 / counted as u128) as usize,
    };
    HEADER + all
}
