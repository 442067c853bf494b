//! Kernels of `utf8`.

use super::super::Register::{Xmm, Ymm, Zmm};
use super::super::{ANY, Kernel, STACK};

pub const KERNELS: &[Kernel] = &[
    // Blocks of a short input after the first one: three tables for each vector.
    Kernel {
        function: "utf8::text_up_to_long",
        arguments: &[""],
        loops: &[
            (Ymm, &[("vpshufb", 6..=6), (STACK, 0..=0), (ANY, 1..=57)]),
            (Zmm, &[("vpermb", 3..=3), (STACK, 0..=0), (ANY, 1..=31)]),
        ],
    },
    // Groups: three tables for each vector, with a path around them for ASCII.
    Kernel {
        function: "utf8::text_up_to_long",
        arguments: &[""],
        loops: &[
            (Xmm, &[("pshufb", 3..=3), (STACK, 0..=0), (ANY, 1..=29)]),
            (Ymm, &[("vpshufb", 24..=24), (STACK, 0..=0), (ANY, 1..=195)]),
            (Zmm, &[("vpermb", 12..=12), (STACK, 0..=0), (ANY, 1..=85)]),
        ],
    },
];
