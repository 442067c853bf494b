//! Creates a reader from a builder's settings.

use super::super::in_flight::InFlight;
use super::super::input::Input;
use super::super::row_group::{Conditional, Settings, StagePlan, View, stages};
use super::super::rows::{Rows, selected};
use super::super::schema::Plan;
use super::super::threads::Threads;
use super::super::{Reader, Window};
use super::ReaderBuilder;
use super::kept::{Kept, least_bits};
use crate::budget::batch_rows;
use crate::catch_panic::catch_panic;
use crate::parallel::bounded_threads;
use crate::remote::RemoteFile;
use crate::stack::with_stack;
use crate::{Error, Problem, Result};
use arrow_array::RecordBatchReader;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::reader::ChunkReader;
use std::sync::Arc;

/// Maximum size, in bytes, of batches that wait for earlier ones, unless all are kept: a few row groups of
/// a million rows.
const AHEAD: u64 = 512 << 20;

/// Size, in bytes, that pages and decoded values of most columns do not exceed.
const USUAL_PAGE: u64 = 2 << 20;
const USUAL_VALUE: u64 = 32;

/// Size of pages and values, in bytes, that is worth another thread: decoding it takes a quarter of a millisecond or more, and waking two threads
/// 0.1 ms.
const WORTH: u64 = 1 << 20;
const SMALL_VALUE: u64 = 4;

