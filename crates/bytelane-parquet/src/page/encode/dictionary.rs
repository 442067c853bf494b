//! Builds the dictionary of a column chunk.

use super::table::{BATCH, Key, KeyTable};
use super::values::DenseValues;
use ahash::RandomState;
use arrow_buffer::Buffer;
use hashbrown::HashTable;

/// Distinct values, in order of first appearance.
pub struct DictionaryBuilder {
    /// Number of bytes per value; `None` for strings.
    width: Option<usize>,
    /// Entries, encoded in PLAIN, unless they are keys of `narrow` or `wide`.
    plain: Vec<u8>,
    /// End of each string in `plain`.
    ends: Vec<usize>,
    /// Indices of values of other sizes than those below, and of strings whose key another one has.
    table: HashTable<u32>,
    /// Indices of values of 4 bytes, of 8 bytes, and of strings.
    narrow: KeyTable<u32>,
    wide: KeyTable<u64>,
    short: KeyTable<u128>,
    hasher: RandomState,
    /// Size at which it accepts no more entries.
    most: usize,
}

/// Number of bytes of a string's length in PLAIN.
const LENGTH: usize = 4;

impl DictionaryBuilder {
    /// Creates a dictionary of fewer than `most` bytes.
    pub(crate) fn new(width: Option<usize>, most: usize) -> Self {
        Self {
            width,
            plain: Vec::new(),
            ends: Vec::new(),
            table: HashTable::new(),
            narrow: KeyTable::new(),
            wide: KeyTable::new(),
            short: KeyTable::new(),
            hasher: RandomState::new(),
            most,
        }
    }

    /// Returns the number of entries.
    pub(crate) fn len(&self) -> usize {
        match self.width {
            Some(width) => self.plain().len() / width,
            None => self.ends.len(),
        }
    }

    /// Returns the entries, encoded in PLAIN.
    pub(crate) fn plain(&self) -> &[u8] {
        match self.width {
            Some(4) => bytemuck::cast_slice(self.narrow.keys()),
            Some(8) => bytemuck::cast_slice(self.wide.keys()),
            _ => &self.plain,
        }
    }

    /// Returns the entries, encoded in PLAIN.
    pub(crate) fn into_plain(self) -> Buffer {
        match self.width {
            Some(4) => Buffer::from_vec(self.narrow.into_keys()),
            Some(8) => Buffer::from_vec(self.wide.into_keys()),
            _ => Buffer::from_vec(self.plain),
        }
    }

    /// Returns the bytes of an entry.
    pub(crate) fn entry(&self, index: u32) -> &[u8] {
        entry(self.width, self.plain(), &self.ends, index)
    }

    /// Returns the number of bytes of an entry.
    #[inline]
    pub(crate) fn length(&self, index: u32) -> usize {
        self.width.unwrap_or_else(|| {
            let (start, end) = ends_of(&self.ends, index);
            end - start
        })
    }

    /// Calls a function with each entry.
    pub(crate) fn for_each(&self, see: impl FnMut(&[u8])) {
        (0..self.len() as u32)
            .map(|index| self.entry(index))
            .for_each(see);
    }

    /// Appends the indices of values, adding entries for new values. Returns false if the
    /// dictionary has grown too large.
    pub(crate) fn append(&mut self, values: DenseValues<'_>, to: &mut Vec<u32>) -> bool {
        match values {
            DenseValues::Fixed(bytes, 4) => {
                let (values, _) = bytes.as_chunks::<4>();
                append_numbers(&mut self.narrow, values, u32::from_ne_bytes, self.most, to)
            }
            DenseValues::Fixed(bytes, 8) => {
                let (values, _) = bytes.as_chunks::<8>();
                append_numbers(&mut self.wide, values, u64::from_ne_bytes, self.most, to)
            }
            DenseValues::Fixed(bytes, width) => self.append_each(bytes.chunks_exact(width), to),
            DenseValues::Strings(strings) => self.append_strings(strings, to),
            DenseValues::Bits(_) | DenseValues::Indices(_) => false,
        }
    }

