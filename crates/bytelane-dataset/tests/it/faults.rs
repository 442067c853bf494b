//! Kills a process in every state: the next run finishes, and no rows are lost or duplicated.

use crate::data::{Lake, names, options};
use bytelane_dataset::{Plan, RunOptions, plan, run};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Variable with the plan, the new root, the point at which the process waits to be killed, and how
/// many times it passes that point before.
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
    let passed = AtomicUsize::new(0);
    let options = RunOptions::default().with_point_hook(move |_, reached| {
        if reached == point && passed.fetch_add(1, Ordering::Relaxed) == before {
            println!("\n{WAITING}");
            loop {
                thread::park();
            }
        }
    });
    let outcome = run(&Plan::open(parts[0]).unwrap(), parts[1], &options).unwrap();
    assert!(outcome.failed.is_empty(), "{outcome:?}");
}

/// Runs a plan in a process that is killed at a point. Returns false if the run ended before
/// reaching it.
fn killed(plan: &Path, root: &Path, point: &str, before: usize) -> bool {
    let text = format!("{}|{}|{point}|{before}", plan.display(), root.display());
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "faults::child",
            "--nocapture",
            "--test-threads=1",
        ])
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
    let status = child.wait().unwrap();
    assert!(is_waiting || status.success(), "{point} {before}: {status}");
    is_waiting
}

#[test]
fn a_run_that_is_killed_at_any_state_is_finished_by_the_next_one() {
    let lake = Lake::new();
    let plan = plan(lake.old(), &options()).unwrap();
    let path = lake.old().join("plan.json");
    fs::write(&path, serde_json::to_vec(&plan).unwrap()).unwrap();
    run(&plan, lake.new_root(), &RunOptions::default()).unwrap();
    let expected = names(&lake.new_root());
    let mut kills = 0;
    for point in ["started", "written", "verified", "renamed", "published"] {
        // The first unit, the last file of a split one, and a copy.
        for before in [0, 2, 4] {
            fs::remove_dir_all(lake.new_root()).unwrap();
            kills += usize::from(killed(&path, &lake.new_root(), point, before));
            // Complete files only, each with its final name.
            let there = names(&lake.new_root());
            assert!(
                there.iter().all(|name| expected.contains(name)),
                "{there:?}"
            );
            for name in &there {
                bytelane_parquet::inspect::inspect(lake.new_root().join(name)).unwrap();
            }
            let outcome = run(&plan, lake.new_root(), &RunOptions::default()).unwrap();
            assert!(outcome.is_complete(), "{point} {before}: {outcome:?}");
            assert_eq!(names(&lake.new_root()), expected, "{point} {before}");
            lake.check();
            let rest = fs::read_dir(lake.new_root().join("_bytelane"))
                .unwrap()
                .flatten();
            let rest = rest.filter(|it| it.file_name().to_string_lossy().starts_with("tmp"));
            assert_eq!(rest.count(), 0);
        }
    }
    assert_eq!(kills, 15);
}

#[test]
fn a_run_that_is_killed_again_and_again_comes_to_an_end() {
    let lake = Lake::new();
    let plan = plan(lake.old(), &options()).unwrap();
    let path = lake.old().join("plan.json");
    fs::write(&path, serde_json::to_vec(&plan).unwrap()).unwrap();
    let mut kills = 0;
    while killed(&path, &lake.new_root(), "renamed", 0) {
        kills += 1;
        assert!(kills < 50);
    }
    // Each run finds what the previous one renamed, and continues with the next unit.
    assert!(kills >= 3, "{kills}");
    lake.check();
}
