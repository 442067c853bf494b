//! A row group that is being read: its leaves side by side.

use super::input::Input;
use super::leaf::{Leaf, LeafArray};
use super::pages::{PageIndex, PageReader};
use super::plan::{LeafPlan, Plan};
use super::rows::{Rows, Step};
use crate::allowance::{Allowance, Budget};
use crate::format::{self, OffsetIndex};
use crate::metadata::chunk_range;
use crate::page::{Opener, PageLevels, decoder_of};
use crate::{Error, Result};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::SchemaRef;
use bytelane::Detected;
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
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
    /// The most bytes of memory that the arrays of a batch may take.
    pub(super) memory: Option<u64>,
    /// How deep the columns are nested.
    pub(super) depth: usize,
    /// None for one thread.
    pub(super) pool: Option<ThreadPool>,
}

/// A row group of which rows are left.
pub(super) struct RowGroup {
    index: usize,
    rows: Rows,
    leaves: Vec<Leaf>,
    budgets: Vec<Budget>,
}

impl RowGroup {
    /// Nothing but its indexes is read.
    pub(super) fn open(
        settings: &Settings,
        index: usize,
        row_group: &RowGroupMetaData,
        rows: Rows,
    ) -> Result<Self> {
        let shared = settings.memory.map(Budget::new);
        let mut budgets = Vec::new();
        let leaves = settings.plan.leaves.iter().map(|plan| {
            let chunk = row_group.column(plan.column);
            let opened = open_leaf(settings, plan, row_group, &rows, shared.as_ref());
            let (leaf, budget) =
                opened.map_err(|error| error.in_column(chunk.column_path().string()))?;
            budgets.push(budget);
            Ok(leaf)
        });
        let leaves: Result<Vec<_>> = leaves.collect();
        Ok(Self {
            index,
            rows,
            leaves: leaves.map_err(|error| error.in_row_group(index))?,
            budgets,
        })
    }

    /// The next rows; none after the last ones, and after an error.
    pub(super) fn next(&mut self, settings: &Settings) -> Option<Result<RecordBatch>> {
        if self.rows.is_empty() {
            return None;
        }
        let batch = self.read(settings);
        if batch.is_err() {
            self.rows = Rows::default();
        }
        Some(batch.map_err(|error| error.in_row_group(self.index)))
    }

    fn read(&mut self, settings: &Settings) -> Result<RecordBatch> {
        self.budgets.iter().for_each(Budget::renew);
        let (steps, rows) = self.rows.next(settings.batch_size);
        let read = |leaf: &mut Leaf| read_leaf(leaf, &steps, rows).map(Some);
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
        let columns = columns.map(|(column, field)| {
            let array = column.assemble(settings.backend, &mut leaves, &self.budgets);
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

fn open_leaf(
    settings: &Settings,
    plan: &LeafPlan,
    row_group: &RowGroupMetaData,
    rows: &Rows,
    shared: Option<&Budget>,
) -> Result<(Leaf, Budget)> {
    let chunk = row_group.column(plan.column);
    let input = &settings.input;
    let range = chunk_range(chunk, input.len())?;
    let allowance = Allowance::of(range.end - range.start);
    let allowance = settings
        .memory
        .map_or(allowance, |it| allowance.at_most(it));
    let budget = shared.map_or_else(|| Budget::of(allowance), Clone::clone);
    let index = match rows.has_gaps() {
        // Each page is read anyway.
        false => None,
        true => page_index(input, chunk, &range, row_group.num_rows()),
    };
    let column = chunk.column_descr_ptr();
    let opener = Opener::new(chunk.compression_codec(), &column, settings.memory)?;
    let levels = PageLevels::new(settings.backend, plan.levels, allowance);
    let decoder = decoder_of(
        settings.backend,
        &plan.data_type,
        &column,
        allowance,
        &budget,
    )?;
    let pages = PageReader::new(input.clone(), range, index);
    let leaf = Leaf::new(column, pages, opener, levels, decoder, budget.clone());
    Ok((leaf, budget))
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
