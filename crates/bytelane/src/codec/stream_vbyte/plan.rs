//! Parameters of a kernel: a layout with its tables, and a transform.
#![forbid(unsafe_code)]

use super::coding::{Coding, Transform, Variant};
use crate::simd::{Near, Shuffle, Stride, Writes, window};
use core::marker::PhantomData;

/// Parameters of a kernel.
///
/// Kernels work on *blocks* of 64 bytes of values, 16 or 8 values whose codes form one number. A
/// block is four *groups* of 16 bytes, the reach of a table shuffle.
pub(crate) trait Plan: Copy {
    /// Number of bytes in a value.
    const WIDTH: usize;

    /// Number of values in a block.
    const VALUES: usize = 64 / Self::WIDTH;
    /// Number of control bytes of a block.
    const CONTROLS: usize = 16 / Self::WIDTH;
    /// Number of bits of the codes of a group.
    const GROUP_BITS: usize = 32 / Self::WIDTH;

    /// Returns all of these parameters in short form.
    fn coding(self) -> Coding;
    /// Returns the transform of the values.
    fn transform(self) -> Transform;
    /// Returns whether a zero has no data.
    fn zeros(self) -> bool;

    /// Returns one bit for each stored byte of the values: for the codes of two 4-byte values, or
    /// for the code of one 8-byte value, whatever the two bits above it are.
    #[cfg_attr(
        not(target_arch = "x86_64"),
        allow(dead_code, reason = "NEON shuffles instead")
    )]
    fn kept(self) -> &'static [u8; 16];

    /// Returns whether each value is stored as its difference from the previous one.
    #[inline(always)]
    fn delta(self) -> bool {
        self.transform().delta()
    }

    /// Returns whether zigzag moves the sign to the lowest bit.
    #[inline(always)]
    fn zigzag(self) -> bool {
        self.transform().zigzag()
    }

    /// Returns the length of the data of a zero, in bytes.
    #[inline(always)]
    fn shortest(self) -> usize {
        usize::from(!self.zeros())
    }

    /// Returns the codes of group `i`, from those of its block.
    #[inline(always)]
    fn group(codes: u32, i: usize) -> usize {
        codes as usize >> (i * Self::GROUP_BITS) & ((1 << Self::GROUP_BITS) - 1)
    }

    /// Returns whether all values of these control bytes have one byte each. The control bytes are
    /// those of four blocks or a multiple of four.
    #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
    #[inline(always)]
    fn all_ones(self, controls: &[u8]) -> bool {
        let ones = if self.zeros() { u64::MAX / 3 } else { 0 };
        let mut others = 0;
        for eight in controls.as_chunks::<8>().0 {
            others |= u64::from_ne_bytes(*eight) ^ ones;
        }
        others == 0
    }

    /// Returns whether all values of four blocks have one byte each, from their codes.
    #[inline(always)]
    fn are_ones(self, codes: [u64; 2]) -> bool {
        let ones = if self.zeros() { u64::MAX / 3 } else { 0 };
        codes[0] ^ ones | codes[1] ^ ones == 0
    }

    /// Returns whether all values of a block have one byte each, from their codes.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn is_of_ones(self, codes: u32) -> bool {
        codes == if self.zeros() { u32::MAX / 3 } else { 0 }
    }

    /// Returns the codes of four blocks, from their control bytes: those of two blocks, or of all four, in
    /// one number. With 8-byte values, the second number is 0.
    #[inline(always)]
    fn codes_of_four(controls: &[u8]) -> [u64; 2] {
        let word = |at| u64::from_le_bytes(*window(controls, at));
        match Self::CONTROLS {
            4 => [word(0), word(8)],
            _ => [word(0), 0],
        }
    }

    /// Returns the codes of block `i` of four.
    #[inline(always)]
    fn codes_of_block(codes: [u64; 2], i: usize) -> u32 {
        match Self::CONTROLS {
            4 => (codes[i / 2] >> (32 * (i % 2))) as u32,
            _ => (codes[0] >> (16 * i)) as u32 & 0xffff,
        }
    }

    /// Returns the codes of block `at`, from the control bytes.
    #[inline(always)]
    fn codes(controls: &[u8], at: usize) -> u32 {
        match Self::CONTROLS {
            4 => u32::from_le_bytes(*window(controls, 4 * at)),
            _ => u32::from(u16::from_le_bytes(*window(controls, 2 * at))),
        }
    }
}

