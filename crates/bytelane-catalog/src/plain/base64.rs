//! Plain loops of `base64`: six bits per character.

use super::{Loops, Plain};
use crate::{Parameters, SpecificationError};

pub(crate) fn open(parameters: &Parameters<'_>) -> Result<Box<dyn Plain>, SpecificationError> {
    let alphabet: String = parameters.get("alphabet", |_| true)?;
    let padding: String = parameters.get("padding", |_| true)?;
    let trailing_bits: String = parameters.get("trailing_bits", |_| true)?;
    let mut characters = *b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if alphabet == "url" {
        characters[62..].copy_from_slice(b"-_");
    }
    let mut values = [NONE; 256];
    for (value, character) in characters.iter().enumerate() {
        values[usize::from(*character)] = value as u8;
    }
    Ok(Box::new(Base64 {
        characters,
        values,
        writes_padding: padding == "required",
        needs_padding: padding == "required",
        takes_padding: padding != "none",
        ignores_trailing_bits: trailing_bits == "ignored",
    }))
}

/// Marks a character outside the alphabet.
const NONE: u8 = 0xff;

struct Base64 {
    characters: [u8; 64],
    /// Value of each character.
    values: [u8; 256],
    writes_padding: bool,
    needs_padding: bool,
    takes_padding: bool,
    ignores_trailing_bits: bool,
}

impl Base64 {
    /// Returns the characters of 24 bits.
    #[inline(always)]
    fn quad(&self, [first, second, third]: [u8; 3]) -> [u8; 4] {
        let bits = u32::from_be_bytes([0, first, second, third]);
        let mut quad = [0; 4];
        for (i, to) in quad.iter_mut().enumerate() {
            *to = self.characters[(bits >> (18 - 6 * i) & 63) as usize];
        }
        quad
    }

    /// Returns the bits of characters, unless one is outside the alphabet.
    #[inline(always)]
    fn bits(&self, quad: [u8; 4]) -> Option<u32> {
        let [a, b, c, d] = quad.map(|character| self.values[usize::from(character)]);
        if (a | b | c | d) & 0xc0 != 0 {
            return None;
        }
        Some(u32::from(a) << 18 | u32::from(b) << 12 | u32::from(c) << 6 | u32::from(d))
    }
}

impl Loops for Base64 {
    #[inline(always)]
    fn encode(&self, values: &[u8], encoded: &mut [u8]) -> Option<usize> {
        let (groups, rest) = values.as_chunks::<3>();
        let end = 4 * groups.len();
        let quads = encoded.get_mut(..end)?.as_chunks_mut::<4>().0;
        for (group, to) in groups.iter().zip(quads) {
            *to = self.quad(*group);
        }
        if rest.is_empty() {
            return Some(end);
        }
        let mut group = [0; 3];
        group[..rest.len()].copy_from_slice(rest);
        let mut quad = self.quad(group);
        quad[rest.len() + 1..].fill(b'=');
        let length = if self.writes_padding {
            4
        } else {
            rest.len() + 1
        };
        let to = encoded.get_mut(end..end + length)?;
        to.copy_from_slice(&quad[..length]);
        Some(end + length)
    }

    #[inline(always)]
    fn decode(&self, encoded: &[u8], values: &mut [u8]) -> Option<usize> {
        let mut text = encoded;
        let mut padding = 0;
        while let Some((b'=', rest)) = text.split_last()
            && padding < 2
        {
            (text, padding) = (rest, padding + 1);
        }
        let is_whole = (text.len() + padding).is_multiple_of(4);
        let padding_is_legal = match padding {
            0 => is_whole || !self.needs_padding,
            _ => is_whole && self.takes_padding,
        };
        if !padding_is_legal {
            return None;
        }
        let (quads, rest) = text.as_chunks::<4>();
        let end = 3 * quads.len();
        let groups = values.get_mut(..end)?.as_chunks_mut::<3>().0;
        for (quad, to) in quads.iter().zip(groups) {
            to.copy_from_slice(&self.bits(*quad)?.to_be_bytes()[1..]);
        }
        if rest.is_empty() {
            return Some(end);
        }
        let mut quad = [self.characters[0]; 4];
        quad[..rest.len()].copy_from_slice(rest);
        let group = self.bits(quad)?.to_be_bytes();
        let length = rest.len().checked_sub(1).filter(|length| *length > 0)?;
        let unused = &group[1 + length..];
        if !self.ignores_trailing_bits && unused.iter().any(|byte| *byte != 0) {
            return None;
        }
        let to = values.get_mut(end..end + length)?;
        to.copy_from_slice(&group[1..=length]);
        Some(end + length)
    }
}
