//! Decodes indices into a dictionary.

use crate::memory::{ViewBuilder, ViewContent, ViewDictionary};
use crate::page::levels::empty_runs;
use crate::{Error, Result};
use bytelane::Detected;
use bytelane::rle_hybrid::{self, Dictionary, Entry, Format};
use bytes::Bytes;

/// Rest of a page of indices.
pub(crate) struct Indices {
    backend: Detected,
    format: Format<u32>,
    bytes: Bytes,
    /// Offset of the run with the next index.
    at: usize,
    /// Number of indices of that run that have been taken.
    taken: usize,
    /// Number of indices from the start of that run.
    left: usize,
}

impl Indices {
    /// Opens a page of `valid` indices. The first byte is their width.
    pub(crate) fn open(backend: Detected, bytes: Bytes, valid: usize) -> Result<Self> {
        // Some writers store no bytes, not even a width, if there are no indices.
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
            left: valid,
        })
    }

    /// Looks up the entries of the next indices.
    pub(crate) fn look_up<T: Entry + bytemuck::Pod>(
        &mut self,
        dictionary: &Dictionary<T>,
        to: &mut [T],
    ) -> Result<()> {
        self.retried(|it| {
            let (range, runs) = (it.taken..it.taken + to.len(), &it.bytes[it.at..]);
            let (backend, format) = (it.backend, it.format);
            let found = dictionary.decode_range_with(backend, format, runs, range, &mut to[..]);
            found.map(|_| ())
        })?;
        self.skip(to.len())
    }

    /// Appends views of the entries of the next indices.
    pub(crate) fn views<T: ViewContent>(
        &mut self,
        dictionary: &ViewDictionary<T>,
        views: &mut ViewBuilder<T>,
        count: usize,
    ) -> Result<()> {
        self.retried(|it| {
            let (range, runs) = (it.taken..it.taken + count, &it.bytes[it.at..]);
            views.append_entries(dictionary, it.format, runs, range)
        })?;
        self.skip(count)
    }

    /// Decodes the next indices.
    fn decode(&mut self, to: &mut [u32]) -> Result<()> {
        self.retried(|it| {
            let (range, runs) = (it.taken..it.taken + to.len(), &it.bytes[it.at..]);
            let backend = it.backend;
            let found = it
                .format
                .decode_range_with(backend, runs, range, &mut to[..]);
            found.map(|_| ())
        })?;
        self.skip(to.len())
    }

    /// Reads indices. After an error, retries without empty runs.
    fn retried<T>(
        &mut self,
        mut read: impl FnMut(&Self) -> std::result::Result<T, rle_hybrid::Error>,
    ) -> Result<T> {
        let result = read(self).or_else(|error| {
            let runs = &self.bytes[self.at..];
            let width = self.format.width();
            match empty_runs::without_empty_runs(runs, width, self.taken + self.left) {
                Some(runs) => {
                    (self.bytes, self.at) = (runs.into(), 0);
                    read(self)
                }
                None => Err(error),
            }
        });
        result.map_err(damaged)
    }

    /// Decodes the next indices, and checks that a dictionary with this number of entries has all of them.
    pub(crate) fn decode_below(&mut self, entries: usize, to: &mut [u32]) -> Result<()> {
        self.decode(to)?;
        // The compiler vectorises this, unlike `max` of an iterator.
        let greatest = to.iter().fold(0, |most, index| (*index).max(most));
        if to.is_empty() || (greatest as usize) < entries {
            Ok(())
        } else {
            Err(Error::corrupt(format!(
                "the index {greatest} into a dictionary of {entries} values"
            )))
        }
    }

    /// Moves to the run of the index that follows the next `count` ones.
    pub(crate) fn skip(&mut self, count: usize) -> Result<()> {
        if count == self.left {
            // The indices of most pages are read all at once. Nothing follows them.
            (self.at, self.taken, self.left) = (self.bytes.len(), 0, 0);
            return Ok(());
        }
        let wanted = self.taken + count;
        let (last, before) =
            self.retried(|it| find_run_before(it.format, &it.bytes[it.at..], wanted))?;
        self.at += last;
        self.taken = wanted - before;
        self.left = self.left.saturating_sub(count);
        Ok(())
    }
}

/// Returns the offset of the run that contains the index before the index number `wanted`, and the number of
/// indices before that run.
pub(crate) fn run_before(width: u8, runs: &[u8], wanted: usize) -> Result<(usize, usize)> {
    let Some(format) = Format::new(u32::from(width)) else {
        return Err(Error::corrupt(format!("indices of {width} bits")));
    };
    find_run_before(format, runs, wanted).map_err(damaged)
}

fn find_run_before(
    format: Format<u32>,
    runs: &[u8],
    wanted: usize,
) -> std::result::Result<(usize, usize), rle_hybrid::Error> {
    let mut runs = format.runs(runs, wanted);
    let (mut last, mut before) = (0, 0);
    let mut counted = 0;
    loop {
        let start = runs.read();
        let Some(run) = runs.next() else {
            return Ok((last, before));
        };
        (last, before) = (start, counted);
        counted += run?.count();
    }
}

fn damaged(error: rle_hybrid::Error) -> Error {
    Error::corrupt(format!("the indices into the dictionary: {error}"))
}
