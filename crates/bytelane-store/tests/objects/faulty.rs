//! Provides a store that fails in chosen ways.

use async_trait::async_trait;
use bytelane_store::object_store::memory::InMemory;
use bytelane_store::object_store::path::Path;
use bytelane_store::object_store::{
    CopyOptions, Error, GetOptions, GetResult, GetResultPayload, ListResult, MultipartUpload,
    ObjectMeta, ObjectStore, PutMode, PutMultipartOptions, PutOptions, PutPayload, PutResult,
    Result,
};
use bytelane_store::{Location, Store};
use futures_util::StreamExt;
use futures_util::stream::{BoxStream, once};
use std::fmt;
use std::sync::{Arc, Mutex};

/// Kind of request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Request {
    Get,
    Put,
    Copy,
    List,
}

/// Kind of failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The request never arrives.
    Dropped,
    /// The request is done, but its answer is lost.
    Lost,
    /// The answer ends early.
    Truncated,
    /// The store has replaced the object before.
    Changed,
    /// The credentials do not suffice.
    Denied,
}

/// Store in memory that fails in chosen ways.
#[derive(Debug, Default)]
pub struct Faulty {
    inner: InMemory,
    /// Faults to come, for requests of a kind whose keys contain a text.
    faults: Mutex<Vec<(Request, String, Fault)>>,
    /// Keys of the requests so far.
    requests: Mutex<Vec<(Request, String)>>,
    ignores_conditions: bool,
}

impl Faulty {
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Returns a store that replaces objects although it is told not to.
    pub fn that_ignores_conditions() -> Arc<Self> {
        Arc::new(Self {
            ignores_conditions: true,
            ..Self::default()
        })
    }

    /// Registers the store under a root of its own; objects of more than 1000 bytes are uploaded in parts.
    pub fn registered(self: &Arc<Self>, root: &str) -> Arc<Store> {
        Store::register(root, Arc::clone(self) as Arc<dyn ObjectStore>, 1000)
    }

    /// Lets the next request of a kind fail whose key contains a text.
    pub fn fail(&self, request: Request, key: &str, fault: Fault) {
        let mut faults = self.faults.lock().unwrap();
        faults.push((request, key.to_owned(), fault));
    }

    /// Returns the number of requests of a kind whose keys contain a text.
    pub fn count(&self, request: Request, key: &str) -> usize {
        let requests = self.requests.lock().unwrap();
        let requests = requests.iter();
        requests
            .filter(|it| it.0 == request && it.1.contains(key))
            .count()
    }

    fn fault(&self, request: Request, key: &Path) -> Option<Fault> {
        let key = key.as_ref();
        let mut requests = self.requests.lock().unwrap();
        requests.push((request, key.to_owned()));
        let mut faults = self.faults.lock().unwrap();
        let next = faults
            .iter()
            .position(|it| it.0 == request && key.contains(&it.1))?;
        Some(faults.remove(next).2)
    }
}

/// Returns a location below a root.
pub fn at(store: &Store, key: &str) -> Location {
    Location::parse(&format!("{}/{key}", store.root())).unwrap()
}

fn failed() -> Error {
    Error::Generic {
        store: "faulty",
        source: "the connection was closed".into(),
    }
}

impl fmt::Display for Faulty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("faulty")
    }
}

#[async_trait]
impl ObjectStore for Faulty {
    async fn put_opts(
        &self,
        location: &Path,
        payload: PutPayload,
        mut options: PutOptions,
    ) -> Result<PutResult> {
        if self.ignores_conditions {
            options.mode = PutMode::Overwrite;
        }
        match self.fault(Request::Put, location) {
            None => self.inner.put_opts(location, payload, options).await,
            Some(Fault::Lost) => {
                self.inner.put_opts(location, payload, options).await?;
                Err(failed())
            }
            Some(_) => Err(failed()),
        }
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        match self.fault(Request::Put, location) {
            None => self.inner.put_multipart_opts(location, options).await,
            Some(_) => Err(failed()),
        }
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        let is_head = options.head;
        let fault = if is_head {
            None
        } else {
            self.fault(Request::Get, location)
        };
        if fault == Some(Fault::Changed) {
            let other = PutPayload::from_static(b"other");
            self.inner
                .put_opts(location, other, PutOptions::default())
                .await?;
        }
        if matches!(fault, Some(Fault::Dropped | Fault::Lost)) {
            return Err(failed());
        }
        let answer = self.inner.get_opts(location, options).await?;
        if fault != Some(Fault::Truncated) {
            return Ok(answer);
        }
        let (meta, range, attributes) = (
            answer.meta.clone(),
            answer.range.clone(),
            answer.attributes.clone(),
        );
        let bytes = answer.bytes().await?;
        let half = bytes.slice(..bytes.len() / 2);
        Ok(GetResult {
            payload: GetResultPayload::Stream(once(async move { Ok(half) }).boxed()),
            meta,
            range,
            attributes,
            extensions: Default::default(),
        })
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        self.inner.delete_stream(locations)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        let prefix = prefix.cloned().unwrap_or_default();
        match self.fault(Request::List, &prefix) {
            None => self.inner.list(Some(&prefix)),
            Some(_) => once(async move {
                let (path, source) = (prefix.to_string(), "not allowed".into());
                Err(Error::PermissionDenied { path, source })
            })
            .boxed(),
        }
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        match self.fault(Request::Copy, to) {
            None => self.inner.copy_opts(from, to, options).await,
            Some(Fault::Lost) => {
                self.inner.copy_opts(from, to, options).await?;
                Err(failed())
            }
            Some(_) => Err(failed()),
        }
    }
}
