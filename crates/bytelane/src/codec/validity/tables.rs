//! Tables of shuffles, for instruction sets that cannot expand and compress.
#![forbid(unsafe_code)]

/// Index without a byte: a byte shuffle turns it into zero.
pub(super) const NONE: u8 = 0xff;

/// For each set of eight values, the source of the value at each position when values are spread:
/// the number of set bits below the position, or `NONE` if its bit is not set.
pub(super) static SPREAD: [[u8; 8]; 256] = ranks();

/// For each set of eight values, the positions in the set, followed by `NONE`.
pub(super) static COMPACT: [[u8; 8]; 256] = places();

/// Same as [`SPREAD`], byte by byte for four values of four bytes.
pub(super) static SPREAD_BYTES: [[u8; 16]; 16] = of_bytes(&ranks());

/// Same as [`COMPACT`], byte by byte for four values of four bytes.
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

/// Expands the numbers of the first sixteen rows to four bytes each.
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

/// Returns the bits of the 4-byte parts of values of `V` bytes, 4, 8 or 16: each bit once, twice or
/// four times. Only the first `V / 4` words matter.
#[inline(always)]
pub(super) fn parts<const V: usize>(bits: u64) -> [u64; 4] {
    match V {
        8 => [twice(bits), twice(bits >> 32), 0, 0],
        16 => [
            twice(twice(bits)),
            twice(twice(bits >> 16)),
            twice(twice(bits >> 32)),
            twice(twice(bits >> 48)),
        ],
        _ => [bits, 0, 0, 0],
    }
}

/// Doubles each of the lower 32 bits: each step moves the upper half of each piece by its length.
///
/// ```text
/// 0000abcd
/// 00ab00cd
/// 0a0b0c0d
/// aabbccdd
/// ```
#[inline(always)]
pub(super) fn twice(bits: u64) -> u64 {
    let mut bits = bits & 0xffff_ffff;
    bits = (bits | bits << 16) & 0x0000_ffff_0000_ffff;
    bits = (bits | bits << 8) & 0x00ff_00ff_00ff_00ff;
    bits = (bits | bits << 4) & 0x0f0f_0f0f_0f0f_0f0f;
    bits = (bits | bits << 2) & 0x3333_3333_3333_3333;
    bits = (bits | bits << 1) & 0x5555_5555_5555_5555;
    3 * bits
}
