//! Kernels of `json_string`.

use super::super::Register::{Xmm, Ymm, Zmm};
use super::super::{ANY, Counts, Kernel, Register, STACK};

/// Loops that look for special bytes in 256 bytes and copy these.
const CLEAN_YMM: (Register, Counts) = (
    Ymm,
    &[
        ("vpminub", 8..=8),
        ("vpcmpeqb", 10..=10),
        (STACK, 0..=0),
        (ANY, 1..=65),
    ],
);
const CLEAN_ZMM: (Register, Counts) = (
    Zmm,
    &[
        ("vpermb", 4..=4),
        ("vpcmpnltub", 4..=4),
        (STACK, 0..=0),
        (ANY, 1..=32),
    ],
);

pub const KERNELS: &[Kernel] = &[
    Kernel {
        function: "json_string::driver::escape_front_long",
        arguments: &[""],
        loops: &[CLEAN_YMM, CLEAN_ZMM],
    },
    Kernel {
        function: "json_string::Blocks>::escape_dense",
        arguments: &[""],
        loops: &[CLEAN_YMM],
    },
    Kernel {
        function: "json_string::Blocks>::escape_after",
        arguments: &[""],
        loops: &[CLEAN_ZMM],
    },
    Kernel {
        function: "json_string::driver::escaped_len_blocks",
        arguments: &[""],
        loops: &[(
            Zmm,
            &[
                ("vpermb", 4..=4),
                ("vpcmpnltub", 4..=4),
                (STACK, 0..=0),
                (ANY, 1..=29),
            ],
        )],
    },
    // Same groups, also searched for escapes and copied.
    Kernel {
        function: "json_string::driver::bytes::copy_clean",
        arguments: &[""],
        loops: &[
            (Xmm, &[("pshufb", 3..=3), (STACK, 0..=0), (ANY, 1..=29)]),
            (Ymm, &[("vpshufb", 24..=24), (STACK, 0..=0), (ANY, 1..=270)]),
            (Zmm, &[("vpermb", 16..=16), (STACK, 0..=0), (ANY, 1..=120)]),
        ],
    },
];
