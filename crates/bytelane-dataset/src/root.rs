//! Reads and writes the files of a root: a directory, or the objects below a prefix of a store.

use crate::{Error, Result, STATE_DIRECTORY, publish};
use bytelane_parquet::{local_path, remote_url};
use bytelane_store::{Location, Put, Store};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Number of requests to a store at the same time.
const REQUESTS: usize = 32;

/// Root of a data set.
#[derive(Clone, Debug)]
pub(crate) enum Root {
    /// Directory.
    Disk(PathBuf),
    /// Prefix of a store.
    Store(Location),
}

impl Root {
    /// Returns the root with this path or URL.
    pub(crate) fn of(path: &Path) -> Result<Self> {
        let Some(url) = remote_url(path) else {
            return Ok(Self::Disk(local_path(path).into_owned()));
        };
        let location = Location::parse(url)?;
        if !location.is_store() {
            let problem = "a web server cannot have a data set, because its files cannot be listed; give a directory, or the \
                           URL of a store such as s3://bucket/lake";
            return Err(Error::Input(format!("{url}: {problem}")));
        }
        Ok(Self::Store(location))
    }

    /// Returns the root of existing files, without links and `..` in its path.
    pub(crate) fn canonical(path: &Path) -> Result<Self> {
        match Self::of(path)? {
            Self::Disk(path) => {
                let real = fs::canonicalize(&path);
                Ok(Self::Disk(real.map_err(Error::at(&path))?))
            }
            store => Ok(store),
        }
    }

    /// Returns the path of the root, which may be a URL.
    pub(crate) fn path(&self) -> PathBuf {
        match self {
            Self::Disk(path) => path.clone(),
            Self::Store(location) => location.to_string().into(),
        }
    }

    /// Returns the path of a file below the root, which may be a URL.
    pub(crate) fn under(&self, name: &str) -> PathBuf {
        match self {
            Self::Disk(path) => path.join(name),
            Self::Store(_) => format!("{}/{name}", self.path().display()).into(),
        }
    }

    /// Returns whether one of two roots is, or lies in, the other one.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Disk(one), Self::Disk(other)) => {
                one.starts_with(other) || other.starts_with(one)
            }
            (Self::Store(one), Self::Store(other)) => {
                let [one, other] = [one, other].map(|it| format!("{}/", it.identity()));
                one.starts_with(&other) || other.starts_with(&one)
            }
            _ => false,
        }
    }

    /// Returns the size of a file; `None` if there is none.
    pub(crate) fn size(&self, name: &str) -> Result<Option<u64>> {
        match self {
            Self::Disk(root) => Ok(fs::metadata(root.join(name)).ok().map(|it| it.len())),
            Self::Store(location) => {
                let meta = Store::of(location)?.head(&location.join(name)?)?;
                Ok(meta.map(|meta| meta.bytes))
            }
        }
    }

    /// Reads a file of the state; `None` if there is none.
    pub(crate) fn state(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let name = format!("{STATE_DIRECTORY}/{name}");
        match self {
            Self::Disk(root) => {
                let path = root.join(name);
                match fs::read(&path) {
                    Ok(bytes) => Ok(Some(bytes)),
                    Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
                    Err(error) => Err(Error::at(&path)(error)),
                }
            }
            Self::Store(location) => {
                let bytes = Store::of(location)?.get(&location.join(&name)?)?;
                Ok(bytes.map(|bytes| bytes.to_vec()))
            }
        }
    }

    /// Writes a file of the state, which replaces an earlier one.
    pub(crate) fn set_state(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let name = format!("{STATE_DIRECTORY}/{name}");
        match self {
            Self::Disk(root) => {
                let path = root.join(name);
                let directory = path.parent().unwrap_or(root);
                fs::create_dir_all(directory).map_err(Error::at(directory))?;
                publish::write(&path, bytes)
            }
            Self::Store(location) => {
                let location = location.join(&name)?;
                Ok(Store::of(&location)?.replace_bytes(&location, bytes.to_vec())?)
            }
        }
    }

    /// Removes a file, if it exists.
    pub(crate) fn remove(&self, name: &str) -> Result<()> {
        match self {
            Self::Disk(root) => {
                let path = root.join(name);
                match fs::remove_file(&path) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => {
                        Err(Error::at(&path)(error))
                    }
                    _ => Ok(()),
                }
            }
            Self::Store(location) => {
                let location = location.join(name)?;
                Ok(Store::of(&location)?.delete(&location)?)
            }
        }
    }

    /// Gives a complete local file its final name, unless that name exists. A file on a disk is renamed;
    /// a large file for a store is first uploaded to a temporary key.
    pub(crate) fn publish(&self, made: &Path, name: &str, temporary: &str) -> Result<Put> {
        match self {
            Self::Disk(root) => {
                let is_new = publish::publish(made, root, name)?;
                Ok(if is_new { Put::Stored } else { Put::Other })
            }
            Self::Store(root) => {
                let temporary = root.join(&format!("{STATE_DIRECTORY}/{temporary}"))?;
                let location = root.join(name)?;
                Ok(Store::of(root)?.put_file_if_absent(&location, made, &temporary)?)
            }
        }
    }
}

/// Returns threads that wait for the answers of a store.
pub(crate) fn waiting_threads() -> Result<&'static rayon::ThreadPool> {
    static THREADS: OnceLock<Option<rayon::ThreadPool>> = OnceLock::new();
    let build = || {
        let builder = rayon::ThreadPoolBuilder::new().num_threads(REQUESTS);
        builder.build().ok()
    };
    let threads = THREADS.get_or_init(build).as_ref();
    threads.ok_or_else(|| {
        let problem =
            "the system starts no more threads; end other programs, or raise the limit (ulimit -u)";
        Error::Input(problem.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_overlap_if_one_is_in_the_other() {
        let root = |path: &str| Root::of(Path::new(path)).unwrap();
        assert!(root("s3://b/lake").overlaps(&root("s3://b/lake/x")));
        assert!(root("s3://b/lake").overlaps(&root("s3://b")));
        assert!(!root("s3://b/lake").overlaps(&root("s3://b/lake.new")));
        assert!(!root("s3://b/lake").overlaps(&root("/lake")));
        assert!(root("s3://b/lake").overlaps(&root("s3a://b/lake")));
        assert_eq!(root("s3://b").under("x=1/a"), Path::new("s3://b/x=1/a"));
        assert_eq!(root("file:///lake").under("a"), Path::new("/lake/a"));
        assert!(Root::of(Path::new("https://host/lake")).is_err());
    }
}
