//! Pairs of bytes that cannot follow each other in UTF-8, as three tables: indexed by the first
//! byte's upper half, its lower half, and the second byte's upper half. A bit set in all three
//! entries is an error. This is the method of Keiser and Lemire, "Validating UTF-8 In Less Than One
//! Instruction Per Byte" (2021), section 6.
#![forbid(unsafe_code)]

/// Sets of values of the three halves for one bit of the tables, one bit per value.
struct Rule {
    first_upper: u16,
    first_lower: u16,
    second_upper: u16,
}

const ANY: u16 = 0xffff;
const ASCII: u16 = 0x00ff;
const CONTINUATION: u16 = 0x0f00;
const LEAD: u16 = 0xf000;

const fn rule(first_upper: u16, first_lower: u16, second_upper: u16) -> Rule {
    Rule {
        first_upper,
        first_lower,
        second_upper,
    }
}

/// Rules, one per bit of the tables. The last one is not an error if there is a lead byte two or
/// three bytes before: its bit, the highest, is compared with that condition.
const RULES: [Rule; 8] = [
    // A lead without a continuation.
    rule(LEAD, ANY, !CONTINUATION),
    // A continuation without a lead.
    rule(ASCII, ANY, CONTINUATION),
    // Overlong: c0 and c1; e0 80..9f.
    rule(1 << 0xc, 0x0003, CONTINUATION),
    rule(1 << 0xe, 0x0001, 0x0300),
    // Surrogates: ed a0..bf.
    rule(1 << 0xe, 1 << 0xd, 0x0c00),
    // Too large: f4 90..bf, and all of f5 to ff except 80..8f.
    rule(1 << 0xf, 0xfff0, 0x0e00),
    // Overlong f0 80..8f, and the 80..8f of f5 to ff.
    rule(1 << 0xf, 0xffe1, 0x0100),
    // Two continuations.
    rule(CONTINUATION, ANY, CONTINUATION),
];

const fn table(half: usize) -> [u8; 16] {
    let mut table = [0; 16];
    let mut i = 0;
    while i < 8 * 16 {
        let (bit, value) = (i / 16, i % 16);
        let sets = [
            RULES[bit].first_upper,
            RULES[bit].first_lower,
            RULES[bit].second_upper,
        ];
        table[value] |= ((sets[half] >> value & 1) as u8) << bit;
        i += 1;
    }
    table
}

pub(super) const FIRST_UPPER: [u8; 16] = table(0);
pub(super) const FIRST_LOWER: [u8; 16] = table(1);
pub(super) const SECOND_UPPER: [u8; 16] = table(2);

/// Lead threshold: subtracted with saturation from the byte two before, leaves the highest bit set
/// only for leads of three or four bytes.
pub(super) const LEAD_OF_THREE: u8 = 0xe0 - 0x80;

/// The same for the byte three before, and leads of four bytes.
pub(super) const LEAD_OF_FOUR: u8 = 0xf0 - 0x80;
