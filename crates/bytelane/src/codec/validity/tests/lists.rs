//! Tests random lists of lists whose levels are known.

use super::*;
use crate::validity::lists::{Bits, List, Offset};

/// Expected results for the levels of one depth of lists.
#[derive(Default)]
struct Expected {
    offsets: Vec<i64>,
    validity: Vec<bool>,
    entries: Vec<bool>,
}

/// Columns of optional lists with optional values: each depth takes two levels, and the value takes
/// one.
struct Column {
    depths: Vec<Expected>,
    repetition: Vec<u16>,
    definition: Vec<u16>,
    seed: u64,
}

impl Column {
    fn new(depth: usize, rows: usize, seed: u64) -> Self {
        let depths = (0..depth).map(|_| Expected::default()).collect();
        let (repetition, definition) = (Vec::new(), Vec::new());
        let mut column = Self {
            depths,
            repetition,
            definition,
            seed,
        };
        for _ in 0..rows {
            column.list(0, 0);
        }
        for expected in &mut column.depths {
            expected.offsets.push(expected.entries.len() as i64);
        }
        column
    }

    fn next(&mut self, below: u64) -> u64 {
        self.seed += 1;
        random(self.seed) % below
    }

    fn pair(&mut self, repetition: u16, definition: usize) {
        self.repetition.push(repetition);
        self.definition.push(definition as u16);
    }

    /// Adds a list; its first level repeats at a depth.
    fn list(&mut self, depth: usize, repeats: u16) {
        let entries = self.depths[depth].entries.len() as i64;
        self.depths[depth].offsets.push(entries);
        let kind = self.next(8);
        self.depths[depth].validity.push(kind > 0);
        if kind < 2 {
            return self.pair(repeats, 2 * depth + kind as usize);
        }
        for i in 0..=self.next(4) {
            let repeats = if i == 0 { repeats } else { depth as u16 + 1 };
            let is_leaf = depth + 1 == self.depths.len();
            let before = if is_leaf {
                self.depths[depth].entries.len()
            } else {
                self.depths[depth + 1].validity.len()
            };
            if is_leaf {
                let is_valid = self.next(4) > 0;
                self.depths[depth].entries.push(is_valid);
                self.pair(repeats, 2 * depth + 2 + usize::from(is_valid));
            } else {
                self.list(depth + 1, repeats);
                let is_valid = self.depths[depth + 1].validity[before];
                self.depths[depth].entries.push(is_valid);
            }
        }
    }

    fn level<T: Level>(depth: usize) -> List<T> {
        let outermost = List::new(1).unwrap();
        (1..depth + 1).fold(outermost, |list, depth| {
            list.inner(2 * depth as u16 + 1).unwrap()
        })
    }
}

fn bitmap_of(bits: &[bool]) -> (Vec<u8>, Bits) {
    let byte = |bits: &[bool]| {
        bits.iter()
            .rev()
            .fold(0, |byte, bit| byte << 1 | *bit as u8)
    };
    let count = bits.len();
    let valid = bits.iter().filter(|bit| **bit).count();
    (bits.chunks(8).map(byte).collect(), Bits { count, valid })
}

fn agrees<T: Level, O: Offset>(
    column: &Column,
    level: impl Fn(u16) -> T,
    offset: impl Fn(i64) -> O,
) {
    let repetition: Vec<T> = column
        .repetition
        .iter()
        .map(|&value| level(value))
        .collect();
    let definition: Vec<T> = column
        .definition
        .iter()
        .map(|&value| level(value))
        .collect();
    for (depth, expected) in column.depths.iter().enumerate() {
        let list = Column::level::<T>(depth);
        let offsets: Vec<O> = expected
            .offsets
            .iter()
            .map(|&value| offset(value))
            .collect();
        let (validity, lists) = bitmap_of(&expected.validity);
        let (entry_bits, entries) = bitmap_of(&expected.entries);
        let valid_from = level(2 * depth as u16 + 3);
        for backend in backends() {
            let place = std::format!("{backend}, depth {depth} of {:?}", column.repetition);
            for more in thinned([0, 1, 70], 1) {
                let mut room = std::vec![offset(7); offsets.len() + more];
                let written = list.offsets_with(backend, &repetition, &definition, &mut room[..]);
                assert_eq!(written.unwrap(), offsets, "{place}");
                let mut room = std::vec![0xa5; validity.len() + more];
                let written = list.validity_with(backend, &repetition, &definition, &mut room[..]);
                assert_eq!(
                    written.unwrap(),
                    (&mut validity.clone()[..], lists),
                    "{place}"
                );
                let mut room = std::vec![0xa5; entry_bits.len() + more];
                let written =
                    list.entries_with(backend, valid_from, &repetition, &definition, &mut room[..]);
                assert_eq!(
                    written.unwrap(),
                    (&mut entry_bits.clone()[..], entries),
                    "{place}"
                );
            }
            let less = offsets.len() - 1;
            let mut room = std::vec![offset(7); less];
            let short = list.offsets_with(backend, &repetition, &definition, &mut room[..]);
            let width = size_of::<O>();
            let expected = DestinationError::new(offsets.len() * width, less * width);
            assert_eq!(short.unwrap_err(), expected.into(), "{place}");
            if let Some(less) = validity.len().checked_sub(1) {
                let mut room = std::vec![0; less];
                let short = list.validity_with(backend, &repetition, &definition, &mut room[..]);
                let expected = DestinationError::new(validity.len(), less);
                assert_eq!(short.unwrap_err(), expected.into(), "{place}");
            }
        }
        let appended = list.offsets_to_vec::<O>(&repetition, &definition);
        assert_eq!(appended.unwrap(), offsets);
        let appended = list.validity_to_vec(&repetition, &definition);
        assert_eq!(appended.unwrap(), (validity, lists));
        let appended = list.entries_to_vec(valid_from, &repetition, &definition);
        assert_eq!(appended.unwrap(), (entry_bits, entries));
    }
}

