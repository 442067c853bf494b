//! Provides blocking operations on the objects of a store.

use crate::connect::connect;
use crate::process::wait;
use crate::retry::{retried, transient};
use crate::{Error, Location, Problem, Result};
use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt};
use object_store::path::Path;
use object_store::{GetOptions, GetRange, ObjectMeta, ObjectStore, ObjectStoreExt};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::UNIX_EPOCH;

/// Maximum size in bytes of an object that is stored by a single request. Larger ones are uploaded in
/// parts.
const SINGLE: u64 = 64 << 20;

/// Number of objects that a store lists in one answer.
pub(crate) const KEYS: usize = 1000;

/// Number of requests to look objects up at the same time.
const LOOKUPS: usize = 32;

/// Store, such as a bucket. All locations that its functions take have its root.
#[derive(Debug)]
pub struct Store {
    root: String,
    pub(crate) store: Arc<dyn ObjectStore>,
    /// Maximum size in bytes of an object that is stored by a single request.
    pub(crate) single: u64,
    /// Set once it was tried: true if the store refuses puts that would replace an object.
    pub(crate) conditional: OnceLock<bool>,
}

/// Size and version of an object.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Meta {
    /// Size in bytes.
    pub bytes: u64,
    /// ETag; `None` if the store has none.
    pub etag: Option<String>,
    /// Time of the last modification, in nanoseconds since 1970.
    pub modified: u64,
}

impl Meta {
    /// Creates the description of a version.
    #[must_use]
    pub fn new(bytes: u64, etag: Option<String>, modified: u64) -> Self {
        Self {
            bytes,
            etag,
            modified,
        }
    }

    /// Returns the size and version of a file on a disk.
    #[must_use]
    pub fn of_file(metadata: &std::fs::Metadata) -> Self {
        let modified = metadata.modified().ok();
        let since = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Self {
            bytes: metadata.len(),
            etag: None,
            modified: since.map_or(0, |since| since.as_nanos() as u64),
        }
    }

    pub(crate) fn of(meta: &ObjectMeta) -> Self {
        let modified = meta.last_modified.timestamp_nanos_opt();
        Self {
            bytes: meta.size,
            etag: meta.e_tag.clone(),
            modified: modified.map_or(0, |time| time.max(0).cast_unsigned()),
        }
    }

    /// Returns whether both describe the same version. Times are compared only if there is no ETag: their
    /// precision differs between answers.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        // Lists of Azure have ETags without quotes, other answers with them.
        let bare = |etag: &String| etag.trim_matches('"').to_owned();
        let is_same_version = match (&self.etag, &other.etag) {
            (Some(one), Some(other)) => bare(one) == bare(other),
            _ => self.modified / 1_000_000_000 == other.modified / 1_000_000_000,
        };
        self.bytes == other.bytes && is_same_version
    }
}

/// Process and root of a store. A forked process does not have the connections of its parent, so it gets its own.
type Key = (u32, String);

fn key(root: &str) -> Key {
    (std::process::id(), root.to_owned())
}

