//! Directory trees: disks, and stores, whose objects have names with slashes.

use crate::Result;
use crate::store::Meta;
use std::path::{Path, PathBuf};

/// Kind of a path.
pub(super) enum Entry {
    File(Meta),
    Directory,
}

/// Entry of a directory tree.
#[derive(Debug)]
pub(super) struct Listed {
    /// Path relative to the root.
    pub below: PathBuf,
    pub kind: Kind,
}

/// Kind of an entry.
#[derive(Debug)]
pub(super) enum Kind {
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
pub(super) trait Tree {
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

    /// Returns the first bytes of a file.
    fn start(&self, path: &Path, length: usize) -> Result<Vec<u8>>;

    /// Returns the directories above a path, without links.
    fn parents(&self, path: &Path) -> Vec<PathBuf>;

    /// Returns the path of a file below a root.
    fn join(&self, root: &Path, below: &Path) -> PathBuf;
}
