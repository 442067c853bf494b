//! Decoding, shared by all instruction sets: to values, or to the entries of a dictionary.
//!
//! # Policy
//!
//! Runs may be short, and the CPU cannot predict their lengths. So no step ends exactly where its
//! run does: while the destination has room, whole blocks are written, and the next run overwrites
//! the excess. The registers for the width are set up once per call.
//!
//! ```text
//! while room is left
//!     repetitions   as long as runs repeat, have a header of 1 or 2 bytes, and room is ample:
//!                   write 256 bytes of the value, more only if the run is longer
//!     next run      repeated: fill
//!                   packed: up to 7 values one by one to the start of a group, then blocks
//!                   entries: up to 256 indices to a buffer, then a loop that looks them up;
//!                   small dictionaries are permuted in registers, 16 entries at a time
//! ```
//!
//! # Invariants
//!
//! - `dst` begins with the next value; stores stay within it, and only bytes before its new front count.
//! - Indices are compared with the length of the dictionary once per call of `packed` (`greatest`).
//!   A lookup cannot miss: [`Table`](crate::memory::Table) has an entry for any index.
//! - A kernel gets packed values that begin at a group of eight.
//!
//! # Measurements
//!
//! The loop for repetitions alone reaches 9.3 values per nanosecond for runs of 8 to 40; the
//! general loop takes 14 cycles for a run of 8. When each step looked up 16 values with a call, the
//! speed was 1.6 values per nanosecond; with a buffer it is 3.2. See
//! `docs/lab-notes/rle-hybrid.md`, "What was tried".
#![forbid(unsafe_code)]

use super::entries::Entries;
use super::runs::{Contents, Cursor, value_bytes};
use super::{Error, LookUp, STEP, Splat};
use crate::codec::bit_packing::{Case, Layout, Unpack, Usual, WINDOW, Wide};
use crate::codec::bit_packing::{low_bits, read, to_ne_bytes, unpack_blocks};
use crate::memory::{Lines, Slot, flat_mut, write};
use crate::simd::{window, window_mut};

/// Consumer of runs: converts them to values, or looks up entries.
trait Target<const V: usize> {
    /// Returns the value of a repetition, which begins at an offset of the input.
    fn repeated(&self, value: u32, at: usize) -> Result<[u8; V], Error>;

    /// Unpacks values to the first `length` bytes of a destination. Bytes after them may be
    /// overwritten. The values begin at an offset of the input, which may continue after them.
    fn packed(&self, src: &[u8], at: usize, to: &mut [Slot], length: usize) -> Result<(), Error>;
}

/// Decodes values from number `start` on, until the destination is full. Returns the offset after
/// the last run read.
#[inline(always)]
fn decode_to<const V: usize, S: Splat<V>>(
    simd: S,
    target: impl Target<V>,
    layout: Layout,
    src: &[u8],
    mut start: usize,
    mut dst: &mut [Slot],
) -> Result<usize, Error> {
    let mut runs = Cursor::new(layout, src);
    while !dst.is_empty() {
        if start == 0 {
            let done = repetitions::<V, S>(simd, &target, layout, src, &mut runs, dst);
            dst = &mut dst[done..];
        }
        let wanted = start.saturating_add(dst.len() / V);
        let run = runs.next(wanted)?;
        if start >= run.count {
            start -= run.count;
            continue;
        }
        let mut length = V * (run.count - start);
        match run.contents {
            Contents::Repeated(value) => {
                let value = target.repeated(value, run.at)?;
                fill(simd, value, dst, length);
            }
            Contents::Packed => {
                let group = run.at + start / 8 * layout.width;
                // Kernels begin at a group.
                let few = usize::min((8 - start % 8) % 8, run.count - start);
                for i in 0..few {
                    let value = start % 8 + i;
                    let at = group + layout.start(value);
                    let value = read(layout, &src[group..], value) as u32;
                    write(window_mut(dst, V * i), target.repeated(value, at)?);
                }
                dst = &mut dst[V * few..];
                length -= V * few;
                if length > 0 {
                    let at = run.at + (start + few) / 8 * layout.width;
                    target.packed(src, at, dst, length)?;
                }
            }
        }
        start = 0;
        dst = &mut dst[length..];
    }
    Ok(runs.at())
}

