//! Joins the dictionaries of several chunks.

use crate::merge::leaf::StoredPage;
use bytelane_parquet::budget::MemoryLimit;
use bytelane_parquet::page::{PageEditor, PageKind, read_header};
use bytelane_parquet::{Error, Problem, Result};
use bytes::Bytes;
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;

/// Memory that an entry takes while its dictionary is added, in bytes, besides its own bytes.
const EACH: u64 = 32;

/// Memory, in bytes, that a dictionary may take without asking the system how much there is.
const LITTLE: u64 = 1 << 20;

/// Number of entries that are looked up at a time.
const BATCH: usize = 64;

/// Distinct entries of all dictionaries, PLAIN-encoded.
pub(in crate::merge) struct Dictionary {
    /// Size of an entry in bytes; `None` if each has a length prefix.
    width: Option<usize>,
    entries: Vec<u8>,
    /// Start of each entry, including its length prefix, and the end of the last one; unused if all
    /// have one size.
    starts: Vec<u32>,
    table: Table,
    /// Last dictionary added, and its map.
    last: Option<(Bytes, Map)>,
}

/// Index in the joined dictionary for each entry of an input's; `None` if they are the same.
pub(in crate::merge) type Map = Option<std::sync::Arc<[u32]>>;

impl Dictionary {
    pub(in crate::merge) fn new(width: Option<usize>) -> Self {
        Self {
            width,
            entries: Vec::new(),
            starts: vec![0],
            table: Table::new(),
            last: None,
        }
    }

    /// Returns the number of entries.
    pub(in crate::merge) fn len(&self) -> usize {
        match self.width {
            Some(width) => self.entries.len() / width.max(1),
            None => self.starts.len() - 1,
        }
    }

    /// Returns the PLAIN-encoded entries.
    pub(in crate::merge) fn bytes(&self) -> &[u8] {
        &self.entries
    }

    /// Adds a dictionary of `count` entries, and returns the map of their indices; `None` if all
    /// entries together exceed `limit` bytes.
    ///
    /// # Errors
    ///
    /// The dictionary is damaged, or has more entries than memory allows.
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
        check_count(bytes, count)?;
        let numbers = match self.width {
            Some(width) => {
                let length = count
                    .checked_mul(width)
                    .filter(|length| count.max(*length) <= bytes.len());
                let bytes = &bytes[..length.ok_or_else(too_few)?];
                // A width known at compile time makes loops of hashes and comparisons short.
                match width {
                    4 => self.numbers(bytes.as_chunks::<4>().0, limit),
                    8 => self.numbers(bytes.as_chunks::<8>().0, limit),
                    _ => self.numbers(bytes.chunks_exact(width.max(1)), limit),
                }
            }
            None => self.numbers(strings(bytes, count)?, limit),
        };
        let Some(numbers) = numbers else {
            return Ok(None);
        };
        let is_same = numbers.iter().copied().eq(0..numbers.len() as u32);
        let map: Map = (!is_same).then(|| numbers.into());
        self.last = Some((bytes.clone(), map.clone()));
        Ok(Some(map))
    }

    /// Returns the indices of entries. Adds new ones.
    fn numbers<'a, E: AsRef<[u8]> + ?Sized + 'a>(
        &mut self,
        entries: impl IntoIterator<Item = &'a E>,
        limit: usize,
    ) -> Option<Vec<u32>> {
        let mut entries = entries.into_iter();
        let mut numbers = Vec::with_capacity(entries.size_hint().0);
        let mut batch: [&[u8]; BATCH] = [&[]; BATCH];
        let mut guesses = [(0, 0); BATCH];
        loop {
            let mut count = 0;
            for (slot, entry) in batch.iter_mut().zip(entries.by_ref()) {
                *slot = entry.as_ref();
                count += 1;
            }
            let batch = &batch[..count];
            // Lookups that do not depend on each other wait for the cache at the same time.
            for (guess, entry) in guesses.iter_mut().zip(batch) {
                let hash = self.table.hash(entry);
                *guess = (hash, self.table.guess(hash));
            }
            for ((hash, guess), entry) in guesses.iter().zip(batch) {
                let number = match guess.checked_sub(1) {
                    Some(number) if equal(self.entry(number), entry) => number,
                    _ => self.insert(*hash, entry),
                };
                numbers.push(number);
                if self.entries.len() > limit {
                    return None;
                }
            }
            if count < BATCH {
                return Some(numbers);
            }
        }
    }

    #[inline(always)]
    fn entry(&self, number: u32) -> &[u8] {
        let at = number as usize;
        match self.width {
            Some(width) => &self.entries[at * width..][..width],
            None => &self.entries[self.starts[at] as usize..self.starts[at + 1] as usize],
        }
    }

    /// Returns the index of an entry. Adds it if it is new.
    fn insert(&mut self, hash: u32, entry: &[u8]) -> u32 {
        match self
            .table
            .find(hash, |number| equal(self.entry(number), entry))
        {
            Ok(number) => number,
            Err(free) => {
                let number = self.len() as u32;
                self.entries.extend_from_slice(entry);
                if self.width.is_none() {
                    self.starts.push(self.entries.len() as u32);
                }
                self.table.insert(free, hash, number);
                number
            }
        }
    }
}

