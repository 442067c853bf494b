//! Clocks.

use std::fmt;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// Clock for a measurement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clock {
    /// Wall-clock time. Cheap to read (about 20 ns); includes the time in which other threads used
    /// the core.
    #[default]
    Monotonic,
    /// CPU time of the calling thread: the right choice if other programs may load the machine.
    /// Reading it is a system call on Linux (about 300 ns), so samples must be long. Falls back to
    /// [`Clock::Monotonic`] on systems other than Unix.
    ThreadCpu,
}

impl Clock {
    /// Returns the time since some fixed moment; only differences are meaningful.
    ///
    /// ```
    /// use bytelane_measure::clock::Clock;
    /// let start = Clock::ThreadCpu.now();
    /// assert!(Clock::ThreadCpu.now() >= start);
    /// ```
    #[must_use]
    pub fn now(self) -> Duration {
        match self {
            Self::Monotonic => monotonic(),
            Self::ThreadCpu => thread_cpu(),
        }
    }

    /// Returns the time that reading this clock twice adds to a measurement.
    #[must_use]
    pub fn overhead(self) -> Duration {
        let twice = || {
            let start = self.now();
            self.now().saturating_sub(start)
        };
        (0..1000).map(|_| twice()).min().unwrap_or_default()
    }
}

impl fmt::Display for Clock {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Monotonic => "monotonic",
            Self::ThreadCpu => "thread-cpu",
        })
    }
}

fn monotonic() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}

#[cfg(unix)]
fn thread_cpu() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ThreadCPUTime);
    // Neither part is negative: this clock starts at zero with the thread.
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[cfg(not(unix))]
fn thread_cpu() -> Duration {
    monotonic()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spin(clock: Clock, at_least: Duration) {
        let start = clock.now();
        while clock.now() - start < at_least {}
    }

    #[test]
    fn both_clocks_advance() {
        for clock in [Clock::Monotonic, Clock::ThreadCpu] {
            let start = clock.now();
            spin(clock, Duration::from_millis(1));
            assert!(clock.now() - start >= Duration::from_millis(1), "{clock}");
        }
    }

    #[test]
    fn reading_a_clock_takes_less_than_a_sample() {
        for clock in [Clock::Monotonic, Clock::ThreadCpu] {
            assert!(clock.overhead() < Duration::from_micros(100), "{clock}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn sleeping_costs_no_thread_time() {
        let (wall, cpu) = (Clock::Monotonic.now(), Clock::ThreadCpu.now());
        std::thread::sleep(Duration::from_millis(20));
        assert!(Clock::Monotonic.now() - wall >= Duration::from_millis(20));
        assert!(Clock::ThreadCpu.now() - cpu < Duration::from_millis(20));
    }
}