/// Parameters of a decoding kernel.
pub(crate) trait Expand: Plan {
    /// How values are stored.
    type Writes: Writes;

    /// Returns the shuffle from the data of a group to its values, given its codes, and the length of
    /// the data.
    fn expand(self, codes: usize) -> &'static Shuffle;
}

/// Parameters of an encoding kernel.
pub(crate) trait Compress: Plan {
    /// Returns the shuffle from the values of a group to its data, given its codes, and the length of
    /// the data.
    fn compress(self, codes: usize) -> &'static Shuffle;
}

/// Layout of a variant, with the table of one direction. It is aligned to a cache line, so no entry
/// crosses one.
#[repr(C, align(64))]
pub(super) struct Layout<T> {
    table: T,
    kept: [u8; 16],
}

/// Table with one entry for each of the `CODES` codes of a group.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Expanding<const CODES: usize>([Shuffle; CODES]);

/// Same as [`Expanding`], for encoding.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Compressing<const CODES: usize>([Shuffle; CODES]);

/// Layouts with the tables for decoding, each a separate item, so that a program contains only
/// those that it uses.
pub(super) mod expanding {
    use super::{Expanding, Layout, Variant};

    pub(in super::super) static V1234: Layout<Expanding<256>> = Layout::expanding(Variant::V1234);
    pub(in super::super) static V0124: Layout<Expanding<256>> = Layout::expanding(Variant::V0124);
    pub(in super::super) static V1248: Layout<Expanding<16>> = Layout::expanding(Variant::V1248);
}

/// Same as [`expanding`], for encoding.
pub(super) mod compressing {
    use super::{Compressing, Layout, Variant};

    pub(in super::super) static V1234: Layout<Compressing<256>> =
        Layout::compressing(Variant::V1234);
    pub(in super::super) static V0124: Layout<Compressing<256>> =
        Layout::compressing(Variant::V0124);
    pub(in super::super) static V1248: Layout<Compressing<16>> =
        Layout::compressing(Variant::V1248);
}

/// Number for any transform: the kernel checks at run time which one it is.
pub(super) const ANY: u8 = u8::MAX;

/// Plan of the layout of variant number `OF`, for transform number `FOR` or for any. If it decodes, values are
/// stored as `W`.
pub(super) struct Planned<T: 'static, const OF: u8, const FOR: u8, W = Near> {
    layout: &'static Layout<T>,
    transform: Transform,
    writes: PhantomData<W>,
}

impl<T, const OF: u8, const FOR: u8, W> Planned<T, OF, FOR, W> {
    const VARIANT: Variant = [Variant::V1234, Variant::V0124, Variant::V1248][OF as usize];

    #[inline(always)]
    pub(super) fn new(layout: &'static Layout<T>, transform: Transform) -> Self {
        Self {
            layout,
            transform,
            writes: PhantomData,
        }
    }

    /// Returns the same plan for any transform: code that is shared by all of them.
    #[inline(always)]
    pub(super) fn for_any(self) -> Planned<T, OF, ANY> {
        Planned::new(self.layout, self.transform())
    }

    /// Returns the same plan for values stored as `V`.
    #[inline(always)]
    pub(super) fn storing<V>(self) -> Planned<T, OF, FOR, V> {
        Planned::new(self.layout, self.transform)
    }
}

impl<T, const OF: u8, const FOR: u8, W> Clone for Planned<T, OF, FOR, W> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const OF: u8, const FOR: u8, W> Copy for Planned<T, OF, FOR, W> {}