/// Returns an error if a dictionary has more entries than memory allows.
fn check_count(bytes: &[u8], count: usize) -> Result<()> {
    let taken = (count as u64).saturating_mul(EACH);
    if taken <= LITTLE {
        return Ok(());
    }
    let limit = MemoryLimit::default().of_read(bytes.len() as u64);
    if taken > limit {
        return Err(Problem::MemoryLimit { limit }.into());
    }
    Ok(())
}

/// Returns the entries of a dictionary of strings, each with its length prefix.
fn strings(bytes: &[u8], count: usize) -> Result<Vec<&[u8]>> {
    if count > bytes.len() {
        return Err(too_few());
    }
    check_count(bytes, count)?;
    // A vector that grows would take twice the memory.
    let (mut rest, mut entries) = (bytes, Vec::with_capacity(count));
    for _ in 0..count {
        let length = rest
            .first_chunk()
            .map(|it| u32::from_le_bytes(*it) as usize);
        let length = length.and_then(|length| length.checked_add(size_of::<u32>()));
        let (entry, others) = length
            .and_then(|length| rest.split_at_checked(length))
            .ok_or_else(too_few)?;
        rest = others;
        entries.push(entry);
    }
    Ok(entries)
}

/// Returns the PLAIN-encoded entries of a dictionary.
pub(in crate::merge) fn entries_of(
    width: Option<usize>,
    bytes: &Bytes,
    count: usize,
) -> Result<Vec<Bytes>> {
    match width {
        Some(width) => {
            let length = count.checked_mul(width.max(1));
            let length = length.filter(|length| *length <= bytes.len());
            let entries = bytes[..length.ok_or_else(too_few)?].chunks_exact(width.max(1));
            Ok(entries.map(|entry| bytes.slice_ref(entry)).collect())
        }
        None => {
            let entries = strings(bytes, count)?.into_iter();
            Ok(entries.map(|entry| bytes.slice_ref(entry)).collect())
        }
    }
}

/// Returns the length, in bytes, of each string of a dictionary.
pub(in crate::merge) fn lengths(bytes: &[u8], count: usize) -> Result<Vec<u32>> {
    let strings = strings(bytes, count)?.into_iter();
    let lengths = strings.map(|entry| (entry.len() - size_of::<u32>()) as u32);
    Ok(lengths.collect())
}

/// Returns the values of a dictionary, and their number.
pub(in crate::merge) fn dictionary_of(
    page: &StoredPage,
    editor: &mut PageEditor,
) -> Result<(Bytes, usize)> {
    let (checked, body) = (read_header(&page.page.header)?, page.body());
    checked.check(&body)?;
    let PageKind::Dictionary(header) = checked.kind else {
        return Err(Error::corrupt("a dictionary without its header"));
    };
    Ok((editor.dictionary(&header, &body)?, header.values))
}

/// Entries of one dictionary.
#[derive(Default)]
pub(in crate::merge) struct Entries {
    bytes: Bytes,
    places: Vec<Range<usize>>,
}

