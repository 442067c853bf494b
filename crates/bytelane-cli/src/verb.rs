//! Frame of the commands that work for a long time. It shows their progress, listens for termination signals, and turns
//! work that a signal ended into the signal's exit status.

use crate::signals::{self, Interrupted};
use bytelane_parquet::Progress;
use indicatif::ProgressBar;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

/// Exit status used when no signal was received.
const RUNNING: i32 = 0;

/// Work in progress. Clones belong to the same work.
#[derive(Clone)]
pub struct Verb {
    bar: ProgressBar,
    signal: Arc<AtomicI32>,
}

impl Verb {
    /// Begins work that writes files. A signal ends it at its next report of progress, so that unfinished files are
    /// removed.
    pub fn writing(bar: ProgressBar) -> anyhow::Result<Self> {
        let verb = Self::new(bar);
        let signal = Arc::clone(&verb.signal);
        signals::on_signal(move |status| signal.store(status, Ordering::Relaxed))?;
        Ok(verb)
    }

    /// Begins work that leaves nothing behind: a signal ends the process at once.
    pub fn reading(bar: ProgressBar) -> anyhow::Result<Self> {
        let verb = Self::new(bar);
        let bar = verb.bar.clone();
        signals::on_signal(move |status| {
            bar.finish_and_clear();
            signals::end(status);
        })?;
        Ok(verb)
    }

    fn new(bar: ProgressBar) -> Self {
        Self {
            bar,
            signal: Arc::new(AtomicI32::new(RUNNING)),
        }
    }

    /// Shows what is worked on, even after other work was finished.
    pub fn name(&self, what: String) {
        if self.bar.is_finished() {
            self.bar.reset();
            self.bar.unset_length();
        }
        self.bar.set_message(what);
    }

    /// Shows how much is done, and returns whether to continue.
    pub fn report(&self, done: u64, total: u64) -> ControlFlow<()> {
        self.bar.set_length(total);
        self.count(done)
    }

    /// Shows how much is done of an unknown total, and returns whether to continue.
    pub fn count(&self, done: u64) -> ControlFlow<()> {
        self.bar.set_position(done);
        match self.signal.load(Ordering::Relaxed) {
            RUNNING => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    }

    /// Returns a callback for the progress of a library function.
    pub fn progress(&self) -> Progress {
        let verb = self.clone();
        Progress::new(move |done, total| verb.report(done, total))
    }

    /// Clears the progress, and returns the result of the work. Work that failed after a signal was ended by it.
    pub fn finish<T, E: Into<anyhow::Error>>(&self, result: Result<T, E>) -> anyhow::Result<T> {
        self.bar.finish_and_clear();
        match (result, self.signal.load(Ordering::Relaxed)) {
            (Ok(result), _) => Ok(result),
            (Err(error), RUNNING) => Err(error.into()),
            (Err(_), status) => Err(Interrupted(status).into()),
        }
    }
}
