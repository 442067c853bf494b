//! Finds where rows begin in a page of long lists, without a level for each of their values.

use bytelane::rle_hybrid::{Format, Run};

/// Mean number of values of a list from which on the places of rows replace levels: arrays of `f32[768]` are read 2.6 to 3.3 times as fast. Each
/// list begins a run, so that short ones are decoded by the kernels for levels; where both are equally fast was not measured.
const LONG: usize = 32;

/// Returns whether all levels are the greatest one: no list is null or empty, and no value is null.
pub(super) fn are_all(bytes: &[u8], greatest: u8, count: usize) -> bool {
    let Some(format) = Format::<u8>::new(u8::BITS - greatest.leading_zeros()) else {
        return false;
    };
    format
        .runs(bytes, count)
        .all(|run| matches!(run, Ok(Run::Repeated { value, .. }) if value == greatest))
}

/// Reads the places of the repetition level 0, given levels of 0 and 1. Returns false if the lists are not long, or the levels are damaged.
pub(super) fn read(bytes: &[u8], count: usize, to: &mut Vec<u32>) -> bool {
    to.clear();
    let (most, mut at) = (count / LONG + 1, 0);
    let Some(format) = Format::<u8>::new(1) else {
        return false;
    };
    for run in format.runs(bytes, count) {
        let Ok(run) = run else { return false };
        let values = run.count();
        match run {
            Run::Repeated { value: 1, .. } => {}
            Run::Repeated { .. } if values <= most => to.extend(at..at + values as u32),
            Run::Repeated { .. } => return false,
            Run::Packed { bytes, .. } => {
                for (group, byte) in (0..).zip(bytes) {
                    let mut begun = !byte;
                    while begun != 0 {
                        let bit = begun.trailing_zeros();
                        if 8 * group + bit < values as u32 {
                            to.push(at + 8 * group + bit);
                        }
                        begun &= begun - 1;
                    }
                    if to.len() > most {
                        return false;
                    }
                }
            }
        }
        at += values as u32;
        if to.len() > most {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the levels of lists of these lengths.
    fn levels(lengths: &[usize]) -> Vec<u8> {
        let of_list = |length: &usize| (0..*length).map(|at| u8::from(at > 0)).collect::<Vec<_>>();
        lengths.iter().flat_map(of_list).collect()
    }

    #[test]
    fn rows_begin_at_the_levels_of_zero() {
        let format = Format::<u8>::new(1).expect("a width");
        for lengths in [
            &[][..],
            &[1],
            &[40],
            &[768, 768, 5],
            &[1, 200, 33, 64, 100],
            &[100; 9],
        ] {
            let levels = levels(lengths);
            let expected: Vec<u32> = (0..)
                .zip(&levels)
                .filter(|it| *it.1 == 0)
                .map(|it| it.0)
                .collect();
            let bytes = format.encode_to_vec(&levels).expect("levels");
            let mut starts = vec![7];
            assert!(read(&bytes, levels.len(), &mut starts), "{lengths:?}");
            assert_eq!(starts, expected);
            if !bytes.is_empty() {
                assert!(!read(&bytes[..bytes.len() - 1], levels.len(), &mut starts));
            }
        }
        for short in [&[3; 100][..], &[1; 100], &[16; 100]] {
            let levels = levels(short);
            let bytes = format.encode_to_vec(&levels).expect("levels");
            assert!(!read(&bytes, levels.len(), &mut Vec::new()));
        }
    }

    #[test]
    fn only_equal_levels_are_all() {
        let format = Format::<u8>::new(2).expect("a width");
        for (levels, expected) in [
            (&[3; 100][..], true),
            (&[], true),
            (&[2; 100], false),
            (&[3, 3, 2], false),
        ] {
            let bytes = format.encode_to_vec(levels).expect("levels");
            assert_eq!(are_all(&bytes, 3, levels.len()), expected, "{levels:?}");
        }
        assert!(!are_all(&[8], 3, 4));
    }
}
