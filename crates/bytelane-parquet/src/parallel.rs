//! Runs work on several threads, and returns the results in order.

use crate::Result;
use crate::stack::{stack_size, with_stack};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::collections::BTreeMap;
use std::io;
use std::num::NonZero;
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

/// Maximum number of results per thread that may wait to be taken.
const WAITING: usize = 16;

/// Interval at which the work can be cancelled while there is no result.
const IDLE: Duration = Duration::from_millis(50);

/// Number of threads, and their memory limit.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub threads: NonZero<usize>,
    /// Maximum total weight of all units that are in progress or wait to be taken. A single unit may exceed
    /// it.
    pub weight: u64,
    /// Nesting depth of the columns that are worked on.
    pub depth: usize,
}

/// Maximum number of threads per core, and a number of threads that is allowed on any machine.
const PER_CORE: usize = 4;
const ALLOWED: usize = 64;

/// Returns the number of threads for `units` units of work: those that the caller asks for, but not more than there
/// are units, and not more than a machine has any use for.
#[must_use]
pub fn bounded_threads(wanted: NonZero<usize>, units: usize) -> NonZero<usize> {
    let most = PER_CORE.saturating_mul(all_cores().get()).max(ALLOWED);
    NonZero::new(wanted.get().min(units).min(most)).unwrap_or(NonZero::<usize>::MIN)
}

/// Returns the number of cores of the machine.
pub fn all_cores() -> NonZero<usize> {
    // Reads files of control groups each time.
    static CORES: OnceLock<NonZero<usize>> = OnceLock::new();
    *CORES.get_or_init(|| thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN))
}

/// State shared between the threads.
struct State<I: Iterator, R> {
    units: std::iter::Peekable<I>,
    /// Number of units that have been started, and number that have been taken.
    begun: usize,
    taken: usize,
    /// Weight of the units between these.
    weight: u64,
    results: BTreeMap<usize, (u64, Result<R>)>,
    is_over: bool,
}

struct Shared<I: Iterator, R> {
    state: Mutex<State<I, R>>,
    changed: Condvar,
}

/// Guard that ends the work of the other threads, even if this one panics.
struct End<'a, I: Iterator, R>(&'a Shared<I, R>);

impl<I: Iterator, R> Drop for End<'_, I, R> {
    fn drop(&mut self) {
        self.0.lock().is_over = true;
        self.0.changed.notify_all();
    }
}

/// Calls `work` with each unit, on several threads, and `take` with each result, in the order of the units.
/// Calls `idle` periodically while there is no result. The first error ends the work.
///
/// Each unit comes with its weight.
pub fn in_order<T: Send, R: Send>(
    limits: Limits,
    units: impl Iterator<Item = (u64, T)> + Send,
    work: impl Fn(T) -> Result<R> + Sync,
    mut take: impl FnMut(R) -> Result<()>,
    idle: impl Fn() -> Result<()>,
) -> Result<()> {
    if limits.threads.get() == 1 {
        for (_, unit) in units {
            take(with_stack(limits.depth, || work(unit))?)?;
        }
        return Ok(());
    }
    let threads = bounded_threads(limits.threads, units.size_hint().1.unwrap_or(usize::MAX));
    let limits = Limits { threads, ..limits };
    let shared = Shared::new(units);
    thread::scope(|scope| {
        let end = End(&shared);
        for _ in 0..threads.get() {
            let (shared, work) = (&shared, &work);
            let thread = thread::Builder::new().stack_size(stack_size(limits.depth));
            thread.spawn_scoped(scope, move || shared.work(limits, work))?;
        }
        shared.take_all(&mut take, idle)?;
        drop(end);
        Ok(())
    })
}

/// Threads for several calls. Each of them uses memory again that it has freed, which new threads would not.
#[derive(Debug)]
pub struct Workers {
    threads: NonZero<usize>,
    /// `None` if the caller does all work.
    pool: Option<ThreadPool>,
}

impl Workers {
    /// Starts threads.
    pub fn new(threads: NonZero<usize>) -> Result<Self> {
        let threads = bounded_threads(threads, usize::MAX);
        let build = || {
            let pool = ThreadPoolBuilder::new().num_threads(threads.get());
            pool.stack_size(stack_size(0)).build()
        };
        let pool = (threads.get() > 1).then(build).transpose();
        Ok(Self {
            threads,
            pool: pool.map_err(io::Error::other)?,
        })
    }

    /// Returns whether several threads work at the same time.
    pub fn are_several(&self) -> bool {
        self.pool.is_some()
    }

    /// Does the same as the function [`in_order`], with these threads: `weight` is the maximum total weight, and `depth` the
    /// nesting depth of the columns.
    pub fn in_order<T: Send, R: Send>(
        &self,
        (weight, depth): (u64, usize),
        units: impl Iterator<Item = (u64, T)> + Send,
        work: impl Fn(T) -> Result<R> + Sync,
        mut take: impl FnMut(R) -> Result<()>,
        idle: impl Fn() -> Result<()>,
    ) -> Result<()> {
        let limits = Limits {
            threads: self.threads,
            weight,
            depth,
        };
        let Some(pool) = &self.pool else {
            return in_order(limits, units, work, take, idle);
        };
        let work = |unit| with_stack(depth, || work(unit));
        let shared = Shared::new(units);
        pool.in_place_scope(|scope| {
            let end = End(&shared);
            for _ in 0..self.threads.get() {
                scope.spawn(|_| shared.work(limits, &work));
            }
            shared.take_all(&mut take, idle)?;
            drop(end);
            Ok(())
        })
    }
}

