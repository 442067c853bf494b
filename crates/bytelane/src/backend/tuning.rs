//! Facts about CPUs beyond their instruction sets: one table, from which the first call chooses.
//!
//! A newer instruction set is not faster in everything on every CPU. Each field of [`Tuning`] is a
//! choice that depends on the CPU, with the source of the fact and the benchmark that shows it. A
//! field of the type [`Backend`] is the best one for a piece of work: calls on a better one run it
//! instead. On a CPU that is not in the table, each backend runs its own kernels.
//!
//! A test of `xtask` holds the table against the records of all CPUs: no backend is slower than the
//! next lower one. `docs/lab-notes/tuning.md` has the figures.
#![forbid(unsafe_code)]

#[cfg(all(target_arch = "x86_64", not(test), not(miri)))]
use super::x86;
use super::{Backend, Detected};
use core::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// Size in bytes up to which source and destination share a first-level cache of 48 KiB: the destination
/// is near on every CPU.
pub(crate) const NEAR_BYTES: usize = 20 * 1024;

/// Choices that depend on the CPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tuning {
    /// Best backend to decode varints of 32-bit integers.
    ///
    /// With AVX-512, sixteen varints pass through three permutations of bytes, which depend on a
    /// compression. Zen 4 and 5 take longer for these than AVX2 does for a shuffle in each lane: 1.2
    /// to 1.5 times. `cargo xtask peers varint --operation decode`.
    pub decode_varint32: Backend,
    /// Best backend to unpack bits to values of four or eight bytes, or up to 64 values of one or two bytes.
    ///
    /// AVX2 has code for each width, AVX-512 fills registers for a width at the start. On Zen 4, whose units
    /// have 32 bytes, AVX-512 takes 1.05 to 1.6 times as long for up to 128 values, and 0.83 to 1.7 for more;
    /// for up to 64 values of one and two bytes 1.0 to 1.3 times, and 0.55 to 0.9 for 2,048 of one byte.
    /// `cargo xtask peers bit_packing --operation decode`.
    pub unpack: Backend,
    /// Best backend to split 512 values of 16 bytes or more.
    ///
    /// With AVX-512, a block is 16 vectors, which took Zen 5 1.1 to 1.7 times as long as AVX2, with the 31
    /// orders that a kernel had before this one. `cargo xtask peers byte_stream_split --operation encode`.
    pub split16: Backend,
    /// Size in bytes of values of two bytes from which AVX2 swaps and joins them best.
    ///
    /// Loads of 64 bytes that cross cache lines wait longer than those of 32 bytes: for the second-level
    /// cache Zen 5 takes 1.05 to 1.15 times as long with AVX-512, and Zen 4 takes 1.02 to 1.15 times as long
    /// everywhere. `bytelane bench codec big_endian`, `bytelane bench codec byte_stream_split`.
    pub two_bytes_from: usize,
    /// Size in bytes of a destination up to which stores do not request their lines ahead (PREFETCHW).
    ///
    /// Requests make up for what stores wait for outer caches. Where they need not wait, requests cost: on
    /// Zen 4 up to a fifth in any cache, on Zen 5 up to 8% in the second-level cache, beyond which they gain
    /// up to 30%. `cargo xtask peers byte_stream_split`.
    pub near_bytes: usize,
    /// True to pack four vectors with three permutations of two vectors each, for three stores of 64
    /// bytes instead of four that overlap, beyond the first-level cache.
    ///
    /// Such a permutation (`vpermt2b`) is one operation on Zen 5 and three on Intel's CPUs
    /// (uops.info), where the fourth store is cheaper. Decoding 64 KiB of base64 takes 0.9 of the
    /// time on Zen 5. `cargo xtask peers base64 --operation decode`.
    pub fewer_stores: bool,
    /// True to encode base64 with AVX-512 by a multishift (`vpmultishiftqb`) in each vector, instead of two shifts
    /// and a merge in three of four.
    ///
    /// The shifts make three instructions of one, but leave Intel's CPUs the one port that permutes bytes. Zen 4 has
    /// no such port: 4 KiB take 0.85 of the time with multishifts. `cargo xtask peers base64 --operation encode`.
    pub fewer_shifts: bool,
    /// Distance in bytes at which expansions of 64 bytes request the data that follow; 0 to request none.
    ///
    /// Loads of 64 bytes that cross cache lines, at distances that vary, do not make Zen 5 load ahead: it decodes
    /// 10 million values of Stream VByte in half of the time with requests, Zen 4 in 1.15 of it.
    /// `cargo xtask peers stream_vbyte --operation decode`.
    pub expand_ahead: usize,
}

