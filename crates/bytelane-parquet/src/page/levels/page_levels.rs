//! Decodes the levels of a page piece by piece. They determine the slots of the leaf's array, and which of
//! them are null.

use super::super::header::DataPage;
use super::super::parts::LevelBytes;
use super::super::values::Slots;
use super::{bits as levels, empty_runs, starts};
use crate::budget::{Budget, Reservation};
use crate::{Error, Result};
use arrow_buffer::BooleanBufferBuilder;
use bytelane::Detected;
use bytelane::rle_hybrid;
use bytelane::validity::{self, values};
use std::ops::Range;

/// Levels that describe the slots of a leaf.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LeafLevels {
    /// Definition level of values that are not null.
    pub(crate) max_definition: u8,
    /// Number of lists around the leaf.
    pub(crate) max_repetition: u8,
    /// Definition level from which on the innermost list has an entry, and the leaf a slot; 0 without lists.
    pub(crate) slot: u8,
    /// Set if the leaf is within lists or structs, which the levels describe as well.
    pub(crate) is_nested: bool,
}

/// Kind of levels to read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// No levels: every row has a value.
    Required,
    /// One bit per row: a value or null.
    Optional,
    /// Repetition and definition levels, or definition levels of several ancestors.
    Nested,
}

/// Levels of the open page. The next page reuses their memory.
pub struct PageLevels {
    backend: Detected,
    of: LeafLevels,
    kind: Kind,
    /// Memory of the levels of a page.
    memory: Reservation,
    /// Number of levels of the page, and number of levels that have been taken.
    count: usize,
    taken: usize,
    valid: usize,
    /// Set if all optional values are valid, or all are null; `true` means valid.
    uniform: Option<bool>,
    /// Otherwise, one bit per value.
    bits: Vec<u8>,
    /// Repetition and definition levels of a nested leaf.
    repetition: Vec<u8>,
    definition: Vec<u8>,
    /// Set if the caller takes places of rows for levels, and if the page has these.
    takes_starts: bool,
    has_starts: bool,
    /// Places among the levels of the page where rows begin: those of long lists without nulls.
    starts: Vec<u32>,
    /// Validity bits of a piece.
    piece: BooleanBufferBuilder,
    piece_bits: Vec<u8>,
    /// Definition levels of the slots of a piece.
    slots: Vec<u8>,
}

