//! Integers in as few bits as they need, as dictionary indices and differences lie in a page.

/// Values of a block of DELTA_BINARY_PACKED, and of its parts with a width of their own.
const BLOCK: usize = 128;
const MINIBLOCK: usize = 32;

/// Equal numbers that are not packed.
const SHORTEST_RUN: usize = 8;

/// The bits that a number needs.
pub(super) fn bits(number: u64) -> u32 {
    u64::BITS - number.leading_zeros()
}

/// Appends the lowest `bits` of each number, the first in the lowest bits of the first byte.
pub(super) fn append(numbers: &[u64], bits: u32, to: &mut Vec<u8>) {
    let mut waiting: u128 = 0;
    let mut count = 0;
    for &number in numbers {
        waiting |= u128::from(number) << count;
        count += bits;
        while count >= 8 {
            to.push(waiting as u8);
            waiting >>= 8;
            count -= 8;
        }
    }
    if count > 0 {
        to.push(waiting as u8);
    }
}

/// Appends dictionary indices about as RLE_DICTIONARY has them: longer runs as their length and the number, all else
/// packed.
pub(super) fn append_runs(numbers: &[u64], bits: u32, to: &mut Vec<u8>) {
    let mut packed = Vec::new();
    for run in numbers.chunk_by(|one, next| one == next) {
        if run.len() < SHORTEST_RUN {
            packed.extend_from_slice(run);
            continue;
        }
        append(&packed, bits, to);
        packed.clear();
        to.extend_from_slice(&(run.len() as u16).to_le_bytes());
        append(&run[..1], bits, to);
    }
    append(&packed, bits, to);
}

/// Appends integers about as DELTA_BINARY_PACKED has them: the differences less the smallest of their block, with as
/// many bits as the largest of their miniblock needs.
pub(super) fn append_differences(values: impl Iterator<Item = i64>, to: &mut Vec<u8>) {
    let values: Vec<i64> = values.collect();
    let differences: Vec<i64> = values
        .windows(2)
        .map(|pair| pair[1].wrapping_sub(pair[0]))
        .collect();
    for block in differences.chunks(BLOCK) {
        let least = block.iter().copied().min().unwrap_or(0);
        let zigzag = (least << 1) ^ (least >> 63);
        to.extend_from_slice(
            &zigzag.to_le_bytes()[..bits(zigzag as u64).div_ceil(7).min(8) as usize],
        );
        for miniblock in block.chunks(MINIBLOCK) {
            let above: Vec<u64> = miniblock
                .iter()
                .map(|value| value.wrapping_sub(least) as u64)
                .collect();
            let width = above
                .iter()
                .fold(0, |widest, &value| widest.max(bits(value)));
            to.push(width as u8);
            append(&above, width, to);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_packed_from_the_lowest_bit() {
        let mut packed = Vec::new();
        append(&[0, 1, 2, 3, 4, 5, 6, 7], 3, &mut packed);
        // The example of Encodings.md.
        assert_eq!(packed, [0b1000_1000, 0b1100_0110, 0b1111_1010]);
        packed.clear();
        append(&[u64::MAX; 3], 64, &mut packed);
        assert_eq!(packed, [0xff; 24]);
        assert_eq!([0, 1, 255, 256].map(bits), [0, 1, 8, 9]);
    }

    #[test]
    fn runs_are_counted() {
        let mut packed = Vec::new();
        append_runs(&[9; 1000], 4, &mut packed);
        assert_eq!(packed.len(), 3);
        packed.clear();
        append_runs(&[1, 2, 3, 4, 5, 5, 5, 5], 4, &mut packed);
        assert_eq!(packed.len(), 4);
    }

    #[test]
    fn equal_differences_need_no_bits() {
        let mut packed = Vec::new();
        append_differences((0..257).map(|i| 1000 + 7 * i), &mut packed);
        assert_eq!(packed.len(), 2 * (1 + 4));
        packed.clear();
        append_differences([i64::MIN, i64::MAX, i64::MIN].into_iter(), &mut packed);
        assert!(packed.len() < 20);
        append_differences(std::iter::empty(), &mut packed);
    }
}
