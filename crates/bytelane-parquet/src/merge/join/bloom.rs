//! Joins Bloom filters.

use crate::format::{BloomFilterHeader, decode_prefix};
use bytes::Bytes;

/// Maximum false-positive probability of a joined filter.
const MOST_FALSE: f64 = 0.05;

/// Number of words in a block. A value sets one bit in each.
const WORDS: i32 = 8;

/// Returns the union of filters with the same size; the reason if there is none.
pub(in crate::merge) fn joined(filters: &[&Bytes]) -> std::result::Result<Bytes, &'static str> {
    let Some((first, others)) = filters.split_first() else {
        return Err("there is none");
    };
    if others.is_empty() {
        return Ok((*first).clone());
    }
    let length = |filter: &Bytes| {
        let (_, length) = decode_prefix::<BloomFilterHeader>(filter).ok()?;
        Some(length)
    };
    let header = length(first).ok_or("one of them is damaged")?;
    let mut all = first.to_vec();
    for other in others {
        if other.len() != all.len() || other[..header] != all[..header] {
            return Err("they have several sizes");
        }
        for (byte, other) in all.iter_mut().zip(&other[..]).skip(header) {
            *byte |= other;
        }
    }
    let bits = &all[header..];
    let ones: u64 = bits.iter().map(|byte| u64::from(byte.count_ones())).sum();
    let share = ones as f64 / (8 * bits.len()).max(1) as f64;
    if share.powi(WORDS) > MOST_FALSE {
        Err("a filter of their size would be of little use for so many values")
    } else {
        Ok(all.into())
    }
}
