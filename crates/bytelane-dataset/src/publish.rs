//! Publishes outputs under their final names, each once, and never replaces another file.

use crate::journal::sync_directory;
use crate::{Error, Result};
use bytelane_parquet::InputFile;
use bytelane_parquet::parquet::file::reader::ChunkReader;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;
use tempfile::{NamedTempFile, TempPath};

/// Renames a complete file to its final name below a root, unless that name exists; returns whether
/// it was renamed.
///
/// The name is on disk when this returns.
pub(crate) fn publish(temporary: &Path, root: &Path, name: &str) -> Result<bool> {
    let name = root.join(name);
    let directory = name.parent().unwrap_or(root);
    let is_new_directory = !directory.exists();
    fs::create_dir_all(directory).map_err(Error::at(directory))?;
    check_inside(directory, root)?;
    let temporary = TempPath::try_from_path(temporary).map_err(Error::at(temporary))?;
    let is_new = match temporary.persist_noclobber(&name) {
        Ok(()) => true,
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => false,
        Err(error) => return Err(Error::at(&name)(error.error)),
    };
    sync_directory(directory)?;
    if is_new_directory {
        let above = directory.ancestors().skip(1);
        above
            .take_while(|it| it.starts_with(root))
            .try_for_each(sync_directory)?;
    }
    Ok(is_new)
}

/// Checks that a directory below a root is not a link to somewhere else, such as the old root.
fn check_inside(directory: &Path, root: &Path) -> Result<()> {
    let real = |path: &Path| fs::canonicalize(path).map_err(Error::at(path));
    if real(directory)?.starts_with(real(root)?) {
        return Ok(());
    }
    let problem = "this directory of the new root is elsewhere, by a link; remove the link";
    Err(Error::Input(format!("{}: {problem}", directory.display())))
}

/// Writes a small file atomically: it is on disk before it appears under its name, and replaces an
/// earlier one.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    let write = || {
        let mut file = NamedTempFile::new_in(directory)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    };
    write().map_err(Error::at(path))?;
    sync_directory(directory)
}

/// Syncs a file to disk.
pub(crate) fn sync(path: &Path) -> Result<()> {
    let sync = || {
        File::options()
            .read(true)
            .write(true)
            .open(path)?
            .sync_all()
    };
    sync().map_err(Error::at(path))
}

/// Returns whether two files have the same bytes. Their paths may be URLs.
pub(crate) fn have_same_bytes(one: &Path, other: &Path) -> Result<bool> {
    let open = |path: &Path| {
        let read = InputFile::open(path).and_then(|file| Ok(file.get_read(0)?));
        read.map_err(|error| error.in_file(path))
    };
    let (mut left, mut right) = (open(one)?, open(other)?);
    let (mut these, mut those) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    loop {
        let count = fill(&mut left, &mut these).map_err(Error::at(one))?;
        let others = fill(&mut right, &mut those).map_err(Error::at(other))?;
        if these[..count] != those[..others] {
            return Ok(false);
        }
        if count == 0 {
            return Ok(true);
        }
    }
}

/// Reads until the buffer is full or the file ends.
fn fill(file: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_file_is_replaced() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        for text in ["one", "other"] {
            fs::write(at("temporary"), text).unwrap();
            let is_new = publish(&at("temporary"), root.path(), "x=1/name").unwrap();
            assert_eq!(is_new, text == "one");
            assert!(!at("temporary").exists());
        }
        assert_eq!(fs::read(at("x=1/name")).unwrap(), b"one");
        fs::write(at("same"), "one").unwrap();
        fs::write(at("longer"), "one more").unwrap();
        assert!(have_same_bytes(&at("same"), &at("x=1/name")).unwrap());
        assert!(!have_same_bytes(&at("longer"), &at("x=1/name")).unwrap());
    }
}
