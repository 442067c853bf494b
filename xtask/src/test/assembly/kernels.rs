//! The kernels whose instructions are counted: a new one is a row.
//!
//! A row states how often each shuffle occurs in the hot loop, that no register is spilled there,
//! and the most instructions of any kind. Where counts change because the kernel got better, the
//! failure prints the loops it found: put the new counts here.

use super::Register::{Xmm, Ymm, Zmm};
use super::{ANY, Kernel, STACK};

/// Every row.
pub const KERNELS: &[Kernel] = &[
    Kernel {
        symbol: "byte_stream_split::encode_fixed::inside::<2, bytelane::simd::Near>",
        widest: Xmm,
        counts: &[
            ("pshufb", 8..=8),
            ("punpckhqdq", 4..=4),
            ("punpcklqdq", 4..=4),
            (STACK, 0..=0),
            (ANY, 1..=43),
        ],
    },
    Kernel {
        symbol: "byte_stream_split::encode_fixed::inside::<4, bytelane::simd::Near>",
        widest: Xmm,
        counts: &[
            ("pshufb", 16..=16),
            ("punpckhdq", 16..=16),
            ("punpckldq", 16..=16),
            (STACK, 0..=0),
            (ANY, 1..=111),
        ],
    },
    Kernel {
        symbol: "byte_stream_split::encode_fixed::inside::<8, bytelane::simd::Near>",
        widest: Xmm,
        counts: &[
            ("pshufb", 64..=64),
            ("punpckhwd", 32..=32),
            ("punpcklwd", 64..=64),
            (STACK, 0..=0),
            (ANY, 1..=327),
        ],
    },
    Kernel {
        symbol: "byte_stream_split::encode_fixed::inside::<2, bytelane::simd::Near>",
        widest: Ymm,
        counts: &[
            ("vinserti128", 4..=4),
            ("vpblendd", 4..=4),
            ("vpshufb", 8..=8),
            (STACK, 0..=0),
            (ANY, 1..=30),
        ],
    },
    Kernel {
        symbol: "byte_stream_split::encode_fixed::inside::<4, bytelane::simd::Near>",
        widest: Ymm,
        counts: &[
            ("vinserti128", 8..=8),
            ("vpblendd", 8..=8),
            ("vpshufb", 16..=16),
            ("vpunpckhdq", 4..=4),
            ("vpunpckldq", 4..=4),
            (STACK, 0..=0),
            (ANY, 1..=66),
        ],
    },
    Kernel {
        symbol: "byte_stream_split::encode_fixed::inside::<8, bytelane::simd::Near>",
        widest: Ymm,
        counts: &[
            ("vinserti128", 16..=16),
            ("vpblendw", 16..=16),
            ("vpshufb", 32..=32),
            ("vpunpckhwd", 16..=16),
            ("vpunpcklwd", 16..=16),
            (STACK, 0..=0),
            (ANY, 1..=147),
        ],
    },
    Kernel {
        symbol: "byte_stream_split::encode_fixed::inside::<2, bytelane::simd::Near>",
        widest: Zmm,
        counts: &[
            ("vpermb", 2..=2),
            ("vpermt2d", 2..=2),
            (STACK, 0..=0),
            (ANY, 1..=11),
        ],
    },
    Kernel {
        symbol: "byte_stream_split::encode_fixed::inside::<4, bytelane::simd::Near>",
        widest: Zmm,
        counts: &[
            ("vpblendmd", 2..=2),
            ("vpermb", 4..=4),
            ("vpermt2d", 4..=4),
            (STACK, 0..=0),
            (ANY, 1..=23),
        ],
    },
    Kernel {
        symbol: "byte_stream_split::encode_fixed::inside::<8, bytelane::simd::Near>",
        widest: Zmm,
        counts: &[
            ("vpblendmd", 8..=8),
            ("vpermb", 8..=8),
            ("vpermt2d", 8..=8),
            (STACK, 0..=0),
            (ANY, 1..=52),
        ],
    },
    Kernel {
        symbol: "byte_stream_split::decode_fixed::inside::<2, bytelane::simd::Near>",
        widest: Xmm,
        counts: &[
            ("punpckhbw", 4..=4),
            ("punpcklbw", 4..=4),
            (STACK, 0..=0),
            (ANY, 1..=34),
        ],
    },
    Kernel {
        symbol: "byte_stream_split::decode_fixed::inside::<4, bytelane::simd::Near>",
        widest: Xmm,
        counts: &[
            ("punpckhbw", 16..=16),
            ("punpcklbw", 16..=16),
            (STACK, 0..=0),
            (ANY, 1..=93),
        ],
    },
    Kernel {
        symbol: "byte_stream_split::decode_fixed::inside::<8, bytelane::simd::Near>",
        widest: Xmm,
        counts: &[
            ("punpckhbw", 12..=12),
            ("punpcklbw", 12..=12),
            (STACK, 0..=0),
            (ANY, 1..=61),
        ],
    },
    Kernel {
        symbol: "byte_stream_split::decode_fixed::inside::<2, bytelane::simd::Near>",
        widest: Ymm,
        counts: &[
            ("vinserti128", 2..=2),
            ("vperm2i128", 2..=2),
            ("vpunpckhbw", 2..=2),
            ("vpunpcklbw", 2..=2),
            (STACK, 0..=0),
            (ANY, 1..=21),
        ],
    },
    Kernel {
        symbol: "byte_stream_split::decode_fixed::inside::<4, bytelane::simd::Near>",
        widest: Ymm,
        counts: &[
            ("vinserti128", 4..=4),
            ("vperm2i128", 4..=4),
            ("vpunpckhbw", 8..=8),
            ("vpunpcklbw", 8..=8),
            (STACK, 0..=0),
            (ANY, 1..=48),
        ],
    },
    Kernel {
        symbol: "byte_stream_split::decode_fixed::inside::<8, bytelane::simd::Near>",
        widest: Ymm,
        counts: &[
            ("vinserti128", 8..=8),
            ("vperm2i128", 8..=8),
            ("vpunpckhbw", 24..=24),
            ("vpunpcklbw", 24..=24),
            (STACK, 0..=0),
            (ANY, 1..=111),
        ],
    },
    Kernel {
        symbol: "byte_stream_split::decode_fixed::inside::<2, bytelane::simd::Near>",
        widest: Zmm,
        counts: &[
            ("vpblendmb", 2..=2),
            ("vpermb", 4..=4),
            ("vpshldw", 2..=2),
            (STACK, 0..=0),
            (ANY, 1..=19),
        ],
    },
    Kernel {
        symbol: "byte_stream_split::decode_fixed::inside::<4, bytelane::simd::Near>",
        widest: Zmm,
        counts: &[
            ("vpblendmb", 2..=2),
            ("vpblendmw", 1..=1),
            ("vpermb", 4..=4),
            ("vpshldd", 2..=2),
            ("vpshldw", 2..=2),
            (STACK, 0..=0),
            (ANY, 1..=21),
        ],
    },
    Kernel {
        symbol: "byte_stream_split::decode_fixed::inside::<8, bytelane::simd::Near>",
        widest: Zmm,
        counts: &[
            ("vpblendmb", 4..=4),
            ("vpblendmd", 3..=3),
            ("vpblendmw", 4..=4),
            ("vpermb", 8..=8),
            ("vpshldd", 4..=4),
            ("vpshldq", 4..=4),
            ("vpshldw", 4..=4),
            (STACK, 0..=0),
            (ANY, 1..=48),
        ],
    },
];
