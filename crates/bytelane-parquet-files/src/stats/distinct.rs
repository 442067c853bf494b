//! Counts distinct values by their hashes.

use super::described::Count;
use crate::diff::hash::Hash;
use std::collections::HashSet;

/// Number of bits of a hash that choose a register: the estimate has a standard error of 0.8%.
const BITS: u32 = 14;

/// Set of hashes up to a limit, and beyond that the registers of HyperLogLog: Flajolet, Fusy, Gandouet, Meunier,
/// "HyperLogLog: the analysis of a near-optimal cardinality estimation algorithm", 2007.
pub enum Distinct {
    Exact { hashes: HashSet<Hash>, most: usize },
    Estimated(Vec<u8>),
}

impl Distinct {
    pub fn new(most: usize) -> Self {
        let hashes = HashSet::new();
        Self::Exact { hashes, most }
    }

    pub fn add(&mut self, hash: Hash) {
        match self {
            Self::Estimated(registers) => register(registers, hash),
            Self::Exact { hashes, most } => {
                hashes.insert(hash);
                if hashes.len() > *most {
                    let mut registers = vec![0; 1 << BITS];
                    hashes
                        .iter()
                        .for_each(|hash| register(&mut registers, *hash));
                    *self = Self::Estimated(registers);
                }
            }
        }
    }

    pub fn count(&self) -> Count {
        match self {
            Self::Exact { hashes, .. } => Count {
                value: hashes.len() as u64,
                is_exact: true,
            },
            Self::Estimated(registers) => Count {
                value: estimate(registers),
                is_exact: false,
            },
        }
    }
}

/// Notes the longest run of zeros after the bits that choose a register.
fn register(registers: &mut [u8], Hash(one, other): Hash) {
    let hash = mixed(one ^ other.rotate_left(32));
    let index = (hash >> (64 - BITS)) as usize;
    let zeros = ((hash << BITS) | 1 << (BITS - 1)).leading_zeros() + 1;
    let register = &mut registers[index];
    *register = (*register).max(zeros as u8);
}

/// Makes all bits depend on all others, which hashes of small numbers lack: the finalizer of SplitMix64.
fn mixed(hash: u64) -> u64 {
    let hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

fn estimate(registers: &[u8]) -> u64 {
    let number = registers.len() as f64;
    let alpha = 0.7213 / (1.0 + 1.079 / number);
    let sum: f64 = registers
        .iter()
        .map(|zeros| (-f64::from(*zeros)).exp2())
        .sum();
    let estimate = alpha * number * number / sum;
    let empty = registers.iter().filter(|zeros| **zeros == 0).count();
    // Few values leave registers empty, whose number then says more.
    if estimate <= 2.5 * number && empty > 0 {
        (number * (number / empty as f64).ln()) as u64
    } else {
        estimate as u64
    }
}
