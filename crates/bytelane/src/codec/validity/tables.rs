//! Tables of shuffles, for instruction sets that cannot expand and compress.
#![forbid(unsafe_code)]

/// No place: a byte shuffle makes a zero of it.
pub(super) const NONE: u8 = 0xff;

/// For each set of eight values, where the value of each place comes from when values are spread: the
/// number of set bits below the place, or `NONE` where its bit is not set.
pub(super) static SPREAD: [[u8; 8]; 256] = ranks();

/// For each set of eight values, the places of those that it has, and then `NONE`.
pub(super) static COMPACT: [[u8; 8]; 256] = places();

/// As [`SPREAD`], byte by byte for four values of four bytes.
pub(super) static SPREAD_BYTES: [[u8; 16]; 16] = of_bytes(&ranks());

/// As [`COMPACT`], byte by byte for four values of four bytes.
pub(super) static COMPACT_BYTES: [[u8; 16]; 16] = of_bytes(&places());

const fn ranks() -> [[u8; 8]; 256] {
    let mut table = [[NONE; 8]; 256];
    let mut set = 0;
    while set < 256 {
        let (mut place, mut rank) = (0, 0);
        while place < 8 {
            if set >> place & 1 != 0 {
                table[set][place] = rank;
                rank += 1;
            }
            place += 1;
        }
        set += 1;
    }
    table
}

const fn places() -> [[u8; 8]; 256] {
    let mut table = [[NONE; 8]; 256];
    let mut set = 0;
    while set < 256 {
        let (mut place, mut rank) = (0, 0);
        while place < 8 {
            if set >> place & 1 != 0 {
                table[set][rank] = place;
                rank += 1;
            }
            place += 1;
        }
        set += 1;
    }
    table
}

/// The first sixteen rows, with four bytes in place of each number.
const fn of_bytes(table: &[[u8; 8]; 256]) -> [[u8; 16]; 16] {
    let mut bytes = [[NONE; 16]; 16];
    let mut set = 0;
    while set < 16 {
        let mut i = 0;
        while i < 16 {
            let number = table[set][i / 4];
            if number != NONE {
                bytes[set][i] = 4 * number + i as u8 % 4;
            }
            i += 1;
        }
        set += 1;
    }
    bytes
}

/// For each set of values of `V` bytes, the set of their parts of 4 bytes: 2 or 4 bits for each bit.
pub(super) const fn parts<const V: usize>(set: usize) -> usize {
    match V {
        8 => 3 * (set & 1 | (set & 2) << 1 | (set & 4) << 2 | (set & 8) << 3),
        16 => 15 * (set & 1 | (set & 2) << 3),
        _ => set,
    }
}
