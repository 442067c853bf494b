//! Encoding, shared by all instruction sets.
#![forbid(unsafe_code)]

use super::index::{Entry, Index};
use super::strings::{Offset, Strings};
use crate::memory::{self, Slot};
use crate::simd::{window, window_mut};

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

/// Number of places at which strings are encoded at the same time.
const LANES: usize = 4;

/// Maximum number of bytes of strings to encode before the results are moved to their place.
const PART: usize = 1 << 18;

/// Number of bytes of strings below which they are encoded one by one.
const FEW: usize = 64 * LANES;

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
    let (mut done, mut at) = (0, 0);
    loop {
        let rest = strings.range(done..strings.len());
        let room = &mut to[at..];
        let ends = &mut ends[done..];
        // Each string may take twice its bytes, so only a part is known to fit. It takes less, and leaves room for more.
        let count = rest.count_fitting(usize::min(room.len() / 2, PART));
        let part = rest.range(0..count);
        if part.total() < FEW {
            let (read, written) = strings_with(rest, base + at, room, ends, |text, to| {
                encode(index, text, to)
            });
            return (done + read, at + written);
        }
        at += lanes(index, part, base + at, room, ends);
        done += count;
    }
}

/// Place at which strings are encoded.
#[derive(Clone, Copy, Default)]
struct Lane {
    /// Place in the bytes of the strings, counted from their start, and in the destination. With 32 bits, the end of a window cannot overflow, so
    /// that one comparison checks it.
    from: u32,
    at: u32,
    /// Place of the end of the string, and its number.
    end: u32,
    string: usize,
    /// Numbers of the first string of the lane and after the last one, and the place of the end of the latter.
    first: usize,
    last: usize,
    stop: u32,
    /// The first place in the destination.
    start: u32,
}

impl Lane {
    /// Passes the bytes of a symbol.
    #[inline(always)]
    fn pass(&mut self, entry: Entry) {
        self.from += entry.read() as u32;
        self.at += entry.written() as u32;
    }
}

/// Encodes strings to a destination that has room for twice their bytes, and writes to `ends` where each string ends, counted from `base`.
/// Returns the number of bytes.
#[inline(always)]
fn lanes<O: Offset>(
    index: &Index,
    strings: Strings<'_, O>,
    base: usize,
    to: &mut [Slot],
    ends: &mut [O],
) -> usize {
    let src = &strings.bytes()[strings.start()..];
    let mut lanes = split(strings);
    for lane in &mut lanes {
        if lane.from < lane.stop {
            skip_empty(&strings, ends, lane);
        }
    }
    loop {
        // A step passes up to 8 bytes, and at least one is left, so that each lane stays within one of its strings.
        let left = lanes.iter().map(|lane| lane.stop - lane.from).min();
        let steps = left.unwrap_or(0u32).saturating_sub(1) / 8;
        if steps == 0 {
            break;
        }
        for _ in 0..steps {
            for lane in &mut lanes {
                step(index, &strings, src, to, ends, lane);
            }
        }
    }
    let mut written = 0;
    for lane in lanes {
        written += finish(index, strings, base + written, to, written, ends, lane);
    }
    written
}

/// Encodes the next bytes of a lane. The bytes after the end of the string are looked up as well: a symbol seldom crosses it.
#[inline(always)]
fn step<O: Offset>(
    index: &Index,
    strings: &Strings<'_, O>,
    src: &[u8],
    to: &mut [Slot],
    ends: &mut [O],
    lane: &mut Lane,
) {
    let (from, at) = (lane.from, lane.at);
    let word = u64::from_le_bytes(*window(src, from as usize));
    let entry = index.longest(word);
    put(window_mut(to, at as usize), entry, word);
    lane.pass(entry);
    if lane.from >= lane.end {
        (lane.from, lane.at) = (from, at);
        end(index, strings, word, to, ends, lane);
    }
}

/// Encodes the next bytes of a lane, of which the last ones of its string may be the first. Goes on to the next string after them.
#[inline(never)]
fn end<O: Offset>(
    index: &Index,
    strings: &Strings<'_, O>,
    word: u64,
    to: &mut [Slot],
    ends: &mut [O],
    lane: &mut Lane,
) {
    let entry = index.longest_up_to(word, (lane.end - lane.from) as usize);
    put(window_mut(to, lane.at as usize), entry, word);
    lane.pass(entry);
    if lane.from == lane.end {
        ends[lane.string] = O::of(lane.at as usize);
        lane.string += 1;
        skip_empty(strings, ends, lane);
    }
}

/// Finds the end of the string of a lane, or of the next one that is not empty: there is one.
#[inline(always)]
fn skip_empty<O: Offset>(strings: &Strings<'_, O>, ends: &mut [O], lane: &mut Lane) {
    let end_of = |string| (strings.range_of(string).end - strings.start()) as u32;
    lane.end = end_of(lane.string);
    while lane.from == lane.end {
        ends[lane.string] = O::of(lane.at as usize);
        lane.string += 1;
        lane.end = end_of(lane.string);
    }
}

/// Splits strings into lanes of about as many bytes each.
#[inline(always)]
fn split<O: Offset>(strings: Strings<'_, O>) -> [Lane; LANES] {
    let (first, total) = (strings.start(), strings.total());
    let mut lanes = [Lane::default(); LANES];
    let mut string = 0;
    for (i, lane) in lanes.iter_mut().enumerate() {
        let last = match i + 1 {
            LANES => strings.len(),
            next => usize::max(string, strings.first_from(first + total / LANES * next)),
        };
        let from = (strings.start_of(string) - first) as u32;
        *lane = Lane {
            from,
            at: 2 * from,
            end: from,
            string,
            first: string,
            last,
            stop: (strings.start_of(last) - first) as u32,
            start: 2 * from,
        };
        string = last;
    }
    lanes
}

/// Encodes what is left of a lane, and moves all of it to its place. Returns the number of bytes, and adds `base` to the ends of its
/// strings.
#[inline(never)]
fn finish<O: Offset>(
    index: &Index,
    strings: Strings<'_, O>,
    base: usize,
    to: &mut [Slot],
    place: usize,
    ends: &mut [O],
    lane: Lane,
) -> usize {
    let (start, mut at) = (lane.start as usize, lane.at as usize);
    let mut from = strings.start() + lane.from as usize;
    for string in lane.string..lane.last {
        let end = strings.range_of(string).end;
        at += encode(index, &strings.bytes()[from..end], &mut to[at..]).1;
        ends[string] = O::of(at);
        from = end;
    }
    let written = at - start;
    if start != place {
        to.copy_within(start..at, place);
    }
    for end in &mut ends[lane.first..lane.last] {
        *end = O::of(end.get() - start + base);
    }
    written
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
