//! Texts of up to 64 bytes without special bytes, which are the most frequent ones.
//!
//! They take less time than the dispatch and the call of a kernel, so they are handled with
//! instructions that every CPU has. A text consists of blocks of a fixed size, the last of which may
//! overlap those before.
//!
//! Plain loops over bytes, which the compiler may vectorise, took up to five times as long.
#![forbid(unsafe_code)]

use super::{Quotes, Short};
use crate::backend::BASELINE;
use crate::memory::{Slot, write};
use crate::simd::{window, window_mut};

/// Length of the longest text in bytes.
pub(super) const LONGEST: usize = 64;

/// Writes a text with its quotes to the front of a destination that has room for both; false if it
/// is longer or a byte is special.
#[inline(never)]
pub(super) fn write_plain(src: &[u8], dst: &mut [Slot], quotes: Quotes) -> bool {
    if src.len() > LONGEST {
        return false;
    }
    let start = quotes.open(dst);
    copy_plain(src, &mut dst[start..][..src.len()])
        && quotes.close(dst, start + src.len()).is_some()
}

/// Copies a text to the same number of slots; false if a byte is special.
#[inline(always)]
pub(super) fn copy_plain(src: &[u8], dst: &mut [Slot]) -> bool {
    let n = src.len();
    match n {
        33.. => copy_blocks(src, dst, [0, 16, n - 32, n - 16]),
        16.. => copy_blocks(src, dst, [0, n - 16]),
        8.. => copy_ends::<8>(src, dst),
        4.. => copy_ends::<4>(src, dst),
        2.. => copy_ends::<2>(src, dst),
        1 => copy_ends::<1>(src, dst),
        0 => true,
    }
}

/// Copies blocks of 16 bytes; false if a byte is special.
#[inline(always)]
fn copy_blocks<const K: usize>(src: &[u8], dst: &mut [Slot], places: [usize; K]) -> bool {
    let mut blocks = [[0; 16]; K];
    for i in 0..K {
        blocks[i] = *window(src, places[i]);
    }
    let is_plain = BASELINE.is_plain(&blocks);
    for i in 0..K {
        write(window_mut(dst, places[i]), blocks[i]);
    }
    is_plain
}

/// Copies the first and the last `N` bytes, which are all; false if a byte is special.
#[inline(always)]
fn copy_ends<const N: usize>(src: &[u8], dst: &mut [Slot]) -> bool {
    let last = src.len() - N;
    // Spaces, where there are no bytes, need no escape.
    let mut block = [b' '; 16];
    *window_mut(&mut block, 0) = *window::<N, _>(src, 0);
    *window_mut(&mut block, N) = *window::<N, _>(src, last);
    let is_plain = BASELINE.is_plain(&[block]);
    write(window_mut(dst, 0), *window::<N, _>(&block, 0));
    write(window_mut(dst, last), *window::<N, _>(&block, N));
    is_plain
}

impl Short for crate::backend::Portable {
    #[inline(always)]
    fn is_plain(self, blocks: &[[u8; 16]]) -> bool {
        let mut bytes = blocks.as_flattened().iter();
        bytes.all(|&byte| super::scalar::escaped(byte).1 == 1)
    }
}