impl Tuning {
    /// Choices on CPUs about which nothing is known.
    const NEUTRAL: Self = Self {
        decode_varint32: Backend::BEST,
        unpack: Backend::BEST,
        split16: Backend::BEST,
        two_bytes_from: usize::MAX,
        near_bytes: NEAR_BYTES,
        fewer_stores: false,
        fewer_shifts: false,
        expand_ahead: 1024,
    };
}

/// A family of CPUs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Cpu {
    /// Any CPU that is none of the others.
    Other = 1,
    /// AMD's family 19h with AVX-512.
    Zen4,
    /// AMD's family 1Ah.
    Zen5,
}

impl Cpu {
    /// All families, with the names that records have.
    pub const ALL: [(&str, Cpu); 3] = [
        ("sapphire-rapids", Cpu::Other),
        ("zen4", Cpu::Zen4),
        ("zen5", Cpu::Zen5),
    ];

    /// Returns the choices on a CPU.
    #[must_use]
    #[inline]
    pub const fn tuning(self) -> &'static Tuning {
        const ZEN4: Tuning = Tuning {
            decode_varint32: Backend::Avx2,
            unpack: Backend::Avx2,
            two_bytes_from: MANY,
            near_bytes: usize::MAX,
            fewer_shifts: true,
            expand_ahead: 0,
            ..Tuning::NEUTRAL
        };
        const ZEN5: Tuning = Tuning {
            decode_varint32: Backend::Avx2,
            unpack: Backend::BEST,
            split16: Backend::Avx2,
            // Twice that exceeds a first-level cache of 48 KiB by far.
            two_bytes_from: 48 * 1024,
            // Source and destination share a second-level cache of 1 MiB.
            near_bytes: 512 * 1024,
            fewer_stores: true,
            fewer_shifts: false,
            expand_ahead: 1024,
        };
        match self {
            Cpu::Other => &Tuning::NEUTRAL,
            Cpu::Zen4 => &ZEN4,
            Cpu::Zen5 => &ZEN5,
        }
    }

    /// Returns the CPU of this machine, or what [`Cpu::assume`] set: one load after the first call.
    #[must_use]
    #[inline]
    pub fn this() -> Self {
        match CPU.load(Relaxed) {
            0 => Self::detect(),
            2 => Cpu::Zen4,
            3 => Cpu::Zen5,
            _ => Cpu::Other,
        }
    }

    /// Makes all later calls choose as on this CPU, for tests and measurements: with `Other`, each
    /// backend runs its own kernels.
    pub fn assume(self) {
        CPU.store(self as u8, Relaxed);
    }

    /// Queries the CPU. The tests of this crate must reach the kernels of every backend.
    #[cold]
    fn detect() -> Self {
        #[cfg(all(target_arch = "x86_64", not(test), not(miri)))]
        let cpu = match (x86::is_amd(), x86::family()) {
            (true, 0x19) => Cpu::Zen4,
            (true, 0x1a) => Cpu::Zen5,
            _ => Cpu::Other,
        };
        #[cfg(not(all(target_arch = "x86_64", not(test), not(miri))))]
        let cpu = Cpu::Other;
        cpu.assume();
        cpu
    }
}

/// Size in bytes of values of two bytes from which their backend depends on the CPU: asking takes longer
/// than what shorter ones could gain.
pub(crate) const MANY: usize = 4 * 1024;

/// Returns the backend to swap or join values of two bytes.
#[inline]
pub(crate) fn for_two_bytes(backend: Detected, bytes: usize) -> Detected {
    match bytes {
        MANY.. if bytes >= tuning().two_bytes_from => backend.at_most(Backend::Avx2),
        _ => backend,
    }
}

