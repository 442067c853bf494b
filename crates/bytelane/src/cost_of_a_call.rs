//! Cost of a call besides its kernel: a measurement, not a test. `docs/lab-notes/cost-of-a-call.md`
//! has the results.
//!
//! ```text
//! cargo test --release --package bytelane --lib cost_of_a_call -- --ignored --nocapture
//! ```
#![forbid(unsafe_code)]

use std::time::Instant;
use std::vec::Vec;

/// Prints the nanoseconds of a call and of its kernel alone: medians of interleaved rounds. The
/// kernel is also a call, through a pointer, since it uses instructions that its caller is not
/// compiled for.
pub(crate) fn report(name: &str, call: impl Fn() -> f64, kernel: impl Fn() -> f64) {
    const ROUNDS: usize = 101;
    let mut nanoseconds = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        nanoseconds[0].push(call());
        nanoseconds[1].push(kernel());
    }
    let [call, kernel] = nanoseconds.map(|mut rounds| {
        rounds.sort_by(f64::total_cmp);
        rounds[ROUNDS / 2]
    });
    let more = call - kernel;
    std::println!("{name:<32} call {call:.2} ns, kernel {kernel:.2} ns, more {more:.2} ns");
    // The limit leaves room for the noise of other programs, but not for querying the CPU in each
    // call.
    assert!(more < 20.0, "{name}: {more} ns more than its kernel");
}

/// Returns the nanoseconds of one run, averaged over many.
pub(crate) fn round(mut run: impl FnMut()) -> f64 {
    const CALLS: u32 = 100_000;
    let start = Instant::now();
    for _ in 0..CALLS {
        run();
    }
    start.elapsed().as_nanos() as f64 / f64::from(CALLS)
}
