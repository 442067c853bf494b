//! The algorithm, shared by all instruction sets: large blocks, and a rest that depends on whether
//! there are masks.
//!
//! Without masks, the rest is encoded in small blocks. The last ones overlap and write some
//! characters twice, with the same result:
//!
//! ```text
//! bytes     |---------- 192 ----------|--- 24 ---|--- 24 ---|--- 17 ---|
//! blocks    |------------ 1 ----------|---- 2 ---|---- 3 ---|
//!                                                      |---- 4 ---|      up to the last whole group
//!                                                                |-5-|   the last 10 to 12 bytes, and padding
//! ```
//!
//! Block 4 is left out if block 5 reaches back to block 3. Block 5 is loaded as the last 16 bytes; a shuffle by the
//! bytes in the last group takes its own, and zeros for those that are missing, whose characters a subtraction makes
//! padding. If the text has no padding, or fewer than 16 bytes, the bytes after the last whole group are looked up.
//!
//! 12 to 23 bytes are two overlapping blocks of 12. Fewer are padded to one of these blocks and passed as two numbers.
//!
//! A text always ends with a block of its own, of the last 14 to 16 characters that begin with a group. It is
//! loaded as its first 8 characters and its last 8, which shuffles by its length bring in order and back, so that
//! there is no branch on the characters of the last group. A text of 11 to 16 characters is only this block.
//!
//! # Policy
//!
//! 192 bytes and 256 characters form the smallest block that is a whole number of vectors on both
//! sides for every instruction set. Most calls are for short texts, where the call costs more than
//! the work. They have functions of their own, which save no registers and return results in
//! registers.
//!
//! If the last-level cache cannot hold both buffers, AVX-512 stores whole lines past it. Narrower vectors do not:
//! non-temporal stores of half a line take longer on Zen 4 than stores to the cache.
//!
//! # Invariants
//!
//! - A destination has exactly the length of the result. Blocks of the decoder write 16 bytes
//!   beyond their own, so the last block is left to the code for the rest.
//! - Large blocks are checked together, after the last of them, so that no branch waits for each. With an error,
//!   decoding returns `false`; the scalar code then finds its offset and kind.
//! - No byte is stored after it may have been stored past the cache: see [`Streamed`].
//!
//! # Measurements
//!
//! Each of the three changes for short buffers saved 20% of the time. With AVX-512, 8 to 64 bytes
//! are processed at 0.87 to 1.5 times the speed of the best other library. Block 5 instead of a lookup takes 0.75 to 0.85
//! of the time for 16, 20 and 32 bytes. Past the cache, 16 MiB take 0.7 to 0.85 of
//! the time where the cache has 32 MiB. See `docs/lab-notes/base64.md`.
#![forbid(unsafe_code)]

use super::tables::{PADDING, TEXT_BLOCKS, Tables, ZERO};
use super::{Engine, PAD, Quads, encoded_len_of};
use crate::backend::tuning::{MANY, NEAR_BYTES, tuning};
use crate::memory::{Each, Slot, pair, put_pair, write};
use crate::simd::{Near, Publish, Streamed, Writes};
use crate::simd::{are_beyond_cache, window, window_mut};

/// Encodes fewer than `SHORT` bytes. `dst` is as long as the result, with padding or without.
#[inline(always)]
pub(super) fn encode_short(simd: impl Quads, engine: Engine, src: &[u8], dst: &mut [Slot]) {
    simd.encode_rest(engine.tables(), src, 0, dst);
}

/// Same as [`encode_short`], for any number of bytes.
#[inline(always)]
pub(super) fn encode_long<S: Quads>(simd: S, engine: Engine, src: &[u8], dst: &mut [Slot]) {
    if S::HAS_WHOLE_LINES && src.len() >= MANY {
        return simd.encode_many(engine, src, dst);
    }
    let tables = engine.tables_by_address();
    let done = simd.encode_blocks(tables, src, dst);
    simd.encode_rest(tables, src, done, dst);
}

/// Same as [`encode_long`], for so many bytes that the CPU and its cache matter.
#[inline(always)]
pub(super) fn encode_many<S: Quads>(simd: S, engine: Engine, src: &[u8], dst: &mut [Slot]) {
    let tables = engine.tables_by_address();
    if are_beyond_cache(src.len() + dst.len()) {
        return encode_past_cache(simd, tables, src, dst);
    }
    let done = if tuning().fewer_shifts {
        encode_blocks_in_fewer_shifts::<_, Near>(simd, tables, src, dst)
    } else {
        simd.encode_blocks(tables, src, dst)
    };
    simd.encode_rest(tables, src, done, dst);
}

