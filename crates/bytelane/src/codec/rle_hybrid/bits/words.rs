//! Converts bits of a bitmap to runs and back, 64 at a time.
#![forbid(unsafe_code)]

use crate::DestinationError;
use crate::codec::bit_packing::{Layout, read};
use crate::codec::rle_hybrid::Error;
use crate::codec::rle_hybrid::encode::{Writer, choose};
use crate::codec::rle_hybrid::plan::{Effort, Sink, Source};
use crate::codec::rle_hybrid::runs::{Contents, Cursor, MOST};
use crate::memory::{self, Slot, copy, pair, put_pair};
use crate::simd::window_mut;

/// Layout of bits.
pub(in crate::codec::rle_hybrid) const LAYOUT: Layout = Layout {
    width: 1,
    reference: 0,
    zigzag: false,
};

/// First bits of a bitmap.
#[derive(Clone, Copy)]
pub(crate) struct Bits<'a> {
    bytes: &'a [u8],
    count: usize,
}

impl<'a> Bits<'a> {
    pub(super) fn new(bytes: &'a [u8], count: usize) -> Self {
        let there = bytes.len().saturating_mul(8);
        assert!(count <= there, "the bitmap has {there} bits, not {count}");
        Self { bytes, count }
    }

    /// Returns up to 64 bits from bit `bit` on.
    #[inline(always)]
    fn word(self, bit: usize) -> u64 {
        let [low, high] = pair(&self.bytes[bit / 8..]);
        low >> (bit % 8) | high << 1 << (63 - bit % 8)
    }

    fn is_set(self, bit: usize) -> bool {
        read(LAYOUT, self.bytes, bit) != 0
    }
}

impl Source for Bits<'_> {
    #[inline(always)]
    fn len(&self) -> usize {
        self.count
    }

    #[inline(always)]
    fn equal(&self, word: usize) -> u64 {
        let first = 64 * word;
        let [bits, after] = pair(&self.bytes[first / 8..]);
        let equal = !(bits ^ (bits >> 1 | after << 63));
        match self.count - first {
            65.. => equal,
            // The last value has no next one.
            left => equal & ((1 << (left - 1)) - 1),
        }
    }

    #[inline(always)]
    fn is_equal(&self, value: usize) -> bool {
        self.is_set(value) == self.is_set(value + 1)
    }
}

/// Implementation of copying bits to the front of whole bytes, with zeros after them.
trait Copies: Copy {
    fn copy(self, bits: Bits<'_>, start: usize, end: usize, to: &mut [Slot]);
}

/// Copies bit by bit, for the scalar code.
#[derive(Clone, Copy)]
struct OneByOne;
impl Copies for OneByOne {
    fn copy(self, bits: Bits<'_>, start: usize, end: usize, to: &mut [Slot]) {
        for (i, byte) in to.iter_mut().enumerate() {
            let eight = start + 8 * i..usize::min(start + 8 * i + 8, end);
            let set = eight
                .enumerate()
                .map(|(i, bit)| u8::from(bits.is_set(bit)) << i);
            byte.write(set.sum());
        }
    }
}

/// Copies 64 bits at a time.
#[derive(Clone, Copy)]
struct Words;
impl Copies for Words {
    #[inline(always)]
    fn copy(self, bits: Bits<'_>, start: usize, end: usize, to: &mut [Slot]) {
        let mut copied = BitWriter::new(to);
        copied.packed(bits, start, end - start);
        copied.finish();
    }
}

/// Writes runs of bits.
struct BitRuns<'a, 'b, C> {
    bits: Bits<'a>,
    copies: C,
    writer: Writer<'b>,
}

impl<C: Copies> Sink for BitRuns<'_, '_, C> {
    #[inline(always)]
    fn packed(&mut self, mut start: usize, end: usize) {
        while start < end {
            let part = usize::min(end - start, MOST / 8 * 8);
            let groups = part.div_ceil(8);
            if let Some(room) = self.writer.run(groups, true, groups) {
                self.copies.copy(self.bits, start, start + part, room);
            }
            start += part;
        }
    }

