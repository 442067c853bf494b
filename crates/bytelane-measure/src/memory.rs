//! The few steps that need `unsafe`: flushing cache lines, copying past the caches, and hiding a
//! value from the optimiser.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use crate::buffer::PAGE;

/// Size in bytes of a cache line on the CPUs that [`evict`] flushes line by line.
#[cfg(target_arch = "x86_64")]
const LINE: usize = 64;

/// Drops `bytes` from every level of cache.
///
/// x86-64 flushes line by line (`clflushopt`, or `clflush` if the CPU lacks it). Elsewhere, a walk
/// over a buffer twice as large as the last-level cache displaces them, which takes longer and is
/// less thorough.
#[cfg(target_arch = "x86_64")]
pub fn evict(bytes: &[u8]) {
    use core::arch::x86_64::_mm_mfence;
    let flush = if has_clflushopt() {
        flush_line_weakly_ordered
    } else {
        flush_line
    };
    bytes.chunks(LINE).for_each(flush);
    // A slice that does not start at a line boundary may extend into one line more than it has
    // chunks.
    bytes.rchunks(1).take(1).for_each(flush);
    // SAFETY: mfence is part of x86-64 and takes no operands.
    unsafe { _mm_mfence() };
}

#[cfg(target_arch = "x86_64")]
fn has_clflushopt() -> bool {
    static FOUND: std::sync::LazyLock<bool> = std::sync::LazyLock::new(|| {
        let features = raw_cpuid::CpuId::new().get_extended_feature_info();
        features.is_some_and(|features| features.has_clflushopt())
    });
    *FOUND
}

/// Flushes the line of the first byte, one after the other: 100 ns each.
#[cfg(target_arch = "x86_64")]
fn flush_line(bytes: &[u8]) {
    // SAFETY: clflush is part of x86-64 and the address comes from a live slice. It only writes
    // modified lines back, so no value in memory changes.
    unsafe { core::arch::x86_64::_mm_clflush(bytes.as_ptr()) };
}

/// Does the same without waiting for the previous flush: 20 times as fast. For CPUs with
/// `clflushopt`.
#[cfg(target_arch = "x86_64")]
fn flush_line_weakly_ordered(bytes: &[u8]) {
    assert!(has_clflushopt());
    // SAFETY: the CPU has the instruction, as just asserted, and the address comes from a live
    // slice. It only writes modified lines back, so no value in memory changes.
    unsafe {
        core::arch::asm!("clflushopt [{}]", in(reg) bytes.as_ptr(), options(nostack, preserves_flags));
    }
}

/// Drops `bytes` from every level of cache.
///
/// x86-64 flushes line by line (`clflushopt`, or `clflush` if the CPU lacks it). Elsewhere, a walk
/// over a buffer twice as large as the last-level cache displaces them, which takes longer and is
/// less thorough.
#[cfg(not(target_arch = "x86_64"))]
pub fn evict(bytes: &[u8]) {
    use std::sync::{LazyLock, Mutex};
    static SWEEP: LazyLock<Mutex<Vec<u8>>> =
        LazyLock::new(|| Mutex::new(vec![1; 2 * crate::cpu::last_level_cache_bytes() as usize]));
    core::hint::black_box(bytes);
    let mut sweep = SWEEP
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    for byte in sweep.iter_mut().step_by(32) {
        *byte = byte.wrapping_add(1);
    }
    core::hint::black_box(&mut *sweep);
}

/// Copies `from` to `to` with stores that bypass the caches, if the architecture has them and this
/// crate uses them (x86-64). Returns whether it did; `to` is unchanged if not.
///
/// It is the second limit besides `memcpy` for data that is not in cache: the C library's copy
/// streams only above a share of the last-level cache, which large servers never reach.
///
/// # Panics
/// If the lengths differ.
#[must_use]
pub fn copy_non_temporal(from: &[u8], to: &mut [u8]) -> bool {
    assert_eq!(
        from.len(),
        to.len(),
        "a copy needs as much room as it has bytes"
    );
    #[cfg(target_arch = "x86_64")]
    {
        // A streaming store must be aligned: copy up to the first boundary, and the rest, with
        // plain stores.
        let head = to.as_ptr().align_offset(LINE).min(to.len());
        let (from_head, from) = from.split_at(head);
        let (to_head, to) = to.split_at_mut(head);
        let (from_lines, from_tail) = from.as_chunks::<LINE>();
        let (to_lines, to_tail) = to.as_chunks_mut::<LINE>();
        to_head.copy_from_slice(from_head);
        stream_lines(from_lines, to_lines);
        to_tail.copy_from_slice(from_tail);
    }
    cfg!(target_arch = "x86_64")
}

