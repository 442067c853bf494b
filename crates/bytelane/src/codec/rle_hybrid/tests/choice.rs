//! Compares the choices of the encoder with the shortest possible runs and with the rules of other
//! encoders.

use super::*;

/// Returns the size of a varint.
fn varint(number: usize) -> usize {
    (usize::BITS - (number | 1).leading_zeros()).div_ceil(7) as usize
}

/// Returns the size of a repetition.
fn repeated(width: u32, count: usize) -> usize {
    varint(count << 1) + width.div_ceil(8) as usize
}

/// Returns the size of packed groups.
fn packed(width: u32, groups: usize) -> usize {
    varint(groups << 1 | 1) + groups * width as usize
}

/// Returns the minimum size over all ways to divide values into runs.
fn shortest(width: u32, values: &[u32]) -> usize {
    let mut least = std::vec![usize::MAX; values.len() + 1];
    least[0] = 0;
    for start in 0..values.len() {
        let same = values[start..]
            .iter()
            .take_while(|value| **value == values[start])
            .count();
        for end in start + 1..=start + same {
            least[end] = least[end].min(least[start] + repeated(width, end - start));
        }
        for groups in 1..=(values.len() - start).div_ceil(8) {
            let end = usize::min(start + 8 * groups, values.len());
            least[end] = least[end].min(least[start] + packed(width, groups));
        }
    }
    least[values.len()]
}

/// Returns the number of bytes that the crate `parquet` and Arrow C++ write: whenever a group of
/// eight values is complete, it is packed, unless all its values are equal; then the value is
/// repeated as long as it lasts. Packed runs have up to 63 groups.
fn by_groups(width: u32, values: &[u32]) -> usize {
    let (mut bytes, mut at, mut groups) = (0, 0, 0);
    let close = |groups: &mut usize| match core::mem::take(groups) {
        0 => 0,
        groups => packed(width, groups),
    };
    while at < values.len() {
        let same = values[at..]
            .iter()
            .take_while(|value| **value == values[at])
            .count();
        // An incomplete group is repeated only after a repetition, or alone.
        let is_rest = at + same == values.len() && same < 8 && groups == 0;
        if same >= 8 || is_rest {
            bytes += close(&mut groups) + repeated(width, same);
            at += same;
        } else {
            groups += 1;
            at += 8;
            if groups == 63 {
                bytes += close(&mut groups);
            }
        }
    }
    bytes + close(&mut groups)
}

/// Returns the number of bytes that DuckDB writes: repetitions of at least four values, else packed
/// runs of 256.
fn by_blocks(width: u32, values: &[u32]) -> usize {
    let (mut bytes, mut at) = (0, 0);
    while at < values.len() {
        let same = values[at..]
            .iter()
            .take_while(|value| **value == values[at])
            .count();
        if same >= 4 || at + same == values.len() {
            bytes += repeated(width, same);
            at += same;
        } else {
            bytes += packed(width, 32);
            at += 256;
        }
    }
    bytes
}

fn encoded_len(width: u32, values: &[u32]) -> usize {
    Format::<u32>::new(width).unwrap().encoded_len(values)
}

/// Returns lists in which runs of different lengths alternate.
fn lists(width: u32, count: usize, seed: u64) -> Vec<u32> {
    let mut values = Vec::new();
    let mut i = seed << 20;
    let longest = [1, 2, 4, 8, 12, 20, 40, 100];
    let mut kind = seed as usize;
    while values.len() < count {
        i += 1;
        if random(i ^ 0x5555).is_multiple_of(16) {
            kind = random(i ^ 0x7777) as usize;
        }
        // Either mostly different values or mostly the same.
        let distinct = [2, 3, 10, 1 << 20][kind / 8 % 4].min(1 << width);
        let value = (random(i) % distinct) as u32;
        let left = 1 + random(i ^ 0xabcd) % longest[kind % 8];
        values.extend((0..left).map(|_| value));
    }
    values.truncate(count);
    values
}

#[test]
fn never_larger_than_other_encoders() {
    let seeds = if cfg!(miri) { 1 } else { 400 };
    for width in thinned((1..=32).collect::<Vec<_>>(), 2) {
        for seed in 0..seeds {
            let count = 1 + random(seed) as usize % [30, 200, 1000, 10_000][seed as usize % 4];
            let values = lists(width, count, seed);
            let length = encoded_len(width, &values);
            let others = [by_groups(width, &values), by_blocks(width, &values)];
            assert!(
                others.iter().all(|other| length <= *other),
                "{length}, not {others:?}, for {values:?} of {width} bits"
            );
        }
    }
}

#[test]
fn without_a_search_never_larger_than_an_encoder_by_groups() {
    let seeds = if cfg!(miri) { 1 } else { 400 };
    for width in thinned((1..=32).collect::<Vec<_>>(), 2) {
        let format = Format::<u32>::new(width).unwrap();
        for seed in 0..seeds {
            let count = 1 + random(seed) as usize % [30, 200, 1000, 10_000][seed as usize % 4];
            let values = lists(width, count, seed);
            let fast = format.effort(Effort::Fast);
            let length = fast.encoded_len(&values);
            let other = by_groups(width, &values);
            assert!(
                (format.encoded_len(&values)..=other).contains(&length),
                "{length}, not {other}, for {values:?} of {width} bits"
            );
            assert!(length <= fast.max_encoded_len(count));
            round_trip(fast, &values);
        }
    }
}

#[test]
fn close_to_the_shortest() {
    let seeds = if cfg!(miri) { 1 } else { 60 };
    for width in thinned((1..=32).collect::<Vec<_>>(), 2) {
        let (mut ours, mut least) = (0, 0);
        for seed in 0..seeds {
            let values = lists(width, 1 + random(seed) as usize % 300, seed);
            let length = encoded_len(width, &values);
            let shortest = shortest(width, &values);
            assert!(
                length >= shortest,
                "{length} for {values:?} of {width} bits"
            );
            (ours, least) = (ours + length, least + shortest);
        }
        assert!(
            100 * ours <= 101 * least,
            "{width} bits: {ours} bytes, at least {least}"
        );
    }
}

#[test]
fn searches_that_remember_too_little_still_end() {
    // Every possibility stays as good as the others: repetitions of three values take three bytes
    // more, and save three elsewhere.
    for width in thinned([6, 7, 8, 9, 12, 13, 16, 24], 1) {
        for same in thinned([2, 3, 4, 5, 7, 8, 9], 1) {
            let count = if cfg!(miri) { 1000 } else { 4000 };
            let values: Vec<u32> = (0..count).map(|i| i / same % 50).collect();
            let length = encoded_len(width, &values);
            let others = [by_groups(width, &values), by_blocks(width, &values)];
            assert!(
                others.iter().all(|other| length <= *other),
                "{length}, {others:?}"
            );
            let format = Format::<u32>::new(width).unwrap();
            assert!(length <= format.max_encoded_len(values.len()));
            round_trip(format, &values);
        }
    }
}
