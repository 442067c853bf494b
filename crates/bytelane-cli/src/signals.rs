//! Being asked to end: by Ctrl-C, a supervisor, or a terminal that closes.

use std::fmt;
use std::io;

/// An error for work that ended early because a signal asked the process to end: 128 and the number of
/// the signal, which becomes the exit status.
#[derive(Clone, Copy, Debug)]
pub struct Interrupted(pub i32);

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("interrupted by a signal")
    }
}

impl std::error::Error for Interrupted {}

/// Calls `end` with the exit status that stands for each signal that asks the process to end: 128
/// and its number, 130 for Ctrl-C, 143 for `kill`. It runs on a thread of its own.
#[cfg(unix)]
pub fn on_signal(mut end: impl FnMut(i32) + Send + 'static) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || signals.forever().for_each(|signal| end(128 + signal)))?;
    Ok(())
}

/// Calls `end` with the exit status that stands for Ctrl-C. It runs on a thread of its own.
#[cfg(not(unix))]
pub fn on_signal(mut end: impl FnMut(i32) + Send + 'static) -> io::Result<()> {
    ctrlc::set_handler(move || end(130)).map_err(io::Error::other)
}
