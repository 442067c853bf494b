//! Kernels of `base64`.

use super::super::Register::{Xmm, Ymm, Zmm};
use super::super::{ANY, Kernel, STACK};

pub const KERNELS: &[Kernel] = &[
    Kernel {
        function: "base64::encode_long",
        arguments: &[""],
        loops: &[
            (
                Xmm,
                &[
                    ("pmulhuw", 16..=16),
                    ("pmullw", 16..=16),
                    ("pshufb", 32..=32),
                    (STACK, 0..=0),
                    (ANY, 1..=278),
                ],
            ),
            (
                Ymm,
                &[
                    ("vpmulhuw", 4..=4),
                    ("vpmullw", 4..=4),
                    ("vpshufb", 8..=8),
                    (STACK, 0..=0),
                    (ANY, 1..=57),
                ],
            ),
            (
                Zmm,
                &[
                    ("vpermb", 8..=8),
                    ("vpmultishiftqb", 1..=1),
                    ("vpsllvw", 3..=3),
                    ("vpsrlvw", 3..=3),
                    (STACK, 0..=0),
                    (ANY, 1..=26),
                ],
            ),
        ],
    },
    // A multishift in each vector, or in one of four.
    Kernel {
        function: "base64::Quads>::encode_many",
        arguments: &[""],
        loops: &[(
            Zmm,
            &[
                ("vpermb", 8..=8),
                ("vpmultishiftqb", 4..=4),
                (STACK, 0..=0),
                (ANY, 1..=26),
            ],
        )],
    },
    Kernel {
        function: "base64::decode_long",
        arguments: &[""],
        loops: &[
            (
                Xmm,
                &[
                    ("pmaddubsw", 1..=1),
                    ("pmaddwd", 1..=1),
                    ("pshufb", 4..=4),
                    (STACK, 0..=0),
                    (ANY, 1..=25),
                ],
            ),
            (
                Ymm,
                &[
                    ("vpmaddubsw", 8..=8),
                    ("vpmaddwd", 8..=8),
                    ("vpshufb", 32..=32),
                    (STACK, 0..=0),
                    (ANY, 1..=144),
                ],
            ),
            (
                Zmm,
                &[
                    ("vpermb", 4..=4),
                    ("vpermt2b", 4..=4),
                    ("vpmaddubsw", 4..=4),
                    ("vpmaddwd", 4..=4),
                    (STACK, 0..=0),
                    (ANY, 1..=49),
                ],
            ),
        ],
    },
    // Four vectors, packed to three.
    Kernel {
        function: "base64::decode_long",
        arguments: &[""],
        loops: &[(
            Zmm,
            &[
                ("vpermi2b", 3..=3),
                ("vpermt2b", 4..=4),
                ("vpmaddwd", 4..=4),
                (STACK, 0..=0),
                (ANY, 1..=49),
            ],
        )],
    },
];