impl PageLevels {
    /// Creates levels for pages of any size that the budget has room for.
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
            takes_starts: false,
            has_starts: false,
            starts: Vec::new(),
            piece: BooleanBufferBuilder::new(0),
            piece_bits: Vec::new(),
            slots: Vec::new(),
        }
    }

    /// Lets pages of long lists without nulls have the places where rows begin instead of levels.
    pub(crate) fn with_starts(mut self) -> Self {
        self.takes_starts = self.of.max_repetition == 1;
        self
    }

    /// Reserves memory in another budget from now on.
    pub(crate) fn renew(&mut self, budget: &Budget) {
        self.memory = budget.reservation();
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
        let has_starts = self.read_starts(&repetition, &definition, count)?;
        self.valid = match self.kind {
            Kind::Required => count,
            Kind::Optional => self.read_bits(definition, count)?,
            Kind::Nested if has_starts => count,
            Kind::Nested => {
                // Memory for both kinds of levels, and for those of the slots.
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
        let nulls = count - self.valid;
        match header.nulls {
            // Writers do not agree whether empty lists are nulls.
            Some(claimed) if claimed != nulls && !self.has_lists() => Err(Error::corrupt(format!(
                "the page has {nulls} nulls, but its header says {claimed}"
            ))),
            _ => Ok(()),
        }
    }

    /// Reads the places where rows begin. Returns whether these are all that levels say.
    fn read_starts(
        &mut self,
        repetition: &LevelBytes,
        definition: &LevelBytes,
        count: usize,
    ) -> Result<bool> {
        self.has_starts = false;
        if let (true, LevelBytes::Rle(repetition), LevelBytes::Rle(definition)) =
            (self.takes_starts, repetition, definition)
            && starts::are_all(definition, self.of.max_definition, count)
        {
            self.memory.cover(count as u64 / 8 + 64)?;
            self.has_starts = starts::read(repetition, count, &mut self.starts);
        }
        Ok(self.has_starts)
    }

    /// Returns the places where rows begin among the levels that are taken next or later.
    fn starts_left(&self) -> &[u32] {
        let is_before = |start: &u32| (*start as usize) < self.taken;
        &self.starts[self.starts.partition_point(is_before)..]
    }

    /// Reads the validity of values. Returns the number of valid ones.
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

    /// Returns the number of values of the page, without nulls.
    pub(crate) fn valid(&self) -> usize {
        self.valid
    }

    /// Returns the number of levels that have not been taken.
    pub(crate) fn left(&self) -> usize {
        self.count - self.taken
    }

    /// Returns whether the page begins with a new row.
    pub(crate) fn begins_row(&self) -> bool {
        if self.has_starts {
            return self.count == 0 || self.starts.first() == Some(&0);
        }
        let first = self.repetition.first();
        !self.has_lists() || first.is_none_or(|level| *level == 0)
    }

    /// Returns whether the column has lists, so that rows may have several levels.
    pub(crate) fn has_lists(&self) -> bool {
        self.of.max_repetition > 0
    }

    /// Returns the greatest definition level.
    pub(crate) fn max_definition(&self) -> u8 {
        self.of.max_definition
    }

    /// Returns the greatest repetition level.
    pub(crate) fn max_repetition(&self) -> u8 {
        self.of.max_repetition
    }

    /// Returns the number of levels of the next `rows` rows, up to the beginning of another row, and the
    /// number of rows that begin in them.
    pub(crate) fn rows(&self, rows: usize) -> (usize, usize) {
        if !self.has_lists() {
            let rows = rows.min(self.left());
            return (rows, rows);
        }
        if self.has_starts {
            let starts = self.starts_left();
            let end = starts.get(rows).map_or(self.count, |it| *it as usize);
            return (end - self.taken, starts.len().min(rows));
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

    /// Takes the next levels. Returns the slots that they describe.
    pub(crate) fn take(&mut self, levels: usize) -> Result<Slots<'_>> {
        let range = self.taken..self.taken + levels;
        self.taken = range.end;
        match self.kind {
            Kind::Required => Ok(Slots::Valid(levels)),
            Kind::Optional => self.optional(range),
            Kind::Nested if self.has_starts => Ok(Slots::Valid(levels)),
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

    /// Skips the next levels. Returns the number of values that they have.
    pub(crate) fn skip(&mut self, levels: usize) -> Result<usize> {
        if self.kind == Kind::Nested && !self.has_starts {
            let range = self.taken..self.taken + levels;
            self.taken = range.end;
            return Ok(count_equal(&self.definition[range], self.of.max_definition));
        }
        Ok(self.take(levels)?.valid())
    }

    /// Returns whether the column is within a list or a group.
    pub(crate) fn is_nested(&self) -> bool {
        self.kind == Kind::Nested
    }

    /// Returns the places where rows begin among the levels taken last, counted from the first of these, if the page has places
    /// instead of levels.
    pub(crate) fn last_starts(&self, levels: usize) -> Option<impl Iterator<Item = usize>> {
        let first = self.taken - levels;
        let [from, to] = [first, self.taken].map(|place| {
            self.starts
                .partition_point(|start| (*start as usize) < place)
        });
        let starts = self.has_starts.then(|| self.starts[from..to].iter());
        starts.map(|starts| starts.map(move |start| *start as usize - first))
    }

    /// Returns the repetition and definition levels taken last, for a nested column whose page has levels.
    pub(crate) fn last(&self, levels: usize) -> Option<[&[u8]; 2]> {
        let range = self.taken - levels..self.taken;
        let repetition = if self.has_lists() {
            &self.repetition[range.clone()]
        } else {
            &[]
        };
        self.is_nested()
            .then(|| [repetition, &self.definition[range]])
    }
}

/// Returns the simplest kind of slots for these bits.
fn mixed(bits: &[u8], slots: usize) -> Result<Slots<'_>> {
    Ok(match levels::count_valid(bits, slots)? {
        0 => Slots::Null(slots),
        valid if valid == slots => Slots::Valid(slots),
        valid => Slots::Mixed { bits, slots, valid },
    })
}

/// Converts levels to bits, which are set for levels of at least `from`. Returns the number of set bits.
pub fn bits_from(backend: Detected, from: u8, levels: &[u8], to: &mut Vec<u8>) -> Result<usize> {
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

/// Reads `count` levels of up to `greatest` into a buffer, which gets that length.
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
    // The compiler vectorises this, unlike `max` of an iterator.
    match to.iter().fold(0, |most, level| (*level).max(most)) {
        most if most > greatest => Err(format!("a level of {most}, above {greatest}")),
        _ => Ok(()),
    }
}

/// Returns the first of some RLE levels, given at least their first bytes, or `None` if these are damaged.
pub fn first_level(bytes: &[u8], greatest: u8) -> Option<u8> {
    let format = rle_hybrid::Format::<u8>::new(u8::BITS - greatest.leading_zeros())?;
    let mut level = [0];
    format.decode(bytes, &mut level).ok()?;
    Some(level[0])
}

fn damaged(which: &str, error: &str) -> Error {
    Error::corrupt(format!("the {which} levels: {error}"))
}

/// Counts the bytes that are equal to `one`.
fn count_equal(bytes: &[u8], one: u8) -> usize {
    // The compiler vectorises these one-byte sums.
    const MOST: usize = u8::MAX as usize;
    let sums = bytes.chunks(MOST).map(|bytes| {
        let sum: u8 = bytes.iter().map(|byte| u8::from(*byte == one)).sum();
        usize::from(sum)
    });
    sums.sum()
}
