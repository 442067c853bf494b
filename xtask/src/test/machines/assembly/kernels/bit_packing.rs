//! Kernels of `bit_packing`, in both directions: with a plan, and at one width.

use super::super::Register::{Xmm, Ymm, Zmm};
use super::super::{ANY, Counts, Kernel, Register, STACK};

/// Loop of SSE4.1 that multiplies to shift.
const UNPACK_XMM: (Register, Counts) = (
    Xmm,
    &[
        ("pmulhuw", 4..=4),
        ("pmullw", 4..=4),
        ("pshufb", 8..=8),
        (STACK, 0..=1),
        (ANY, 1..=54),
    ],
);

/// Loop of AVX-512 that shifts all values of a vector at once.
const UNPACK_ZMM: (Register, Counts) = (
    Zmm,
    &[
        ("vpermb", 1..=1),
        ("vpmultishiftqb", 1..=1),
        (STACK, 0..=0),
        (ANY, 1..=16),
    ],
);

pub const KERNELS: &[Kernel] = &[
    // Loops for layouts without zigzag whose values are shifted at once.
    Kernel {
        function: "bit_packing::unpack",
        arguments: &["<4>", "<8>"],
        loops: &[UNPACK_ZMM],
    },
    Kernel {
        function: "bit_packing::Unpack<_>>::unpack_planned",
        arguments: &["<4>"],
        loops: &[
            UNPACK_XMM,
            (
                Ymm,
                &[
                    ("vinserti128", 2..=2),
                    ("vpshufb", 2..=2),
                    ("vpsrlvd", 2..=2),
                    (STACK, 0..=0),
                    (ANY, 1..=25),
                ],
            ),
        ],
    },
    Kernel {
        function: "bit_packing::Unpack<_>>::unpack_planned",
        arguments: &["<8>"],
        loops: &[
            UNPACK_XMM,
            (
                Ymm,
                &[
                    ("vinserti128", 2..=2),
                    ("vpshufb", 2..=2),
                    ("vpsrlvq", 2..=2),
                    (STACK, 0..=0),
                    (ANY, 1..=25),
                ],
            ),
        ],
    },
    // Unpacking at one width, with constant shuffles.
    Kernel {
        function: "bit_packing::Unpack<_>>::unpack_width",
        arguments: &["<4, bytelane::codec::bit_packing::width::Bits<13>>"],
        loops: &[
            (Xmm, &[("pshufb", 8..=8), (STACK, 0..=0), (ANY, 1..=60)]),
            (Ymm, &[("vpshufb", 4..=4), (STACK, 0..=0), (ANY, 1..=30)]),
        ],
    },
    Kernel {
        function: "bit_packing::Unpack<_>>::unpack_width",
        arguments: &["<8, bytelane::codec::bit_packing::width::Bits<33>>"],
        loops: &[
            (Xmm, &[("pshufb", 1..=1), (STACK, 0..=0), (ANY, 1..=36)]),
            (Ymm, &[("vpshufb", 2..=2), (STACK, 0..=0), (ANY, 1..=25)]),
        ],
    },
    // Values of up to 8 bits: narrowed to bytes, which are packed.
    Kernel {
        function: "bit_packing::pack",
        arguments: &["<4>"],
        loops: &[(
            Zmm,
            &[
                ("vpermt2b", 2..=2),
                ("vpermb", 1..=1),
                ("vpsrlvw", 1..=1),
                (STACK, 0..=7),
                (ANY, 1..=59),
            ],
        )],
    },
    Kernel {
        function: "bit_packing::pack",
        arguments: &["<4>"],
        loops: &[(
            Zmm,
            &[
                ("vpermb", 2..=2),
                ("vpsllvq", 1..=1),
                ("vpsrlvq", 1..=1),
                (STACK, 0..=0),
                (ANY, 1..=22),
            ],
        )],
    },
    Kernel {
        function: "bit_packing::pack",
        arguments: &["<8>"],
        loops: &[(
            Zmm,
            &[
                ("vpermb", 2..=2),
                ("vpsllvq", 1..=1),
                (STACK, 0..=0),
                (ANY, 1..=20),
            ],
        )],
    },
    // Packing at one width, with constant shuffles: as words, and as 8-byte values.
    Kernel {
        function: "bit_packing::PackAt<_>>::pack_at",
        arguments: &["<4, bytelane::codec::bit_packing::width::Bits<13>>"],
        loops: &[
            (Xmm, &[("pshufb", 3..=3), (STACK, 0..=0), (ANY, 1..=45)]),
            (Ymm, &[("vpshufb", 2..=2), (STACK, 0..=0), (ANY, 1..=20)]),
        ],
    },
    Kernel {
        function: "bit_packing::PackAt<_>>::pack_at",
        arguments: &["<8, bytelane::codec::bit_packing::width::Bits<33>>"],
        loops: &[
            (Xmm, &[("pshufb", 4..=4), (STACK, 0..=0), (ANY, 1..=58)]),
            (Ymm, &[("vpshufb", 3..=3), (STACK, 0..=0), (ANY, 1..=26)]),
        ],
    },
];
