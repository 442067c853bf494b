//! Skips values of the compact protocol.
//!
//! **Policy.** The common case, in which every value is well formed, is a loop over a slice. It leaves
//! everything else to the reader, which reports the error and its offset. It accepts nothing that the
//! reader does not accept; the tests compare the two byte by byte.
//!
//! ```text
//! struct   loop { header byte: 0 ends the struct. The upper 4 bits are added to the field id; if they
//!          are 0, a varint with the id follows. The lower 4 bits are the type: skip a value of it,
//!          unless it is bool, whose value is the type itself }
//! list     header byte: the upper 4 bits are the count, or 15, and a varint with the count follows.
//!          Skip that many values of the type in the lower 4 bits
//! string   varint with the length; skip that many bytes
//! number   varint; find its last byte in a word of 8 bytes
//! ```
//!
//! No branch depends on whether a varint has 2 or up to 8 bytes: sizes and offsets vary in length, and a
//! branch would be mispredicted. A branch checks for varints of 1 byte, because their places in a struct
//! rarely change; when it is predicted, the CPU does not wait for the byte.

use super::format::{FALSE, TRUE};
use crate::Limits;

/// Returns the bytes after a value of a type. `None` if the value is malformed, exceeds a limit, or
/// is rare.
///
/// The slice is passed from call to call by value, so it stays in registers.
#[inline(always)]
pub(super) fn behind<'de>(
    bytes: &'de [u8],
    number: u8,
    limits: &Limits,
    depth: u32,
) -> Option<&'de [u8]> {
    match number {
        3 => bytes.get(1..),
        4 => behind_varint(bytes, 3, 3),
        5 => behind_varint(bytes, 5, 15),
        6 => behind_varint(bytes, 10, 1),
        7 => bytes.get(8..),
        8 => {
            let (length, bytes) = size(bytes)?;
            bytes.get(length..).filter(|_| length <= limits.string)
        }
        9 | 10 => behind_list(bytes, limits, depth.checked_sub(1)?),
        12 => behind_struct(bytes, limits, depth.checked_sub(1)?),
        _ => None,
    }
}

/// Skips a varint of up to `longest` bytes, the last of which is at most `last` if there are that many.
///
/// ```text
/// bytes    8a 95 03 15 02 16 ..    the last byte of a varint is the first one below 0x80
/// stops    00 00 80 80 80 80 ..    !word & 0x8080..
/// length   3                       trailing zeros / 8 + 1
/// ```
#[inline(always)]
fn behind_varint(bytes: &[u8], longest: usize, last: u8) -> Option<&[u8]> {
    let (first, rest) = bytes.split_first()?;
    if *first < 0x80 {
        return Some(rest);
    }
    let Some(word) = bytes.first_chunk() else {
        return behind_long_varint(bytes, longest, last);
    };
    let stops = !u64::from_le_bytes(*word) & 0x8080_8080_8080_8080;
    let length = stops.trailing_zeros() as usize / 8 + 1;
    if length < longest && stops != 0 {
        return bytes.get(length..);
    }
    behind_long_varint(bytes, longest, last)
}

/// Skips a varint byte by byte.
fn behind_long_varint(bytes: &[u8], longest: usize, last: u8) -> Option<&[u8]> {
    let most = bytes.len().min(longest);
    let length = bytes[..most].iter().position(|byte| *byte < 0x80)? + 1;
    (length < longest || bytes[length - 1] <= last).then(|| &bytes[length..])
}

/// Reads the number of bytes or elements that follow.
#[inline(always)]
fn size(mut bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut size = 0;
    for shift in [0, 7, 14, 21] {
        let (&byte, rest) = bytes.split_first()?;
        bytes = rest;
        size |= usize::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some((size, bytes));
        }
    }
    None
}

