//! Measures the progress of units, summed over all threads.

use super::options::{Progress, RunOptions};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// Progress of a run.
#[derive(Clone)]
pub(super) struct Total(Arc<Shared>);

struct Shared {
    options: RunOptions,
    bytes: AtomicU64,
    total: u64,
    units: AtomicUsize,
    is_cancelled: AtomicBool,
}

impl Total {
    pub(super) fn new(options: &RunOptions, total: u64) -> Self {
        Self(Arc::new(Shared {
            options: options.clone(),
            bytes: AtomicU64::new(0),
            total,
            units: AtomicUsize::new(0),
            is_cancelled: AtomicBool::new(false),
        }))
    }

    /// Makes all units stop at their next report.
    pub(super) fn cancel(&self) {
        self.0.is_cancelled.store(true, Ordering::Relaxed);
    }

    fn add(&self, bytes: u64, units: usize) -> ControlFlow<()> {
        let shared = &self.0;
        let progress = Progress {
            bytes: shared.bytes.fetch_add(bytes, Ordering::Relaxed) + bytes,
            total: shared.total,
            units: shared.units.fetch_add(units, Ordering::Relaxed) + units,
        };
        if shared.options.report(progress).is_break() {
            self.cancel();
        }
        if shared.is_cancelled.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// Progress of a unit, shared by its clones.
#[derive(Clone)]
pub(super) struct Meter {
    total: Total,
    bytes: u64,
    reported: Arc<AtomicU64>,
}

impl Meter {
    pub(super) fn new(total: &Total, bytes: u64) -> Self {
        Self {
            total: total.clone(),
            bytes,
            reported: Arc::new(AtomicU64::new(0)),
        }
    }

    /// Reports the progress of a phase. A phase spans a range of the unit, given as fractions.
    pub(super) fn report(&self, phase: (f64, f64), done: u64, total: u64) -> ControlFlow<()> {
        let share = (done as f64 / total.max(1) as f64).clamp(0.0, 1.0);
        let bytes = self.bytes as f64 * (phase.0 + share * (phase.1 - phase.0));
        let before = self.reported.fetch_max(bytes as u64, Ordering::Relaxed);
        self.total.add((bytes as u64).saturating_sub(before), 0)
    }

    /// Reports that the unit is done.
    pub(super) fn finish(&self) -> ControlFlow<()> {
        let before = self.reported.fetch_max(self.bytes, Ordering::Relaxed);
        self.total.add(self.bytes.saturating_sub(before), 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn units_add_up_and_one_cancels_all() {
        let last = Arc::new(Mutex::new(Progress::default()));
        let seen = Arc::clone(&last);
        let options = RunOptions::default().with_progress(move |progress| {
            *seen.lock().unwrap() = progress;
            ControlFlow::Continue(())
        });
        let total = Total::new(&options, 300);
        let (one, two) = (Meter::new(&total, 100), Meter::new(&total, 200));
        assert!(one.report((0.0, 0.5), 1, 2).is_continue());
        assert!(two.report((0.5, 1.0), 0, 0).is_continue());
        assert_eq!(last.lock().unwrap().bytes, 125);
        assert!(one.finish().is_continue() && two.finish().is_continue());
        let progress = *last.lock().unwrap();
        assert_eq!(
            (progress.bytes, progress.total, progress.units),
            (300, 300, 2)
        );
        total.cancel();
        assert!(two.finish().is_break());
    }
}
