//! Places of the values of a unit, computed by the compiler.

use super::Width;
use crate::codec::bit_packing::layout::spills;
use core::marker::PhantomData;

/// How values are moved to their places, after a shuffle has collected their bytes.
#[derive(Clone, Copy)]
pub(super) enum Means {
    /// The bytes are the value.
    Bytes,
    /// Each lies within two bytes: a product moves it to the top of these, and a shift back.
    Product,
    /// Each has up to 16 bits in three bytes: the sum of two products moves it to bit 7.
    Sum,
    /// Shifts by the number of bits of each value; of two values, where each number needs an
    /// instruction. A second shuffle may add a byte.
    Shift,
    /// Products shift each word of a value, in three bytes.
    Words,
}

impl Means {
    /// Returns the fastest means where no instruction shifts each value by its own number of bits.
    const fn new(size: usize, width: usize) -> Self {
        if width.is_multiple_of(8) {
            Self::Bytes
        } else if !spills(width, 16) {
            Self::Product
        } else if size >= 4 && width <= 16 {
            Self::Sum
        } else if size == 8 && !spills(width, 64) || size == 4 && width.is_multiple_of(4) {
            Self::Shift
        } else {
            Self::Words
        }
    }
}

/// Place of 16 bytes of values. Indices of bytes are for a shuffle; those of other bytes than the
/// values' set the highest bit.
#[derive(Clone, Copy)]
pub(super) struct Piece {
    /// Byte of the unit from which 16 bytes are loaded.
    pub(super) start: usize,
    /// Indices of the bytes of each value; for [`Means::Words`], of the first byte of each word, as
    /// its upper byte.
    pub(super) bytes: [u8; 16],
    /// Shift of each value.
    pub(super) shifts: [u8; 16],
    /// Factors of the products.
    pub(super) factors: [u8; 16],
    /// Byte from which 16 bytes are loaded for the second shuffle.
    pub(super) next_start: usize,
    /// Its indices: of the byte after those of a value, as the highest one; for [`Means::Words`], of
    /// the two bytes after the first one of each word.
    pub(super) next: [u8; 16],
}

const NONE: u8 = 0x80;

impl Piece {
    /// Returns the place of piece `number` of a unit of `length` bytes, for values of `size` bytes
    /// of which `width` bits are packed.
    const fn new(means: Means, size: usize, width: usize, length: usize, number: usize) -> Self {
        let bits = 16 / size * width;
        let end = ((number + 1) * bits).div_ceil(8);
        // Two pieces within 16 bytes have one load.
        let pair = number / 2 * 2 * bits;
        let is_near = (pair + 2 * bits).div_ceil(8) - pair / 8 <= 16;
        let first = if is_near { pair } else { number * bits } / 8;
        let start = least(first, length.saturating_sub(16));
        let mut piece = Self {
            start,
            bytes: [NONE; 16],
            shifts: [0; 16],
            factors: [0; 16],
            next_start: start + (end - start).saturating_sub(16),
            next: [NONE; 16],
        };
        let mut value = 0;
        while value < 16 / size {
            let bit = number * bits + value * width;
            piece.put(means, size, width, bit, value * size);
            value += 1;
        }
        piece
    }

    /// Adds a value that begins in bit `bit` of the unit, at byte `at` of the piece.
    const fn put(&mut self, means: Means, size: usize, width: usize, bit: usize, at: usize) {
        let (first, end, shift) = (bit / 8, (bit + width).div_ceil(8), bit % 8);
        self.shifts[at] = shift as u8;
        let mut i = 0;
        match means {
            // From bit 0 on, a value has no third byte, for which there would be no factor.
            Means::Sum if shift > 0 => {
                self.put_byte(at, first, end);
                self.put_byte(at + 2, first + 1, end);
                self.put_byte(at + 3, first + 2, end);
                self.put_factor(at, 7 - shift);
                self.put_factor(at + 2, 15 - shift);
            }
            Means::Words => {
                while i < size {
                    self.put_byte(at + i + 1, first + i, end);
                    self.put_next(at + i, first + i + 1, end);
                    self.put_next(at + i + 1, first + i + 2, end);
                    self.put_factor(at + i, 8 - shift);
                    i += 2;
                }
            }
            _ => {
                while i < size {
                    self.put_byte(at + i, first + i, end);
                    i += 1;
                }
                self.put_next(at + size - 1, first + size, end);
                match means {
                    Means::Product => self.put_factor(at, 16 - width - shift),
                    Means::Sum => self.put_factor(at, 7),
                    _ => {}
                }
            }
        }
    }

    /// Sets the index at a place to a byte, unless the value ends before.
    const fn put_byte(&mut self, at: usize, byte: usize, end: usize) {
        if byte < end {
            self.bytes[at] = (byte - self.start) as u8;
        }
    }

    /// Same as [`put_byte`](Self::put_byte), for the second shuffle.
    const fn put_next(&mut self, at: usize, byte: usize, end: usize) {
        if byte < end {
            self.next[at] = (byte - self.next_start) as u8;
        }
    }

