//! Reads several row groups concurrently and returns their batches in order.

use super::row_group::{RowGroup, Settings};
use super::rows::Rows;
use crate::Result;
use crate::file::RowGroups;
use arrow_array::RecordBatch;
use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Row groups in the order of their batches.
#[derive(Default)]
pub(super) struct InFlight {
    /// Row groups that have not been started, and their selected rows.
    waiting: Waiting,
    open: VecDeque<Arc<Open>>,
    /// Number of row groups read concurrently.
    width: usize,
    /// Set when their batches are no longer needed.
    is_over: Arc<AtomicBool>,
}

/// Row groups and their selected rows.
pub(super) type Waiting = VecDeque<(usize, Rows)>;

/// Row group that a thread of the pool reads ahead while there is room.
struct Open {
    index: usize,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// `None` while a thread reads, and after the last batch.
    group: Option<RowGroup>,
    is_read: bool,
    ready: VecDeque<Result<RecordBatch>>,
    /// Size of the batches that are ready, in bytes.
    bytes: u64,
    /// Panic of the thread, if any.
    panic: Option<Box<dyn Any + Send>>,
}

impl InFlight {
    /// Returns row groups, `width` of which are read concurrently, each by one thread: a thread that waits
    /// for the slowest column of a batch would begin another row group, and the batch would have to wait for
    /// all of it. Threads share the columns of the last row groups, so that none is idle at the end.
    pub(super) fn new(row_groups: Vec<(usize, Rows)>, width: usize) -> Self {
        Self {
            width: width.min(row_groups.len()).max(1),
            waiting: row_groups.into(),
            open: VecDeque::new(),
            is_over: Arc::default(),
        }
    }

    /// Takes the row groups that have not been started.
    pub(super) fn take_waiting(&mut self) -> Waiting {
        std::mem::take(&mut self.waiting)
    }

    /// Returns the number of row groups read concurrently.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Returns the next batch; `None` after the last one.
    pub(super) fn next(
        &mut self,
        settings: &Arc<Settings>,
        row_groups: &RowGroups,
    ) -> Option<Result<RecordBatch>> {
        loop {
            while self.open.len() < self.width
                && let Some((index, rows)) = self.waiting.pop_front()
            {
                let mut group = RowGroup::open(settings, row_groups, index, rows);
                if let Ok(group) = &mut group {
                    group.is_shared = self.waiting.len() < self.width;
                }
                let open = Open::new(index, group);
                self.open.push_back(Arc::new(open));
                if let Some(last) = self.open.back()
                    && self.width > 1
                {
                    self.read_ahead(last, settings);
                }
            }
            let first = self.open.front()?;
            let mut state = first.lock();
            if let Some(batch) = state.ready.pop_front() {
                state.bytes -= bytes_of(&batch);
                drop(state);
                if self.width > 1 {
                    self.read_ahead(first, settings);
                }
                return Some(batch);
            }
            if let Some(panic) = state.panic.take() {
                drop(state);
                resume_unwind(panic);
            }
            if state.is_read {
                drop(first.changed.wait(state));
            } else if let Some(mut group) = state.group.take() {
                let batch = first.read(&mut group, settings);
                state.group = batch.is_some().then_some(group);
                state.add(batch);
            } else {
                drop(state);
                self.open.pop_front();
            }
        }
    }

    /// Starts a task in the pool that reads the row group ahead, unless one is running or enough
    /// batches are ready.
    fn read_ahead(&self, open: &Arc<Open>, settings: &Arc<Settings>) {
        let Some(pool) = &settings.pool else {
            return;
        };
        let most = settings.ahead / self.width as u64;
        let mut state = open.lock();
        if !state.has_room(most) {
            return;
        }
        let Some(mut group) = state.group.take() else {
            return;
        };
        state.is_read = true;
        let (open, is_over) = (Arc::clone(open), Arc::clone(&self.is_over));
        let settings = Arc::clone(settings);
        pool.spawn(move || {
            loop {
                let next = AssertUnwindSafe(|| open.read(&mut group, &settings));
                let next = if is_over.load(Ordering::Relaxed) {
                    Ok(None)
                } else {
                    catch_unwind(next)
                };
                let mut state = open.lock();
                open.changed.notify_all();
                let is_last = !matches!(next, Ok(Some(_)));
                match next {
                    Ok(batch) => state.add(batch),
                    Err(panic) => state.panic = Some(panic),
                }
                if is_last || !state.has_room(most) {
                    state.group = (!is_last).then_some(group);
                    state.is_read = false;
                    return;
                }
            }
        });
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

impl Open {
    fn new(index: usize, group: Result<RowGroup>) -> Self {
        let mut ready = VecDeque::new();
        let group = group.map_err(|error| ready.push_back(Err(error.in_row_group(index))));
        Self {
            index,
            state: Mutex::new(State {
                group: group.ok(),
                is_read: false,
                ready,
                bytes: 0,
                panic: None,
            }),
            changed: Condvar::new(),
        }
    }

    /// Reads the next batch of the group.
    fn read(&self, group: &mut RowGroup, settings: &Settings) -> Option<Result<RecordBatch>> {
        let batch = group.next(settings)?;
        Some(batch.map_err(|error| error.in_row_group(self.index)))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Returns whether less than this many bytes, or no batch, is ready.
    fn has_room(&self, bytes: u64) -> bool {
        self.ready.is_empty() || self.bytes < bytes
    }

    fn add(&mut self, batch: Option<Result<RecordBatch>>) {
        if let Some(batch) = batch {
            self.bytes += bytes_of(&batch);
            self.ready.push_back(batch);
        }
    }
}

fn bytes_of(batch: &Result<RecordBatch>) -> u64 {
    // Batches without columns take memory, too.
    let bytes = |batch: &RecordBatch| size_of::<RecordBatch>() + batch.get_array_memory_size();
    batch.as_ref().map_or(0, bytes) as u64
}
