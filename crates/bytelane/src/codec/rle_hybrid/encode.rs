//! Encoding, shared by all instruction sets, which differ only in how they pack bits.
//!
//! # Policy
//!
//! The format leaves the choice of runs to the encoder. [`plan`] chooses them in one pass: by size,
//! or with [`Effort::Fast`] the first possible ones. This file passes it the values as a
//! [`Source`], and writes or counts the chosen runs as a [`Sink`].
//!
//! ```text
//! equal      64 values at a time: a bit for each value that equals the next one
//! plan       runs, in the order of values: packed(start, end) and repeated(start, end)
//! packed     header groups << 1 | 1, then the values by the kernels of `bit_packing`, then zeros up to
//!            the end of the last group
//! repeated   header count << 1, then the value in whole bytes
//! ```
//!
//! Runs of more than [`MOST`] values are split, since readers store counts in 31 bits.
//!
//! # Invariants
//!
//! - The runs cover all values in their order. Only the last packed run may have an incomplete group.
//! - [`Writer::at`] grows by the length of each run, whether there is room or not, so that the error
//!   for a short destination knows the length that is needed.
//! - A value that does not fit the width is detected while it is packed or repeated (`fit`), but
//!   located only at the end.
//!
//! # Measurements
//!
//! 20,000 values of 10 bits, repeated up to 16 times in a row, take half of the bytes that a greedy
//! encoder (the crate `parquet`) writes: 7,065 instead of 14,269, at 0.36 of its speed. For values
//! repeated 8 times and more, the speed is 0.9 of its speed. See `docs/lab-notes/rle-hybrid.md`,
//! "The encoder".
#![forbid(unsafe_code)]

use super::plan::{self, Effort, Sink, Source, header_len};
use super::runs::{MOST, value_bytes};
use super::{Error, Neighbours, Number, scalar};
use crate::DestinationError;
use crate::codec::bit_packing::{Kernels, Layout, PackWith, Packs, Specification};
use crate::codec::varint;
use crate::memory::{self, Slot, copy};
use crate::simd::window;

/// Implementation of comparing neighbours.
pub(super) trait Compare: Copy {
    /// Does what [`Neighbours::equal`] does.
    fn equal<N: Number>(self, values: &[N; 65]) -> u64;

    /// Does what [`Neighbours::equal_up_to`] does.
    fn equal_up_to<N: Number>(self, values: &[N]) -> u64;
}

/// Compares with the instructions of an instruction set.
#[derive(Clone, Copy)]
struct Vectors<const K: usize, S>(S);
impl<const K: usize, S: Neighbours<K>> Compare for Vectors<K, S> {
    #[inline(always)]
    fn equal<N: Number>(self, values: &[N; 65]) -> u64 {
        let (values, _) = memory::bytes(values).as_chunks();
        self.0.equal(window(values, 0))
    }

    #[inline(always)]
    fn equal_up_to<N: Number>(self, values: &[N]) -> u64 {
        self.0.equal_up_to(memory::bytes(values).as_chunks().0)
    }
}

/// Compares one by one.
#[derive(Clone, Copy)]
pub(super) struct OneByOne;
impl Compare for OneByOne {
    fn equal<N: Number>(self, values: &[N; 65]) -> u64 {
        equal_in_loop(values)
    }

    fn equal_up_to<N: Number>(self, values: &[N]) -> u64 {
        let pairs = values.windows(2).enumerate();
        pairs.fold(0, |bits, (i, pair)| {
            bits | u64::from(pair[0] == pair[1]) << i
        })
    }
}

/// Compares 65 values with portable code, which the compiler vectorises.
#[inline(always)]
pub(super) fn equal_in_loop<T: PartialEq>(values: &[T; 65]) -> u64 {
    let mut equal = [0; 64];
    for i in 0..64 {
        equal[i] = u8::from(values[i] == values[i + 1]);
    }
    let mut bits = 0;
    for (i, eight) in equal.as_chunks::<8>().0.iter().enumerate() {
        // The product has bit 0 of each byte in its highest byte, one after the other: byte i
        // is multiplied by 2^(56 - 7 i), which moves its bit 8 i to bit 56 + i. No two products
        // overlap.
        let eight = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        bits |= eight << (8 * i);
    }
    bits
}

