//! Reads an object as a file with random access.

use crate::store::{Meta, Store};
use crate::{Error, Location, Problem, Result};
use bytelane_parquet::RemoteFile;
use bytes::{Bytes, BytesMut};
use object_store::GetRange;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Number of bytes at the end of a file that are read when it is opened: most footers are smaller.
const TAIL: u64 = 64 << 10;

/// Smallest number of bytes to read at a time; doubled while reads are sequential, up to [`PART`].
const AHEAD: u64 = 256 << 10;

/// Largest number of bytes to request at a time. Longer ranges are read by several requests.
const PART: u64 = 8 << 20;

/// Maximum number of bytes to keep, without those of the range that is being read.
const KEPT: u64 = 32 << 20;

/// Object that is read in ranges, all of the same version.
#[derive(Debug)]
pub struct Object {
    store: Arc<Store>,
    location: Location,
    meta: Meta,
    parts: Mutex<Parts>,
}

/// Bytes that were read, and are likely to be read again or next.
#[derive(Debug, Default)]
struct Parts {
    /// Position and bytes of each part; the one that was used last comes last.
    all: VecDeque<Part>,
}

#[derive(Debug)]
struct Part {
    start: u64,
    bytes: Bytes,
}

impl Part {
    fn end(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }
}

impl Parts {
    fn find(&mut self, range: &Range<u64>) -> Option<Bytes> {
        let contains = |part: &Part| part.start <= range.start && range.end <= part.end();
        let index = self.all.iter().position(contains)?;
        let part = self.all.remove(index)?;
        let from = (range.start - part.start) as usize;
        let found = part
            .bytes
            .slice(from..from + (range.end - range.start) as usize);
        self.all.push_back(part);
        Some(found)
    }

    /// Returns how many bytes to read from a position on, of which `length` are needed.
    fn ahead(&self, start: u64, length: u64) -> u64 {
        let before = self.all.iter().find(|part| {
            // Reads that do not begin exactly where the part ends are sequential too.
            part.start <= start && start <= part.end()
        });
        let doubled = before.map_or(AHEAD, |part| {
            (2 * part.bytes.len() as u64).clamp(AHEAD, PART)
        });
        doubled.max(length)
    }

    fn add(&mut self, start: u64, bytes: Bytes) {
        let kept =
            |parts: &VecDeque<Part>| parts.iter().map(|it| it.bytes.len() as u64).sum::<u64>();
        self.all.push_back(Part { start, bytes });
        while self.all.len() > 1 && kept(&self.all) > KEPT {
            self.all.pop_front();
        }
    }
}

impl Object {
    /// Opens an object. Reads its last bytes, which are likely to contain the footer.
    ///
    /// # Errors
    ///
    /// There is no such object, or the store fails.
    pub fn open(location: &Location) -> Result<Self> {
        let store = Store::of(location)?;
        let tail = GetRange::Suffix(TAIL);
        let (bytes, meta) = match store.read(location, Some(tail), None) {
            Ok(read) => read,
            // Azure has no ranges from the end, and an empty object has no ranges at all.
            Err(error)
                if !matches!(
                    error.problem,
                    Problem::Missing | Problem::Credentials(_) | Problem::Local(_)
                ) =>
            {
                let meta = store.head(location)?;
                let missing = || Error::new(location.to_string(), Problem::Missing);
                return Self::of_version(location, meta.ok_or_else(missing)?);
            }
            Err(error) => return Err(error),
        };
        let object = Self::new(store, location, meta);
        let start = object.meta.bytes.saturating_sub(bytes.len() as u64);
        object.parts().add(start, bytes);
        Ok(object)
    }

    /// Opens this version of an object. The first read will fail if the object has changed.
    ///
    /// # Errors
    ///
    /// The store fails.
    pub fn of_version(location: &Location, meta: Meta) -> Result<Self> {
        let object = Self::new(Store::of(location)?, location, meta);
        let start = object.meta.bytes.saturating_sub(TAIL);
        if object.meta.bytes > 0 {
            object.range(start..object.meta.bytes)?;
        }
        Ok(object)
    }

    fn new(store: Arc<Store>, location: &Location, meta: Meta) -> Self {
        Self {
            store,
            location: location.clone(),
            meta,
            parts: Mutex::default(),
        }
    }

    /// Returns the size and version.
    #[must_use]
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    fn parts(&self) -> MutexGuard<'_, Parts> {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn range(&self, range: Range<u64>) -> Result<Bytes> {
        if range.is_empty() {
            return Ok(Bytes::new());
        }
        let end = {
            let mut parts = self.parts();
            if let Some(found) = parts.find(&range) {
                return Ok(found);
            }
            let ahead = parts.ahead(range.start, range.end - range.start);
            range.start.saturating_add(ahead).min(self.meta.bytes)
        };
        let bytes = self.request(range.start..end)?;
        let needed = bytes.slice(..(range.end - range.start) as usize);
        self.parts().add(range.start, bytes);
        Ok(needed)
    }

    /// Reads a range with as many requests as it takes.
    fn request(&self, range: Range<u64>) -> Result<Bytes> {
        let starts = (range.start..range.end).step_by(PART as usize);
        let ranges = starts.map(|start| start..(start + PART).min(range.end));
        let mut read = self
            .store
            .read_all(&self.location, ranges.collect(), &self.meta)?;
        if read.len() == 1 {
            return Ok(read.remove(0));
        }
        let mut all = BytesMut::with_capacity((range.end - range.start) as usize);
        read.iter().for_each(|part| all.extend_from_slice(part));
        Ok(all.freeze())
    }

    /// Copies the object to a new local file.
    ///
    /// # Errors
    ///
    /// The object has changed, the store fails, or the file cannot be written.
    pub fn download(location: &Location, meta: &Meta, to: &Path) -> Result<()> {
        /// Number of bytes to hold in memory.
        const PIECE: u64 = 2 * PART;
        let object = Self::new(Store::of(location)?, location, meta.clone());
        let local = |error: io::Error| Error::new(to.display().to_string(), error);
        let mut file = BufWriter::new(File::create_new(to).map_err(local)?);
        for start in (0..meta.bytes).step_by(PIECE as usize) {
            let bytes = object.request(start..(start + PIECE).min(meta.bytes))?;
            file.write_all(&bytes).map_err(local)?;
        }
        file.flush().map_err(local)
    }
}

impl RemoteFile for Object {
    fn length(&self) -> u64 {
        self.meta.bytes
    }

    fn read(&self, range: Range<u64>) -> io::Result<Bytes> {
        Ok(self.range(range)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequential_reads_grow_and_old_parts_are_dropped() {
        let mut parts = Parts::default();
        assert_eq!(parts.ahead(0, 10), AHEAD);
        parts.add(0, vec![1; AHEAD as usize].into());
        assert_eq!(parts.ahead(AHEAD, 10), 2 * AHEAD);
        assert_eq!(parts.ahead(AHEAD + 1, 10), AHEAD);
        assert_eq!(parts.ahead(AHEAD + 1, 2 * AHEAD), 2 * AHEAD);
        assert_eq!(parts.find(&(3..7)).unwrap().len(), 4);
        assert!(parts.find(&(AHEAD - 1..AHEAD + 1)).is_none());
        for start in 1..=4 {
            parts.add(start * PART, vec![2; PART as usize].into());
        }
        assert!(parts.find(&(0..1)).is_none());
        assert!(parts.find(&(PART..2 * PART)).is_some());
    }
}
