//! A file that appears under its name when it is complete, and not before.

use crate::Result;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Written beside the file that it will replace: a crash leaves what was there.
#[derive(Debug)]
pub(super) struct Replacement {
    beside: NamedTempFile,
    path: PathBuf,
}

impl Replacement {
    /// Begins the file that will be called `path`. It gets the permissions of the file that it
    /// replaces, and `permissions` where there is none.
    pub fn begin(path: &Path, permissions: &Permissions) -> Result<Self> {
        let (path, permissions) = match fs::metadata(path) {
            Ok(there) => {
                // A rename would replace a file that nobody may write to: ask first.
                OpenOptions::new().write(true).open(path)?;
                // A symbolic link is followed: its target is replaced, not the link.
                (fs::canonicalize(path)?, there.permissions())
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                (path.to_owned(), permissions.clone())
            }
            Err(error) => return Err(error.into()),
        };
        let beside = tempfile::Builder::new()
            .prefix(".bytelane-")
            .tempfile_in(directory(&path))?;
        beside.as_file().set_permissions(permissions)?;
        Ok(Self { beside, path })
    }

    /// The file while it is written.
    pub fn file(&self) -> &File {
        self.beside.as_file()
    }

    /// Gives the file its name once all of it is on the disk.
    pub fn finish(self) -> Result<()> {
        self.beside.as_file().sync_all()?;
        self.beside
            .persist(&self.path)
            .map_err(|failed| failed.error)?;
        // The name is on the disk when its directory is. Some file systems cannot say so.
        #[cfg(unix)]
        drop(File::open(directory(&self.path)).and_then(|directory| directory.sync_all()));
        Ok(())
    }
}

fn directory(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}