/// Copies whole lines, from four pages in turn: a single stream of reads would leave half of the
/// memory bandwidth unused.
#[cfg(target_arch = "x86_64")]
fn stream_lines(from: &[[u8; LINE]], to: &mut [[u8; LINE]]) {
    const LINES: usize = PAGE / LINE;
    let (from_groups, from_rest) = from.as_chunks::<{ 4 * LINES }>();
    let (to_groups, to_rest) = to.as_chunks_mut::<{ 4 * LINES }>();
    for (from, to) in from_groups.iter().zip(to_groups) {
        for line in 0..LINES {
            for page in 0..4 {
                stream_line(&from[page * LINES + line], &mut to[page * LINES + line]);
            }
        }
    }
    for (from, to) in from_rest.iter().zip(to_rest) {
        stream_line(from, to);
    }
    // SAFETY: sfence is part of x86-64 and takes no operands.
    unsafe { core::arch::x86_64::_mm_sfence() };
}

/// Streams one line. A fence is needed before anything may rely on the order of its stores.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn stream_line(from: &[u8; LINE], to: &mut [u8; LINE]) {
    use core::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};
    for (from, to) in from
        .as_chunks::<16>()
        .0
        .iter()
        .zip(to.as_chunks_mut::<16>().0)
    {
        let to = to.as_mut_ptr().cast::<__m128i>();
        assert!(to.is_aligned());
        // SAFETY: SSE2 is part of x86-64 and `from` is 16 readable bytes.
        let value = unsafe { _mm_loadu_si128(from.as_ptr().cast()) };
        // SAFETY: `to` is 16 writable bytes that we borrow exclusively, aligned as just asserted;
        // the caller's fence orders the store before later accesses.
        unsafe { _mm_stream_si128(to, value) };
    }
}

/// Returns `value` through a register that the optimiser cannot see through, so that a loop around
/// it handles one value at a time: the unvectorised baseline of published tables.
///
/// Unlike [`core::hint::black_box`], it does not go through memory.
#[inline(always)]
#[must_use]
pub fn opaque(value: u64) -> u64 {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    {
        let mut value = value;
        // SAFETY: no instruction, only a comment in the assembly; the register keeps its value.
        unsafe {
            core::arch::asm!("/* {0} */", inout(reg) value,
                options(pure, nomem, nostack, preserves_flags));
        }
        value
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    core::hint::black_box(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eviction_changes_no_byte() {
        let bytes: Vec<u8> = (0..1000).map(|i| i as u8).collect();
        let copy = bytes.clone();
        for start in [0, 1, 63, 64, 999, 1000] {
            evict(&bytes[start..]);
        }
        assert_eq!(bytes, copy);
    }

    #[test]
    fn non_temporal_copies_every_length_and_offset() {
        let from: Vec<u8> = (0..40_000).map(|i| (i * 7) as u8).collect();
        for offset in [0, 1, 15, 16, 63, 64, 69] {
            for length in [0, 1, 15, 16, 63, 64, 65, 200, 16_384, 17_001, 33_000] {
                let mut to = vec![0xee; 40_000];
                let done =
                    copy_non_temporal(&from[3..3 + length], &mut to[offset..offset + length]);
                assert_eq!(done, cfg!(target_arch = "x86_64"));
                if done {
                    assert_eq!(to[offset..offset + length], from[3..3 + length]);
                    assert!(
                        to[..offset]
                            .iter()
                            .chain(&to[offset + length..])
                            .all(|&b| b == 0xee)
                    );
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "as much room")]
    fn non_temporal_copy_refuses_unequal_lengths() {
        let _ = copy_non_temporal(&[1, 2], &mut [0]);
    }

    #[test]
    fn opaque_is_the_identity() {
        assert!(
            [0, 1, 255, u64::MAX]
                .iter()
                .all(|&value| opaque(value) == value)
        );
    }
}
