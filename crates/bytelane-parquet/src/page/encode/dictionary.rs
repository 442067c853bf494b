//! Builds the dictionary of a column chunk.

use super::values::DenseValues;
use ahash::RandomState;
use hashbrown::HashTable;

/// Distinct values, in order of first appearance.
pub(crate) struct DictionaryBuilder {
    /// Number of bytes per value; `None` for strings.
    width: Option<usize>,
    /// Entries, encoded in PLAIN.
    plain: Vec<u8>,
    /// End of each string in `plain`.
    ends: Vec<usize>,
    table: HashTable<u32>,
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
            hasher: RandomState::new(),
            most,
        }
    }

    /// Returns the number of entries.
    pub(crate) fn len(&self) -> usize {
        match self.width {
            Some(width) => self.plain.len() / width,
            None => self.ends.len(),
        }
    }

    /// Returns the entries, encoded in PLAIN.
    pub(crate) fn plain(&self) -> &[u8] {
        &self.plain
    }

    /// Returns the bytes of an entry.
    pub(crate) fn entry(&self, index: u32) -> &[u8] {
        entry(self.width, &self.plain, &self.ends, index)
    }

    /// Returns the number of bytes of an entry.
    pub(crate) fn length(&self, index: u32) -> usize {
        self.width.unwrap_or_else(|| self.entry(index).len())
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
                let values = bytes.as_chunks::<4>().0.iter();
                let number = |value: &[u8; 4]| u64::from(u32::from_le_bytes(*value));
                self.append_numbers(values, number, to)
            }
            DenseValues::Fixed(bytes, 8) => {
                let values = bytes.as_chunks::<8>().0.iter();
                self.append_numbers(values, |value| u64::from_le_bytes(*value), to)
            }
            DenseValues::Fixed(bytes, width) => self.append_each(bytes.chunks_exact(width), to),
            DenseValues::Strings(strings) => self.append_each(strings.iter().copied(), to),
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
            if self.width.is_none() {
                self.plain
                    .extend_from_slice(&(value.len() as u32).to_le_bytes());
            }
            self.plain.extend_from_slice(value);
            if self.width.is_none() {
                self.ends.push(self.plain.len());
            }
        }
        index
    }

    /// Appends the indices of fixed-width values, which are hashed as integers.
    fn append_numbers<'a, const WIDTH: usize>(
        &mut self,
        values: impl Iterator<Item = &'a [u8; WIDTH]>,
        number: impl Fn(&[u8; WIDTH]) -> u64,
        to: &mut Vec<u32>,
    ) -> bool {
        let mut last = None;
        for value in values {
            if let Some((before, index)) = last
                && before == value
            {
                to.push(index);
                continue;
            }
            let entries = self.plain.as_chunks::<WIDTH>().0;
            let (next, hasher) = (entries.len() as u32, &self.hasher);
            let found = self.table.entry(
                hasher.hash_one(number(value)),
                |index| entries[*index as usize] == *value,
                |index| hasher.hash_one(number(&entries[*index as usize])),
            );
            let index = *found.or_insert(next).get();
            if index == next {
                self.plain.extend_from_slice(value);
            }
            to.push(index);
            last = Some((value, index));
            if self.plain.len() >= self.most {
                return false;
            }
        }
        true
    }
}

fn entry<'a>(width: Option<usize>, plain: &'a [u8], ends: &[usize], index: u32) -> &'a [u8] {
    let index = index as usize;
    match width {
        Some(width) => &plain[index * width..(index + 1) * width],
        None => {
            let start = if index == 0 { 0 } else { ends[index - 1] };
            &plain[start + LENGTH..ends[index]]
        }
    }
}
