//! Skips structs that are laid out like earlier ones of a list.
//!
//! The place of a field depends on the lengths of the fields before it, so skipping a struct field by field waits
//! for each of them. The elements of a list often have the same fields, of the same lengths. An outline consists of
//! the bits of a struct on which its length depends. If another struct has the same bits in the same places, it is
//! well formed and has the same length: all bits are compared at once, in vectors.
//!
//! ```text
//! struct   16 8a 03  18 03 61 62 63  00       i64, string, end
//! mask     ff 80 80  ff ff 00 00 00  ff       header: all bits; varint: where it ends; string: its length
//! ```
//!
//! An outline is recorded when a struct has none, which takes longer than skipping the struct. A credit
//! bounds the time that is lost in lists whose structs differ: it grows with each struct that has an outline, and
//! shrinks with each that has none.

use super::format::{FALSE, TRUE};

/// Maximum number of outlines of a list.
const MOST: usize = 8;

/// Maximum length of a struct with an outline.
const LONGEST: usize = 320;

/// Number of bytes that are compared at once.
const BLOCK: usize = 32;

/// Credit that a struct without an outline costs, and the greatest credit.
const COST: usize = 3;
const MOST_CREDIT: usize = 16 * COST;

/// Number of elements of a list for each struct without an outline that the first credit allows.
const SHARE: usize = 8;

/// Bits of a struct on which its length depends. Those outside of the masks are not relevant.
#[derive(Clone, Debug)]
struct Outline {
    masks: [u8; LONGEST],
    bits: [u8; LONGEST],
    length: usize,
    /// Number of the outline of the struct that followed.
    next: usize,
}

/// Layouts of the structs of a list that have been skipped, for
/// [`skip_alike`](crate::Reader::skip_alike).
#[derive(Clone, Debug, Default)]
pub struct Outlines {
    outlines: Vec<Outline>,
    last: usize,
    /// Number of the outline to replace.
    oldest: usize,
    credit: usize,
}

impl Outlines {
    /// Creates outlines for a list of `count` elements.
    #[must_use]
    pub fn new(count: usize) -> Self {
        Self {
            credit: (count / SHARE * COST).min(MOST_CREDIT),
            ..Self::default()
        }
    }

    /// Returns the bytes after a struct. `skip` returns those after a struct without an outline.
    #[inline]
    pub(super) fn behind<'de>(
        &mut self,
        bytes: &'de [u8],
        skip: impl Fn(&'de [u8]) -> Option<&'de [u8]>,
    ) -> Option<&'de [u8]> {
        if self.credit < COST {
            return skip(bytes);
        }
        let next = self.outlines.get(self.last).map_or(0, |it| it.next);
        if let Some(outline) = self.outlines.get(next)
            && outline.is_of(bytes)
        {
            self.last = next;
            self.credit = (self.credit + 1).min(MOST_CREDIT);
            return bytes.get(outline.length..);
        }
        self.find_or_record(bytes, skip)
    }

    fn find_or_record<'de>(
        &mut self,
        bytes: &'de [u8],
        skip: impl Fn(&'de [u8]) -> Option<&'de [u8]>,
    ) -> Option<&'de [u8]> {
        let found = self.outlines.iter().position(|it| it.is_of(bytes));
        let (number, rest) = match found {
            Some(number) => {
                self.credit = (self.credit + 1).min(MOST_CREDIT);
                (number, bytes.get(self.outlines[number].length..)?)
            }
            None => {
                let rest = skip(bytes)?;
                self.credit -= COST;
                let length = bytes.len() - rest.len();
                let Some(outline) = Outline::record(&bytes[..length]) else {
                    return Some(rest);
                };
                (self.keep(outline), rest)
            }
        };
        self.outlines[self.last].next = number;
        self.last = number;
        Some(rest)
    }

    /// Returns the number of an outline that is kept from now on.
    fn keep(&mut self, outline: Outline) -> usize {
        if self.outlines.len() < MOST {
            self.outlines.push(outline);
            return self.outlines.len() - 1;
        }
        let number = self.oldest;
        self.oldest = (number + 1) % MOST;
        self.outlines[number] = outline;
        number
    }
}

