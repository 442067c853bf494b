//! Reads a row group in stages: the columns of a predicate first, then other columns for the rows
//! that pass it.

mod chunk;
mod conditions;
mod partial;
mod stage;
mod wanted;

pub(crate) use chunk::{IndexedPages, indexed_pages};
pub(super) use conditions::View;
pub(crate) use conditions::{Condition, Conditional};
pub(super) use stage::{StagePlan, stages};

use super::rows::{Rows, Step};
use crate::Result;
use crate::budget::Budget;
use crate::file::{LeafChunk, RowGroups};
use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use parquet::file::reader::Length;
use partial::Partial;
pub(crate) use stage::Settings;
use stage::Stage;
use std::ops::Range;
use std::sync::Arc;
use wanted::{Wanted, within};

/// Row group, or a part of one, with rows left to read.
pub(super) struct RowGroup {
    /// Chunks of the leaves of the plan.
    chunks: Arc<[LeafChunk]>,
    /// Total number of rows of the row group.
    row_count: usize,
    rows: Rows,
    /// Number of rows read or skipped so far.
    at: usize,
    /// Number of its first row in the file, if batches have row numbers.
    first_row: Option<i64>,
    batch_size: usize,
    /// Set if pages before or between the rows are skipped by their numbers of rows, which indexes or headers tell.
    has_gaps: bool,
    stages: Vec<Stage>,
    /// Set until the last rows have been read.
    is_open: bool,
    /// Batch that waits for missing bytes.
    pending: Option<Work>,
    /// Set if each batch is read by all threads of the pool, column by column.
    pub(super) is_shared: bool,
    budget: Budget,
}

/// Batch that is being read.
struct Work {
    steps: Vec<Step>,
    rows: usize,
    partial: Partial,
    /// Number of stages that have been read.
    stages: usize,
}

/// Factor by which a batch shrinks if it exceeds the memory limit.
const FEWER: usize = 16;

/// Number of parts of a row group that are worth reading its dictionaries again for each.
const MOST_PARTS: usize = 16;

impl RowGroup {
    /// Opens a row group of a file. Reads only what prunes rows.
    pub(super) fn open(
        settings: &Settings,
        row_groups: &RowGroups,
        index: usize,
        mut rows: Rows,
    ) -> Result<Self> {
        let wanted = rows.wanted();
        for stage in &settings.stages {
            if let Some((condition, _)) = &stage.condition
                && !rows.is_empty()
                && let file = row_groups.metadata()
                && let Some(row_group) = file.row_groups().get(index)
            {
                let (input, file) = (&settings.input, file.file_metadata());
                rows.retain(&condition.candidates(input, file, row_group)?);
            }
        }
        let excluded = wanted - rows.wanted();
        // More data that prunes rows may be missing.
        if !settings.input.lacks_bytes() {
            settings.input.counters().rows_excluded.add(excluded);
            settings.report(excluded);
        }
        if rows.is_empty() {
            return Self::new(settings, Vec::new(), 0, rows);
        }
        let leaves = settings.plan.leaves.iter();
        let length = settings.input.len();
        let chunks = leaves.map(|leaf| row_groups.chunk(index, leaf.column, length));
        let chunks = chunks.collect::<Result<_>>()?;
        let row_count = usize::try_from(row_groups.rows(index)).unwrap_or(0);
        let has_numbers = settings.schema.fields().len() > settings.output.columns.len();
        let before = || (0..index).map(|before| row_groups.rows(before));
        Ok(Self {
            first_row: has_numbers.then(|| before().sum()),
            ..Self::new(settings, chunks, row_count, rows)?
        })
    }

