//! The loops of BYTE_STREAM_SPLIT: steps of 16 values of `K` bytes.
//!
//! VLD2 and VLD4 take apart units of 2 and 4 bytes. A value of 8 bytes is two such units: a vector
//! then has two planes in turn, which VUZP parts.
//!
//! ```text
//! values       a0 a1 .. a7   b0 b1 .. b7   ..     i0 ..
//! 2 VLD4       a0 a4 b0 b4 .. h4     a1 a5 b1 b5 ..    a2 a6 ..    a3 a7 ..
//! 2 VLD4       i0 i4 j0 j4 .. p4     ..
//! VUZP         a0 b0 c0 .. p0        a4 b4 c4 .. p4
//! ```
//!
//! Values of 16 bytes are processed 8 bytes at a time: two squares of 8 by 8 bytes, one in the lower
//! halves of eight vectors and one in the upper ones, transposed by three rounds of VTRN.

use super::neon;
use crate::backend::Neon;
use crate::memory::Byte;

/// Runs the lines `$count` times, at least once. `at` points to the values, and the other operands to
/// the planes; `step` is 16, the distance of values of 16 bytes.
macro_rules! steps {
    ($count:ident, $at:ident, [$($plane:ident),*], [$($line:literal,)*]) => {
        // SAFETY: `split` and `join`, which use this, have a token, which proves that the CPU has
        // NEON. They have checked that there are 16 bytes of each plane and 16 values for each round.
        // The lines of a round access exactly these, and advance the pointers past them. For values
        // of 16 bytes, a round accesses either the first eight bytes of each value or the last eight,
        // at a distance of 16 bytes. No access needs to be aligned.
        unsafe {
            neon!(
                [
                    "2:",
                    $($line,)*
                    "subs {count}, {count}, #1",
                    "bne 2b",
                    "@ {step}",
                ]
                count = inout(reg) $count => _,
                step = in(reg) 16,
                at = inout(reg) $at => _,
                $($plane = inout(reg) $plane => _,)*
            )
        }
    };
}

/// Lines that transpose two squares of 8 by 8 bytes, between a load and a store.
macro_rules! transposed {
    ($count:ident, $at:ident, $planes:tt, [$($load:literal,)*], [$($store:literal,)*]) => {
        steps!($count, $at, $planes, [
            $($load,)*
            "vtrn.8 q0, q1",
            "vtrn.8 q2, q3",
            "vtrn.8 q8, q9",
            "vtrn.8 q10, q11",
            "vtrn.16 q0, q2",
            "vtrn.16 q1, q3",
            "vtrn.16 q8, q10",
            "vtrn.16 q9, q11",
            "vtrn.32 q0, q8",
            "vtrn.32 q1, q9",
            "vtrn.32 q2, q10",
            "vtrn.32 q3, q11",
            $($store,)*
        ])
    };
}

