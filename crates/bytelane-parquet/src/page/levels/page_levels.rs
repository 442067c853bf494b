//! The levels of a page that is read piece by piece: which slots of the leaf's array it has, and which are null.

use super::super::header::DataPage;
use super::super::parts::LevelBytes;
use super::super::values::Slots;
use super::{bits as levels, empty_runs};
use crate::budget::{Budget, Reservation};
use crate::{Error, Result};
use arrow_buffer::BooleanBufferBuilder;
use bytelane::Detected;
use bytelane::rle_hybrid;
use bytelane::validity::{self, values};
use std::ops::Range;

/// The levels that a leaf's slots are told by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LeafLevels {
    /// That of values, which are not null.
    pub(crate) max_definition: u8,
    /// The number of lists around the leaf.
    pub(crate) max_repetition: u8,
    /// That from which on the innermost list has an entry, and the leaf a slot; 0 without lists.
    pub(crate) slot: u8,
    /// Whether there are lists or structs around the leaf, of which the levels tell as well.
    pub(crate) is_nested: bool,
}

/// How much there is to tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// Nothing: every row has a value.
    Required,
    /// A bit: the value of a row is there, or null.
    Optional,
    /// Levels of both kinds, or of many ancestors.
    Nested,
}

/// The levels of the page that is open; their memory is used again by the next one.
pub(crate) struct PageLevels {
    backend: Detected,
    of: LeafLevels,
    kind: Kind,
    /// Memory of the levels of a page.
    memory: Reservation,
    /// Levels of the page, and those that have been taken.
    count: usize,
    taken: usize,
    valid: usize,
    /// Whether all optional values are valid, or all null.
    uniform: Option<bool>,
    /// Otherwise a bit for each.
    bits: Vec<u8>,
    /// The levels of a nested leaf.
    repetition: Vec<u8>,
    definition: Vec<u8>,
    /// The bits of a piece.
    piece: BooleanBufferBuilder,
    piece_bits: Vec<u8>,
    /// The definition levels of its slots.
    slots: Vec<u8>,
}

impl PageLevels {
    /// A page may have as many levels as the budget has room for.
    pub(crate) fn new(backend: Detected, of: LeafLevels, budget: &Budget) -> Self {
        let kind = match (of.max_repetition, of.max_definition, of.is_nested) {
            (0, 0, _) => Kind::Required,
            (0, 1, false) => Kind::Optional,
            _ => Kind::Nested,
        };
        Self {
            backend,
            of,
            kind,
            memory: budget.reservation(),
            count: 0,
            taken: 0,
            valid: 0,
            uniform: None,
            bits: Vec::new(),
            repetition: Vec::new(),
            definition: Vec::new(),
            piece: BooleanBufferBuilder::new(0),
            piece_bits: Vec::new(),
            slots: Vec::new(),
        }
    }

    /// Reads the levels of the next page.
    pub(crate) fn open(
        &mut self,
        header: &DataPage,
        repetition: LevelBytes,
        definition: LevelBytes,
    ) -> Result<()> {
        let count = header.slots;
        (self.count, self.taken) = (0, 0);
        self.valid = match self.kind {
            Kind::Required => count,
            Kind::Optional => self.read_bits(definition, count)?,
            Kind::Nested => {
                // Both levels, and those of the slots.
                self.memory.cover(3 * count as u64)?;
                let max = self.of.max_repetition;
                read_levels(self.backend, repetition, max, count, &mut self.repetition)
                    .map_err(|error| damaged("repetition", &error))?;
                let max = self.of.max_definition;
                read_levels(self.backend, definition, max, count, &mut self.definition)
                    .map_err(|error| damaged("definition", &error))?;
                count_equal(&self.definition, max)
            }
        };
        self.count = count;
        Ok(())
    }

    /// Reads which values are valid, and returns how many.
    fn read_bits(&mut self, definition: LevelBytes, count: usize) -> Result<usize> {
        let bytes = match definition {
            LevelBytes::Rle(bytes) => bytes,
            LevelBytes::BitPacked(bytes) => levels::from_bit_packed(&bytes).into(),
        };
        self.uniform = levels::uniform(&bytes, count)?;
        match self.uniform {
            Some(true) => Ok(count),
            Some(false) => Ok(0),
            None => {
                self.memory.cover(count as u64 / 8)?;
                levels::read(self.backend, &bytes, count, &mut self.bits)
            }
        }
    }