/// Same as [`Quads::encode_blocks`], if [`Tuning::fewer_shifts`](crate::tuning::Tuning::fewer_shifts).
#[inline(always)]
fn encode_blocks_in_fewer_shifts<S: Quads, W: Writes>(
    simd: S,
    tables: &Tables,
    src: &[u8],
    dst: &mut [Slot],
) -> usize {
    let (blocks, _) = src.as_chunks::<192>();
    let (texts, _) = dst.as_chunks_mut::<256>();
    let texts = &mut texts[..blocks.len()];
    for i in 0..blocks.len() {
        simd.encode192_in_fewer_shifts::<W>(tables, &blocks[i], &mut texts[i]);
    }
    192 * blocks.len()
}

/// Returns the number of bytes up to a cache line.
#[inline(always)]
fn to_line(dst: &[Slot]) -> usize {
    dst.as_ptr().addr().wrapping_neg() % 64
}

/// Encodes the groups before the first cache line of `dst`, large blocks past the cache, and the rest: three parts
/// that do not overlap. If no group begins with a line, the blocks are stored to the cache.
#[inline(always)]
fn encode_past_cache(simd: impl Quads, tables: &Tables, src: &[u8], dst: &mut [Slot]) {
    let groups = to_line(dst) / 4;
    let (first, src) = src.split_at(3 * groups);
    let (to_first, dst) = dst.split_at_mut(4 * groups);
    simd.encode_rest(tables, first, 0, to_first);
    let _publish = Publish;
    let done = encode_blocks_in_fewer_shifts::<_, Streamed>(simd, tables, src, dst);
    simd.encode_rest(tables, &src[done..], 0, &mut dst[done / 3 * 4..]);
}

/// Decodes characters without their padding to fewer than `SHORT` bytes; `dst` is as long as the
/// result. False if anything is wrong with the text.
#[inline(always)]
pub(super) fn decode_short(
    simd: impl Quads,
    engine: Engine,
    text: &[u8],
    dst: &mut [Slot],
) -> bool {
    simd.decode_rest(
        engine.tables_by_address(),
        text,
        0,
        dst,
        !engine.trailing_bits,
    )
}

/// Same as [`decode_short`], for any number of characters.
#[inline(always)]
pub(super) fn decode_long<S: Quads>(
    simd: S,
    engine: Engine,
    text: &[u8],
    dst: &mut [Slot],
) -> bool {
    let is_far = S::HAS_WHOLE_LINES && dst.len() > NEAR_BYTES;
    if is_far && are_beyond_cache(text.len() + dst.len()) {
        return simd.decode_past_cache(engine, text, dst);
    }
    let tables = engine.tables_by_address();
    // The last block must not write past its own bytes.
    let blocks = usize::min(text.len() / 256, dst.len().saturating_sub(16) / 192);
    let (texts, _) = text[..256 * blocks].as_chunks();
    let good = if is_far && tuning().fewer_stores {
        decode_in_fewer_stores::<_, Near>(simd, tables, texts, dst)
    } else {
        let mut decoding = simd.decoding(tables);
        for block in 0..blocks {
            let to = window_mut(dst, 192 * block);
            decoding = simd.decode256(tables, &texts[block], to, decoding);
        }
        simd.is_good(decoding)
    };
    good && simd.decode_rest(tables, text, 256 * blocks, dst, !engine.trailing_bits)
}

/// Decodes the groups before the first cache line of `dst`, large blocks past the cache, and the rest: three parts
/// that do not overlap. As a group has three bytes, some group begins with a line.
#[inline(always)]
pub(super) fn decode_past_cache(
    simd: impl Quads,
    engine: Engine,
    text: &[u8],
    dst: &mut [Slot],
) -> bool {
    let (tables, canonical) = (engine.tables_by_address(), !engine.trailing_bits);
    // The next line is one byte more than a multiple of three further.
    let to_line = to_line(dst);
    let groups = (to_line + 64 * (2 * to_line % 3)) / 3;
    let (first, text) = text.split_at(4 * groups);
    let (to_first, dst) = dst.split_at_mut(3 * groups);
    let good = simd.decode_rest(tables, first, 0, to_first, canonical);
    let _publish = Publish;
    let (texts, _) = text[..(dst.len() - 16) / 192 * 256].as_chunks();
    let good = good & decode_in_fewer_stores::<_, Streamed>(simd, tables, texts, dst);
    let (rest, to_rest) = (&text[256 * texts.len()..], &mut dst[192 * texts.len()..]);
    good && simd.decode_rest(tables, rest, 0, to_rest, canonical)
}