/// Decodes repetitions, as long as no other run comes and both sides have more room than is needed.
/// Returns the number of bytes written.
///
/// It does the same as the general loop, which has too many variables to be fast for short runs.
#[inline(always)]
fn repetitions<const V: usize, S: Splat<V>>(
    simd: S,
    target: &impl Target<V>,
    layout: Layout,
    src: &[u8],
    runs: &mut Cursor<'_>,
    dst: &mut [Slot],
) -> usize {
    let (mut at, mut to) = (runs.at(), 0);
    let bytes = value_bytes(layout);
    let value_mask = low_bits(8 * bytes);
    while let Some(eight) = src.get(at..).and_then(|src| src.first_chunk::<8>()) {
        let word = u64::from_le_bytes(*eight);
        // Branches, since without them the position of the next run would wait for a choice.
        let (header, rest, header_bytes) = match word & 0x80 {
            0 => (word & 0x7f, word >> 8, 1),
            _ if word & 0x8000 != 0 => break,
            _ => (word & 0x7f | (word & 0x7f00) >> 1, word >> 16, 2),
        };
        let (length, value) = (header as usize / 2, rest & value_mask);
        let end = to + V * length;
        if header & 1 != 0 || length == 0 || value > layout.mask() || end + 64 * BLOCKS > dst.len()
        {
            break;
        }
        let Ok(value) = target.repeated(value as u32, at) else {
            break;
        };
        fill(simd, value, &mut dst[to..], end - to);
        (at, to) = (at + header_bytes + bytes, end);
    }
    runs.set_at(at);
    to
}

/// Number of blocks of a repetition that are written without checking its length, which the CPU
/// cannot predict. With 6, runs of 60 to 140 values are 10% faster, and AVX2 and SSE4.1 lose up to
/// 20% on the others.
const BLOCKS: usize = 4;

/// Repeats a value to `length` bytes or more.
#[inline(always)]
fn fill<const V: usize, S: Splat<V>>(simd: S, value: [u8; V], dst: &mut [Slot], length: usize) {
    let block = simd.splat(value);
    let mut to = 0;
    if let Some(first) = dst.first_chunk_mut::<{ 64 * BLOCKS }>() {
        simd.store(block, window_mut(first, 0));
        // From here on, stores fill whole cache lines if values are aligned to their size.
        to = 64 - first.as_ptr().addr() % 64 / V * V;
        let lines = window_mut::<{ 64 * (BLOCKS - 1) }, _>(first, to);
        for i in 0..BLOCKS - 1 {
            simd.store(block, window_mut(lines, 64 * i));
        }
        to += 64 * (BLOCKS - 1);
    }
    while to < length && to + 64 <= dst.len() {
        simd.store(block, window_mut(dst, to));
        to += 64;
    }
    if to < length {
        simd.store_up_to(block, &mut dst[to..length]);
    }
}

/// Target that unpacks the values themselves.
struct Values<const K: usize, S: Unpack<K>> {
    simd: S,
    layout: Layout,
    plan: S::Plan,
    is_usual: bool,
}

#[inline(always)]
pub(super) fn decode<const K: usize, S: Unpack<K> + Splat<K>>(
    simd: S,
    layout: Layout,
    src: &[u8],
    start: usize,
    dst: &mut [Slot],
) -> Result<usize, Error> {
    let plan = simd.unpack_plan(layout);
    let is_usual = simd.is_usual(&plan);
    let target = Values::<K, S> {
        simd,
        layout,
        plan,
        is_usual,
    };
    decode_to::<K, S>(simd, target, layout, src, start, dst)
}

