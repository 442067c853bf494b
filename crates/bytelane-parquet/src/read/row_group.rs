//! A row group that is being read: its leaves side by side.

use super::input::Input;
use super::leaf::{Leaf, LeafArray, PageIndex, PageReader};
use super::rows::{Rows, Step};
use super::schema::{LeafPlan, Plan};
use crate::budget::{Budget, MemoryLimit};
use crate::file::{LeafChunk, RowGroups};
use crate::format::{self, OffsetIndex};
use crate::input::bytes_at;
use crate::page::{Opener, PageLevels, decoder_of};
use crate::{Error, Result};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::SchemaRef;
use bytelane::Detected;
use parquet::file::reader::Length;
use parquet::schema::types::ColumnDescPtr;
use rayon::ThreadPool;
use rayon::iter::{IndexedParallelIterator, IntoParallelRefMutIterator, ParallelIterator};
use std::sync::Arc;

/// How the row groups of a file are read.
pub(super) struct Settings {
    pub(super) input: Input,
    pub(super) schema: SchemaRef,
    pub(super) plan: Plan,
    pub(super) batch_size: usize,
    pub(super) backend: Detected,
    pub(super) limit: MemoryLimit,
    /// The most bytes of memory that a row group may take, and batches that wait for those before them.
    pub(super) memory: u64,
    pub(super) ahead: u64,
    /// How deep the columns are nested.
    pub(super) depth: usize,
    /// None for one thread.
    pub(super) pool: Option<ThreadPool>,
}

/// A row group of which rows are left.
pub(super) struct RowGroup {
    /// Chunks of the leaves of the plan.
    chunks: Vec<LeafChunk>,
    /// Number of all its rows.
    row_count: usize,
    rows: Rows,
    /// Rows before these.
    at: usize,
    batch_size: usize,
    leaves: Vec<Leaf>,
    budget: Budget,
}

/// By how much a batch gets smaller that takes too much memory.
const FEWER: usize = 16;

impl RowGroup {
    /// Opens a row group of a file; nothing but its indexes is read.
    pub(super) fn open(
        settings: &Settings,
        row_groups: &RowGroups,
        index: usize,
        rows: Rows,
    ) -> Result<Self> {
        let leaves = settings.plan.leaves.iter();
        let length = settings.input.len();
        let chunks = leaves.map(|leaf| row_groups.chunk(index, leaf.column, length));
        let chunks = chunks.collect::<Result<_>>()?;
        let row_count = usize::try_from(row_groups.rows(index)).unwrap_or(0);
        Self::new(settings, chunks, row_count, rows)
    }

    /// Opens a row group of these chunks, which are those of the leaves of the plan.
    pub(super) fn of_chunks(
        settings: &Settings,
        chunks: Vec<LeafChunk>,
        rows: Rows,
    ) -> Result<Self> {
        let row_count = rows.wanted();
        Self::new(settings, chunks, row_count, rows)
    }

    fn new(
        settings: &Settings,
        chunks: Vec<LeafChunk>,
        row_count: usize,
        rows: Rows,
    ) -> Result<Self> {
        let budget = Budget::new(settings.memory);
        let values = chunks.iter().map(|chunk| chunk.values);
        let values = values.fold(0, u64::saturating_add);
        let limit = settings.limit;
        limit.check_row(row_count as i64, values, settings.input.len())?;
        Ok(Self {
            leaves: open_leaves(settings, &chunks, row_count, rows.has_gaps(), &budget)?,
            chunks,
            row_count,
            rows,
            at: 0,
            batch_size: settings.batch_size,
            budget,
        })
    }

    /// The next rows; none after the last ones, and after an error.
    pub(super) fn next(&mut self, settings: &Settings) -> Option<Result<RecordBatch>> {
        if self.rows.is_empty() {
            return None;
        }
        let batch = self.read_next(settings);
        if batch.is_err() {
            self.rows = Rows::default();
            self.leaves.clear();
        }
        Some(batch)
    }

    /// Returns an error if chunks have more rows than those that were read.
    pub(super) fn check_end(&mut self) -> Result<()> {
        self.leaves.iter_mut().try_for_each(Leaf::check_end)
    }

