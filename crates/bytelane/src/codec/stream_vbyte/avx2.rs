//! AVX2: the groups of SSE4.1, in instructions with three operands.

use super::sse41::{decode, encode, previous};
use super::{Blocks, Plan};
use crate::backend::{Avx2, avx2};
use crate::memory::Slot;
use core::arch::x86_64::*;

avx2! {
    impl Blocks for Avx2 {
        type Previous = __m128i;
        fn previous<P: Plan>(value: u64) -> __m128i = previous::<P>;
        fn decode<P: Plan>(codes: u32, data: &[u8; 80], values: &mut [Slot; 64], previous: &mut __m128i) -> usize = decode::<P>;
        fn encode<P: Plan>(values: &[u8; 64], before: &[u8; 64], data: &mut [Slot; 80]) -> (u32, usize) = encode::<P>;
    }
}
