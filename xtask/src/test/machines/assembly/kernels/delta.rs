//! Kernels of `delta`.

use super::super::Register::{Xmm, Ymm, Zmm};
use super::super::{ANY, Kernel, STACK};

pub const KERNELS: &[Kernel] = &[Kernel {
    function: "delta::decode_list",
    arguments: &["<8>"],
    loops: &[
        (
            Xmm,
            &[
                ("pmulhuw", 4..=4),
                ("pmullw", 4..=4),
                ("pshufb", 8..=8),
                (STACK, 0..=10),
                (ANY, 1..=84),
            ],
        ),
        (
            Ymm,
            &[
                ("vinserti128", 2..=2),
                ("vpshufb", 2..=2),
                ("vpsrlvq", 2..=2),
                (STACK, 0..=2),
                (ANY, 1..=43),
            ],
        ),
        (
            Zmm,
            &[
                ("valignq", 2..=2),
                ("vpermb", 1..=1),
                ("vpermq", 1..=1),
                ("vpmultishiftqb", 1..=1),
                (STACK, 0..=2),
                (ANY, 1..=27),
            ],
        ),
    ],
}];
