//! Opens input files.

use crate::{Error, Problem, Result};
use bytes::Bytes;
use parquet::file::reader::{ChunkReader, Length};
use std::fs::{self, File, Permissions};
use std::io::{self, BufReader, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

/// File that several readers and threads can read at the same time. Each reader has its own position, unlike
/// clones of a `File`, which share one.
#[derive(Clone, Debug)]
pub struct InputFile {
    file: Arc<File>,
    length: u64,
}

impl InputFile {
    /// Opens a file.
    ///
    /// # Errors
    ///
    /// Returns [`Problem::Io`] if it cannot be opened, and [`Problem::Input`] for directories and pipes.
    pub fn open(path: &Path) -> Result<Self> {
        Self::new(open(path)?)
    }

    /// Wraps an open file.
    pub(crate) fn new(file: File) -> Result<Self> {
        Ok(Self {
            length: file.metadata()?.len(),
            file: Arc::new(file),
        })
    }

    pub(crate) fn permissions(&self) -> Result<Permissions> {
        Ok(self.file.metadata()?.permissions())
    }

    /// Returns the time of the last change, if the system knows it.
    pub(crate) fn modified(&self) -> Result<Option<SystemTime>> {
        Ok(self.file.metadata()?.modified().ok())
    }

    /// Appends the bytes from a position on, up to `length` or the end of the file. Their memory need not be
    /// zeroed.
    #[cfg(unix)]
    fn read_to(&self, bytes: &mut Vec<u8>, start: u64, length: usize) -> io::Result<()> {
        use rustix::buffer::spare_capacity;
        use rustix::io::{Errno, pread};
        while bytes.len() < bytes.capacity().min(length) {
            let from = start + bytes.len() as u64;
            match pread(&*self.file, spare_capacity(bytes), from) {
                Ok(0) => break,
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        bytes.truncate(length);
        Ok(())
    }

    #[cfg(not(unix))]
    fn read_to(&self, bytes: &mut Vec<u8>, start: u64, length: usize) -> io::Result<()> {
        let mut from = self.from(start).take(length as u64);
        from.read_to_end(bytes).map(drop)
    }

    fn from(&self, position: u64) -> FileFrom {
        FileFrom {
            file: Arc::clone(&self.file),
            position,
        }
    }
}

impl Length for InputFile {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for InputFile {
    type T = BufReader<FileFrom>;

    fn get_read(&self, start: u64) -> parquet::errors::Result<Self::T> {
        Ok(BufReader::new(self.from(start)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        // Never allocate more memory than the file has bytes left, whatever length is requested.
        let left = self.length.saturating_sub(start);
        let mut bytes = Vec::with_capacity(length.min(usize::try_from(left).unwrap_or(length)));
        self.read_to(&mut bytes, start, length)?;
        let read = bytes.len();
        if read != length {
            let problem =
                format!("{length} bytes at offset {start} are needed, but only {read} follow");
            return Err(parquet::errors::ParquetError::EOF(problem));
        }
        Ok(bytes.into())
    }
}

/// Reader of a file from a position on.
#[derive(Debug)]
pub struct FileFrom {
    file: Arc<File>,
    position: u64,
}

impl Read for FileFrom {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        #[cfg(windows)]
        let read = std::os::windows::fs::FileExt::seek_read(&*self.file, to, self.position)?;
        #[cfg(not(windows))]
        let read = std::os::unix::fs::FileExt::read_at(&*self.file, to, self.position)?;
        self.position += read as u64;
        Ok(read)
    }
}

/// Opens a file for random access, which begins at its end.
pub(crate) fn open(path: &Path) -> Result<File> {
    // Check by name first, because opening a pipe waits for a writer.
    let kind = fs::metadata(path)?;
    let problem = match (kind.is_file(), kind.is_dir()) {
        (true, _) => return Ok(File::open(path)?),
        (_, true) => "it is a directory",
        _ => "not a regular file, but the file must be seekable; save it to disk first",
    };
    Err(Problem::Input(problem.to_owned()).into())
}

/// Returns a part of a file, if the file has it.
pub(crate) fn bytes_at(reader: &impl ChunkReader, range: Range<u64>) -> Result<Bytes> {
    if range.start > range.end || range.end > reader.len() {
        let Range { start, end } = range;
        return Err(Error::corrupt(format!(
            "the file has no bytes from {start} to {end}"
        )));
    }
    Ok(reader.get_bytes(range.start, (range.end - range.start) as usize)?)
}
