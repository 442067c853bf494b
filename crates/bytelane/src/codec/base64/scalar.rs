//! The specification as code: RFC 4648, sections 3 to 5.
#![forbid(unsafe_code)]

use super::{DecodePadding, Engine, Error, ErrorKind, PAD, padding_len};
use crate::memory::Slot;

/// Encodes as in section 4: groups of 24 bits become four characters of 6 bits each; the last group
/// is padded with zero bits to whole characters, and with `=` to four characters.
///
/// `dst` is as long as the result.
#[inline(never)]
pub(super) fn encode(engine: Engine, src: &[u8], dst: &mut [Slot]) {
    for (group, quad) in src.chunks(3).zip(dst.chunks_mut(4)) {
        let byte = |i: usize| u32::from(*group.get(i).unwrap_or(&0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for (i, to) in quad.iter_mut().enumerate() {
            let value = bits >> (18 - 6 * i) & 63;
            to.write(if i <= group.len() {
                engine.tables().characters[value as usize]
            } else {
                PAD
            });
        }
    }
}

/// Decodes a text without its padding; `dst` is as long as the result. False if a character is
/// outside the alphabet, or if bits after the last byte must be zero but are not.
#[inline(never)]
pub(super) fn decode(engine: Engine, text: &[u8], dst: &mut [Slot]) -> bool {
    let mut good = true;
    for (quad, group) in text.chunks(4).zip(dst.chunks_mut(3)) {
        let mut bits = 0;
        for (i, character) in quad.iter().enumerate() {
            let value = engine.tables().value(*character);
            good &= value < 64;
            bits |= u32::from(value) << (26 - 6 * i);
        }
        for to in group {
            to.write((bits >> 24) as u8);
            bits <<= 8;
        }
        good &= engine.trailing_bits || bits == 0;
    }
    good
}

/// Returns the error of a text that cannot be decoded: the first character outside the alphabet
/// (section 3.3), else the padding (3.2), else the bits after the last byte (3.5).
#[cold]
#[inline(never)]
pub(super) fn fault(engine: Engine, src: &[u8]) -> Error {
    let text = &src[..src.len() - padding_len(src)];
    let outside = |&byte: &u8| engine.tables().value(byte) > 63;
    if let Some(offset) = text.iter().position(outside) {
        return Error::at(offset, ErrorKind::InvalidByte(text[offset]));
    }
    let end = text.len();
    match (end % 4, src.len() - end) {
        (1, 0) => return Error::at(end, ErrorKind::InvalidLength),
        (0 | 1, 1..) | (3, 2..) => return Error::at(end, ErrorKind::InvalidByte(PAD)),
        _ => {}
    }
    match engine.decode_padding {
        DecodePadding::Required if !src.len().is_multiple_of(4) => {
            Error::at(src.len(), ErrorKind::InvalidPadding)
        }
        DecodePadding::None if src.len() != end => Error::at(end, ErrorKind::InvalidPadding),
        _ => Error::at(end - 1, ErrorKind::InvalidLastSymbol(text[end - 1])),
    }
}