/// Decodes large blocks. Returns whether all characters are in the alphabet.
#[inline(always)]
fn decode_in_fewer_stores<S: Quads, W: Writes>(
    simd: S,
    tables: &Tables,
    texts: &[[u8; 256]],
    dst: &mut [Slot],
) -> bool {
    let mut decoding = simd.decoding(tables);
    for (block, text) in texts.iter().enumerate() {
        let to = window_mut(dst, 192 * block);
        decoding = simd.decode256_in_fewer_stores::<W>(tables, text, to, decoding);
    }
    simd.is_good(decoding)
}

/// Encodes the bytes from `at`, a multiple of 3, on, without masks.
#[inline(always)]
pub(super) fn encode_rest(
    simd: impl Quads,
    tables: &Tables,
    src: &[u8],
    at: usize,
    dst: &mut [Slot],
) {
    let len = src.len();
    if len < 12 {
        return encode_few(simd, tables, src, dst);
    }
    let is_padded = dst.len().is_multiple_of(4);
    if len < 24 {
        if len >= 16 && is_padded {
            let text = simd.encode12(tables, pair(window::<16, _>(src, 0)));
            put_pair(window_mut::<16, _>(dst, 0), text);
            return put_end(simd, tables, src, dst);
        }
        let groups = len / 3 * 3;
        for at in [0, groups - 12] {
            let bytes: &[u8; 12] = window(src, at);
            let text = simd.encode12(tables, pair(bytes));
            put_pair(window_mut::<16, _>(dst, at / 3 * 4), text);
        }
        return encode_last(tables, &src[groups..], &mut dst[groups / 3 * 4..]);
    }
    let (blocks, rest) = src[at..].as_chunks::<24>();
    let (texts, _) = dst[at / 3 * 4..].as_chunks_mut::<32>();
    let texts = &mut texts[..blocks.len()];
    for i in 0..blocks.len() {
        simd.encode24(tables, &blocks[i], &mut texts[i]);
    }
    if rest.is_empty() {
        return;
    }
    let groups = len / 3 * 3;
    if rest.len() > 12 || !is_padded {
        let text = window_mut(dst, groups / 3 * 4 - 32);
        simd.encode24(tables, window(src, groups - 24), text);
    }
    if is_padded {
        put_end(simd, tables, src, dst);
    } else {
        encode_last(tables, &src[groups..], &mut dst[groups / 3 * 4..]);
    }
}

/// Encodes the last 10 to 12 bytes and their padding. There are 16 or more.
#[inline(always)]
fn put_end(simd: impl Quads, tables: &Tables, src: &[u8], dst: &mut [Slot]) {
    let (len, end) = (src.len(), dst.len() - 16);
    let text = simd.encode_end(tables, window(src, len - 16), len % 3);
    put_pair(window_mut::<16, _>(dst, end), text);
}

/// Encodes fewer than 12 bytes.
#[inline(always)]
fn encode_few(simd: impl Quads, tables: &Tables, src: &[u8], dst: &mut [Slot]) {
    let text = padded(simd.encode12(tables, pair(src)), encoded_len_of(src, false));
    if dst.len() == 12 {
        write(window_mut(dst, 0), text[0].to_le_bytes());
        write(window_mut(dst, 8), (text[1] as u32).to_le_bytes());
    } else {
        put_pair(dst, text);
    }
}

/// Characters that are missing in the last group, by the bytes in it.
pub(super) const MISSING: [usize; 3] = [0, 2, 1];

/// Replaces all but the first `len` of 16 characters by padding. They are those of zeros.
#[inline(always)]
fn padded([low, high]: [u64; 2], len: usize) -> [u64; 2] {
    let [in_low, in_high] = pair(window::<16, _>(&PADDING, 16 - len));
    [low.wrapping_sub(in_low), high.wrapping_sub(in_high)]
}

