//! Bit packing: integers with the same number of bits each, one directly after the other.
//!
//! Value `i` of width `w` starts at bit `i * w` of the bytes taken as one little-endian number, so
//! eight values take `w` bytes. Parquet packs levels, dictionary indices and differences this way.
//!
//! ```
//! use bytelane::bit_packing::Format;
//!
//! let format = Format::<u32>::new(3).expect("at most 32 bits");
//! let mut packed = [0; 3];
//! format.encode(&[0, 1, 2, 3, 4, 5, 6, 7], &mut packed)?;
//! assert_eq!(packed, [0b10_001_000, 0b1_100_011_0, 0b111_110_10]);
//!
//! let mut values = [0; 8];
//! assert_eq!(format.decode(&packed, &mut values)?, 3);
//! assert_eq!(values, [0, 1, 2, 3, 4, 5, 6, 7]);
//! # Ok::<(), bytelane::bit_packing::Error>(())
//! ```
//!
//! The number of values and their width are not stored: the caller says how many values it wants,
//! so no number in the input causes an allocation. The unused bits of the last byte are written as
//! zeros and ignored when read. With a width of 0, values take no bytes.
//!
//! [`Format::frame`] stores the differences from a smallest value, and [`Format::zigzag`] maps
//! small negative numbers to short ones; both happen within the kernels.
//!
//! All functions take time linear in the number of values. Functions on slices do not allocate. No
//! function reads or writes outside its slices, and none needs padding.
//!
//! Source: [parquet-format, Encodings.md](https://github.com/apache/parquet-format/blob/master/Encodings.md#RLE),
//! section "Run Length Encoding / Bit-Packing Hybrid".

// A map of the files, from the outside to the inside:
//
// Map of the files, from the outside to the inside:
//     integer.rs      the types of values, which choose K, their width in bytes
//     layout.rs       width, reference, zigzag; PLACES, the table of where eight values begin
//     error.rs        kinds of errors
//     claims.rs       proofs that the operations write what they claim
//     scalar.rs       the specification
//     few.rs          a few values, without a plan
//     kernel.rs       control flow: blocks, cases, tails. Start here
//     width.rs        widths as types
//     unpack/         unpacking with code for each width (AVX2 and SSE4.1)
//         places.rs       tables of where the values of a width lie
//     pack_with.rs    packing for delta, rle_hybrid and alp, which choose a layout first
//     arch/           one file per instruction set: a plan and a step, in each direction
//         avx512.rs       both directions: one permutation and one multishift
//         avx2.rs, sse41.rs, neon.rs      unpacking with a plan
//     pack/           packing for these three
//         kernel.rs       control flow of AVX2 and SSE4.1: a function for each width
//         positions.rs    what follows from a width: where the joined numbers lie, and which shuffles
//                         that takes
//         avx2.rs, sse41.rs
//         neon.rs         with the control flow of ../kernel.rs
//         numbers.rs      the same positions, for a width known at run time
//
// Unpacking (`Unpack`): a window of 80 packed bytes -> `plan` (shuffle, shift, mask) -> 64 bytes of
// values. Packing (`Pack`): 64 bytes of values -> subtract, join, shift, shuffle -> up to 64 packed
// bytes; `PackAt` is the same for a constant width. `Packs` is packing of any number of values, by
// either.

pub(crate) mod arch;
mod claims;
mod error;
mod few;
mod format;
mod integer;
mod kernel;
mod layout;
#[cfg(any(
    all(target_arch = "x86_64", feature = "sse41"),
    all(target_arch = "aarch64", target_endian = "little", feature = "neon")
))]
mod pack;
mod pack_with;
mod scalar;
#[cfg(test)]
mod tests;
#[cfg(all(target_arch = "x86_64", feature = "sse41"))]
mod unpack;
mod width;

