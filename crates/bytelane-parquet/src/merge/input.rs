//! Row groups of the inputs, read into memory as they are.

use super::schema::Layout;
use crate::chunk::{Chunk, Page, Pages, Stored, stored_range};
use crate::file::read_file_metadata;
use crate::format::{self, ColumnChunk, FileMetaData};
use crate::input::{FileFrom, InputFile, bytes_at};
use crate::rewrite::source::Reopen;
use crate::{Error, Result};
use bytes::Bytes;
use parquet::errors::Result as ParquetResult;
use parquet::file::reader::{ChunkReader, Length};
use std::io::BufReader;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Size up to which a file is read at once, in bytes.
const SMALL: u64 = 1 << 20;

/// A file of which a part is in memory.
#[derive(Clone, Debug)]
pub(super) struct Window {
    file: InputFile,
    start: u64,
    bytes: Bytes,
}

impl Length for Window {
    fn len(&self) -> u64 {
        self.file.len()
    }
}

impl ChunkReader for Window {
    type T = BufReader<FileFrom>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        self.file.get_read(start)
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        let from = start.checked_sub(self.start).map(|from| from as usize);
        let range = from.and_then(|from| Some(from..from.checked_add(length)?));
        match range.filter(|range| range.end <= self.bytes.len()) {
            Some(range) => Ok(self.bytes.slice(range)),
            None => self.file.get_bytes(start, length),
        }
    }
}

impl Reopen for Window {}

/// A file that is open.
#[derive(Clone, Debug)]
pub(super) struct Opened {
    pub window: Window,
    pub footer: Arc<FileMetaData>,
    /// How deep its columns are nested.
    pub depth: usize,
}

impl Opened {
    /// Bytes of the file.
    pub(super) fn window_length(&self) -> u64 {
        self.window.len()
    }

    pub(super) fn open(path: &Path) -> Result<Self> {
        let open = || {
            let file = InputFile::open(path)?;
            let mut window = Window {
                start: 0,
                bytes: Bytes::new(),
                file,
            };
            if window.len() <= SMALL {
                window.bytes = bytes_at(&window.file, 0..window.len())?;
            }
            let (footer, depth) = read_file_metadata(&window)?;
            Ok(Self {
                window,
                footer: footer.into(),
                depth,
            })
        };
        open().map_err(|error: Error| error.in_file(path))
    }
}

/// A row group of an input, in memory.
pub(super) struct RowGroup {
    pub path: PathBuf,
    pub index: usize,
    pub layout: Arc<Layout>,
    pub file: Opened,
    pub rows: u64,
}

impl RowGroup {
    /// Reads a row group of a file.
    pub(super) fn read(
        path: &Path,
        mut file: Opened,
        index: usize,
        layout: Arc<Layout>,
    ) -> Result<Self> {
        let described = &file.footer.row_groups[index];
        let rows = u64::try_from(described.num_rows)
            .map_err(|_| Error::corrupt("a row group with a negative number of rows"))?;
        if file.window.bytes.is_empty() {
            let chunks = described.columns.iter().map(|chunk| {
                let range = stored_range(&chunk.decode()?, file.window.len())?;
                Ok((range.start, range.end))
            });
            let chunks = chunks.collect::<Result<Vec<_>>>()?;
            let start = chunks.iter().map(|it| it.0).min().unwrap_or(0);
            let end = chunks.iter().map(|it| it.1).max().unwrap_or(0);
            let bytes: u64 = chunks.iter().map(|it| it.1 - it.0).sum();
            // Chunks that share bytes, or are far from each other, are read one by one.
            if end - start <= bytes.saturating_add(SMALL) {
                file.window.bytes = bytes_at(&file.window.file, start..end)?;
                file.window.start = start;
            }
        }
        Ok(Self {
            path: path.to_owned(),
            index,
            layout,
            file,
            rows,
        })
    }

    /// Reads a chunk.
    pub(super) fn leaf(&self, leaf: usize) -> Result<Leaf> {
        let described = &self.file.footer.row_groups[self.index];
        let Some(chunk) = described.columns.get(leaf) else {
            return Err(Error::corrupt(
                "the footer describes columns that differ from its schema",
            ));
        };
        Leaf::read(&self.file.window, chunk.decode()?, self.rows)
    }

    /// Returns the same error with its place.
    pub(super) fn located(&self, error: Error) -> Error {
        error.in_row_group(self.index).in_file(&self.path)
    }
}

/// A chunk with its pages.
pub(super) struct Leaf {
    pub chunk: Chunk,
    pub pages: Vec<StoredPage>,
    pub rows: u64,
    pub bloom_filter: Option<Bytes>,
}

/// A page in memory.
pub(super) struct StoredPage {
    pub page: Page,
    /// All of its bytes, the header first.
    pub bytes: Bytes,
}

impl StoredPage {
    /// The bytes after the header.
    pub(super) fn body(&self) -> Bytes {
        self.bytes.slice(self.page.header_length as usize..)
    }
}

impl Leaf {
    fn read(window: &Window, chunk: ColumnChunk, rows: u64) -> Result<Self> {
        let range = stored_range(&chunk, window.len())?;
        let chunk = Chunk::open(window, chunk, range.clone())?;
        let filter = chunk.bloom_filter().map(|stored| match stored {
            Stored::File(range) => bytes_at(window, range.clone()),
            _ => Ok(Bytes::new()),
        });
        let mut pages = Vec::new();
        let mut values = 0_i64;
        for page in Pages::new(window, range) {
            let page = page?;
            let Range { start, end } = page.offset..page.offset + page.compressed();
            if page.is_data() {
                values = values.saturating_add(page.values());
            }
            pages.push(StoredPage {
                bytes: bytes_at(window, start..end)?,
                page,
            });
        }
        let claimed = chunk.metadata().num_values;
        if values != claimed {
            let problem = format!("its pages have {values} values, but the footer says {claimed}");
            return Err(Error::corrupt(problem));
        }
        Ok(Self {
            bloom_filter: filter.transpose()?,
            chunk,
            pages,
            rows,
        })
    }

    /// Its data pages.
    pub(super) fn data_pages(&self) -> impl Iterator<Item = &StoredPage> {
        self.pages.iter().filter(|page| page.page.is_data())
    }

    pub(super) fn metadata(&self) -> &format::ColumnMetaData {
        self.chunk.metadata()
    }
}
