//! Encoding, shared by all instruction sets.
#![forbid(unsafe_code)]

use super::index::{Entry, Index};
use super::strings::{Offset, Strings};
use crate::memory::{self, Slot};
use crate::simd::window_mut;

/// Encodes a string, as far as there is room. Returns the numbers of bytes read and written.
#[inline(always)]
pub(super) fn part<S>(_simd: S, index: &Index, text: &[u8], to: &mut [Slot]) -> (usize, usize) {
    encode(index, text, to)
}

/// Same as [`part`], where no instruction set is chosen.
pub(super) fn portable(index: &Index, text: &[u8], to: &mut [Slot]) -> (usize, usize) {
    encode(index, text, to)
}

#[inline(always)]
fn encode(index: &Index, text: &[u8], to: &mut [Slot]) -> (usize, usize) {
    let (mut read, mut at) = (0, 0);
    while let Some(bytes) = text[read..].first_chunk()
        && let Some(room) = to[at..].first_chunk_mut()
    {
        let word = u64::from_le_bytes(*bytes);
        let entry = index.longest(word);
        put(room, entry, word);
        read += entry.read();
        at += entry.written();
    }
    while read < text.len() {
        let rest = &text[read..];
        let word = memory::pair(rest)[0];
        let entry = index.longest_up_to(word, rest.len());
        let mut codes = [Slot::new(0); 2];
        put(&mut codes, entry, word);
        let Some(room) = to.get_mut(at..at + entry.written()) else {
            break;
        };
        room.copy_from_slice(&codes[..entry.written()]);
        read += entry.read();
        at += entry.written();
    }
    (read, at)
}

/// Writes a code, and the byte that follows it if it is an escape code.
#[inline(always)]
fn put(to: &mut [Slot; 2], entry: Entry, word: u64) {
    memory::write(window_mut(to, 0), [entry.code(), word as u8]);
}

/// Encodes strings, as far as there is room for whole ones. Returns the numbers of strings read and of bytes written, and writes to
/// `ends` where each string ends, counted from `base`.
#[inline(always)]
pub(super) fn strings<S, O: Offset>(
    _simd: S,
    index: &Index,
    strings: Strings<'_, O>,
    base: usize,
    to: &mut [Slot],
    ends: &mut [O],
) -> (usize, usize) {
    strings_with(strings, base, to, ends, |text, to| encode(index, text, to))
}

/// Same as [`strings`], where no instruction set is chosen.
pub(super) fn portable_strings<O: Offset>(
    index: &Index,
    strings: Strings<'_, O>,
    base: usize,
    to: &mut [Slot],
    ends: &mut [O],
) -> (usize, usize) {
    self::strings((), index, strings, base, to, ends)
}

/// Same as [`strings`], with a function that encodes one string.
#[inline(always)]
pub(super) fn strings_with<O: Offset>(
    strings: Strings<'_, O>,
    base: usize,
    to: &mut [Slot],
    ends: &mut [O],
    encode: impl Fn(&[u8], &mut [Slot]) -> (usize, usize),
) -> (usize, usize) {
    let mut at = 0;
    for i in 0..usize::min(strings.len(), ends.len()) {
        let text = strings.get(i);
        let (read, written) = encode(text, &mut to[at..]);
        if read < text.len() {
            return (i, at);
        }
        at += written;
        ends[i] = O::of(base + at);
    }
    (strings.len(), at)
}
