//! A view of a string: its length and all of it, or its length, its first bytes and its place.

use super::copy::LOWEST;
use crate::{Error, Result};

pub(super) use crate::memory::INLINE;

/// The number of a buffer, where a view has it.
pub(super) fn buffer(number: usize) -> Result<u128> {
    match i32::try_from(number) {
        Ok(_) => Ok((number as u128) << 64),
        Err(_) => Err(Error::corrupt("more pages than an array can point into")),
    }
}

/// Of the first bytes of `from`, which has as many. They begin at an offset of the buffer.
#[inline(always)]
pub(super) fn make(from: &[u8], length: usize, buffer: u128, offset: usize) -> u128 {
    let Some(first) = from.first_chunk() else {
        return make_at_end(from, length, buffer, offset);
    };
    let first = u128::from_le_bytes(*first);
    match length <= INLINE {
        true => (first & LOWEST[length]) << 32 | length as u128,
        false => (offset as u128) << 96 | buffer | (first & LOWEST[4]) << 32 | length as u128,
    }
}

/// The same near the end of the buffer.
#[cold]
fn make_at_end(from: &[u8], length: usize, buffer: u128, offset: usize) -> u128 {
    let mut padded = [0; 16];
    padded[..from.len()].copy_from_slice(from);
    make(&padded, length, buffer, offset)
}

/// Bytes of the string.
#[inline(always)]
pub(super) fn length(view: u128) -> usize {
    view as u32 as usize
}

/// Of strings that follow each other in a buffer. Returns whether one is too long to be in its view.
pub(super) fn consecutive(
    bytes: &[u8],
    start: usize,
    lengths: impl Iterator<Item = usize>,
    buffer: u128,
    views: &mut [u128],
) -> bool {
    let (mut at, mut longest) = (start, 0);
    for (view, length) in views.iter_mut().zip(lengths) {
        *view = make(&bytes[at..], length, buffer, at);
        at += length;
        longest = longest.max(length);
    }
    longest > INLINE
}
