//! Kernels of `big_endian`.

use super::super::Register::{General, Xmm, Ymm, Zmm};
use super::super::{ANY, Kernel, STACK};

pub const KERNELS: &[Kernel] = &[
    // The scalar backend in the published tables must not use vectors.
    Kernel {
        function: "big_endian::scalar",
        arguments: &["swap"],
        loops: &[(General, &[(ANY, 1..=24)])],
    },
    Kernel {
        function: "big_endian::swap_blocks",
        arguments: &[
            "<2, bytelane::simd::Near>",
            "<4, bytelane::simd::Near>",
            "<8, bytelane::simd::Near>",
        ],
        loops: &[
            (Xmm, &[("pshufb", 4..=4), (STACK, 0..=0), (ANY, 1..=17)]),
            (Ymm, &[("vpshufb", 4..=4), (STACK, 0..=0), (ANY, 1..=18)]),
            (Zmm, &[("vpshufb", 2..=2), (STACK, 0..=0), (ANY, 1..=11)]),
        ],
    },
];
