//! Decoding, shared by all instruction sets.
//!
//! Runs may be short, so no step ends exactly where its run does: as long as the destination goes on,
//! whole blocks are written, and the next run overwrites what was too much. The registers for the
//! width are made once a call.
#![forbid(unsafe_code)]

use super::dictionary::Entries;
use super::runs::{Contents, Cursor};
use super::{Error, LookUp, STEP};
use crate::codec::bit_packing::{Case, Layout, Unpack, Usual, WINDOW, Wide, read, to_ne_bytes};
use crate::memory::{Slot, flat_mut, write};
use crate::simd::{window, window_mut};

/// What values become.
trait Target<const V: usize> {
    /// The value of a repetition, which begins at an offset of the input.
    fn repeated(&self, value: u32, at: usize) -> Result<[u8; V], Error>;

    /// Packed values to the front of a destination, as many as `length` bytes have. What follows in the
    /// destination may be overwritten. The values begin at an offset of the input, which may go on
    /// after them.
    fn packed(&self, src: &[u8], at: usize, to: &mut [Slot], length: usize) -> Result<(), Error>;
}

/// Decodes values from number `start` on, as many as there is room for. Returns the offset after
/// the last run that was read.
#[inline(always)]
fn decode_to<const V: usize>(
    target: impl Target<V>,
    layout: Layout,
    src: &[u8],
    mut start: usize,
    mut dst: &mut [Slot],
) -> Result<usize, Error> {
    let mut runs = Cursor::new(layout, src);
    while !dst.is_empty() {
        let run = runs.next(start.saturating_add(dst.len() / V))?;
        if start >= run.count {
            start -= run.count;
            continue;
        }
        let mut length = V * (run.count - start);
        match run.contents {
            Contents::Repeated(value) => fill(target.repeated(value, run.at)?, dst, length),
            Contents::Packed => {
                let group = run.at + start / 8 * layout.width;
                // Kernels begin where a group does.
                let few = usize::min((8 - start % 8) % 8, run.count - start);
                for i in 0..few {
                    let value = start % 8 + i;
                    let at = group + layout.start(value);
                    let value = read(layout, &src[group..], value) as u32;
                    write(window_mut(dst, V * i), target.repeated(value, at)?);
                }
                dst = &mut dst[V * few..];
                length -= V * few;
                if length > 0 {
                    let at = run.at + (start + few) / 8 * layout.width;
                    target.packed(src, at, dst, length)?;
                }
            }
        }
        start = 0;
        dst = &mut dst[length..];
    }
    Ok(runs.at())
}

/// A value, repeated to `length` bytes or more.
#[inline(always)]
fn fill<const V: usize>(value: [u8; V], dst: &mut [Slot], length: usize) {
    let mut block = [Slot::new(0); 64];
    for to in block.as_chunks_mut::<V>().0 {
        write(to, value);
    }
    let mut to = 0;
    while to < length && to + 64 <= dst.len() {
        *window_mut(dst, to) = block;
        to += 64;
    }
    if to < length {
        dst[to..length].copy_from_slice(&block[..length - to]);
    }
}

/// The values themselves.
struct Values<const K: usize, S: Unpack<K>> {
    simd: S,
    layout: Layout,
    plan: S::Plan,
    is_usual: bool,
}

#[inline(always)]
pub(super) fn decode<const K: usize, S: Unpack<K>>(
    simd: S,
    layout: Layout,
    src: &[u8],
    start: usize,
    dst: &mut [Slot],
) -> Result<usize, Error> {
    let plan = simd.unpack_plan(layout);
    let is_usual = simd.is_usual(&plan);
    let target = Values::<K, S> {
        simd,
        layout,
        plan,
        is_usual,
    };
    decode_to::<K>(target, layout, src, start, dst)
}

impl<const K: usize, S: Unpack<K>> Target<K> for Values<K, S> {
    #[inline(always)]
    fn repeated(&self, value: u32, _: usize) -> Result<[u8; K], Error> {
        Ok(to_ne_bytes(u64::from(value)))
    }

    #[inline(always)]
    fn packed(&self, src: &[u8], at: usize, to: &mut [Slot], length: usize) -> Result<(), Error> {
        match self.is_usual {
            true => self.unpack::<Usual>(&src[at..], to, length),
            false => self.unpack::<Wide>(&src[at..], to, length),
        }
        Ok(())
    }
}

impl<const K: usize, S: Unpack<K>> Values<K, S> {
    #[inline(always)]
    fn unpack<C: Case>(&self, src: &[u8], dst: &mut [Slot], length: usize) {
        let stride = 8 * self.layout.width / K;
        let (mut from, mut to) = (0, 0);
        while to < length && to + 64 <= dst.len() && from + WINDOW <= src.len() {
            let block = window_mut(dst, to);
            self.simd.unpack::<C>(&self.plan, window(src, from), block);
            (from, to) = (from + stride, to + 64);
        }
        if to < length {
            let (src, dst) = (&src[from..], &mut dst[to..length]);
            self.simd.unpack_rest(&self.plan, self.layout, src, dst);
        }
    }
}

