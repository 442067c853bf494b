//! Progress of a run, with the remaining time.

use super::figures::duration;
use crate::progress;
use indicatif::ProgressBar;
use std::time::{Duration, Instant};

/// Progress bar over the expected time of all steps. The remaining time is corrected by the actual
/// time of the finished steps.
pub struct Progress {
    bar: ProgressBar,
    started: Instant,
    expected: Duration,
    done: Duration,
}

impl Progress {
    pub fn new(expected: Duration) -> anyhow::Result<Self> {
        Ok(Self {
            bar: progress::bar(expected.as_millis() as u64, "{percent:>3}%")?,
            started: Instant::now(),
            expected,
            done: Duration::ZERO,
        })
    }

    pub fn begin(&self, label: &str) {
        let left = left(self.expected, self.done, self.started.elapsed());
        self.bar
            .set_message(format!("{} left: {label}", duration(left.as_secs_f64())));
    }

    pub fn finish(&mut self, expected: Duration) {
        self.done += expected;
        self.bar.set_position(self.done.as_millis() as u64);
    }

    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

/// Returns the remaining time at the pace so far. While little is done, the expected pace dominates.
fn left(expected: Duration, done: Duration, elapsed: Duration) -> Duration {
    let trusted = expected / 20;
    let pace = (elapsed + trusted).as_secs_f64() / (done + trusted).as_secs_f64().max(1e-9);
    expected.saturating_sub(done).mul_f64(pace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_estimate_follows_the_pace() {
        let seconds = Duration::from_secs;
        assert_eq!(left(seconds(100), seconds(0), seconds(0)), seconds(100));
        assert_eq!(left(seconds(100), seconds(100), seconds(300)), seconds(0));
        let twice_as_slow = left(seconds(100), seconds(45), seconds(95));
        assert_eq!(twice_as_slow, seconds(110));
    }
}
