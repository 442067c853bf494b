//! Opens the inputs, and reads them in large pieces.

use super::schema::top_level;
use crate::opened::OpenedFile;
use bytelane_parquet::chunk::stored_range;
use bytelane_parquet::file::read_columns_metadata;
use bytelane_parquet::format::FileMetaData;
use bytelane_parquet::input::{InputFile, bytes_at};
use bytelane_parquet::options::roots_of;
use bytelane_parquet::{Error, Problem, Result};
use bytes::{Buf, Bytes};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::reader::{ChunkReader, Length};
use std::collections::HashSet;
use std::io::Read;
use std::ops::Range;
use std::path::Path;
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
    /// Opens a file to read all of its columns, or only the top-level ones that contain these paths.
    pub(super) fn open(path: &Path, columns: Option<&[String]>) -> Result<OpenedFile<Self>> {
        let open = || {
            let mut window = Self::new(InputFile::open(path)?);
            window.load(window.len().saturating_sub(TAIL)..window.len())?;
            let mut file = OpenedFile::read(window)?;
            if let Some(columns) = columns {
                check_columns(&file.footer, columns)?;
                let paths: Vec<&str> = columns.iter().map(String::as_str).collect();
                let (footer, depth) = read_columns_metadata(&file.reader, &paths)?;
                (file.footer, file.depth) = (footer.into(), depth);
            }
            file.reader.clear();
            Ok(file)
        };
        open().map_err(|error: Error| error.in_file(path))
    }

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

    /// Returns what is known about the file once it is closed.
    fn closed(&self) -> Result<Closed> {
        let file = self.file.as_ref();
        let modified = file.map_or(Ok(None), InputFile::modified)?;
        Ok(Closed(self.length, modified))
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

impl OpenedFile<Window> {
    /// Returns the file without the row group in memory, unless all of the file is in memory.
    pub(super) fn without_row_group(&self) -> Self {
        let mut file = self.clone();
        file.reader.clear();
        file
    }

    /// Reads a row group into memory, or all of a small file. Chunks that overlap, or are far from each other, are
    /// read one by one later.
    pub(super) fn load(&mut self, row_group: usize) -> Result<()> {
        let window = &mut self.reader;
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

    /// Closes the file, which is to be opened again.
    pub(super) fn close(self) -> Result<OpenedFile<Closed>> {
        Ok(self.with_reader(self.reader.closed()?))
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

/// Length of a file that is closed, and when it was modified, if that is known.
#[derive(PartialEq)]
pub(super) struct Closed(u64, Option<SystemTime>);

impl OpenedFile<Closed> {
    /// Opens the file again. It must be unchanged.
    pub(super) fn open_again(&self, path: &Path) -> Result<OpenedFile<Window>> {
        let window = InputFile::open(path).map(Window::new).and_then(|window| {
            if window.closed()? != self.reader {
                return Err(Error::corrupt("the file has changed"));
            }
            Ok(window)
        });
        let window = window.map_err(|error| error.in_file(path))?;
        Ok(self.with_reader(window))
    }
}
