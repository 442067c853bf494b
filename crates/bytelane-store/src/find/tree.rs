//! Directory trees: disks, and stores, whose objects have names with slashes.

use crate::store::Meta;
use crate::{Object, Put, Result};
use std::fmt::Debug;
use std::path::{Path, PathBuf};

/// Kind of a path.
pub enum Entry {
    File(Meta),
    Directory,
}

/// Entry of a directory tree.
#[derive(Debug)]
pub struct Listed {
    /// Path relative to the root.
    pub below: PathBuf,
    pub kind: Kind,
}

/// Kind of an entry.
#[derive(Debug)]
pub enum Kind {
    /// File; `None` for a link to a file that does not exist.
    File(Option<Meta>),
    /// Directory that was not entered.
    Closed,
    /// Directory behind a link, which was entered; its path without links.
    Linked(PathBuf),
}

impl Listed {
    /// Returns the names in the relative path.
    pub fn names(&self) -> Vec<String> {
        let names = self.below.iter();
        names
            .map(|name| name.to_string_lossy().into_owned())
            .collect()
    }
}

/// Directory tree.
#[doc(hidden)]
pub trait Tree: Debug + Send + Sync {
    /// Returns the kind of a path.
    fn entry(&self, path: &Path) -> Result<Entry>;

    /// Returns all files below a directory. `enters` decides by the names in the relative path whether to enter a directory.
    fn walk(
        &self,
        root: &Path,
        follows_links: bool,
        enters: &dyn Fn(&[&str]) -> bool,
    ) -> Result<Vec<Listed>>;

    /// Returns up to 1000 names in each of these directories, and `None` for those that do not exist or cannot be read.
    fn names(&self, directories: &[PathBuf]) -> Vec<Option<Vec<String>>>;

    /// Returns which of these paths, all in one store, are those of files. Where a store refuses to say so, because the credentials do not
    /// suffice, there is no file.
    fn are_there(&self, files: &[PathBuf]) -> Result<Vec<bool>>;

    /// Returns the first bytes of a file.
    fn start(&self, path: &Path, length: usize) -> Result<Vec<u8>>;

    /// Returns the directories above a path, without links.
    fn parents(&self, path: &Path) -> Vec<PathBuf>;

    /// Returns the path of a file below a root.
    fn join(&self, root: &Path, below: &Path) -> PathBuf;

    /// Returns whether the files are on a disk: they can be opened, renamed, locked and appended to.
    fn is_disk(&self) -> bool;

    /// Returns a path by which files are compared: without links and `..`, or with one scheme for each provider of stores.
    fn place(&self, path: &Path) -> Result<PathBuf>;

    /// Returns the path of an existing root without links and `..`.
    fn real(&self, path: &Path) -> Result<PathBuf>;

    /// Returns a text that is the same for all names of a file, and one that changes with its contents.
    fn identity(&self, path: &Path) -> Result<[String; 2]>;

    /// Returns the size and version of a file; `None` if there is none.
    fn meta(&self, path: &Path) -> Result<Option<Meta>>;

    /// Returns whether a file is this version.
    fn is_version(&self, path: &Path, meta: &Meta) -> Result<bool>;

    /// Opens this version of an object; returns `None` for a file on a disk, which [`InputFile::open`](bytelane_parquet::InputFile::open)
    /// opens.
    fn object(&self, path: &Path, meta: &Meta) -> Result<Option<Object>>;

    /// Copies this version of a file to a new local file.
    fn download(&self, path: &Path, meta: &Meta, to: &Path) -> Result<()>;

    /// Returns the bytes of a file; `None` if there is none.
    fn read(&self, path: &Path) -> Result<Option<Vec<u8>>>;

    /// Writes a file as a whole, and creates its directory. Replaces an earlier file.
    fn replace(&self, path: &Path, bytes: Vec<u8>) -> Result<()>;

    /// Gives a complete local file its name below a root, unless that name exists. A file on a disk is renamed; a large file for a
    /// store is first uploaded to a temporary key.
    fn publish(&self, made: &Path, root: &Path, name: &str, temporary: &Path) -> Result<Put>;

    /// Removes a file, if it exists.
    fn remove(&self, path: &Path) -> Result<()>;

    /// Returns whether several processes can publish into a directory, because no file is ever replaced.
    fn is_exclusive(&self, directory: &Path) -> Result<bool>;
}