    /// Values of the page, nulls not counted.
    pub(crate) fn valid(&self) -> usize {
        self.valid
    }

    /// Levels that have not been taken.
    pub(crate) fn left(&self) -> usize {
        self.count - self.taken
    }

    /// Set if the page begins with a row, and not within one.
    pub(crate) fn begins_row(&self) -> bool {
        let first = self.repetition.first();
        !self.has_lists() || first.is_none_or(|level| *level == 0)
    }

    /// Whether a row may end elsewhere than after each level.
    pub(crate) fn has_lists(&self) -> bool {
        self.of.max_repetition > 0
    }

    /// The greatest repetition level.
    pub(crate) fn max_repetition(&self) -> u8 {
        self.of.max_repetition
    }

    /// The levels of the next rows, up to where another row begins after so many of them, and how many rows begin in
    /// them.
    pub(crate) fn rows(&self, rows: usize) -> (usize, usize) {
        if !self.has_lists() {
            let rows = rows.min(self.left());
            return (rows, rows);
        }
        const BLOCK: usize = 128;
        let left = &self.repetition[self.taken..self.count];
        let (mut begun, mut levels) = (0, 0);
        for block in left.chunks(BLOCK) {
            let begin = count_equal(block, 0);
            if begun + begin > rows {
                for level in block {
                    if *level == 0 && begun == rows {
                        break;
                    }
                    begun += usize::from(*level == 0);
                    levels += 1;
                }
                return (levels, begun);
            }
            begun += begin;
            levels += block.len();
        }
        (levels, begun)
    }

    /// Takes the next levels: the slots that they stand for.
    pub(crate) fn take(&mut self, levels: usize) -> Result<Slots<'_>> {
        let range = self.taken..self.taken + levels;
        self.taken = range.end;
        match self.kind {
            Kind::Required => Ok(Slots::Valid(levels)),
            Kind::Optional => self.optional(range),
            Kind::Nested => self.nested(range),
        }
    }

    fn optional(&mut self, range: Range<usize>) -> Result<Slots<'_>> {
        match self.uniform {
            Some(true) => return Ok(Slots::Valid(range.len())),
            Some(false) => return Ok(Slots::Null(range.len())),
            None => {}
        }
        let slots = range.len();
        let bits = match range.start {
            0 => &self.bits[..slots.div_ceil(8)],
            _ => {
                self.piece.truncate(0);
                self.piece.append_packed_range(range, &self.bits);
                self.piece.as_slice()
            }
        };
        mixed(bits, slots)
    }

    fn nested(&mut self, range: Range<usize>) -> Result<Slots<'_>> {
        let LeafLevels {
            max_definition: max,
            slot,
            ..
        } = self.of;
        let levels = &self.definition[range];
        let mut slots = levels;
        if slot > 0 {
            let count = bits_from(self.backend, slot, levels, &mut self.piece_bits)?;
            if count < levels.len() {
                self.slots.resize(count, 0);
                let to = &mut self.slots[..];
                let bits = &self.piece_bits[..];
                let moved = values::compact_with(self.backend, levels, bits, to);
                moved.map_err(|error| Error::corrupt(error.to_string()))?;
                slots = &self.slots;
            }
        }
        let count = slots.len();
        if slot == max {
            return Ok(Slots::Valid(count));
        }
        match bits_from(self.backend, max, slots, &mut self.piece_bits)? {
            0 => Ok(Slots::Null(count)),
            valid if valid == count => Ok(Slots::Valid(count)),
            valid => Ok(Slots::Mixed {
                bits: &self.piece_bits,
                slots: count,
                valid,
            }),
        }
    }

    /// Passes over the next levels, and returns how many values they have.
    pub(crate) fn skip(&mut self, levels: usize) -> Result<usize> {
        if self.kind == Kind::Nested {
            let range = self.taken..self.taken + levels;
            self.taken = range.end;
            return Ok(count_equal(&self.definition[range], self.of.max_definition));
        }
        Ok(self.take(levels)?.valid())
    }

    /// The repetition and definition levels taken last, of a nested column.
    pub(crate) fn last(&self, levels: usize) -> Option<[&[u8]; 2]> {
        let range = self.taken - levels..self.taken;
        let repetition = match self.has_lists() {
            true => &self.repetition[range.clone()],
            false => &[],
        };
        (self.kind == Kind::Nested).then(|| [repetition, &self.definition[range]])
    }
}

