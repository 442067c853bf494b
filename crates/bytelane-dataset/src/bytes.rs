//! Syncs local files, and compares the bytes of files.

use crate::{Error, Result};
use bytelane_parquet::InputFile;
use bytelane_parquet::parquet::file::reader::ChunkReader;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

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
    use std::fs;

    #[test]
    fn files_of_other_bytes_or_lengths_differ() {
        let root = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            fs::write(root.path().join(name), text).unwrap();
            root.path().join(name)
        };
        let one = file("one", "one");
        assert!(have_same_bytes(&one, &file("same", "one")).unwrap());
        assert!(!have_same_bytes(&one, &file("longer", "one more")).unwrap());
        assert!(!have_same_bytes(&one, &file("other", "two")).unwrap());
    }
}
