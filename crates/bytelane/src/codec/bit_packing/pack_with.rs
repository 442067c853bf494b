//! Packing for codecs that choose a layout before they pack.
#![forbid(unsafe_code)]

use super::{Layout, Packs, scalar};
use crate::memory::Slot;

/// Implementation of packing. Not a closure, since closures are not compiled for the instruction
/// set unless they happen to be inlined.
pub(crate) trait PackWith: Copy {
    /// Packs values to exactly the bytes that they take. Returns whether all of them fit.
    fn pack(self, layout: Layout, values: &[u8], to: &mut [Slot]) -> bool;
}

/// Packs with the kernels of an instruction set.
#[derive(Clone, Copy)]
pub(crate) struct Kernels<const K: usize, S>(pub(crate) S);
impl<const K: usize, S: Packs<K>> PackWith for Kernels<K, S> {
    #[inline(always)]
    fn pack(self, layout: Layout, values: &[u8], to: &mut [Slot]) -> bool {
        self.0.pack(layout, values, to)
    }
}

/// Packs with the scalar code.
#[derive(Clone, Copy)]
pub(crate) struct Specification<const K: usize>;
impl<const K: usize> PackWith for Specification<K> {
    fn pack(self, layout: Layout, values: &[u8], to: &mut [Slot]) -> bool {
        scalar::pack::<K>(layout, values, to)
    }
}
