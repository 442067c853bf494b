//! Stores objects, each as a whole, and never guesses whether it worked.

use crate::process::wait;
use crate::retry::{is_transient, retried};
use crate::store::{Meta, Store};
use crate::{Error, Location, Result};
use bytes::Bytes;
use object_store::{
    CopyMode, CopyOptions, ObjectStore, ObjectStoreExt, PutMode, PutPayload, WriteMultipart,
};
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// Smallest part of an upload in bytes, except for the last one.
const PART: u64 = 16 << 20;

/// Maximum number of parts of an upload, below the limit of all stores.
const PARTS: u64 = 9000;

/// Number of parts to upload at the same time.
const AT_ONCE: usize = 4;

/// Number of bytes of an object to compare at a time.
const COMPARED: u64 = 8 << 20;

/// Pauses before a put whose outcome was unclear is tried again.
const PAUSES: [Duration; 3] = [
    Duration::from_millis(50),
    Duration::from_millis(250),
    Duration::from_millis(1000),
];

/// Outcome of a put that never replaces an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Put {
    /// The object was stored.
    Stored,
    /// There is an object with the same bytes: it was there before, or it was stored and the answer was
    /// lost.
    Same,
    /// There is an object with other bytes, which is unchanged.
    Other,
}

/// Contents of a new object.
#[derive(Clone)]
enum Body<'a> {
    Bytes(Bytes),
    File(&'a Path, u64),
}

impl Body<'_> {
    fn length(&self) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::File(_, length) => *length,
        }
    }

    /// Returns a reader of the contents.
    fn reader(&self) -> io::Result<Box<dyn Read>> {
        Ok(match self {
            Self::Bytes(bytes) => Box::new(io::Cursor::new(bytes.clone())),
            Self::File(path, _) => Box::new(File::open(path)?),
        })
    }
}

impl Store {
    /// Stores bytes, unless there is an object with this key.
    ///
    /// # Errors
    ///
    /// The store fails, and it is not known whether the object was stored; a later attempt finds out.
    pub fn put_if_absent(&self, location: &Location, bytes: impl Into<Bytes>) -> Result<Put> {
        self.put(location, &Body::Bytes(bytes.into()), None)
    }

    /// Stores a local file, unless there is an object with this key. A large file is first uploaded to a
    /// temporary key, which no other process may use.
    ///
    /// # Errors
    ///
    /// Same errors as [`put_if_absent`](Self::put_if_absent), and those of reading the file.
    pub fn put_file_if_absent(
        &self,
        location: &Location,
        file: &Path,
        temporary: &Location,
    ) -> Result<Put> {
        let body = self.body(file)?;
        let Body::File(..) = body else {
            return self.put(location, &body, None);
        };
        // Uploads in parts cannot be conditional, but a copy can.
        if let Some(is_same) = self.compare(location, &body)? {
            return Ok(if is_same { Put::Same } else { Put::Other });
        }
        self.upload(temporary, file)?;
        let put = self.put(location, &body, Some(temporary));
        let deleted = self.delete(temporary);
        let put = put?;
        deleted?;
        Ok(put)
    }

    /// Stores a local file. Replaces an existing object, as a whole.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or the store fails.
    pub fn replace(&self, location: &Location, file: &Path) -> Result<()> {
        match self.body(file)? {
            Body::Bytes(bytes) => self.replace_bytes(location, bytes),
            Body::File(..) => self.upload(location, file),
        }
    }

    /// Stores bytes. Replaces an existing object, as a whole.
    ///
    /// # Errors
    ///
    /// The store fails.
    pub fn replace_bytes(&self, location: &Location, bytes: impl Into<Bytes>) -> Result<()> {
        let bytes = bytes.into();
        let (store, path) = (Arc::clone(&self.store), location.path.clone());
        let stored = wait(async move {
            // Repeating it does no harm.
            retried(|| store.put(&path, PutPayload::from(bytes.clone()))).await
        });
        stored.map(drop).map_err(Error::at(location))
    }

