//! Dictionaries of several chunks joined to one.

use crate::{Error, Result};
use bytes::Bytes;
use std::hash::{BuildHasher, RandomState};

/// The entries of all dictionaries, each once, in PLAIN.
pub(in crate::merge) struct Dictionary {
    /// Bytes of an entry; none if each has its length in front.
    width: Option<usize>,
    entries: Vec<u8>,
    /// Where each entry begins, its length included.
    starts: Vec<u32>,
    /// Entries by their hash: their number and 1, or 0.
    table: Vec<u32>,
    seed: u64,
    /// The dictionary that was added last, and its map.
    last: Option<(Bytes, Map)>,
}

/// For each entry of a dictionary its number in the joined one; none if they are the same.
pub(in crate::merge) type Map = Option<std::sync::Arc<[u32]>>;

const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

impl Dictionary {
    pub(in crate::merge) fn new(width: Option<usize>) -> Self {
        Self {
            width,
            entries: Vec::new(),
            starts: Vec::new(),
            table: vec![0; 1 << 6],
            // Nobody can choose entries that share a place.
            seed: RandomState::new().hash_one(FACTOR),
            last: None,
        }
    }

    /// Number of entries.
    pub(in crate::merge) fn len(&self) -> usize {
        self.starts.len()
    }

    /// The entries in PLAIN.
    pub(in crate::merge) fn bytes(&self) -> &[u8] {
        &self.entries
    }

    /// Adds a dictionary of `count` entries, and returns their numbers; none if all entries together have more than `limit`
    /// bytes.
    pub(in crate::merge) fn add(
        &mut self,
        bytes: &Bytes,
        count: usize,
        limit: usize,
    ) -> Result<Option<Map>> {
        if let Some((last, map)) = &self.last
            && last == bytes
        {
            return Ok(Some(map.clone()));
        }
        if count > bytes.len() {
            return Err(too_few());
        }
        let mut map = Vec::with_capacity(count);
        let mut rest = &bytes[..];
        let mut is_same = true;
        for number in 0..count {
            let length = self.length(rest)?;
            let (entry, others) = rest.split_at(length);
            rest = others;
            let found = self.insert(entry);
            is_same &= found as usize == number;
            map.push(found);
            if self.entries.len() > limit {
                return Ok(None);
            }
        }
        let map: Map = (!is_same).then(|| map.into());
        self.last = Some((bytes.clone(), map.clone()));
        Ok(Some(map))
    }

    /// Returns the number of bytes of the next entry.
    fn length(&self, rest: &[u8]) -> Result<usize> {
        let length = match self.width {
            Some(width) => Some(width),
            None => {
                let length = rest
                    .first_chunk()
                    .map(|it| u32::from_le_bytes(*it) as usize);
                length.and_then(|length| length.checked_add(size_of::<u32>()))
            }
        };
        length
            .filter(|length| *length <= rest.len())
            .ok_or_else(too_few)
    }

    fn entry(&self, number: u32) -> &[u8] {
        let number = number as usize;
        let end = self.starts.get(number + 1).map(|end| *end as usize);
        &self.entries[self.starts[number] as usize..end.unwrap_or(self.entries.len())]
    }

    /// Returns the number of an entry, which is added if it is new.
    fn insert(&mut self, entry: &[u8]) -> u32 {
        let mut at = self.place(entry);
        loop {
            match self.table[at] {
                0 => break,
                number if self.entry(number - 1) == entry => return number - 1,
                _ => at = (at + 1) % self.table.len(),
            }
        }
        let number = self.starts.len() as u32;
        self.starts.push(self.entries.len() as u32);
        self.entries.extend_from_slice(entry);
        self.table[at] = number + 1;
        if self.starts.len() * 2 > self.table.len() {
            self.grow();
        }
        number
    }

    fn grow(&mut self) {
        let mut table = vec![0; self.table.len() * 2];
        std::mem::swap(&mut table, &mut self.table);
        for number in table.into_iter().filter(|number| *number > 0) {
            let mut at = self.place(self.entry(number - 1));
            while self.table[at] != 0 {
                at = (at + 1) % self.table.len();
            }
            self.table[at] = number;
        }
    }

    /// Returns the place in the table at which the search for an entry begins.
    fn place(&self, entry: &[u8]) -> usize {
        let fold = |hash: u64, word: u64| {
            let product = u128::from(hash ^ word) * u128::from(FACTOR ^ self.seed);
            (product as u64) ^ (product >> 64) as u64
        };
        let (words, rest) = entry.as_chunks::<8>();
        let hash = words.iter().fold(self.seed, |hash, word| {
            fold(hash, u64::from_le_bytes(*word))
        });
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        let hash = fold(fold(hash, u64::from_le_bytes(last)), entry.len() as u64);
        hash as usize % self.table.len()
    }
}

fn too_few() -> Error {
    Error::corrupt("the dictionary has fewer values than its header says")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(of: impl IntoIterator<Item = u32>) -> (Bytes, usize) {
        let mut bytes = Vec::new();
        let mut count = 0;
        for number in of {
            let text = "x".repeat(number as usize % 30) + &number.to_string();
            bytes.extend((text.len() as u32).to_le_bytes());
            bytes.extend(text.as_bytes());
            count += 1;
        }
        (bytes.into(), count)
    }

    #[test]
    fn each_entry_is_there_once_and_numbers_lead_to_it() {
        let mut joined = Dictionary::new(None);
        let parts = [(0..500), (100..900), (0..500), (899..900)];
        for (at, part) in parts.into_iter().enumerate() {
            let (bytes, count) = strings(part.clone());
            let map = joined.add(&bytes, count, 1 << 20).unwrap().unwrap();
            assert_eq!(map.is_none(), at == 0 || at == 2, "{at}");
            for (number, wanted) in part.enumerate() {
                let number = map.as_ref().map_or(number as u32, |map| map[number]);
                let (wanted, _) = strings([wanted]);
                assert_eq!(joined.entry(number), wanted);
            }
        }
        assert_eq!(joined.len(), 900);
        assert_eq!(joined.bytes(), strings(0..900).0);
    }

    #[test]
    fn too_many_bytes_and_too_few_are_noticed() {
        let (bytes, count) = strings(0..500);
        assert!(
            Dictionary::new(None)
                .add(&bytes, count, 1000)
                .unwrap()
                .is_none()
        );
        for cut in [1, 4, 7, bytes.len() - 1] {
            let cut = bytes.slice(..bytes.len() - cut);
            assert!(Dictionary::new(None).add(&cut, count, 1 << 20).is_err());
        }
        let numbers = Bytes::from(vec![0; 40]);
        assert!(Dictionary::new(Some(8)).add(&numbers, 6, 1 << 20).is_err());
        let mut same = Dictionary::new(Some(8));
        let map = same.add(&numbers, 5, 1 << 20).unwrap().unwrap();
        assert_eq!((map.as_deref(), same.len()), (Some(&[0; 5][..]), 1));
    }
}