/// Does the same on the threads of a pool and on the caller's thread, which may be one of the pool.
///
/// No thread waits for room, so that a `take` that uses the pool cannot wait for itself: any number of results
/// may wait to be taken.
pub(crate) fn in_order_on<T: Send, R: Send>(
    pool: &ThreadPool,
    depth: usize,
    units: impl Iterator<Item = T> + Send,
    work: impl Fn(T) -> Result<R> + Sync,
    mut take: impl FnMut(R) -> Result<()>,
) -> Result<()> {
    let limits = Limits {
        threads: NonZero::<usize>::MAX,
        weight: u64::MAX,
        depth,
    };
    let work = |unit| with_stack(depth, || work(unit));
    let shared = Shared::new(units.map(|unit| (0, unit)));
    pool.in_place_scope(|scope| {
        let end = End(&shared);
        for _ in 0..pool.current_num_threads() {
            scope.spawn(|_| shared.work(limits, &work));
        }
        loop {
            let ready = shared.lock().next_result();
            let (weight, result) = match ready {
                Some(ready) => ready,
                // The threads of the pool may be busy with other work.
                None if shared.work_once(limits, &work) => continue,
                None => match shared.next_result(|| Ok(()))? {
                    Some(ready) => ready,
                    None => break,
                },
            };
            take(result?)?;
            shared.is_taken(weight);
        }
        drop(end);
        Ok(())
    })
}

impl<I: Iterator, R> State<I, R> {
    /// Takes the next result and its weight, if it is there.
    fn next_result(&mut self) -> Option<(u64, Result<R>)> {
        self.results.remove(&self.taken)
    }
}

impl<T, I: Iterator<Item = (u64, T)>, R> Shared<I, R> {
    fn new(units: I) -> Self {
        Self {
            state: Mutex::new(State {
                units: units.peekable(),
                begun: 0,
                taken: 0,
                weight: 0,
                results: BTreeMap::new(),
                is_over: false,
            }),
            changed: Condvar::new(),
        }
    }

    /// Works on units until there are no more.
    fn work(&self, limits: Limits, work: &impl Fn(T) -> Result<R>) {
        let end = End(self);
        while self.work_once(limits, work) {}
        // The other threads continue.
        std::mem::forget(end);
    }

    /// Works on the next unit, once there is room for it. Returns false if there is none.
    fn work_once(&self, limits: Limits, work: &impl Fn(T) -> Result<R>) -> bool {
        let Some((index, weight, unit)) = self.next_unit(limits) else {
            return false;
        };
        let result = work(unit);
        self.lock().results.insert(index, (weight, result));
        self.changed.notify_all();
        true
    }

    /// Takes all results.
    fn take_all(
        &self,
        take: &mut impl FnMut(R) -> Result<()>,
        idle: impl Fn() -> Result<()>,
    ) -> Result<()> {
        while let Some((weight, result)) = self.next_result(&idle)? {
            take(result?)?;
            self.is_taken(weight);
        }
        Ok(())
    }

    /// Makes room after a result was taken.
    fn is_taken(&self, weight: u64) {
        let mut state = self.lock();
        state.weight -= weight;
        state.taken += 1;
        self.changed.notify_all();
    }

    /// Waits until there is room for the next unit. Returns its index, its weight and the unit.
    fn next_unit(&self, limits: Limits) -> Option<(usize, u64, T)> {
        let mut state = self.lock();
        loop {
            if state.is_over {
                return None;
            }
            let (waiting, taken) = (state.begun - state.taken, state.weight);
            let weight = state.units.peek()?.0;
            let has_room = waiting < WAITING.saturating_mul(limits.threads.get())
                && taken.saturating_add(weight) <= limits.weight;
            if waiting == 0 || has_room {
                break;
            }
            state = self.wait(state);
        }
        let (weight, unit) = state.units.next()?;
        let index = state.begun;
        state.begun += 1;
        state.weight += weight;
        Some((index, weight, unit))
    }

    /// Waits for the next result. Returns it with its weight, or `None` after the last one.
    fn next_result(&self, idle: impl Fn() -> Result<()>) -> Result<Option<(u64, Result<R>)>> {
        loop {
            let mut state = self.lock();
            if let Some(result) = state.next_result() {
                return Ok(Some(result));
            }
            let is_last = state.begun == state.taken && state.units.peek().is_none();
            if is_last || state.is_over {
                return Ok(None);
            }
            let waited = self.changed.wait_timeout(state, IDLE);
            drop(waited.unwrap_or_else(PoisonError::into_inner));
            idle()?;
        }
    }
}

