//! Reads row groups of the inputs into memory, unchanged or converted as the output requires.

mod complete;
mod judge;
mod part;
mod salvage;
mod trial;
mod widen;

use super::join::codec::compression_of;
use super::join::entry::{self, Entry};
use super::plan::Plan;
use super::schema::{Layout, Place, top_level};
use crate::rewrite::source::Reopen;
use bytelane_parquet::budget::MemoryLimit;
use bytelane_parquet::catch_panic::catch_panic;
use bytelane_parquet::chunk::facts::{self, Verb};
use bytelane_parquet::chunk::{Chunk, Page, Pages, Stored, estimated_of_pages, stored_range};
use bytelane_parquet::file::{in_parquet, read_columns_metadata, read_file_metadata};
use bytelane_parquet::format::{self, ColumnChunk, FileMetaData, PageType};
use bytelane_parquet::input::{FileFrom, InputFile, bytes_at};
use bytelane_parquet::options::roots_of;
use bytelane_parquet::stack::with_stack;
use bytelane_parquet::statistics::Compare;
use bytelane_parquet::{Error, Problem, Result};
use bytes::Bytes;
pub(in crate::merge) use complete::bloom_filter;
use complete::complete;
use parquet::basic::Compression;
use parquet::errors::Result as ParquetResult;
use parquet::file::reader::{ChunkReader, Length};
use parquet::schema::types::{ColumnDescPtr, ColumnDescriptor};
use part::Whole;
pub(super) use part::dictionary_of;
pub(crate) use salvage::Lost;
use salvage::salvaged;
use std::collections::{HashMap, HashSet};
use std::io::BufReader;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;
pub(crate) use trial::Trial;
use widen::widen;

/// Size, in bytes, up to which a file is read at once.
const SMALL: u64 = 1 << 20;

/// Number of bytes at the end of a file that are read first. Most footers fit.
const TAIL: u64 = 8 << 10;

/// Part of a file in memory.
#[derive(Clone, Debug)]
pub(super) struct Window {
    file: InputFile,
    start: u64,
    bytes: Bytes,
}

impl Window {
    fn new(file: InputFile) -> Self {
        Self {
            file,
            start: 0,
            bytes: Bytes::new(),
        }
    }

    /// Reads a range into memory.
    fn load(&mut self, range: Range<u64>) -> Result<()> {
        self.start = range.start;
        self.bytes = bytes_at(&self.file, range)?;
        Ok(())
    }

