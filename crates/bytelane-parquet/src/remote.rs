//! Lets files be objects of a store, named by URLs. Another crate provides the stores.

use bytes::Bytes;
use std::borrow::Cow;
use std::fmt::Debug;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Schemes of the URLs that paths may be; other paths are those of local files.
const SCHEMES: [&str; 11] = [
    "s3", "s3a", "gs", "az", "azure", "adl", "abfs", "abfss", "http", "https", "memory",
];

/// File of a store. All reads return bytes of the same version of the file.
pub trait RemoteFile: Debug + Send + Sync {
    /// Returns the length in bytes.
    fn length(&self) -> u64;

    /// Returns the bytes of a range, which lies within the file.
    ///
    /// # Errors
    ///
    /// The bytes cannot be read, or the file has changed since it was opened.
    fn read(&self, range: Range<u64>) -> io::Result<Bytes>;

    /// Begins to read the beginnings of ranges that are needed soon, the most urgent first, with up to `budget` bytes in
    /// all. Does nothing by default.
    ///
    /// A later [`read`](Self::read) waits for bytes on their way; errors are those of that read.
    fn prefetch(&self, ranges: &[Range<u64>], budget: u64) {
        let _ = (ranges, budget);
    }
}

/// Opens and writes the files of stores.
pub trait RemoteFiles: Send + Sync {
    /// Opens a file.
    ///
    /// # Errors
    ///
    /// The URL is not that of a file, or the file cannot be read.
    fn open(&self, url: &str) -> io::Result<Arc<dyn RemoteFile>>;

    /// Stores the contents of a local file under a URL. The file appears there as a whole, and
    /// replaces an existing one.
    ///
    /// # Errors
    ///
    /// The file cannot be read or stored; nothing has changed then.
    fn replace(&self, url: &str, file: &Path) -> io::Result<()>;

    /// Returns the names of the files in the directory of a URL.
    ///
    /// # Errors
    ///
    /// The files cannot be listed.
    fn names_beside(&self, url: &str) -> io::Result<Vec<String>>;

    /// Removes a file, if it exists.
    ///
    /// # Errors
    ///
    /// The store fails.
    fn remove(&self, url: &str) -> io::Result<()>;
}

static REMOTE_FILES: OnceLock<Box<dyn RemoteFiles>> = OnceLock::new();

/// Sets the stores of all URLs for this process. Returns false if they have already been set.
///
/// The crate `bytelane-store` calls this function. From then on, all functions with a path of a file
/// also accept a URL such as `s3://bucket/name.parquet`.
pub fn set_remote_files(files: Box<dyn RemoteFiles>) -> bool {
    REMOTE_FILES.set(files).is_ok()
}

/// Returns a path as the URL of a remote file, if it has the scheme of one.
///
/// ```
/// use bytelane_parquet::remote_url;
///
/// assert_eq!(remote_url("s3://bucket/a.parquet".as_ref()), Some("s3://bucket/a.parquet"));
/// assert_eq!(remote_url("data/a.parquet".as_ref()), None);
/// ```
#[must_use]
pub fn remote_url(path: &Path) -> Option<&str> {
    let url = path.to_str()?;
    let (scheme, _) = url.split_once("://")?;
    SCHEMES.contains(&scheme).then_some(url)
}

/// Returns what is wrong with a path that looks like a URL of a store that is not supported, such as `hdfs://host/a.parquet`.
/// Files on the disk may have such names, so that only paths without a file should be asked about.
///
/// ```
/// use bytelane_parquet::unsupported_scheme;
///
/// assert!(unsupported_scheme("hdfs://host/a.parquet".as_ref()).is_some());
/// assert_eq!(unsupported_scheme("s3://bucket/a.parquet".as_ref()), None);
/// ```
#[must_use]
pub fn unsupported_scheme(path: &Path) -> Option<String> {
    let (scheme, _) = path.to_str()?.split_once("://")?;
    let is_scheme = |it: char| it.is_ascii_alphanumeric() || "+-.".contains(it);
    if scheme.is_empty()
        || scheme == "file"
        || !scheme.chars().all(is_scheme)
        || remote_url(path).is_some()
    {
        return None;
    }
    Some(format!(
        "{scheme}:// is not supported; give a local path, or a URL that begins with s3://, gs://, az:// or https://"
    ))
}

/// Returns the path of a local file: that of a URL with the scheme `file`, or the path itself.
///
/// ```
/// use bytelane_parquet::local_path;
/// use std::path::Path;
///
/// assert_eq!(local_path("file:///a%20b.parquet".as_ref()), Path::new("/a b.parquet"));
/// assert_eq!(local_path("file:/a.parquet".as_ref()), Path::new("/a.parquet"));
/// assert_eq!(local_path("a.parquet".as_ref()), Path::new("a.parquet"));
/// ```
#[must_use]
pub fn local_path(path: &Path) -> Cow<'_, Path> {
    let rest = path.to_str().and_then(|url| url.strip_prefix("file:"));
    // `file:/a` is `file:///a`, and `file:a` the name of a file.
    let Some(encoded) = rest.filter(|rest| rest.starts_with('/')).map(|rest| {
        let rest = rest.strip_prefix("//").unwrap_or(rest);
        rest.strip_prefix("localhost").unwrap_or(rest)
    }) else {
        return Cow::Borrowed(path);
    };
    let mut decoded = Vec::with_capacity(encoded.len());
    let mut bytes = encoded.as_bytes();
    while let [first, rest @ ..] = bytes {
        let digits = rest
            .get(..2)
            .and_then(|digits| std::str::from_utf8(digits).ok());
        let digits = digits.filter(|digits| !digits.starts_with('+'));
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match byte {
            Some(byte) if *first == b'%' => {
                decoded.push(byte);
                bytes = &rest[2..];
            }
            _ => {
                decoded.push(*first);
                bytes = rest;
            }
        }
    }
    match String::from_utf8(decoded) {
        Ok(decoded) => Cow::Owned(PathBuf::from(decoded)),
        Err(_) => Cow::Borrowed(path),
    }
}

/// Returns the stores.
pub fn remote_files() -> io::Result<&'static dyn RemoteFiles> {
    let problem = "this program was built without object stores; copy the file to a local disk";
    let files = REMOTE_FILES.get().map(AsRef::as_ref);
    files.ok_or_else(|| io::Error::new(io::ErrorKind::Unsupported, problem))
}
