//! Plain loops of `alp`: floating-point numbers as decimal integers, bit-packed.

use super::bits::{BitWriter, read};
use super::number::{Number, get, numbers, numbers_mut, put};
use super::{Loops, Plain};
use crate::{Parameters, SpecificationError};
use bytemuck::Pod;
use std::marker::PhantomData;
use std::ops::Mul;

pub(crate) fn open(parameters: &Parameters<'_>) -> Result<Box<dyn Plain>, SpecificationError> {
    let kind: String = parameters.get("type", |_| true)?;
    let vector = parameters.get("vector", |_| true)?;
    Ok(match kind.as_str() {
        "f32" => Box::new(Alp::<f32>::new(vector)),
        _ => Box::new(Alp::<f64>::new(vector)),
    })
}

/// Size of a page's header, in bytes.
const HEADER: usize = 7;

/// Size of a vector's offset, in bytes.
const OFFSET: usize = 4;

/// Size of an exception's position, in bytes.
const POSITION: usize = 2;

/// Number of sampled vectors, and of values in a sample.
const SAMPLED_VECTORS: usize = 8;
const SAMPLE: usize = 32;

/// Number of pairs to compare for each vector.
const CANDIDATES: usize = 5;

/// Number type that can be encoded.
trait Float: Pod + PartialOrd + Mul<Output = Self> + Send + Sync {
    type Integer: Number;

    /// Powers of ten, and their inverses.
    const UP: &'static [Self];
    const DOWN: &'static [Self];

    const ZERO: Self;

    /// The least and the greatest integer that a value may become here, which are the limits of
    /// `rounded`.
    const LIMITS: [Self; 2];

    /// Returns the nearest number without a fraction, if it is within the limits.
    fn rounded(self) -> Self;

    fn is_same(self, other: Self) -> bool;

    /// Converts a number that has no fraction and is within the limits.
    fn integer(self) -> Self::Integer;

    fn of_integer(integer: Self::Integer) -> Self;

    fn of_bits(bits: u64) -> Self;

    fn put(self, to: &mut [u8]);
}

macro_rules! floats {
    ($($Float:ident as $Bits:ident and $Integer:ident, $magic:literal, $greatest:literal, [$($up:literal)*], [$($down:literal)*];)*) => { $(
        impl Float for $Float {
            type Integer = $Integer;
            const UP: &'static [Self] = &[$($up),*];
            const DOWN: &'static [Self] = &[$($down),*];
            const ZERO: Self = 0.0;
            const LIMITS: [Self; 2] = [-$greatest, $greatest];

            #[inline(always)]
            fn rounded(self) -> Self {
                // The sum has no fraction: it has as many bits as the type.
                self + $magic - $magic
            }

            #[inline(always)]
            fn is_same(self, other: Self) -> bool {
                self.to_bits() == other.to_bits()
            }

            #[inline(always)]
            fn integer(self) -> $Integer {
                self as $Integer
            }

            #[inline(always)]
            fn of_integer(integer: $Integer) -> Self {
                integer as Self
            }

            #[inline(always)]
            fn of_bits(bits: u64) -> Self {
                Self::from_bits(bits as $Bits)
            }

            #[inline(always)]
            fn put(self, to: &mut [u8]) {
                to.copy_from_slice(&self.to_le_bytes());
            }
        }
    )* };
}
floats! {
    f32 as u32 and i32, 12582912.0, 4194304.0,
        [1e0 1e1 1e2 1e3 1e4 1e5 1e6 1e7 1e8 1e9 1e10],
        [1e0 1e-1 1e-2 1e-3 1e-4 1e-5 1e-6 1e-7 1e-8 1e-9 1e-10];
    f64 as u64 and i64, 6755399441055744.0, 2251799813685248.0,
        [1e0 1e1 1e2 1e3 1e4 1e5 1e6 1e7 1e8 1e9 1e10 1e11 1e12 1e13 1e14 1e15 1e16 1e17 1e18],
        [1e0 1e-1 1e-2 1e-3 1e-4 1e-5 1e-6 1e-7 1e-8 1e-9 1e-10 1e-11 1e-12 1e-13 1e-14 1e-15 1e-16 1e-17 1e-18];
}

