//! Reads an object as a file with random access.

use crate::parts::{Found, PART, Parts, joined, split};
use crate::process;
use crate::store::{Meta, Store, read};
use crate::{Error, Location, Problem, Result};
use bytelane_parquet::RemoteFile;
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use object_store::GetRange;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Number of bytes at the end of a file that are read when it is opened: most footers are smaller.
const TAIL: u64 = 64 << 10;

/// Maximum number of requests ahead of an object at the same time.
const REQUESTS: usize = 8;

/// Longest time to wait for bytes on their way. They never arrive in a process that was forked meanwhile.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// Object that is read in ranges, all of the same version.
#[derive(Debug)]
pub struct Object {
    shared: Arc<Shared>,
}

/// State that requests ahead share with the object.
#[derive(Debug)]
struct Shared {
    store: Arc<Store>,
    location: Location,
    meta: Meta,
    parts: Mutex<Parts>,
    /// Notified when bytes arrive.
    arrived: Condvar,
}

impl Shared {
    fn parts(&self) -> MutexGuard<'_, Parts> {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads a range ahead. If the request fails, a later read repeats it, and returns its error.
    async fn fetch(&self, request: Range<u64>) {
        let range = Some(GetRange::Bounded(request.clone()));
        let (store, path) = (&*self.store.store, &self.location.path);
        let bytes = match read(store, path, range, Some(&self.meta)).await {
            Ok((bytes, Some(_))) => Some(bytes),
            _ => None,
        };
        self.parts().arrive(&request, bytes);
        self.arrived.notify_all();
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
                    Problem::Missing
                        | Problem::Credentials { .. }
                        | Problem::Denied(_)
                        | Problem::Certificate(_)
                        | Problem::Local(_)
                ) =>
            {
                let meta = store.head(location)?;
                let missing = || Error::new(location.to_string(), Problem::Missing);
                return Self::of_version(location, meta.ok_or_else(missing)?);
            }
            Err(error) => return Err(error),
        };
        let object = Self::new(store, location, meta);
        let start = object.shared.meta.bytes;
        let start = start.saturating_sub(bytes.len() as u64);
        object.shared.parts().add(start, bytes);
        Ok(object)
    }

    /// Opens this version of an object. The first read will fail if the object has changed.
    ///
    /// # Errors
    ///
    /// The store fails.
    pub fn of_version(location: &Location, meta: Meta) -> Result<Self> {
        let object = Self::new(Store::of(location)?, location, meta);
        let end = object.shared.meta.bytes;
        object.range(end.saturating_sub(TAIL)..end)?;
        Ok(object)
    }

    fn new(store: Arc<Store>, location: &Location, meta: Meta) -> Self {
        Self {
            shared: Arc::new(Shared {
                store,
                location: location.clone(),
                meta,
                parts: Mutex::default(),
                arrived: Condvar::new(),
            }),
        }
    }

    /// Returns the size and version.
    #[must_use]
    pub fn meta(&self) -> &Meta {
        &self.shared.meta
    }

    fn range(&self, range: Range<u64>) -> Result<Bytes> {
        if range.is_empty() {
            return Ok(Bytes::new());
        }
        let end = {
            let mut parts = self.shared.parts();
            loop {
                match parts.find(&range) {
                    Found::Bytes(bytes) => return Ok(bytes),
                    Found::Missing => break,
                    Found::OnTheirWay => {
                        let waited = self.shared.arrived.wait_timeout(parts, LONGEST_WAIT);
                        let (now, waited) = waited.unwrap_or_else(PoisonError::into_inner);
                        parts = now;
                        if waited.timed_out() {
                            break;
                        }
                    }
                }
            }
            let ahead = parts.ahead(range.start, range.end - range.start);
            range.start.saturating_add(ahead).min(self.meta().bytes)
        };
        let bytes = self.request(range.start..end)?;
        let needed = bytes.slice(..(range.end - range.start) as usize);
        self.shared.parts().add(range.start, bytes);
        Ok(needed)
    }

    /// Reads a range with as many requests as it takes.
    fn request(&self, range: Range<u64>) -> Result<Bytes> {
        let Shared {
            store,
            location,
            meta,
            ..
        } = &*self.shared;
        Ok(joined(store.read_all(
            location,
            split(range).collect(),
            meta,
        )?))
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
        self.meta().bytes
    }

    fn read(&self, range: Range<u64>) -> io::Result<Bytes> {
        Ok(self.range(range)?)
    }

    fn prefetch(&self, ranges: &[Range<u64>], budget: u64) {
        let mut parts = self.shared.parts();
        let requests = parts.request_ahead(ranges, budget, self.meta().bytes);
        drop(parts);
        if requests.is_empty() {
            return;
        }
        let (shared, all) = (Arc::clone(&self.shared), requests.clone());
        let is_started = process::start(async move {
            let fetches = stream::iter(all).map(|request| shared.fetch(request));
            fetches.buffer_unordered(REQUESTS).collect::<()>().await;
        });
        if !is_started {
            let mut parts = self.shared.parts();
            requests
                .iter()
                .for_each(|request| parts.arrive(request, None));
        }
    }
}
