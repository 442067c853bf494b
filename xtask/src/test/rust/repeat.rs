//! The stage `repeat`: runs the workspace's tests many times, to find flaky tests here rather than
//! in a pull request.

use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

use anyhow::{Result, ensure};

use crate::process::{cargo, run};

/// Number of runs of all tests, on an idle machine and again on a busy one.
const TIMES: usize = 20;

pub fn run_stage() -> Result<()> {
    run(suite().arg("--no-run"))?;
    let idle = repeat("idle");
    let busy = while_busy(|| repeat("busy"));
    let failures = [idle, busy].concat();
    ensure!(failures.is_empty(), "failed: {}", failures.join(", "));
    Ok(())
}

/// Returns the test command, with small grids: large ones find wrong code, but this stage looks for
/// tests that depend on time and order.
fn suite() -> Command {
    let mut command = cargo("test --quiet --locked --workspace --tests --no-fail-fast");
    command.env("BYTELANE_TEST_GRID", "reduced");
    command
}

/// Runs the tests repeatedly, and returns the failed runs.
fn repeat(machine: &str) -> Vec<String> {
    let mut failures = Vec::new();
    for turn in 1..=TIMES {
        println!("-- {machine} machine, run {turn} of {TIMES}");
        if run(&mut suite()).is_err() {
            failures.push(format!("run {turn} on the {machine} machine"));
        }
    }
    failures
}

/// Calls a function while busy threads, two per core, load the machine.
fn while_busy<R>(call: impl FnOnce() -> R) -> R {
    let done = AtomicBool::new(false);
    let cores = thread::available_parallelism().map_or(2, usize::from);
    thread::scope(|scope| {
        for _ in 0..2 * cores {
            scope.spawn(|| {
                while !done.load(Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let result = call();
        done.store(true, Relaxed);
        result
    })
}
