//! Meaning of 64 pairs of levels for the lists of one depth, as words of bits.
#![forbid(unsafe_code)]

use super::Pairs;
use super::depth::Depth;
use crate::codec::bit_packing::{from_ne_bytes, low_bits};
use crate::codec::validity::kernel::padded;
use crate::codec::validity::{Error, ErrorKind, Levels, STEP};

/// Properties of 64 pairs, with a bit for each pair.
pub(super) struct Step<'a, const K: usize> {
    /// Pairs with which a list begins.
    pub(super) lists: u64,
    /// Pairs with which an entry of a list begins.
    pub(super) entries: u64,
    /// Definition levels.
    pub(super) definition: &'a [[u8; K]; STEP],
}

/// Consumer of the steps.
pub(super) trait Sink<const K: usize> {
    fn put(&mut self, step: Step<'_, K>);
}

/// Levels of a depth, in registers.
struct Bounds<const K: usize, S: Levels<K>> {
    simd: S,
    repetition: S::Levels,
    deeper: S::Levels,
    place: S::Levels,
    entry: S::Levels,
    /// True if the last pair so far had an entry.
    had_entry: bool,
}

impl<const K: usize, S: Levels<K>> Bounds<K, S> {
    #[inline(always)]
    fn new(simd: S, depth: Depth) -> Self {
        Self {
            simd,
            repetition: simd.splat(depth.repetition),
            deeper: simd.splat(depth.repetition + 1),
            place: simd.splat(depth.place),
            entry: simd.splat(depth.entry),
            had_entry: false,
        }
    }

    /// Returns the meaning of the first `count` pairs. Fails for the first pair whose repetition
    /// level does not continue a list.
    #[inline(always)]
    fn step<'a>(
        &mut self,
        repetition: &[[u8; K]; STEP],
        definition: &'a [[u8; K]; STEP],
        count: usize,
    ) -> Result<Step<'a, K>, usize> {
        let simd = self.simd;
        let there = low_bits(count);
        let continues = simd.at_least(repetition, self.repetition) & there;
        let deeper = simd.at_least(repetition, self.deeper);
        let has_place = simd.at_least(definition, self.place) & there;
        let has_entry = simd.at_least(definition, self.entry) & there;
        // A list continues after a pair with an entry, with another pair with an entry.
        let goes_on = has_entry & (has_entry << 1 | u64::from(self.had_entry));
        let malformed = continues & !goes_on;
        if malformed != 0 {
            return Err(malformed.trailing_zeros() as usize);
        }
        self.had_entry = has_entry >> (STEP - 1) != 0;
        Ok(Step {
            lists: has_place & !continues,
            entries: has_entry & !deeper,
            definition,
        })
    }
}

/// Passes all steps to the sink.
#[inline(always)]
pub(super) fn each<const K: usize, S: Levels<K>>(
    simd: S,
    pairs: Pairs<'_>,
    sink: &mut impl Sink<K>,
) -> Result<(), Error> {
    let repetition = pairs.repetition.as_chunks::<K>().0;
    let definition = pairs.definition.as_chunks::<K>().0;
    if repetition
        .first()
        .is_some_and(|first| from_ne_bytes(*first) != 0)
    {
        return Err(continues_nothing::<K>(0));
    }
    let (repetition, last_repetition) = repetition.as_chunks::<STEP>();
    let (definition, last_definition) = definition.as_chunks::<STEP>();
    let mut bounds = Bounds::new(simd, pairs.depth);
    let whole = usize::min(repetition.len(), definition.len());
    for i in 0..whole {
        let step = bounds.step(&repetition[i], &definition[i], STEP);
        sink.put(step.map_err(|place| continues_nothing::<K>(STEP * i + place))?);
    }
    if !last_repetition.is_empty() {
        let (repetition, definition) = (padded(last_repetition), padded(last_definition));
        let step = bounds.step(&repetition.0, &definition.0, last_repetition.len());
        sink.put(step.map_err(|place| continues_nothing::<K>(STEP * whole + place))?);
    }
    Ok(())
}

/// Returns the error for repetition level `i`, which does not continue a list.
#[cold]
fn continues_nothing<const K: usize>(i: usize) -> Error {
    Error::at(K * i, ErrorKind::Repetition)
}
