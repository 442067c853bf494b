//! Packing for codecs that choose how before they do it.
#![forbid(unsafe_code)]

use super::{Layout, Packs, kernel, scalar};
use crate::memory::Slot;

/// How values are packed. Not a closure, as closures are not compiled for the instruction set unless
/// they happen to be inlined.
pub(crate) trait PackWith: Copy {
    /// Packs values to exactly the bytes that they take. Returns whether all of them fit.
    fn pack(self, layout: Layout, values: &[u8], to: &mut [Slot]) -> bool;
}

/// With the kernels of an instruction set.
#[derive(Clone, Copy)]
pub(crate) struct Kernels<const K: usize, S>(pub(crate) S);
impl<const K: usize, S: Packs<K>> PackWith for Kernels<K, S> {
    #[inline(always)]
    fn pack(self, layout: Layout, values: &[u8], to: &mut [Slot]) -> bool {
        kernel::pack::<K, S>(self.0, layout, values, to)
    }
}

/// With the specification.
#[derive(Clone, Copy)]
pub(crate) struct Specification<const K: usize>;
impl<const K: usize> PackWith for Specification<K> {
    fn pack(self, layout: Layout, values: &[u8], to: &mut [Slot]) -> bool {
        scalar::pack::<K>(layout, values, to)
    }
}