impl<T, const OF: u8, const FOR: u8, W> Plan for Planned<T, OF, FOR, W> {
    const WIDTH: usize = Self::VARIANT.width();

    #[inline(always)]
    fn coding(self) -> Coding {
        Coding {
            variant: Self::VARIANT,
            transform: self.transform,
        }
    }

    #[inline(always)]
    fn transform(self) -> Transform {
        const KNOWN: [Transform; 4] = [
            Transform::None,
            Transform::Delta,
            Transform::Zigzag,
            Transform::DeltaZigzag,
        ];
        match FOR {
            ANY => self.transform,
            known => KNOWN[usize::from(known)],
        }
    }

    #[inline(always)]
    fn zeros(self) -> bool {
        matches!(Self::VARIANT, Variant::V0124)
    }

    #[inline(always)]
    fn kept(self) -> &'static [u8; 16] {
        &self.layout.kept
    }
}

impl<const OF: u8, const CODES: usize, const FOR: u8, W: Writes> Expand
    for Planned<Expanding<CODES>, OF, FOR, W>
{
    type Writes = W;

    #[inline(always)]
    fn expand(self, codes: usize) -> &'static Shuffle {
        &self.layout.table.0[codes]
    }
}

impl<const OF: u8, const CODES: usize, const FOR: u8> Compress
    for Planned<Compressing<CODES>, OF, FOR>
{
    #[inline(always)]
    fn compress(self, codes: usize) -> &'static Shuffle {
        &self.layout.table.0[codes]
    }
}

/// Defines the function for each plan of an operation, and `run_of`, which chooses one: the method
/// of the operation, with the tables of its direction. `all_plans! { &mut Decode<'_>, decode, expanding }`
/// has, for each row,
///
/// ```ignore
/// fn v1234_delta(values: &mut Decode<'_>, to: &mut [Slot]) -> Option<usize> {
///     const FOR: u8 = Transform::Delta as u8;
///     const OF: u8 = Variant::V1234 as u8;
///     values.decode::<OF, _, FOR>(Planned::new(&expanding::V1234, Transform::Delta), to)
/// }
/// ```
macro_rules! all_plans {
    ($Operation:ty, $method:ident, $tables:ident) => {
        all_plans! {
            @rows [$Operation] $method $tables
            v1234 V1234 None;
            v1234_delta V1234 Delta;
            v1234_zigzag V1234 Zigzag;
            v1234_delta_zigzag V1234 DeltaZigzag;
            v0124 V0124 None;
            v0124_delta V0124 Delta;
            v0124_zigzag V0124 Zigzag;
            v0124_delta_zigzag V0124 DeltaZigzag;
            v1248 V1248 None;
            v1248_delta V1248 Delta;
            v1248_zigzag V1248 Zigzag;
            v1248_delta_zigzag V1248 DeltaZigzag;
        }
    };
    (
        @rows $Operation:tt $method:ident $tables:ident
        $($name:ident $Variant:ident $Transform:ident;)*
    ) => {
        /// Returns the function for a coding. The caller usually knows the coding at compile time,
        /// so that a program contains the kernels of one plan only.
        #[inline]
        fn run_of(coding: Coding) -> Run {
            match (coding.variant, coding.transform) {
                $((Variant::$Variant, Transform::$Transform) => $name,)*
            }
        }

        // Not generic, so that kernels are compiled here and not in the caller's crate.
        $( all_plans! { @run $Operation $method $tables $name $Variant $Transform } )*
    };
    (
        @run [$Operation:ty] $method:ident $tables:ident
        $name:ident $Variant:ident $Transform:ident
    ) => {
        fn $name(values: $Operation, to: &mut [Slot]) -> Option<usize> {
            const OF: u8 = Variant::$Variant as u8;
            const FOR: u8 = Transform::$Transform as u8;
            values.$method::<OF, _, FOR>(
                Planned::new(&$tables::$Variant, Transform::$Transform),
                to,
            )
        }
    };
}
pub(super) use all_plans;