    /// Sets the factor at a place to a power of two.
    const fn put_factor(&mut self, at: usize, exponent: usize) {
        self.factors[at + exponent / 8] = 1 << (exponent % 8);
    }
}

/// Numbers of 4 or 8 bytes, the same of which contain several values each: those of 32 bytes.
#[derive(Clone, Copy)]
pub(super) struct Number {
    /// Byte of the unit in which it begins.
    pub(super) start: usize,
    /// Shift of each value.
    pub(super) shifts: [u8; 32],
}

impl Number {
    const fn new(size: usize, width: usize, length: usize, number: usize) -> Self {
        let count = 32 / size;
        let bit = number * count * width;
        let start = least(bit / 8, length.saturating_sub(size));
        let mut shifts = [0; 32];
        let mut value = 0;
        while value < count {
            shifts[value * size] = (bit + value * width - 8 * start) as u8;
            value += 1;
        }
        Self { start, shifts }
    }
}

/// Words of 8 bytes, two of which contain each of four 8-byte values. Indices are those of 4-byte
/// numbers, for a permutation.
#[derive(Clone, Copy)]
pub(super) struct Crossing {
    /// Byte of the unit from which 32 bytes are loaded.
    pub(super) start: usize,
    /// Indices of the word in which each value begins.
    pub(super) words: [u8; 32],
    /// Indices of the word after it, if there is one: else, nothing of that is in the value.
    pub(super) next: [u8; 32],
    /// Shift of each value.
    pub(super) shifts: [u8; 32],
}

impl Crossing {
    const fn new(width: usize, length: usize, number: usize) -> Self {
        let start = least(number * 4 * width / 8, length.saturating_sub(32));
        let mut crossing = Self {
            start,
            words: [0; 32],
            next: [0; 32],
            shifts: [0; 32],
        };
        let mut value = 0;
        while value < 4 {
            let bit = (number * 4 + value) * width - 8 * start;
            let (word, next) = (bit / 64, least(bit / 64 + 1, 3));
            let mut half = 0;
            while half < 2 {
                crossing.words[8 * value + 4 * half] = (2 * word + half) as u8;
                crossing.next[8 * value + 4 * half] = (2 * next + half) as u8;
                half += 1;
            }
            crossing.shifts[8 * value] = (bit % 64) as u8;
            value += 1;
        }
        crossing
    }
}

const fn least(a: usize, b: usize) -> usize {
    if a < b { a } else { b }
}

/// Places of the values of `GROUPS` groups.
pub(super) struct Places<const K: usize, const GROUPS: usize, W>(PhantomData<W>);

impl<const K: usize, const GROUPS: usize, W: Width> Places<K, GROUPS, W> {
    /// Size of a value in a piece: bytes are words at first.
    const SIZE: usize = if K == 1 { 2 } else { K };

    /// Number of bits of a packed value. Greater ones than a type has are compiled, but not called.
    const WIDTH: usize = least(W::BITS, 8 * K);

    /// Length of a unit in bytes.
    pub(super) const LENGTH: usize = GROUPS * Self::WIDTH;

    pub(super) const MEANS: Means = Means::new(Self::SIZE, Self::WIDTH);

    /// True if 32 bytes of values lie within as many bytes as each of them has.
    pub(super) const IS_NUMBER: bool =
        K >= 4 && !Self::WIDTH.is_multiple_of(8) && !spills(32 / K * Self::WIDTH, 8 * K);

    /// True if a value may take a byte more than its type.
    pub(super) const SPILLS: bool = spills(Self::WIDTH, 8 * K);

    /// Places for the fastest means.
    pub(super) const PIECES: [Piece; 16] = Self::pieces(Self::MEANS);

    /// Places for shifts.
    pub(super) const SHIFTED: [Piece; 16] = Self::pieces(Means::Shift);

    const fn pieces(means: Means) -> [Piece; 16] {
        let first = Piece::new(means, Self::SIZE, Self::WIDTH, Self::LENGTH, 0);
        let mut pieces = [first; 16];
        let mut number = 1;
        while number < GROUPS * Self::SIZE / 2 {
            pieces[number] = Piece::new(means, Self::SIZE, Self::WIDTH, Self::LENGTH, number);
            number += 1;
        }
        pieces
    }

    pub(super) const CROSSINGS: [Crossing; 4] = {
        let mut crossings = [Crossing::new(Self::WIDTH, Self::LENGTH, 0); 4];
        let mut number = 1;
        while number < 2 * GROUPS && number < 4 {
            crossings[number] = Crossing::new(Self::WIDTH, Self::LENGTH, number);
            number += 1;
        }
        crossings
    };

    pub(super) const NUMBERS: [Number; 8] = {
        let mut numbers = [Number::new(K, Self::WIDTH, Self::LENGTH, 0); 8];
        let mut number = 1;
        while number < GROUPS * K / 4 {
            numbers[number] = Number::new(K, Self::WIDTH, Self::LENGTH, number);
            number += 1;
        }
        numbers
    };
}