    fn append_each<'a>(
        &mut self,
        values: impl Iterator<Item = &'a [u8]>,
        to: &mut Vec<u32>,
    ) -> bool {
        for value in values {
            to.push(self.index_of(value));
            if self.plain.len() >= self.most {
                return false;
            }
        }
        true
    }

    /// Appends the indices of strings. Short ones are compared as integers, long ones with the first string
    /// that had the same key.
    fn append_strings(&mut self, strings: &[&[u8]], to: &mut Vec<u32>) -> bool {
        let start = to.len();
        to.resize(start + strings.len(), 0);
        let (mut keys, mut last) = ([LONG; BATCH], (LONG, 0));
        let batches = strings.chunks(BATCH);
        for (strings, to) in batches.zip(to[start..].chunks_mut(BATCH)) {
            let pairs = keys.iter_mut().zip(strings);
            pairs.for_each(|(key, string)| *key = key_of(string));
            let keys = &keys[..strings.len()];
            if !is_long(last.0) && repeats(keys, last) {
                to.fill(last.1);
                continue;
            }
            self.short.guess(keys, to);
            for ((key, string), to) in keys.iter().zip(strings).zip(to) {
                if !self.short.has(*key, *to) {
                    *to = self.short.find_or_add(*key);
                    if *to as usize == self.ends.len() {
                        self.push_string(string);
                    }
                }
                if is_long(*key) && self.entry(*to) != *string {
                    *to = self.index_of(string);
                }
                if self.plain.len() >= self.most {
                    return false;
                }
                last = (*key, *to);
            }
        }
        true
    }

    fn push_string(&mut self, string: &[u8]) {
        let length = (string.len() as u32).to_le_bytes();
        self.plain.extend_from_slice(&length);
        self.plain.extend_from_slice(string);
        self.ends.push(self.plain.len());
    }

    /// Returns the index of a value, adding an entry if it is new. Returns `None` if the dictionary
    /// has grown too large.
    pub(crate) fn index(&mut self, value: &[u8]) -> Option<u32> {
        let mut index = Vec::with_capacity(1);
        let value = match self.width {
            Some(width) => DenseValues::Fixed(value, width),
            None => DenseValues::Strings(&[value]),
        };
        self.append(value, &mut index).then(|| index[0])
    }

    fn index_of(&mut self, value: &[u8]) -> u32 {
        let next = self.len() as u32;
        let (width, plain, ends, hasher) = (self.width, &self.plain, &self.ends, &self.hasher);
        let found = self.table.entry(
            hasher.hash_one(value),
            |index| entry(width, plain, ends, *index) == value,
            |index| hasher.hash_one(entry(width, plain, ends, *index)),
        );
        let index = *found.or_insert(next).get();
        if index == next {
            match self.width {
                Some(_) => self.plain.extend_from_slice(value),
                None => {
                    self.push_string(value);
                    self.short.skip(LONG);
                }
            }
        }
        index
    }
}

/// Appends the indices of fixed-width values. The keys of the table have their bytes. Returns false if
/// these reach `most` bytes.
fn append_numbers<K: Key, const WIDTH: usize>(
    table: &mut KeyTable<K>,
    values: &[[u8; WIDTH]],
    number: impl Fn([u8; WIDTH]) -> K,
    most: usize,
    to: &mut Vec<u32>,
) -> bool {
    let start = to.len();
    to.resize(start + values.len(), 0);
    let (mut keys, mut last) = ([K::default(); BATCH], None);
    for (values, to) in values.chunks(BATCH).zip(to[start..].chunks_mut(BATCH)) {
        let pairs = keys.iter_mut().zip(values);
        pairs.for_each(|(key, value)| *key = number(*value));
        let keys = &keys[..values.len()];
        if let Some((_, index)) = last.filter(|last| repeats(keys, *last)) {
            to.fill(index);
            continue;
        }
        table.guess(keys, to);
        for (key, to) in keys.iter().zip(to.iter_mut()) {
            if !table.has(*key, *to) {
                *to = table.find_or_add(*key);
            }
        }
        if WIDTH * table.keys().len() >= most {
            return false;
        }
        last = keys.last().copied().zip(to.last().copied());
    }
    true
}

/// Returns whether all keys of a batch are the last one before it.
fn repeats<K: Key>(keys: &[K], last: (K, u32)) -> bool {
    keys.iter().all(|key| *key == last.0)
}