impl Outline {
    /// Records the outline of a struct that is well formed. `None` if it is too long.
    fn record(bytes: &[u8]) -> Option<Self> {
        let mut outline = Self {
            masks: [0; LONGEST],
            bits: [0; LONGEST],
            length: bytes.len(),
            next: 0,
        };
        outline.bits.get_mut(..bytes.len())?.copy_from_slice(bytes);
        let end = outline.mark_struct(0)?;
        (end == bytes.len()).then_some(outline)
    }

    /// Returns whether this is the outline of the struct at the start of some bytes.
    #[inline]
    fn is_of(&self, bytes: &[u8]) -> bool {
        let blocks = self.length.div_ceil(BLOCK) * BLOCK;
        let (Some(bytes), Some(masks), Some(bits)) = (
            bytes.get(..blocks),
            self.masks.get(..blocks),
            self.bits.get(..blocks),
        ) else {
            return false;
        };
        let mut others = [0; BLOCK];
        let blocks = bytes.chunks_exact(BLOCK).zip(masks.chunks_exact(BLOCK));
        for ((bytes, masks), bits) in blocks.zip(bits.chunks_exact(BLOCK)) {
            for (index, other) in others.iter_mut().enumerate() {
                *other |= (bytes[index] ^ bits[index]) & masks[index];
            }
        }
        others == [0; BLOCK]
    }

    /// Marks all bits of a byte as relevant, and returns the byte.
    fn byte(&mut self, at: usize) -> Option<u8> {
        *self.masks.get_mut(at)? = 0xff;
        self.bits.get(at).copied()
    }