/// Values of a list.
pub(super) struct List<'a, N, C> {
    pub(super) values: &'a [N],
    pub(super) compare: C,
}

impl<N: Number, C: Compare> List<'_, N, C> {
    /// Does what [`Source::equal`] does, for the last values. Separate from the loop, in which a choice would
    /// cost each step.
    #[inline(never)]
    fn last_equal(&self, values: &[N]) -> u64 {
        // They are compared where they are, together with those before them.
        if let Some(whole) = self.values.last_chunk() {
            return self.compare.equal(whole) >> 1 >> (64 - values.len());
        }
        // The last value has no next one.
        self.compare.equal_up_to(values) & ((1 << (values.len() - 1)) - 1)
    }
}

impl<N: Number, C: Compare> Source for List<'_, N, C> {
    #[inline(always)]
    fn len(&self) -> usize {
        self.values.len()
    }

    #[inline(always)]
    fn equal(&self, word: usize) -> u64 {
        let values = &self.values[64 * word..];
        match values.first_chunk() {
            Some(values) => self.compare.equal(values),
            None => self.last_equal(values),
        }
    }

    #[inline(always)]
    fn is_equal(&self, value: usize) -> bool {
        self.values[value] == self.values[value + 1]
    }
}

/// Writes runs from the front of a destination on.
pub(super) struct Writer<'a> {
    to: &'a mut [Slot],
    /// Start of the next run, even if there is no room for it.
    pub(super) at: usize,
}

impl<'a> Writer<'a> {
    #[inline(always)]
    pub(super) fn new(to: &'a mut [Slot]) -> Self {
        Self { to, at: 0 }
    }

    /// Writes the header of a run with `count` values or groups. Returns the room for the contents,
    /// if there is enough.
    #[inline(always)]
    pub(super) fn run(
        &mut self,
        count: usize,
        packed: bool,
        contents: usize,
    ) -> Option<&mut [Slot]> {
        let length = header_len(count);
        let (at, end) = (self.at + length, self.at + length + contents);
        let start = core::mem::replace(&mut self.at, end);
        let room = self.to.get_mut(start..end)?;
        let header = (count as u64) << 1 | u64::from(packed);
        match length {
            1 => _ = room[0].write(header as u8),
            _ => put_header(header, &mut room[..length]),
        }
        Some(&mut self.to[at..end])
    }

    /// Writes a repetition.
    #[inline(always)]
    pub(super) fn repeated(&mut self, layout: Layout, value: u32, mut count: usize) {
        while count > 0 {
            let part = usize::min(count, MOST);
            let bytes = value_bytes(layout);
            if let Some(room) = self.run(part, false, bytes) {
                copy(room, &value.to_le_bytes()[..bytes]);
            }
            count -= part;
        }
    }

    /// Returns the number of bytes, if there was room for them.
    pub(super) fn finish(self) -> Result<usize, DestinationError> {
        if self.at <= self.to.len() {
            Ok(self.at)
        } else {
            Err(DestinationError::new(self.at, self.to.len()))
        }
    }
}

#[cold]
#[inline(never)]
fn put_header(header: u64, to: &mut [Slot]) {
    let mut bytes = [0; 10];
    let _ = varint::write(header, &mut bytes);
    copy(to, &bytes[..to.len()]);
}

/// Writes the runs of a list.
struct ListWriter<'a, 'b, N, P> {
    packing: P,
    layout: Layout,
    values: &'a [N],
    writer: Writer<'b>,
    /// True if all values so far fit the width.
    fit: bool,
}

