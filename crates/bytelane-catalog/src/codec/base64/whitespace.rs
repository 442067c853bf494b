//! Text without its whitespace, with a record of each character's position in the input.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{self, Read};

/// Returns whether there is whitespace in a text.
pub(super) fn is_in(text: &[u8]) -> bool {
    before(text) < text.len()
}

/// Returns whether all bytes are greater than a space, so that none is whitespace. It has no
/// branches, so it compiles to vector instructions.
fn is_clean(text: &[u8]) -> bool {
    text.iter().fold(u8::MAX, |least, &byte| least.min(byte)) > b' '
}

/// Returns the length of the text before the first whitespace.
fn before(text: &[u8]) -> usize {
    const CHUNK: usize = 64;
    let (chunks, _) = text.as_chunks::<CHUNK>();
    let clean = CHUNK * chunks.iter().take_while(|chunk| is_clean(*chunk)).count();
    let whitespace = text[clean..].iter().position(u8::is_ascii_whitespace);
    whitespace.map_or(text.len(), |place| clean + place)
}

/// Positions in the input of the characters of a text whose whitespace was removed.
#[derive(Default, Debug)]
pub(super) struct Places {
    /// Number of bytes of the input so far, and the number of characters among them.
    read: usize,
    kept: usize,
    /// Characters that follow whitespace: their numbers, and their positions in the input.
    behind: VecDeque<(usize, usize)>,
}

impl Places {
    /// Removes the whitespace from the next bytes of the input. Returns the number of remaining
    /// bytes, which are at the front.
    pub(super) fn compact(&mut self, bytes: &mut [u8]) -> usize {
        let (mut from, mut to) = (0, 0);
        let is_clean = is_clean(bytes);
        while from < bytes.len() {
            let length = if is_clean {
                bytes.len()
            } else {
                before(&bytes[from..])
            };
            if length > 0 {
                let (number, place) = (self.kept + to, self.read + from);
                if self.of(number) != place {
                    self.behind.push_back((number, place));
                }
                bytes.copy_within(from..from + length, to);
            }
            // A whitespace byte follows, unless this is the end.
            (from, to) = (from + length + 1, to + length);
        }
        self.read += bytes.len();
        self.kept += to;
        to
    }

    /// Returns the position of a character by its number, or of the end of the text. Only the
    /// characters that have not been forgotten are known.
    pub(super) fn of(&self, number: usize) -> usize {
        let behind = self.behind.iter().rev();
        let mut before = behind.skip_while(|(first, _)| *first > number);
        before
            .next()
            .map_or(number, |(first, place)| place + (number - first))
    }

    /// Forgets the characters before this one.
    pub(super) fn forget(&mut self, number: usize) {
        while self.behind.get(1).is_some_and(|next| next.0 <= number) {
            self.behind.pop_front();
        }
    }

    /// Returns the number of positions remembered.
    #[cfg(test)]
    pub(super) fn remembered(&self) -> usize {
        self.behind.len()
    }
}

/// A reader of text that can remove its whitespace.
pub(super) struct Text<'a> {
    pub(super) input: &'a mut dyn Read,
    pub(super) skips_whitespace: bool,
    pub(super) places: &'a RefCell<Places>,
}

impl Read for Text<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        loop {
            let length = self.input.read(to)?;
            if length == 0 || !self.skips_whitespace {
                return Ok(length);
            }
            let kept = self.places.borrow_mut().compact(&mut to[..length]);
            // Returning 0 bytes would mean the end.
            if kept > 0 {
                return Ok(kept);
            }
        }
    }
}
