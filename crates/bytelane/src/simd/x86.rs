//! Code that all x86-64 instruction sets share: hints, the fence, and the size of the cache.
#![allow(unsafe_code)] // Instructions without a suitable intrinsic.

use crate::backend::x86::{cpuid, is_amd};
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// PREFETCHW: requests a cache line for writing. `address` need not be valid.
///
/// Rust's `_mm_prefetch` with `_MM_HINT_ET0` compiles to a prefetch for reading.
#[inline(always)]
pub(crate) fn prefetch_write(address: *const u8) {
    // SAFETY: a hint: it changes no register and no memory, and faults on no address. CPUs
    // without it, all of them before 2013, execute it as a no-op.
    #[cfg(not(miri))]
    unsafe {
        core::arch::asm!("prefetchw [{}]", in(reg) address, options(nostack, preserves_flags, readonly));
    }
    #[cfg(miri)]
    let _ = address;
}

/// Requests the cache line `distance` bytes after `from` for reading. There need not be any memory.
#[inline(always)]
pub(crate) fn prefetch_read(from: &[u8], distance: usize) {
    let address = from.as_ptr().wrapping_add(distance);
    // SAFETY: a hint: it changes no register and no memory, and faults on no address.
    #[cfg(not(miri))]
    unsafe {
        core::arch::x86_64::_mm_prefetch::<{ core::arch::x86_64::_MM_HINT_T0 }>(address.cast());
    }
    #[cfg(miri)]
    let _ = address;
}

/// Hides a mask from the compiler, which otherwise takes it apart, or computes it from its vector at each use.
#[inline(always)]
pub(crate) fn opaque_mask(mask: u64) -> u64 {
    #[allow(unused_mut, reason = "Miri knows no assembly")]
    let mut mask = mask;
    // SAFETY: no instruction at all.
    #[cfg(not(miri))]
    unsafe {
        core::arch::asm!("/* {} */", inout(reg) mask, options(pure, nomem, nostack, preserves_flags));
    }
    mask
}

/// Orders non-temporal stores before all later stores.
#[inline]
pub(crate) fn fence() {
    // SAFETY: SSE belongs to x86-64.
    unsafe { core::arch::x86_64::_mm_sfence() }
}

/// Returns the size of the last-level cache in bytes, as reported by CPUID: one load after the
/// first call.
#[inline]
pub(crate) fn last_level_cache() -> usize {
    static BYTES: AtomicUsize = AtomicUsize::new(0);
    match BYTES.load(Relaxed) {
        0 => {
            let bytes = ask_last_level_cache();
            BYTES.store(bytes, Relaxed);
            bytes
        }
        bytes => bytes,
    }
}

/// Walks the cache descriptors: leaf 4 (Intel), or 0x8000_001D in the same form (AMD).
#[cold]
fn ask_last_level_cache() -> usize {
    /// Size on a small desktop, used if CPUID reports nothing.
    const UNKNOWN: usize = 8 << 20;
    let leaf = if is_amd() { 0x8000_001D } else { 4 };
    if cpuid(leaf & 0x8000_0000, 0).eax < leaf {
        return UNKNOWN;
    }
    let mut largest = 0;
    for index in 0..8 {
        let cache = cpuid(leaf, index);
        if cache.eax & 0x1f == 0 {
            break;
        }
        let [ways, partitions, line] =
            [cache.ebx >> 22, cache.ebx >> 12 & 0x3ff, cache.ebx & 0xfff];
        let size = [ways, partitions, line, cache.ecx]
            .map(|field| field as usize + 1)
            .iter()
            .product();
        largest = usize::max(largest, size);
    }
    if largest == 0 { UNKNOWN } else { largest }
}