#[test]
fn lists_of_every_depth() {
    for depth in thinned([2, 1, 3], 1) {
        for rows in thinned([6, 0, 1, 2, 40, 300], 1) {
            for seed in thinned(0..5, 1) {
                let column = Column::new(depth, rows, 1000 * seed);
                agrees(&column, |level| level, |offset| offset as i32);
                agrees(&column, |level| level as u8, |offset| offset);
            }
        }
    }
}

#[test]
fn lists_without_nulls_have_one_level_less() {
    // [[7, 7, 7], [], [7, 7]]
    let list = List::<u16>::new(0).unwrap();
    let (repetition, definition) = ([0, 1, 1, 0, 0, 1], [1, 1, 1, 0, 1, 1]);
    let offsets: Vec<i32> = list.offsets_to_vec(&repetition, &definition).unwrap();
    assert_eq!(offsets, [0, 3, 3, 5]);
    let all = Bits { count: 3, valid: 3 };
    let validity = list.validity_to_vec(&repetition, &definition);
    assert_eq!(validity, Ok((std::vec![0b111], all)));
}

/// Returns the error, which must be the same on all backends.
fn fault(list: List<u16>, repetition: &[u16], definition: &[u16]) -> Error {
    let mut errors = Vec::new();
    for backend in backends() {
        let mut offsets = std::vec![0i32; repetition.len() + 1];
        let mut bitmap = std::vec![0; repetition.len()];
        let written = list.offsets_with(backend, repetition, definition, &mut offsets[..]);
        errors.push(written.unwrap_err());
        let written = list.validity_with(backend, repetition, definition, &mut bitmap[..]);
        errors.push(written.unwrap_err());
        let written = list.entries_with(backend, 3, repetition, definition, &mut bitmap[..]);
        errors.push(written.unwrap_err());
    }
    for error in &errors {
        assert_eq!(*error, errors[0]);
    }
    errors[0]
}

#[test]
fn levels_that_continue_nothing_are_named() {
    let list = List::<u16>::new(1).unwrap();
    for count in thinned([70, 1, 64, 65, 128, 200], 1) {
        for bad in thinned([64, 0, 1, 63, 65, 127, 199], 1) {
            if bad >= count {
                continue;
            }
            let mut repetition = std::vec![1; count];
            let mut definition = std::vec![3; count];
            repetition[0] = 0;
            // An entry after a null, and a null that continues a list.
            for (repeats, before, here) in [(1, 1, 3), (1, 3, 1), (2, 0, 3), (40_000, 3, 0)] {
                let before = bad.checked_sub(1).map(|i| (i, before));
                let (old_repetition, old_definition) = (repetition.clone(), definition.clone());
                repetition[bad] = repeats;
                definition[bad] = here;
                if let Some((i, before)) = before {
                    repetition[i] = 0;
                    definition[i] = before;
                }
                let error = fault(list, &repetition, &definition);
                let expected = Error::at(2 * bad, ErrorKind::Repetition);
                assert_eq!(error, expected, "{bad} of {count}");
                (repetition, definition) = (old_repetition, old_definition);
            }
        }
    }
    // A row begins with 0, whatever the depth.
    let inner = list.inner(3).unwrap();
    let error = fault(inner, &[1, 2], &[5, 5]);
    assert_eq!(error, Error::at(0, ErrorKind::Repetition));
    let error = fault(list, &[0, 1], &[2]);
    let (repetition, definition) = (2, 1);
    let expected = ErrorKind::Lengths {
        repetition,
        definition,
    };
    assert_eq!(error, Error::nowhere(expected));
}

#[test]
fn depths_have_levels_of_their_type() {
    let list = List::<u8>::new(253).unwrap();
    assert_eq!(list.repetition_level(), 1);
    assert_eq!(list.inner(253), None);
    assert_eq!(list.inner(254).unwrap().repetition_level(), 2);
    assert_eq!(List::<u8>::new(255), None);
    assert_eq!(List::<u16>::new(32_767), None);
    assert!(List::<u16>::new(32_766).is_some());
}
