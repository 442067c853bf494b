//! Plans, runs and compares data sets on stores, with faults in every request.

#[path = "../it/data.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod data;
mod disk;
#[path = "../../../bytelane-store/tests/objects/faulty.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod faulty;
#[path = "../it/kill.rs"]
mod kill;

use bytelane_dataset::{Plan, RunOptions, delete, list, plan, run, swap, verify};
use bytelane_store::{Location, Store};
use data::{Lake, options};
use faulty::{Fault, Faulty, Request};
use kill::killed;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// Registers a store whose objects are the files below a directory, so they outlive a process that is killed.
fn prepare_store(directory: &Path) {
    bytelane_store::install();
    let store = Arc::new(disk::Disk::new(directory));
    Store::register("memory://disk", store, 64 << 20);
}

/// Copies the files of a lake to a root on a store.
fn upload(lake: &Lake, root: &str) {
    bytelane_store::install();
    for file in list(lake.old()).unwrap().files {
        let location = Location::parse(&format!("{root}/{}", file.path)).unwrap();
        let bytes = fs::read(lake.old().join(file.path)).unwrap();
        let store = Store::of(&location).unwrap();
        store.replace_bytes(&location, bytes).unwrap();
    }
}

fn names(root: &str) -> Vec<String> {
    let files = list(root).unwrap().files.into_iter();
    files.map(|file| file.path).collect()
}

#[track_caller]
fn check(old: &str, new: &str) {
    let verified = verify(old, new, |_| ControlFlow::Continue(())).unwrap();
    assert!(verified.is_same(), "{:?}", verified.differences);
    assert_eq!(verified.rows[0], verified.rows[1]);
}

#[test]
fn a_data_set_on_a_store_is_rewritten_once() {
    let faulty = Faulty::new();
    faulty.registered("memory://once");
    let lake = Lake::new();
    let (old, new) = ("memory://once/old", "memory://once/new");
    upload(&lake, old);
    let made = plan(old, &options()).unwrap();
    let on_disk = plan(lake.old(), &options()).unwrap();
    assert_eq!(made.expected, on_disk.expected);
    assert_eq!(made.units.len(), on_disk.units.len());
    let made = Plan::parse(&serde_json::to_vec(&made).unwrap()).unwrap();
    let outcome = run(&made, new, &RunOptions::default()).unwrap();
    assert!(outcome.is_complete(), "{outcome:?}");
    check(old, new);
    // From the store to a disk, and back.
    run(&made, lake.new_root(), &RunOptions::default()).unwrap();
    check(old, lake.new_root().to_str().unwrap());
    assert_eq!(names(lake.new_root().to_str().unwrap()), names(new));
    run(&on_disk, "memory://once/from-disk", &RunOptions::default()).unwrap();
    check(old, "memory://once/from-disk");

    // The next run has nothing to do, and the state has the journal alone.
    let puts = faulty.count(Request::Put, "once/");
    let again = run(&made, new, &RunOptions::default()).unwrap();
    assert_eq!((again.published, again.published_before), (0, again.units));
    assert_eq!(faulty.count(Request::Put, "once/"), puts);
    let state = Location::parse(&format!("{new}/_bytelane")).unwrap();
    let state = Store::of(&state).unwrap().list(&state).unwrap();
    let is_known = |key: &str| {
        key.contains("/journal-0-of-1/")
            || key.ends_with("n.json")
            || key.ends_with("e.json")
            || key.ends_with("d.json")
    };
    assert!(state.iter().all(|it| is_known(it.0.key())), "{state:?}");

    let error = swap(old, new).unwrap_err().to_string();
    assert!(error.contains("cannot be renamed"), "{error}");
    let error = delete(new, old).unwrap_err().to_string();
    assert!(error.contains("was not compared"), "{error}");
    let deleted = delete(old, new).unwrap();
    assert_eq!(deleted.files, made.files);
    assert_eq!(names(old), Vec::<String>::new());
    assert!(delete(old, new).is_err());
}

#[test]
fn faults_lose_and_repeat_nothing() {
    let lake = Lake::new();
    for (number, (request, fault)) in [
        (Request::Put, Fault::Lost),
        (Request::Put, Fault::Dropped),
        (Request::Copy, Fault::Lost),
        (Request::Copy, Fault::Dropped),
        (Request::Get, Fault::Dropped),
        (Request::Get, Fault::Truncated),
    ]
    .into_iter()
    .enumerate()
    {
        let faulty = Faulty::new();
        let root = format!("memory://faults-{number}");
        faulty.registered(&root);
        let (old, new) = (format!("{root}/old"), format!("{root}/new"));
        upload(&lake, &old);
        // Each kind of object, several times.
        for key in [
            "new/part",
            "new/large",
            "journal",
            "tmp",
            "plan",
            "complete",
            "old/",
            "old/year",
            "year",
            "new/",
        ] {
            faulty.fail(request, key, fault);
        }
        let made = plan(&old, &options()).unwrap();
        let outcome = run(&made, &new, &RunOptions::default()).unwrap();
        assert!(outcome.is_complete(), "{request:?} {fault:?}: {outcome:?}");
        check(&old, &new);
    }
}

