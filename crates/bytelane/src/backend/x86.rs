//! CPUID.
#![allow(unsafe_code)] // The instruction.

use core::arch::x86_64::CpuidResult;

/// Executes CPUID, which newer compilers no longer consider unsafe.
#[allow(
    unused_unsafe,
    reason = "it is unsafe in the oldest compiler that is supported"
)]
pub(crate) fn cpuid(leaf: u32, index: u32) -> CpuidResult {
    // SAFETY: every x86-64 CPU has the instruction.
    unsafe { core::arch::x86_64::__cpuid_count(leaf, index) }
}

/// Returns whether AMD made this CPU.
pub(crate) fn is_amd() -> bool {
    cpuid(0, 0).ebx == u32::from_le_bytes(*b"Auth")
}

/// Returns the family of this CPU with its extension, which is 0x19 for AMD's Zen 3 and 4 and 0x1a
/// for Zen 5.
#[cfg_attr(any(test, miri), allow(dead_code, reason = "tests detect no CPU"))]
pub(crate) fn family() -> u32 {
    let signature = cpuid(1, 0).eax;
    (signature >> 8 & 0xf) + (signature >> 20 & 0xff)
}
