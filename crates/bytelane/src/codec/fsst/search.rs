//! Comparisons of encoded strings with text, without decoding them to memory.
#![forbid(unsafe_code)]

use super::table::{ESCAPE, Table};
use super::{Error, ErrorKind, scalar};
#[cfg(feature = "alloc")]
use alloc::{vec, vec::Vec};

impl Table {
    /// Returns whether an encoded string stands for a text. Reads no further than to the first difference.
    ///
    /// Two strings that the same `Encoder` has encoded are equal if their encoded bytes are. This function also
    /// compares strings of other encoders, which may have chosen other symbols.
    ///
    /// # Errors
    ///
    /// [`Error`] if the string is malformed before the first difference.
    ///
    /// ```
    /// use bytelane::fsst::Table;
    ///
    /// let table = Table::new(&["one", "two"])?;
    /// assert!(table.equals(&[0, 1], b"onetwo")?);
    /// assert!(!table.equals(&[0, 1], b"onetwothree")?);
    /// # Ok::<(), bytelane::fsst::Error>(())
    /// ```
    pub fn equals(&self, src: &[u8], text: &[u8]) -> Result<bool, Error> {
        let mut rest = Some(text);
        scalar::pieces(self, src, |bytes| {
            rest = rest.and_then(|rest| rest.strip_prefix(bytes));
            rest.is_some()
        })?;
        Ok(rest.is_some_and(<[u8]>::is_empty))
    }

    /// Returns whether an encoded string begins with a text. Reads no further than it has to.
    ///
    /// # Errors
    ///
    /// [`Error`] if the string is malformed before the first difference, and before the end of the text.
    ///
    /// ```
    /// use bytelane::fsst::Table;
    ///
    /// let table = Table::new(&["one", "two"])?;
    /// assert!(table.starts_with(&[0, 1], b"onet")?);
    /// assert!(!table.starts_with(&[0, 1], b"two")?);
    /// # Ok::<(), bytelane::fsst::Error>(())
    /// ```
    pub fn starts_with(&self, src: &[u8], prefix: &[u8]) -> Result<bool, Error> {
        let mut rest = Some(prefix);
        if prefix.is_empty() {
            return Ok(true);
        }
        scalar::pieces(self, src, |bytes| {
            let text = rest.unwrap_or_default();
            let common = usize::min(bytes.len(), text.len());
            rest = (bytes[..common] == text[..common]).then(|| &text[common..]);
            rest.is_some_and(|rest| !rest.is_empty())
        })?;
        Ok(rest.is_some_and(<[u8]>::is_empty))
    }
}

/// Maximum length of a text for which there is an automaton, whose states are bytes.
#[cfg(feature = "alloc")]
const LONGEST: usize = 128;

/// Search for a text in encoded strings of a table.
///
/// A text of up to 128 bytes becomes an automaton that makes one step per code, however many bytes its symbol has; it takes 512 bytes of
/// memory for each byte of the text. Longer texts are compared byte by byte.
///
/// ```
/// use bytelane::fsst::{Finder, Table};
///
/// let table = Table::new(&["one", "two"])?;
/// let finder = Finder::new(&table, b"netw");
/// assert!(finder.is_in(&[1, 0, 1])?);
/// assert!(!finder.is_in(&[1, 1, 0])?);
/// # Ok::<(), bytelane::fsst::Error>(())
/// ```
#[cfg(feature = "alloc")]
#[derive(Clone, Debug)]
pub struct Finder {
    table: Table,
    needle: Vec<u8>,
    /// For each number of bytes of the needle, the length of the longest proper prefix of it that these end with.
    borders: Vec<usize>,
    /// States after each code, and after each literal byte: 256 and 256 for each number of bytes found so far.
    steps: Vec<u8>,
}

#[cfg(feature = "alloc")]
impl Finder {
    /// Prepares a search. Takes time linear in the length of the text, about 3 µs per byte of a short one.
    #[must_use]
    pub fn new(table: &Table, needle: &[u8]) -> Self {
        let mut finder = Self {
            table: table.clone(),
            needle: needle.to_vec(),
            borders: vec![0; needle.len() + 1],
            steps: Vec::new(),
        };
        for end in 2..=needle.len() {
            finder.borders[end] = finder.step(finder.borders[end - 1], needle[end - 1]);
        }
        if needle.len() <= LONGEST {
            for found in 0..needle.len() {
                let after = |code: u8| {
                    let symbol = table.symbol(code).unwrap_or_default();
                    finder.steps_of(found, symbol) as u8
                };
                let codes = (0..=u8::MAX).map(after);
                let bytes = (0..=u8::MAX).map(|byte| finder.step(found, byte) as u8);
                let steps: Vec<u8> = codes.chain(bytes).collect();
                finder.steps.extend(steps);
            }
        }
        finder
    }

    /// Returns the number of bytes of the needle that are found after one more byte.
    fn step(&self, mut found: usize, byte: u8) -> usize {
        loop {
            if self.needle.get(found) == Some(&byte) {
                return found + 1;
            }
            if found == 0 {
                return 0;
            }
            found = self.borders[found];
        }
    }

    /// The same for several bytes, or until all of the needle is found.
    fn steps_of(&self, mut found: usize, bytes: &[u8]) -> usize {
        for &byte in bytes {
            if found == self.needle.len() {
                break;
            }
            found = self.step(found, byte);
        }
        found
    }

    /// Returns whether an encoded string contains the text. Reads no further than to the end of it.
    ///
    /// # Errors
    ///
    /// [`Error`] if the string is malformed before that.
    pub fn is_in(&self, src: &[u8]) -> Result<bool, Error> {
        if self.needle.is_empty() {
            return Ok(true);
        }
        if self.steps.is_empty() {
            let mut found = 0;
            scalar::pieces(&self.table, src, |bytes| {
                found = self.steps_of(found, bytes);
                found < self.needle.len()
            })?;
            return Ok(found == self.needle.len());
        }
        let (mut found, mut at) = (0, 0);
        while at < src.len() {
            let code = src[at];
            let mut step = 512 * usize::from(found) + usize::from(code);
            if code >= self.table.count {
                if code != ESCAPE {
                    return Err(Error::at(at, ErrorKind::UnknownCode { code: code.into() }));
                }
                let Some(&byte) = src.get(at + 1) else {
                    return Err(Error::at(at, ErrorKind::UnexpectedEnd));
                };
                step = 512 * usize::from(found) + 256 + usize::from(byte);
                at += 1;
            }
            found = self.steps[step];
            if usize::from(found) == self.needle.len() {
                return Ok(true);
            }
            at += 1;
        }
        Ok(false)
    }
}
