//! Provides a store whose objects are files.

use async_trait::async_trait;
use bytelane_store::object_store::path::Path;
use bytelane_store::object_store::{
    Attributes, CopyOptions, Error, GetOptions, GetRange, GetResult, GetResultPayload, ListResult,
    MultipartUpload, ObjectMeta, ObjectStore, PutMode, PutMultipartOptions, PutOptions, PutPayload,
    PutResult, Result,
};
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::{BoxStream, iter, once};
use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::UNIX_EPOCH;

/// Store whose objects are the files below a directory.
#[derive(Clone, Debug)]
pub struct Disk(PathBuf);

fn failed(error: io::Error, path: &Path) -> Error {
    let path = path.to_string();
    let source: Box<dyn std::error::Error + Send + Sync> = error.into();
    match source {
        source if is_kind(&*source, io::ErrorKind::NotFound) => Error::NotFound { path, source },
        source if is_kind(&*source, io::ErrorKind::AlreadyExists) => {
            Error::AlreadyExists { path, source }
        }
        source => Error::Generic {
            store: "disk",
            source,
        },
    }
}

/// Returns the error of an operation that the tests do not need: their objects are small, and nothing lists a
/// single directory.
fn not_needed(operation: &str) -> Error {
    Error::NotImplemented {
        operation: operation.to_owned(),
        implementer: "Disk".to_owned(),
    }
}

fn is_kind(error: &(dyn std::error::Error + 'static), kind: io::ErrorKind) -> bool {
    error
        .downcast_ref::<io::Error>()
        .is_some_and(|error| error.kind() == kind)
}

impl Disk {
    pub fn new(directory: &std::path::Path) -> Self {
        Self(directory.to_owned())
    }

    fn at(&self, path: &Path) -> PathBuf {
        self.0.join(path.as_ref())
    }

    fn meta(&self, path: &Path) -> Result<ObjectMeta> {
        let metadata = fs::metadata(self.at(path)).map_err(|error| failed(error, path))?;
        let modified = metadata.modified().unwrap();
        let since = modified.duration_since(UNIX_EPOCH).unwrap().as_nanos();
        Ok(ObjectMeta {
            location: path.clone(),
            last_modified: modified.into(),
            size: metadata.len(),
            e_tag: Some(format!("{since}-{}", metadata.len())),
            version: None,
        })
    }

    fn put(&self, path: &Path, bytes: &[u8], is_new: bool) -> io::Result<()> {
        let to = self.at(path);
        let directory = to.parent().unwrap();
        fs::create_dir_all(directory)?;
        // A process that is killed leaves it behind, and no store lists it.
        let mut file = tempfile::Builder::new()
            .prefix(".put-")
            .tempfile_in(directory)?;
        file.write_all(bytes)?;
        if is_new {
            file.persist_noclobber(to)?;
        } else {
            file.persist(to)?;
        }
        Ok(())
    }

    fn collect(&self, directory: &std::path::Path, found: &mut Vec<Result<ObjectMeta>>) {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                self.collect(&path, found);
            } else if !entry.file_name().to_string_lossy().starts_with(".put-") {
                let key = path.strip_prefix(&self.0).unwrap();
                found.push(self.meta(&Path::from(key.to_str().unwrap())));
            }
        }
    }
}

impl fmt::Display for Disk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("disk")
    }
}

#[async_trait]
impl ObjectStore for Disk {
    async fn put_opts(
        &self,
        path: &Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> Result<PutResult> {
        let bytes: Bytes = payload.into();
        let put = self.put(path, &bytes, options.mode == PutMode::Create);
        put.map_err(|error| failed(error, path))?;
        Ok(PutResult {
            e_tag: self.meta(path)?.e_tag,
            version: None,
            extensions: Default::default(),
        })
    }

    async fn put_multipart_opts(
        &self,
        _path: &Path,
        _options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        Err(not_needed("put_multipart_opts"))
    }

    async fn get_opts(&self, path: &Path, options: GetOptions) -> Result<GetResult> {
        let meta = self.meta(path)?;
        options.check_preconditions(&meta)?;
        let bytes = fs::read(self.at(path)).map_err(|error| failed(error, path))?;
        let range = match options.range {
            None => 0..meta.size,
            Some(GetRange::Bounded(range)) => range.start..range.end.min(meta.size),
            Some(GetRange::Offset(start)) => start..meta.size,
            Some(GetRange::Suffix(count)) => meta.size.saturating_sub(count)..meta.size,
        };
        let part = Bytes::from(bytes).slice(range.start as usize..range.end as usize);
        Ok(GetResult {
            payload: GetResultPayload::Stream(once(async move { Ok(part) }).boxed()),
            meta,
            range,
            attributes: Attributes::new(),
            extensions: Default::default(),
        })
    }

    fn delete_stream(
        &self,
        paths: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        let disk = self.clone();
        let deleted = paths.map(move |path| {
            let path = path?;
            fs::remove_file(disk.at(&path)).map_err(|error| failed(error, &path))?;
            Ok(path)
        });
        deleted.boxed()
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        let mut found = Vec::new();
        let directory = prefix.map_or(self.0.clone(), |prefix| self.at(prefix));
        self.collect(&directory, &mut found);
        iter(found).boxed()
    }

    async fn list_with_delimiter(&self, _prefix: Option<&Path>) -> Result<ListResult> {
        Err(not_needed("list_with_delimiter"))
    }

    async fn copy_opts(&self, _from: &Path, _to: &Path, _options: CopyOptions) -> Result<()> {
        Err(not_needed("copy_opts"))
    }
}
