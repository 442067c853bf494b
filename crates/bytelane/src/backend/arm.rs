//! Detection on 32-bit ARM: what the kernel of Linux tells each process of its CPU.

use std::fs;
use std::vec::Vec;

/// Entry of the auxiliary vector with the features of the CPU, and its bit for NEON, from Linux's
/// `auxvec.h` and `hwcap.h`.
const AT_HWCAP: u32 = 16;
const HWCAP_NEON: u32 = 1 << 12;

/// Returns whether this CPU has NEON. Without `/proc`, as on other systems, it is not known, and the
/// answer is no.
pub(super) fn has_neon() -> bool {
    fs::read("/proc/self/auxv").is_ok_and(|vector| lists_neon(&vector))
}

/// Returns whether an auxiliary vector, pairs of a number and a value, lists NEON.
fn lists_neon(vector: &[u8]) -> bool {
    let words = vector
        .as_chunks()
        .0
        .iter()
        .map(|word| u32::from_ne_bytes(*word));
    let words: Vec<u32> = words.collect();
    let mut pairs = words.as_chunks().0.iter();
    pairs.any(|&[number, value]| number == AT_HWCAP && value & HWCAP_NEON != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neon_is_one_bit_of_one_entry() {
        let vector = |pairs: &[[u32; 2]]| -> Vec<u8> {
            let words = pairs.as_flattened().iter();
            words.flat_map(|word| word.to_ne_bytes()).collect()
        };
        assert!(lists_neon(&vector(&[
            [6, 4096],
            [AT_HWCAP, 0x1000],
            [0, 0]
        ])));
        assert!(lists_neon(&vector(&[[AT_HWCAP, u32::MAX]])));
        assert!(!lists_neon(&vector(&[
            [6, 0x1000],
            [AT_HWCAP, !0x1000],
            [0, 0]
        ])));
        assert!(!lists_neon(&vector(&[[26, 0x1000], [0x1000, AT_HWCAP]])));
        assert!(!lists_neon(&vector(&[[AT_HWCAP, 0x1000]])[..7]));
        assert!(!lists_neon(&[]));
    }
}
