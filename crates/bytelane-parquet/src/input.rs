//! Opening what is read.

use crate::{Problem, Result};
use std::fs::{self, File};
use std::path::Path;

/// Opens a file of which parts are read, its end first.
pub(crate) fn open(path: &Path) -> Result<File> {
    // Asked by its name: to open a pipe is to wait for somebody who writes to it.
    let kind = fs::metadata(path)?;
    let problem = match (kind.is_file(), kind.is_dir()) {
        (true, _) => return Ok(File::open(path)?),
        (_, true) => "it is a directory",
        _ => "not a regular file, but the file must be seekable; save it to disk first",
    };
    Err(Problem::Input(problem.to_owned()).into())
}