impl<T: Copy> Layout<T> {
    const fn of(variant: Variant, table: T) -> Self {
        Self {
            table,
            kept: kept(variant.width(), variant.lengths()),
        }
    }
}

impl<const CODES: usize> Layout<Expanding<CODES>> {
    const fn expanding(variant: Variant) -> Self {
        let (width, lengths) = (variant.width(), variant.lengths());
        let (shuffles, lengths) = (expand(width, lengths), group_lengths(width, lengths));
        Self::of(variant, Expanding(entries(&shuffles, &lengths)))
    }
}

impl<const CODES: usize> Layout<Compressing<CODES>> {
    const fn compressing(variant: Variant) -> Self {
        let (width, lengths) = (variant.width(), variant.lengths());
        let (shuffles, lengths) = (compress(width, lengths), group_lengths(width, lengths));
        Self::of(variant, Compressing(entries(&shuffles, &lengths)))
    }
}

/// Index that selects no byte. From 0x80 on, the shuffle instructions of all machines give zero.
const NONE: u8 = 0xff;

/// Builds the shuffles for decoding. Byte `b` of value `v` comes from byte `b` of the value's data,
/// which begins at the end of the data of the values before it.
pub(super) const fn expand<const N: usize>(width: usize, lengths: [usize; 4]) -> [[u8; 16]; N] {
    let mut table = [[NONE; 16]; N];
    let mut codes = 0;
    while codes < N {
        let (mut value, mut from) = (0, 0);
        while value < 16 / width {
            let mut byte = 0;
            while byte < lengths[codes >> (2 * value) & 3] {
                table[codes][value * width + byte] = from;
                from += 1;
                byte += 1;
            }
            value += 1;
        }
        codes += 1;
    }
    table
}

/// Joins shuffles and lengths.
const fn entries<const N: usize>(shuffles: &[[u8; 16]; N], lengths: &[u8; N]) -> [Shuffle; N] {
    let none = Shuffle {
        places: [NONE; 16],
        length: Stride::new(0),
    };
    let mut table = [none; N];
    let mut codes = 0;
    while codes < N {
        table[codes] = Shuffle {
            places: shuffles[codes],
            length: Stride::new(lengths[codes] as usize),
        };
        codes += 1;
    }
    table
}

/// Builds the reverse shuffles, for encoding.
pub(super) const fn compress<const N: usize>(width: usize, lengths: [usize; 4]) -> [[u8; 16]; N] {
    let mut table = [[NONE; 16]; N];
    let mut codes = 0;
    while codes < N {
        let (mut value, mut to) = (0, 0);
        while value < 16 / width {
            let mut byte = 0;
            while byte < lengths[codes >> (2 * value) & 3] {
                table[codes][to] = (value * width + byte) as u8;
                to += 1;
                byte += 1;
            }
            value += 1;
        }
        codes += 1;
    }
    table
}

/// Builds the lengths of the data of groups.
pub(super) const fn group_lengths<const N: usize>(width: usize, lengths: [usize; 4]) -> [u8; N] {
    let mut table = [0; N];
    let mut codes = 0;
    while codes < N {
        let mut value = 0;
        while value < 16 / width {
            table[codes] += lengths[codes >> (2 * value) & 3] as u8;
            value += 1;
        }
        codes += 1;
    }
    table
}

const fn kept(width: usize, lengths: [usize; 4]) -> [u8; 16] {
    let mut table = [0; 16];
    let mut codes = 0;
    while codes < 16 {
        let first = (1u32 << lengths[codes & 3]) - 1;
        let second = (1u32 << lengths[codes >> 2]) - 1;
        table[codes] = match width {
            4 => (first | second << 4) as u8,
            _ => first as u8,
        };
        codes += 1;
    }
    table
}
