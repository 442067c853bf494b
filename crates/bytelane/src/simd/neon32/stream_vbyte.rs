//! The loops of Stream VByte, for values of 32 bits: a group of four values is two table lookups.
//!
//! `ZIGZAG` and `DELTA` are 1 if the values are transformed in this way, and 0 if they are not.

use super::neon;
use crate::backend::Neon;
use crate::memory::{Byte, Slot};

/// Shuffles from the data of a group to its values, and lengths of the data, by the codes of the
/// group. Every length is at most 16.
pub(crate) struct Expansion {
    shuffles: [[u8; 16]; 256],
    lengths: [u8; 256],
}

impl Expansion {
    pub(crate) const fn new(shuffles: [[u8; 16]; 256], lengths: [u8; 256]) -> Self {
        let mut codes = 0;
        while codes < 256 {
            assert!(lengths[codes] <= 16, "a group has at most 16 bytes");
            codes += 1;
        }
        Self { shuffles, lengths }
    }
}

/// Shuffles from the values of a group to its data, each followed by the length of the data, by the
/// codes of the group. Every length is at most 16.
pub(crate) struct Compression([[u8; 32]; 256]);

impl Compression {
    pub(crate) const fn new(shuffles: [[u8; 16]; 256], lengths: [u8; 256]) -> Self {
        let mut table = [[0; 32]; 256];
        let mut codes = 0;
        while codes < 256 {
            assert!(lengths[codes] <= 16, "a group has at most 16 bytes");
            let mut byte = 0;
            while byte < 16 {
                table[codes][byte] = shuffles[codes][byte];
                byte += 1;
            }
            table[codes][16] = lengths[codes];
            codes += 1;
        }
        Self(table)
    }
}

/// Decodes groups of four values, one for each control byte. Returns the number of bytes of data
/// used. `data` and `values` need 16 bytes for each group.
#[inline(always)]
pub(crate) fn expand<const ZIGZAG: usize, const DELTA: usize>(
    _: Neon,
    tables: &Expansion,
    controls: &[u8],
    data: &[u8],
    values: &mut [Slot],
    previous: &mut u32,
) -> usize {
    let groups = controls.len();
    assert!(groups > 0, "at least one group");
    assert!(data.len() / 16 >= groups, "data of all groups");
    assert!(values.len() / 16 >= groups, "room for all groups");
    let end: *const u8;
    // SAFETY: the token proves that the CPU has NEON. There is one round for each control byte, and
    // at least one. A code is a byte, so both tables have an entry for it. Each round loads 16
    // bytes of data and then advances by a length, which is at most 16. So round `i` loads from at
    // most 16 i on; it stores 16 bytes from 16 i on. Both slices have as many bytes for all rounds,
    // as checked above. No access needs to be aligned.
    unsafe {
        neon!(
            [
                ".if {delta}",
                "vmov.i32 q8, #0",
                "vdup.32 q9, {previous}",
                ".endif",
                "2:",
                "ldrb {codes}, [{controls}], #1",
                "add {shuffle}, {shuffles}, {codes}, lsl #4",
                "ldrb {codes}, [{lengths}, {codes}]",
                "vld1.8 {{d2, d3}}, [{shuffle}]",
                "vld1.8 {{d0, d1}}, [{data}], {codes}",
                "subs {groups}, {groups}, #1",
                "vtbl.8 d4, {{d0, d1}}, d2",
                "vtbl.8 d5, {{d0, d1}}, d3",
                // The lowest bit becomes the sign: `stored >> 1 ^ -(stored & 1)`.
                ".if {zigzag}",
                "vshl.i32 q3, q2, #31",
                "vshr.u32 q2, q2, #1",
                "vshr.s32 q3, q3, #31",
                "veor q2, q2, q3",
                ".endif",
                // Running sums: a b c d; a, a+b, b+c, c+d; then the lower half is added to the
                // upper one, and the value before them to all.
                ".if {delta}",
                "vext.8 q3, q8, q2, #12",
                "vadd.i32 q2, q2, q3",
                "vadd.i32 d5, d5, d4",
                "vadd.i32 q2, q2, q9",
                "vdup.32 q9, d5[1]",
                ".endif",
                "vst1.8 {{d4, d5}}, [{values}]!",
                "bne 2b",
                ".if {delta}",
                "vmov.32 {previous}, d18[0]",
                ".endif",
            ]
            zigzag = const ZIGZAG,
            delta = const DELTA,
            shuffles = in(reg) tables.shuffles.as_ptr(),
            lengths = in(reg) tables.lengths.as_ptr(),
            controls = inout(reg) controls.as_ptr() => _,
            groups = inout(reg) groups => _,
            data = inout(reg) data.as_ptr() => end,
            values = inout(reg) values.as_mut_ptr() => _,
            previous = inout(reg) *previous,
            codes = out(reg) _,
            shuffle = out(reg) _,
        );
    }
    end.addr() - data.as_ptr().addr()
}