/// As few kinds of slots as they are.
fn mixed(bits: &[u8], slots: usize) -> Result<Slots<'_>> {
    Ok(match levels::count_valid(bits, slots)? {
        0 => Slots::Null(slots),
        valid if valid == slots => Slots::Valid(slots),
        valid => Slots::Mixed { bits, slots, valid },
    })
}

/// A bit for each level, which is set from one level on. Returns how many are.
pub(crate) fn bits_from(
    backend: Detected,
    from: u8,
    levels: &[u8],
    to: &mut Vec<u8>,
) -> Result<usize> {
    const BLOCK: usize = 1024;
    let Some(format) = validity::Format::<u8>::new(1) else {
        return Err(Error::corrupt("levels that no column can have"));
    };
    to.resize(levels.len().div_ceil(8), 0);
    let (mut is_from, mut set) = ([0; BLOCK], 0);
    for (levels, bits) in levels.chunks(BLOCK).zip(to.chunks_mut(BLOCK / 8)) {
        let is_from = &mut is_from[..levels.len()];
        for (is_from, level) in is_from.iter_mut().zip(levels) {
            *is_from = u8::from(*level >= from);
        }
        let written = format.encode_with(backend, is_from, bits);
        set += written
            .map_err(|error| Error::corrupt(error.to_string()))?
            .1;
    }
    Ok(set)
}

/// Reads levels up to a greatest one into a buffer, which gets as long as there are.
fn read_levels(
    backend: Detected,
    bytes: LevelBytes,
    greatest: u8,
    count: usize,
    to: &mut Vec<u8>,
) -> std::result::Result<(), String> {
    if greatest == 0 {
        to.clear();
        return Ok(());
    }
    let bits = u8::BITS - greatest.leading_zeros();
    to.resize(count, 0);
    match bytes {
        LevelBytes::Rle(bytes) => {
            let format = rle_hybrid::Format::<u8>::new(bits).ok_or("levels of so many bits")?;
            let decoded = empty_runs::read(&bytes, bits, count, |bytes| {
                let decoded = format.decode_with(backend, bytes, &mut to[..]);
                decoded.map(|_| ())
            });
            decoded.map_err(|error| error.to_string())?;
        }
        LevelBytes::BitPacked(bytes) => {
            for (at, level) in to.iter_mut().enumerate() {
                let bit = at * bits as usize;
                let pair = [bytes[bit / 8], bytes.get(bit / 8 + 1).copied().unwrap_or(0)];
                let shifted = u16::from_be_bytes(pair) << (bit % 8);
                *level = (shifted >> (u16::BITS - bits)) as u8;
            }
        }
    }
    // In contrast to `max` of an iterator, the compiler makes vectors of it.
    match to.iter().fold(0, |most, level| (*level).max(most)) {
        most if most > greatest => Err(format!("a level of {most}, above {greatest}")),
        _ => Ok(()),
    }
}

/// The first level of some in RLE, of which the first bytes are enough; none if they are damaged.
pub(crate) fn first_level(bytes: &[u8], greatest: u8) -> Option<u8> {
    let format = rle_hybrid::Format::<u8>::new(u8::BITS - greatest.leading_zeros())?;
    let mut level = [0];
    format.decode(bytes, &mut level).ok()?;
    Some(level[0])
}

fn damaged(which: &str, error: &str) -> Error {
    Error::corrupt(format!("the {which} levels: {error}"))
}

/// How many bytes are equal to one.
fn count_equal(bytes: &[u8], one: u8) -> usize {
    // Sums of a byte each, which the compiler makes vectors of.
    const MOST: usize = u8::MAX as usize;
    let sums = bytes.chunks(MOST).map(|bytes| {
        let sum: u8 = bytes.iter().map(|byte| u8::from(*byte == one)).sum();
        usize::from(sum)
    });
    sums.sum()
}