/// The entries of a dictionary.
struct EntriesOf<'a, const V: usize, S: LookUp<V>> {
    simd: S,
    layout: Layout,
    plan: S::Plan,
    is_usual: bool,
    entries: Entries<'a, V>,
    table: S::Table,
}

#[inline(always)]
pub(super) fn look_up<const V: usize, S: LookUp<V>>(
    simd: S,
    layout: Layout,
    src: &[u8],
    start: usize,
    entries: Entries<'_, V>,
    dst: &mut [Slot],
) -> Result<usize, Error> {
    let plan = simd.unpack_plan(layout);
    let is_usual = simd.is_usual(&plan);
    let target = EntriesOf::<V, S> {
        simd,
        layout,
        plan,
        is_usual,
        entries,
        table: simd.table(entries),
    };
    decode_to::<V>(target, layout, src, start, dst)
}

impl<const V: usize, S: LookUp<V>> Target<V> for EntriesOf<'_, V, S> {
    #[inline(always)]
    fn repeated(&self, index: u32, at: usize) -> Result<[u8; V], Error> {
        match self.entries.get(index) {
            Some(entry) => Ok(entry),
            None => Err(self.entries.error(at, index)),
        }
    }

    #[inline(always)]
    fn packed(&self, src: &[u8], at: usize, to: &mut [Slot], length: usize) -> Result<(), Error> {
        let count = length / V;
        let all_there = match (self.is_usual, self.entries.is_small()) {
            (true, true) => self.steps::<Usual, Small>(&src[at..], to, count),
            (true, false) => self.steps::<Usual, Large>(&src[at..], to, count),
            (false, _) => self.steps::<Wide, Large>(&src[at..], to, count),
        };
        match all_there {
            true => Ok(()),
            false => Err(self.entries.first_missing(self.layout, src, at, count)),
        }
    }
}

/// Whether a dictionary is in registers.
trait Size {
    const IS_SMALL: bool;
}
struct Small;
impl Size for Small {
    const IS_SMALL: bool = true;
}
struct Large;
impl Size for Large {
    const IS_SMALL: bool = false;
}

impl<const V: usize, S: LookUp<V>> EntriesOf<'_, V, S> {
    /// Looks up so many values. Returns whether the dictionary has all their indices.
    #[inline(always)]
    fn steps<C: Case, Z: Size>(&self, src: &[u8], dst: &mut [Slot], count: usize) -> bool {
        let stride = STEP / 8 * self.layout.width;
        let mut greatest = self.simd.none();
        let (mut from, mut done) = (0, 0);
        while done < count && V * (done + STEP) <= dst.len() && from + WINDOW <= src.len() {
            let wanted = usize::min(count - done, STEP);
            let to = &mut dst.as_chunks_mut::<V>().0[done..];
            let (src, to) = (window(src, from), window_mut(to, 0));
            greatest = self.step::<C, Z>(src, greatest, wanted, to);
            (from, done) = (from + stride, done + STEP);
        }
        if done < count {
            // The rest of the input is not a window any more, or there is less room than for a step.
            let (src, dst) = (&src[from..], &mut dst[V * done..V * count]);
            greatest = self.rest::<C, Z>(src, greatest, dst);
        }
        let last = self.entries.last();
        last.is_some_and(|last| self.simd.is_within(greatest, last))
    }

    #[inline(always)]
    fn rest<C: Case, Z: Size>(
        &self,
        src: &[u8],
        mut greatest: S::Greatest,
        dst: &mut [Slot],
    ) -> S::Greatest {
        let stride = STEP / 8 * self.layout.width;
        let mut padded = [0; 2 * WINDOW];
        let there = usize::min(src.len(), WINDOW);
        padded[..there].copy_from_slice(&src[..there]);
        let mut from = 0;
        for to in dst.chunks_mut(V * STEP) {
            let mut aside = [[Slot::new(0); V]; STEP];
            let src = window(&padded, from);
            greatest = self.step::<C, Z>(src, greatest, to.len() / V, &mut aside);
            let length = to.len();
            to.copy_from_slice(&flat_mut(&mut aside)[..length]);
            from += stride;
        }
        greatest
    }

    #[inline(always)]
    fn step<C: Case, Z: Size>(
        &self,
        src: &[u8; WINDOW],
        greatest: S::Greatest,
        wanted: usize,
        to: &mut [[Slot; V]; STEP],
    ) -> S::Greatest {
        let Self { simd, plan, .. } = self;
        let indices = simd.indices::<C>(plan, src);
        match Z::IS_SMALL {
            true => simd.permute(&self.table, indices, to),
            false => simd.look_up(self.entries, indices, to),
        }
        simd.greatest(greatest, indices, wanted)
    }
}