impl<const K: usize, S: Unpack<K>> Target<K> for Values<K, S> {
    #[inline(always)]
    fn repeated(&self, value: u32, _: usize) -> Result<[u8; K], Error> {
        Ok(to_ne_bytes(u64::from(value)))
    }

    #[inline(always)]
    fn packed(&self, src: &[u8], at: usize, to: &mut [Slot], length: usize) -> Result<(), Error> {
        if self.is_usual {
            self.unpack::<Usual>(&src[at..], to, length)
        } else {
            self.unpack::<Wide>(&src[at..], to, length)
        }
        Ok(())
    }
}

impl<const K: usize, S: Unpack<K>> Values<K, S> {
    #[inline(always)]
    fn unpack<C: Case>(&self, src: &[u8], dst: &mut [Slot], length: usize) {
        // The last block may go past the values, if there is room.
        let room = usize::min(length.next_multiple_of(64), dst.len());
        let blocks = &mut dst[..room];
        let (from, to) = unpack_blocks::<K, S, C>(self.simd, &self.plan, self.layout, src, blocks);
        if to < length {
            let (src, dst) = (&src[from..], &mut dst[to..length]);
            self.simd.unpack_rest(&self.plan, self.layout, src, dst);
        }
    }
}

/// Target that looks up the entries of a dictionary.
struct EntriesOf<'a, const V: usize, S: LookUp<V>> {
    simd: S,
    layout: Layout,
    plan: S::Plan,
    is_usual: bool,
    entries: Entries<'a, V>,
    table: S::Table,
}

#[inline(always)]
pub(super) fn look_up<const V: usize, S: LookUp<V>>(
    simd: S,
    layout: Layout,
    src: &[u8],
    start: usize,
    entries: Entries<'_, V>,
    dst: &mut [Slot],
) -> Result<usize, Error> {
    let plan = simd.unpack_plan(layout);
    let is_usual = simd.is_usual(&plan);
    let target = EntriesOf::<V, S> {
        simd,
        layout,
        plan,
        is_usual,
        entries,
        table: simd.table(entries),
    };
    decode_to::<V, S>(simd, target, layout, src, start, dst)
}

impl<const V: usize, S: LookUp<V>> Target<V> for EntriesOf<'_, V, S> {
    #[inline(always)]
    fn repeated(&self, index: u32, at: usize) -> Result<[u8; V], Error> {
        match self.entries.get(index) {
            Some(entry) => Ok(entry),
            None => Err(self.entries.error(at, index)),
        }
    }

    #[inline(always)]
    fn packed(&self, src: &[u8], at: usize, to: &mut [Slot], length: usize) -> Result<(), Error> {
        let count = length / V;
        let from = &src[at..];
        let all_there = match (self.is_usual, self.entries.is_small()) {
            (true, true) => self.in_registers::<Usual>(from, to, count),
            (true, false) => self.in_memory::<Usual>(from, &mut to[..length]),
            (false, _) => self.in_memory::<Wide>(from, &mut to[..length]),
        };
        if all_there {
            Ok(())
        } else {
            Err(self.entries.first_missing(self.layout, src, at, count))
        }
    }
}

/// Number of indices to unpack before looking up their entries: they stay in the first-level cache.
/// With half as many: 2.9 values per nanosecond instead of 3.2 (AVX-512).
const BATCH: usize = 16 * STEP;