    /// The next rows; fewer of them where so many take too much memory.
    fn read_next(&mut self, settings: &Settings) -> Result<RecordBatch> {
        loop {
            let (steps, rows) = self.rows.next(self.batch_size);
            let batch = self.read(settings, &steps, rows);
            match batch {
                Err(error) if error.is_of_size() && rows > 1 => {
                    self.rows.put_back(steps);
                    self.batch_size = rows.div_ceil(FEWER);
                    self.reopen(settings)?;
                }
                batch => {
                    self.leaves.iter_mut().for_each(Leaf::release);
                    self.at += steps.iter().map(|it| it.skip + it.read).sum::<usize>();
                    return batch;
                }
            }
        }
    }

    /// Begins again after the rows that have been read.
    fn reopen(&mut self, settings: &Settings) -> Result<()> {
        self.leaves.clear();
        self.leaves = open_leaves(settings, &self.chunks, self.row_count, true, &self.budget)?;
        let at = self.at;
        self.leaves.iter_mut().try_for_each(|leaf| leaf.skip(at))
    }

    fn read(&mut self, settings: &Settings, steps: &[Step], rows: usize) -> Result<RecordBatch> {
        let read = |leaf: &mut Leaf| read_leaf(leaf, steps, rows).map(Some);
        let leaves: Result<Vec<Option<LeafArray>>> = match &settings.pool {
            None => self.leaves.iter_mut().map(read).collect(),
            Some(pool) => pool.install(|| {
                let leaves = self.leaves.par_iter_mut().with_max_len(1);
                let read: Vec<Result<_>> = leaves.map(read).collect();
                // The first error of those that there are.
                read.into_iter().collect()
            }),
        };
        let mut leaves = leaves?;
        let columns = settings.plan.columns.iter().zip(settings.schema.fields());
        let memory = self.budget.reservation();
        let columns = columns.map(|(column, field)| {
            let array = column.assemble(settings.backend, &mut leaves, &memory);
            let array = array.and_then(|array| checked(array, rows));
            array.map_err(|error| error.in_column(field.name()))
        });
        let columns = columns.collect::<Result<Vec<ArrayRef>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let schema = Arc::clone(&settings.schema);
        Ok(RecordBatch::try_new_with_options(
            schema, columns, &options,
        )?)
    }
}

fn read_leaf(leaf: &mut Leaf, steps: &[Step], rows: usize) -> Result<LeafArray> {
    leaf.reserve(rows);
    for step in steps {
        if step.skip > 0 {
            leaf.skip(step.skip)?;
        }
        leaf.read(step.read)?;
    }
    leaf.finish()
}

fn checked(array: ArrayRef, rows: usize) -> Result<ArrayRef> {
    match array.len() == rows {
        true => Ok(array),
        false => Err(Error::corrupt(format!(
            "levels of {} rows instead of {rows}",
            array.len()
        ))),
    }
}

fn open_leaves(
    settings: &Settings,
    chunks: &[LeafChunk],
    rows: usize,
    has_gaps: bool,
    budget: &Budget,
) -> Result<Vec<Leaf>> {
    let leaves = settings.plan.leaves.iter().zip(chunks);
    let leaves = leaves.map(|(plan, chunk)| {
        // Each page is read anyway where there are no gaps.
        let index = if has_gaps {
            page_index(&settings.input, chunk, rows)
        } else {
            None
        };
        let opened = open_leaf(settings, plan, chunk, index, budget);
        opened.map_err(|error| error.in_column(chunk.column.path().string()))
    });
    leaves.collect()
}

fn open_leaf(
    settings: &Settings,
    plan: &LeafPlan,
    chunk: &LeafChunk,
    index: Option<PageIndex>,
    budget: &Budget,
) -> Result<Leaf> {
    let LeafChunk {
        column,
        codec,
        values,
        range,
        ..
    } = chunk;
    let most = settings.limit.of_page(range.end - range.start, *values);
    let opener = Opener::new(*codec, column, most, budget)?;
    let levels = PageLevels::new(settings.backend, plan.levels, budget);
    let decoder = decoder_of(settings.backend, &plan.data_type, column, budget)?;
    let pages = PageReader::new(settings.input.clone(), range.clone(), index);
    let column = ColumnDescPtr::clone(column);
    Ok(Leaf::new(column, pages, opener, levels, decoder, budget))
}

/// The offset index of a chunk, if the file has one that can be true.
fn page_index(input: &Input, chunk: &LeafChunk, rows: usize) -> Option<PageIndex> {
    let bytes = bytes_at(input, chunk.offset_index.clone()?).ok()?;
    let index: OffsetIndex = format::decode(&bytes).ok()?;
    PageIndex::new(index.page_locations, &chunk.range, rows)
}
