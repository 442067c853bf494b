//! The specification as code: parquet-format, `AlpEncoding.md`.
//!
//! > every reader MUST compute `decoded = encoded * 10^f * 10^(-e)` using the same two-step
//! > multiplication and the same power-of-10 constants
#![forbid(unsafe_code)]

use super::page::{Page, Vector};
use super::{Error, Powers, Steps, tolerance};
use crate::codec::bit_packing::{from_ne_bytes, read, to_ne_bytes};
use crate::memory::{Slot, write};

/// Decodes the values from number `start` on, until the destination is full. Returns the offset
/// after the last vector read.
#[inline(never)]
pub(super) fn decode<const K: usize>(
    src: &[u8],
    start: usize,
    dst: &mut [Slot],
) -> Result<usize, Error> {
    let page = Page::<K>::read(src)?;
    let mut values = dst;
    page.check(start, values.len() / K)?;
    let (mut at, mut end) = (start, page.start());
    while values.len() >= K {
        let vector = page.vector(at / page.vector_len())?;
        let first = at % page.vector_len();
        let count = usize::min(vector.count - first, values.len() / K);
        let (these, rest) = values.split_at_mut(K * count);
        decode_vector::<K>(&vector, src, first, these);
        vector.patch::<K>(src, first, these)?;
        (at, end, values) = (at + count, vector.end, rest);
    }
    Ok(end)
}

/// Decodes the values of a vector from number `first` on, without its exceptions, for kernels: they
/// keep vectors in registers, which a reference would prevent.
#[cold]
pub(super) fn decode_some<const K: usize>(
    page: &Page<'_, K>,
    number: usize,
    first: usize,
    to: &mut [Slot],
) -> Result<(), Error> {
    decode_vector::<K>(&page.vector(number)?, page.src, first, to);
    Ok(())
}

/// Decodes the values of a vector from number `first` on, without its exceptions.
fn decode_vector<const K: usize>(vector: &Vector, src: &[u8], first: usize, to: &mut [Slot]) {
    let powers = vector.pair.powers::<K>().to_value;
    for (i, to) in to.as_chunks_mut::<K>().0.iter_mut().enumerate() {
        let difference = read(vector.layout, &src[vector.packed..], first + i);
        let integer = difference.wrapping_add(vector.layout.reference);
        write(to, value::<K>(powers, signed::<K>(integer)));
    }
}

/// Sign-extends an integer of `K` bytes.
fn signed<const K: usize>(number: u64) -> i64 {
    match K {
        4 => i64::from(number as i32),
        _ => number.cast_signed(),
    }
}

/// Converts an integer back to a value.
fn value<const K: usize>([factor, exponent]: [u64; 2], integer: i64) -> [u8; K] {
    to_ne_bytes(match K {
        4 => {
            let value = integer as f32 * single(factor) * single(exponent);
            u64::from(value.to_bits())
        }
        _ => (integer as f64 * f64::from_bits(factor) * f64::from_bits(exponent)).to_bits(),
    })
}

fn single(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

/// Returns the integer nearest to the product of the value and two powers, ties to even, if it is
/// within limits and converts back to the same value.
fn integer<const K: usize>(
    powers: &Powers<u64>,
    [least, greatest]: &[i64; 2],
    bits: [u8; K],
) -> Option<i64> {
    let [first, second] = powers.to_integer;
    let number = match K {
        4 => f64::from(single(from_ne_bytes(bits)) * single(first) * single(second)),
        _ => f64::from_bits(from_ne_bytes(bits)) * f64::from_bits(first) * f64::from_bits(second),
    };
    let integer = nearest(number);
    let is_within = (*least as f64..=*greatest as f64).contains(&integer);
    let integer = is_within.then_some(integer as i64)?;
    (value::<K>(powers.to_value, integer) == bits).then_some(integer)
}

/// Rounds to the nearest integer, ties to even. (`round_ties_even` needs `std`.)
fn nearest(value: f64) -> f64 {
    // Numbers from here on have no fraction; adding it removes the fraction of smaller ones.
    const WHOLE: f64 = 4503599627370496.0;
    if value.abs() < WHOLE {
        if value < 0.0 {
            value - WHOLE + WHOLE
        } else {
            value + WHOLE - WHOLE
        }
    } else {
        value
    }
}

/// Encoder operations, value by value.
#[derive(Clone, Copy)]
pub(super) struct Specification;

impl<const K: usize> Steps<K> for Specification {
    const BIAS: u64 = 0;

    type Number = u64;

    /// The number of integers, the least and the greatest one.
    type Found = (usize, [i64; 2]);

    fn numbers(self, bits: [u64; 2]) -> [u64; 2] {
        bits
    }

    type Limits = [i64; 2];

    fn limits(self, limits: [i64; 2]) -> [i64; 2] {
        limits
    }

    fn nothing(self) -> Self::Found {
        (0, [i64::MAX, i64::MIN])
    }

    fn weigh(
        self,
        powers: &Powers<u64>,
        limits: &[i64; 2],
        from: &[u8; 64],
        (count, [least, greatest]): &mut Self::Found,
    ) {
        for &bits in from.as_chunks::<K>().0 {
            if let Some(integer) = integer::<K>(powers, limits, bits) {
                *count += 1;
                *least = i64::min(*least, integer);
                *greatest = i64::max(*greatest, integer);
            }
        }
    }

    fn count(self, (count, _): Self::Found) -> usize {
        count
    }

    fn ends(self, (_, ends): Self::Found) -> [i64; 2] {
        ends
    }

    fn likely(self, power: u64, from: &[u8; 64]) -> u32 {
        let [share, greatest] = tolerance::<K>();
        let mut likely = 0;
        for (i, &bits) in from.as_chunks::<K>().0.iter().enumerate() {
            let bits = from_ne_bytes(bits);
            // The products of 4-byte numbers with the share are exact either way.
            let [product, share, greatest] = match K {
                4 => [
                    single(bits) * single(power),
                    single(share),
                    single(greatest),
                ]
                .map(f64::from),
                _ => [
                    f64::from_bits(bits) * f64::from_bits(power),
                    f64::from_bits(share),
                    f64::from_bits(greatest),
                ],
            };
            let distance = (product - nearest(product)).abs();
            let is_likely = distance <= share * product.abs() && product.abs() <= greatest;
            likely |= u32::from(is_likely) << i;
        }
        likely
    }

    fn integers(
        self,
        powers: &Powers<u64>,
        limits: &[i64; 2],
        other: u64,
        from: &[u8; 64],
        to: &mut [u8; 64],
    ) -> u32 {
        integers::<K>(powers, limits, other, from, to)
    }
}

/// Same as [`Steps::integers`].
#[inline(never)]
pub(super) fn integers<const K: usize>(
    powers: &Powers<u64>,
    limits: &[i64; 2],
    other: u64,
    from: &[u8; 64],
    to: &mut [u8; 64],
) -> u32 {
    let mut exceptions = 0;
    let pairs = from.as_chunks::<K>().0.iter().zip(to.as_chunks_mut().0);
    for (i, (&bits, to)) in pairs.enumerate() {
        let integer = integer::<K>(powers, limits, bits);
        exceptions |= u32::from(integer.is_none()) << i;
        *to = to_ne_bytes::<K>(integer.map_or(other, i64::cast_unsigned));
    }
    exceptions
}
