//! The specification, written down: RFC 4648, sections 3 to 5.
#![forbid(unsafe_code)]

use super::{DecodeError, DecodePadding, Engine, PAD, padding_len};
use crate::memory::Slot;

/// Section 4: groups of 24 bits, each as four characters of 6 bits; the last group is filled up
/// with zero bits to whole characters, and with `=` to four of them.
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

/// The same backwards, and everything that can be wrong with it. `dst` has room for the result.
#[inline(never)]
pub(super) fn decode(engine: Engine, src: &[u8], dst: &mut [Slot]) -> Result<usize, DecodeError> {
    check(engine, src)?;
    let text = &src[..src.len() - padding_len(src)];
    let mut bytes = dst.iter_mut();
    for quad in text.chunks(4) {
        let mut bits = 0;
        for (i, character) in quad.iter().enumerate() {
            bits |= u32::from(engine.tables().value(*character)) << (18 - 6 * i);
        }
        for (i, to) in bytes.by_ref().take(quad.len() * 6 / 8).enumerate() {
            to.write((bits >> (16 - 8 * i)) as u8);
        }
    }
    Ok(super::decoded_len(src))
}

/// Section 3.2, padding; 3.3, characters outside the alphabet; 3.5, the bits behind the last byte.
/// The first character that is wrong is the one reported.
fn check(engine: Engine, src: &[u8]) -> Result<(), DecodeError> {
    let padding = padding_len(src);
    let text = &src[..src.len() - padding];
    for (offset, &byte) in text.iter().enumerate() {
        if engine.tables().value(byte) > 63 {
            return Err(DecodeError::InvalidByte { offset, byte });
        }
    }
    let offset = text.len();
    let spare_bits = match (text.len() % 4, padding) {
        (0, 0) => return Ok(()),
        (1, 0) => return Err(DecodeError::InvalidLength { offset }),
        (2, 0..=2) => 4,
        (3, 0..=1) => 2,
        _ => return Err(DecodeError::InvalidByte { offset, byte: PAD }),
    };
    match engine.decode_padding {
        DecodePadding::Required if !src.len().is_multiple_of(4) => {
            return Err(DecodeError::InvalidPadding { offset: src.len() });
        }
        DecodePadding::None if padding != 0 => return Err(DecodeError::InvalidPadding { offset }),
        _ => {}
    }
    let byte = text[offset - 1];
    if !engine.trailing_bits && engine.tables().value(byte) & ((1 << spare_bits) - 1) != 0 {
        return Err(DecodeError::InvalidLastSymbol {
            offset: offset - 1,
            byte,
        });
    }
    Ok(())
}