fn behind_list<'de>(bytes: &'de [u8], limits: &Limits, depth: u32) -> Option<&'de [u8]> {
    let (&header, mut bytes) = bytes.split_first()?;
    let count = match header >> 4 {
        15 => {
            let (count, rest) = size(bytes)?;
            bytes = rest;
            count
        }
        count => count.into(),
    };
    if count > limits.container {
        return None;
    }
    let number = header & 15;
    for _ in 0..count {
        bytes = match number {
            TRUE | FALSE => bytes.get(1..).filter(|_| bytes[0] <= FALSE)?,
            // Most lists of a Parquet footer have numbers of enums.
            5 => behind_varint(bytes, 5, 15)?,
            _ => behind(bytes, number, limits, depth)?,
        };
    }
    Some(bytes)
}

fn behind_struct<'de>(mut bytes: &'de [u8], limits: &Limits, depth: u32) -> Option<&'de [u8]> {
    let mut id = 0_i16;
    loop {
        let (&header, rest) = bytes.split_first()?;
        bytes = rest;
        match header >> 4 {
            0 if header == 0 => return Some(bytes),
            0 => {
                let (zigzag, rest) = size(bytes)?;
                let zigzag = zigzag as i32;
                id = i16::try_from(zigzag >> 1 ^ -(zigzag & 1)).ok()?;
                bytes = rest;
            }
            delta => id = id.checked_add(delta.into())?,
        }
        match header & 15 {
            TRUE | FALSE => {}
            number => bytes = behind(bytes, number, limits, depth)?,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::behind;
    use crate::input::Input;
    use crate::{Compact, Limits, Protocol, Reader, Type};

    /// A struct with one field of everything that is skipped quickly.
    const STRUCT: &[u8] = &[
        0x11, 0x12, 0x13, 7, 0x14, 0xff, 0xff, 3, 0x15, 0xff, 0xff, 0xff, 0xff, 15, 0x16, 0x80, 1,
        0x17, 1, 2, 3, 4, 5, 6, 7, 8, 0x18, 3, b'a', b'b', b'c', 0x19, 0x32, 0, 1, 2, 0x1a, 0xf5,
        2, 3, 4, 0x1c, 0x1c, 0, 0, 0x0c, 0xc8, 0x01, 0x00, 0x09, 0x01, 0x2c, 0, 0, 0,
    ];

    fn slowly(bytes: &[u8], limits: Limits) -> Option<usize> {
        let mut reader = Compact::<crate::Apache>::reader(Input::new(bytes, limits));
        reader.skip_slowly(Type::Struct).ok()?;
        Some(reader.input().rest().len())
    }

    fn quickly(bytes: &[u8], limits: Limits) -> Option<usize> {
        behind(bytes, 12, &limits, limits.depth).map(<[u8]>::len)
    }

    #[test]
    fn what_is_passed_over_quickly_is_what_the_reader_passes_over() {
        let mut bytes = [STRUCT, &[9, 9]].concat();
        assert_eq!(quickly(&bytes, Limits::default()), Some(2));
        for at in 0..bytes.len() {
            let kept = bytes[at];
            for byte in 0..=u8::MAX {
                bytes[at] = byte;
                if let Some(rest) = quickly(&bytes, Limits::default()) {
                    assert_eq!(
                        slowly(&bytes, Limits::default()),
                        Some(rest),
                        "{byte} at {at}"
                    );
                }
            }
            bytes[at] = kept;
            assert_eq!(
                quickly(&bytes[..at.min(STRUCT.len() - 1)], Limits::default()),
                None
            );
        }
    }

    #[test]
    fn limits_hold() {
        for limits in [
            Limits::default().with_depth(2),
            Limits::default().with_string(2),
            Limits::default().with_container(2),
        ] {
            assert_eq!(
                (quickly(STRUCT, limits), slowly(STRUCT, limits)),
                (None, None)
            );
        }
        assert_eq!(quickly(STRUCT, Limits::default().with_depth(3)), Some(0));
    }
}
