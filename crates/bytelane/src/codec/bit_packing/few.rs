//! Both directions for a few values, which do not justify a plan: with AVX2, eight values took 30
//! to 65 ns with a plan and 6 to 45 ns without. `FEW` is the limit of each instruction set;
//! AVX-512, which has masks, uses no such limit (5 to 6 ns).
#![forbid(unsafe_code)]

use super::layout::Layout;
use crate::memory::{Slot, pair, put_pair, write};
use crate::simd::{window, window_mut};

/// Packs values in registers. Returns whether all of them fit. It is a separate function that all
/// instruction sets share.
#[inline(never)]
pub(super) fn pack_few<const K: usize>(layout: Layout, src: &[u8], dst: &mut [Slot]) -> bool {
    let mut writer = Writer {
        pending: 0,
        count: 0,
        seen: 0,
        to: dst,
    };
    let values = src.as_chunks::<K>().0;
    // Joined in groups first, values do not wait for each other.
    let rest = match layout.width {
        _ if layout.zigzag => values,
        0..=8 => writer.put_groups::<K, 8>(layout, values),
        9..=16 if K > 1 => writer.put_groups::<K, 4>(layout, values),
        17..=32 if K > 2 => writer.put_groups::<K, 2>(layout, values),
        _ => values,
    };
    for &value in rest {
        let bits = layout.to_bits(value);
        writer.seen |= bits;
        writer.put(bits, layout.width);
    }
    put_pair(writer.to, [writer.pending, 0]);
    writer.seen & !layout.mask() == 0
}

/// Appends numbers of any width.
struct Writer<'a> {
    /// Bits that are not yet written, and their number.
    pending: u64,
    count: usize,
    /// Bits that occur in any value so far.
    seen: u64,
    to: &'a mut [Slot],
}

impl Writer<'_> {
    /// Appends a number.
    #[inline(always)]
    fn put(&mut self, bits: u64, width: usize) {
        self.pending |= bits << self.count;
        self.count += width;
        if self.count >= 64 {
            let (to, rest) = core::mem::take(&mut self.to).split_at_mut(8);
            write::<8>(window_mut(to, 0), self.pending.to_le_bytes());
            self.to = rest;
            self.count -= 64;
            self.pending = bits >> 1 >> (width - self.count - 1);
        }
    }

    /// Appends values, `COUNT` at a time, which have at most 64 bits. Returns the rest.
    #[inline(always)]
    fn put_groups<'v, const K: usize, const COUNT: usize>(
        &mut self,
        layout: Layout,
        values: &'v [[u8; K]],
    ) -> &'v [[u8; K]] {
        let (groups, rest) = values.as_chunks::<COUNT>();
        for group in groups {
            let (mut numbers, mut bits) = ([0; COUNT], layout.width);
            for i in 0..COUNT {
                // Known to the compiler: there is no zigzag.
                let layout = Layout { zigzag: false, ..layout };
                numbers[i] = layout.to_bits(group[i]);
                self.seen |= numbers[i];
            }
            let mut count = COUNT;
            while count > 1 {
                count /= 2;
                for i in 0..count {
                    numbers[i] = numbers[2 * i] | numbers[2 * i + 1] << bits;
                }
                bits *= 2;
            }
            self.put(numbers[0], bits);
        }
        rest
    }
}

/// Unpacks values one by one.
#[inline(always)]
pub(super) fn unpack_few<const K: usize>(layout: Layout, src: &[u8], dst: &mut [Slot]) {
    let values = dst.as_chunks_mut::<K>().0;
    let Some(last) = src.len().checked_sub(8) else {
        let [mut bits, _] = pair(src);
        for value in values {
            write(value, layout.value_of(bits & layout.mask()));
            bits >>= layout.width;
        }
        return;
    };
    let mut bit = 0;
    for value in values {
        let at = usize::min(bit / 8, last);
        let shift = bit - 8 * at;
        let mut bits = u64::from_le_bytes(*window(src, at)) >> shift;
        if shift + layout.width > 64 {
            bits |= u64::from(src[at + 8]) << (64 - shift);
        }
        write(value, layout.value_of(bits & layout.mask()));
        bit += layout.width;
    }
}