/// Splits values, a multiple of 16, into their planes.
#[inline(always)]
pub(crate) fn split<const K: usize, B: Byte>(_: Neon, values: &[u8], planes: [&mut [B]; K]) {
    let steps = values.len() / (16 * K);
    assert!(steps > 0, "at least 16 values");
    let planes = planes.map(|plane| {
        assert!(plane.len() / 16 >= steps, "room for all values");
        plane.as_mut_ptr()
    });
    let at = values.as_ptr();
    match planes[..] {
        [a, b] => steps!(
            steps,
            at,
            [a, b],
            [
                "vld2.8 {{d0, d1, d2, d3}}, [{at}]!",
                "vst1.8 {{d0, d1}}, [{a}]!",
                "vst1.8 {{d2, d3}}, [{b}]!",
            ]
        ),
        [a, b, c, d] => steps!(
            steps,
            at,
            [a, b, c, d],
            [
                "vld4.8 {{d0, d2, d4, d6}}, [{at}]!",
                "vld4.8 {{d1, d3, d5, d7}}, [{at}]!",
                "vst1.8 {{d0, d1}}, [{a}]!",
                "vst1.8 {{d2, d3}}, [{b}]!",
                "vst1.8 {{d4, d5}}, [{c}]!",
                "vst1.8 {{d6, d7}}, [{d}]!",
            ]
        ),
        [a, b, c, d, e, f, g, h] => steps!(
            steps,
            at,
            [a, b, c, d, e, f, g, h],
            [
                "vld4.8 {{d0, d2, d4, d6}}, [{at}]!",
                "vld4.8 {{d1, d3, d5, d7}}, [{at}]!",
                "vld4.8 {{d16, d18, d20, d22}}, [{at}]!",
                "vld4.8 {{d17, d19, d21, d23}}, [{at}]!",
                "vuzp.8 q0, q8",
                "vuzp.8 q1, q9",
                "vuzp.8 q2, q10",
                "vuzp.8 q3, q11",
                "vst1.8 {{d0, d1}}, [{a}]!",
                "vst1.8 {{d2, d3}}, [{b}]!",
                "vst1.8 {{d4, d5}}, [{c}]!",
                "vst1.8 {{d6, d7}}, [{d}]!",
                "vst1.8 {{d16, d17}}, [{e}]!",
                "vst1.8 {{d18, d19}}, [{f}]!",
                "vst1.8 {{d20, d21}}, [{g}]!",
                "vst1.8 {{d22, d23}}, [{h}]!",
            ]
        ),
        [..] => {
            assert!(K == 16, "a width with a kernel");
            for half in 0..2 {
                let at = at.wrapping_add(8 * half);
                let [a, b, c, d, e, f, g, h] = core::array::from_fn(|k| planes[8 * half + k]);
                transposed!(
                    steps,
                    at,
                    [a, b, c, d, e, f, g, h],
                    [
                        "vld1.8 {{d0}}, [{at}], {step}",
                        "vld1.8 {{d2}}, [{at}], {step}",
                        "vld1.8 {{d4}}, [{at}], {step}",
                        "vld1.8 {{d6}}, [{at}], {step}",
                        "vld1.8 {{d16}}, [{at}], {step}",
                        "vld1.8 {{d18}}, [{at}], {step}",
                        "vld1.8 {{d20}}, [{at}], {step}",
                        "vld1.8 {{d22}}, [{at}], {step}",
                        "vld1.8 {{d1}}, [{at}], {step}",
                        "vld1.8 {{d3}}, [{at}], {step}",
                        "vld1.8 {{d5}}, [{at}], {step}",
                        "vld1.8 {{d7}}, [{at}], {step}",
                        "vld1.8 {{d17}}, [{at}], {step}",
                        "vld1.8 {{d19}}, [{at}], {step}",
                        "vld1.8 {{d21}}, [{at}], {step}",
                        "vld1.8 {{d23}}, [{at}], {step}",
                    ],
                    [
                        "vst1.8 {{d0, d1}}, [{a}]!",
                        "vst1.8 {{d2, d3}}, [{b}]!",
                        "vst1.8 {{d4, d5}}, [{c}]!",
                        "vst1.8 {{d6, d7}}, [{d}]!",
                        "vst1.8 {{d16, d17}}, [{e}]!",
                        "vst1.8 {{d18, d19}}, [{f}]!",
                        "vst1.8 {{d20, d21}}, [{g}]!",
                        "vst1.8 {{d22, d23}}, [{h}]!",
                    ]
                );
            }
        }
    }
}