    /// Opens a row group from the chunks of the plan's leaves.
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
        let values = chunks.iter().map(|chunk| chunk.values);
        let values = values.fold(0, u64::saturating_add);
        let limit = settings.limit;
        limit.check_row(row_count as i64, values, settings.input.len())?;
        let has_gaps = rows.has_gaps();
        Ok(Self {
            has_gaps,
            stages: Stage::all(settings, has_gaps),
            chunks: chunks.into(),
            row_count,
            rows,
            at: 0,
            first_row: None,
            batch_size: settings.batch_size,
            is_open: row_count > 0,
            pending: None,
            is_shared: true,
            budget: Budget::new(settings.memory),
        })
    }

    /// Keeps the first of up to `count` parts of the rows that have not been read, and returns the others. Each ends with a
    /// batch, and reads the dictionaries, and the headers of the pages before it, again. Returns none if that is not worth it, or if
    /// a part would have more than `most` batches.
    pub(super) fn split(&mut self, settings: &Settings, count: usize, most: usize) -> Vec<Self> {
        let batches = self.rows.wanted().div_ceil(self.batch_size);
        let least = self.row_count / MOST_PARTS / self.batch_size;
        let each = batches.div_ceil(count).max(least);
        let mut parts = Vec::new();
        if each >= batches || each > most || !self.can_split(settings) {
            return parts;
        }
        let rows = each * self.batch_size;
        let mut rest = self.rows.split_off(rows, self.at);
        while !rest.is_empty() {
            let next = rest.split_off(rows, 0);
            parts.push(self.part(settings, rest));
            rest = next;
        }
        parts
    }

    /// Returns whether parts can skip the pages before them: those of lists need an index, and in files on stores each
    /// header would be a request.
    fn can_split(&self, settings: &Settings) -> bool {
        let can_skip = |it: &LeafChunk| !is_list(it) || it.offset_index.is_some();
        settings.input.headers().is_some() && self.chunks.iter().all(can_skip)
    }

    fn part(&self, settings: &Settings, rows: Rows) -> Self {
        // The headers of other pages always tell how many rows they have.
        let has_gaps = self.has_gaps || self.chunks.iter().any(is_list);
        Self {
            chunks: Arc::clone(&self.chunks),
            row_count: self.row_count,
            rows,
            at: 0,
            first_row: self.first_row,
            batch_size: self.batch_size,
            has_gaps,
            stages: Stage::all(settings, has_gaps),
            is_open: true,
            pending: None,
            is_shared: false,
            budget: Budget::new(settings.memory),
        }
    }

    /// Returns the next rows for which all predicates are true; `None` after the last ones, and
    /// after an error.
    pub(super) fn next(&mut self, settings: &Settings) -> Option<Result<RecordBatch>> {
        while !self.rows.is_empty() || self.pending.is_some() {
            let batch = self.read_next(settings);
            match &batch {
                Ok(batch) if batch.num_rows() == 0 => continue,
                Ok(_) => {}
                Err(_) if settings.input.lacks_bytes() => {}
                Err(_) => {
                    self.rows = Rows::default();
                    self.is_open = false;
                    self.stages.clear();
                }
            }
            return Some(batch);
        }
        // In files on stores, the header of a next page would be a request.
        let is_at_end = self.at == self.row_count && settings.input.headers().is_some();
        if std::mem::replace(&mut self.is_open, false) && is_at_end {
            let mut stages = self.stages.iter_mut();
            let checked = stages.try_for_each(|stage| stage.check_rows(self.row_count));
            return checked.err().map(Err);
        }
        None
    }

    /// Returns an error if chunks have more rows than those that were read.
    pub(super) fn check_end(&mut self, settings: &Settings) -> Result<()> {
        let Self {
            stages,
            chunks,
            row_count,
            budget,
            ..
        } = self;
        let mut stages = stages.iter_mut().zip(&settings.stages);
        stages.try_for_each(|(stage, plan)| {
            stage.open(settings, plan, chunks, *row_count, budget)?;
            stage.check_end()
        })
    }

    /// Returns the ranges of the file that may still be needed.
    pub(super) fn ranges_left(&self) -> Vec<Range<u64>> {
        let stages = self.stages.iter();
        let open = stages.clone().flat_map(Stage::ranges_left);
        let indexes = self
            .chunks
            .iter()
            .filter_map(|chunk| chunk.offset_index.clone());
        if stages.clone().all(Stage::is_open) {
            open.collect()
        } else {
            self.chunks
                .iter()
                .map(|chunk| chunk.range.clone())
                .chain(indexes)
                .collect()
        }
    }

    /// Returns the next rows; fewer of them if they exceed the memory limit.
    fn read_next(&mut self, settings: &Settings) -> Result<RecordBatch> {
        loop {
            let mut work = self.pending.take().unwrap_or_else(|| {
                let (steps, rows) = self.rows.next(self.batch_size);
                let partial = Partial::new(settings.backend, settings.plan.columns.len(), rows);
                let stages = 0;
                Work {
                    steps,
                    rows,
                    partial,
                    stages,
                }
            });
            let (rows, before) = (work.rows, work.stages);
            match self.read(settings, &mut work) {
                Err(error) if settings.input.lacks_bytes() => {
                    // Bytes can only be missing within a page if the index is wrong.
                    if work.stages == before && self.stages[before].is_moved {
                        self.begin_again(settings, work.steps);
                    } else {
                        self.pending = Some(work);
                    }
                    return Err(error);
                }
                Err(error) if error.is_of_size() && rows > 1 => {
                    self.batch_size = rows.div_ceil(FEWER);
                    self.begin_again(settings, work.steps);
                }
                batch => {
                    self.stages.iter_mut().for_each(Stage::release);
                    self.at += work.steps.iter().map(|it| it.skip + it.read).sum::<usize>();
                    return batch;
                }
            }
        }
    }

    /// Restarts the row group after the rows that have been returned.
    fn begin_again(&mut self, settings: &Settings, steps: Vec<Step>) {
        self.rows.put_back(steps);
        self.has_gaps = true;
        self.stages = Stage::all(settings, true);
    }

    fn read(&mut self, settings: &Settings, work: &mut Work) -> Result<RecordBatch> {
        let places = places(self.at, &work.steps);
        let after = places.last().map_or(self.at, |last| last.end);
        let memory = self.budget.reservation();
        for number in work.stages..self.stages.len() {
            let cover = work.partial.cover();
            if cover.is_empty() {
                break;
            }
            let (stage, plan) = (&mut self.stages[number], &settings.stages[number]);
            // The rows that are left after a predicate may be dropped by another one.
            let left = match plan.condition {
                None => work.partial.mask(),
                Some(_) => None,
            };
            let wanted = Wanted::new(&places, &cover, left);
            stage.is_moved = false;
            let input = &settings.input;
            input.prepare(|| stage.indexes(plan, &self.chunks), |_| Vec::new())?;
            stage.open(settings, plan, &self.chunks, self.row_count, &self.budget)?;
            let ahead = |most| match number {
                0 => stage.ranges_ahead(&self.rows.places(after), most),
                _ => Vec::new(),
            };
            input.prepare(|| stage.ranges(&wanted), ahead)?;
            stage.is_moved = true;
            let pool = settings.pool.as_deref().filter(|_| self.is_shared);
            let arrays = stage.read(settings, plan, &wanted, pool, &memory)?;
            match (&arrays[..], &plan.condition) {
                ([(results, _)], _) if stage.is_tested => {
                    work.partial
                        .narrow_by(&cover, results.as_boolean().values());
                }
                (_, condition) => {
                    work.partial.put(&plan.columns, arrays, cover);
                    if let Some((condition, view)) = condition {
                        work.partial.narrow(condition.as_ref(), view)?;
                    }
                }
            }
            work.stages = number + 1;
        }
        let batch = work.partial.take(&settings.output)?;
        let dropped = work.rows - batch.num_rows();
        settings.input.counters().rows_dropped.add(dropped);
        settings.report(work.rows);
        let Some(first) = self.first_row.filter(|_| batch.num_rows() > 0) else {
            return Ok(batch);
        };
        let numbers = within(&places, &work.partial.left());
        let numbers = numbers.into_iter().flat_map(|part| part.rows);
        let numbers = numbers.map(|row| first + row as i64);
        let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(numbers));
        let columns = [batch.columns(), &[numbers]].concat();
        Ok(RecordBatch::try_new(settings.schema.clone(), columns)?)
    }
}

fn is_list(chunk: &LeafChunk) -> bool {
    chunk.column.max_rep_level() > 0
}

/// Returns the row ranges of steps that begin after `at` rows.
fn places(mut at: usize, steps: &[Step]) -> Vec<Range<usize>> {
    let places = steps.iter().map(|step| {
        let start = at + step.skip;
        at = start + step.read;
        start..at
    });
    places.collect()
}