/// Same as [`Quads::encode_end`], with shifts.
#[inline(always)]
pub(super) fn encode_end(
    simd: impl Quads,
    tables: &Tables,
    bytes: &[u8; 16],
    extra: usize,
) -> [u64; 2] {
    let groups = u128::from_le_bytes(*bytes) >> (8 * (4 + MISSING[extra]));
    let text = simd.encode12(tables, [groups as u64, (groups >> 64) as u64]);
    padded(text, 16 - MISSING[extra])
}

/// Encodes the last one or two bytes.
#[inline(always)]
fn encode_last(tables: &Tables, src: &[u8], dst: &mut [Slot]) {
    let (bits, third) = match *src {
        [first] => (u32::from(first) << 10, false),
        [first, second] => (u32::from(first) << 10 | u32::from(second) << 2, true),
        _ => return,
    };
    let character = |shift: u32| tables.characters[(bits >> shift & 63) as usize];
    let third = if third { character(0) } else { PAD };
    let quad = [character(12), character(6), third, PAD];
    match dst.len() {
        4.. => write(window_mut(dst, 0), quad),
        3 => write::<3>(window_mut(dst, 0), *window(&quad, 0)),
        _ => write::<2>(window_mut(dst, 0), *window(&quad, 0)),
    }
}

/// Decodes the characters from `at`, a multiple of 4, on, without masks.
#[inline(always)]
pub(super) fn decode_rest(
    simd: impl Quads,
    tables: &Tables,
    text: &[u8],
    mut at: usize,
    dst: &mut [Slot],
    canonical: bool,
) -> bool {
    let len = text.len();
    let mut good = !(canonical && has_stray_bits(tables, text));
    if len < 11 {
        let filled = with_filling(pair(text), len, ZERO);
        let ([bytes, _], in_alphabet) = simd.decode16(tables, filled, &TEXT_BLOCKS[5]);
        put_pair(dst, [bytes, 0]);
        return good & in_alphabet;
    }
    let last = ((len - 1) / 4 * 4).saturating_sub(12);
    if last >= 20 {
        while at < last {
            at = usize::min(at, last - 20);
            good &= simd.decode32(tables, window(text, at), window_mut(dst, at / 4 * 3));
            at += 32;
        }
    } else if last > 0 {
        good &= decode_block(simd, tables, &text[..16], &mut dst[..12]);
    }
    good & decode_block(simd, tables, &text[last..], &mut dst[last / 4 * 3..])
}

/// Decodes 11 to 16 characters to 8 to 12 bytes.
#[inline(always)]
fn decode_block(simd: impl Quads, tables: &Tables, text: &[u8], dst: &mut [Slot]) -> bool {
    let block = &TEXT_BLOCKS[text.len() - 11];
    let ([first, last], in_alphabet) = simd.decode16(tables, ends(text), block);
    let at = dst.len() - 8;
    write(window_mut(dst, 0), first.to_le_bytes());
    write(window_mut(dst, at), last.to_le_bytes());
    in_alphabet
}

/// Returns the first 8 bytes of a slice and the last 8, as little-endian numbers.
#[inline(always)]
fn ends(from: &[u8]) -> [u64; 2] {
    [0, from.len() - 8].each(|at| u64::from_le_bytes(*window(from, at)))
}

/// Returns whether the last character has nonzero bits after the last byte.
#[inline(always)]
fn has_stray_bits(tables: &Tables, text: &[u8]) -> bool {
    // 4 bits after two characters, 2 bits after three.
    let after_the_last_byte = 0x030f_0000_u32 >> (8 * (text.len() % 4)) & 0xff;
    let value = |&last: &u8| u32::from(tables.values[usize::from(last % 128)]);
    text.last().map_or(0, value) & after_the_last_byte != 0
}

/// Replaces all but the first `len` of 16 bytes by `filling`.
#[inline(always)]
fn with_filling([low, high]: [u64; 2], len: usize, filling: u8) -> [u64; 2] {
    let filling = u64::from_ne_bytes([filling; 8]);
    // Two shifts, since a single shift by all 64 bits would overflow.
    let behind = |len: usize| if len < 8 { !0 << (8 * len) } else { 0 };
    let [in_low, in_high] = [behind(len), behind(len.saturating_sub(8))];
    [
        low & !in_low | filling & in_low,
        high & !in_high | filling & in_high,
    ]
}