/// Decodes values of one byte each, a multiple of eight. `values` needs 4 bytes for each.
///
/// Sums of eight bytes fit in 16 bits: one scan for eight values, which are then widened.
#[inline(always)]
pub(crate) fn widen<const ZIGZAG: usize, const DELTA: usize>(
    _: Neon,
    data: &[u8],
    values: &mut [Slot],
    previous: &mut u32,
) {
    let rounds = data.len() / 8;
    assert!(rounds > 0, "at least eight values");
    assert!(values.len() / 32 >= rounds, "room for all values");
    // SAFETY: the token proves that the CPU has NEON. Each round loads 8 bytes of data and stores
    // 32 bytes of values, and both slices have as many for all rounds, of which there is at least
    // one. No access needs to be aligned.
    unsafe {
        neon!(
            [
                ".if {delta}",
                "vmov.i32 q8, #0",
                "vdup.32 q9, {previous}",
                ".endif",
                "2:",
                "vld1.8 {{d0}}, [{data}]!",
                "subs {rounds}, {rounds}, #1",
                "vmovl.u8 q1, d0",
                ".if {zigzag}",
                "vshl.i16 q2, q1, #15",
                "vshr.u16 q1, q1, #1",
                "vshr.s16 q2, q2, #15",
                "veor q1, q1, q2",
                ".endif",
                ".if {delta}",
                "vext.8 q2, q8, q1, #14",
                "vadd.i16 q1, q1, q2",
                "vext.8 q2, q8, q1, #12",
                "vadd.i16 q1, q1, q2",
                "vadd.i16 d3, d3, d2",
                ".endif",
                // Unsigned words are small enough to be treated as signed ones.
                "vmovl.s16 q2, d2",
                "vmovl.s16 q3, d3",
                ".if {delta}",
                "vadd.i32 q2, q2, q9",
                "vadd.i32 q3, q3, q9",
                "vdup.32 q9, d7[1]",
                ".endif",
                "vst1.8 {{d4, d5, d6, d7}}, [{values}]!",
                "bne 2b",
                ".if {delta}",
                "vmov.32 {previous}, d18[0]",
                ".endif",
            ]
            zigzag = const ZIGZAG,
            delta = const DELTA,
            data = inout(reg) data.as_ptr() => _,
            rounds = inout(reg) rounds => _,
            values = inout(reg) values.as_mut_ptr() => _,
            previous = inout(reg) *previous,
        );
    }
}

