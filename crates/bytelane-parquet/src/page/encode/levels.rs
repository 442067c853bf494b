//! Encodes the levels of a page.

use super::super::levels::bits;
use super::runs::{self, Runs};
use crate::Result;
use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder, NullBuffer};
use bytelane::Detected;
use std::borrow::Cow;
use std::iter::repeat_n;

/// Maximum level with which levels are counted one after the other.
const FEW: u16 = 7;

/// Levels of the slots of a page.
#[derive(Debug, Default)]
pub struct SlotLevels {
    /// Number of slots: values, nulls and empty lists.
    pub(crate) slots: usize,
    /// Number of rows that start in the page.
    pub(crate) rows: usize,
    /// Number of values that are not null.
    pub(crate) values: usize,
    pub(crate) definition: Definition,
    pub(crate) repetition: Repetition,
}

/// Definition levels.
#[derive(Debug, Default)]
pub enum Definition {
    /// No levels: every slot has a value.
    #[default]
    Required,
    /// Levels 0 and 1: the lengths of arrays, each with its validity.
    Validity(Vec<(usize, Option<NullBuffer>)>),
    /// Maximum level, which all slots have.
    Full(u16),
    Levels(Vec<u16>),
}

/// Repetition levels.
#[derive(Debug, Default)]
pub enum Repetition {
    /// No levels: the column has no lists.
    #[default]
    Rows,
    /// Levels 0 and 1, one bit per slot.
    Bits(BooleanBuffer),
    Levels(Vec<u16>),
}

impl Repetition {
    /// Appends the levels of more slots of the same column.
    fn append(&mut self, other: Self) {
        *self = match (std::mem::take(self), other) {
            (Self::Rows, other) => other,
            (this, Self::Rows) => this,
            (Self::Bits(these), Self::Bits(next)) => {
                let mut all = BooleanBufferBuilder::new(these.len() + next.len());
                all.append_buffer(&these);
                all.append_buffer(&next);
                Self::Bits(all.finish())
            }
            (this, next) => {
                let mut levels = this.into_levels();
                levels.extend(next.into_levels());
                Self::Levels(levels)
            }
        };
    }

    fn into_levels(self) -> Vec<u16> {
        match self {
            Self::Rows => Vec::new(),
            Self::Bits(bits) => bits.iter().map(u16::from).collect(),
            Self::Levels(levels) => levels,
        }
    }
}

impl SlotLevels {
    /// Appends the levels of more slots of the same column.
    pub(crate) fn append(&mut self, other: Self) {
        let before = self.slots;
        self.slots += other.slots;
        self.rows += other.rows;
        self.values += other.values;
        self.repetition.append(other.repetition);
        match (&mut self.definition, other.definition) {
            (Definition::Validity(these), Definition::Validity(next)) => these.extend(next),
            (Definition::Levels(these), Definition::Levels(next)) => these.extend(next),
            (Definition::Levels(these), Definition::Full(max)) => these.resize(self.slots, max),
            (Definition::Full(max), Definition::Levels(mut next)) => {
                next.splice(..0, repeat_n(*max, before));
                self.definition = Definition::Levels(next);
            }
            (definition, next) => *definition = next,
        }
    }

    /// Counts the slots with each definition level.
    pub(crate) fn definition_histogram(&self, greatest: u16) -> Vec<i64> {
        match &self.definition {
            Definition::Levels(levels) => histogram(levels, greatest),
            Definition::Full(max) => {
                let mut counts = vec![0; usize::from(*max)];
                counts.push(self.slots as i64);
                counts
            }
            _ => vec![(self.slots - self.values) as i64, self.values as i64],
        }
    }

    /// Counts the slots with each repetition level.
    pub(crate) fn repetition_histogram(&self, greatest: u16) -> Vec<i64> {
        match &self.repetition {
            Repetition::Rows => histogram(&[], greatest),
            Repetition::Levels(levels) => histogram(levels, greatest),
            Repetition::Bits(bits) => {
                let ones = bits.count_set_bits();
                vec![(bits.len() - ones) as i64, ones as i64]
            }
        }
    }

    /// Appends the repetition levels.
    pub(super) fn append_repetition(
        &self,
        greatest: u16,
        runs: Runs,
        backend: Detected,
        to: &mut Vec<u8>,
    ) -> Result<()> {
        match &self.repetition {
            Repetition::Rows => Ok(()),
            Repetition::Bits(bits) => runs::append_bits(bits, runs, backend, to),
            Repetition::Levels(levels) => runs::append(levels, width(greatest), runs, backend, to),
        }
    }

