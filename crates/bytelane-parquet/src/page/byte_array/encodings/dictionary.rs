//! Prepares the entries of a dictionary for being copied many times.

use super::copy::{BLOCK, Strings, TWO_STEPS};
use super::indices::Indices;
use super::plain::Entries;
use super::room::LONG_STEP;
use super::room::Room;
use crate::Result;
use crate::memory::compact_to;
use arrow_array::OffsetSizeTrait;
use arrow_buffer::BooleanBuffer;
use bytelane::Detected;
use bytelane::rle_hybrid::Dictionary;
use bytelane::validity::Element;
use bytemuck::Pod;
use std::ops::Range;

/// Maximum length of entries that fit into a number together with their length.
const SHORT: usize = 15;

/// Entries in which indices are looked up.
pub(crate) enum Table {
    /// Bytes of each entry, with its length in the last byte.
    Short {
        entries: Dictionary<u128>,
        found: Vec<u128>,
        kept: Vec<u128>,
    },
    /// Offset of each entry in the upper half, and its length in the lower half.
    Long {
        places: Dictionary<u64>,
        found: Vec<u64>,
        kept: Vec<u64>,
        /// Bytes of all entries, followed by padding.
        bytes: Vec<u8>,
        /// Length of the longest entry.
        longest: usize,
    },
}

impl Table {
    pub(crate) fn new(entries: &Entries) -> Self {
        let lengths = entries.places.iter().map(|(_, length)| *length as usize);
        let longest = lengths.max().unwrap_or(0);
        if longest <= SHORT {
            let values: Vec<_> = entries.iter().map(short).collect();
            return Self::Short {
                entries: Dictionary::new(&values),
                found: vec![0; BLOCK],
                kept: Vec::new(),
            };
        }
        let places = entries.places.iter();
        let places: Vec<_> = places
            .map(|(start, length)| u64::from(*start) << 32 | u64::from(*length))
            .collect();
        Self::Long {
            places: Dictionary::new(&places),
            found: vec![0; BLOCK],
            kept: Vec::new(),
            bytes: [&entries.bytes[..], &[0; LONG_STEP]].concat(),
            longest,
        }
    }

    /// Appends the entries of the next indices to the strings; if there is a mask, only those whose bits are set.
    /// Writes the end of each to `ends`, which has room for all; returns their number.
    pub(crate) fn copy<O: OffsetSizeTrait>(
        &mut self,
        indices: &mut Indices,
        mask: Option<&Mask<'_>>,
        ends: &mut [O],
        to: &mut Vec<u8>,
        room: &Room<'_>,
    ) -> Result<usize> {
        let count = ends.len();
        let blocks = count.div_ceil(BLOCK);
        let mut kept = 0;
        for block in 0..blocks {
            let range = block * BLOCK..count.min((block + 1) * BLOCK);
            let ends = &mut ends[kept..];
            let room = room.without(count - range.end);
            match self {
                Table::Short {
                    entries,
                    found,
                    kept: to_keep,
                } => {
                    let found = &mut found[..range.len()];
                    indices.look_up(entries, found)?;
                    let found = retained(found, to_keep, mask, range);
                    kept += found.len();
                    let length = found.iter().map(|entry| short_length(entry) as u64);
                    let length = length.sum::<u64>();
                    room.reserve(to, length)?;
                    let mut strings = Strings::after(to);
                    for (end, entry) in ends.iter_mut().zip(found) {
                        strings.push_number(*entry, short_length(entry));
                        *end = O::usize_as(strings.len());
                    }
                }
                Table::Long {
                    places,
                    found,
                    kept: to_keep,
                    bytes,
                    longest,
                } => {
                    let found = &mut found[..range.len()];
                    indices.look_up(places, found)?;
                    let found = retained(found, to_keep, mask, range);
                    kept += found.len();
                    let length = found.iter().map(|place| *place & LENGTH).sum::<u64>();
                    room.reserve(to, length)?;
                    let mut strings = Strings::after(to);
                    let places = ends.iter_mut().zip(found);
                    let strings = &mut strings;
                    if *longest <= TWO_STEPS {
                        copy_places(places, bytes, strings, Strings::push_step::<TWO_STEPS>);
                    } else if *longest <= LONG_STEP {
                        copy_places(places, bytes, strings, Strings::push_step::<LONG_STEP>);
                    } else {
                        copy_places(places, bytes, strings, Strings::push);
                    }
                }
            }
        }
        Ok(kept)
    }
}

/// Mask of the values to keep.
pub(crate) struct Mask<'a> {
    pub(crate) backend: Detected,
    /// Bits that begin at the lowest bit of the first byte.
    pub(crate) bits: &'a BooleanBuffer,
}

/// Returns the values whose bits in a range of a mask are set. The range begins with a byte.
fn retained<'a, T: Element + Pod>(
    found: &'a [T],
    kept: &'a mut Vec<T>,
    mask: Option<&Mask<'_>>,
    range: Range<usize>,
) -> &'a [T] {
    let Some(Mask { backend, bits }) = mask else {
        return found;
    };
    let bits = bits.slice(range.start, range.len());
    let bits = BooleanBuffer::new(bits.sliced(), 0, bits.len());
    kept.resize(BLOCK, T::zeroed());
    compact_to(*backend, &bits, found, &mut kept[..])
}

/// Appends entries by a function that gets their bytes, what follows them, and their length. Writes the end of each.
#[inline(always)]
fn copy_places<'a, 's, O: OffsetSizeTrait>(
    places: impl Iterator<Item = (&'a mut O, &'a u64)>,
    bytes: &[u8],
    to: &mut Strings<'s>,
    push: impl Fn(&mut Strings<'s>, &[u8], usize),
) {
    for (end, place) in places {
        let from = &bytes[(*place >> 32) as usize..];
        push(to, from, (*place & LENGTH) as usize);
        *end = O::usize_as(to.len());
    }
}

/// Mask of the length of an entry, next to its offset.
const LENGTH: u64 = u32::MAX as u64;

fn short(entry: &[u8]) -> u128 {
    let mut bytes = [0; 16];
    bytes[..entry.len()].copy_from_slice(entry);
    bytes[SHORT] = entry.len() as u8;
    u128::from_le_bytes(bytes)
}

#[inline(always)]
fn short_length(entry: &u128) -> usize {
    (entry >> (8 * SHORT)) as usize
}
