//! Reads several parts of a file concurrently and returns their batches in order.

use super::row_group::{RowGroup, Settings};
use super::rows::Rows;
use crate::Result;
use crate::file::RowGroups;
use arrow_array::RecordBatch;
use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Number of parts whose batches may fill the room for batches that wait. If the caller drops each batch, larger parts are no faster than
/// sharing columns (both 0.21 s for lineitem as one row group), but 800 instead of 140 MB wait.
const PARTS_AHEAD: u64 = 8;

/// Parts of row groups in the order of their batches. Each is read by one thread: a thread that waits for the slowest
/// column of a batch would begin another part, and the batch would have to wait for all of it.
///
/// A part is a row group at first. A thread that finds no other part takes half of the rows that another one still has
/// to read, unless many batches would have to wait then. Only where these cannot be split, threads share the columns of a batch.
#[derive(Default)]
pub(super) struct InFlight {
    queue: Arc<Queue>,
}

/// Row groups and their selected rows.
pub(super) type Waiting = VecDeque<(usize, Rows)>;

#[derive(Default)]
struct Queue {
    state: Mutex<State>,
    changed: Condvar,
    /// Maximum number of parts that are open at a time.
    width: usize,
}

#[derive(Default)]
struct State {
    /// Row groups that have not been started, and their selected rows.
    waiting: Waiting,
    parts: VecDeque<Part>,
    /// Number of parts so far.
    count: usize,
    /// Number of parts that threads of the pool read.
    running: usize,
    /// Size of the batches that are ready, in bytes.
    bytes: u64,
    /// Set when their batches are no longer needed.
    is_over: bool,
}

/// Rows of a row group, which a thread of the pool reads ahead while there is room.
struct Part {
    number: usize,
    row_group: usize,
    work: Work,
    ready: VecDeque<Result<RecordBatch>>,
}

/// Rest of a part.
enum Work {
    Closed(Rows),
    Open(Box<RowGroup>),
    /// A thread is reading.
    Taken,
    Panic(Box<dyn Any + Send>),
    Done,
}

impl InFlight {
    /// Returns row groups, of which up to `width` parts are open at a time.
    pub(super) fn new(row_groups: Vec<(usize, Rows)>, width: usize) -> Self {
        let state = State {
            waiting: row_groups.into(),
            ..State::default()
        };
        let queue = Queue {
            state: Mutex::new(state),
            changed: Condvar::new(),
            width,
        };
        let queue = Arc::new(queue);
        Self { queue }
    }

    /// Takes the row groups that have not been started.
    pub(super) fn take_waiting(&mut self) -> Waiting {
        std::mem::take(&mut self.queue.lock().waiting)
    }

    /// Returns the next batch; `None` after the last one.
    pub(super) fn next(
        &mut self,
        settings: &Arc<Settings>,
        row_groups: &RowGroups,
    ) -> Option<Result<RecordBatch>> {
        let queue = &self.queue;
        let mut state = queue.lock();
        loop {
            queue.start_all(&mut state, settings, row_groups);
            if state.parts.is_empty() {
                state.begin_next()?;
            }
            let State { parts, bytes, .. } = &mut *state;
            let first = parts.front_mut()?;
            if let Some(batch) = first.ready.pop_front() {
                *bytes -= bytes_of(&batch);
                queue.start_all(&mut state, settings, row_groups);
                return Some(batch);
            }
            let (number, row_group) = (first.number, first.row_group);
            match std::mem::replace(&mut first.work, Work::Done) {
                Work::Taken => {
                    first.work = Work::Taken;
                    let woken = queue.changed.wait(state);
                    state = woken.unwrap_or_else(PoisonError::into_inner);
                }
                Work::Done => drop(parts.pop_front()),
                Work::Panic(panic) => {
                    drop(state);
                    resume_unwind(panic)
                }
                work => {
                    first.work = Work::Taken;
                    drop(state);
                    let (work, batch) = work.step(row_group, settings, row_groups);
                    state = queue.lock();
                    state.add(number, batch);
                    state.put_back(number, work);
                }
            }
        }
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.queue.lock().is_over = true;
    }
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts tasks in the pool that read parts ahead, until all threads are busy.
    fn start_all(
        self: &Arc<Self>,
        state: &mut State,
        settings: &Arc<Settings>,
        row_groups: &RowGroups,
    ) {
        // A part that is alone may take all of the memory.
        let Some(pool) = settings.pool.as_ref().filter(|_| self.width > 1) else {
            return;
        };
        while state.running < pool.current_num_threads()
            && let Some(part) = state.next_part(self.width, settings.ahead)
        {
            let (number, row_group) = (part.number, part.row_group);
            let work = std::mem::replace(&mut part.work, Work::Taken);
            state.running += 1;
            let queue = Arc::clone(self);
            let (settings, row_groups) = (Arc::clone(settings), row_groups.clone());
            pool.spawn(move || queue.read(number, row_group, work, &settings, &row_groups));
        }
    }

