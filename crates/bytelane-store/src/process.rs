//! Keeps the threads of this process.

use std::io;
use std::sync::{Mutex, PoisonError, mpsc};
use tokio::runtime::{Builder, Runtime};

/// Number of threads that wait for stores; all requests of a process share them.
const THREADS: usize = 2;

/// Threads of a process.
struct Process {
    id: u32,
    runtime: Runtime,
}

/// Returns those of this process. A forked process does not have the threads of its parent, so it gets its own.
fn process() -> io::Result<&'static Process> {
    static CURRENT: Mutex<Option<&'static Process>> = Mutex::new(None);
    let mut current = CURRENT.lock().unwrap_or_else(PoisonError::into_inner);
    let id = std::process::id();
    if let Some(process) = current.filter(|process| process.id == id) {
        return Ok(process);
    }
    let runtime = Builder::new_multi_thread()
        .worker_threads(THREADS)
        .thread_name("bytelane-store")
        .enable_all()
        .build()?;
    let process: &'static Process = Box::leak(Box::new(Process { id, runtime }));
    *current = Some(process);
    Ok(process)
}

/// Runs a future on the threads of this process, and waits for its outcome. Unlike `Runtime::block_on`, it
/// may be called on a thread of another runtime, which it then blocks.
pub(crate) fn wait<T, F>(future: F) -> object_store::Result<T>
where
    T: Send + 'static,
    F: Future<Output = object_store::Result<T>> + Send + 'static,
{
    let failed = |source: Box<dyn std::error::Error + Send + Sync>| object_store::Error::Generic {
        store: "store",
        source,
    };
    let (sender, receiver) = mpsc::sync_channel(1);
    let process = process().map_err(|error| failed(error.into()))?;
    process.runtime.spawn(async move {
        // The receiver waits, so it still exists.
        let _ = sender.send(future.await);
    });
    receiver
        .recv()
        .unwrap_or_else(|_| Err(failed("a request ended without an answer".into())))
}

/// Starts a future on the threads of this process. Returns false if they cannot be started.
pub(crate) fn start(future: impl Future<Output = ()> + Send + 'static) -> bool {
    match process() {
        Ok(process) => {
            process.runtime.spawn(future);
            true
        }
        Err(_) => false,
    }
}
