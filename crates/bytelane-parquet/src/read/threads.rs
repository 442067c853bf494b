//! Keeps the threads of a reader for the next one.

use crate::Result;
use crate::stack::stack_size;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::num::NonZero;
use std::ops::Deref;
use std::sync::Mutex;
use std::{io, mem, process};

/// Number of pools that are kept: for a program that reads one file after the other, and one that compares two.
const KEPT: usize = 2;

static IDLE: Mutex<Vec<Pool>> = Mutex::new(Vec::new());

/// Threads of a reader. Those that start for it make reading a small file by two threads take 200 µs instead of 170, and touch new memory instead of
/// what others have freed. So they are kept when the reader is dropped, and the next one with as many takes them.
#[derive(Debug)]
pub(crate) struct Threads(Option<Pool>);

#[derive(Debug)]
struct Pool {
    threads: ThreadPool,
    stack: usize,
    /// Process in which they run: a fork has none of the threads of its parent.
    process: u32,
}

impl Threads {
    /// Returns threads for columns of a nesting depth; `None` if the reader uses only the caller's thread.
    pub(super) fn new(count: NonZero<usize>, depth: usize) -> Result<Option<Self>> {
        if count.get() == 1 {
            return Ok(None);
        }
        let (stack, process) = (stack_size(depth), process::id());
        let is_fit = |pool: &Pool| {
            pool.threads.current_num_threads() == count.get()
                && (pool.stack, pool.process) == (stack, process)
        };
        // Another thread may have held the lock when this process was forked.
        if let Ok(mut idle) = IDLE.try_lock()
            && let Some(place) = idle.iter().position(is_fit)
        {
            return Ok(Some(Self(Some(idle.swap_remove(place)))));
        }
        let threads = ThreadPoolBuilder::new().num_threads(count.get());
        let threads = threads.stack_size(stack);
        let threads = threads.thread_name(|number| format!("bytelane-parquet-{number}"));
        let threads = threads.build().map_err(io::Error::other)?;
        Ok(Some(Self(Some(Pool {
            threads,
            stack,
            process,
        }))))
    }
}

impl Deref for Threads {
    type Target = ThreadPool;

    fn deref(&self) -> &ThreadPool {
        let pool = self.0.as_ref();
        &pool
            .expect("threads leave only when they are dropped")
            .threads
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        let Some(pool) = self.0.take() else { return };
        if pool.process != process::id() {
            mem::forget(pool);
            return;
        }
        // Miri requires that all threads end.
        if let Ok(mut idle) = IDLE.try_lock()
            && !cfg!(miri)
        {
            idle.push(pool);
            // Those of a fork's parent are no threads any more.
            let (own, others) = idle.drain(..).partition(|it| it.process == process::id());
            *idle = own;
            mem::forget::<Vec<Pool>>(others);
            if idle.len() > KEPT {
                idle.remove(0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    fn threads(count: usize) -> Threads {
        let count = NonZero::new(count).expect("a thread");
        Threads::new(count, 0).expect("threads").expect("several")
    }

    #[test]
    fn threads_are_used_again_by_the_next_reader_alone() {
        let name = |pool: &Threads| pool.install(|| thread::current().id());
        let all = |pool: &Threads| pool.broadcast(|_| thread::current().id());
        let (one, other) = (threads(5), threads(5));
        assert!(!all(&other).contains(&name(&one)));
        let before = all(&one);
        drop(one);
        let again = threads(5);
        assert!(before.contains(&name(&again)) || cfg!(miri));
        assert_eq!(threads(6).current_num_threads(), 6);
        assert!(
            Threads::new(NonZero::<usize>::MIN, 0)
                .expect("none")
                .is_none()
        );
    }
}
