//! Kernels of `alp`.

use super::super::Register::{Xmm, Ymm, Zmm};
use super::super::{ANY, Kernel, STACK};

pub const KERNELS: &[Kernel] = &[
    // Loops for small integers whose bits are shifted at once.
    Kernel {
        function: "alp::Decimal<_>>::blocks",
        arguments: &["<4, bytelane::codec::alp::SmallUsual>"],
        loops: &[
            (
                Xmm,
                &[
                    ("mulps", 8..=8),
                    ("pshufb", 8..=8),
                    (STACK, 0..=2),
                    (ANY, 1..=62),
                ],
            ),
            (
                Ymm,
                &[
                    ("vmulps", 4..=4),
                    ("vpshufb", 2..=2),
                    ("vpsrlvd", 2..=2),
                    (STACK, 0..=0),
                    (ANY, 1..=26),
                ],
            ),
            (
                Zmm,
                &[
                    ("vcvtdq2ps", 1..=1),
                    ("vmulps", 2..=2),
                    ("vpermb", 1..=1),
                    ("vpmultishiftqb", 1..=1),
                    (STACK, 0..=0),
                    (ANY, 1..=14),
                ],
            ),
        ],
    },
    Kernel {
        function: "alp::Decimal<_>>::blocks",
        arguments: &["<8, bytelane::codec::alp::SmallUsual>"],
        loops: &[
            (
                Xmm,
                &[
                    ("mulpd", 8..=8),
                    ("pshufb", 8..=8),
                    (STACK, 0..=3),
                    (ANY, 1..=62),
                ],
            ),
            (
                Ymm,
                &[
                    ("vmulpd", 4..=4),
                    ("vpshufb", 2..=2),
                    ("vpsrlvq", 2..=2),
                    (STACK, 0..=0),
                    (ANY, 1..=26),
                ],
            ),
            (
                Zmm,
                &[
                    ("vcvtqq2pd", 1..=1),
                    ("vmulpd", 2..=2),
                    ("vpermb", 1..=1),
                    ("vpmultishiftqb", 1..=1),
                    (STACK, 0..=0),
                    (ANY, 1..=14),
                ],
            ),
        ],
    },
    // Search: a block at a time, and a check after every other one.
    Kernel {
        function: "alp::Steps<_>>::weigh_blocks",
        arguments: &["<4>"],
        loops: &[
            (
                Ymm,
                &[
                    ("vcvtps2dq", 2..=2),
                    ("vmulps", 8..=8),
                    ("vminps", 2..=2),
                    (STACK, 0..=0),
                    (ANY, 1..=67),
                ],
            ),
            (
                Zmm,
                &[
                    ("vcvtps2dq", 1..=1),
                    ("vmulps", 4..=4),
                    ("vpminsd", 1..=1),
                    (STACK, 0..=0),
                    (ANY, 1..=37),
                ],
            ),
        ],
    },
    Kernel {
        function: "alp::Steps<_>>::weigh_blocks",
        arguments: &["<8>"],
        loops: &[
            (
                Ymm,
                &[
                    ("vminpd", 2..=2),
                    ("vmulpd", 6..=6),
                    ("vroundpd", 2..=2),
                    (STACK, 0..=0),
                    (ANY, 1..=62),
                ],
            ),
            (
                Zmm,
                &[
                    ("vcvtpd2qq", 1..=1),
                    ("vmulpd", 3..=3),
                    ("vpminsq", 1..=1),
                    (STACK, 0..=0),
                    (ANY, 1..=36),
                ],
            ),
        ],
    },
];