impl<T: ChunkReader + 'static> ReaderBuilder<T> {
    /// Sets the file of a store whose ranges are fetched before they are read. It is needed only for inputs that wrap an
    /// [`InputFile`](crate::InputFile): pass its [`remote`](crate::InputFile::remote).
    #[must_use]
    pub fn with_prefetch(mut self, file: Option<Arc<dyn RemoteFile>>) -> Self {
        self.remote = file;
        self
    }

    /// Creates the reader.
    ///
    /// # Errors
    ///
    /// [`Problem::Option`] for a row group that does not exist, and for a batch size of 0;
    /// [`Problem::Unsupported`] for columns nested more than 255 levels deep;
    /// [`Problem::MemoryLimit`] if all batches are kept and exceed the limit.
    pub fn build(self) -> Result<Reader> {
        with_stack(self.depth(), || self.build_here())
    }

    fn build_here(mut self) -> Result<Reader> {
        if self.batch_size == 0 {
            return Err(Problem::Option("a batch cannot have 0 rows".to_owned()).into());
        }
        let row_groups = self.row_groups()?;
        let depth = self.depth();
        let in_file = self.metadata.parquet_schema();
        let (plan, output, stages) = self.plan()?;
        let leaves = plan.leaves.iter();
        let leaves = leaves.map(|leaf| &in_file.columns()[leaf.column]);
        let limit = self.memory.of_read(self.input.len());
        // Rows without columns take no memory, whatever their number.
        let batch_size = if self.keeps_batches && plan.leaves.is_empty() {
            usize::MAX
        } else {
            batch_rows(self.batch_size, leaves, limit)
        };
        let kept = self.kept(&plan, &row_groups)?;
        let batches = row_groups
            .iter()
            .map(|(_, rows)| rows.wanted().div_ceil(batch_size));
        let batches = batches.fold(0, usize::saturating_add);
        // The columns of each batch are units of work.
        let units = plan.leaves.len().max(1).saturating_mul(batches);
        let units = units.min(self.worth(&plan, &row_groups));
        self.threads = bounded_threads(self.threads, units);
        let width = self
            .width(&plan, &row_groups, batch_size, limit)
            .min(batches.max(1));
        let in_flight = InFlight::new(row_groups, width);
        let window = (!self.conditions.is_empty()).then_some(Window {
            passed: self.offset,
            left: self.limit.unwrap_or(usize::MAX),
        });
        let (memory, ahead) = match width {
            1 => (limit, 0),
            width if self.keeps_batches => (limit / 2 / width as u64, limit / 2),
            width => (limit / 2 / width as u64, AHEAD.min(limit / 2)),
        };
        let settings = Settings {
            input: Input::new(Arc::clone(&self.input))
                .with_prefetch(self.remote.clone(), width)
                .with_headers(self.reads_headers()),
            batch_size,
            least_gap: self.least_gap,
            progress: self.progress.clone(),
            schema: self.with_numbers(&output.schema),
            output,
            stages,
            plan,
            backend: self.backend,
            limit: self.memory,
            memory,
            ahead,
            pool: Threads::new(self.threads, depth)?,
            depth,
        };
        Ok(Reader {
            file: self.file,
            row_groups: self.in_file,
            settings: Arc::new(settings),
            in_flight,
            window,
            kept,
        })
    }

    /// Returns the schema of batches: the file's columns, and row numbers if they are requested.
    fn with_numbers(&self, in_file: &SchemaRef) -> SchemaRef {
        let Some(name) = &self.row_numbers else {
            return Arc::clone(in_file);
        };
        let numbers = Arc::new(Field::new(name, DataType::Int64, false));
        let fields = in_file.fields().iter().cloned().chain([numbers]);
        let metadata = in_file.metadata().clone();
        Arc::new(Schema::new_with_metadata(
            fields.collect::<Vec<_>>(),
            metadata,
        ))
    }

    /// Returns the columns to read, the columns of batches, and the stages in which columns are
    /// read.
    fn plan(&self) -> Result<(Plan, View, Vec<StagePlan>)> {
        let in_file = self.metadata.parquet_schema();
        let mut projection = self.projection.clone();
        let masks = self.conditions.iter().map(|it| &it.projection);
        masks.for_each(|mask| projection.union(mask));
        let plan = Plan::new(in_file, &projection, self.projected(&projection)?.fields())?;
        let view = |mask: &ProjectionMask| View::new(&plan, mask, self.projected(mask)?);
        let output = view(&self.projection)?;
        let conditions = self.ordered_conditions();
        let conditions = conditions.into_iter().map(|condition| {
            let view = view(&condition.projection)?;
            Ok((condition, view))
        });
        let row_group = self.first_row_group();
        // A second reading of a file in a store would be more requests.
        let has_indices = |leaf: usize| {
            let (column, length) = (plan.leaves[leaf].column, self.input.len());
            let chunk = || self.in_file.chunk(row_group, column, length);
            self.reads_headers()
                && row_group < self.in_file.count()
                && chunk().is_ok_and(|it| it.has_indices_only)
        };
        let conditions = conditions.collect::<Result<_>>()?;
        let stages = stages(&plan, conditions, &output, has_indices);
        Ok((plan, output, stages))
    }

    /// Returns the conditions, those first that exclude the most rows per byte of their columns. Their
    /// order is kept if one of them must not see rows that earlier ones exclude.
    fn ordered_conditions(&self) -> Vec<Conditional> {
        let mut conditions = self.conditions.clone();
        if conditions.iter().all(|it| it.condition.is_total()) {
            let rank = |it: &Conditional| self.bytes(it) / (1.0 - it.condition.selectivity());
            conditions.sort_by(|one, other| rank(one).total_cmp(&rank(other)));
        }
        conditions
    }

    /// Returns the number of the first row group to read, which the file may not have.
    fn first_row_group(&self) -> usize {
        let row_group = self.row_groups.as_ref().and_then(|it| it.first());
        row_group.copied().unwrap_or(0)
    }

    /// Returns the uncompressed size of the columns of a condition, in the first row group to read.
    fn bytes(&self, condition: &Conditional) -> f64 {
        let row_group = self.first_row_group();
        if row_group >= self.in_file.count() {
            return 1.0;
        }
        let leaves = 0..self.metadata.parquet_schema().num_columns();
        let leaves = leaves.filter(|leaf| condition.projection.leaf_included(*leaf));
        let sizes = leaves.filter_map(|leaf| self.in_file.uncompressed_size(row_group, leaf).ok());
        1.0 + sizes.map(|size| size as f64).sum::<f64>()
    }

    /// Returns the limit for batches that are kept; an error if they will exceed it.
    fn kept(&self, plan: &Plan, row_groups: &[(usize, Rows)]) -> Result<Option<Kept>> {
        if !self.keeps_batches {
            return Ok(None);
        }
        let kept = Kept::new(self.memory.of_table(self.input.len()));
        if !self.conditions.is_empty() {
            return Ok(Some(kept));
        }
        let rows = row_groups.iter().map(|(_, rows)| rows.wanted() as u64);
        let rows = rows.fold(0, u64::saturating_add);
        // A list may have no slots, whatever the number of rows.
        let flat = plan.leaves.iter();
        let flat = flat.filter(|leaf| leaf.levels.max_repetition == 0);
        let bits = flat.map(|leaf| least_bits(&leaf.data_type)).sum::<u64>();
        kept.check(rows.saturating_mul(bits) / 8)?;
        Ok(Some(kept))
    }

    /// Returns the number of threads that are worth waking, at most those that are wanted.
    fn worth(&self, plan: &Plan, row_groups: &[(usize, Rows)]) -> usize {
        let most = self.threads.get();
        if most == 1 || self.uses_all_threads || self.remote.is_some() {
            return most;
        }
        let enough = WORTH.saturating_mul(most as u64 - 1);
        let mut work = 0u64;
        for (row_group, rows) in row_groups {
            let all = u64::try_from(self.in_file.rows(*row_group)).unwrap_or(0);
            let wanted = rows.wanted() as u64;
            for leaf in &plan.leaves {
                let size = self.in_file.uncompressed_size(*row_group, leaf.column);
                let size = size.map_or(0, |size| u64::try_from(size).unwrap_or(0));
                // A page is decompressed as a whole for few rows, and few bytes may be many values.
                let pages = size
                    .min(USUAL_PAGE)
                    .max((size / all.max(1)).saturating_mul(wanted));
                let values = wanted.saturating_mul(SMALL_VALUE);
                work = work.saturating_add(pages).saturating_add(values);
            }
            if work >= enough {
                return most;
            }
        }
        1 + usize::try_from(work / WORTH).unwrap_or(most)
    }

    /// Returns the number of parts to read concurrently: two per thread, so that a thread can read another part while
    /// batches of one wait, if half of the memory suffices for pages and values of usual size.
    fn width(
        &self,
        plan: &Plan,
        row_groups: &[(usize, Rows)],
        batch_size: usize,
        limit: u64,
    ) -> usize {
        let threads = self.threads.get();
        if threads == 1 {
            return 1;
        }
        let leaves = plan.leaves.iter();
        let bytes = row_groups.iter().map(|(row_group, _)| {
            let bytes = leaves.clone().map(|leaf| {
                let size = self.in_file.uncompressed_size(*row_group, leaf.column);
                size.map_or(0, |size| u64::try_from(size).unwrap_or(0))
            });
            let pages = bytes.map(|bytes| bytes.min(USUAL_PAGE)).sum::<u64>();
            let rows = usize::try_from(self.in_file.rows(*row_group)).unwrap_or(0);
            let values = rows.min(batch_size).saturating_mul(plan.leaves.len()) as u64;
            pages.saturating_add(values.saturating_mul(USUAL_VALUE))
        });
        let each = bytes.max().unwrap_or(0).max(1);
        let most = threads.saturating_mul(2);
        usize::try_from(limit / 2 / each).map_or(most, |width| width.clamp(1, most))
    }

    /// Returns the row groups with selected rows, and those rows.
    fn row_groups(&self) -> Result<Vec<(usize, Rows)>> {
        let count = self.in_file.count();
        let row_groups = self.row_groups.clone();
        let row_groups = row_groups.unwrap_or_else(|| (0..count).collect());
        if let Some(beyond) = row_groups.iter().find(|index| **index >= count) {
            let problem =
                format!("the file has no row group {beyond}; number of row groups: {count}");
            return Err(Problem::Option(problem).into());
        }
        let lengths = row_groups.iter().map(|index| {
            let rows = usize::try_from(self.in_file.rows(*index));
            let negative = || Error::corrupt("a row group with a negative number of rows");
            rows.map_err(|_| negative().in_row_group(*index))
        });
        let lengths: Vec<usize> = lengths.collect::<Result<_>>()?;
        let (offset, limit) = if self.conditions.is_empty() {
            (self.offset, self.limit.unwrap_or(usize::MAX))
        } else {
            (0, usize::MAX)
        };
        let rows = selected(&lengths, self.selection.as_ref(), offset, limit);
        let row_groups = row_groups.into_iter().zip(rows);
        Ok(row_groups.filter(|(_, rows)| !rows.is_empty()).collect())
    }

    /// Returns the schema of the projection, nested types included. The crate `parquet` determines
    /// it.
    fn projected(&self, projection: &ProjectionMask) -> Result<SchemaRef> {
        let nothing = ParquetRecordBatchReaderBuilder::new_with_metadata(
            bytes::Bytes::new(),
            self.metadata.clone(),
        );
        let nothing = nothing
            .with_projection(projection.clone())
            .with_row_groups(Vec::new());
        catch_panic(|| Ok(nothing.build()?.schema()))
    }
}
