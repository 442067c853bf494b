//! Runs of single bits, to and from bitmaps: Parquet's booleans, and levels that are 0 or 1.
//!
//! The bits of a bitmap are those of its bytes, least significant bit first, as Arrow has them. The
//! runs are those of [`Format`](super::Format) with a width of 1.
//!
//! ```
//! use bytelane::rle_hybrid::bits;
//!
//! let encoded = bits::encode_to_vec(&[0xff, 0xff, 0xff, 0b101], 27);
//! assert_eq!(encoded, [25 << 1, 1, 2 << 1, 0]);
//!
//! let mut bitmap = [0; 4];
//! assert_eq!(bits::decode(&encoded, 27, &mut bitmap)?, 4);
//! assert_eq!(bitmap, [0xff, 0xff, 0xff, 0b001]);
//! # Ok::<(), bytelane::rle_hybrid::Error>(())
//! ```
#![forbid(unsafe_code)]

use super::encode::{Writer, choose, length};
use super::plan::{Sink, Source};
use super::runs::{Contents, Cursor, MOST};
use super::{Error, Format, decode_bits, encode_bits, scalar};
use crate::codec::bit_packing::{Layout, read};
use crate::memory::{self, Fill, Slot, copy, pair, put_pair};
use crate::simd::window_mut;
use crate::{Destination, DestinationError, Detected};
#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::mem::MaybeUninit;

/// That of bits.
pub(super) const LAYOUT: Layout = Layout {
    width: 1,
    reference: 0,
    zigzag: false,
};

/// The most bytes that [`encode`] can write for this many bits; `usize::MAX` if it does not fit in a
/// `usize`.
#[must_use]
pub const fn max_encoded_len(count: usize) -> usize {
    super::format::max_encoded_len(1, count)
}

/// The number of bytes that [`encode`] writes. It looks at all bits.
///
/// # Panics
///
/// Panics if the bitmap has fewer bits.
#[must_use]
pub fn encoded_len(bitmap: &[u8], count: usize) -> usize {
    length(LAYOUT, &Bits::new(bitmap, count))
}

/// Encodes the first `count` bits of a bitmap to the front of `dst`. Returns the number of bytes. If
/// `dst` has more, bytes after the result may be overwritten.
///
/// # Errors
///
/// [`DestinationError`] if the result does not fit; the contents of `dst` are then unspecified.
///
/// # Panics
///
/// Panics if the bitmap has fewer bits.
#[inline]
pub fn encode(bitmap: &[u8], count: usize, dst: &mut [u8]) -> Result<usize, DestinationError> {
    let written = encode_uninit_with(Detected::active(), bitmap, count, dst);
    written.map(|written| written.len())
}

/// [`encode`] into memory that need not be initialised. Returns the bytes written.
///
/// # Errors
///
/// Those of [`encode`].
///
/// # Panics
///
/// Panics if the bitmap has fewer bits.
#[inline]
pub fn encode_uninit<'a>(
    bitmap: &[u8],
    count: usize,
    dst: &'a mut [MaybeUninit<u8>],
) -> Result<&'a mut [u8], DestinationError> {
    encode_uninit_with(Detected::active(), bitmap, count, dst)
}

/// [`encode_uninit`], or [`encode`], on a backend of the caller's choice.
///
/// # Errors
///
/// Those of [`encode`].
///
/// # Panics
///
/// Panics if the bitmap has fewer bits.
#[inline]
pub fn encode_uninit_with<'a>(
    backend: Detected,
    bitmap: &[u8],
    count: usize,
    dst: impl Into<Destination<'a, u8>>,
) -> Result<&'a mut [u8], DestinationError> {
    let (written, ()) = dst.into().fill(Encode::new(bitmap, count, backend))?;
    Ok(written)
}

/// [`encode`], appended to a `Vec`. Returns the number of bytes.
///
/// # Panics
///
/// Panics if the bitmap has fewer bits.
#[cfg(feature = "alloc")]
#[inline]
pub fn encode_append(bitmap: &[u8], count: usize, to: &mut Vec<u8>) -> usize {
    let operation = Encode::new(bitmap, count, Detected::active());
    let length = length(LAYOUT, &operation.bits);
    memory::append(operation, length, to)
        .expect("there is room")
        .0
}

