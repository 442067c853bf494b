//! Opens the inputs.

use super::schema::top_level;
use crate::rewrite::source::Reopen;
use bytelane_parquet::chunk::stored_range;
use bytelane_parquet::file::{in_parquet, read_columns_metadata, read_file_metadata};
use bytelane_parquet::format::FileMetaData;
use bytelane_parquet::input::{InputFile, bytes_at};
use bytelane_parquet::options::roots_of;
use bytelane_parquet::stack::with_stack;
use bytelane_parquet::{Error, Problem, Result};
use bytes::{Buf, Bytes};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::reader::{ChunkReader, Length};
use parquet::schema::types::ColumnDescPtr;
use std::collections::HashSet;
use std::io::Read;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

/// Size, in bytes, up to which a file is read at once.
const SMALL: u64 = 1 << 20;

/// Number of bytes at the end of a file that are read first. Most footers fit.
const TAIL: u64 = 8 << 10;

/// File of which a part, or all, is in memory.
#[derive(Clone, Debug)]
pub(super) struct Window {
    /// `None` if all of it is in memory: more small files may be joined than a process may have open.
    file: Option<InputFile>,
    length: u64,
    start: u64,
    bytes: Bytes,
}

impl Window {
    fn new(file: InputFile) -> Self {
        Self {
            length: file.len(),
            file: Some(file),
            start: 0,
            bytes: Bytes::new(),
        }
    }

    /// Reads a range into memory.
    fn load(&mut self, range: Range<u64>) -> Result<()> {
        if let Some(file) = &self.file {
            self.start = range.start;
            self.bytes = bytes_at(file, range)?;
        }
        Ok(())
    }

    /// Reads all of the file into memory, and closes it.
    fn load_all(&mut self) -> Result<()> {
        self.load(0..self.length)?;
        self.file = None;
        Ok(())
    }

    /// Returns when the file was modified, if it is known and the file is open.
    fn modified(&self) -> Result<Option<SystemTime>> {
        self.file.as_ref().map_or(Ok(None), InputFile::modified)
    }

    /// Forgets what is in memory, unless the file is closed.
    fn clear(&mut self) {
        if self.file.is_some() {
            self.start = 0;
            self.bytes = Bytes::new();
        }
    }
}

impl Length for Window {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for Window {
    type T = Box<dyn Read>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        Ok(match &self.file {
            Some(file) => Box::new(file.get_read(start)?),
            None => {
                let start = start.min(self.length) as usize;
                Box::new(self.bytes.slice(start..).reader())
            }
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        let from = start.checked_sub(self.start).map(|from| from as usize);
        let range = from.and_then(|from| Some(from..from.checked_add(length)?));
        match (
            range.filter(|range| range.end <= self.bytes.len()),
            &self.file,
        ) {
            (Some(range), _) => Ok(self.bytes.slice(range)),
            (None, Some(file)) => file.get_bytes(start, length),
            (None, None) => Err(ParquetError::EOF("the file ends earlier".to_owned())),
        }
    }
}

impl Reopen for Window {}

/// Open file.
#[derive(Clone, Debug)]
pub(super) struct Opened {
    pub window: Window,
    pub footer: Arc<FileMetaData>,
    /// Nesting depth of its columns.
    pub depth: usize,
}

impl Opened {
    /// Returns the size of the file in bytes.
    pub(super) fn window_length(&self) -> u64 {
        self.window.len()
    }

    /// Returns the file without the row group in memory, unless all of the file is in memory.
    pub(super) fn without_row_group(&self) -> Self {
        let mut file = self.clone();
        file.window.clear();
        file
    }

    /// Reads a row group into memory, or all of a small file. Chunks that overlap, or are far from each other, are
    /// read one by one later.
    pub(super) fn load(&mut self, row_group: usize) -> Result<()> {
        let window = &mut self.window;
        if !window.bytes.is_empty() {
            return Ok(());
        }
        if window.len() <= SMALL {
            return window.load_all();
        }
        let described = &self.footer.row_groups[row_group];
        let chunks = described.columns.iter().map(|chunk| {
            let range = stored_range(&chunk.decode()?, window.len())?;
            Ok((range.start, range.end))
        });
        let chunks = chunks.collect::<Result<Vec<_>>>()?;
        let start = chunks.iter().map(|it| it.0).min().unwrap_or(0);
        let end = chunks.iter().map(|it| it.1).max().unwrap_or(0);
        let bytes: u64 = chunks.iter().map(|it| it.1 - it.0).sum();
        if end - start <= bytes.saturating_add(SMALL) {
            window.load(start..end)?;
        }
        Ok(())
    }

    /// Returns a column of its schema.
    pub(super) fn column(&self, leaf: usize) -> Result<ColumnDescPtr> {
        Ok(ColumnDescPtr::clone(&self.columns()?[leaf]))
    }

    /// Returns the columns of its schema.
    pub(super) fn columns(&self) -> Result<Vec<ColumnDescPtr>> {
        let bare = FileMetaData {
            row_groups: Vec::new(),
            ..(*self.footer).clone()
        };
        let metadata = with_stack(self.depth, || in_parquet(&bare))?;
        Ok(metadata.file_metadata().schema_descr().columns().to_vec())
    }

    pub(super) fn open(path: &Path) -> Result<Self> {
        Self::open_with(path, read_file_metadata)
    }

    /// Opens a file to read only the top-level columns that contain these paths.
    pub(super) fn open_columns(path: &Path, columns: &[String]) -> Result<Self> {
        Self::open_with(path, |window| {
            let (footer, _) = read_file_metadata(window)?;
            check_columns(&footer, columns)?;
            let paths: Vec<&str> = columns.iter().map(String::as_str).collect();
            read_columns_metadata(window, &paths)
        })
    }

    fn open_with(
        path: &Path,
        read: impl FnOnce(&Window) -> Result<(FileMetaData, usize)>,
    ) -> Result<Self> {
        let open = || {
            let mut window = Window::new(InputFile::open(path)?);
            window.load(window.len().saturating_sub(TAIL)..window.len())?;
            let (footer, depth) = read(&window)?;
            window.clear();
            Ok(Self {
                window,
                footer: footer.into(),
                depth,
            })
        };
        open().map_err(|error: Error| error.in_file(path))
    }
}

/// Returns an error if a path names none of the columns of a file.
fn check_columns(footer: &FileMetaData, paths: &[String]) -> Result<()> {
    let names: HashSet<String> = top_level(&footer.schema).into_iter().collect();
    let is_missing = |path: &&String| !roots_of(path).any(|name| names.contains(name));
    match paths.iter().find(is_missing) {
        None => Ok(()),
        Some(path) => Err(Problem::NoSuchColumn(path.clone()).into()),
    }
}

/// Footer of a file that is closed.
pub(super) struct Closed {
    footer: Arc<FileMetaData>,
    depth: usize,
    length: u64,
    modified: Option<SystemTime>,
}

impl Closed {
    pub(super) fn new(file: Opened) -> Result<Self> {
        Ok(Self {
            length: file.window.len(),
            modified: file.window.modified()?,
            footer: file.footer,
            depth: file.depth,
        })
    }

    /// Opens the file again. It must be unchanged.
    pub(super) fn open(&self, path: &Path) -> Result<Opened> {
        let open = || {
            let file = InputFile::open(path)?;
            if file.len() != self.length || file.modified()? != self.modified {
                return Err(Error::corrupt("the file has changed"));
            }
            Ok(Opened {
                window: Window::new(file),
                footer: Arc::clone(&self.footer),
                depth: self.depth,
            })
        };
        open().map_err(|error: Error| error.in_file(path))
    }
}
