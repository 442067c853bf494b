//! Kills a process at a chosen point of a run.

use bytelane_dataset::{Plan, RunOptions, run};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Variable with the plan, the new root, the point at which the process waits to be killed, how many
/// times it passes that point before, and the directory of a store.
const VARIABLE: &str = "BYTELANE_DATASET_TEST";

/// Word that the process prints when it waits.
const WAITING: &str = "waiting to be killed";

/// Runs in the process that the tests kill; does nothing otherwise.
#[test]
fn child() {
    let Ok(text) = std::env::var(VARIABLE) else {
        return;
    };
    let parts: Vec<&str> = text.split('|').collect();
    let (point, before): (String, usize) = (parts[2].to_owned(), parts[3].parse().unwrap());
    let (plan, root) = (Plan::open(parts[0]).unwrap(), parts[1]);
    if !parts[4].is_empty() {
        crate::prepare_store(Path::new(parts[4]));
    }
    let passed = AtomicUsize::new(0);
    let options = RunOptions::default().with_point_hook(move |_, reached| {
        if reached == point && passed.fetch_add(1, Ordering::Relaxed) == before {
            println!("\n{WAITING}");
            loop {
                thread::park();
            }
        }
    });
    let outcome = run(&plan, root, &options).unwrap();
    assert!(outcome.failed.is_empty(), "{outcome:?}");
}

/// Runs a plan in a process that is killed at a point. Returns false if the run ended before
/// reaching it.
/// With a directory of a store, the roots are on this store.
pub fn killed(plan: &Path, root: &Path, point: &str, before: usize, store: Option<&Path>) -> bool {
    let (is_waiting, status) = run_until(plan, root, point, before, store);
    assert!(is_waiting || status.success(), "{point} {before}: {status}");
    is_waiting
}

/// Runs a plan in a process that is killed at a point. Returns whether the run reached it, and how the process
/// ended: the run may also fail.
pub fn run_until(
    plan: &Path,
    root: &Path,
    point: &str,
    before: usize,
    store: Option<&Path>,
) -> (bool, ExitStatus) {
    let store = store.map_or(String::new(), |store| store.display().to_string());
    let text = format!(
        "{}|{}|{point}|{before}|{store}",
        plan.display(),
        root.display()
    );
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "kill::child", "--nocapture", "--test-threads=1"])
        .env(VARIABLE, text)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let is_waiting = lines.map_while(Result::ok).any(|line| line == WAITING);
    if is_waiting {
        child.kill().unwrap();
    }
    (is_waiting, child.wait().unwrap())
}