/// [`encode`], as a new `Vec`.
///
/// # Panics
///
/// Panics if the bitmap has fewer bits.
#[cfg(feature = "alloc")]
#[must_use]
pub fn encode_to_vec(bitmap: &[u8], count: usize) -> Vec<u8> {
    let mut encoded = Vec::new();
    encode_append(bitmap, count, &mut encoded);
    encoded
}

/// Decodes the first `count` bits to the front of a bitmap. Returns the number of bytes read, as
/// [`Format::decode`] does. The bits after them in the last byte become zeros.
///
/// # Errors
///
/// Those of [`Format::decode`]; [`ErrorKind::Destination`](super::ErrorKind::Destination) if the
/// bitmap is too short. Its contents are then unspecified.
#[inline]
pub fn decode(src: &[u8], count: usize, bitmap: &mut [u8]) -> Result<usize, Error> {
    decode_uninit_with(Detected::active(), src, count, bitmap).map(|(_, read)| read)
}

/// [`decode`] into memory that need not be initialised. Returns the bytes written, and the number of
/// bytes read.
///
/// # Errors
///
/// Those of [`decode`].
#[inline]
pub fn decode_uninit<'a>(
    src: &[u8],
    count: usize,
    bitmap: &'a mut [MaybeUninit<u8>],
) -> Result<(&'a mut [u8], usize), Error> {
    decode_uninit_with(Detected::active(), src, count, bitmap)
}

/// [`decode_uninit`], or [`decode`], on a backend of the caller's choice.
///
/// # Errors
///
/// Those of [`decode`].
#[inline]
pub fn decode_uninit_with<'a>(
    backend: Detected,
    src: &[u8],
    count: usize,
    bitmap: impl Into<Destination<'a, u8>>,
) -> Result<(&'a mut [u8], usize), Error> {
    let operation = Decode {
        src,
        count,
        backend,
    };
    bitmap.into().fill(operation)
}

/// [`decode`] of `count` bits, appended to a `Vec`, from a byte of their own on. Returns the number of
/// bytes read.
///
/// Memory is allocated after the runs have been checked to have so many bits. A run of a few bytes
/// can have up to 2^31: limit `count` where the input is not trusted.
///
/// # Errors
///
/// Those of [`decode`]; the `Vec` is then unchanged.
#[cfg(feature = "alloc")]
#[inline]
pub fn decode_append(src: &[u8], count: usize, to: &mut Vec<u8>) -> Result<usize, Error> {
    Cursor::new(LAYOUT, src).skip(count)?;
    let backend = Detected::active();
    let operation = Decode {
        src,
        count,
        backend,
    };
    Ok(memory::append(operation, count.div_ceil(8), to)?.1)
}

/// [`decode_append`] to a new `Vec`. Returns it and the number of bytes read.
///
/// # Errors
///
/// Those of [`decode`].
#[cfg(feature = "alloc")]
pub fn decode_to_vec(src: &[u8], count: usize) -> Result<(Vec<u8>, usize), Error> {
    let mut bitmap = Vec::new();
    let read = decode_append(src, count, &mut bitmap)?;
    Ok((bitmap, read))
}

/// The format whose runs these are, of values of one byte.
#[must_use]
pub fn format() -> Format<u8> {
    Format::new(1).expect("one bit")
}

/// The first bits of a bitmap.
#[derive(Clone, Copy)]
pub(crate) struct Bits<'a> {
    bytes: &'a [u8],
    count: usize,
}

impl<'a> Bits<'a> {
    fn new(bytes: &'a [u8], count: usize) -> Self {
        let there = bytes.len().saturating_mul(8);
        assert!(count <= there, "the bitmap has {there} bits, not {count}");
        Self { bytes, count }
    }

