//! Opens input files.

use crate::remote::{RemoteFile, local_path, remote_files, remote_url, unsupported_scheme};
use crate::{Error, Problem, Result};
use bytes::Bytes;
use parquet::file::reader::{ChunkReader, Length};
use std::fs::{self, File, Permissions};
use std::io::{self, BufReader, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

/// File that several readers and threads can read at the same time. Each reader has its own position, unlike
/// clones of a `File`, which share one.
#[derive(Clone, Debug)]
pub struct InputFile {
    source: Source,
    length: u64,
}

#[derive(Clone, Debug)]
enum Source {
    Disk(Arc<File>),
    Remote(Arc<dyn RemoteFile>),
    View(Arc<dyn View>, Box<Source>),
}

/// File that shows a stored one in another form, with most parts at the same offsets.
pub(crate) trait View: RemoteFile {
    /// Returns the bytes of a range, which lies within the view.
    fn bytes(&self, range: Range<u64>) -> Result<Bytes>;
}

/// Last step of opening a file by its path.
type Opening = dyn Fn(InputFile) -> Result<InputFile> + Send + Sync;

static OPENING: OnceLock<Box<Opening>> = OnceLock::new();

/// Sets the last step of opening files by their paths. Returns false if it has already been set.
#[cfg_attr(not(feature = "encryption"), expect(dead_code))]
pub(crate) fn set_opening(open: Box<Opening>) -> bool {
    OPENING.set(open).is_ok()
}

impl InputFile {
    /// Opens a file. If a program has [stores](crate::set_remote_files), the path may be a URL.
    ///
    /// # Errors
    ///
    /// Returns [`Problem::Io`] if it cannot be opened, and [`Problem::Input`] for directories and pipes.
    pub fn open(path: &Path) -> Result<Self> {
        let file = Self::open_stored(path)?;
        match OPENING.get() {
            Some(open) => open(file),
            None => Ok(file),
        }
    }

    fn open_stored(path: &Path) -> Result<Self> {
        match remote_url(path) {
            Some(url) => Ok(remote_files()?.open(url)?.into()),
            None => match open(&local_path(path)) {
                Err(error) => match unsupported_scheme(path) {
                    Some(problem) => Err(Problem::Input(problem).into()),
                    None => Err(error),
                },
                Ok(file) => Self::new(file),
            },
        }
    }

    /// Wraps an open file.
    #[doc(hidden)]
    pub fn new(file: File) -> Result<Self> {
        Ok(Self {
            length: file.metadata()?.len(),
            source: Source::Disk(Arc::new(file)),
        })
    }

    /// Returns the file of a store, for [`ReaderBuilder::with_prefetch`](crate::ReaderBuilder::with_prefetch); `None` for
    /// local files.
    #[must_use]
    pub fn remote(&self) -> Option<Arc<dyn RemoteFile>> {
        match &self.source {
            Source::Disk(_) => None,
            Source::Remote(file) => Some(Arc::clone(file)),
            Source::View(view, stored) => stored.is_remote().then(|| Arc::clone(view) as _),
        }
    }

    /// Returns whether the file is on this machine.
    #[must_use]
    pub fn is_local(&self) -> bool {
        !self.source.is_remote()
    }

    /// Returns the permissions of a local file.
    #[doc(hidden)]
    pub fn permissions(&self) -> Result<Option<Permissions>> {
        let metadata = self.source.disk().map(File::metadata).transpose()?;
        Ok(metadata.map(|it| it.permissions()))
    }

    /// Returns the time of the last change of a local file, if the system knows it. Stores check the version of
    /// their files themselves.
    #[doc(hidden)]
    pub fn modified(&self) -> Result<Option<SystemTime>> {
        let metadata = self.source.disk().map(File::metadata).transpose()?;
        Ok(metadata.and_then(|it| it.modified().ok()))
    }

    /// Shows the file in another form.
    #[cfg_attr(not(feature = "encryption"), expect(dead_code))]
    pub(crate) fn viewed(self, view: Arc<dyn View>) -> Self {
        Self {
            length: view.length(),
            source: Source::View(view, Box::new(self.source)),
        }
    }

    /// Appends the bytes from a position on, up to `length` or the end of the file. Their memory need not be
    /// zeroed.
    #[cfg(unix)]
    fn read_to(file: &File, bytes: &mut Vec<u8>, start: u64, length: usize) -> io::Result<()> {
        use rustix::buffer::spare_capacity;
        use rustix::io::{Errno, pread};
        while bytes.len() < bytes.capacity().min(length) {
            let from = start + bytes.len() as u64;
            match pread(file, spare_capacity(bytes), from) {
                Ok(0) => break,
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        bytes.truncate(length);
        Ok(())
    }

    #[cfg(not(unix))]
    fn read_to(file: &File, bytes: &mut Vec<u8>, start: u64, length: usize) -> io::Result<()> {
        while bytes.len() < length {
            let mut part = [0; 1 << 13];
            let count = part.len().min(length - bytes.len());
            match read_at(file, &mut part[..count], start + bytes.len() as u64)? {
                0 => break,
                read => bytes.extend_from_slice(&part[..read]),
            }
        }
        Ok(())
    }

    fn from(&self, position: u64) -> FileFrom {
        FileFrom {
            file: self.clone(),
            position,
        }
    }
}

impl Source {
    fn disk(&self) -> Option<&File> {
        match self {
            Self::Disk(file) => Some(file),
            Self::Remote(_) => None,
            Self::View(_, stored) => stored.disk(),
        }
    }

    fn is_remote(&self) -> bool {
        self.disk().is_none()
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
        let left = self.length.saturating_sub(start);
        let file = match &self.source {
            Source::Remote(file) if length as u64 <= left => {
                return Ok(file.read(start..start + length as u64)?);
            }
            Source::View(view, _) if length as u64 <= left => {
                return Ok(view.bytes(start..start + length as u64)?);
            }
            Source::Remote(_) | Source::View(..) => return Err(too_short(start, length, left)),
            Source::Disk(file) => file,
        };
        // Never allocate more memory than the file has bytes left, whatever length is requested.
        let mut bytes = Vec::with_capacity(length.min(usize::try_from(left).unwrap_or(length)));
        Self::read_to(file, &mut bytes, start, length)?;
        if bytes.len() != length {
            return Err(too_short(start, length, bytes.len() as u64));
        }
        Ok(bytes.into())
    }
}

fn too_short(start: u64, length: usize, read: u64) -> parquet::errors::ParquetError {
    let problem = format!("{length} bytes at offset {start} are needed, but only {read} follow");
    parquet::errors::ParquetError::EOF(problem)
}

impl From<Arc<dyn RemoteFile>> for InputFile {
    fn from(file: Arc<dyn RemoteFile>) -> Self {
        Self {
            length: file.length(),
            source: Source::Remote(file),
        }
    }
}

/// Reader of a file from a position on.
#[derive(Debug)]
pub struct FileFrom {
    file: InputFile,
    position: u64,
}

impl Read for FileFrom {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = match &self.file.source {
            Source::Disk(file) => read_at(file, to, self.position)?,
            Source::Remote(_) | Source::View(..) => {
                let end = self.position.saturating_add(to.len() as u64);
                let end = end.min(self.file.length).max(self.position);
                let length = (end - self.position) as usize;
                let bytes = self.file.get_bytes(self.position, length);
                let bytes = bytes.map_err(io::Error::other)?;
                to[..bytes.len()].copy_from_slice(&bytes);
                bytes.len()
            }
        };
        self.position += read as u64;
        Ok(read)
    }
}

fn read_at(file: &File, to: &mut [u8], position: u64) -> io::Result<usize> {
    #[cfg(windows)]
    let read = std::os::windows::fs::FileExt::seek_read(file, to, position)?;
    #[cfg(not(windows))]
    let read = std::os::unix::fs::FileExt::read_at(file, to, position)?;
    Ok(read)
}

/// Opens a file for random access, which begins at its end.
pub fn open(path: &Path) -> Result<File> {
    // Check by name first, because opening a pipe waits for a writer.
    let problem = match fs::metadata(path) {
        Err(_) if path == Path::new("-") => {
            "standard input is not read, because the file must be seekable; save it to disk first"
        }
        Err(error) => return Err(error.into()),
        Ok(kind) if kind.is_file() => return Ok(File::open(path)?),
        Ok(kind) if kind.is_dir() => "it is a directory",
        Ok(_) => "not a regular file, but the file must be seekable; save it to disk first",
    };
    Err(Problem::Input(problem.to_owned()).into())
}

/// Returns a part of a file, if the file has it.
pub fn bytes_at(reader: &impl ChunkReader, range: Range<u64>) -> Result<Bytes> {
    if range.start > range.end || range.end > reader.len() {
        let Range { start, end } = range;
        return Err(Error::corrupt(format!(
            "the file has no bytes from {start} to {end}"
        )));
    }
    Ok(reader.get_bytes(range.start, (range.end - range.start) as usize)?)
}

/// Serializes a path as text: paths need not be valid UTF-8, but JSON must be.
pub fn serialize_path<S: serde::Serializer>(
    path: &Path,
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.to_string_lossy())
}
