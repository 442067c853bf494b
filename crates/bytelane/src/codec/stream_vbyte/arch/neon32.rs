//! NEON on 32-bit ARM: runs of groups in assembly, for values of 32 bits. Values of 64 bits are
//! decoded and encoded one by one.

use crate::backend::Neon;
use crate::codec::stream_vbyte::coding::Variant;
use crate::codec::stream_vbyte::plan::{self, Compress, Expand, Plan};
use crate::codec::stream_vbyte::{Blocks, kernel, scalar};
use crate::memory::{Byte, Slot, copy, flat, flat_mut};
use crate::simd::neon32::{self, Compression, Expansion};
use crate::simd::{Stride, window};

impl Blocks for Neon {
    type Previous = u64;
    /// Value before the block.
    type Ahead = u64;

    #[inline(always)]
    fn previous<P: Plan>(self, value: u64) -> u64 {
        value
    }

    #[inline(always)]
    fn last<P: Plan>(self, previous: u64) -> u64 {
        previous
    }

    #[inline(always)]
    fn decode<P: Expand>(
        self,
        plan: P,
        codes: u32,
        data: &[u8; 64],
        values: &mut [Slot; 64],
        previous: &mut u64,
    ) -> Stride<64> {
        let controls = &codes.to_le_bytes()[..P::CONTROLS];
        Stride::new(expand(self, plan, controls, data, values, previous))
    }

    #[inline(always)]
    fn decode_four<P: Expand>(
        self,
        plan: P,
        codes: [u64; 2],
        data: &[u8; 256],
        blocks: &mut [[Slot; 64]; 4],
        previous: &mut u64,
    ) -> Stride<256> {
        let controls = codes.map(u64::to_le_bytes);
        let controls = &flat(&controls)[..4 * P::CONTROLS];
        let values = flat_mut(blocks);
        Stride::new(expand(self, plan, controls, data, values, previous))
    }

    #[inline(always)]
    fn widen<P: Expand>(
        self,
        plan: P,
        data: &[u8; 16],
        values: &mut [Slot; 64],
        previous: &mut u64,
    ) {
        if P::WIDTH == 8 {
            expand(self, plan, &[0; 2], data, values, previous);
            return;
        }
        let run = match (plan.zigzag(), plan.delta()) {
            (false, false) => neon32::widen::<0, 0>,
            (false, true) => neon32::widen::<0, 1>,
            (true, false) => neon32::widen::<1, 0>,
            (true, true) => neon32::widen::<1, 1>,
        };
        let mut before = *previous as u32;
        run(self, data, values, &mut before);
        *previous = u64::from(before);
    }

    #[inline(always)]
    fn ahead<P: Compress>(self, _plan: P, values: &[u8; 64], previous: &mut u64) -> u64 {
        core::mem::replace(previous, scalar::get(&values[64 - P::WIDTH..]))
    }

    #[inline(always)]
    fn encode<P: Compress>(
        self,
        plan: P,
        values: &[u8; 64],
        previous: u64,
        data: &mut [Slot; 64],
    ) -> (u32, Stride<64>) {
        if P::WIDTH == 8 {
            return encode64(plan, values, previous, data);
        }
        let mut controls = [0; 4];
        let before = before(plan, values, previous);
        let used = compress(self, plan, values, &before, &mut controls, data);
        (u32::from_le_bytes(controls), Stride::new(used))
    }

    #[inline(always)]
    fn encode_four<P: Compress>(
        self,
        plan: P,
        (four, next): (&[[u8; 64]; 4], Option<&[[u8; 64]; 2]>),
        state: (&mut [u64; 2], &mut u64),
        controls: &mut [Slot],
        data: &mut [Slot; 256],
    ) -> Stride<256> {
        if P::WIDTH == 8 || plan.delta() {
            return kernel::encode_four(self, plan, (four, next), state, controls, data);
        }
        let values = flat(four);
        Stride::new(compress(self, plan, values, values, controls, data))
    }
}

/// Tables for the two variants of 32 bits: the layouts have the same, without the proof that no
/// length exceeds 16.
static EXPANSIONS: [Expansion; 2] = [expansion(Variant::V1234), expansion(Variant::V0124)];
static COMPRESSIONS: [Compression; 2] = [compression(Variant::V1234), compression(Variant::V0124)];

const fn expansion(variant: Variant) -> Expansion {
    let (width, lengths) = (variant.width(), variant.lengths());
    Expansion::new(
        plan::expand(width, lengths),
        plan::group_lengths(width, lengths),
    )
}

const fn compression(variant: Variant) -> Compression {
    let (width, lengths) = (variant.width(), variant.lengths());
    Compression::new(
        plan::compress(width, lengths),
        plan::group_lengths(width, lengths),
    )
}

/// Decodes groups of 16 bytes of values, of which `data` has all bytes. Returns the number of bytes
/// used.
#[inline(always)]
fn expand<P: Plan>(
    simd: Neon,
    plan: P,
    controls: &[u8],
    data: &[u8],
    values: &mut [Slot],
    previous: &mut u64,
) -> usize {
    if P::WIDTH == 8 {
        let used = scalar::decode(plan.coding(), controls, data, values, previous);
        return used.expect("the data of all values are there");
    }
    let run = match (plan.zigzag(), plan.delta()) {
        (false, false) => neon32::expand::<0, 0>,
        (false, true) => neon32::expand::<0, 1>,
        (true, false) => neon32::expand::<1, 0>,
        (true, true) => neon32::expand::<1, 1>,
    };
    let tables = &EXPANSIONS[usize::from(plan.zeros())];
    let mut before = *previous as u32;
    let used = run(simd, tables, controls, data, values, &mut before);
    *previous = u64::from(before);
    used
}

/// Encodes blocks of values of 32 bits. Returns the number of bytes of data written.
#[inline(always)]
fn compress<P: Plan, B: Byte>(
    simd: Neon,
    plan: P,
    values: &[u8],
    before: &[u8],
    controls: &mut [B],
    data: &mut [Slot],
) -> usize {
    let run = match (plan.zigzag(), plan.delta()) {
        (false, false) => neon32::compress::<0, 0, B>,
        (false, true) => neon32::compress::<0, 1, B>,
        (true, false) => neon32::compress::<1, 0, B>,
        (true, true) => neon32::compress::<1, 1, B>,
    };
    let table = &COMPRESSIONS[usize::from(plan.zeros())];
    run(simd, (table, plan.zeros()), values, before, controls, data)
}

/// Returns the values one place earlier, for differences.
#[inline(always)]
fn before<P: Plan>(plan: P, values: &[u8; 64], previous: u64) -> [u8; 64] {
    let mut before = [0; 64];
    if plan.delta() {
        before[..4].copy_from_slice(&(previous as u32).to_le_bytes());
        before[4..].copy_from_slice(&values[..60]);
    }
    before
}

/// Encodes a block of values of 64 bits to its codes and its data.
fn encode64<P: Plan>(
    plan: P,
    values: &[u8; 64],
    mut previous: u64,
    data: &mut [Slot; 64],
) -> (u32, Stride<64>) {
    let coding = plan.coding();
    let (mut codes, mut at) = (0, 0);
    for i in 0..P::VALUES {
        let value = scalar::get(window::<8, _>(values, 8 * i));
        let stored = coding.stored(value, previous);
        previous = value;
        let code = coding.code(stored);
        let length = coding.variant.lengths()[code];
        copy(&mut data[at..at + length], &stored.to_le_bytes()[..length]);
        codes |= (code as u32) << (2 * i);
        at += length;
    }
    (codes, Stride::new(at))
}