impl<const V: usize, S: LookUp<V>> EntriesOf<'_, V, S> {
    /// Looks up values until the destination is full. Returns whether the dictionary has all their
    /// indices.
    #[inline(always)]
    fn in_memory<C: Case>(&self, src: &[u8], dst: &mut [Slot]) -> bool {
        let Self { simd, plan, .. } = self;
        let stride = STEP / 8 * self.layout.width;
        let mut windows = Windows::new(src, stride);
        let mut greatest = simd.none();
        let Lines(indices) = &mut Lines([[[0; 4]; STEP]; BATCH / STEP]);
        for to in dst.as_chunks_mut::<V>().0.chunks_mut(BATCH) {
            // Whole steps, as long as windows are within the input; then one by one.
            let whole = to.len() / STEP;
            let mut step = 0;
            while step < whole && windows.from + WINDOW <= windows.src.len() {
                let found = simd.indices::<C>(plan, window(windows.src, windows.from));
                simd.put(found, window_mut(flat_mut(&mut indices[step]), 0));
                greatest = simd.greatest(greatest, found, STEP);
                windows.from += stride;
                step += 1;
            }
            while STEP * step < to.len() {
                let wanted = usize::min(to.len() - STEP * step, STEP);
                let found = simd.indices::<C>(plan, windows.next());
                simd.put(found, window_mut(flat_mut(&mut indices[step]), 0));
                greatest = simd.greatest(greatest, found, wanted);
                step += 1;
            }
            self.entries.copy(indices.as_flattened(), to);
        }
        self.is_within(greatest)
    }

    /// Looks up `count` values of a dictionary in registers.
    #[inline(always)]
    fn in_registers<C: Case>(&self, src: &[u8], dst: &mut [Slot], count: usize) -> bool {
        let Self { simd, plan, .. } = self;
        let stride = STEP / 8 * self.layout.width;
        let mut windows = Windows::new(src, stride);
        let mut greatest = simd.none();
        let values = dst.as_chunks_mut::<V>().0;
        let mut done = 0;
        // Whole steps, as long as windows are within the input; then one by one.
        while done + STEP <= count && windows.from + WINDOW <= windows.src.len() {
            let found = simd.indices::<C>(plan, window(windows.src, windows.from));
            greatest = simd.greatest(greatest, found, STEP);
            simd.permute(&self.table, found, window_mut(values, done));
            windows.from += stride;
            done += STEP;
        }
        while done < count {
            let found = simd.indices::<C>(plan, windows.next());
            greatest = simd.greatest(greatest, found, usize::min(count - done, STEP));
            let to = &mut values[done..];
            match to.first_chunk_mut() {
                Some(to) => simd.permute(&self.table, found, to),
                None => {
                    let Lines(aside) = &mut Lines([[Slot::new(0); V]; STEP]);
                    simd.permute(&self.table, found, aside);
                    let length = to.len();
                    to.copy_from_slice(&aside[..length]);
                }
            }
            done += STEP;
        }
        self.is_within(greatest)
    }

    #[inline(always)]
    fn is_within(&self, greatest: S::Greatest) -> bool {
        let last = self.entries.last();
        last.is_some_and(|last| self.simd.is_within(greatest, last))
    }
}

/// Iterator over the windows of packed values. If the input ends before a window does, the rest of
/// the input is copied.
struct Windows<'a> {
    src: &'a [u8],
    from: usize,
    stride: usize,
    rest: Lines<[u8; 2 * WINDOW]>,
    is_rest: bool,
}

impl<'a> Windows<'a> {
    #[inline(always)]
    fn new(src: &'a [u8], stride: usize) -> Self {
        Self {
            src,
            from: 0,
            stride,
            rest: Lines([0; 2 * WINDOW]),
            is_rest: false,
        }
    }

    #[inline(always)]
    fn next(&mut self) -> &[u8; WINDOW] {
        let from = self.from;
        self.from += self.stride;
        if !self.is_rest && from + WINDOW <= self.src.len() {
            return window(self.src, from);
        }
        self.next_of_rest(from)
    }

    #[inline(never)]
    fn next_of_rest(&mut self, from: usize) -> &[u8; WINDOW] {
        let mut from = from;
        if !self.is_rest {
            let rest = &self.src[from..];
            let length = usize::min(rest.len(), WINDOW);
            self.rest.0[..length].copy_from_slice(&rest[..length]);
            // No window is within the input anymore.
            (self.src, self.is_rest, from) = (&[], true, 0);
            self.from = self.stride;
        }
        window(&self.rest.0, from)
    }
}