/// An exponent and a factor.
#[derive(Clone, Copy, PartialEq)]
struct Pair {
    exponent: usize,
    factor: usize,
}

impl Pair {
    #[inline(always)]
    fn scales<T: Float>(self) -> Scales<T> {
        let Self { exponent, factor } = self;
        Scales {
            to_integer: [T::UP[exponent], T::DOWN[factor]],
            to_value: [T::UP[factor], T::DOWN[exponent]],
        }
    }
}

/// Factors of a pair for values and integers.
#[derive(Clone, Copy)]
struct Scales<T> {
    to_integer: [T; 2],
    to_value: [T; 2],
}

impl<T: Float> Scales<T> {
    /// Returns the integer of a value, as a number of the same type, and whether it converts back
    /// to the same value.
    #[inline(always)]
    fn integer(&self, value: T) -> (T, bool) {
        let integer = (value * self.to_integer[0] * self.to_integer[1]).rounded();
        let is_within = (integer >= T::LIMITS[0]) & (integer <= T::LIMITS[1]);
        (integer, is_within & self.value(integer).is_same(value))
    }

    #[inline(always)]
    fn value(&self, integer: T) -> T {
        integer * self.to_value[0] * self.to_value[1]
    }
}

/// Encoding of values.
#[derive(Clone, Copy)]
struct Choice<T: Float> {
    /// `None` if all values are exceptions.
    pair: Option<Pair>,
    least: T::Integer,
    width: u32,
    exceptions: usize,
    bytes: usize,
}

impl<T: Float> Choice<T> {
    #[inline(always)]
    fn none(count: usize) -> Self {
        Self {
            pair: None,
            least: T::Integer::of_bits(0),
            width: 0,
            exceptions: count,
            bytes: count * (POSITION + size_of::<T>()),
        }
    }

    #[inline(always)]
    fn of(pair: Pair, values: &[T]) -> Self {
        let [mut greatest, mut least] = T::LIMITS;
        let (scales, mut exceptions) = (pair.scales(), 0);
        for &value in values {
            let (integer, is_same) = scales.integer(value);
            exceptions += usize::from(!is_same);
            least = if is_same & (integer < least) {
                integer
            } else {
                least
            };
            greatest = if is_same & (integer > greatest) {
                integer
            } else {
                greatest
            };
        }
        let [least, greatest] = [least.integer(), greatest.integer()];
        if exceptions == values.len() {
            return Self::none(exceptions);
        }
        let width = u64::BITS - greatest.minus(least).bits().leading_zeros();
        let packed = (values.len() * width as usize).div_ceil(8);
        Self {
            pair: Some(pair),
            least,
            width,
            exceptions,
            bytes: packed + exceptions * (POSITION + size_of::<T>()),
        }
    }

    /// Returns the integers of values, `None` for exceptions.
    #[inline(always)]
    fn integers(&self, values: &[T]) -> impl Iterator<Item = Option<T::Integer>> {
        let scales = self.pair.map(Pair::scales);
        values.iter().map(move |&value| {
            let (integer, is_same) = scales.as_ref()?.integer(value);
            is_same.then_some(integer.integer())
        })
    }

    #[inline(always)]
    fn better(self, other: Self) -> Self {
        if other.bytes < self.bytes {
            other
        } else {
            self
        }
    }
}

/// Copies values from all over the vector. Returns their number.
#[inline(always)]
fn sample<T: Float>(values: &[T], to: &mut [T; SAMPLE]) -> usize {
    let step = values.len().div_ceil(SAMPLE).max(1);
    let mut count = 0;
    for (to, value) in to.iter_mut().zip(values.iter().step_by(step)) {
        *to = *value;
        count += 1;
    }
    count
}

