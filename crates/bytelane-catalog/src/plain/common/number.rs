//! Numbers for the plain loops.

use bytemuck::Pod;

/// Integer type. Buffers contain it in little-endian order, like the machines on which loops are
/// measured.
pub(crate) trait Number: Pod + Ord + Send + Sync {
    const BITS: u32;

    /// Subtracts modulo the size of the type.
    fn minus(self, other: Self) -> Self;
    fn plus(self, other: Self) -> Self;

    fn swapped(self) -> Self;

    /// Returns the bits of the number, with zeros above them.
    fn bits(self) -> u64;

    /// Returns byte `k`; byte 0 is the lowest.
    fn byte(self, k: usize) -> u8;

    /// Returns the number with the given lowest bits.
    fn of_bits(bits: u64) -> Self;

    /// Maps small negative numbers to small numbers.
    fn zigzag(self) -> u64;

    #[inline(always)]
    fn of_zigzag(number: u64) -> Self {
        Self::of_bits(number >> 1 ^ (number & 1).wrapping_neg())
    }
}

macro_rules! numbers {
    ($($Number:ident as $Unsigned:ident and $Signed:ident;)*) => { $(
        impl Number for $Number {
            const BITS: u32 = $Number::BITS;

            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn swapped(self) -> Self {
                self.swap_bytes()
            }

            #[inline(always)]
            fn bits(self) -> u64 {
                u64::from(self as $Unsigned)
            }

            #[inline(always)]
            fn byte(self, k: usize) -> u8 {
                (self >> (8 * k)) as u8
            }

            #[inline(always)]
            fn of_bits(bits: u64) -> Self {
                bits as Self
            }

            #[inline(always)]
            fn zigzag(self) -> u64 {
                let sign = self as $Signed >> ($Number::BITS - 1);
                u64::from(((self as $Signed) << 1 ^ sign) as $Unsigned)
            }
        }
    )* };
}
numbers! {
    u8 as u8 and i8;
    u16 as u16 and i16;
    u32 as u32 and i32;
    u64 as u64 and i64;
    i32 as u32 and i32;
    i64 as u64 and i64;
}

/// Views bytes as numbers; `None` if that is not possible.
#[inline(always)]
pub(crate) fn numbers<T: Pod>(bytes: &[u8]) -> Option<&[T]> {
    if bytes.is_empty() {
        // An empty `Vec` has no memory that could be aligned.
        Some(&[])
    } else {
        bytemuck::try_cast_slice(bytes).ok()
    }
}

/// Same as [`numbers`], for writing.
#[inline(always)]
pub(crate) fn numbers_mut<T: Pod>(bytes: &mut [u8]) -> Option<&mut [T]> {
    if bytes.is_empty() {
        Some(&mut [])
    } else {
        bytemuck::try_cast_slice_mut(bytes).ok()
    }
}

/// Writes a number in `length` bytes, up to 8. Overwrites the bytes after it, if there is room.
#[inline(always)]
pub(crate) fn put(to: &mut [u8], at: usize, number: u64, length: usize) -> Option<()> {
    match to.get_mut(at..at + 8) {
        Some(to) => to.copy_from_slice(&number.to_le_bytes()),
        None => to
            .get_mut(at..at + length)?
            .copy_from_slice(&number.to_le_bytes()[..length]),
    }
    Some(())
}

/// Reads a number of `length` bytes, up to 8.
#[inline(always)]
pub(crate) fn get(from: &[u8], at: usize, length: usize) -> Option<u64> {
    let mut eight = [0; 8];
    match from.get(at..at + 8) {
        Some(bytes) => eight.copy_from_slice(bytes),
        None => eight[..length].copy_from_slice(from.get(at..at + length)?),
    }
    Some(u64::from_le_bytes(eight) & low_bits(8 * length as u32))
}

/// Returns a number with `count` ones, up to 64, in its lowest bits.
#[inline(always)]
pub(crate) fn low_bits(count: u32) -> u64 {
    match count {
        0 => 0,
        _ => !0 >> (64 - count),
    }
}

/// Writes a varint. Returns the offset after it.
#[inline(always)]
pub(crate) fn put_varint(to: &mut [u8], mut at: usize, mut number: u64) -> Option<usize> {
    while number > 0x7f {
        *to.get_mut(at)? = number as u8 | 0x80;
        number >>= 7;
        at += 1;
    }
    *to.get_mut(at)? = number as u8;
    Some(at + 1)
}

/// Reads a varint of up to `bits` bits. Returns it and the offset after it.
#[inline(always)]
pub(crate) fn get_varint(from: &[u8], mut at: usize, bits: u32) -> Option<(u64, usize)> {
    let mut number = 0;
    for shift in (0..bits).step_by(7) {
        let byte = *from.get(at)?;
        at += 1;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            let fits = bits - shift >= 7 || byte >> (bits - shift) == 0;
            return fits.then_some((number, at));
        }
    }
    None
}
