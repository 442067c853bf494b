//! Numbers with a fixed number of bits each, one after the other.

use super::number::{get, low_bits, put};

/// Packs numbers to the front of a buffer.
pub(crate) struct BitWriter<'a> {
    to: &'a mut [u8],
    at: usize,
    /// Bits not written yet, fewer than 64.
    pending: u64,
    count: u32,
}

impl<'a> BitWriter<'a> {
    #[inline(always)]
    pub(crate) fn new(to: &'a mut [u8], at: usize) -> Self {
        Self {
            to,
            at,
            pending: 0,
            count: 0,
        }
    }

    /// Appends a number of at most `width` bits.
    #[inline(always)]
    pub(crate) fn put(&mut self, number: u64, width: u32) -> Option<()> {
        self.pending |= number << self.count;
        self.count += width;
        if self.count >= 64 {
            put(self.to, self.at, self.pending, 8)?;
            self.at += 8;
            self.count -= 64;
            // Bits that were not written yet.
            self.pending = match self.count {
                0 => 0,
                left => number >> (width - left),
            };
        }
        Some(())
    }

    /// Completes the last byte with zeros. Returns the offset after it.
    #[inline(always)]
    pub(crate) fn finish(self) -> Option<usize> {
        let length = self.count.div_ceil(8) as usize;
        put(self.to, self.at, self.pending, length)?;
        Some(self.at + length)
    }
}

/// Reads number `i` of those that begin at an offset.
#[inline(always)]
pub(crate) fn read(from: &[u8], at: usize, i: usize, width: u32) -> Option<u64> {
    let bit = i as u64 * u64::from(width);
    let (at, shift) = (at + (bit / 8) as usize, (bit % 8) as u32);
    let bits = match from.get(at..at + 9) {
        Some(window) if shift + width > 64 => wide(window) >> shift,
        Some(window) => u128::from(word(window) >> shift),
        None => last(from, at, shift + width)? >> shift,
    };
    Some(bits as u64 & low_bits(width))
}

#[inline(always)]
fn word(window: &[u8]) -> u64 {
    let mut eight = [0; 8];
    eight.copy_from_slice(&window[..8]);
    u64::from_le_bytes(eight)
}

#[inline(always)]
fn wide(window: &[u8]) -> u128 {
    u128::from(word(window)) | u128::from(window[8]) << 64
}

/// Reads `bits` bits near the end of a buffer.
#[inline(never)]
fn last(from: &[u8], at: usize, bits: u32) -> Option<u128> {
    let length = bits.div_ceil(8) as usize;
    let low = get(from, at, usize::min(length, 8))?;
    let high = match length {
        9 => u128::from(*from.get(at + 8)?) << 64,
        _ => 0,
    };
    Some(u128::from(low) | high)
}
