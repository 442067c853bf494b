//! Opens the directory tree of a path.

use super::disk::Disk;
use super::objects::Objects;
use super::tree::Tree;
use crate::{Location, Result};
use bytelane_parquet::{local_path, remote_url};
use std::path::{Path, PathBuf};

/// Returns the tree of a path or URL, and the path in it; `None` for URLs of web servers, which cannot list files.
///
/// # Errors
///
/// The URL is unusable.
#[doc(hidden)]
pub fn tree_of(path: &Path) -> Result<Option<(&'static dyn Tree, PathBuf)>> {
    let Some(url) = remote_url(path) else {
        return Ok(Some((&Disk, local_path(path).into_owned())));
    };
    let is_store = Location::parse(url)?.is_store();
    Ok(is_store.then(|| (&Objects as &dyn Tree, path.to_owned())))
}
