//! Joins Bloom filters.

use bytelane_parquet::format::{BloomFilterHeader, decode_prefix};
use bytes::Bytes;

/// Maximum false-positive probability of a joined filter.
const MOST_FALSE: f64 = 0.05;

/// Number of words in a block. A value sets one bit in each.
const WORDS: i32 = 8;

/// Returns the union of filters with the same size; `None` if there is none, or it would be of little
/// use for so many values.
pub(in crate::merge) fn joined(filters: &[&Bytes]) -> Option<Bytes> {
    let (first, others) = filters.split_first()?;
    if others.is_empty() {
        return Some((*first).clone());
    }
    let (_, header) = decode_prefix::<BloomFilterHeader>(first).ok()?;
    let mut all = first.to_vec();
    for other in others {
        if other.len() != all.len() || other[..header] != all[..header] {
            return None;
        }
        for (byte, other) in all.iter_mut().zip(&other[..]).skip(header) {
            *byte |= other;
        }
    }
    let bits = &all[header..];
    let ones: u64 = bits.iter().map(|byte| u64::from(byte.count_ones())).sum();
    let share = ones as f64 / (8 * bits.len()).max(1) as f64;
    (share.powi(WORDS) <= MOST_FALSE).then(|| all.into())
}
