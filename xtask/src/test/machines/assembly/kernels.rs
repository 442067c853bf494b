//! Kernels whose instructions are counted. To add one, add a row.
//!
//! A row states, for each instruction set, how often each shuffle occurs in the hot loop, how many
//! registers may be spilled there, and the maximum number of instructions of any kind. If counts
//! change because the kernel improved, the failure prints the loops found: put the new counts here.

use super::Register::{General, Xmm, Ymm, Zmm};
use super::{ANY, Counts, Kernel, Register, STACK};

/// Loops that look for special bytes in 256 bytes and copy these.
const CLEAN_RUN: &[(Register, Counts)] = &[
    (
        Ymm,
        &[
            ("vpminub", 8..=8),
            ("vpcmpeqb", 9..=9),
            (STACK, 0..=0),
            (ANY, 1..=72),
        ],
    ),
    (
        Zmm,
        &[
            ("vpermb", 4..=4),
            ("vpcmpnltub", 4..=4),
            (STACK, 0..=0),
            (ANY, 1..=39),
        ],
    ),
];

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

/// All rows.
pub const KERNELS: &[Kernel] = &[
    // The scalar backend in the published tables must not use vectors.
    Kernel {
        function: "byte_stream_split::scalar",
        arguments: &["split", "join"],
        loops: &[(General, &[(ANY, 1..=24)])],
    },
    Kernel {
        function: "big_endian::scalar",
        arguments: &["swap"],
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
                    (ANY, 1..=21),
                ],
            ),
            (
                Zmm,
                &[
                    ("vpblendmb", 2..=2),
                    ("vpermb", 4..=4),
                    ("vpshldw", 2..=2),
                    (STACK, 0..=0),
                    (ANY, 1..=19),
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
                    (ANY, 1..=48),
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
                    (ANY, 1..=110),
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
                    ("vpmulhuw", 8..=8),
                    ("vpmullw", 8..=8),
                    ("vpshufb", 16..=16),
                    (STACK, 0..=0),
                    (ANY, 1..=112),
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
    Kernel {
        function: "base64::decode_long",
        arguments: &[""],
        loops: &[
            (
                Xmm,
                &[
                    ("pmaddubsw", 1..=1),
                    ("pmaddwd", 1..=1),
                    ("pshufb", 5..=5),
                    (STACK, 0..=0),
                    (ANY, 1..=25),
                ],
            ),
            (
                Ymm,
                &[
                    ("vpmaddubsw", 8..=8),
                    ("vpmaddwd", 8..=8),
                    ("vpshufb", 40..=40),
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
    Kernel {
        function: "json_string::driver::escape_front_long",
        arguments: &[""],
        loops: CLEAN_RUN,
    },
    Kernel {
        function: "json_string::Blocks>::escape_from",
        arguments: &[""],
        loops: CLEAN_RUN,
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
    // Blocks of a short input: three tables for each vector, in the first block and in the others.
    Kernel {
        function: "utf8::text_up_to_long",
        arguments: &[""],
        loops: &[
            (Ymm, &[("vpshufb", 12..=12), (STACK, 0..=0), (ANY, 1..=125)]),
            (Zmm, &[("vpermb", 6..=6), (STACK, 0..=0), (ANY, 1..=72)]),
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
    Kernel {
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
    },
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
    // Search: four blocks at a time.
    Kernel {
        function: "alp::Steps<_>>::weigh_blocks",
        arguments: &["<4>"],
        loops: &[
            (
                Ymm,
                &[
                    ("vcvtps2dq", 8..=8),
                    ("vmulps", 32..=32),
                    ("vpminsd", 8..=8),
                    (STACK, 0..=0),
                    (ANY, 1..=186),
                ],
            ),
            (
                Zmm,
                &[
                    ("vcvtps2dq", 4..=4),
                    ("vmulps", 16..=16),
                    ("vpminsd", 4..=4),
                    (STACK, 0..=0),
                    (ANY, 1..=82),
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
                    ("vminpd", 8..=8),
                    ("vmulpd", 32..=32),
                    ("vroundpd", 8..=8),
                    (STACK, 0..=0),
                    (ANY, 1..=174),
                ],
            ),
            (
                Zmm,
                &[
                    ("vcvtpd2qq", 4..=4),
                    ("vmulpd", 16..=16),
                    ("vpminsq", 4..=4),
                    (STACK, 0..=0),
                    (ANY, 1..=82),
                ],
            ),
        ],
    },
];