struct Alp<T> {
    vector: usize,
    of: PhantomData<T>,
}

impl<T: Float> Alp<T> {
    fn new(vector: usize) -> Self {
        Self {
            vector,
            of: PhantomData,
        }
    }

    /// Returns the pairs that are best for samples of some vectors, each with the number of these
    /// vectors.
    #[inline(always)]
    fn candidates(&self, values: &[T]) -> Vec<(usize, Pair)> {
        let vectors = values.len().div_ceil(self.vector);
        let step = vectors.div_ceil(SAMPLED_VECTORS).max(1);
        let mut candidates: Vec<(usize, Pair)> = Vec::new();
        for vector in values.chunks(self.vector).step_by(step) {
            let mut some = [T::ZERO; SAMPLE];
            let count = sample(vector, &mut some);
            let mut best = Choice::none(count);
            for exponent in 0..T::UP.len() {
                for factor in 0..=exponent {
                    best = best.better(Choice::of(Pair { exponent, factor }, &some[..count]));
                }
            }
            let Some(pair) = best.pair else { continue };
            match candidates.iter_mut().find(|(_, known)| *known == pair) {
                Some((times, _)) => *times += 1,
                None => candidates.push((1, pair)),
            }
        }
        candidates.sort_unstable_by_key(|(times, _)| usize::MAX - times);
        candidates.truncate(CANDIDATES);
        candidates
    }

    /// Returns the best candidate for a vector, judged by a sample if there are several, unless
    /// exceptions are shorter.
    #[inline(always)]
    fn choose(&self, candidates: &[(usize, Pair)], values: &[T]) -> Choice<T> {
        let none = Choice::none(values.len());
        if let [(_, pair)] = candidates {
            return none.better(Choice::of(*pair, values));
        }
        let mut some = [T::ZERO; SAMPLE];
        let count = sample(values, &mut some);
        let mut best = Choice::none(count);
        for (_, pair) in candidates {
            best = best.better(Choice::of(*pair, &some[..count]));
        }
        match best.pair {
            Some(pair) => none.better(Choice::of(pair, values)),
            None => none,
        }
    }

    /// Appends a vector. Returns the offset after it.
    #[inline(always)]
    fn encode_vector(
        &self,
        choice: Choice<T>,
        values: &[T],
        encoded: &mut [u8],
        at: usize,
    ) -> Option<usize> {
        let powers = choice
            .pair
            .map_or(0, |pair| pair.exponent | pair.factor << 8);
        let head = powers as u64 | (choice.exceptions as u64) << 16;
        let width_at = at + OFFSET + size_of::<T>();
        put(encoded, at, head, OFFSET)?;
        put(encoded, at + OFFSET, choice.least.bits(), size_of::<T>())?;
        *encoded.get_mut(width_at)? = choice.width as u8;
        let mut writer = BitWriter::new(encoded, width_at + 1);
        for integer in choice.integers(values) {
            let integer = integer.unwrap_or(choice.least);
            writer.put(integer.minus(choice.least).bits(), choice.width)?;
        }
        let positions_at = writer.finish()?;
        let values_at = positions_at + POSITION * choice.exceptions;
        let end = values_at + size_of::<T>() * choice.exceptions;
        if choice.exceptions > 0 {
            let (positions, bits) = encoded
                .get_mut(positions_at..end)?
                .split_at_mut(values_at - positions_at);
            let mut places = positions
                .chunks_exact_mut(POSITION)
                .zip(bits.chunks_exact_mut(size_of::<T>()));
            for (i, integer) in choice.integers(values).enumerate() {
                if integer.is_none() {
                    let (position, bits) = places.next()?;
                    position.copy_from_slice(&(i as u16).to_le_bytes());
                    values[i].put(bits);
                }
            }
        }
        Some(end)
    }