/// Joins values, a multiple of 16, from their planes: the reverse of [`split`].
#[inline(always)]
pub(crate) fn join<const K: usize, B: Byte>(_: Neon, planes: [&[u8]; K], values: &mut [B]) {
    let steps = values.len() / (16 * K);
    assert!(steps > 0, "at least 16 values");
    let planes = planes.map(|plane| {
        assert!(plane.len() / 16 >= steps, "bytes of all values");
        plane.as_ptr()
    });
    let at = values.as_mut_ptr();
    match planes[..] {
        [a, b] => steps!(
            steps,
            at,
            [a, b],
            [
                "vld1.8 {{d0, d1}}, [{a}]!",
                "vld1.8 {{d2, d3}}, [{b}]!",
                "vst2.8 {{d0, d1, d2, d3}}, [{at}]!",
            ]
        ),
        [a, b, c, d] => steps!(
            steps,
            at,
            [a, b, c, d],
            [
                "vld1.8 {{d0, d1}}, [{a}]!",
                "vld1.8 {{d2, d3}}, [{b}]!",
                "vld1.8 {{d4, d5}}, [{c}]!",
                "vld1.8 {{d6, d7}}, [{d}]!",
                "vst4.8 {{d0, d2, d4, d6}}, [{at}]!",
                "vst4.8 {{d1, d3, d5, d7}}, [{at}]!",
            ]
        ),
        [a, b, c, d, e, f, g, h] => steps!(
            steps,
            at,
            [a, b, c, d, e, f, g, h],
            [
                "vld1.8 {{d0, d1}}, [{a}]!",
                "vld1.8 {{d2, d3}}, [{b}]!",
                "vld1.8 {{d4, d5}}, [{c}]!",
                "vld1.8 {{d6, d7}}, [{d}]!",
                "vld1.8 {{d16, d17}}, [{e}]!",
                "vld1.8 {{d18, d19}}, [{f}]!",
                "vld1.8 {{d20, d21}}, [{g}]!",
                "vld1.8 {{d22, d23}}, [{h}]!",
                "vzip.8 q0, q8",
                "vzip.8 q1, q9",
                "vzip.8 q2, q10",
                "vzip.8 q3, q11",
                "vst4.8 {{d0, d2, d4, d6}}, [{at}]!",
                "vst4.8 {{d1, d3, d5, d7}}, [{at}]!",
                "vst4.8 {{d16, d18, d20, d22}}, [{at}]!",
                "vst4.8 {{d17, d19, d21, d23}}, [{at}]!",
            ]
        ),
        [..] => {
            assert!(K == 16, "a width with a kernel");
            for half in 0..2 {
                let at = at.wrapping_add(8 * half);
                let [a, b, c, d, e, f, g, h] = core::array::from_fn(|k| planes[8 * half + k]);
                transposed!(
                    steps,
                    at,
                    [a, b, c, d, e, f, g, h],
                    [
                        "vld1.8 {{d0, d1}}, [{a}]!",
                        "vld1.8 {{d2, d3}}, [{b}]!",
                        "vld1.8 {{d4, d5}}, [{c}]!",
                        "vld1.8 {{d6, d7}}, [{d}]!",
                        "vld1.8 {{d16, d17}}, [{e}]!",
                        "vld1.8 {{d18, d19}}, [{f}]!",
                        "vld1.8 {{d20, d21}}, [{g}]!",
                        "vld1.8 {{d22, d23}}, [{h}]!",
                    ],
                    [
                        "vst1.8 {{d0}}, [{at}], {step}",
                        "vst1.8 {{d2}}, [{at}], {step}",
                        "vst1.8 {{d4}}, [{at}], {step}",
                        "vst1.8 {{d6}}, [{at}], {step}",
                        "vst1.8 {{d16}}, [{at}], {step}",
                        "vst1.8 {{d18}}, [{at}], {step}",
                        "vst1.8 {{d20}}, [{at}], {step}",
                        "vst1.8 {{d22}}, [{at}], {step}",
                        "vst1.8 {{d1}}, [{at}], {step}",
                        "vst1.8 {{d3}}, [{at}], {step}",
                        "vst1.8 {{d5}}, [{at}], {step}",
                        "vst1.8 {{d7}}, [{at}], {step}",
                        "vst1.8 {{d17}}, [{at}], {step}",
                        "vst1.8 {{d19}}, [{at}], {step}",
                        "vst1.8 {{d21}}, [{at}], {step}",
                        "vst1.8 {{d23}}, [{at}], {step}",
                    ]
                );
            }
        }
    }
}
