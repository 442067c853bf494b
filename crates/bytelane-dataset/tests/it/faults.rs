//! Kills a process in every state: the next run finishes, and no rows are lost or duplicated.

use crate::data::{Lake, names, options};
use crate::kill::killed;
use bytelane_dataset::{RunOptions, plan, run};
use bytelane_parquet_files::inspect::{InspectOptions, inspect};
use std::fs;

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
            kills += usize::from(killed(&path, &lake.new_root(), point, before, None));
            // Complete files only, each with its final name.
            let there = names(&lake.new_root());
            assert!(
                there.iter().all(|name| expected.contains(name)),
                "{there:?}"
            );
            for name in &there {
                inspect(lake.new_root().join(name), &InspectOptions::default()).unwrap();
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
    while killed(&path, &lake.new_root(), "renamed", 0, None) {
        kills += 1;
        assert!(kills < 50);
    }
    // Each run finds what the previous one renamed, and continues with the next unit.
    assert!(kills >= 3, "{kills}");
    lake.check();
}