    /// Up to 64 bits from one on.
    #[inline(always)]
    fn from(self, bit: usize) -> u64 {
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
            // The last one has no next one.
            left => equal & ((1 << (left - 1)) - 1),
        }
    }

    #[inline(always)]
    fn is_equal(&self, value: usize) -> bool {
        self.is_set(value) == self.is_set(value + 1)
    }
}

/// How bits are copied to the front of whole bytes, with zeros after them.
trait Copies: Copy {
    fn copy(self, bits: Bits<'_>, start: usize, end: usize, to: &mut [Slot]);
}

/// Bit by bit, for the specification.
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

/// 64 bits at a time.
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
pub(super) fn encode_words<S>(
    _: S,
    bits: Bits<'_>,
    to: &mut [Slot],
) -> Result<usize, DestinationError> {
    encode_with(Words, bits, to)
}

/// As [`encode_words`], bit by bit.
#[inline(never)]
pub(super) fn encode_one_by_one(
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
    choose(LAYOUT, &bits, &mut sink);
    sink.writer.finish()
}

/// Bits to runs.
pub(crate) struct Encode<'a> {
    bits: Bits<'a>,
    backend: Detected,
}

impl<'a> Encode<'a> {
    fn new(bitmap: &'a [u8], count: usize, backend: Detected) -> Self {
        let bits = Bits::new(bitmap, count);
        Self { bits, backend }
    }
}

impl Fill for Encode<'_> {
    type Done = ();
    type Error = DestinationError;

    #[inline]
    fn fill(self, to: &mut [Slot]) -> Result<(usize, ()), DestinationError> {
        encode_bits(self.bits, to, self.backend).map(|length| (length, ()))
    }
}

/// Runs to bits.
pub(crate) struct Decode<'a> {
    src: &'a [u8],
    count: usize,
    backend: Detected,
}

impl Fill for Decode<'_> {
    /// The number of bytes read.
    type Done = usize;
    type Error = Error;

    #[inline]
    fn fill(self, to: &mut [Slot]) -> Result<(usize, usize), Error> {
        let bytes = self.count.div_ceil(8);
        let to = crate::error::front(to, bytes)?;
        let read = decode_bits(self.src, self.count, to, self.backend)?;
        Ok((bytes, read))
    }
}

/// Decodes bits with words of an instruction set.
#[inline(always)]
pub(super) fn decode_words<S>(
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

/// As [`decode_words`], bit by bit.
pub(super) use scalar::decode_bits as decode_one_by_one;

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

    /// Appends the lowest bits of a word, up to 64. Those above must not be set.
    #[inline(always)]
    fn push(&mut self, bits: u64, count: usize) {
        self.pending |= bits << self.held;
        let held = self.held + count;
        if held >= 64 {
            memory::write::<8>(window_mut(self.to, self.at), self.pending.to_le_bytes());
            self.at += 8;
            // Two shifts, since one shift by all 64 bits would overflow.
            self.pending = bits >> 1 >> (63 - self.held);
        }
        self.held = held % 64;
    }

    /// Appends a bit so many times.
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

    /// Appends bits from one on.
    #[inline(always)]
    fn packed(&mut self, bits: Bits<'_>, mut start: usize, mut count: usize) {
        if self.held == 0 && start % 8 == 0 {
            let length = count / 64 * 8;
            let from = &bits.bytes[start / 8..];
            copy(&mut self.to[self.at..self.at + length], &from[..length]);
            self.at += length;
            (start, count) = (start + 8 * length, count - 8 * length);
        }
        while count > 0 {
            let part = usize::min(count, 64);
            self.push(lowest(bits.from(start), part), part);
            (start, count) = (start + part, count - part);
        }
    }

    /// Writes the last bits.
    #[inline(always)]
    fn finish(self) {
        put_pair(&mut self.to[self.at..], [self.pending, 0]);
    }
}

/// The lowest bits of a word, up to 64.
#[inline(always)]
fn lowest(word: u64, count: usize) -> u64 {
    match count {
        64.. => word,
        _ => word & ((1 << count) - 1),
    }
}
