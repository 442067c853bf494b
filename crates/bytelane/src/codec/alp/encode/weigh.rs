//! Computing the costs of an exponent and a factor, as far as they matter.
//!
//! After the first block and every few more, the costs that are certain are compared with the limit: those of the exceptions
//! so far, and of all integers at the width that the first ones need. Checks after the last block are left to the caller.
#![forbid(unsafe_code)]

use super::choice::{Choice, width};
use crate::codec::alp::page::POSITION;
use crate::codec::alp::{Pair, Powers, Steps};

/// Number of blocks between checks whether the costs are still below the limit. The first check is
/// after the first block.
const STRIDE: usize = 2;

/// Figures of a pair that are known before its integers are.
#[derive(Clone, Copy)]
pub(crate) struct Costs {
    /// Number of all values.
    pub(super) values: usize,
    /// Number of values that are weighed; the others are exceptions.
    pub(super) weighed: usize,
    /// Number of bytes from which on the pair is ignored.
    pub(super) limit: usize,
}

impl Costs {
    /// Returns the size for a width and a number of exceptions.
    #[inline(always)]
    fn bytes<const K: usize>(self, width: usize, exceptions: usize) -> usize {
        // Vectors have at most 2^15 values.
        (width * self.values).div_ceil(8) + (POSITION + K) * exceptions
    }

    /// Returns whether `found` integers of the first `seen` values, and a width that they need at least, leave hope for
    /// less than the limit.
    #[inline(always)]
    pub(super) fn have_hope<const K: usize>(self, width: usize, seen: usize, found: usize) -> bool {
        let possible = self.weighed - usize::min(seen, self.weighed) + found;
        self.bytes::<K>(width, self.values - possible) < self.limit
    }
}

/// Computes the cost of a pair for values of `K` bytes, which NaN may follow. `None` if it takes too many bytes, or
/// if all values are exceptions.
#[inline(always)]
pub(super) fn weigh<const K: usize, S: Steps<K>>(
    steps: S,
    (pair, limits): (Pair, [i64; 2]),
    values: &[u8],
    costs: Costs,
) -> Option<Choice> {
    if !costs.have_hope::<K>(0, 0, 0) {
        return None;
    }
    let within = steps.limits(limits);
    let powers = pair.powers::<K>().in_steps::<K, S>(steps);
    let mut found = steps.nothing();
    let (blocks, rest) = values.as_chunks();
    if !steps.weigh_blocks(&powers, &within, blocks, costs, &mut found) {
        return None;
    }
    if !rest.is_empty() {
        steps.weigh(&powers, &within, &padded(rest), &mut found);
    }
    let exceptions = costs.values - steps.count(found);
    let [least, greatest] = steps.ends(found);
    let choice = Choice {
        pair,
        limits,
        exceptions,
        least,
        greatest,
        bytes: costs.bytes::<K>(width([least, greatest]), exceptions),
    };
    (choice.bytes < costs.limit && least <= greatest).then_some(choice)
}

/// Same as [`Steps::weigh`], for blocks, while they may cost less than the limit. More values make
/// the range of the integers wider, or exceptions more.
#[inline(always)]
pub(in crate::codec::alp) fn weigh_blocks<const K: usize, S: Steps<K>>(
    steps: S,
    powers: &Powers<S::Number>,
    limits: &S::Limits,
    blocks: &[[u8; 64]],
    costs: Costs,
    found: &mut S::Found,
) -> bool {
    let (mut so_far, mut least_width) = (*found, 0);
    for (i, block) in blocks.iter().enumerate() {
        steps.weigh(powers, limits, block, &mut so_far);
        if i % STRIDE == 0 && i + 1 < blocks.len() {
            if i == 0 {
                least_width = width(steps.ends(so_far));
            }
            if !costs.have_hope::<K>(least_width, 64 / K * (i + 1), steps.count(so_far)) {
                return false;
            }
        }
    }
    *found = so_far;
    true
}

/// Pads a block with values that are exceptions of all pairs: the bits of NaN.
#[inline(always)]
pub(super) fn padded(values: &[u8]) -> [u8; 64] {
    let mut block = [0xff; 64];
    block[..values.len()].copy_from_slice(values);
    block
}