    /// Marks a number of bytes or elements. Returns it, and the offset after it.
    fn size(&mut self, mut at: usize) -> Option<(usize, usize)> {
        let mut size = 0;
        for shift in [0, 7, 14, 21] {
            let byte = self.byte(at)?;
            at += 1;
            size |= usize::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some((size, at));
            }
        }
        None
    }

    /// Marks where a varint ends, and all bits of its last byte if that must not be too large.
    fn mark_varint(&mut self, at: usize, longest: usize) -> Option<usize> {
        for place in at..at + longest - 1 {
            *self.masks.get_mut(place)? = 0x80;
            if *self.bits.get(place)? < 0x80 {
                return Some(place + 1);
            }
        }
        self.byte(at + longest - 1)?;
        Some(at + longest)
    }

    /// Marks a value of a type. Returns the offset after it.
    fn mark(&mut self, at: usize, number: u8) -> Option<usize> {
        match number {
            3 => Some(at + 1),
            4 => self.mark_varint(at, 3),
            5 => self.mark_varint(at, 5),
            6 => self.mark_varint(at, 10),
            7 => Some(at + 8),
            8 => {
                let (length, at) = self.size(at)?;
                Some(at + length)
            }
            9 | 10 => self.mark_list(at),
            12 => self.mark_struct(at),
            _ => None,
        }
    }

    fn mark_list(&mut self, at: usize) -> Option<usize> {
        let header = self.byte(at)?;
        let (count, mut at) = match header >> 4 {
            15 => self.size(at + 1)?,
            count => (count.into(), at + 1),
        };
        for _ in 0..count {
            at = match header & 15 {
                TRUE | FALSE => {
                    self.byte(at)?;
                    at + 1
                }
                number => self.mark(at, number)?,
            };
            // Nothing follows that is within the struct.
            if at > LONGEST {
                return None;
            }
        }
        Some(at)
    }

    fn mark_struct(&mut self, mut at: usize) -> Option<usize> {
        loop {
            let header = self.byte(at)?;
            at += 1;
            if header == 0 {
                return Some(at);
            }
            if header >> 4 == 0 {
                (_, at) = self.size(at)?;
            }
            match header & 15 {
                TRUE | FALSE => {}
                number => at = self.mark(at, number)?,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::skip::behind;
    use super::*;
    use crate::Limits;

    /// A struct with one field of everything that is skipped quickly.
    const STRUCT: &[u8] = &[
        0x11, 0x12, 0x13, 7, 0x14, 0xff, 0xff, 3, 0x15, 0xff, 0xff, 0xff, 0xff, 15, 0x16, 0x80, 1,
        0x17, 1, 2, 3, 4, 5, 6, 7, 8, 0x18, 3, b'a', b'b', b'c', 0x19, 0x32, 1, 1, 2, 0x1a, 0xf5,
        2, 3, 4, 0x1c, 0x1c, 0, 0, 0x0c, 0xc8, 0x01, 0x00, 0x09, 0x01, 0x2c, 0, 0, 0,
    ];

    fn slowly(bytes: &[u8]) -> Option<&[u8]> {
        let limits = Limits::default();
        behind(bytes, 12, &limits, limits.depth)
    }

    #[test]
    fn structs_like_an_outline_are_those_that_are_skipped_field_by_field() {
        let outline = Outline::record(STRUCT).expect("an outline");
        assert_eq!(outline.length, STRUCT.len());
        let mut bytes = [STRUCT, &[0; BLOCK]].concat();
        let (mut alike, mut others) = (0, 0);
        for at in 0..STRUCT.len() {
            let kept = bytes[at];
            for byte in 0..=u8::MAX {
                bytes[at] = byte;
                if outline.is_of(&bytes) {
                    assert_eq!(
                        slowly(&bytes),
                        Some(&bytes[STRUCT.len()..]),
                        "{byte} at {at}"
                    );
                    alike += 1;
                } else {
                    others += 1;
                }
            }
            bytes[at] = kept;
        }
        assert!(alike > 3000 && others > 3000, "{alike}, {others}");
        assert!(!outline.is_of(&bytes[..STRUCT.len()]), "blocks are whole");
    }

    /// Returns a struct with numbers of these sizes and a string.
    fn of(number: u8, text: usize) -> Vec<u8> {
        let mut bytes = vec![0x16];
        bytes.extend(std::iter::repeat_n(0x80, number.into()));
        bytes.extend([number, 0x18, text as u8]);
        bytes.extend(std::iter::repeat_n(b'a', text));
        bytes.push(0);
        bytes
    }

    #[test]
    fn lists_are_skipped_like_field_by_field() {
        let shapes: [fn(usize) -> Vec<u8>; 4] = [
            |_| of(1, 8),
            |index| of((index % 3) as u8, 8),
            |index| of((index % 5) as u8, index * 7919 % 40),
            |index| of(1, if index < 100 { 100 } else { 126 }),
        ];
        for shape in shapes {
            let elements: Vec<_> = (0..300).map(shape).collect();
            let list = [elements.concat(), vec![0; 2]].concat();
            let mut outlines = Outlines::new(elements.len());
            let mut rest = &list[..];
            for element in &elements {
                assert!(rest.starts_with(element));
                let after = outlines.behind(rest, slowly).expect("a struct");
                assert_eq!(rest.len() - after.len(), element.len());
                rest = after;
            }
            assert_eq!(rest, &[0; 2]);
        }
    }

    #[test]
    fn outlines_are_used_as_long_as_they_fit() {
        let count = |shape: fn(usize) -> Vec<u8>| {
            let list: Vec<u8> = (0..1000).flat_map(shape).collect();
            let (mut outlines, mut rest) = (Outlines::new(1000), &list[..]);
            let slow = std::cell::Cell::new(0);
            for _ in 0..1000 {
                let skip = |bytes| {
                    slow.set(slow.get() + 1);
                    slowly(bytes)
                };
                rest = outlines.behind(rest, skip).expect("a struct");
            }
            (slow.get(), outlines.credit < COST)
        };
        // The last structs are shorter than a block.
        assert!(count(|_| of(1, 8)).0 < 5);
        assert!(count(|index| of((index % 3) as u8, 8)).0 < 10);
        assert_eq!(count(|index| of(1, index * 7919 % 120)), (1000, true));
        assert_eq!(Outlines::new(SHARE - 1).credit, 0);
    }

    #[test]
    fn long_structs_have_no_outline() {
        let long = [&[0x18, 0xc8, 2][..], &[b'a'; 328], &[0]].concat();
        assert!(slowly(&long).is_some());
        assert!(Outline::record(&long).is_none());
    }
}