    /// Returns whether the store refuses puts that must not replace an object, if it exists. Tries it once
    /// per process, with an object below a prefix.
    ///
    /// # Errors
    ///
    /// The store fails.
    pub fn is_conditional(&self, prefix: &Location) -> Result<bool> {
        if let Some(known) = self.conditional.get() {
            return Ok(*known);
        }
        let probe = prefix.join(&format!("probe-{}", unique()))?;
        let create = |text: &'static [u8]| {
            let (store, path) = (Arc::clone(&self.store), probe.path.clone());
            wait(async move {
                let put = || store.put_opts(&path, text.into(), PutMode::Create.into());
                retried(put).await.map(drop)
            })
        };
        let first = create(b"first");
        let second = create(b"second");
        let deleted = self.delete(&probe);
        let refused = |outcome: &object_store::Result<()>| {
            matches!(outcome, Err(object_store::Error::AlreadyExists { .. }))
        };
        let unknown = |outcome: &object_store::Result<()>| {
            use object_store::Error::{NotImplemented, NotSupported};
            matches!(outcome, Err(NotImplemented { .. } | NotSupported { .. }))
        };
        // The name is new: if the first put is refused, its answer was lost, and it was sent again.
        let is_conditional = if refused(&first) || refused(&second) {
            true
        } else if unknown(&first) {
            false
        } else {
            first.and(second).map_err(Error::at(&probe))?;
            false
        };
        deleted?;
        Ok(*self.conditional.get_or_init(|| is_conditional))
    }

    /// Puts a small object that must not exist. The outcome of an error may be unclear.
    fn create(&self, location: &Location, bytes: Bytes) -> object_store::Result<()> {
        let (store, path) = (Arc::clone(&self.store), location.path.clone());
        wait(async move {
            let payload = PutPayload::from(bytes);
            store.put_opts(&path, payload, PutMode::Create.into()).await
        })
        .map(drop)
    }

    fn body<'a>(&self, file: &'a Path) -> Result<Body<'a>> {
        let local = |error: io::Error| Error::new(file.display().to_string(), error);
        let length = file.metadata().map_err(local)?.len();
        Ok(if length <= self.single {
            Body::Bytes(std::fs::read(file).map_err(local)?.into())
        } else {
            Body::File(file, length)
        })
    }

    /// Stores a body, or a copy of the object that has it, unless there is an object with this key.
    fn put(&self, location: &Location, body: &Body<'_>, copied: Option<&Location>) -> Result<Put> {
        let mut pauses = PAUSES.into_iter();
        // A store that ignores the condition would replace an object.
        let must_look = self.conditional.get() == Some(&false);
        loop {
            if must_look && let Some(is_same) = self.compare(location, body)? {
                return Ok(if is_same { Put::Same } else { Put::Other });
            }
            let outcome = match (body, copied) {
                (Body::Bytes(bytes), _) if must_look => self.overwrite(location, bytes.clone()),
                (Body::Bytes(bytes), _) => self.create(location, bytes.clone()),
                (Body::File(..), Some(from)) => self.copy(from, location, must_look),
                (Body::File(path, _), None) => {
                    return self.upload(location, path).map(|()| Put::Stored);
                }
            };
            let error = match outcome {
                Ok(()) => return Ok(Put::Stored),
                Err(error) if is_unclear(&error) => error,
                Err(error) => return Err(Error::new(location.to_string(), error)),
            };
            // An earlier attempt may have succeeded although its answer was lost.
            if let Some(is_same) = self.compare(location, body)? {
                return Ok(if is_same { Put::Same } else { Put::Other });
            }
            match pauses.next() {
                Some(pause) => thread::sleep(pause),
                None => return Err(Error::new(location.to_string(), error)),
            }
        }
    }

    fn overwrite(&self, location: &Location, bytes: Bytes) -> object_store::Result<()> {
        let (store, path) = (Arc::clone(&self.store), location.path.clone());
        wait(async move { store.put(&path, PutPayload::from(bytes)).await }).map(drop)
    }

    fn copy(&self, from: &Location, to: &Location, overwrite: bool) -> object_store::Result<()> {
        let (store, from, to) = (Arc::clone(&self.store), from.path.clone(), to.path.clone());
        let mode = if overwrite {
            CopyMode::Overwrite
        } else {
            CopyMode::Create
        };
        wait(async move {
            let options = CopyOptions::new().with_mode(mode);
            store.copy_opts(&from, &to, options).await
        })
    }

    /// Returns whether an object has these bytes; `None` if there is none.
    fn compare(&self, location: &Location, body: &Body<'_>) -> Result<Option<bool>> {
        let Some(meta) = self.head(location)? else {
            return Ok(None);
        };
        if meta.bytes != body.length() {
            return Ok(Some(false));
        }
        self.has_bytes(location, &meta, body).map(Some)
    }

    fn has_bytes(&self, location: &Location, meta: &Meta, body: &Body<'_>) -> Result<bool> {
        let mut reader = body.reader().map_err(Error::at(location))?;
        let mut own = vec![0; meta.bytes.min(COMPARED) as usize];
        for start in (0..meta.bytes).step_by(COMPARED as usize) {
            let end = (start + COMPARED).min(meta.bytes);
            let own = &mut own[..(end - start) as usize];
            reader.read_exact(own).map_err(Error::at(location))?;
            let range = std::iter::once(start..end).collect();
            if self.read_all(location, range, meta)?[0] != *own {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Uploads a file in parts. It appears, or replaces an object, when all of them are there.
    fn upload(&self, location: &Location, file: &Path) -> Result<()> {
        let (store, path) = (Arc::clone(&self.store), location.path.clone());
        let file = file.to_owned();
        let stored = wait(async move { retried(|| upload(&*store, &path, &file)).await });
        stored.map_err(Error::at(location))
    }
}

/// Returns whether an object may have been stored in spite of this error.
fn is_unclear(error: &object_store::Error) -> bool {
    use object_store::Error::{AlreadyExists, NotModified, Precondition};
    let exists = matches!(
        error,
        AlreadyExists { .. } | Precondition { .. } | NotModified { .. }
    );
    exists || is_transient(error)
}

async fn upload(
    store: &dyn ObjectStore,
    path: &object_store::path::Path,
    file: &Path,
) -> object_store::Result<()> {
    let local = |error: io::Error| object_store::Error::NotSupported {
        source: error.into(),
    };
    let mut reader = File::open(file).map_err(local)?;
    let length = reader.metadata().map_err(local)?.len();
    let part = PART.max(length.div_ceil(PARTS)) as usize;
    let upload = store.put_multipart(path).await?;
    let mut upload = WriteMultipart::new_with_chunk_size(upload, part);
    let mut done = 0;
    while done < length {
        if let Err(error) = upload.wait_for_capacity(AT_ONCE).await {
            // The first error matters; a store removes parts that were never used some day.
            let _ = upload.abort().await;
            return Err(error);
        }
        let mut bytes = vec![0; part.min((length - done) as usize)];
        // A read blocks this thread for less time than the upload of a part takes.
        reader.read_exact(&mut bytes).map_err(local)?;
        done += bytes.len() as u64;
        upload.put(bytes.into());
    }
    upload.finish().await.map(drop)
}

/// Returns a name that no other process uses.
pub(crate) fn unique() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let [one, other] =
        [0, 1].map(|it| RandomState::new().hash_one((std::process::id(), count, it)));
    format!("{one:016x}{other:016x}")
}
