//! Encodes the pages of a chunk on several threads.

use super::super::layout::PageSizes;
use super::super::leaf::{LeafPath, Unit};
use super::super::rows::Rows;
use super::LeafEncoder;
use super::pages::PagePart;
use super::pages::Pages;
use crate::page::{PageEncoder, Pieces, SymbolEncoder, ValueEncoding};
use crate::{Problem, Result, WriterOptions};
use arrow_array::ArrayRef;
use parquet::schema::types::ColumnDescPtr;
use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Minimum number of bytes of values for which it pays to share a chunk.
const LEAST: usize = 4 << 20;

/// Chunk whose pages any thread may encode. The thread that owns the chunk collects them in order.
pub struct SharedChunk {
    pub(super) column: ColumnDescPtr,
    pub(super) path: LeafPath,
    pub(super) options: Arc<WriterOptions>,
    pub(super) encoding: ValueEncoding,
    pub(super) unit: Unit,
    pub(super) sizes: PageSizes,
    symbols: Option<Arc<SymbolEncoder>>,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    rows: Rows,
    /// Number of pages that were begun.
    begun: usize,
    /// Pages that are encoded and wait for those before them.
    encoded: BTreeMap<usize, Result<PagePart>>,
}

/// Page that is being encoded. If the thread panics, the page fails.
struct Begun<'a> {
    chunk: &'a SharedChunk,
    number: usize,
    result: Option<Result<PagePart>>,
}

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        let result = self.result.take().unwrap_or_else(|| {
            let problem = "the thread that encoded a page stopped";
            Err(Problem::Unsupported(problem.to_owned()).into())
        });
        let mut state = self.chunk.lock();
        state.encoded.insert(self.number, result);
        self.chunk.changed.notify_all();
    }
}

impl SharedChunk {
    /// Shares the rows of a chunk.
    pub(super) fn new(
        encoder: &LeafEncoder<'_>,
        rows: Rows,
        encoding: ValueEncoding,
        unit: Unit,
        sizes: PageSizes,
    ) -> Self {
        Self {
            column: ColumnDescPtr::clone(encoder.column),
            path: encoder.path.clone(),
            options: Arc::clone(encoder.options),
            encoding,
            unit,
            sizes,
            symbols: encoder.symbols.clone(),
            state: Mutex::new(State {
                rows,
                begun: 0,
                encoded: BTreeMap::new(),
            }),
            changed: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> Option<(Vec<ArrayRef>, Begun<'_>)> {
        let mut state = self.lock();
        let rows = state.rows.take_page(&self.path, self.unit, self.sizes)?;
        let number = state.begun;
        state.begun += 1;
        let result = None;
        let begun = Begun {
            chunk: self,
            number,
            result,
        };
        Some((rows, begun))
    }

    /// Encodes a page. Returns false if no rows are left.
    fn encode_one(&self, pages: &mut PageEncoder, scratch: &mut Vec<u8>) -> bool {
        let Some((rows, mut begun)) = self.take() else {
            return false;
        };
        let mut encoder = LeafEncoder::new(&self.column, &self.path, &self.options, pages, scratch);
        encoder.symbols.clone_from(&self.symbols);
        let mut bytes = Pieces::default();
        let part = encoder.page(rows, self.encoding, &mut bytes, |_| {});
        begun.result = Some(part.map(|part| PagePart { bytes, ..part }));
        true
    }

    /// Returns the column of the chunk.
    pub(crate) fn column(&self) -> &ColumnDescPtr {
        &self.column
    }

    /// Encodes pages until no rows are left.
    pub(crate) fn help(&self, pages: &mut PageEncoder, scratch: &mut Vec<u8>) {
        while self.encode_one(pages, scratch) {}
    }

    /// Encodes pages until no rows are left, and collects those that other threads encoded.
    pub(super) fn collect(
        &self,
        to: &mut Pages<'_>,
        pages: &mut PageEncoder,
        scratch: &mut Vec<u8>,
    ) -> Result<()> {
        for next in 0.. {
            let part = loop {
                if let Some(part) = self.lock().encoded.remove(&next) {
                    break Some(part);
                }
                if self.encode_one(pages, scratch) {
                    continue;
                }
                let mut state = self.lock();
                if let Some(part) = state.encoded.remove(&next) {
                    break Some(part);
                }
                if next == state.begun {
                    break None;
                }
                drop(self.changed.wait(state));
            };
            match part {
                Some(part) => to.append_part(part?),
                None => return Ok(()),
            }
        }
        Ok(())
    }

    fn has_rows(&self) -> bool {
        !self.lock().rows.is_empty()
    }
}

/// Threads that have no column of their own any more and help with the pages of other columns.
pub struct Helpers {
    state: Mutex<Helped>,
    changed: Condvar,
}

struct Helped {
    /// Number of columns that are not encoded yet.
    columns: usize,
    chunks: Vec<Arc<SharedChunk>>,
}

/// Column that is being encoded.
pub(crate) struct Unfinished<'a>(&'a Helpers);

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        self.0.lock().columns -= 1;
        self.0.changed.notify_all();
    }
}

impl Helpers {
    /// Creates helpers for a number of columns.
    pub(crate) fn new(columns: usize) -> Self {
        Self {
            state: Mutex::new(Helped {
                columns,
                chunks: Vec::new(),
            }),
            changed: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Helped> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a guard to keep while one of the columns is encoded.
    pub(crate) fn column(&self) -> Unfinished<'_> {
        Unfinished(self)
    }

    /// Waits for a chunk with pages to encode. Returns `None` once all columns are encoded.
    pub(crate) fn next(&self) -> Option<Arc<SharedChunk>> {
        let mut state = self.lock();
        loop {
            state.chunks.retain(|chunk| chunk.has_rows());
            if let Some(chunk) = state.chunks.first() {
                return Some(Arc::clone(chunk));
            }
            if state.columns == 0 {
                return None;
            }
            let woken = self.changed.wait(state);
            state = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Returns whether it pays to share these rows.
    pub(super) fn want(rows: &Rows) -> bool {
        rows.bytes() >= LEAST
    }

    /// Offers a chunk to threads that are free, now or later.
    pub(super) fn offer(&self, chunk: &Arc<SharedChunk>) {
        self.lock().chunks.push(Arc::clone(chunk));
        self.changed.notify_all();
    }
}