/// Returns the stores that were used.
fn stores() -> MutexGuard<'static, BTreeMap<Key, Arc<Store>>> {
    static STORES: Mutex<BTreeMap<Key, Arc<Store>>> = Mutex::new(BTreeMap::new());
    STORES.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Store {
    /// Returns the store of a location. Connections are shared by the whole process.
    ///
    /// # Errors
    ///
    /// The configuration in the environment is unusable.
    pub fn of(location: &Location) -> Result<Arc<Self>> {
        let mut stores = stores();
        let key = key(location.root());
        if let Some(store) = stores.get(&key) {
            return Ok(Arc::clone(store));
        }
        let store = Arc::new(Self::new(
            location.root(),
            connect(location.root())?,
            SINGLE,
        ));
        stores.insert(key, Arc::clone(&store));
        Ok(store)
    }

    /// Makes a store known under a root such as `memory://name`; objects with more bytes than `single` are
    /// uploaded in parts.
    #[doc(hidden)]
    pub fn register(root: &str, store: Arc<dyn ObjectStore>, single: u64) -> Arc<Self> {
        let store = Arc::new(Self::new(root, store, single));
        stores().insert(key(root), Arc::clone(&store));
        store
    }

    fn new(root: &str, store: Arc<dyn ObjectStore>, single: u64) -> Self {
        Self {
            root: root.to_owned(),
            store,
            single,
            conditional: OnceLock::new(),
        }
    }

    /// Returns the URL of the store, without a slash at its end.
    #[must_use]
    pub fn root(&self) -> &str {
        &self.root
    }

    /// Returns the size and version of an object; `None` if there is none.
    ///
    /// # Errors
    ///
    /// The store fails.
    pub fn head(&self, location: &Location) -> Result<Option<Meta>> {
        let (store, path) = (Arc::clone(&self.store), location.path.clone());
        let found = wait(async move { retried(|| store.head(&path)).await });
        match found {
            Ok(meta) => Ok(Some(Meta::of(&meta))),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(Error::new(location.to_string(), error)),
        }
    }

    /// Lists the objects below a prefix, sorted by key.
    ///
    /// # Errors
    ///
    /// The store fails, or its objects cannot be listed.
    pub fn list(&self, prefix: &Location) -> Result<Vec<(Location, Meta)>> {
        if !prefix.is_store() {
            let problem = "web servers cannot list their files; give the URL of each file";
            return Err(Error::input(prefix, problem));
        }
        let (store, path) = (Arc::clone(&self.store), prefix.path.clone());
        let listed = wait(async move {
            let list = || store.list(Some(&path)).try_collect::<Vec<ObjectMeta>>();
            retried(list).await
        });
        let mut listed = listed.map_err(Error::at(prefix))?;
        listed.sort_by(|one, other| one.location.cmp(&other.location));
        let objects = listed.iter();
        Ok(objects
            .map(|meta| (prefix.with_path(meta.location.clone()), Meta::of(meta)))
            .collect())
    }

    /// Returns the names of the objects in the directory of an object, without those of its directories.
    pub(crate) fn names_beside(&self, location: &Location) -> Result<Vec<String>> {
        let store = Arc::clone(&self.store);
        let directory = location.parent().path;
        let listed = wait(async move {
            let list = || store.list_with_delimiter(Some(&directory));
            retried(list).await
        });
        let listed = listed.map_err(Error::at(location))?.objects.into_iter();
        let names = listed.filter_map(|it| it.location.filename().map(str::to_owned));
        Ok(names.collect())
    }

    /// Returns up to [`KEYS`] objects below each of these prefixes. The requests are sent at the same time.
    ///
    /// # Errors
    ///
    /// No request can be sent; the inner errors are those of the store.
    pub(crate) fn first_keys(&self, prefixes: &[Location]) -> Result<Vec<Result<Vec<Location>>>> {
        let listed = prefixes.iter().map(|prefix| {
            let (store, path) = (Arc::clone(&self.store), prefix.path.clone());
            async move {
                let first = || {
                    store
                        .list(Some(&path))
                        .take(KEYS)
                        .try_collect::<Vec<ObjectMeta>>()
                };
                retried(first).await
            }
        });
        let listed = self.at_once(prefixes, listed.collect())?;
        let listed = prefixes.iter().zip(listed).map(|(prefix, objects)| {
            let objects = objects?.into_iter();
            Ok(objects.map(|it| prefix.with_path(it.location)).collect())
        });
        Ok(listed.collect())
    }

    /// Returns whether each of these objects exists. The requests are sent at the same time.
    ///
    /// # Errors
    ///
    /// No request can be sent; the inner errors are those of the store.
    pub(crate) fn heads(&self, objects: &[Location]) -> Result<Vec<Result<bool>>> {
        let heads = objects.iter().map(|object| {
            let (store, path) = (Arc::clone(&self.store), object.path.clone());
            async move {
                match retried(|| store.head(&path)).await {
                    Ok(_) => Ok(true),
                    Err(object_store::Error::NotFound { .. }) => Ok(false),
                    Err(error) => Err(error),
                }
            }
        });
        self.at_once(objects, heads.collect())
    }

    /// Sends the requests for some objects, [`LOOKUPS`] at a time, and returns the answers in their order.
    fn at_once<T: Send + 'static>(
        &self,
        objects: &[Location],
        requests: Vec<impl Future<Output = object_store::Result<T>> + Send + 'static>,
    ) -> Result<Vec<Result<T>>> {
        let answers = futures_util::stream::iter(requests).buffered(LOOKUPS);
        let answers = wait(async move { Ok(answers.collect::<Vec<_>>().await) });
        let answers = answers.map_err(Error::at(&self.root))?.into_iter();
        let answers = answers.zip(objects);
        Ok(answers
            .map(|(answer, object)| answer.map_err(Error::at(object)))
            .collect())
    }

    /// Reads a whole object; `None` if there is none.
    ///
    /// # Errors
    ///
    /// The store fails.
    pub fn get(&self, location: &Location) -> Result<Option<Bytes>> {
        match self.read(location, None, None) {
            Ok((bytes, _)) => Ok(Some(bytes)),
            Err(error) if error.is_missing() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Reads bytes of an object, whose size and version must be as expected.
    pub(crate) fn read(
        &self,
        location: &Location,
        range: Option<GetRange>,
        expected: Option<&Meta>,
    ) -> Result<(Bytes, Meta)> {
        let (store, path) = (Arc::clone(&self.store), location.path.clone());
        let (expected, url) = (expected.cloned(), location.to_string());
        let read = wait(async move {
            let request = || read(&*store, &path, range.clone(), expected.as_ref());
            retried(request).await
        });
        let (bytes, meta) = read.map_err(Error::at(&url))?;
        match meta {
            Some(meta) => Ok((bytes, meta)),
            None => Err(Error::new(url, Problem::Changed)),
        }
    }

    /// Reads several ranges at the same time.
    pub(crate) fn read_all(
        &self,
        location: &Location,
        ranges: Vec<Range<u64>>,
        expected: &Meta,
    ) -> Result<Vec<Bytes>> {
        /// Maximum number of requests at the same time.
        const REQUESTS: usize = 8;
        let (store, path) = (Arc::clone(&self.store), location.path.clone());
        let expected = expected.clone();
        let read = wait(async move {
            let requests = ranges.into_iter().map(|range| {
                let (store, path, expected) = (&store, &path, &expected);
                Ok(async move {
                    let range = GetRange::Bounded(range);
                    let request = || read(&**store, path, Some(range.clone()), Some(expected));
                    let (bytes, meta) = retried(request).await?;
                    Ok(meta.map(|_| bytes))
                })
            });
            let requests = futures_util::stream::iter(requests);
            let answers = requests.try_buffered(REQUESTS);
            answers.try_collect::<Vec<Option<Bytes>>>().await
        });
        let read = read.map_err(Error::at(location))?;
        let all: Option<Vec<Bytes>> = read.into_iter().collect();
        all.ok_or_else(|| Error::new(location.to_string(), Problem::Changed))
    }

    /// Deletes an object; it need not exist.
    ///
    /// # Errors
    ///
    /// The store fails.
    pub fn delete(&self, location: &Location) -> Result<()> {
        let (store, path) = (Arc::clone(&self.store), location.path.clone());
        match wait(async move { retried(|| store.delete(&path)).await }) {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(Error::new(location.to_string(), error)),
        }
    }
}

/// Reads bytes of an object. Returns no `Meta` if it is not of the expected version.
pub(crate) async fn read(
    store: &dyn ObjectStore,
    path: &Path,
    range: Option<GetRange>,
    expected: Option<&Meta>,
) -> object_store::Result<(Bytes, Option<Meta>)> {
    let options = GetOptions {
        range,
        if_match: expected.and_then(|meta| meta.etag.clone()),
        ..GetOptions::default()
    };
    let answer = store.get_opts(path, options).await?;
    let meta = Meta::of(&answer.meta);
    if expected.is_some_and(|expected| !expected.is_same(&meta)) {
        return Ok((Bytes::new(), None));
    }
    let length = answer.range.end - answer.range.start;
    let bytes = answer.bytes().await?;
    if bytes.len() as u64 != length {
        let problem = format!(
            "the connection ended after {} of {length} bytes; try again",
            bytes.len()
        );
        return Err(transient(problem));
    }
    Ok((bytes, Some(meta)))
}
