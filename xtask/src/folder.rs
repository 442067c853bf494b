//! Directories whose files this program writes.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::root::root;

/// Writes a file, which appears when it is complete.
pub fn write(path: &Path, text: impl AsRef<[u8]>) -> Result<()> {
    let beside = path.with_extension("incomplete");
    fs::write(&beside, text)
        .and_then(|()| fs::rename(&beside, path))
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Directory that exists.
pub struct Folder {
    pub path: PathBuf,
}

impl Folder {
    /// Creates a directory, if there is none; a relative path begins at the root of the workspace.
    pub fn at(path: impl AsRef<Path>) -> Result<Self> {
        let path = root().join(path);
        fs::create_dir_all(&path).with_context(|| format!("cannot create {}", path.display()))?;
        Ok(Self { path })
    }

    /// Creates an empty directory in place of an existing one.
    pub fn empty(path: impl AsRef<Path>) -> Result<Self> {
        let path = root().join(path);
        if path.exists() {
            fs::remove_dir_all(&path)
                .with_context(|| format!("cannot remove {}", path.display()))?;
        }
        Self::at(path)
    }

    /// Creates a directory in this one.
    pub fn below(&self, path: &str) -> Result<Self> {
        Self::at(self.path.join(path))
    }

    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) -> Result<()> {
        write(&self.prepare(path)?, text)
    }

    /// Copies a file with its permissions.
    pub fn copy(&self, from: &Path, to: &str) -> Result<()> {
        let to = self.prepare(to)?;
        let copied = fs::copy(from, &to);
        copied
            .map(drop)
            .with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))
    }

    /// Copies the files of a directory and of those in it.
    pub fn copy_all(&self, from: &Path) -> Result<()> {
        let entries = fs::read_dir(from);
        for entry in entries.with_context(|| format!("cannot list {}", from.display()))? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if path.is_dir() {
                self.below(&name)?.copy_all(&path)?;
            } else {
                self.copy(&path, &name)?;
            }
        }
        Ok(())
    }

    /// Returns the path of a file in this folder, after creating its directory.
    fn prepare(&self, path: &str) -> Result<PathBuf> {
        let path = self.path.join(path);
        let directory = path.parent().context("the file is in the folder")?;
        Self::at(directory)?;
        Ok(path)
    }
}