    fn clear(&mut self) {
        self.start = 0;
        self.bytes = Bytes::new();
    }
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
        if file.window.len() > SMALL {
            file.window.clear();
        }
        file
    }

    /// Returns a column of its schema.
    fn column(&self, leaf: usize) -> Result<ColumnDescPtr> {
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
            modified: file.window.file.modified()?,
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

/// Row group of an input, or some of its rows, in memory.
#[derive(Clone)]
pub(super) struct RowGroup {
    pub path: PathBuf,
    pub index: usize,
    pub layout: Arc<Layout>,
    pub file: Opened,
    /// Number of rows.
    pub rows: u64,
    /// Selected rows of the row group in the file; `None` for all of them.
    pub part: Option<Range<u64>>,
    /// Leaves of which parts were read. All parts share them, so that each leaf is read once.
    wholes: Arc<Mutex<HashMap<usize, Arc<Whole>>>>,
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
        if file.window.bytes.is_empty() && file.window.len() <= SMALL {
            file.window.load(0..file.window.len())?;
        }
        if file.window.bytes.is_empty() {
            let chunks = described.columns.iter().map(|chunk| {
                let range = stored_range(&chunk.decode()?, file.window.len())?;
                Ok((range.start, range.end))
            });
            let chunks = chunks.collect::<Result<Vec<_>>>()?;
            let start = chunks.iter().map(|it| it.0).min().unwrap_or(0);
            let end = chunks.iter().map(|it| it.1).max().unwrap_or(0);
            let bytes: u64 = chunks.iter().map(|it| it.1 - it.0).sum();
            // Chunks that overlap, or are far from each other, are read one by one.
            if end - start <= bytes.saturating_add(SMALL) {
                file.window.load(start..end)?;
            }
        }
        Ok(Self {
            path: path.to_owned(),
            index,
            layout,
            file,
            rows,
            part: None,
            wholes: Arc::default(),
        })
    }

    /// Returns some of its rows.
    pub(super) fn part(&self, rows: Range<u64>) -> Self {
        if rows == (0..self.rows) {
            return self.clone();
        }
        Self {
            rows: rows.end - rows.start,
            part: Some(rows),
            ..self.clone()
        }
    }

    /// Reads the chunk of a leaf of an output column that this input has, given its number in the column and among
    /// all leaves of the output.
    pub(super) fn leaf(
        &self,
        plan: &Plan<'_>,
        place: Place,
        root: usize,
        (number, in_output): (usize, usize),
    ) -> Result<Leaf> {
        let (column, compare) = (&plan.schema.columns()[in_output], plan.compare(in_output));
        let (columns, schema) = (&plan.columns, &self.file.footer.schema);
        let Some(levels) = columns.widened(place, root, number, schema) else {
            return self.leaf_of(place.leaf + number, column, compare, plan);
        };
        let own = self.file.column(place.leaf + number)?;
        let leaf = self.leaf_of(place.leaf + number, &own, compare, plan)?;
        widen(leaf, &own, &levels)
    }

    /// Reads a chunk of a column, or the selected rows of it.
    fn leaf_of(
        &self,
        leaf: usize,
        column: &ColumnDescriptor,
        compare: Option<Compare>,
        plan: &Plan<'_>,
    ) -> Result<Leaf> {
        let Some(rows) = &self.part else {
            return self.whole_leaf(leaf, column, compare, plan);
        };
        let wholes = || self.wholes.lock().unwrap_or_else(PoisonError::into_inner);
        let known = wholes().get(&leaf).cloned();
        let whole = match known {
            Some(whole) => whole,
            None => {
                let read = self.whole_leaf(leaf, column, compare, plan)?;
                let whole = Arc::new(Whole::new(read, column)?);
                wholes().insert(leaf, Arc::clone(&whole));
                whole
            }
        };
        if !plan.is_salvage {
            whole.check_cuts(rows, plan.row_limit, self.file.window_length())?;
        }
        whole.part(column, rows.clone(), compare)
    }

    /// Reads all rows of a chunk of a column.
    fn whole_leaf(
        &self,
        leaf: usize,
        column: &ColumnDescriptor,
        compare: Option<Compare>,
        plan: &Plan<'_>,
    ) -> Result<Leaf> {
        let described = &self.file.footer.row_groups[self.index];
        let Some(chunk) = described.columns.get(leaf) else {
            return Err(Error::corrupt(
                "the footer describes columns that differ from its schema",
            ));
        };
        let rows = u64::try_from(described.num_rows).unwrap_or(0);
        let (window, chunk) = (&self.file.window, chunk.decode()?);
        if plan.is_salvage {
            let orders = self.file.footer.column_orders.as_ref();
            let order = orders.and_then(|orders| orders.get(leaf));
            return Ok(salvaged(window, &chunk, rows, column, order)?.0);
        }
        let mut leaf = Leaf::read(window, chunk, rows, plan.memory)?;
        leaf.reconcile(window, column, compare, plan.repair.is_some())?;
        leaf.entries = entry::of_leaf(&leaf, column)?;
        if let Some(repair) = &plan.repair {
            complete(&mut leaf, column, repair)?;
        }
        Ok(leaf)
    }

    /// Adds the location to an error.
    pub(super) fn located(&self, error: Error) -> Error {
        error.in_row_group(self.index).in_file(&self.path)
    }
}