    /// Appends the definition levels.
    pub(super) fn append_definition(
        &self,
        greatest: u16,
        runs: Runs,
        backend: Detected,
        to: &mut Vec<u8>,
    ) -> Result<()> {
        match &self.definition {
            Definition::Required => {}
            Definition::Full(max) => runs::append_run(self.slots, *max, width(greatest), to),
            Definition::Levels(levels) => {
                runs::append(levels, width(greatest), runs, backend, to)?;
            }
            Definition::Validity(_) if self.values == self.slots || self.values == 0 => {
                bits::append_uniform(self.slots, self.values > 0 || self.slots == 0, to);
            }
            Definition::Validity(arrays) => bits::append(joined(arrays).inner(), to),
        }
        Ok(())
    }
}

/// Concatenates the validity of several arrays.
fn joined(arrays: &[(usize, Option<NullBuffer>)]) -> Cow<'_, NullBuffer> {
    if let [(_, Some(nulls))] = arrays {
        return Cow::Borrowed(nulls);
    }
    let slots = arrays.iter().map(|(slots, _)| slots).sum();
    let mut all = BooleanBufferBuilder::new(slots);
    for (slots, nulls) in arrays {
        match nulls {
            Some(nulls) => all.append_buffer(nulls.inner()),
            None => all.append_n(*slots, true),
        }
    }
    Cow::Owned(NullBuffer::new(all.build()))
}

/// Counts each level. Few levels are counted one after the other, several slots at a time.
fn histogram(levels: &[u16], greatest: u16) -> Vec<i64> {
    if greatest > FEW {
        let mut counts = vec![0; usize::from(greatest) + 1];
        for level in levels {
            counts[usize::from(*level)] += 1;
        }
        return counts;
    }
    (0..=greatest)
        .map(|level| {
            // Sums of so few levels fit into their type.
            let parts = levels.chunks(usize::from(u16::MAX));
            let sums = parts.map(|part| part.iter().map(|it| u16::from(*it == level)).sum::<u16>());
            sums.map(i64::from).sum()
        })
        .collect()
}

/// Returns the number of bits of a level, given the greatest one.
fn width(greatest: u16) -> u32 {
    u16::BITS - greatest.leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_levels_are_the_same_as_listed_ones() {
        let part = |definition, slots| SlotLevels {
            slots,
            rows: slots,
            values: slots,
            definition,
            repetition: Repetition::Rows,
        };
        let full = || part(Definition::Full(3), 70);
        let listed = || part(Definition::Levels([2, 3].repeat(35)), 70);
        for parts in [[full(), full()], [full(), listed()], [listed(), full()]] {
            let levels = |part: &SlotLevels| match &part.definition {
                Definition::Levels(levels) => levels.clone(),
                _ => vec![3; part.slots],
            };
            let expected = parts.iter().map(levels).collect::<Vec<_>>().concat();
            let [mut all, next] = parts;
            all.append(next);
            let listed = part(Definition::Levels(expected.clone()), 140);
            assert_eq!(levels(&all), expected);
            assert_eq!(all.definition_histogram(3), listed.definition_histogram(3));
            let [bytes, of_listed] = [all, listed].map(|levels| {
                let mut bytes = Vec::new();
                let runs = Runs::Shortest;
                let written = levels.append_definition(3, runs, Detected::active(), &mut bytes);
                written.expect("levels of two bits");
                bytes
            });
            assert_eq!(bytes, of_listed);
        }
    }

    #[test]
    fn bits_are_the_same_as_listed_levels() {
        // Lists of one entry, of many, and of both.
        let parts = [vec![1; 100], vec![200; 9], (1..90).collect::<Vec<usize>>()];
        let listed = |lengths: &[usize]| {
            let list = |length: &usize| std::iter::once(0).chain(repeat_n(1, length - 1));
            lengths.iter().flat_map(list).collect::<Vec<u16>>()
        };
        let levels = |repetition| SlotLevels {
            repetition,
            ..SlotLevels::default()
        };
        for one in &parts {
            for other in &parts {
                let of_bits = |lengths| {
                    let bits = listed(lengths).into_iter().map(|level| level == 1);
                    levels(Repetition::Bits(bits.collect()))
                };
                let (ones, others) = (listed(one), listed(other));
                let mut bits = of_bits(one);
                bits.append(of_bits(other));
                let mut mixed = of_bits(one);
                mixed.append(levels(Repetition::Levels(others.clone())));
                let all = levels(Repetition::Levels([ones, others].concat()));
                let histogram = all.repetition_histogram(1);
                assert_eq!(bits.repetition_histogram(1), histogram);
                assert_eq!(mixed.repetition_histogram(1), histogram);
                for runs in [Runs::Shortest, Runs::Long] {
                    let bytes = [&bits, &mixed, &all].map(|levels| {
                        let mut bytes = Vec::new();
                        let backend = Detected::active();
                        let written = levels.append_repetition(1, runs, backend, &mut bytes);
                        written.expect("levels of one bit");
                        bytes
                    });
                    assert_eq!(bytes[1], bytes[2], "{runs:?}");
                    assert!(bytes[0].len() <= bytes[2].len() + 1, "{runs:?}");
                }
            }
        }
    }
}
