//! Packing with 16-byte shuffles, for the instruction sets that have no larger ones.
//!
//! The values of each 8 bytes are joined to one number, and two such numbers make a piece of up to
//! 16 packed bytes. Each number is shifted to the bit in which it begins. Then one shuffle moves
//! its bytes to their positions. A byte in which a number ends and the next one begins gets the
//! bits of the next one, and a second shuffle adds those of the number before.
//!
//! ```text
//! numbers, shifted   a0 a1 a2 a3 .. .. .. ..   b0 b1 b2 b3 .. .. .. ..
//! first shuffle      a0 a1 a2 b0 b1 b2 b3
//! second shuffle     z3       a3               z is the number before the piece
//! ```
//!
//! Appending values one after the other in 64-bit registers ran at 0.05 to 0.07 of the speed of
//! `memcpy`; this ran at 0.32 (AVX2) and 0.14 (SSE4.1) when registers had the shuffles and shifts of
//! a width, as they still have with NEON. See `docs/lab-notes/bit-packing.md`.
//!
//! A shifted number may have nine bytes. The ninth is always such a shared byte. In that case, the
//! second shuffle has numbers of its own, shifted by one byte less.

#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
mod avx2;
#[cfg(all(target_arch = "x86_64", feature = "sse41"))]
pub(super) mod kernel;
#[cfg(all(target_arch = "aarch64", target_endian = "little", feature = "neon"))]
mod neon;
#[cfg(all(target_arch = "aarch64", target_endian = "little", feature = "neon"))]
mod numbers;
#[cfg(all(target_arch = "x86_64", feature = "sse41"))]
mod positions;
#[cfg(all(target_arch = "x86_64", feature = "sse41"))]
mod sse41;

#[cfg(all(target_arch = "aarch64", target_endian = "little", feature = "neon"))]
use numbers::{Numbers, needs_before};
