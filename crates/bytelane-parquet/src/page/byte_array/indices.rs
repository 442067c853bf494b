//! Indices into a dictionary.

use crate::{Error, Result};
use bytelane::Detected;
use bytelane::rle_hybrid::{self, Dictionary, Entry, Format};
use bytes::Bytes;

/// What is left of a page of indices.
pub(super) struct Indices {
    backend: Detected,
    format: Format<u32>,
    bytes: Bytes,
    /// Where the run of the next index begins.
    at: usize,
    /// Indices of that run that are taken.
    taken: usize,
}

impl Indices {
    /// Of a page whose first byte is the width of the indices.
    pub(super) fn open(backend: Detected, bytes: Bytes) -> Result<Self> {
        // Some writers write no indices as no bytes.
        let width = bytes.first().copied().unwrap_or_default();
        let Some(format) = Format::new(u32::from(width)) else {
            return Err(Error::corrupt(format!("indices of {width} bits")));
        };
        let at = bytes.len().min(1);
        Ok(Self {
            backend,
            format,
            bytes,
            at,
            taken: 0,
        })
    }

    /// The entries that the next indices stand for.
    pub(super) fn look_up<T: Entry + bytemuck::Pod>(
        &mut self,
        dictionary: &Dictionary<T>,
        to: &mut [T],
    ) -> Result<()> {
        let (range, runs) = (self.taken..self.taken + to.len(), &self.bytes[self.at..]);
        let count = to.len();
        dictionary
            .decode_range_uninit_with(self.backend, self.format, runs, range, to)
            .map_err(damaged)?;
        self.skip(count)
    }

    /// The next indices.
    fn decode(&mut self, to: &mut [u32]) -> Result<()> {
        let (range, runs) = (self.taken..self.taken + to.len(), &self.bytes[self.at..]);
        let count = to.len();
        self.format
            .decode_range_uninit_with(self.backend, runs, range, to)
            .map_err(damaged)?;
        self.skip(count)
    }

    /// The next indices, each of which a dictionary of so many entries has.
    pub(super) fn decode_below(&mut self, entries: usize, to: &mut [u32]) -> Result<()> {
        self.decode(to)?;
        // In contrast to `max` of an iterator, the compiler makes vectors of it.
        let greatest = to.iter().fold(0, |most, index| (*index).max(most));
        match to.is_empty() || (greatest as usize) < entries {
            true => Ok(()),
            false => Err(Error::corrupt(format!(
                "the index {greatest} into a dictionary of {entries} values"
            ))),
        }
    }

    /// Moves to the run of the index after the next ones.
    pub(super) fn skip(&mut self, count: usize) -> Result<()> {
        let wanted = self.taken + count;
        let mut runs = self.format.runs(&self.bytes[self.at..], wanted);
        let (mut last, mut before) = (0, 0);
        let mut counted = 0;
        loop {
            let start = runs.read();
            let Some(run) = runs.next() else {
                break;
            };
            (last, before) = (start, counted);
            counted += run.map_err(damaged)?.count();
        }
        self.at += last;
        self.taken = wanted - before;
        Ok(())
    }
}

fn damaged(error: rle_hybrid::Error) -> Error {
    Error::corrupt(format!("the indices into the dictionary: {error}"))
}
