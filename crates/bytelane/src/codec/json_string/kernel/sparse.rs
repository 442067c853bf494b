//! Blocks with few special bytes.
#![forbid(unsafe_code)]

use super::super::{Blocks, Consumed};
use super::CALM;
use super::escape::{FEW, escaped};
use crate::memory::{Slot, write};
use crate::simd::{window, window_mut};

/// Room for a step: a block, the escapes in it, and the 64 bytes that are copied after the last one.
pub(super) const ROOM: usize = 192;

/// Escapes blocks from the front, up to one with more than [`FEW`] special bytes, or [`CALM`] clean ones in a row. Returns
/// whether there are these.
#[inline(always)]
pub(super) fn escape_sparse(
    simd: impl Blocks,
    src: &[u8],
    dst: &mut [Slot],
    done: &mut Consumed,
) -> bool {
    let (mut rest, mut to) = (&src[done.read..], &mut dst[done.written..]);
    let (mut written, mut calm) = (0, 0);
    while let Some(block) = rest.first_chunk::<128>()
        && let Some(room) = to.first_chunk_mut()
    {
        let specials = simd.specials(window(block, 0));
        if specials.count_ones() > FEW {
            break;
        }
        let length = escape_few(simd, block, specials, 64, room);
        written += length;
        to = &mut to[length..];
        rest = &rest[64..];
        calm = (calm + 1) * usize::from(specials == 0);
        if calm == CALM {
            break;
        }
    }
    if let 65..128 = rest.len()
        && let Some(room) = to.first_chunk_mut()
    {
        let given = rest.len() - 64;
        let specials = simd.specials(window(rest, 0)) & ((1 << given) - 1);
        if specials.count_ones() <= FEW {
            let length = escape_few(simd, rest, specials, given, room);
            written += length;
            to = &mut to[length..];
            rest = &rest[given..];
        }
    }
    if rest.len() == 64
        && let Some(room) = to.first_chunk_mut()
    {
        let specials = simd.specials(window(rest, 0));
        if specials.count_ones() <= FEW {
            let mut padded = [0; 128];
            *window_mut(&mut padded, 0) = *window::<64, _>(rest, 0);
            written += escape_few(simd, &padded, specials, 64, room);
            rest = &[];
        }
    }
    done.read = src.len() - rest.len();
    done.written += written;
    calm == CALM
}

/// Escapes the first `given` bytes, with 64 more after them. Returns the length
/// of the result. After each escape, the rest is copied again.
///
/// ```text
/// block    a  b  \n  c  d  "  e
/// copied   a  b  \n  c  d  "  e
/// escape         \  n
/// copied              c  d  "  e
/// escape                    \  "
/// copied                          e
/// ```
#[inline(always)]
pub(super) fn escape_few(
    simd: impl Blocks,
    src: &[u8],
    mut set: u64,
    given: usize,
    dst: &mut [Slot; ROOM],
) -> usize {
    simd.copy(window(src, 0), window_mut(dst, 0));
    let mut more = 0;
    loop {
        let place = (set | 1 << (given - 1)).trailing_zeros() as usize;
        let (text, length) = escaped(src[place]);
        let to: &mut [Slot; 72] = window_mut(dst, place + more);
        write(window_mut(to, 0), text);
        simd.copy(window(src, place + 1), window_mut(to, length));
        more += length - 1;
        set &= set.wrapping_sub(1);
        if set == 0 {
            return given + more;
        }
    }
}