/// The CPU that calls choose for; 0 until the first of them.
static CPU: AtomicU8 = AtomicU8::new(0);

/// Returns the choices on this machine.
#[inline]
pub(crate) fn tuning() -> &'static Tuning {
    Cpu::this().tuning()
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::*;
    use crate::byte_stream_split::{self, Width};
    use crate::{base64, big_endian, bit_packing, varint};
    use alloc::vec;
    use alloc::vec::Vec;

    /// More than any size from which a choice depends on the CPU.
    const BYTES: usize = (2 << 20) + 160;

    /// Runs what a choice concerns, on every backend. Returns all results.
    fn results() -> Vec<(Vec<u8>, Vec<u32>, Vec<u8>)> {
        let bytes: Vec<u8> = (0..16 * 2000_u32)
            .map(|i| (i.wrapping_mul(i) / 7) as u8)
            .collect();
        let numbers: Vec<u32> = (0..700_u32)
            .map(|i| i.wrapping_mul(0x9e37_79b9) >> (i % 31))
            .collect();
        let (text, varints) = (
            base64::STANDARD.encode_to_string(&bytes[..25_000]),
            varint::encode_to_vec(&numbers),
        );
        let run = |backend| {
            let backend = Detected::new(backend).unwrap();
            let (mut streams, mut values) = (Vec::new(), vec![0; numbers.len()]);
            let mut decoded = vec![0; 25_000];
            varint::decode_with(backend, &varints, &mut values[..]).unwrap();
            base64::STANDARD
                .decode_with(backend, &text, &mut decoded[..])
                .unwrap();
            assert!(values == numbers && decoded == bytes[..25_000]);
            let bits = bit_packing::Format::<u32>::new(7).unwrap();
            bits.decode_with(backend, &bytes, &mut values[..]).unwrap();
            let malformed = text.replacen('A', "!", 1);
            base64::STANDARD
                .decode_with(backend, malformed, &mut decoded[..])
                .unwrap_err();
            let (mut swapped, mut joined) = (vec![0u16; BYTES / 2], vec![0u16; BYTES / 2]);
            let pairs: Vec<u8> = (0..BYTES as u64).map(|i| (i * i / 7) as u8).collect();
            big_endian::decode_with(backend, &pairs, &mut swapped[..]).unwrap();
            byte_stream_split::decode_with(backend, &pairs, &mut joined[..]).unwrap();
            swapped.extend(joined);
            for width in [8, 16].map(|width| Width::new(width).unwrap()) {
                for values in [&bytes, &pairs] {
                    let mut moved = vec![0; values.len()];
                    width.encode_with(backend, values, &mut moved[..]).unwrap();
                    streams.extend_from_slice(&moved);
                    width.decode_with(backend, values, &mut moved[..]).unwrap();
                    streams.extend_from_slice(&moved);
                }
            }
            streams.extend(swapped.iter().flat_map(|value| value.to_le_bytes()));
            (streams, values, decoded)
        };
        Backend::available().map(run).collect()
    }

    /// Other tests of the process run meanwhile, with the same results.
    #[test]
    #[cfg_attr(miri, ignore = "long inputs query the size of the cache")]
    fn every_choice_gives_the_same_results() {
        Cpu::Other.assume();
        let expected = results();
        for (name, cpu) in Cpu::ALL {
            cpu.assume();
            assert_eq!(Cpu::this(), cpu);
            let results = results();
            for (result, expected) in results.iter().zip(&expected) {
                assert!(result.0 == expected.0 && result.1 == expected.1, "{name}");
            }
        }
        Cpu::Other.assume();
    }

    #[test]
    fn a_better_backend_gives_work_to_the_best_one_for_it() {
        for backend in Backend::available() {
            let detected = Detected::new(backend).unwrap();
            for most in Backend::available() {
                assert_eq!(*detected.at_most(most), backend.min(most));
            }
            assert_eq!(detected.at_most(Backend::BEST), detected);
        }
    }
}