impl Entries {
    /// Splits a dictionary, given the number of its entries, and their size in bytes if they have one.
    pub(in crate::merge) fn new(bytes: Bytes, count: usize, width: Option<usize>) -> Result<Self> {
        let places = match width {
            None => {
                let mut at = 0;
                let places = lengths(&bytes, count)?.into_iter().map(|length| {
                    let start = at + size_of::<u32>();
                    at = start + length as usize;
                    start..at
                });
                places.collect()
            }
            Some(width) if bytes.len() / width.max(1) < count => {
                let found = bytes.len();
                return Err(Error::corrupt(format!(
                    "a dictionary of {found} bytes instead of {count} values of {width} bytes"
                )));
            }
            Some(width) => (0..count).map(|at| at * width..(at + 1) * width).collect(),
        };
        Ok(Self { bytes, places })
    }

    pub(in crate::merge) fn len(&self) -> usize {
        self.places.len()
    }

    pub(in crate::merge) fn get(&self, index: u32) -> Option<&[u8]> {
        let place = self.places.get(index as usize)?;
        self.bytes.get(place.clone())
    }

    pub(in crate::merge) fn iter(&self) -> impl Iterator<Item = &[u8]> + Clone {
        self.places.iter().map(|place| &self.bytes[place.clone()])
    }
}

/// Compares short entries inline.
#[inline(always)]
fn equal(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let (words, rest) = one.as_chunks::<8>();
    let (others, other_rest) = other.as_chunks::<8>();
    words.iter().eq(others) && (word(rest) == word(other_rest))
}

/// Returns up to 7 bytes as an integer.
#[inline(always)]
fn word(rest: &[u8]) -> u64 {
    if let (Some(first), Some(last)) = (rest.first_chunk::<4>(), rest.last_chunk::<4>()) {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        return u64::from(last) << 32 | u64::from(first);
    }
    rest.iter()
        .fold(0, |word, byte| word << 8 | u64::from(*byte))
}

const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Hash table of entry indices.
struct Table {
    /// Hashes, and entry indices plus 1; 0 in free slots. The number of slots is a power of two.
    slots: Vec<(u32, u32)>,
    used: usize,
    seed: u64,
}

impl Table {
    fn new() -> Self {
        Self {
            slots: vec![(0, 0); 1 << 6],
            used: 0,
            // A random seed prevents crafted collisions.
            seed: RandomState::new().hash_one(FACTOR),
        }
    }

    #[inline(always)]
    fn hash(&self, entry: &[u8]) -> u32 {
        let fold = |hash: u64, word: u64| {
            let product = u128::from(hash ^ word) * u128::from(FACTOR ^ self.seed);
            (product as u64) ^ (product >> 64) as u64
        };
        let (words, rest) = entry.as_chunks::<8>();
        let hash = words.iter().fold(self.seed, |hash, word| {
            fold(hash, u64::from_le_bytes(*word))
        });
        (fold(hash ^ word(rest), entry.len() as u64) >> 32) as u32
    }

    /// Returns the index plus 1 of the first entry with this hash; 0 if there is none nearby.
    #[inline(always)]
    fn guess(&self, hash: u32) -> u32 {
        let mask = self.slots.len() - 1;
        let at = hash as usize & mask;
        let (first, second) = (self.slots[at], self.slots[(at + 1) & mask]);
        if first.0 == hash || first.1 == 0 {
            first.1
        } else if second.0 == hash {
            second.1
        } else {
            0
        }
    }

    /// Returns the index of the equal entry with this hash, or the free slot where it belongs.
    #[inline(always)]
    fn find(&self, hash: u32, is_same: impl Fn(u32) -> bool) -> std::result::Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            match self.slots[at] {
                (_, 0) => return Err(at),
                (other, number) if other == hash && is_same(number - 1) => return Ok(number - 1),
                _ => at = (at + 1) & mask,
            }
        }
    }

    /// Fills a free slot.
    fn insert(&mut self, free: usize, hash: u32, number: u32) {
        self.slots[free] = (hash, number + 1);
        self.used += 1;
        if self.used * 2 > self.slots.len() {
            let larger = vec![(0, 0); self.slots.len() * 2];
            for (hash, number) in std::mem::replace(&mut self.slots, larger) {
                if number > 0
                    && let Err(free) = self.find(hash, |_| false)
                {
                    self.slots[free] = (hash, number);
                }
            }
        }
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

    fn entry(joined: &Dictionary, number: u32) -> &[u8] {
        let at = number as usize;
        &joined.entries[joined.starts[at] as usize..joined.starts[at + 1] as usize]
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
                assert_eq!(entry(&joined, number), wanted);
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
