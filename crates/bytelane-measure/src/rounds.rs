//! Interleaved rounds, and the results of a measurement.
//!
//! Subjects are measured in turns, in another order in each round (A B C B A C ..), so that a temporary disturbance of
//! the machine, or a subject that leaves the caches in disorder, affects all of them. Each subject's figure is the median of its rounds, after [`even_out`] has removed the speed of
//! the machine from them.

use crate::clock::Clock;
use std::fmt;
use std::time::Duration;

/// Minimum number of rounds for a meaningful median.
pub const FEWEST_ROUNDS: usize = 11;

/// Maximum number of evicted calls per sample. These calls are timed one by one, so a sample of
/// tiny ones must end somewhere.
const MOST_EVICTED_CALLS: usize = 64;

/// One thing to measure.
pub struct Subject<'a> {
    name: String,
    batch: Box<dyn FnMut(usize, usize) + 'a>,
    evict: Option<Box<dyn FnMut(usize) + 'a>>,
    prepare: Option<Box<dyn FnMut() + 'a>>,
}

impl<'a> Subject<'a> {
    /// Creates a subject whose unit of work is `call`; its argument counts the calls from 0, so
    /// that [`Pool::input`](crate::buffer::Pool::input) can provide inputs in turn.
    ///
    /// Pass inputs and outputs through [`std::hint::black_box`], or the optimiser may hoist or drop
    /// the work.
    pub fn new(name: impl Into<String>, mut call: impl FnMut(usize) + 'a) -> Self {
        // The loop is compiled together with the call, without an indirection between two calls.
        let batch = move |first: usize, calls: usize| {
            for index in first..first + calls {
                call(index);
            }
        };
        Self {
            name: name.into(),
            batch: Box::new(batch),
            evict: None,
            prepare: None,
        }
    }

    /// Runs `evict` before each call, outside the measured time; its argument is the number of that
    /// call. It should [`evict`](crate::memory::evict) everything that the call reads or writes.
    #[must_use]
    pub fn evicted_by(mut self, evict: impl FnMut(usize) + 'a) -> Self {
        self.evict = Some(Box::new(evict));
        self
    }

    /// Runs `prepare` before each turn, outside the measured time: for state that all subjects
    /// share but each needs in a different form.
    #[must_use]
    pub fn prepared_by(mut self, prepare: impl FnMut() + 'a) -> Self {
        self.prepare = Some(Box::new(prepare));
        self
    }

    /// Returns the time that calls `first..first + calls` take. The first of them is made once before, as the
    /// caches hold what the previous subject left there.
    fn sample(&mut self, watch: Stopwatch, first: usize, calls: usize) -> Duration {
        if let Some(prepare) = &mut self.prepare {
            prepare();
        }
        let Some(evict) = &mut self.evict else {
            (self.batch)(first, 1);
            return watch.time(|| (self.batch)(first, calls));
        };
        let mut total = Duration::ZERO;
        for index in first..first + calls {
            evict(index);
            total += watch.time(|| (self.batch)(index, 1));
        }
        total
    }

    /// Returns the number of calls that fill a sample.
    fn calibrate(&mut self, watch: Stopwatch, sample: Duration) -> usize {
        let most = if self.evict.is_some() {
            MOST_EVICTED_CALLS
        } else {
            usize::MAX
        };
        let mut calls = 1;
        loop {
            let taken = self.sample(watch, 0, calls);
            if taken >= sample || calls == most {
                return calls;
            }
            // A short first sample says little about the next one, so at most double the number of
            // calls.
            let wanted = sample.as_secs_f64() / taken.as_secs_f64().max(1e-9) * calls as f64;
            let long_enough = taken * 8 >= sample;
            let next = if long_enough {
                wanted.ceil() as usize
            } else {
                calls.saturating_mul(2)
            };
            calls = next.clamp(calls + 1, most);
            if long_enough {
                return calls;
            }
        }
    }
}

impl fmt::Debug for Subject<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Subject")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// A clock that does not count its own reading.
#[derive(Clone, Copy)]
struct Stopwatch {
    clock: Clock,
    overhead: Duration,
}

impl Stopwatch {
    fn time(self, work: impl FnOnce()) -> Duration {
        let start = self.clock.now();
        work();
        let taken = self.clock.now().saturating_sub(start);
        taken.saturating_sub(self.overhead)
    }
}

/// Samples of one subject.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// Name of the subject.
    pub name: String,
    /// Nanoseconds per call: the median of the rounds.
    pub nanoseconds: f64,
    /// Distance between the quartiles of the rounds, as a share of the median.
    pub spread: f64,
}