    /// Reads a part until it ends, or enough batches are ready.
    fn read(
        self: &Arc<Self>,
        number: usize,
        row_group: usize,
        mut work: Work,
        settings: &Arc<Settings>,
        row_groups: &RowGroups,
    ) {
        loop {
            let (next, batch) = work.step(row_group, settings, row_groups);
            work = next;
            let bytes = batch.as_ref().map_or(0, bytes_of);
            let mut state = self.lock();
            state.add(number, batch);
            self.changed.notify_one();
            if state.is_over {
                return;
            }
            if !matches!(work, Work::Open(_)) || !state.has_room(number, settings.ahead) {
                state.running -= 1;
                state.put_back(number, work);
                self.start_all(&mut state, settings, row_groups);
                return;
            }
            if let Work::Open(group) = &mut work {
                let idle = state.idle(self.width, settings);
                let most = match (settings.ahead / PARTS_AHEAD).checked_div(bytes) {
                    Some(batches) => batches as usize,
                    // Conditions may leave few rows. Without any, the first batch will tell the size of the others.
                    None if settings.stages.len() > 1 => usize::MAX,
                    None => 0,
                };
                let parts = group.split(settings, 1 + idle, most);
                group.is_shared = idle > 0 && parts.is_empty();
                state.insert_after(number, row_group, parts);
                self.start_all(&mut state, settings, row_groups);
            }
        }
    }
}

impl State {
    /// Appends the next row group to the parts; `None` after the last one.
    fn begin_next(&mut self) -> Option<&mut Part> {
        let (row_group, rows) = self.waiting.pop_front()?;
        let end = self.parts.len();
        self.insert(end, row_group, Work::Closed(rows));
        self.parts.back_mut()
    }

    /// Inserts parts of the rest of a part after it.
    fn insert_after(&mut self, number: usize, row_group: usize, parts: Vec<RowGroup>) {
        let place = self.parts.iter().position(|it| it.number == number);
        let first = place.map_or(self.parts.len(), |place| place + 1);
        for (place, part) in parts.into_iter().enumerate() {
            self.insert(first + place, row_group, Work::Open(Box::new(part)));
        }
    }

    fn insert(&mut self, place: usize, row_group: usize, work: Work) {
        self.count += 1;
        let part = Part {
            number: self.count,
            row_group,
            work,
            ready: VecDeque::new(),
        };
        self.parts.insert(place, part);
    }

    /// Returns the first part that a thread can read; `None` if there is none, or no room for its batches.
    fn next_part(&mut self, width: usize, room: u64) -> Option<&mut Part> {
        let has_room = self.bytes < room;
        let can_read = |part: &Part| {
            matches!(part.work, Work::Closed(_) | Work::Open(_))
                && (has_room || part.ready.is_empty())
        };
        match self.parts.iter().position(can_read) {
            Some(place) => self.parts.get_mut(place),
            None if self.open() < width => self.begin_next(),
            None => None,
        }
    }

    /// Returns the number of parts that have rows to read.
    fn open(&self) -> usize {
        let parts = self.parts.iter();
        parts
            .filter(|part| !matches!(part.work, Work::Done | Work::Panic(_)))
            .count()
    }

    /// Returns the number of threads that have nothing to read, although there is room for more parts.
    fn idle(&self, width: usize, settings: &Settings) -> usize {
        let Some(pool) = settings
            .pool
            .as_ref()
            .filter(|_| self.bytes < settings.ahead && self.waiting.is_empty())
        else {
            return 0;
        };
        let idle = pool.current_num_threads().saturating_sub(self.running);
        idle.min(width.saturating_sub(self.open()))
    }

    /// Returns whether less than this many bytes, or no batch of a part, is ready.
    fn has_room(&mut self, number: usize, room: u64) -> bool {
        self.bytes < room || self.part(number).is_none_or(|part| part.ready.is_empty())
    }

    fn add(&mut self, number: usize, batch: Option<Result<RecordBatch>>) {
        let Some(batch) = batch else { return };
        self.bytes += bytes_of(&batch);
        if let Some(part) = self.part(number) {
            part.ready.push_back(batch);
        }
    }

    fn put_back(&mut self, number: usize, work: Work) {
        if let Some(part) = self.part(number) {
            part.work = work;
        }
    }

    fn part(&mut self, number: usize) -> Option<&mut Part> {
        self.parts.iter_mut().find(|part| part.number == number)
    }
}

impl Work {
    /// Opens the rows, or reads their next batch. Returns the rest.
    fn step(
        self,
        row_group: usize,
        settings: &Settings,
        row_groups: &RowGroups,
    ) -> (Self, Option<Result<RecordBatch>>) {
        let step = AssertUnwindSafe(|| match self {
            Self::Closed(rows) => match RowGroup::open(settings, row_groups, row_group, rows) {
                Ok(group) => (Self::Open(Box::new(group)), None),
                Err(error) => (Self::Done, Some(Err(error))),
            },
            Self::Open(mut group) => match group.next(settings) {
                None => (Self::Done, None),
                batch => (Self::Open(group), batch),
            },
            done => (done, None),
        });
        let (work, batch) = catch_unwind(step).unwrap_or_else(|panic| (Self::Panic(panic), None));
        let batch = batch.map(|batch| batch.map_err(|error| error.in_row_group(row_group)));
        (work, batch)
    }
}

fn bytes_of(batch: &Result<RecordBatch>) -> u64 {
    // Batches without columns take memory, too.
    let bytes = |batch: &RecordBatch| size_of::<RecordBatch>() + batch.get_array_memory_size();
    batch.as_ref().map_or(0, bytes) as u64
}
