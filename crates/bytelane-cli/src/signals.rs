//! Termination signals: from Ctrl-C, a supervisor, or a terminal that closes.

use std::fmt;
use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// Function that ends the process with an exit code.
pub type End = fn(i32) -> !;

static END: OnceLock<End> = OnceLock::new();

/// Set once a signal has been received that work notices by itself.
static RECEIVED: AtomicBool = AtomicBool::new(false);

/// Returns whether a termination signal has been received.
pub fn received() -> bool {
    RECEIVED.load(Ordering::Relaxed)
}

/// Sets the function that [`end`] calls; the first one stays.
pub fn end_with(end: End) {
    let _ = END.set(end);
}

/// Ends the process with an exit code, from the thread of a signal: the main thread may be blocked.
pub fn end(status: i32) -> ! {
    match END.get() {
        Some(end) => end(status),
        None => unreachable!("the command sets it first"),
    }
}

/// Error for work that a termination signal ended early. It has the exit status: 128 plus the number
/// of the signal.
#[derive(Clone, Copy, Debug)]
pub struct Interrupted(pub i32);

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("interrupted by a signal")
    }
}

impl std::error::Error for Interrupted {}

/// Calls `end` with an exit status for each termination signal: 128 plus its number, such as 130
/// for Ctrl-C and 143 for `kill`. It runs on a thread of its own.
#[cfg(unix)]
pub fn on_signal(mut end: impl FnMut(i32) + Send + 'static) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            signals.forever().for_each(|signal| {
                RECEIVED.store(true, Ordering::Relaxed);
                end(128 + signal);
            });
        })?;
    Ok(())
}

/// Calls `end` with the exit status for Ctrl-C. It runs on a thread of its own.
#[cfg(not(unix))]
pub fn on_signal(mut end: impl FnMut(i32) + Send + 'static) -> io::Result<()> {
    ctrlc::set_handler(move || {
        RECEIVED.store(true, Ordering::Relaxed);
        end(130);
    })
    .map_err(io::Error::other)
}
