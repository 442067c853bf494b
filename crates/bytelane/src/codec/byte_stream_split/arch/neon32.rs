//! NEON on 32-bit ARM: blocks of 16 values, in assembly.

use crate::backend::Neon;
use crate::codec::byte_stream_split::{Planes, Writes};
use crate::memory::{Slot, flat, flat_mut};
use crate::simd::neon32;

impl<const K: usize> Planes<K> for Neon {
    #[inline(always)]
    fn split<W: Writes>(
        self,
        values: &[[u8; K]; 64],
        planes: &mut [&mut [[Slot; 64]]; K],
        at: usize,
    ) {
        let planes = planes.each_mut().map(|plane| &mut plane[at][..]);
        neon32::split(self, flat(values), planes);
    }

    #[inline(always)]
    fn split16(self, values: &[[u8; K]; 16]) -> [[u8; 16]; K] {
        let mut planes = [[0; 16]; K];
        let slices = planes.each_mut().map(|plane| &mut plane[..]);
        neon32::split(self, flat(values), slices);
        planes
    }

    #[inline(always)]
    fn join<W: Writes>(self, planes: &[&[[u8; 64]]; K], at: usize, values: &mut [[Slot; K]; 64]) {
        let planes = planes.map(|plane| &plane[at][..]);
        neon32::join(self, planes, flat_mut(values));
    }

    #[inline(always)]
    fn join16(self, planes: &[[u8; 16]; K]) -> [[u8; K]; 16] {
        let mut values = [[0; K]; 16];
        let planes = planes.each_ref().map(|plane| &plane[..]);
        neon32::join(self, planes, flat_mut(&mut values));
        values
    }
}
