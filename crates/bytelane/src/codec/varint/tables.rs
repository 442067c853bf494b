//! Shuffles for varints of one or two bytes, eight at a time.
//!
//! The index has seven bits. The entry that an eighth bit would add comes after all others, so it
//! is always present and ignored if the bit is not set.

/// Indexed by one bit for each of the first 7 of 8 bytes, set if a varint begins there: the two
/// bytes at each beginning, one varint after the other. The bytes after the last varint are
/// ignored.
///
/// ```text
/// begins   1 0 1 1 0 ..            the lowest bit first
/// bytes    a b c d e ..
/// result   a b  c d  d e  ..
/// ```
pub(super) static TWO_FROM_EACH: [[u8; 16]; 128] = {
    let mut table = [[0; 16]; 128];
    let mut begins = 0;
    while begins < 128 {
        let (mut place, mut to) = (0, 0);
        while place < 8 {
            if place == 7 || begins >> place & 1 != 0 {
                table[begins][to] = place;
                table[begins][to + 1] = place + 1;
                to += 2;
            }
            place += 1;
        }
        begins += 1;
    }
    table
};

/// Indexed by one bit for each of the first 7 of 8 units of two bytes, set for a varint of two
/// bytes: the varints without the unused second bytes. The bytes after the last varint are ignored.
///
/// ```text
/// long     0 1 1 ..                the lowest bit first
/// bytes    a . b b c c ..
/// result   a b b c c ..
/// ```
pub(super) static ONE_OR_TWO: [[u8; 16]; 128] = {
    let mut table = [[0; 16]; 128];
    let mut long = 0;
    while long < 128 {
        let (mut unit, mut to) = (0, 0);
        while unit < 8 {
            table[long][to] = 2 * unit;
            to += 1;
            if unit == 7 || long >> unit & 1 != 0 {
                table[long][to] = 2 * unit + 1;
                to += 1;
            }
            unit += 1;
        }
        long += 1;
    }
    table
};
