//! Hash table that finds the dictionary indices of numbers, a batch at a time.

use ahash::RandomState;

/// Number of keys in a batch. The slots of all of them are read before any is compared, so that a wrong
/// prediction of a comparison does not delay the next reads from memory.
pub(super) const BATCH: usize = 64;
/// Index of a free slot. No dictionary has so many entries.
const FREE: u32 = u32::MAX;
/// Number of slots of the first table.
const SLOTS: usize = 1024;
/// Minimum number of slots per key in tables of up to [`SMALL`] keys, and in larger ones. In the caches,
/// many free slots cost less than wrong predictions, which collisions cause.
const SPARSE: usize = 8;
const DENSE: usize = 3;
const SMALL: usize = 1 << 15;

/// Number that identifies a value.
pub(super) trait Key: Copy + Default + Eq {
    /// Hashes the number; the lower bits of the result depend on all of its bits.
    fn hash(self, seed: u64) -> u64;
}

impl Key for u32 {
    #[inline]
    fn hash(self, seed: u64) -> u64 {
        u64::from(self).hash(seed)
    }
}

impl Key for u64 {
    #[inline]
    fn hash(self, seed: u64) -> u64 {
        fold(self ^ seed, 0x9e37_79b9_7f4a_7c15)
    }
}

impl Key for u128 {
    #[inline]
    fn hash(self, seed: u64) -> u64 {
        fold(
            self as u64 ^ seed,
            (self >> 64) as u64 ^ 0x9e37_79b9_7f4a_7c15,
        )
    }
}

/// Multiplies, and combines the halves of the product.
#[inline]
fn fold(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    product as u64 ^ (product >> 64) as u64
}

/// Keys, and a hash table of their indices with linear probing.
pub(super) struct KeyTable<K> {
    keys: Vec<K>,
    /// Indices of keys. Their number is a power of two, or 0 before the first lookup.
    slots: Vec<u32>,
    /// Key of entries that no key finds.
    skipped: Option<K>,
    seed: u64,
}

impl<K: Key> KeyTable<K> {
    pub(super) fn new() -> Self {
        Self {
            keys: Vec::new(),
            slots: Vec::new(),
            skipped: None,
            seed: RandomState::new().hash_one(0),
        }
    }

    /// Returns the keys, in the order of their indices.
    pub(super) fn keys(&self) -> &[K] {
        &self.keys
    }

    /// Returns the keys.
    pub(super) fn into_keys(self) -> Vec<K> {
        self.keys
    }

    /// Guesses the index of each key of a batch: the index in its first slot.
    #[inline]
    pub(super) fn guess(&mut self, keys: &[K], to: &mut [u32]) {
        if self.slots.is_empty() {
            self.slots = vec![FREE; SLOTS];
        }
        let (slots, last) = (self.slots.as_slice(), self.slots.len() - 1);
        for (key, to) in keys.iter().zip(to) {
            *to = slots[key.hash(self.seed) as usize & last];
        }
    }

    /// Returns whether a key has this index.
    #[inline]
    pub(super) fn has(&self, key: K, index: u32) -> bool {
        self.keys
            .get(index as usize)
            .is_some_and(|other| *other == key)
    }

    /// Returns the index of a key whose guess was wrong. A new key gets the next index.
    #[inline(never)]
    pub(super) fn find_or_add(&mut self, key: K) -> u32 {
        let last = self.slots.len() - 1;
        let mut at = key.hash(self.seed) as usize;
        loop {
            match self.slots[at & last] {
                FREE => break,
                index if self.has(key, index) => return index,
                _ => at = at.wrapping_add(1),
            }
        }
        let index = self.keys.len() as u32;
        self.slots[at & last] = index;
        self.keys.push(key);
        let each = if self.keys.len() <= SMALL {
            SPARSE
        } else {
            DENSE
        };
        if each * self.keys.len() > self.slots.len() {
            self.grow();
        }
        index
    }

    /// Adds an entry that no key finds.
    pub(super) fn skip(&mut self, key: K) {
        self.skipped = Some(key);
        self.keys.push(key);
    }

    fn grow(&mut self) {
        let slots = 2 * self.slots.len();
        // Free the former slots first.
        self.slots = Vec::new();
        self.slots = vec![FREE; slots];
        let all = self.keys.iter().zip(0..);
        for (key, index) in all.filter(|(key, _)| Some(**key) != self.skipped) {
            let mut at = key.hash(self.seed) as usize;
            while self.slots[at & (slots - 1)] != FREE {
                at = at.wrapping_add(1);
            }
            self.slots[at & (slots - 1)] = index;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn every_number_keeps_its_index() {
        let mut table = KeyTable::<u64>::new();
        let mut known = HashMap::new();
        // Sequences, and numbers that differ in their uppermost bits only.
        let numbers =
            (0..SMALL as u64).flat_map(|number| [number, number << 48, u64::MAX - number]);
        let numbers: Vec<u64> = numbers.collect();
        let twice: Vec<u64> = numbers
            .iter()
            .chain(numbers.iter().rev())
            .copied()
            .collect();
        for batch in twice.chunks(BATCH) {
            let mut indices = [0; BATCH];
            table.guess(batch, &mut indices);
            for (key, guess) in batch.iter().zip(indices) {
                let next = known.len() as u32;
                let want = *known.entry(*key).or_insert(next);
                let found = if table.has(*key, guess) {
                    guess
                } else {
                    table.find_or_add(*key)
                };
                assert_eq!(found, want, "{key}");
            }
        }
        assert_eq!(table.keys().len(), known.len());
        assert!(table.slots.len() >= DENSE * known.len());
    }
}