#[test]
fn a_source_that_changes_fails_its_unit_alone() {
    let faulty = Faulty::new();
    faulty.registered("memory://changing");
    let lake = Lake::new();
    let (old, new) = ("memory://changing/old", "memory://changing/new");
    upload(&lake, old);
    let made = plan(old, &options()).unwrap();
    faulty.fail(Request::Get, "old/year=2025/1", Fault::Changed);
    let outcome = run(&made, new, &RunOptions::default()).unwrap();
    assert_eq!(outcome.failed.len(), 1, "{outcome:?}");
    let error = &outcome.failed[0].error;
    let expected = "memory://changing/old/year=2025/1.parquet: it has changed since the plan was made; make a new plan";
    assert_eq!(error, expected);
    assert!(!outcome.is_complete());
    assert!(names(new).iter().all(|name| !name.starts_with("year=2025")));
}

#[test]
fn shards_need_a_store_that_checks_conditions() {
    Faulty::that_ignores_conditions().registered("memory://unchecked");
    let lake = Lake::new();
    let (old, new) = ("memory://unchecked/old", "memory://unchecked/new");
    upload(&lake, old);
    let made = plan(old, &options()).unwrap();
    let sharded = RunOptions::default().with_shard("0/2".parse().unwrap());
    let error = run(&made, new, &sharded).unwrap_err().to_string();
    assert!(
        error.contains("If-None-Match") && error.contains("without --shard"),
        "{error}"
    );
    let outcome = run(&made, new, &RunOptions::default()).unwrap();
    assert!(outcome.is_complete(), "{outcome:?}");
    check(old, new);
}

#[test]
fn two_runs_of_a_shard_notice_each_other() {
    Faulty::new().registered("memory://two-runs");
    let lake = Lake::new();
    let (old, new) = ("memory://two-runs/old", "memory://two-runs/new");
    upload(&lake, old);
    let made = plan(old, &options()).unwrap();
    let other = made.clone();
    let is_first = std::sync::atomic::AtomicBool::new(true);
    let hook = move |_: &str, point: &str| {
        // Another process runs all of the plan, just before this one records its first unit.
        if point == "written" && is_first.swap(false, std::sync::atomic::Ordering::Relaxed) {
            run(&other, new, &RunOptions::default()).unwrap();
        }
    };
    let error = run(&made, new, &RunOptions::default().with_point_hook(hook)).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("another process works on this shard"),
        "{error}"
    );
    check(old, new);
}

#[test]
fn a_run_that_is_killed_at_any_state_is_finished_by_the_next_one() {
    let lake = Lake::new();
    let store = lake.old().with_file_name("store");
    fs::create_dir(&store).unwrap();
    prepare_store(&store);
    let (old, new) = ("memory://disk/old", "memory://disk/new");
    upload(&lake, old);
    let made = plan(old, &options()).unwrap();
    let path = lake.old().join("plan.json");
    fs::write(&path, serde_json::to_vec(&made).unwrap()).unwrap();
    run(&made, new, &RunOptions::default()).unwrap();
    let expected = names(new);
    let mut kills = 0;
    for point in ["started", "written", "verified", "renamed", "published"] {
        for before in [0, 2, 4] {
            fs::remove_dir_all(store.join("new")).unwrap();
            kills += usize::from(killed(&path, Path::new(new), point, before, Some(&store)));
            let there = names(new);
            assert!(
                there.iter().all(|name| expected.contains(name)),
                "{there:?}"
            );
            let outcome = run(&made, new, &RunOptions::default()).unwrap();
            assert!(outcome.is_complete(), "{point} {before}: {outcome:?}");
            assert_eq!(names(new), expected, "{point} {before}");
            check(old, new);
        }
    }
    assert_eq!(kills, 15);
}

#[test]
fn tables_of_other_formats_are_refused() {
    let store = Faulty::new().registered("memory://formats");
    let put = |key: &str| {
        let location = Location::parse(&format!("memory://formats/{key}")).unwrap();
        store.put_if_absent(&location, key.to_owned()).unwrap();
    };
    put("delta/_delta_log/0.json");
    put("iceberg/metadata/v1.metadata.json");
    put("plain/metadata/notes.json");
    put("plain/x=1/_hidden/a.parquet");
    put("plain/_x=1/a.parquet");
    let format = |root: &str| list(root).unwrap().owner.map(|it| it.format);
    assert_eq!(format("memory://formats/delta"), Some("Delta Lake"));
    assert_eq!(format("memory://formats/iceberg"), Some("Apache Iceberg"));
    let listing = list("memory://formats/plain").unwrap();
    assert_eq!((listing.owner, listing.others), (None, 1));
    assert_eq!(names("memory://formats/plain"), ["_x=1/a.parquet"]);
}
