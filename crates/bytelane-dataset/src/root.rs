//! Reads and writes the files of a root: a directory, or the objects below a prefix of a store.

use crate::{Error, Result, STATE_DIRECTORY};
use bytelane_store::{Put, Tree, tree_of};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Number of requests to a store at the same time.
const REQUESTS: usize = 32;

/// Root of a data set.
#[derive(Clone, Debug)]
pub(crate) struct Root {
    pub tree: &'static dyn Tree,
    /// Path, which may be a URL.
    pub path: PathBuf,
}

impl Root {
    /// Returns the root with this path or URL.
    pub(crate) fn of(path: &Path) -> Result<Self> {
        let Some((tree, path)) = tree_of(path)? else {
            let problem = "a web server cannot have a data set, because its files cannot be listed; give a directory, or the \
                           URL of a store such as s3://bucket/lake";
            return Err(Error::Input(format!("{}: {problem}", path.display())));
        };
        Ok(Self { tree, path })
    }

    /// Returns the root of existing files, without links and `..` in its path.
    pub(crate) fn canonical(path: &Path) -> Result<Self> {
        let Self { tree, path } = Self::of(path)?;
        let path = tree.real(&path)?;
        Ok(Self { tree, path })
    }

    /// Returns the path of a root on a disk, whose files can be appended to, locked and renamed.
    pub(crate) fn disk(&self) -> Option<&Path> {
        self.tree.is_disk().then_some(&self.path)
    }

    /// Returns the path of a file below the root, which may be a URL.
    pub(crate) fn under(&self, name: &str) -> PathBuf {
        self.tree.join(&self.path, Path::new(name))
    }

    /// Returns whether one of two roots is, or lies in, the other one.
    pub(crate) fn overlaps(&self, other: &Self) -> Result<bool> {
        let one = self.tree.place(&self.path)?;
        let other = other.tree.place(&other.path)?;
        Ok(one.starts_with(&other) || other.starts_with(&one))
    }

    /// Returns the path of a file of the state.
    pub(crate) fn state_path(&self, name: &str) -> PathBuf {
        self.under(&format!("{STATE_DIRECTORY}/{name}"))
    }

    /// Reads a file of the state; `None` if there is none.
    pub(crate) fn state(&self, name: &str) -> Result<Option<Vec<u8>>> {
        Ok(self.tree.read(&self.state_path(name))?)
    }

    /// Writes a file of the state, which replaces an earlier one.
    pub(crate) fn set_state(&self, name: &str, bytes: Vec<u8>) -> Result<()> {
        Ok(self.tree.replace(&self.state_path(name), bytes)?)
    }

    /// Removes a file, if it exists.
    pub(crate) fn remove(&self, name: &str) -> Result<()> {
        Ok(self.tree.remove(&self.under(name))?)
    }

    /// Gives a complete local file its final name, unless that name exists. A file on a disk is renamed;
    /// a large file for a store is first uploaded to a temporary key.
    pub(crate) fn publish(&self, made: &Path, name: &str, temporary: &str) -> Result<Put> {
        let temporary = self.state_path(temporary);
        Ok(self.tree.publish(made, &self.path, name, &temporary)?)
    }

    /// Runs work that reads many files at the same time: on all cores, or on threads that wait for the answers of a store.
    pub(crate) fn at_once<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T> {
        if self.tree.is_disk() {
            return Ok(work());
        }
        static THREADS: OnceLock<Option<rayon::ThreadPool>> = OnceLock::new();
        let build = || {
            let builder = rayon::ThreadPoolBuilder::new().num_threads(REQUESTS);
            builder.build().ok()
        };
        let threads = THREADS.get_or_init(build).as_ref();
        let threads = threads.ok_or_else(|| {
            let problem = "the system starts no more threads; end other programs, or raise the limit (ulimit -u)";
            Error::Input(problem.to_owned())
        })?;
        Ok(threads.install(work))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_overlap_if_one_is_in_the_other() {
        let root = |path: &str| Root::of(Path::new(path)).unwrap();
        let overlap = |one: &str, other: &str| root(one).overlaps(&root(other)).unwrap();
        assert!(overlap("s3://b/lake", "s3://b/lake/x"));
        assert!(overlap("s3://b/lake", "s3://b"));
        assert!(!overlap("s3://b/lake", "s3://b/lake.new"));
        assert!(!overlap("s3://b/lake", "/lake"));
        assert!(overlap("s3://b/lake", "s3a://b/lake"));
        assert_eq!(root("s3://b").under("x=1/a"), Path::new("s3://b/x=1/a"));
        assert_eq!(root("file:///lake").under("a"), Path::new("/lake/a"));
        assert!(Root::of(Path::new("https://host/lake")).is_err());
    }
}
