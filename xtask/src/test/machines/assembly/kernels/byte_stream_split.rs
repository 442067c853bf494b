//! Kernels of `byte_stream_split`: splitting and joining at three widths.

use super::super::Register::{General, Xmm, Ymm, Zmm};
use super::super::{ANY, Kernel, STACK};

pub const KERNELS: &[Kernel] = &[
    // The scalar backend in the published tables must not use vectors.
    Kernel {
        function: "byte_stream_split::scalar",
        arguments: &["split", "join"],
        loops: &[(General, &[(ANY, 1..=24)])],
    },
    Kernel {
        function: "byte_stream_split::driver::split",
        arguments: &["<2>"],
        loops: &[
            (
                Xmm,
                &[
                    ("pshufb", 8..=8),
                    ("punpckhqdq", 4..=4),
                    ("punpcklqdq", 4..=4),
                    (STACK, 0..=0),
                    (ANY, 1..=43),
                ],
            ),
            (
                Ymm,
                &[
                    ("vinserti128", 4..=4),
                    ("vpshufb", 4..=4),
                    ("vpunpckhqdq", 2..=2),
                    ("vpunpcklqdq", 2..=2),
                    (STACK, 0..=0),
                    (ANY, 1..=27),
                ],
            ),
            (
                Zmm,
                &[
                    ("vpblendmd", 1..=1),
                    ("vpermb", 2..=2),
                    ("vpermt2d", 1..=1),
                    (STACK, 0..=0),
                    (ANY, 1..=13),
                ],
            ),
        ],
    },
    Kernel {
        function: "byte_stream_split::driver::split",
        arguments: &["<4>"],
        loops: &[
            (
                Xmm,
                &[
                    ("pshufb", 16..=16),
                    ("punpckhdq", 16..=16),
                    ("punpckldq", 16..=16),
                    (STACK, 0..=0),
                    (ANY, 1..=110),
                ],
            ),
            (
                Ymm,
                &[
                    ("vinserti128", 8..=8),
                    ("vpalignr", 2..=2),
                    ("vpblendd", 10..=10),
                    ("vpshufb", 8..=8),
                    ("vshufps", 4..=4),
                    (STACK, 0..=1),
                    (ANY, 1..=60),
                ],
            ),
            (
                Zmm,
                &[
                    ("vpblendmd", 2..=2),
                    ("vpermb", 4..=4),
                    ("vpermt2d", 3..=3),
                    (STACK, 0..=0),
                    (ANY, 1..=24),
                ],
            ),
        ],
    },
    Kernel {
        function: "byte_stream_split::driver::split",
        arguments: &["<8>"],
        loops: &[
            (
                Xmm,
                &[
                    ("pshufb", 8..=8),
                    ("punpckhwd", 12..=12),
                    ("punpcklwd", 12..=12),
                    (STACK, 0..=0),
                    (ANY, 1..=70),
                ],
            ),
            (
                Ymm,
                &[
                    ("vinserti128", 16..=16),
                    ("vpalignr", 4..=4),
                    ("vpblendd", 20..=20),
                    ("vpshufb", 16..=16),
                    ("vpunpckhwd", 8..=8),
                    ("vpunpcklwd", 8..=8),
                    ("vshufps", 8..=8),
                    (STACK, 0..=0),
                    (ANY, 1..=128),
                ],
            ),
            (
                Zmm,
                &[
                    ("vpblendmd", 8..=8),
                    ("vpermb", 8..=8),
                    ("vpermt2d", 7..=7),
                    (STACK, 0..=0),
                    (ANY, 1..=59),
                ],
            ),
        ],
    },
    Kernel {
        function: "byte_stream_split::driver::join",
        arguments: &["<2>"],
        loops: &[
            (
                Xmm,
                &[
                    ("punpckhbw", 4..=4),
                    ("punpcklbw", 4..=4),
                    (STACK, 0..=0),
                    (ANY, 1..=34),
                ],
            ),
            (
                Ymm,
                &[
                    ("vinserti128", 2..=2),
                    ("vperm2i128", 2..=2),
                    ("vpunpckhbw", 2..=2),
                    ("vpunpcklbw", 2..=2),
                    (STACK, 0..=0),
                    (ANY, 1..=20),
                ],
            ),
            (
                Zmm,
                &[
                    ("vpblendmb", 2..=2),
                    ("vpermb", 4..=4),
                    ("vpshldw", 2..=2),
                    (STACK, 0..=0),
                    (ANY, 1..=17),
                ],
            ),
        ],
    },
    Kernel {
        function: "byte_stream_split::driver::join",
        arguments: &["<4>"],
        loops: &[
            (
                Xmm,
                &[
                    ("punpckhbw", 16..=16),
                    ("punpcklbw", 16..=16),
                    (STACK, 0..=0),
                    (ANY, 1..=92),
                ],
            ),
            (
                Ymm,
                &[
                    ("vinserti128", 4..=4),
                    ("vperm2i128", 4..=4),
                    ("vpunpckhbw", 8..=8),
                    ("vpunpcklbw", 8..=8),
                    (STACK, 0..=0),
                    (ANY, 1..=43),
                ],
            ),
            (
                Zmm,
                &[
                    ("vpblendmb", 2..=2),
                    ("vpblendmw", 2..=2),
                    ("vpermb", 4..=4),
                    ("vpshldd", 2..=2),
                    ("vpshldw", 2..=2),
                    (STACK, 0..=0),
                    (ANY, 1..=20),
                ],
            ),
        ],
    },
    Kernel {
        function: "byte_stream_split::driver::join",
        arguments: &["<8>"],
        loops: &[
            (
                Xmm,
                &[
                    ("punpckhbw", 12..=12),
                    ("punpcklbw", 12..=12),
                    (STACK, 0..=0),
                    (ANY, 1..=61),
                ],
            ),
            (
                Ymm,
                &[
                    ("vinserti128", 8..=8),
                    ("vperm2i128", 8..=8),
                    ("vpunpckhbw", 24..=24),
                    ("vpunpcklbw", 24..=24),
                    (STACK, 0..=0),
                    (ANY, 1..=108),
                ],
            ),
            (
                Zmm,
                &[
                    ("vpblendmb", 4..=4),
                    ("vpblendmd", 4..=4),
                    ("vpblendmw", 4..=4),
                    ("vpermb", 8..=8),
                    ("vpshldd", 4..=4),
                    ("vpshldq", 4..=4),
                    ("vpshldw", 4..=4),
                    (STACK, 0..=0),
                    (ANY, 1..=51),
                ],
            ),
        ],
    },
];