/// Settings of a measurement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rounds {
    /// Clock to use.
    pub clock: Clock,
    /// Number of turns of each subject; at least [`FEWEST_ROUNDS`] are run.
    pub rounds: usize,
    /// Time per turn: calls are repeated until a turn takes this long.
    pub sample: Duration,
}

impl Default for Rounds {
    /// Eleven rounds of one millisecond on the monotonic clock.
    fn default() -> Self {
        Self {
            clock: Clock::Monotonic,
            rounds: FEWEST_ROUNDS,
            sample: Duration::from_millis(1),
        }
    }
}

impl Rounds {
    /// Measures the subjects in turns. Returns one measurement for each, in their order.
    ///
    /// Takes about `rounds + 2` times `sample` for each subject, or that many calls if one call
    /// takes longer than a sample.
    #[must_use]
    pub fn measure(&self, mut subjects: Vec<Subject<'_>>) -> Vec<Measurement> {
        let watch = Stopwatch {
            clock: self.clock,
            overhead: self.clock.overhead(),
        };
        let calls: Vec<usize> = subjects
            .iter_mut()
            .map(|subject| subject.calibrate(watch, self.sample))
            .collect();
        let mut samples = vec![Vec::new(); subjects.len()];
        let mut order: Vec<usize> = (0..subjects.len()).collect();
        for round in 0..self.rounds.max(FEWEST_ROUNDS) {
            shuffle(&mut order, round as u64);
            for &turn in &order {
                let calls = calls[turn];
                let taken = subjects[turn].sample(watch, round * calls, calls);
                samples[turn].push(taken.as_secs_f64() * 1e9 / calls as f64);
            }
        }
        even_out(&mut samples);
        let summaries = subjects.into_iter().zip(samples);
        summaries
            .map(|(subject, samples)| summarise(subject.name, samples))
            .collect()
    }
}

/// Puts the subjects in another order, the same one for the same round.
///
/// A subject is slower after one that took long, during which other programs fill the cache that they share: encoding 16 MiB
/// of base64 took 1.06 to 1.15 times as long as the same code at another place in the order.
fn shuffle(order: &mut [usize], round: u64) {
    let mut state = round.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d;
    for last in (1..order.len()).rev() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        order.swap(last, (state % (last as u64 + 1)) as usize);
    }
}

/// Divides the samples of each round by the speed of the machine in that round: the median, over all subjects, of the sample as a
/// multiple of the subject's median. `samples` has the rounds of each subject. Leaves fewer than three subjects as they are.
///
/// A virtual machine becomes slower by up to 1.7 times for seconds, while its neighbour works. If that happens in half
/// of the rounds, the median alone is the slow time of the subjects before the change and the fast time of those
/// after it.
///
/// ```
/// use bytelane_measure::rounds::even_out;
///
/// let mut samples = [vec![10.0, 10.0, 17.0], vec![20.0, 34.0, 34.0], vec![30.0, 51.0, 51.0]];
/// even_out(&mut samples);
/// assert_eq!(samples[1][0] / samples[0][0], 2.0);
/// assert_eq!(samples[1][2] / samples[0][2], 2.0);
/// ```
pub fn even_out(samples: &mut [Vec<f64>]) {
    if samples.len() < 3 {
        return;
    }
    let medians: Vec<f64> = samples.iter().map(|rounds| median(rounds)).collect();
    for round in 0..samples[0].len() {
        let relative: Vec<f64> = samples
            .iter()
            .zip(&medians)
            .map(|(rounds, median)| rounds[round] / median)
            .collect();
        let slowness = median(&relative);
        // A clock too coarse for the sample says nothing about the machine.
        if slowness.is_finite() && slowness > 0.0 {
            samples
                .iter_mut()
                .for_each(|rounds| rounds[round] /= slowness);
        }
    }
}

fn median(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    quantile(&sorted, 0.5)
}

fn summarise(name: String, mut samples: Vec<f64>) -> Measurement {
    samples.sort_by(f64::total_cmp);
    // No call takes zero time: a clock too coarse for the sample must not lead to infinite speed.
    let nanoseconds = quantile(&samples, 0.5).max(1e-3);
    let spread = (quantile(&samples, 0.75) - quantile(&samples, 0.25)) / nanoseconds;
    Measurement {
        name,
        nanoseconds,
        spread,
    }
}

