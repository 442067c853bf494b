//! The row groups that are read at the same time, and their batches in order.

use super::row_group::{RowGroup, Settings};
use super::rows::Rows;
use crate::Result;
use arrow_array::RecordBatch;
use parquet::file::metadata::ParquetMetaData;
use rayon::iter::{IntoParallelRefMutIterator, ParallelIterator};
use std::collections::VecDeque;

/// Row groups in the order of their batches.
#[derive(Default)]
pub(super) struct InFlight {
    /// Those that have not been begun, and their wanted rows.
    waiting: VecDeque<(usize, Rows)>,
    open: VecDeque<Open>,
    /// How many are read at the same time.
    width: usize,
}

/// A row group, and batches that have been read ahead.
struct Open {
    index: usize,
    group: Option<RowGroup>,
    ready: VecDeque<Result<RecordBatch>>,
    /// Bytes of these.
    bytes: u64,
}

impl InFlight {
    /// Row groups, of which so many are read at the same time. The leaves of one would not keep all threads busy:
    /// each batch waits for its slowest leaf.
    pub(super) fn new(row_groups: Vec<(usize, Rows)>, width: usize) -> Self {
        Self {
            width: width.min(row_groups.len()).max(1),
            waiting: row_groups.into(),
            open: VecDeque::new(),
        }
    }

    /// How many row groups are read at the same time.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// The next batch; none after the last one.
    pub(super) fn next(
        &mut self,
        settings: &Settings,
        file: &ParquetMetaData,
    ) -> Option<Result<RecordBatch>> {
        loop {
            while self.open.len() < self.width
                && let Some((index, rows)) = self.waiting.pop_front()
            {
                let group = RowGroup::open(settings, file.row_group(index), rows);
                self.open.push_back(Open::new(index, group));
            }
            let first = self.open.front_mut()?;
            if first.ready.is_empty() {
                self.fill(settings);
            }
            let first = self.open.front_mut()?;
            match first.ready.pop_front() {
                Some(batch) => {
                    first.bytes -= bytes_of(&batch);
                    return Some(batch);
                }
                None => drop(self.open.pop_front()),
            }
        }
    }

    /// Reads batches of all open row groups, at least one of the first.
    fn fill(&mut self, settings: &Settings) {
        let each = settings.ahead / self.open.len().max(1) as u64;
        match (&settings.pool, &mut self.open) {
            (Some(pool), open) if open.len() > 1 => {
                pool.install(|| open.par_iter_mut().for_each(|it| it.fill(settings, each)));
            }
            (_, open) => open.iter_mut().take(1).for_each(|it| it.fill(settings, 0)),
        }
    }
}

impl Open {
    fn new(index: usize, group: Result<RowGroup>) -> Self {
        let mut ready = VecDeque::new();
        let group = group.map_err(|error| ready.push_back(Err(error.in_row_group(index))));
        Self {
            index,
            group: group.ok(),
            ready,
            bytes: 0,
        }
    }

    /// Reads until there are so many bytes, at least one batch.
    fn fill(&mut self, settings: &Settings, bytes: u64) {
        while (self.ready.is_empty() || self.bytes < bytes)
            && let Some(batch) = self.group.as_mut().and_then(|it| it.next(settings))
        {
            let batch = batch.map_err(|error| error.in_row_group(self.index));
            self.bytes += bytes_of(&batch);
            self.ready.push_back(batch);
        }
    }
}

fn bytes_of(batch: &Result<RecordBatch>) -> u64 {
    let bytes = batch.as_ref().map(RecordBatch::get_array_memory_size);
    bytes.unwrap_or(0) as u64
}