    /// Decodes the first values of a vector of `count`. Returns the offset after it.
    #[inline(always)]
    fn decode_vector(
        &self,
        encoded: &[u8],
        at: usize,
        count: usize,
        values: &mut [T],
    ) -> Option<usize> {
        let width_at = at + OFFSET + size_of::<T>();
        let head = get(encoded, at, OFFSET)?;
        let [exponent, factor] = [head & 0xff, head >> 8 & 0xff].map(|power| power as usize);
        let exceptions = (head >> 16) as usize;
        let frame = T::Integer::of_bits(get(encoded, at + OFFSET, size_of::<T>())?);
        let width = u32::from(*encoded.get(width_at)?);
        let is_allowed = factor <= exponent && exponent < T::UP.len();
        if !is_allowed || exceptions > count || width > T::Integer::BITS {
            return None;
        }
        let packed_at = width_at + 1;
        let positions_at = packed_at + (count * width as usize).div_ceil(8);
        let values_at = positions_at + POSITION * exceptions;
        let end = values_at + size_of::<T>() * exceptions;
        let encoded = encoded.get(..end)?;
        let integers = bytemuck::cast_slice_mut::<T, T::Integer>(values);
        for (i, to) in integers.iter_mut().enumerate() {
            let difference = T::Integer::of_bits(read(encoded, packed_at, i, width)?);
            *to = difference.plus(frame);
        }
        // A separate loop can be vectorised.
        let scales = Pair { exponent, factor }.scales::<T>();
        for value in values.iter_mut() {
            *value = scales.value(T::of_integer(bytemuck::cast(*value)));
        }
        for i in 0..exceptions {
            let position = get(encoded, positions_at + POSITION * i, POSITION)? as usize;
            let bits = get(encoded, values_at + size_of::<T>() * i, size_of::<T>())?;
            if position >= count {
                return None;
            }
            if let Some(to) = values.get_mut(position) {
                *to = T::of_bits(bits);
            }
        }
        Some(end)
    }
}

impl<T: Float> Loops for Alp<T> {
    #[inline(always)]
    fn encode(&self, values: &[u8], encoded: &mut [u8]) -> Option<usize> {
        let values = numbers::<T>(values)?;
        let count = i32::try_from(values.len()).ok()?;
        let (sizes, total) = encoded.get_mut(..HEADER)?.split_at_mut(3);
        sizes.copy_from_slice(&[0, 0, self.vector.ilog2() as u8]);
        total.copy_from_slice(&count.to_le_bytes());
        let candidates = self.candidates(values);
        let mut at = HEADER + OFFSET * values.len().div_ceil(self.vector);
        for (i, vector) in values.chunks(self.vector).enumerate() {
            let offset = u32::try_from(at - HEADER).ok()?;
            encoded
                .get_mut(HEADER + OFFSET * i..)?
                .get_mut(..OFFSET)?
                .copy_from_slice(&offset.to_le_bytes());
            at = self.encode_vector(self.choose(&candidates, vector), vector, encoded, at)?;
        }
        Some(at)
    }

    #[inline(always)]
    fn decode(&self, encoded: &[u8], values: &mut [u8]) -> Option<usize> {
        let length = values.len();
        let values = numbers_mut::<T>(values)?;
        let &[mode, integers, logarithm, ref count @ ..] = encoded.first_chunk::<HEADER>()?;
        let count = usize::try_from(i32::from_le_bytes(*count)).ok()?;
        let is_allowed = mode == 0 && integers == 0 && (3..=15).contains(&logarithm);
        if !is_allowed || count < values.len() {
            return None;
        }
        let vector = 1 << logarithm;
        let mut at = HEADER + OFFSET * count.div_ceil(vector);
        encoded.get(..at)?;
        for (i, values) in values.chunks_mut(vector).enumerate() {
            let offset = get(encoded, HEADER + OFFSET * i, OFFSET)?;
            if (at - HEADER) as u64 != offset {
                return None;
            }
            let count = usize::min(vector, count - i * vector);
            at = self.decode_vector(encoded, at, count, values)?;
        }
        Some(length)
    }
}