/// Returns the value below which the given share of `sorted` lies, interpolated if needed.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let (below, above) = (
        sorted[place.floor() as usize],
        sorted[place.ceil() as usize],
    );
    below + (above - below) * place.fract()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    const QUICK: Rounds = Rounds {
        clock: Clock::Monotonic,
        rounds: 0,
        sample: Duration::from_micros(50),
    };

    #[test]
    fn quantiles_interpolate() {
        assert_eq!(quantile(&[7.0], 0.5), 7.0);
        assert_eq!(quantile(&[1.0, 2.0], 0.5), 1.5);
        assert_eq!(quantile(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.25), 2.0);
    }

    #[test]
    fn the_median_ignores_a_disturbed_round() {
        let summary = summarise("x".into(), vec![10.0, 11.0, 9.0, 10.0, 5000.0]);
        assert_eq!(summary.nanoseconds, 10.0);
        assert_eq!(summary.spread, 0.1);
        assert!(summarise("coarse clock".into(), vec![0.0; 11]).nanoseconds > 0.0);
    }

    #[test]
    fn a_change_of_speed_between_two_subjects_favours_neither() {
        let (fast, slow) = (1.0, 1.7);
        for change in 0..33 {
            let sample = |subject: usize, round: usize| {
                let speed = if 3 * round + subject < change {
                    fast
                } else {
                    slow
                };
                [10.0, 20.0, 30.0][subject] * speed
            };
            let mut samples: Vec<Vec<f64>> = (0..3)
                .map(|subject| (0..11).map(|round| sample(subject, round)).collect())
                .collect();
            even_out(&mut samples);
            let [first, second, third] = [0, 1, 2].map(|subject| median(&samples[subject]));
            assert!(
                (second / first - 2.0).abs() < 1e-9,
                "{change}: {first} {second}"
            );
            assert!(
                (third / first - 3.0).abs() < 1e-9,
                "{change}: {first} {third}"
            );
        }
    }

    #[test]
    fn rounds_without_time_stay_as_they_are() {
        let mut samples = vec![vec![0.0; 11]; 3];
        even_out(&mut samples);
        assert_eq!(samples, vec![vec![0.0; 11]; 3]);
    }

    #[test]
    fn subjects_take_turns_at_least_eleven_times() {
        let order = RefCell::new(Vec::new());
        // Slow enough for one call to fill a sample, so each turn is one call.
        let slow = |name: char| {
            let order = &order;
            move |call: usize| {
                let start = Clock::Monotonic.now();
                while Clock::Monotonic.now() - start < QUICK.sample {}
                order.borrow_mut().push((name, call));
            }
        };
        let measured = QUICK.measure(vec![
            Subject::new("a", slow('a')),
            Subject::new("b", slow('b')),
        ]);
        assert_eq!(measured.len(), 2);
        let order = order.into_inner();
        // The first turn of each calibrates; in each turn, a call that is not timed precedes the one that is.
        let turns = order[4..].as_chunks::<4>().0;
        assert_eq!(turns.len(), FEWEST_ROUNDS);
        let of = |name, round| [(name, round); 2];
        let forward = |round| [of('a', round), of('b', round)].concat();
        let backward = |round| [of('b', round), of('a', round)].concat();
        let rounds = || turns.iter().enumerate();
        let both = rounds().all(|(i, turns)| *turns == *forward(i) || *turns == *backward(i));
        assert!(both, "{turns:?}");
        let first = rounds()
            .filter(|(i, turns)| **turns == *forward(*i))
            .count();
        assert!(
            (1..FEWEST_ROUNDS).contains(&first),
            "{first} rounds in the order of the subjects"
        );
    }

    #[test]
    fn batches_are_long_enough() {
        let calls = RefCell::new(0_usize);
        let rounds = Rounds {
            clock: Clock::ThreadCpu,
            ..QUICK
        };
        let measured = rounds.measure(vec![Subject::new("short", |_| *calls.borrow_mut() += 1)]);
        assert!(calls.into_inner() > 10 * FEWEST_ROUNDS, "{measured:?}");
    }

    #[test]
    fn each_turn_is_prepared() {
        let shared = RefCell::new("");
        let of = |name: &'static str| {
            let shared = &shared;
            let call = move |_| assert_eq!(*shared.borrow(), name);
            Subject::new(name, call).prepared_by(move || *shared.borrow_mut() = name)
        };
        let measured = QUICK.measure(vec![of("a"), of("b")]);
        assert_eq!(measured.len(), 2);
        assert_ne!(shared.into_inner(), "");
    }

    #[test]
    fn evicted_calls_are_prepared_one_by_one() {
        let (prepared, called) = (RefCell::new(0), RefCell::new(0));
        let subject = Subject::new("call", |_| {
            *called.borrow_mut() += 1;
            assert_eq!(*called.borrow(), *prepared.borrow());
        })
        .evicted_by(|_| *prepared.borrow_mut() += 1);
        let measured = QUICK.measure(vec![subject]);
        assert!(*called.borrow() >= FEWEST_ROUNDS);
        assert!(measured[0].nanoseconds > 0.0);
    }
}