pub use error::{Error, ErrorKind};
pub use format::Format;
pub(crate) use format::{Packing, Unpacking};
pub use integer::{Integer, SignedInteger};
pub(crate) use kernel::unpack_blocks;
pub(crate) use layout::{Layout, from_ne_bytes, low_bits, to_ne_bytes};
pub(crate) use pack_with::{Kernels, PackWith, Specification};
pub(crate) use scalar::{pack as pack_scalar, read};

use crate::backend::dispatch;
use crate::memory::{Lines, Slot};
use width::Width;

/// Number of packed bytes that a step may read: 64 for its block, and 16 after them, so that each
/// load is whole.
pub(crate) const WINDOW: usize = 80;

/// Class of layouts that a step handles, chosen once per run.
pub(crate) trait Case: Copy {
    /// True for layouts in which a value may extend beyond what the instruction set shifts at once.
    const WIDE: bool;
    const ZIGZAG: bool;
    /// True for layouts in which 32 bytes of values lie within 16 packed bytes, where that saves
    /// loads.
    #[cfg_attr(
        not(target_arch = "x86_64"),
        allow(dead_code, reason = "registers of NEON have 16 bytes")
    )]
    const NEAR: bool = false;
}

/// Any layout.
#[derive(Clone, Copy)]
pub(crate) struct Any;
impl Case for Any {
    const WIDE: bool = true;
    const ZIGZAG: bool = true;
}

/// Layouts without zigzag.
#[derive(Clone, Copy)]
pub(crate) struct Wide;
impl Case for Wide {
    const WIDE: bool = true;
    const ZIGZAG: bool = false;
}

/// Layouts without zigzag, in which each value lies within what the instruction set shifts at once.
#[derive(Clone, Copy)]
pub(crate) struct Usual;
impl Case for Usual {
    const WIDE: bool = false;
    const ZIGZAG: bool = false;
}

/// Unpacking operations of each instruction set, for values of `K` bytes.
pub(crate) trait Unpack<const K: usize>: Copy {
    /// Fewer values than this are handled one by one.
    const FEW: usize;

    /// Registers for one layout.
    type Plan;

    fn unpack_plan(self, layout: Layout) -> Self::Plan;

    /// Returns whether the steps called `Usual` can be used.
    fn is_usual(self, plan: &Self::Plan) -> bool;

    /// Returns whether steps called `NEAR` can be used, and are faster.
    #[inline(always)]
    fn is_near(self, plan: &Self::Plan) -> bool {
        let _ = plan;
        false
    }

    /// Unpacks values with a plan, or one by one. Where `BY_WIDTH` is set, it is compiled on its own:
    /// the choice of a width then needs no registers saved, nor memory for a plan.
    #[inline(always)]
    fn unpack_planned(self, layout: Layout, src: &[u8], dst: &mut [Slot]) {
        kernel::unpack_planned::<K, Self>(self, layout, src, dst);
    }

    /// True for instruction sets with code for each width: `unpack_width`.
    const BY_WIDTH: bool = false;

    /// Unpacks values of one width, without a mapping.
    #[inline(always)]
    fn unpack_width<W: Width>(self, layout: Layout, src: &[u8], dst: &mut [Slot]) {
        let _ = (layout, src, dst);
    }

    /// Unpacks 64 bytes of values from the front of a window.
    fn unpack<C: Case>(self, plan: &Self::Plan, from: &[u8; WINDOW], to: &mut [Slot; 64]);

    /// Unpacks values from the last bytes of the input.
    #[inline(always)]
    fn unpack_rest(self, plan: &Self::Plan, layout: Layout, src: &[u8], dst: &mut [Slot]) {
        kernel::unpack_rest::<K, Self>(self, plan, layout, src, dst);
    }
}

/// Packing operations of each instruction set, for values of `K` bytes, with at least 9 bits unless
/// `K` is 1.
pub(crate) trait Pack<const K: usize>: Copy {
    /// Fewer values than this are handled one by one.
    const FEW: usize;

    /// Registers for one layout, and the bits seen so far.
    type Plan: Copy;

