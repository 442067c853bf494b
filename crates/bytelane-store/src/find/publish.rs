//! Writes files on a disk, each as a whole: never replaces another file, or replaces it in one step.

use crate::{Error, Put, Result};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use tempfile::{NamedTempFile, TempPath};

/// Renames a complete file to its final name below a root, unless that name exists: then it stays where it is.
///
/// The name is on disk when this returns.
pub(super) fn publish(temporary: &Path, root: &Path, name: &str) -> Result<Put> {
    let name = root.join(name);
    let directory = name.parent().unwrap_or(root);
    let is_new_directory = !directory.exists();
    fs::create_dir_all(directory).map_err(at(directory))?;
    check_inside(directory, root)?;
    let made = TempPath::try_from_path(temporary).map_err(at(temporary))?;
    if let Err(error) = made.persist_noclobber(&name) {
        // Dropping it would remove the file.
        let _ = error.path.keep();
        return match error.error.kind() {
            io::ErrorKind::AlreadyExists => Ok(Put::Other),
            _ => Err(at(&name)(error.error)),
        };
    }
    sync_directory(directory)?;
    if is_new_directory {
        let above = directory.ancestors().skip(1);
        above
            .take_while(|it| it.starts_with(root))
            .try_for_each(sync_directory)?;
    }
    Ok(Put::Stored)
}

/// Checks that a directory below a root is not a link to somewhere else, such as the old root.
fn check_inside(directory: &Path, root: &Path) -> Result<()> {
    let real = |path: &Path| fs::canonicalize(path).map_err(at(path));
    if real(directory)?.starts_with(real(root)?) {
        return Ok(());
    }
    let problem = "this directory of the new root is elsewhere, by a link; remove the link";
    Err(Error::input(directory.display(), problem))
}

/// Writes a small file atomically, and creates its directory: it is on disk before it appears under its name, and replaces an earlier one.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(directory).map_err(at(directory))?;
    let write = || {
        let mut file = NamedTempFile::new_in(directory)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    };
    write().map_err(at(path))?;
    sync_directory(directory)
}

/// Syncs the names in a directory to disk.
#[doc(hidden)]
pub fn sync_directory(directory: &Path) -> Result<()> {
    if cfg!(unix) {
        let open = File::open(directory).and_then(|file| file.sync_all());
        open.map_err(at(directory))?;
    }
    Ok(())
}

/// Returns a function that adds a path to an error of the operating system.
pub(super) fn at(path: &Path) -> impl FnOnce(io::Error) -> Error {
    Error::at(path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_file_is_replaced() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        for (text, put) in [("one", Put::Stored), ("other", Put::Other)] {
            fs::write(at("temporary"), text).unwrap();
            let outcome = publish(&at("temporary"), root.path(), "x=1/name").unwrap();
            assert_eq!(outcome, put);
            assert_eq!(at("temporary").exists(), put == Put::Other);
        }
        assert_eq!(fs::read(at("x=1/name")).unwrap(), b"one");
    }
}
