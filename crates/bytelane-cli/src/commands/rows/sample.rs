//! Chooses random rows.

use rand_mt::Mt64;
use std::collections::BTreeSet;
use std::hash::{BuildHasher, RandomState};

/// Returns `wanted` of `total` rows, or all if there are fewer, in ascending order. Each set of rows is equally likely.
pub fn choose(total: u64, wanted: u64, seed: Option<u64>) -> Vec<u64> {
    // The standard library's only source of random numbers is a hasher.
    let seed = seed.unwrap_or_else(|| RandomState::new().hash_one(0));
    let mut random = Mt64::new(seed);
    let wanted = wanted.min(total);
    // Robert Floyd's algorithm: Bentley, "Programming pearls: a sample of brilliance", CACM 30 (9), 1987.
    let mut chosen = BTreeSet::new();
    for last in total - wanted..total {
        let row = below(last + 1, &mut random);
        if !chosen.insert(row) {
            chosen.insert(last);
        }
    }
    chosen.into_iter().collect()
}

/// Returns a random number below `end`. Numbers are equally likely up to a bias of `end / 2^64`.
fn below(end: u64, random: &mut Mt64) -> u64 {
    let product = u128::from(random.next_u64()) * u128::from(end);
    (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_distinct_and_in_order() {
        assert_eq!(choose(5, 5, Some(1)), [0, 1, 2, 3, 4]);
        assert_eq!(choose(5, 9, Some(1)).len(), 5);
        assert!(choose(0, 3, None).is_empty());
        let rows = choose(u64::MAX, 1000, Some(7));
        assert_eq!(rows.len(), 1000);
        assert!(rows.is_sorted());
        assert_eq!(choose(u64::MAX, 1000, Some(7)), rows);
        assert_ne!(choose(u64::MAX, 1000, Some(8)), rows);
    }

    #[test]
    fn all_pairs_are_equally_likely() {
        let mut counts = std::collections::BTreeMap::new();
        for seed in 0..10_000 {
            *counts.entry(choose(5, 2, Some(seed))).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 10);
        // The expected count is 1000, with a standard deviation of 30.
        for (rows, count) in counts {
            assert!((800..1200).contains(&count), "{rows:?}: {count}");
        }
    }
}