/// Encodes blocks of 16 values. Returns the number of bytes of data written; of the 64 bytes that
/// `data` needs for each block, those after the data may have been overwritten. `before` has the
/// values one place earlier. `zeros` is true if a zero has no data.
///
/// Codes are computed from the number of empty bytes above the highest used byte of each number, as
/// on 64-bit ARM; four of them are then joined to a byte.
#[inline(always)]
pub(crate) fn compress<const ZIGZAG: usize, const DELTA: usize, B: Byte>(
    _: Neon,
    (table, zeros): (&Compression, bool),
    values: &[u8],
    before: &[u8],
    controls: &mut [B],
    data: &mut [Slot],
) -> usize {
    let blocks = values.len() / 64;
    assert!(blocks > 0, "at least one block");
    assert!(before.len() / 64 >= blocks, "values before all blocks");
    assert!(controls.len() / 4 >= blocks, "room for all control bytes");
    assert!(data.len() / 64 >= blocks, "room for the data of all blocks");
    // Empty bytes that are ignored, and empty bytes of the lowest code.
    let (few, most) = if zeros { (1, 4) } else { (0, 3) };
    let end: *mut Slot;
    // SAFETY: the token proves that the CPU has NEON. Each round loads 64 bytes of `values` and, for
    // differences, as many of `before`, and stores 4 control bytes; the slices have as many for all
    // rounds, of which there is at least one. `mask` limits the offset of an entry to the 256
    // entries of the table. Each of the four stores of a round writes 16 bytes and then advances by
    // the length of an entry, which is at most 16, so round `i` stores between 64 i, at most, and
    // 64 i + 64. Vectors need not be aligned, nor does a word on a CPU with NEON.
    unsafe {
        neon!(
            [
                "vdup.8 q12, {entry}",
                "vdup.8 q13, {length}",
                "vdup.32 q14, {codes}",
                "2:",
                "vld1.8 {{d0, d1, d2, d3}}, [{values}]!",
                "vld1.8 {{d4, d5, d6, d7}}, [{values}]!",
                ".if {delta}",
                "vld1.8 {{d16, d17, d18, d19}}, [{before}]!",
                "vld1.8 {{d20, d21, d22, d23}}, [{before}]!",
                "vsub.i32 q0, q0, q8",
                "vsub.i32 q1, q1, q9",
                "vsub.i32 q2, q2, q10",
                "vsub.i32 q3, q3, q11",
                ".endif",
                // The sign becomes the lowest bit: `value << 1 ^ value >> 31`.
                ".if {zigzag}",
                "vshr.s32 q8, q0, #31",
                "vshr.s32 q9, q1, #31",
                "vshr.s32 q10, q2, #31",
                "vshr.s32 q11, q3, #31",
                "vshl.i32 q0, q0, #1",
                "vshl.i32 q1, q1, #1",
                "vshl.i32 q2, q2, #1",
                "vshl.i32 q3, q3, #1",
                "veor q0, q0, q8",
                "veor q1, q1, q9",
                "veor q2, q2, q10",
                "veor q3, q3, q11",
                ".endif",
                // Empty bytes of each number, in one byte each.
                "vclz.i32 q8, q0",
                "vclz.i32 q9, q1",
                "vclz.i32 q10, q2",
                "vclz.i32 q11, q3",
                "vmovn.i32 d16, q8",
                "vmovn.i32 d17, q9",
                "vmovn.i32 d18, q10",
                "vmovn.i32 d19, q11",
                "vshrn.i16 d16, q8, #3",
                "vshrn.i16 d17, q9, #3",
                // Codes, moved to their two bits, and joined.
                "vmax.u8 q8, q8, q12",
                "vqsub.u8 q8, q13, q8",
                "vmul.i8 q8, q8, q14",
                "vpadd.i8 d16, d16, d17",
                "vpadd.i8 d16, d16, d16",
                "vmov.32 {codes}, d16[0]",
                "str {codes}, [{controls}], #4",
                // Entries of the four groups, of 32 bytes each.
                "and {entry}, {mask}, {codes}, lsl #5",
                "add {entry}, {entry}, {table}",
                "vld1.8 {{d18, d19}}, [{entry}]",
                "ldrb {length}, [{entry}, #16]",
                "vtbl.8 d20, {{d0, d1}}, d18",
                "vtbl.8 d21, {{d0, d1}}, d19",
                "vst1.8 {{d20, d21}}, [{data}], {length}",
                "and {entry}, {mask}, {codes}, lsr #3",
                "add {entry}, {entry}, {table}",
                "vld1.8 {{d18, d19}}, [{entry}]",
                "ldrb {length}, [{entry}, #16]",
                "vtbl.8 d20, {{d2, d3}}, d18",
                "vtbl.8 d21, {{d2, d3}}, d19",
                "vst1.8 {{d20, d21}}, [{data}], {length}",
                "and {entry}, {mask}, {codes}, lsr #11",
                "add {entry}, {entry}, {table}",
                "vld1.8 {{d18, d19}}, [{entry}]",
                "ldrb {length}, [{entry}, #16]",
                "vtbl.8 d20, {{d4, d5}}, d18",
                "vtbl.8 d21, {{d4, d5}}, d19",
                "vst1.8 {{d20, d21}}, [{data}], {length}",
                "and {entry}, {mask}, {codes}, lsr #19",
                "add {entry}, {entry}, {table}",
                "vld1.8 {{d18, d19}}, [{entry}]",
                "ldrb {length}, [{entry}, #16]",
                "vtbl.8 d20, {{d6, d7}}, d18",
                "vtbl.8 d21, {{d6, d7}}, d19",
                "vst1.8 {{d20, d21}}, [{data}], {length}",
                "subs {blocks}, {blocks}, #1",
                "bne 2b",
            ]
            zigzag = const ZIGZAG,
            delta = const DELTA,
            table = in(reg) table.0.as_ptr(),
            mask = in(reg) 0xff << 5,
            blocks = inout(reg) blocks => _,
            values = inout(reg) values.as_ptr() => _,
            before = inout(reg) before.as_ptr() => _,
            controls = inout(reg) controls.as_mut_ptr() => _,
            data = inout(reg) data.as_mut_ptr() => end,
            entry = inout(reg) few => _,
            length = inout(reg) most => _,
            codes = inout(reg) 0x4010_0401u32 => _,
        );
    }
    end.addr() - data.as_ptr().addr()
}
