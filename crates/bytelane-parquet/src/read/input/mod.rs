//! Reads from inputs of any type.

mod metrics;
mod pushed;

pub use metrics::Metrics;
pub use pushed::PushedBytes;

use crate::input::InputFile;
use crate::remote::RemoteFile;
use bytes::Bytes;
pub(crate) use metrics::Counters;
use parquet::errors::Result;
use parquet::file::reader::{ChunkReader, Length};
use std::any::Any;
use std::io::Read;
use std::ops::Range;
use std::sync::Arc;

/// Memory budget, in bytes, for ranges of a remote file that are fetched before they are read.
const PREFETCHED: u64 = 32 << 20;

/// Input shared by several readers and threads.
#[derive(Clone)]
pub struct Input {
    any: Arc<dyn AnyInput>,
    /// The same input, if the caller pushes its bytes on request.
    pushed: Option<PushedBytes>,
    /// The same input, if its ranges are fetched before they are read, and the budget of a row group in bytes.
    remote: Option<(Arc<dyn RemoteFile>, u64)>,
    counters: Arc<Counters>,
    reads_headers: bool,
    /// Set unless the bytes are known to be elsewhere: reading a page header costs little.
    is_local: bool,
}

/// Object-safe [`ChunkReader`].
trait AnyInput: Send + Sync {
    fn length(&self) -> u64;
    fn read(&self, start: u64) -> Result<Box<dyn Read>>;
    fn bytes(&self, start: u64, length: usize) -> Result<Bytes>;
}

impl<T: ChunkReader + 'static> AnyInput for T {
    fn length(&self) -> u64 {
        self.len()
    }

    fn read(&self, start: u64) -> Result<Box<dyn Read>> {
        Ok(Box::new(self.get_read(start)?))
    }

    fn bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        self.get_bytes(start, length)
    }
}

impl Input {
    pub(super) fn new<T: ChunkReader + 'static>(input: Arc<T>) -> Self {
        let any: &dyn Any = &*input;
        let file: Option<&InputFile> = any.downcast_ref();
        let remote = file.and_then(InputFile::remote);
        // Sources of a type that is not known here are those of a caller who names the remote file, if there is one.
        let is_local = file.is_none_or(InputFile::is_local);
        Self {
            is_local,
            remote: remote.map(|file| (file, PREFETCHED)),
            any: Arc::new(Shared(input)),
            pushed: None,
            counters: Arc::default(),
            reads_headers: false,
        }
    }

    /// Sets whether page headers may be read to prune pages.
    pub(super) fn with_headers(mut self, reads_headers: bool) -> Self {
        self.reads_headers = reads_headers;
        self
    }

    /// Returns whether page headers may be read to prune pages.
    pub(crate) fn reads_headers(&self) -> bool {
        self.reads_headers
    }

    /// Returns the input for reading the headers of pages that may be skipped; `None` if each of them would be a
    /// request. The bytes are not counted: they are no work that the caller asks for.
    pub(crate) fn headers(&self) -> Option<Headers<'_>> {
        (self.is_local && self.remote.is_none()).then(|| Headers(&*self.any))
    }

    /// Returns an input whose bytes are requested before they are read.
    pub(super) fn of_pushed(pushed: PushedBytes) -> Self {
        Self {
            any: Arc::new(pushed.clone()),
            pushed: Some(pushed),
            remote: None,
            counters: Arc::default(),
            reads_headers: false,
            is_local: false,
        }
    }

    /// Fetches ranges of a remote file before they are read, if there is one, with a budget for each of several
    /// row groups that are read concurrently.
    pub(super) fn with_prefetch(
        mut self,
        file: Option<Arc<dyn RemoteFile>>,
        row_groups: usize,
    ) -> Self {
        let file = file.or(self.remote.map(|(file, _)| file));
        self.remote = file.map(|file| (file, PREFETCHED / row_groups.max(1) as u64));
        self
    }

    /// Requests bytes that are needed now, and others that will be needed; an error if any of the
    /// former is missing from pushed bytes.
    pub(super) fn prepare(
        &self,
        needed: impl FnOnce() -> Vec<Range<u64>>,
        ahead: impl FnOnce(u64) -> Vec<Range<u64>>,
    ) -> Result<()> {
        if let Some(pushed) = &self.pushed {
            return pushed.prepare(needed(), ahead);
        }
        if let Some((file, budget)) = &self.remote {
            let mut ranges = needed();
            let bytes: u64 = ranges.iter().map(|range| range.end - range.start).sum();
            if let Some(left) = budget.checked_sub(bytes).filter(|_| bytes > 0) {
                ranges.extend(ahead(left));
            }
            if !ranges.is_empty() {
                file.prefetch(&ranges, *budget);
            }
        }
        Ok(())
    }

    /// Returns the counters of the input.
    pub(crate) fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Returns whether the caller pushes bytes on request.
    pub(super) fn is_pushed(&self) -> bool {
        self.pushed.is_some()
    }

    /// Returns whether requested bytes are missing.
    pub(super) fn lacks_bytes(&self) -> bool {
        self.pushed.as_ref().is_some_and(PushedBytes::lacks_bytes)
    }

    /// Drops bytes outside these ranges.
    pub(super) fn retain(&self, ranges: impl FnOnce() -> Vec<Range<u64>>) {
        if let Some(pushed) = &self.pushed {
            pushed.retain(&ranges());
        }
    }
}

/// Input for reading page headers.
#[derive(Clone, Copy)]
pub(crate) struct Headers<'a>(&'a dyn AnyInput);

impl Length for Headers<'_> {
    fn len(&self) -> u64 {
        self.0.length()
    }
}

impl ChunkReader for Headers<'_> {
    type T = Box<dyn Read>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        self.0.read(start)
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        self.0.bytes(start, length)
    }
}

impl Length for Input {
    fn len(&self) -> u64 {
        self.any.length()
    }
}

impl ChunkReader for Input {
    type T = Box<dyn Read>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        self.any.read(start)
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let bytes = self.any.bytes(start, length)?;
        self.counters.bytes_read.add(length);
        Ok(bytes)
    }
}

/// Input shared by a builder and its readers.
struct Shared<T>(Arc<T>);

impl<T: ChunkReader> Length for Shared<T> {
    fn len(&self) -> u64 {
        self.0.len()
    }
}

impl<T: ChunkReader> ChunkReader for Shared<T> {
    type T = T::T;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        self.0.get_read(start)
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        self.0.get_bytes(start, length)
    }
}