/// Key that no short string has.
const LONG: u128 = u128::MAX;

/// Returns a number that identifies a short string, or that few long strings share.
#[inline]
fn key_of(string: &[u8]) -> u128 {
    short_key(string)
        .or_else(|| long_key(string))
        .unwrap_or(LONG)
}

/// Returns whether a key is that of long strings, in place of a length.
fn is_long(key: u128) -> bool {
    (key >> 120) as u8 == u8::MAX
}

/// Mixes eight bytes of the start, the middle and the end of a string of at least 16 bytes, and its length.
fn long_key(string: &[u8]) -> Option<u128> {
    let number = |at: usize| string[at..].first_chunk().map(|it| u64::from_le_bytes(*it));
    let length = string.len();
    let middle = number(length / 2 - 4)?.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let end = number(length - 8)?.wrapping_add(length as u64);
    let high = end.wrapping_mul(0xff51_afd7_ed55_8ccd);
    let low = number(0)? ^ middle.rotate_left(32);
    Some(u128::from(low) | u128::from(high) << 64 | u128::from(u8::MAX) << 120)
}

/// Returns a number that identifies a string of up to 15 bytes: its bytes and its length.
fn short_key(string: &[u8]) -> Option<u128> {
    let length = string.len();
    let (low, high) = match length {
        0 => (0, 0),
        1..4 => {
            let byte = |at: usize| u64::from(string[at]) << (8 * at);
            (byte(0) | byte(length / 2) | byte(length - 1), 0)
        }
        4..8 => {
            let number = |at: usize| string[at..].first_chunk().map(|it| u32::from_le_bytes(*it));
            let last = u64::from(number(length - 4)?) << (8 * (length - 4));
            (u64::from(number(0)?) | last, 0)
        }
        8..16 => {
            let number = |at: usize| string[at..].first_chunk().map(|it| u64::from_le_bytes(*it));
            let shift = 8 * (16 - length) as u32;
            (
                number(0)?,
                number(length - 8)?.checked_shr(shift).unwrap_or(0),
            )
        }
        _ => return None,
    };
    Some(u128::from(low) | u128::from(high) << 64 | (length as u128) << 120)
}

/// Returns where the bytes of a string start and end.
#[inline]
fn ends_of(ends: &[usize], index: u32) -> (usize, usize) {
    let index = index as usize;
    let before = if index == 0 { 0 } else { ends[index - 1] };
    (before + LENGTH, ends[index])
}

fn entry<'a>(width: Option<usize>, plain: &'a [u8], ends: &[usize], index: u32) -> &'a [u8] {
    match width {
        Some(width) => &plain[index as usize * width..(index as usize + 1) * width],
        None => {
            let (start, end) = ends_of(ends, index);
            &plain[start..end]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn strings_of_every_length_have_an_entry_each() {
        let bytes = [0, 1, 0xff];
        let strings = (0..40).flat_map(|length| {
            let filled = move |byte: u8| vec![byte; length];
            let changed = (0..length).map(move |at| {
                let mut string = vec![7; length];
                string[at] = 8;
                string
            });
            bytes.into_iter().map(filled).chain(changed)
        });
        // Long strings with the same key.
        let alike = (0..5).map(|byte| [vec![7; 20], vec![byte; 2], vec![7; 50]].concat());
        let strings = strings.chain([vec![7; 3], vec![7; 30]]).chain(alike);
        let strings: Vec<Vec<u8>> = strings.collect();
        let twice = strings.iter().chain(strings.iter().rev());
        let twice: Vec<&[u8]> = twice.map(Vec::as_slice).collect();
        let mut dictionary = DictionaryBuilder::new(None, usize::MAX);
        let mut indices = Vec::new();
        assert!(dictionary.append(DenseValues::Strings(&twice), &mut indices));
        let mut known = HashMap::new();
        for (string, index) in twice.iter().zip(&indices) {
            assert_eq!(dictionary.entry(*index), *string);
            assert_eq!(dictionary.length(*index), string.len());
            assert_eq!(*known.entry(*string).or_insert(*index), *index);
        }
        assert_eq!(known.len(), dictionary.len());
    }
}
