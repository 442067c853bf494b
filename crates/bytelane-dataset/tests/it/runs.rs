//! Tests the outputs of runs.

use crate::data::{Lake, names, options};
use bytelane_dataset::{Run, RunOptions, plan, run};
use std::fs;
use std::num::NonZero;
use std::ops::ControlFlow;

#[track_caller]
fn run_all(lake: &Lake, options: &RunOptions) -> Run {
    let plan = plan(lake.old(), &crate::data::options()).unwrap();
    run(&plan, lake.new_root(), options).unwrap()
}

#[test]
fn a_run_keeps_all_rows_and_a_second_one_writes_nothing() {
    let lake = Lake::new();
    let before = names(&lake.old());
    let first = run_all(&lake, &RunOptions::default());
    assert!(
        first.is_complete() && first.published == first.units,
        "{first:?}"
    );
    assert!(first.bytes_after < first.bytes_before, "{first:?}");
    lake.check();
    assert!(lake.new_root().join("_bytelane/complete.json").exists());
    assert_eq!(names(&lake.old()), before);
    let times = || {
        let files = names(&lake.new_root()).into_iter();
        let time = |name: &String| fs::metadata(lake.new_root().join(name)).unwrap().modified();
        files
            .map(|name| (time(&name).unwrap(), name))
            .collect::<Vec<_>>()
    };
    let written = times();
    let second = run_all(&lake, &RunOptions::default());
    assert!(second.is_complete() && second.published == 0, "{second:?}");
    assert_eq!(second.published_before, first.units);
    assert_eq!(times(), written);
    // The new root needs no changes.
    let next = plan(lake.new_root(), &options()).unwrap();
    assert!(next.is_empty(), "{:?}", next.units);
    let nothing = run(&next, lake.old().join("../third"), &RunOptions::default()).unwrap();
    assert!(nothing.is_complete() && !lake.old().join("../third").exists());
}

#[test]
fn shards_and_jobs_share_the_work() {
    let lake = Lake::new();
    let two = NonZero::new(2).unwrap();
    let first = run_all(
        &lake,
        &RunOptions::default().with_shard("0/2".parse().unwrap()),
    );
    assert!(!first.complete && first.remaining > 0, "{first:?}");
    assert_eq!(first.published + first.remaining, first.units);
    assert!(!lake.verify().is_same());
    let shard = RunOptions::default().with_shard("1/2".parse().unwrap());
    let second = run_all(&lake, &shard.with_jobs(two));
    assert!(second.is_complete(), "{second:?}");
    lake.check();
    // A run with another number of shards finds nothing to do.
    let third = run_all(&lake, &RunOptions::default());
    assert_eq!((third.published, third.published_before), (0, third.units));
}

#[test]
fn a_source_that_changed_fails_and_is_tried_again_on_demand() {
    let lake = Lake::new();
    let plan = plan(lake.old(), &options()).unwrap();
    let path = lake.old().join("year=2024/2.parquet");
    let (bytes, time) = (
        fs::read(&path).unwrap(),
        fs::metadata(&path).unwrap().modified().unwrap(),
    );
    lake.write("year=2024/2.parquet", 7000..7001);
    let first = run(&plan, lake.new_root(), &RunOptions::default()).unwrap();
    assert_eq!((first.failed.len(), first.complete), (1, false));
    assert_eq!(first.published, first.units - 1);
    assert!(
        first.failed[0].error.contains("year=2024/2.parquet"),
        "{:?}",
        first.failed
    );
    fs::write(&path, bytes).unwrap();
    fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_modified(time)
        .unwrap();
    let second = run(&plan, lake.new_root(), &RunOptions::default()).unwrap();
    assert_eq!((second.failed.len(), second.published), (1, 0));
    let again = RunOptions::default().with_retry_failed(true);
    let third = run(&plan, lake.new_root(), &again).unwrap();
    assert!(third.is_complete() && third.published == 1, "{third:?}");
    lake.check();
}

#[test]
fn a_source_that_changes_while_it_is_read_is_not_published() {
    let lake = Lake::new();
    let plan = plan(lake.old(), &options()).unwrap();
    let path = lake.old().join("year=2025/0.parquet");
    let unit = plan
        .units
        .iter()
        .find(|unit| unit.partition() == "year=2025")
        .unwrap();
    let (id, other) = (unit.id.clone(), path.clone());
    let options = RunOptions::default().with_point_hook(move |unit, point| {
        if unit == id && point == "written" {
            // The same bytes and rows, but another modification time.
            fs::write(&other, fs::read(&other).unwrap()).unwrap();
        }
    });
    let outcome = run(&plan, lake.new_root(), &options).unwrap();
    assert_eq!(outcome.failed.len(), 1, "{outcome:?}");
    let published = names(&lake.new_root());
    assert!(
        !published.iter().any(|name| name.starts_with("year=2025")),
        "{published:?}"
    );
}

#[test]
fn files_outside_of_the_plan_are_noticed() {
    let lake = Lake::new();
    let plan = plan(lake.old(), &options()).unwrap();
    lake.write("year=2026/late.parquet", 0..10);
    let outcome = run(&plan, lake.new_root(), &RunOptions::default()).unwrap();
    assert_eq!(outcome.unplanned, ["year=2026/late.parquet"]);
    assert!(!outcome.is_complete() && !outcome.complete);
    assert!(!lake.new_root().join("_bytelane/complete.json").exists());
    assert_eq!(lake.verify().differences.len(), 1);
}

#[test]
fn a_new_root_must_be_new() {
    let lake = Lake::new();
    let plan = plan(lake.old(), &options()).unwrap();
    let refused = |root| {
        let error = run(&plan, root, &RunOptions::default()).unwrap_err();
        error.to_string()
    };
    assert!(refused(lake.old()).contains("outside of the old one"));
    assert!(refused(lake.old().join("below")).contains("outside of the old one"));
    fs::create_dir(lake.new_root()).unwrap();
    let stray = lake.new_root().join("stray.parquet");
    fs::copy(lake.old().join("good.parquet"), &stray).unwrap();
    assert!(refused(lake.new_root()).contains("name a new directory"));
    fs::remove_file(stray).unwrap();
    run(&plan, lake.new_root(), &RunOptions::default()).unwrap();
    let other = bytelane_dataset::plan(lake.old(), &options().with_row_group_size(77)).unwrap();
    let error = run(&other, lake.new_root(), &RunOptions::default()).unwrap_err();
    assert!(error.to_string().contains("another plan"), "{error}");
}

#[test]
fn a_cancelled_run_is_resumed() {
    let lake = Lake::new();
    let plan = plan(lake.old(), &options()).unwrap();
    let stopping = RunOptions::default().with_progress(|progress| {
        if progress.units >= 2 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    let error = run(&plan, lake.new_root(), &stopping).unwrap_err();
    assert!(error.is_cancelled(), "{error}");
    let outcome = run(&plan, lake.new_root(), &RunOptions::default()).unwrap();
    assert!(
        outcome.is_complete() && outcome.published_before == 2,
        "{outcome:?}"
    );
    lake.check();
}

#[test]
fn an_output_that_is_gone_is_made_again() {
    let lake = Lake::new();
    run_all(&lake, &RunOptions::default());
    let name = names(&lake.new_root())
        .into_iter()
        .find(|name| name.contains("part-"))
        .unwrap();
    fs::remove_file(lake.new_root().join(&name)).unwrap();
    let outcome = run_all(&lake, &RunOptions::default());
    assert_eq!(outcome.published, 1, "{outcome:?}");
    assert!(lake.new_root().join(name).exists());
    lake.check();
}
