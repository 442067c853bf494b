//! Identifies files whatever their names are: two names of one file are not two copies of its rows.

use crate::hash::{digits, hash};
use crate::listing::{Listing, SourceFile};
use crate::root::Root;
use crate::{Error, Result};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Identity of a file: device and inode on a disk, otherwise the path without links, or the URL.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Identity {
    #[cfg(unix)]
    Inode(u64, u64),
    #[cfg(not(unix))]
    Path(PathBuf),
    Url(String),
}

/// Identity of a file, and a text that changes with its contents.
struct Found {
    identity: Identity,
    version: String,
}

impl Found {
    fn of(file: &SourceFile, root: &Root) -> Result<Self> {
        match root {
            Root::Disk(_) => Self::at(&file.under(root)),
            Root::Store(location) => Ok(Self {
                identity: Identity::Url(location.join(&file.path)?.identity()),
                version: String::new(),
            }),
        }
    }

    #[cfg(unix)]
    fn at(path: &Path) -> Result<Self> {
        use std::os::unix::fs::MetadataExt;
        let it = fs::metadata(path).map_err(Error::at(path))?;
        Ok(Self {
            identity: Identity::Inode(it.dev(), it.ino()),
            // Programs can set the time of modification, but not this one.
            version: format!("{} {}.{}", it.ino(), it.ctime(), it.ctime_nsec()),
        })
    }

    #[cfg(not(unix))]
    fn at(path: &Path) -> Result<Self> {
        let path = fs::canonicalize(path).map_err(Error::at(path))?;
        Ok(Self {
            identity: Identity::Path(path),
            version: String::new(),
        })
    }
}

/// Returns a hash of the paths, sizes and versions of all files. On a disk, it changes with every
/// change of a file, even if the program that changes it keeps size and time of modification.
pub(crate) fn state(listing: &Listing, root: &Root) -> Result<String> {
    let mut texts = Vec::new();
    for file in &listing.files {
        texts.push(file.identity());
        texts.push(Found::of(file, root)?.version);
    }
    Ok(digits(hash(texts.iter().map(String::as_str))))
}

/// Identities of the files of a root, with their paths.
pub(crate) struct Identities(HashMap<Identity, PathBuf>);

impl Identities {
    /// Returns the identities of all files of a listing.
    pub(crate) fn of(listing: &Listing, root: &Root) -> Result<Self> {
        let found = listing.files.iter().map(|file| {
            let found = Found::of(file, root)?;
            Ok((found.identity, file.under(root)))
        });
        Ok(Self(found.collect::<Result<_>>()?))
    }

    /// Checks that none of these files, which are below another root, is one of this root: a symbolic link to
    /// it, or another name of it.
    pub(crate) fn check_apart<'a>(
        &self,
        files: impl IntoIterator<Item = &'a SourceFile>,
        root: &Root,
    ) -> Result<()> {
        for file in files {
            if let Some(own) = self.0.get(&Found::of(file, root)?.identity) {
                let (path, own) = (file.under(root), own.display());
                return Err(Error::Input(format!(
                    "{}: this is {own} itself, under another name or by a link, and no second copy of its rows; replace it by a copy",
                    path.display()
                )));
            }
        }
        Ok(())
    }
}
