//! How values repeat: of all of them, or of a share that is chosen by their hash, so that of a value either every
//! occurrence is seen or none.

use super::numbers::Numbers;
use arrow_buffer::Buffer;

/// The largest number of repetitions in a row that is counted.
const LONGEST: usize = 32;

/// How some values repeat.
pub(crate) struct Repeats {
    /// Values that were looked at.
    values: usize,
    /// One in as many of the different values was followed.
    share: u64,
    /// Different values among those followed.
    pub(super) distinct: usize,
    /// The same in the first half.
    distinct_in_half: usize,
    /// Occurrences of values that were followed.
    pub(super) followed: usize,
    /// Their numbers, the different values counted in the order of their appearance.
    pub(super) numbers: Vec<u64>,
    /// Those of them that have an earlier one.
    pub(super) repeats: Vec<Repeat>,
}

/// A value that is there again.
#[derive(Clone, Copy)]
pub(crate) struct Repeat {
    /// How many values ago it was there.
    pub(super) distance: usize,
    /// How many values in a row are the same as there.
    pub(super) run: usize,
}

impl Repeats {
    /// Searches values of `width` bytes and follows one in `share` of the different ones.
    pub(crate) fn among(pieces: &[Buffer], width: usize, share: u64) -> Self {
        let found = follow(pieces, width, u64::MAX / share);
        let values = pieces.iter().map(|piece| piece.len() / width).sum();
        let mut numbers = Numbers::for_at_most(found.len());
        // Where each was seen last, by number.
        let mut last: Vec<usize> = Vec::new();
        let mut repeats = Vec::new();
        let mut distinct_in_half = 0;
        let mut in_order = Vec::with_capacity(found.len());
        for &(index, hash) in &found {
            let number = numbers.of(hash);
            in_order.push(number as u64);
            let Some(before) = last.get_mut(number) else {
                last.push(index);
                distinct_in_half += usize::from(index < values / 2);
                continue;
            };
            let earlier = std::mem::replace(before, index);
            let same = |step: &usize| {
                value_at(pieces, width, index + step) == value_at(pieces, width, earlier + step)
            };
            let further = (1..LONGEST.min(values - index)).take_while(same).count();
            repeats.push(Repeat {
                distance: index - earlier,
                run: 1 + further,
            });
        }
        Self {
            values,
            share,
            distinct: last.len(),
            distinct_in_half,
            followed: found.len(),
            numbers: in_order,
            repeats,
        }
    }

    /// Estimated different values among `total`, of which these are some: with more values they become more as they
    /// did from the first half of these to the whole.
    pub(crate) fn distinct_among(&self, total: usize) -> f64 {
        let seen = (self.distinct as f64 * self.share as f64).min(self.values as f64);
        let growth = (self.distinct as f64 / self.distinct_in_half.max(1) as f64).log2();
        let longer = (total as f64 / self.values.max(1) as f64).max(1.0);
        let all = seen * longer.powf(growth.clamp(0.0, 1.0));
        all.clamp(1.0, total.max(1) as f64)
    }
}

/// A hash whose upper bits depend on all bits.
fn mix(bits: u64) -> u64 {
    (bits ^ (bits >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn hash(value: &[u8]) -> u64 {
    value.chunks(8).fold(0, |hash: u64, part| {
        let mut padded = [0; 8];
        padded[..part.len()].copy_from_slice(part);
        mix(hash.rotate_left(23) ^ u64::from_le_bytes(padded))
    })
}

/// Index and hash of each value whose hash is at most `limit`.
fn follow(pieces: &[Buffer], width: usize, limit: u64) -> Vec<(usize, u64)> {
    let mut found = Vec::with_capacity(1024);
    let mut first = 0;
    for piece in pieces {
        match width {
            4 => follow_fixed(piece.as_chunks::<4>().0, first, limit, &mut found),
            8 => follow_fixed(piece.as_chunks::<8>().0, first, limit, &mut found),
            _ => {
                for (index, value) in piece.chunks_exact(width).enumerate() {
                    let hash = hash(value);
                    if hash <= limit {
                        found.push((first + index, hash));
                    }
                }
            }
        }
        first += piece.len() / width;
    }
    found
}

/// The loop for common widths: it goes through every value of the windows.
fn follow_fixed<const WIDTH: usize>(
    values: &[[u8; WIDTH]],
    first: usize,
    limit: u64,
    found: &mut Vec<(usize, u64)>,
) {
    for index in 0..values.len() {
        let mut padded = [0; 8];
        padded[..WIDTH].copy_from_slice(&values[index]);
        let hash = mix(u64::from_le_bytes(padded));
        if hash <= limit {
            found.push((first + index, hash));
        }
    }
}

fn value_at(pieces: &[Buffer], width: usize, index: usize) -> &[u8] {
    let mut at = index * width;
    for piece in pieces {
        if at < piece.len() {
            return &piece[at..at + width];
        }
        at -= piece.len();
    }
    &[]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repeats(values: &[u64], share: u64) -> Repeats {
        let (one, other) = values.split_at(values.len() / 3);
        let pieces = [one, other].map(|part| Buffer::from_vec(part.to_vec()));
        Repeats::among(&pieces, 8, share)
    }

    #[test]
    fn distances_and_runs() {
        let found = repeats(&[1, 2, 3, 1, 2, 9, 3], 1);
        let seen: Vec<(usize, usize)> = found
            .repeats
            .iter()
            .map(|repeat| (repeat.distance, repeat.run))
            .collect();
        assert_eq!(seen, [(3, 2), (3, 1), (4, 1)]);
        assert_eq!((found.followed, found.distinct), (7, 4));
    }

    #[test]
    fn different_values_are_estimated_from_a_share() {
        let all_different: Vec<u64> = (0..50_000).map(|i| i * 0x1_0000_0001).collect();
        let estimate = repeats(&all_different, 32).distinct_among(1_000_000);
        assert!((800_000.0..=1_000_000.0).contains(&estimate), "{estimate}");

        let few: Vec<u64> = (0..50_000).map(|i| i * i % 3001).collect();
        let mut different = few.clone();
        different.sort_unstable();
        different.dedup();
        let estimate = repeats(&few, 32).distinct_among(1_000_000) / different.len() as f64;
        assert!((0.7..1.4).contains(&estimate), "{estimate}");
    }

    #[test]
    fn nothing_is_not_counted() {
        assert_eq!(repeats(&[], 1).distinct_among(0), 1.0);
    }
}
