//! Kernel steps of each instruction set.

#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
mod avx2;
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
mod avx512;
#[cfg(all(target_arch = "aarch64", target_endian = "little", feature = "neon"))]
mod neon;
#[cfg(all(target_arch = "x86_64", feature = "sse41"))]
mod sse41;