impl<N: Number, P: PackWith> Sink for ListWriter<'_, '_, N, P> {
    #[inline(always)]
    fn packed(&mut self, mut start: usize, end: usize) {
        while start < end {
            let part = usize::min(end - start, MOST / 8 * 8);
            let groups = part.div_ceil(8);
            let values = &self.values[start..start + part];
            start += part;
            let contents = groups * self.layout.width;
            let Some(room) = self.writer.run(groups, true, contents) else {
                continue;
            };
            let length = self.layout.bytes(part).unwrap_or(usize::MAX);
            let (room, padding) = room.split_at_mut(length);
            self.fit &= self.packing.pack(self.layout, memory::bytes(values), room);
            for byte in padding {
                byte.write(0);
            }
        }
    }

    #[inline(always)]
    fn repeated(&mut self, start: usize, end: usize) {
        let value = self.values[start].to_u32();
        self.fit &= u64::from(value) <= self.layout.mask();
        self.writer.repeated(self.layout, value, end - start);
    }
}

/// Encodes to the front of a destination. Returns the number of bytes.
#[inline(always)]
pub(super) fn encode<const K: usize, S: Packs<K> + Neighbours<K>, N: Number>(
    simd: S,
    layout: Layout,
    effort: Effort,
    values: &[N],
    to: &mut [Slot],
) -> Result<usize, Error> {
    let compare = Vectors::<K, S>(simd);
    encode_with(Kernels::<K, S>(simd), compare, layout, effort, values, to)
}

/// Same as [`encode`], with scalar code.
#[inline(never)]
pub(super) fn encode_scalar<const K: usize, N: Number>(
    layout: Layout,
    effort: Effort,
    values: &[N],
    to: &mut [Slot],
) -> Result<usize, Error> {
    encode_with(Specification::<K>, OneByOne, layout, effort, values, to)
}

#[inline(always)]
fn encode_with<N: Number>(
    packing: impl PackWith,
    compare: impl Compare,
    layout: Layout,
    effort: Effort,
    values: &[N],
    to: &mut [Slot],
) -> Result<usize, Error> {
    let mut sink = ListWriter {
        packing,
        layout,
        values,
        writer: Writer::new(to),
        fit: true,
    };
    choose(layout, effort, &List { values, compare }, &mut sink);
    if layout.width == 0 {
        sink.fit = !values.iter().any(|value| value.to_u32() != 0);
    }
    let fit = sink.fit;
    let length = sink.writer.finish()?;
    if fit {
        Ok(length)
    } else {
        Err(scalar::beyond(layout, values))
    }
}

/// Chooses runs. Values of width 0 are all the same.
#[inline(always)]
pub(super) fn choose(layout: Layout, effort: Effort, source: &impl Source, sink: &mut impl Sink) {
    match (layout.width, source.len()) {
        (_, 0) => {}
        (0, count) => sink.repeated(0, count),
        (width, _) => plan::plan(effort, width, source, sink),
    }
}

/// Adds up the sizes of runs.
struct Length {
    layout: Layout,
    bytes: usize,
}

impl Sink for Length {
    fn packed(&mut self, start: usize, end: usize) {
        let groups = (end - start).div_ceil(8);
        let mut left = groups;
        while left > 0 {
            let part = usize::min(left, MOST / 8);
            self.bytes += header_len(part);
            left -= part;
        }
        self.bytes += groups * self.layout.width;
    }

    fn repeated(&mut self, start: usize, end: usize) {
        let mut left = end - start;
        while left > 0 {
            let part = usize::min(left, MOST);
            self.bytes += header_len(part) + value_bytes(self.layout);
            left -= part;
        }
    }
}

/// Returns the number of bytes that [`encode`] writes.
pub(super) fn encoded_len<N: Number>(layout: Layout, effort: Effort, values: &[N]) -> usize {
    let compare = OneByOne;
    length(layout, effort, &List { values, compare })
}

/// Returns the number of bytes that the runs of values take.
pub(super) fn length(layout: Layout, effort: Effort, source: &impl Source) -> usize {
    let mut sink = Length { layout, bytes: 0 };
    choose(layout, effort, source, &mut sink);
    sink.bytes
}
