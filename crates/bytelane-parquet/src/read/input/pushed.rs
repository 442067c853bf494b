//! Provides an input whose bytes the caller pushes on request.

use bytes::Bytes;
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Maximum gap, in bytes, between ranges that are merged into one request.
const GAP: u64 = 256 << 10;

/// Default number of bytes to request before they are needed.
const AHEAD: u64 = 16 << 20;

/// Bytes of a file, which the caller provides on request. Clones share them.
///
/// Anything that fails because bytes are missing can be retried once the bytes of
/// [`missing`](Self::missing) have been provided. This is how
/// [`ReaderBuilder::try_new`](crate::ReaderBuilder::try_new) reads a footer;
/// [`PushDecoder`](crate::PushDecoder) reads rows without repeating any work.
///
/// ```
/// use bytelane_parquet::PushedBytes;
///
/// let pushed = PushedBytes::new(1000);
/// assert!(bytelane_parquet::ReaderBuilder::try_new(pushed.clone()).is_err());
/// let [range] = pushed.missing().try_into().expect("the end of the footer");
/// assert_eq!(range.end, 1000);
/// ```
#[derive(Clone, Debug)]
pub struct PushedBytes {
    length: u64,
    ahead: u64,
    parts: Arc<Mutex<Parts>>,
}

#[derive(Debug, Default)]
struct Parts {
    /// Bytes by position.
    given: BTreeMap<u64, Bytes>,
    missing: Vec<Range<u64>>,
}

impl PushedBytes {
    /// Creates an input for a file of this length; no bytes are available yet.
    #[must_use]
    pub fn new(length: u64) -> Self {
        Self {
            length,
            ahead: AHEAD,
            parts: Arc::default(),
        }
    }

    /// Sets the number of bytes of pages to request before they are needed, 16 MiB by default.
    #[must_use]
    pub fn with_prefetch(mut self, bytes: u64) -> Self {
        self.ahead = bytes;
        self
    }

    /// Returns the requested ranges that are missing, in ascending order. Ranges close to each
    /// other are merged.
    #[must_use]
    pub fn missing(&self) -> Vec<Range<u64>> {
        let mut missing = std::mem::take(&mut self.parts().missing);
        missing.sort_by_key(|range| range.start);
        let mut joined: Vec<Range<u64>> = Vec::new();
        for range in missing {
            match joined.last_mut() {
                Some(last) if range.start <= last.end.saturating_add(GAP) => {
                    last.end = last.end.max(range.end);
                }
                _ => joined.push(range),
            }
        }
        joined
    }

    /// Provides the bytes from a position on.
    pub fn give(&self, start: u64, bytes: Bytes) {
        self.parts().given.insert(start, bytes);
    }

    /// Returns the number of bytes held at the moment.
    #[must_use]
    pub fn held(&self) -> u64 {
        self.parts()
            .given
            .values()
            .map(|bytes| bytes.len() as u64)
            .sum()
    }

    fn parts(&self) -> MutexGuard<'_, Parts> {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn lacks_bytes(&self) -> bool {
        !self.parts().missing.is_empty()
    }

    /// Requests bytes that are needed now. If one of them is missing, also requests bytes that will
    /// be needed, up to the prefetch size.
    pub(super) fn prepare(
        &self,
        needed: Vec<Range<u64>>,
        ahead: impl FnOnce(u64) -> Vec<Range<u64>>,
    ) -> Result<()> {
        let is_missing = |range: &Range<u64>| self.parts().find(range).is_none();
        let clipped = |range: Range<u64>| range.start..range.end.min(self.length);
        let needed = needed.into_iter().map(clipped).filter(|it| !it.is_empty());
        let needed: Vec<_> = needed.filter(is_missing).collect();
        if needed.is_empty() {
            return Ok(());
        }
        let ahead = ahead(self.ahead).into_iter().map(clipped);
        let ahead: Vec<_> = ahead.filter(is_missing).collect();
        let mut parts = self.parts();
        parts.missing.extend(needed);
        parts.missing.extend(ahead);
        Err(not_given())
    }

    pub(super) fn retain(&self, ranges: &[Range<u64>]) {
        self.parts().given.retain(|start, bytes| {
            let end = *start + bytes.len() as u64;
            ranges
                .iter()
                .any(|range| range.start < end && *start < range.end)
        });
    }
}

impl Parts {
    fn find(&self, range: &Range<u64>) -> Option<Bytes> {
        let before = self.given.range(..=range.start).rev();
        // Parts may overlap.
        let mut found = before.filter_map(|(start, bytes)| {
            let from = usize::try_from(range.start - start).ok()?;
            let to = usize::try_from(range.end - start).ok()?;
            (to <= bytes.len()).then(|| bytes.slice(from..to))
        });
        found.next()
    }
}

fn not_given() -> ParquetError {
    ParquetError::EOF("bytes that are needed have not been given yet".to_owned())
}

impl Length for PushedBytes {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for PushedBytes {
    type T = Box<dyn Read>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        let left = self.length.saturating_sub(start);
        let length = usize::try_from(left).map_err(|_| not_given())?;
        Ok(Box::new(io::Cursor::new(self.get_bytes(start, length)?)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let end = start.checked_add(length as u64);
        let Some(end) = end.filter(|end| *end <= self.length) else {
            let problem = format!("the file has no {length} bytes at offset {start}");
            return Err(ParquetError::EOF(problem));
        };
        let mut parts = self.parts();
        if length == 0 {
            return Ok(Bytes::new());
        }
        parts.find(&(start..end)).ok_or_else(|| {
            parts.missing.push(start..end);
            not_given()
        })
    }
}