    #[inline(always)]
    fn repeated(&mut self, start: usize, end: usize) {
        let value = u32::from(self.bits.is_set(start));
        self.writer.repeated(LAYOUT, value, end - start);
    }
}

/// Encodes bits with words of an instruction set.
#[inline(always)]
pub(in crate::codec::rle_hybrid) fn encode_words<S>(
    _: S,
    bits: Bits<'_>,
    to: &mut [Slot],
) -> Result<usize, DestinationError> {
    encode_with(Words, bits, to)
}

/// Same as [`encode_words`], bit by bit.
#[inline(never)]
pub(in crate::codec::rle_hybrid) fn encode_one_by_one(
    bits: Bits<'_>,
    to: &mut [Slot],
) -> Result<usize, DestinationError> {
    encode_with(OneByOne, bits, to)
}

#[inline(always)]
fn encode_with(
    copies: impl Copies,
    bits: Bits<'_>,
    to: &mut [Slot],
) -> Result<usize, DestinationError> {
    let writer = Writer::new(to);
    let mut sink = BitRuns {
        bits,
        copies,
        writer,
    };
    choose(LAYOUT, Effort::Small, &bits, &mut sink);
    sink.writer.finish()
}

/// Decodes bits with words of an instruction set.
#[inline(always)]
pub(in crate::codec::rle_hybrid) fn decode_words<S>(
    _: S,
    src: &[u8],
    count: usize,
    to: &mut [Slot],
) -> Result<usize, Error> {
    let mut runs = Cursor::new(LAYOUT, src);
    let mut bits = BitWriter::new(to);
    let mut left = count;
    while left > 0 {
        let run = runs.next(left)?;
        match run.contents {
            Contents::Repeated(bit) => bits.repeated(bit, run.count),
            Contents::Packed => {
                let packed = Bits::new(&src[run.at..], run.count);
                bits.packed(packed, 0, run.count);
            }
        }
        left -= run.count;
    }
    bits.finish();
    Ok(runs.at())
}

/// Appends bits to bytes.
struct BitWriter<'a> {
    to: &'a mut [Slot],
    at: usize,
    /// Bits that do not fill a word yet, fewer than 64.
    pending: u64,
    held: usize,
}

impl<'a> BitWriter<'a> {
    #[inline(always)]
    fn new(to: &'a mut [Slot]) -> Self {
        Self {
            to,
            at: 0,
            pending: 0,
            held: 0,
        }
    }

    /// Appends the lowest bits of a word, up to 64. The bits above them must not be set.
    #[inline(always)]
    fn push(&mut self, bits: u64, count: usize) {
        self.pending |= bits << self.held;
        let held = self.held + count;
        if held >= 64 {
            memory::write::<8>(window_mut(self.to, self.at), self.pending.to_le_bytes());
            self.at += 8;
            // Two shifts, since a single shift by all 64 bits would overflow.
            self.pending = bits >> 1 >> (63 - self.held);
        }
        self.held = held % 64;
    }

    /// Appends a bit `count` times.
    #[inline(always)]
    fn repeated(&mut self, bit: u32, mut count: usize) {
        let word = u64::from(bit).wrapping_neg();
        if count > 64 {
            let first = 64 - self.held;
            self.push(word >> self.held, first);
            count -= first;
            let bytes = count / 64 * 8;
            self.to[self.at..self.at + bytes].fill(Slot::new(word as u8));
            self.at += bytes;
            count %= 64;
        }
        self.push(lowest(word, count), count);
    }

    /// Appends bits from bit `start` on.
    #[inline(always)]
    fn packed(&mut self, bits: Bits<'_>, mut start: usize, mut count: usize) {
        if self.held == 0 && start.is_multiple_of(8) {
            let length = count / 64 * 8;
            let from = &bits.bytes[start / 8..];
            copy(&mut self.to[self.at..self.at + length], &from[..length]);
            self.at += length;
            (start, count) = (start + 8 * length, count - 8 * length);
        }
        while count > 0 {
            let part = usize::min(count, 64);
            self.push(lowest(bits.word(start), part), part);
            (start, count) = (start + part, count - part);
        }
    }

    /// Writes the last bits.
    #[inline(always)]
    fn finish(self) {
        put_pair(&mut self.to[self.at..], [self.pending, 0]);
    }
}

/// Returns the lowest bits of a word, up to 64.
#[inline(always)]
fn lowest(word: u64, count: usize) -> u64 {
    match count {
        64.. => word,
        _ => word & ((1 << count) - 1),
    }
}
