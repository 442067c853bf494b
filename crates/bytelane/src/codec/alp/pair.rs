//! Powers of ten by which numbers are multiplied.
#![forbid(unsafe_code)]

use super::Steps;

/// An exponent and a factor, which define how values become integers and integers become values.
///
/// ```text
/// integer = round(value * 10^(exponent - factor)), or
///           round(value * 10^exponent * 10^-factor)
/// value   = integer * 10^factor * 10^-exponent
/// ```
///
/// The specification lets the encoder decide how to find integers, and suggests two
/// multiplications. With a single multiplication, the power is exact, so there is one rounding less
/// and fewer values become exceptions. But for 4-byte numbers, values that are the rounded product
/// of a large integer and a negative power are sometimes found better by two multiplications.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Pair {
    pub(super) exponent: u8,
    pub(super) factor: u8,
    /// True if integers are computed with two multiplications.
    pub(super) is_double: bool,
}

/// Powers of a pair: the bits of `K`-byte numbers, or an instruction set's form of them.
#[derive(Clone, Copy)]
pub(crate) struct Powers<N> {
    /// 10^(exponent - factor) and 1, or 10^exponent and 10^-factor, in the order in which values
    /// are multiplied.
    pub(super) to_integer: [N; 2],
    /// 10^factor and 10^-exponent, in the order in which integers are multiplied.
    pub(super) to_value: [N; 2],
}

impl Powers<u64> {
    /// Converts the powers to the form of an instruction set.
    #[inline(always)]
    pub(super) fn in_steps<const K: usize, S: Steps<K>>(self, steps: S) -> Powers<S::Number> {
        Powers {
            to_integer: steps.numbers(self.to_integer),
            to_value: steps.numbers(self.to_value),
        }
    }
}

/// Returns the greatest exponent.
pub(super) const fn most<const K: usize>() -> u8 {
    match K {
        4 => 10,
        _ => 18,
    }
}

impl Pair {
    /// Returns whether the pair is allowed for values of `K` bytes.
    pub(super) fn is_allowed<const K: usize>(self) -> bool {
        self.exponent <= most::<K>() && self.factor <= self.exponent
    }

    #[inline(always)]
    pub(super) fn powers<const K: usize>(self) -> Powers<u64> {
        let (exponent, factor) = (usize::from(self.exponent), usize::from(self.factor));
        let (up, down) = match K {
            4 => (&UP_F32, &DOWN_F32),
            _ => (&UP_F64, &DOWN_F64),
        };
        Powers {
            to_integer: if self.is_double {
                [up[exponent], down[factor]]
            } else {
                [up[exponent - factor], up[0]]
            },
            to_value: [up[factor], down[exponent]],
        }
    }
}

/// Bits of literals, which are correctly rounded, as the specification demands.
macro_rules! bits {
    ($Float:ty, $($literal:literal)*) => {{
        let mut table = [0; 19];
        let mut i = 0;
        $(
            let literal: $Float = $literal;
            table[i] = literal.to_bits() as u64;
            i += 1;
        )*
        let _ = i;
        table
    }};
}

static UP_F64: [u64; 19] = bits!(f64,
    1e0 1e1 1e2 1e3 1e4 1e5 1e6 1e7 1e8 1e9 1e10 1e11 1e12 1e13 1e14 1e15 1e16 1e17 1e18);
static DOWN_F64: [u64; 19] = bits!(f64,
    1e0 1e-1 1e-2 1e-3 1e-4 1e-5 1e-6 1e-7 1e-8 1e-9 1e-10 1e-11 1e-12 1e-13 1e-14 1e-15 1e-16 1e-17 1e-18);
static UP_F32: [u64; 19] = bits!(f32, 1e0 1e1 1e2 1e3 1e4 1e5 1e6 1e7 1e8 1e9 1e10);
static DOWN_F32: [u64; 19] = bits!(f32, 1e0 1e-1 1e-2 1e-3 1e-4 1e-5 1e-6 1e-7 1e-8 1e-9 1e-10);

/// Exponents, ordered by the error of their negative power: the smaller it is, the fewer values
/// become exceptions. The error of 1e-14 is 0.01 of half a unit in the last place, that of 1e-15 is
/// 0.7; with 1e-15, a third to a half of all values with 1 to 3 digits after the point are
/// exceptions.
static BY_ERROR_F64: [u8; 19] = [
    0, 14, 12, 16, 2, 3, 8, 13, 10, 6, 7, 4, 1, 11, 9, 17, 18, 15, 5,
];
static BY_ERROR_F32: [u8; 11] = [0, 6, 8, 7, 10, 1, 2, 4, 5, 9, 3];

/// Returns the bits of 10^digits.
#[inline(always)]
pub(super) fn up<const K: usize>(digits: u8) -> u64 {
    let table = if K == 4 { &UP_F32 } else { &UP_F64 };
    table[usize::from(digits)]
}

/// Returns all exponents of `K`-byte numbers, best first.
#[inline(always)]
pub(super) fn by_error<const K: usize>() -> &'static [u8] {
    match K {
        4 => &BY_ERROR_F32,
        _ => &BY_ERROR_F64,
    }
}
