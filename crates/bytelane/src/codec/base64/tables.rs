//! Differences between the two alphabets, as tables for the kernels. All are computed from the
//! alphabet at compile time.
#![forbid(unsafe_code)]

/// An alphabet and all data derived from it, each table within a cache line.
#[repr(C, align(64))]
pub(crate) struct Tables {
    /// Character of each value.
    pub(super) characters: [u8; 64],
    /// Value of each ASCII character, [`INVALID`] for those outside the alphabet.
    pub(super) values: [u8; 128],
    /// The same, for shuffles with 16 entries.
    #[cfg(all(target_arch = "x86_64", feature = "sse41"))]
    pub(super) halves: Halves,
}

/// The padding character.
pub(super) const PAD: u8 = b'=';

/// Marks a character outside the alphabet: the one bit that no value and no ASCII character has.
const INVALID: u8 = 0x80;

/// Character of the value 0 in both alphabets.
pub(super) const ZERO: u8 = b'A';

/// Differences between [`ZERO`] and the padding, after 16 zeros. Those from byte 16 - `n` on pad `n` characters.
pub(super) static PADDING: [u8; 32] = {
    let mut differences = [0; 32];
    let mut at = 16;
    while at < 32 {
        differences[at] = ZERO - PAD;
        at += 1;
    }
    differences
};

/// The tables of each [`Alphabet`](super::Alphabet), in their order.
pub(super) static TABLES: [Tables; 2] = [
    Tables::new(*b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"),
    Tables::new(*b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
];

impl Tables {
    const fn new(characters: [u8; 64]) -> Self {
        let mut values = [INVALID; 128];
        let mut value = 0;
        while value < 64 {
            values[characters[value] as usize] = value as u8;
            value += 1;
        }
        Self {
            #[cfg(all(target_arch = "x86_64", feature = "sse41"))]
            halves: Halves::new(&characters),
            characters,
            values,
        }
    }

    /// Returns the value of a character, [`INVALID`] outside the alphabet.
    #[inline]
    pub(super) const fn value(&self, character: u8) -> u8 {
        if character < 128 {
            self.values[character as usize]
        } else {
            INVALID
        }
    }
}

/// How to decode 11 to 16 characters, of which a vector holds the first 8 and the last 8.
pub(crate) struct TextBlock {
    /// Places of the characters in the vector. Others become zeros.
    pub(super) order: [u8; 16],
    /// Characters of the value 0 after the text.
    pub(super) filling: [u8; 16],
    /// Places of the first 8 bytes and of the last 8 in the little-endian numbers of 24 bits.
    pub(super) bytes: [u8; 16],
}

/// Blocks by their number of characters minus 11.
pub(super) static TEXT_BLOCKS: [TextBlock; 6] = {
    let mut blocks = [const {
        TextBlock {
            order: [0; 16],
            filling: [0; 16],
            bytes: [0; 16],
        }
    }; 6];
    let mut i = 0;
    while i < 6 {
        let len = 11 + i;
        blocks[i].order = from_ends(len);
        let mut at = 0;
        while at < 16 {
            if at >= len {
                blocks[i].filling[at] = ZERO;
            }
            let byte = if at < 8 {
                at
            } else {
                len / 4 * 3 + (len % 4).saturating_sub(1) + at - 16
            };
            blocks[i].bytes[at] = (byte / 3 * 4 + 2 - byte % 3) as u8;
            at += 1;
        }
        i += 1;
    }
    blocks
};

/// Returns the places of `len` bytes in a vector of their first 8 and their last 8.
const fn from_ends(len: usize) -> [u8; 16] {
    let mut order = [0xff; 16];
    let mut i = 0;
    while i < len {
        order[i] = if i < 8 { i } else { 16 - len + i } as u8;
        i += 1;
    }
    order
}

#[cfg(all(target_arch = "x86_64", feature = "sse41"))]
/// An alphabet in tables of 16 bytes, for shuffles.
pub(super) struct Halves {
    /// The difference between a character and its value, by *class*: 0 for the capital letters, 1
    /// for the small ones, 2 to 11 for the digits, 12 and 13 for the values 62 and 63.
    pub(super) from_value: [u8; 16],
    /// The character of the value 63, in every place. In both alphabets, only this one differs from its
    /// value by a different amount than the other characters with the same upper half.
    pub(super) last: [u8; 16],
    /// The number to add to a character to get its value, by the upper half; at 0, where no character is, the
    /// number for the last one.
    pub(super) from_character: [u8; 16],
    /// The upper halves with which there are characters, as the bits of [`ROWS`], by the lower half.
    pub(super) columns: [u8; 16],
}

#[cfg(all(target_arch = "x86_64", feature = "sse41"))]
/// A bit for each upper half. Those of bytes that are not ASCII share a bit with the control characters, none of
/// which is in an alphabet.
pub(super) const ROWS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 1, 1, 1, 1, 1, 1, 1];

#[cfg(all(target_arch = "x86_64", feature = "sse41"))]
impl Halves {
    pub(super) const fn new(characters: &[u8; 64]) -> Self {
        let last = characters[63];
        let [mut from_value, mut from_character, mut columns] = [[0; 16]; 3];
        from_character[0] = 63_u8.wrapping_sub(last);
        let mut value = 0;
        while value < 64 {
            let character = characters[value];
            let [upper, lower] = [character as usize / 16, character as usize % 16];
            let class = match value {
                0..26 => 0,
                26..52 => 1,
                _ => value - 50,
            };
            from_value[class] = character.wrapping_sub(value as u8);
            assert!(upper != 0 && ROWS[upper] != ROWS[0]);
            columns[lower] |= ROWS[upper];
            if character != last {
                let difference = (value as u8).wrapping_sub(character);
                assert!(matches!(from_character[upper], 0) || from_character[upper] == difference);
                from_character[upper] = difference;
            }
            value += 1;
        }
        Self {
            from_value,
            last: [last; 16],
            from_character,
            columns,
        }
    }
}
