//! The algorithms, shared by all instruction sets: runs that need no change are copied 256 bytes or
//! more at a time; other parts are handled in blocks of 64 bytes.
//!
//! A kernel stops where it cannot continue, between two characters: at the end, when the
//! destination is full, or before an error. The scalar code continues from there: it determines
//! which case it is, fills the destination to the last byte, and reports the error.
#![forbid(unsafe_code)]

mod bytes;
mod escape;
mod runs;
mod short;
mod unescape;
mod unescape_sparse;

#[cfg(feature = "alloc")]
pub(super) use bytes::LONGEST;
pub(super) use escape::{escape, escape_dense, escape_inside, escaped_len};
use runs::{clean, copy_groups, to_next_line};
pub(super) use runs::{copy_clean, copy_if_clean};
#[cfg(feature = "alloc")]
pub(super) use short::first_special;
pub(super) use short::{escape_front_long, escape_front_short, escape_short, specials_short};
#[cfg(feature = "alloc")]
pub(super) use unescape::closing;
pub(super) use unescape::{scan, unescape};
pub(super) use unescape_sparse::unescape_sparse;

use super::{Consumed, Quotes};
use crate::memory::Slot;
use crate::simd::{window, window_mut};

/// Number of bytes that unescaping searches before copying them: they are in the first-level cache
/// by then. Runs of 1 KiB are as fast.
const RUN: usize = 4096;

/// Number of consecutive blocks without a change after which the kernel returns to whole runs. Half of it is as good.
const CALM: usize = 8;

/// Copies the front to up to 128 slots, as two overlapping windows.
#[inline(always)]
fn put_front(from: &[Slot], to: &mut [Slot]) {
    #[inline(always)]
    fn put<const N: usize>(from: &[Slot], to: &mut [Slot]) {
        for at in [0, to.len() - N] {
            *window_mut::<N, _>(to, at) = *window(from, at);
        }
    }
    match to.len() {
        0 => {}
        1 => put::<1>(from, to),
        2..4 => put::<2>(from, to),
        4..8 => put::<4>(from, to),
        8..16 => put::<8>(from, to),
        16..32 => put::<16>(from, to),
        32..64 => put::<32>(from, to),
        _ => put::<64>(from, to),
    }
}

/// Pads up to 64 bytes with another byte.
#[inline(always)]
pub(super) fn pad(src: &[u8], with: u8) -> [u8; 64] {
    let mut block = [with; 64];
    block[..src.len()].copy_from_slice(src);
    block
}

/// Writes the closing quote after all of the text. If it does not fit, nothing counts as read.
#[inline(always)]
fn finish(src: &[u8], dst: &mut [Slot], quotes: Quotes, written: usize) -> Consumed {
    match quotes.close(dst, written) {
        Some(written) => Consumed {
            read: src.len(),
            written,
        },
        None => Consumed {
            read: 0,
            written: quotes.opening(),
        },
    }
}
