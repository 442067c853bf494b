//! A row group that is being read: its leaves side by side.

use super::input::Input;
use super::leaf::{Leaf, LeafArray};
use super::pages::{PageIndex, PageReader};
use super::plan::{LeafPlan, Plan};
use super::rows::{Rows, Step};
use crate::budget::{Budget, MemoryLimit};
use crate::format::{self, OffsetIndex};
use crate::metadata::chunk_range;
use crate::page::{Opener, PageLevels, decoder_of};
use crate::{Error, Result};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::SchemaRef;
use bytelane::Detected;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::{ChunkReader, Length};
use rayon::ThreadPool;
use rayon::iter::{IndexedParallelIterator, IntoParallelRefMutIterator, ParallelIterator};
use std::ops::Range;
use std::sync::Arc;

/// How the row groups of a file are read.
pub(super) struct Settings {
    pub(super) input: Input,
    pub(super) schema: SchemaRef,
    pub(super) plan: Plan,
    pub(super) batch_size: usize,
    pub(super) backend: Detected,
    pub(super) metadata: Arc<ParquetMetaData>,
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
    index: usize,
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
    /// Nothing but its indexes is read.
    pub(super) fn open(settings: &Settings, index: usize, rows: Rows) -> Result<Self> {
        let budget = Budget::new(settings.memory);
        let row_group = settings.metadata.row_group(index);
        let chunks = settings.plan.leaves.iter();
        let chunks = chunks.map(|leaf| row_group.column(leaf.column).num_values());
        let values = chunks.map(|values| u64::try_from(values).unwrap_or(0));
        let values = values.fold(0, u64::saturating_add);
        let fits = settings
            .limit
            .check_row(row_group.num_rows(), values, settings.input.len());
        let leaves = fits.and_then(|()| open_leaves(settings, index, rows.has_gaps(), &budget));
        Ok(Self {
            index,
            rows,
            at: 0,
            batch_size: settings.batch_size,
            leaves: leaves.map_err(|error| error.in_row_group(index))?,
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
        }
        Some(batch.map_err(|error| error.in_row_group(self.index)))
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
        self.leaves = open_leaves(settings, self.index, true, &self.budget)?;
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
    index: usize,
    has_gaps: bool,
    budget: &Budget,
) -> Result<Vec<Leaf>> {
    let row_group = settings.metadata.row_group(index);
    let leaves = settings.plan.leaves.iter().map(|plan| {
        let path = row_group.column(plan.column).column_path();
        let opened = open_leaf(settings, plan, row_group, has_gaps, budget);
        opened.map_err(|error| error.in_column(path.string()))
    });
    leaves.collect()
}

fn open_leaf(
    settings: &Settings,
    plan: &LeafPlan,
    row_group: &RowGroupMetaData,
    has_gaps: bool,
    budget: &Budget,
) -> Result<Leaf> {
    let chunk = row_group.column(plan.column);
    let input = &settings.input;
    let range = chunk_range(chunk, input.len())?;
    let values = u64::try_from(chunk.num_values()).unwrap_or(0);
    let most = settings.limit.of_page(range.end - range.start, values);
    let index = match has_gaps {
        // Each page is read anyway.
        false => None,
        true => page_index(input, chunk, &range, row_group.num_rows()),
    };
    let column = chunk.column_descr_ptr();
    let opener = Opener::new(chunk.compression_codec(), &column, most, budget)?;
    let levels = PageLevels::new(settings.backend, plan.levels, budget);
    let decoder = decoder_of(settings.backend, &plan.data_type, &column, budget)?;
    let pages = PageReader::new(input.clone(), range, index);
    Ok(Leaf::new(column, pages, opener, levels, decoder, budget))
}

/// The offset index of a chunk, if the file has one that can be true.
fn page_index(
    input: &Input,
    chunk: &ColumnChunkMetaData,
    range: &Range<u64>,
    rows: i64,
) -> Option<PageIndex> {
    let start = u64::try_from(chunk.offset_index_offset()?).ok()?;
    let length = u64::try_from(chunk.offset_index_length()?).ok()?;
    let end = start.checked_add(length)?;
    if end > input.len() {
        return None;
    }
    let bytes = input.get_bytes(start, usize::try_from(length).ok()?).ok()?;
    let index: OffsetIndex = format::decode(&bytes).ok()?;
    PageIndex::new(index.page_locations, range, usize::try_from(rows).ok()?)
}