    fn pack_plan(self, layout: Layout) -> Self::Plan;

    /// Returns whether the steps called `Usual` can be used.
    fn packs_usual(self, plan: &Self::Plan) -> bool;

    /// Packs 64 bytes of values. May overwrite the bytes after their packed bytes with anything.
    /// One-byte values must have fewer than 8 bits.
    fn pack<C: Case>(self, plan: &mut Self::Plan, from: &[u8; 64], to: &mut [Slot; 64]);

    /// Narrows 64 values of at most 8 bits to bytes.
    fn narrow(self, plan: &mut Self::Plan, from: &[[u8; 64]; K], to: &mut [u8; 64]);

    /// Same as [`narrow`](Self::narrow), for up to 64 values. The other bytes become zeros.
    #[inline(always)]
    fn narrow_up_to(self, plan: &mut Self::Plan, layout: Layout, from: &[u8], to: &mut [u8; 64]) {
        let Lines(blocks) = &mut Lines([[0; 64]; K]);
        kernel::pad::<K, K>(layout, from, blocks);
        self.narrow(plan, blocks, to);
    }

    /// Packs the values after the last block to exactly the bytes that they take.
    #[inline(always)]
    fn pack_rest(self, plan: &mut Self::Plan, layout: Layout, src: &[u8], dst: &mut [Slot]) {
        kernel::pack_rest::<K, Self>(self, plan, layout, src, dst);
    }

    /// Returns whether all values so far have no more bits than the width.
    fn all_fit(self, plan: &Self::Plan) -> bool;
}

/// Packing operations of instruction sets whose kernel is compiled for each width, for values of `K`
/// bytes.
#[cfg(all(target_arch = "x86_64", feature = "sse41"))]
pub(crate) trait PackAt<const K: usize>: Copy {
    /// Mapping of values to bits, and the bits seen so far.
    type Bits;

    fn bits(self, reference: u64) -> Self::Bits;

    /// Packs a block of values to exactly the bytes that they take.
    fn pack<W: Width>(self, bits: &mut Self::Bits, from: &[u8], to: &mut [Slot]);

    /// Returns whether all values so far have no more bits than the width.
    fn all_fit<W: Width>(self, bits: &Self::Bits) -> bool;

    /// Maps 64 bytes of values by zigzag.
    fn zigzag(self, from: &[u8; 64], to: &mut [u8; 64]);

    /// Packs values by zigzag to exactly the bytes that they take. Returns whether all of them fit.
    fn pack_zigzag(self, layout: Layout, src: &[u8], dst: &mut [Slot]) -> bool;

    /// Packs whole blocks, and a rest in another way. It is compiled on its own, so that others need no
    /// registers saved.
    fn pack_with_rest(self, layout: Layout, src: &[u8], dst: &mut [Slot]) -> bool;

    /// Packs whole blocks to exactly the bytes that they take. Returns whether all values fit.
    fn pack_at<W: Width>(self, reference: u64, src: &[u8], dst: &mut [Slot]) -> bool;
}

/// Packing of any number of `K`-byte values.
pub(crate) trait Packs<const K: usize>: Copy {
    /// Packs values to exactly the bytes that they take. Returns whether all of them fit.
    fn pack(self, layout: Layout, src: &[u8], dst: &mut [Slot]) -> bool;

    /// Same as `pack`, for whole blocks of values that fit, and a destination with at least 64 bytes
    /// more than they take, which may be overwritten.
    #[inline(always)]
    fn pack_whole(self, layout: Layout, src: &[u8], dst: &mut [Slot]) {
        self.pack(layout, src, dst);
    }
}

dispatch! {
    fn unpack<const K: usize>(layout: Layout, src: &[u8], dst: &mut [Slot]) = kernel::unpack::<K, _>, or scalar::unpack::<K>;
    fn pack<const K: usize>(layout: Layout, src: &[u8], dst: &mut [Slot]) -> bool = Packs::<K>::pack, or scalar::pack::<K>;
}