/// Returns the rows of a chunk that are lost because pages are damaged, each range with a reason.
pub(in crate::merge) fn lost_rows(
    file: &Opened,
    row_group: usize,
    leaf: usize,
    column: &ColumnDescriptor,
) -> Result<Vec<Lost>> {
    let described = &file.footer.row_groups[row_group];
    let rows = u64::try_from(described.num_rows).unwrap_or(0);
    let lost = catch_panic(|| {
        let chunk = described.columns.get(leaf);
        let chunk =
            chunk.ok_or_else(|| Error::corrupt("the footer does not describe its chunk"))?;
        let orders = file.footer.column_orders.as_ref();
        let order = orders.and_then(|orders| orders.get(leaf));
        Ok(salvaged(&file.window, &chunk.decode()?, rows, column, order)?.1)
    });
    match lost {
        Err(error) if matches!(error.problem(), Problem::Io(_)) => Err(error),
        Err(error) => Ok(vec![Lost {
            rows: 0..rows,
            why: error.problem().to_string(),
        }]),
        lost => lost,
    }
}

/// Chunk with its pages.
pub(super) struct Leaf {
    pub chunk: Chunk,
    pub pages: Vec<StoredPage>,
    /// Index data for each data page.
    pub entries: Vec<Entry>,
    pub rows: u64,
    pub bloom_filter: Option<Bytes>,
    /// Total size of its pages in bytes.
    pub bytes: u64,
    pub memory: MemoryLimit,
}

/// Page in memory.
#[derive(Clone)]
pub(super) struct StoredPage {
    pub page: Page,
    /// All bytes of the page, starting with the header.
    pub bytes: Bytes,
}

impl StoredPage {
    /// Returns the bytes after the header.
    pub(super) fn body(&self) -> Bytes {
        self.bytes.slice(self.page.header_length as usize..)
    }
}

impl Leaf {
    fn read(window: &Window, chunk: ColumnChunk, rows: u64, memory: MemoryLimit) -> Result<Self> {
        let range = stored_range(&chunk, window.len())?;
        let chunk = Chunk::open(window, chunk, range.clone())?;
        let filter = chunk.bloom_filter().map(|stored| match stored {
            Stored::File(range) => bytes_at(window, range.clone()),
            _ => Ok(Bytes::new()),
        });
        let mut pages = Vec::new();
        for page in Pages::new(window, range) {
            let page = page?;
            let Range { start, end } = page.offset..page.offset + page.compressed();
            pages.push(StoredPage {
                bytes: bytes_at(window, start..end)?,
                page,
            });
        }
        Ok(Self {
            bloom_filter: filter.transpose()?,
            bytes: chunk.bytes(),
            chunk,
            pages,
            entries: Vec::new(),
            rows,
            memory,
        })
    }

    /// Compares the facts about the chunk, puts its metadata right, and drops indexes that contradict its pages.
    fn reconcile(
        &mut self,
        window: &Window,
        column: &ColumnDescriptor,
        compare: Option<Compare>,
        is_repair: bool,
    ) -> Result<()> {
        let pages = self.pages.iter().map(|page| &page.page);
        let verb = if is_repair { Verb::Repair } else { Verb::Merge };
        let rows = i64::try_from(self.rows).unwrap_or(i64::MAX);
        let of = (column, compare);
        facts::reconcile(window, &mut self.chunk, pages, of, rows, verb)
    }

    /// Returns the data pages.
    pub(super) fn data_pages(&self) -> impl Iterator<Item = &StoredPage> {
        self.pages.iter().filter(|page| page.page.is_data())
    }

    /// Returns the dictionary page.
    pub(super) fn dictionary(&self) -> Option<&StoredPage> {
        let is_dictionary =
            |page: &&StoredPage| page.page.header.page_type == PageType::DictionaryPage;
        self.pages.iter().find(is_dictionary)
    }

    pub(super) fn metadata(&self) -> &format::ColumnMetaData {
        self.chunk.metadata()
    }

    /// Returns its codec with about the level at which its pages are compressed; `None` for codecs that are only copied.
    pub(super) fn compression(&self) -> Result<Option<Compression>> {
        let Some(usual) = compression_of(self.metadata().codec)? else {
            return Ok(None);
        };
        let pages = self.pages.iter();
        let pages = pages.map(|stored| (&stored.page, || Ok(stored.body())));
        estimated_of_pages(usual, pages, entry::limits(self).1).map(Some)
    }
}
