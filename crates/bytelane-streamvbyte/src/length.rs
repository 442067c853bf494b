//! Computes the length of a stream from its control bytes, since the C interface does not pass it.
#![forbid(unsafe_code)]

/// Lengths of the codes of a control byte.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Variant {
    V1234,
    V0124,
}

/// Maximum number of control bytes whose sums of codes fit in a byte: at most 4 codes of at most 4
/// bytes each.
const BATCH: usize = 15;

impl Variant {
    /// Returns the number of data bytes of `values` values.
    #[inline(always)]
    pub fn data_length(self, controls: &[u8], values: usize) -> usize {
        let (whole, rest) = (values / 4, values % 4);
        let sums = sum(&controls[..whole], |codes| self.extra(codes));
        let last = controls.get(whole).map_or(0, |&codes| {
            let used = codes & !(u8::MAX << (2 * rest));
            usize::from(self.extra(used))
        });
        let least = match self {
            Variant::V1234 => values,
            Variant::V0124 => 0,
        };
        least + sums + last
    }

    /// Returns the sum of the lengths of a control byte, without the 1 of each value of `V1234`.
    /// Unused codes must be 0.
    #[inline(always)]
    fn extra(self, codes: u8) -> u8 {
        // Add in pairs of bits, then pairs of pairs.
        let (low, high) = (codes & 0x55, codes >> 1 & 0x55);
        // Code 3 means 3 or 4 bytes.
        let threes = match self {
            Variant::V1234 => 0,
            Variant::V0124 => count_pairs(low & high),
        };
        let pairs = (codes & 0x33) + (codes >> 2 & 0x33);
        (pairs & 0x0f) + (pairs >> 4) + threes
    }
}

/// Counts the low bits that are set in the pairs of a byte.
#[inline(always)]
fn count_pairs(bits: u8) -> u8 {
    let pairs = (bits & 0x33) + (bits >> 2 & 0x33);
    (pairs & 0x0f) + (pairs >> 4)
}

/// Sums `each`, at most 16, over all bytes. The compiler vectorises this, since sums are kept in a
/// byte for as long as they fit.
#[inline(always)]
fn sum(bytes: &[u8], each: impl Fn(u8) -> u8) -> usize {
    const LANES: usize = 32;
    let (rows, rest) = bytes.as_chunks::<LANES>();
    let mut total = 0;
    for batch in rows.chunks(BATCH) {
        let mut sums = [0_u8; LANES];
        for row in batch {
            for i in 0..LANES {
                sums[i] += each(row[i]);
            }
        }
        total += sums.iter().map(|&sum| usize::from(sum)).sum::<usize>();
    }
    total
        + rest
            .iter()
            .map(|&byte| usize::from(each(byte)))
            .sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytelane::stream_vbyte::Format;

    #[test]
    fn lengths_are_those_of_the_core() {
        for values in (0..3000_usize).step_by(7).chain(0..70) {
            let mut state = values as u32;
            let controls: Vec<u8> = (0..values.div_ceil(4))
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (state >> 24) as u8 | if values % 2 == 0 { 0xff } else { 0 }
                })
                .collect();
            let mut stream = controls.clone();
            stream.resize(controls.len() + 4 * values, 0);
            for (variant, format) in [
                (Variant::V1234, Format::<u32>::V1234),
                (Variant::V0124, Format::<u32>::V0124),
            ] {
                let length = controls.len() + variant.data_length(&controls, values);
                assert_eq!(Ok(length), format.validate(&stream, values), "{values}");
            }
        }
    }
}