impl<I: Iterator, R> Shared<I, R> {
    fn lock(&self) -> MutexGuard<'_, State<I, R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State<I, R>>) -> MutexGuard<'a, State<I, R>> {
        let woken = self.changed.wait(state);
        woken.unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use std::sync::atomic::{AtomicU64, Ordering};

    fn limits(threads: usize) -> Limits {
        Limits {
            threads: NonZero::new(threads).expect("not 0"),
            weight: 10,
            depth: 0,
        }
    }

    #[test]
    fn threads_are_bounded_by_work_and_by_the_machine() {
        let bounded = |wanted, units| {
            let wanted = NonZero::new(wanted).expect("not 0");
            bounded_threads(wanted, units).get()
        };
        assert_eq!([bounded(7, 3), bounded(3, 7), bounded(3, 0)], [3, 3, 1]);
        let most = bounded(1_000_000, usize::MAX);
        assert!(
            most >= 64 && most <= 64.max(4 * all_cores().get()),
            "{most}"
        );
    }

    #[test]
    fn results_are_taken_in_order_and_no_more_is_begun_than_fits() {
        for threads in [1, 2, 7] {
            let begun = AtomicU64::new(0);
            let most = AtomicU64::new(0);
            let mut results = Vec::new();
            let units = (0..500_u64).map(|unit| (unit % 4, unit));
            let work = |unit: u64| {
                let now = begun.fetch_add(unit % 4, Ordering::SeqCst) + unit % 4;
                most.fetch_max(now, Ordering::SeqCst);
                if unit.is_multiple_of(5) {
                    thread::sleep(Duration::from_micros(50));
                }
                Ok(unit)
            };
            let take = |unit: u64| {
                begun.fetch_sub(unit % 4, Ordering::SeqCst);
                results.push(unit);
                Ok(())
            };
            in_order(limits(threads), units, work, take, || Ok(())).unwrap();
            assert!(results.iter().copied().eq(0..500), "{threads} threads");
            assert!(most.into_inner() <= 10, "{threads} threads");
        }
    }

    #[test]
    fn workers_work_for_several_calls() {
        for threads in [1, 2, 7] {
            let workers = Workers::new(limits(threads).threads).unwrap();
            for depth in [0, 100] {
                let mut results = Vec::new();
                let take = |unit: u64| {
                    results.push(unit);
                    Ok(())
                };
                let units = (0..500_u64).map(|unit| (unit % 4, unit));
                let of = (10, depth);
                workers.in_order(of, units, Ok, take, || Ok(())).unwrap();
                assert!(results.iter().copied().eq(0..500), "{threads} threads");
            }
            let work = |unit: u64| Err::<u64, _>(Error::corrupt(format!("no {unit}")));
            let units = (0..u64::MAX).map(|unit| (1, unit));
            let failed = workers.in_order((10, 0), units, work, |_| Ok(()), || Ok(()));
            assert_eq!(failed.unwrap_err().to_string(), "no 0");
        }
    }

    /// The pool has one thread, which may be the caller's, or several.
    #[test]
    fn the_threads_of_a_pool_do_the_work() {
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let pool = pool.build().unwrap();
            let run = || {
                let mut results = Vec::new();
                let take = |unit: u64| {
                    // The caller may use the pool itself.
                    results.push(pool.install(|| unit));
                    Ok(())
                };
                in_order_on(&pool, 0, 0..500_u64, Ok, take).unwrap();
                assert!(results.iter().copied().eq(0..500), "{threads} threads");
                let failing = |unit| {
                    if unit < 40 {
                        Ok(unit)
                    } else {
                        Err(Error::corrupt("no"))
                    }
                };
                let error = in_order_on(&pool, 100, 0..500, failing, |_: u64| Ok(())).unwrap_err();
                assert_eq!(error.to_string(), "no");
            };
            run();
            pool.install(run);
        }
    }

    #[test]
    fn the_first_error_ends_the_work() {
        for threads in [1, 3] {
            let taken = AtomicU64::new(0);
            let work = |unit: u64| match unit {
                40 => Err(Error::corrupt("no")),
                unit => Ok(unit),
            };
            let take = |_| {
                taken.fetch_add(1, Ordering::SeqCst);
                Ok(())
            };
            let units = (0..u64::MAX).map(|unit| (1, unit));
            let error = in_order(limits(threads), units, work, take, || Ok(())).unwrap_err();
            assert_eq!(error.to_string(), "no");
            assert_eq!(taken.into_inner(), 40);
        }
    }

    #[test]
    fn work_can_be_cancelled_while_no_result_comes() {
        let cancelled = AtomicU64::new(0);
        let work = |()| {
            while cancelled.load(Ordering::SeqCst) == 0 {
                thread::sleep(Duration::from_millis(1));
            }
            Ok(())
        };
        let idle = || {
            cancelled.store(1, Ordering::SeqCst);
            Err(Error::corrupt("cancelled"))
        };
        let units = std::iter::repeat_n((1, ()), 9);
        let error = in_order(limits(2), units, work, |()| Ok(()), idle).unwrap_err();
        assert_eq!(error.to_string(), "cancelled");
    }
}
