//! Tests comparison, exchange and deletion of roots.

use crate::data::{Lake, names, options};
use bytelane_dataset::{RunOptions, delete, plan, run, swap};
use std::fs;

fn finished() -> Lake {
    run_plan(Lake::new())
}

fn run_plan(lake: Lake) -> Lake {
    let plan = plan(lake.old(), &options()).unwrap();
    let outcome = run(&plan, lake.new_root(), &RunOptions::default()).unwrap();
    assert!(outcome.is_complete());
    lake
}

#[test]
fn nothing_is_swapped_or_deleted_before_it_was_verified() {
    let lake = finished();
    for error in [
        swap(lake.old(), lake.new_root()).unwrap_err(),
        delete(lake.old(), lake.new_root()).unwrap_err(),
    ] {
        assert!(error.to_string().contains("dataset verify"), "{error}");
    }
    lake.check();
    let (old, new) = (names(&lake.old()), names(&lake.new_root()));
    swap(lake.old(), lake.new_root()).unwrap();
    assert_eq!(
        (names(&lake.old()), names(&lake.new_root())),
        (new.clone(), old.clone())
    );
    // Exchange them again.
    swap(lake.old(), lake.new_root()).unwrap();
    assert_eq!(
        (names(&lake.old()), names(&lake.new_root())),
        (old.clone(), new.clone())
    );
    // The new files are not deleted in favour of the old ones.
    assert!(delete(lake.new_root(), lake.old()).is_err());
    fs::write(lake.old().join("year=2025/notes.txt"), "").unwrap();
    let deleted = delete(lake.old(), lake.new_root()).unwrap();
    assert_eq!(deleted.files, old.len());
    assert_eq!(names(&lake.new_root()), new);
    assert!(lake.old().join("year=2025/notes.txt").exists());
    assert!(!lake.old().join("year=2024").exists());
}

#[test]
fn a_change_after_the_comparison_counts() {
    let lake = finished();
    lake.check();
    lake.write("late.parquet", 0..10);
    assert!(swap(lake.old(), lake.new_root()).is_err());
    assert!(delete(lake.old(), lake.new_root()).is_err());
    assert!(swap(lake.old(), lake.old()).is_err());
    assert!(swap(lake.old(), lake.old().join("year=2024")).is_err());
}

#[test]
fn rows_that_are_lost_or_there_twice_are_named() {
    let lake = finished();
    let copy = |from: &str, to: &str| {
        fs::copy(lake.old().join(from), lake.new_root().join(to)).unwrap();
    };
    copy("year=2024/0.parquet", "year=2024/twice.parquet");
    let verified = lake.verify();
    assert_eq!(verified.differences.len(), 1);
    assert_eq!(verified.differences[0].partition, "year=2024");
    let difference = verified.differences[0].difference.as_ref().unwrap();
    assert_eq!((difference.left_rows, difference.right_rows), (5000, 6000));
    assert!(!difference.rows.is_empty());
    fs::remove_file(lake.new_root().join("year=2024/twice.parquet")).unwrap();
    lake.check();
    // The right rows, but in the wrong partition.
    let (from, to) = (
        lake.new_root().join("year=2025"),
        lake.new_root().join("year=2026"),
    );
    fs::rename(from, to).unwrap();
    let verified = lake.verify();
    assert_eq!(verified.differences.len(), 2, "{verified:?}");
    assert!(swap(lake.old(), lake.new_root()).is_err());
}

/// Replaces the files of the new root by links to those of the old one.
#[cfg(unix)]
fn link_all(lake: &Lake, link: impl Fn(&std::path::Path, &std::path::Path)) {
    for name in names(&lake.new_root()) {
        fs::remove_file(lake.new_root().join(name)).unwrap();
    }
    for name in names(&lake.old()) {
        link(&lake.old().join(&name), &lake.new_root().join(&name));
    }
}

#[cfg(unix)]
#[test]
fn links_to_the_old_files_are_no_second_copy() {
    use std::os::unix::fs::symlink;
    for is_hard in [false, true] {
        let lake = finished();
        lake.check();
        link_all(&lake, |file, name| match is_hard {
            true => fs::hard_link(file, name).unwrap(),
            false => symlink(file, name).unwrap(),
        });
        let error = bytelane_dataset::verify(lake.old(), lake.new_root(), |_| {
            std::ops::ControlFlow::Continue(())
        });
        let error = error.unwrap_err().to_string();
        assert!(error.contains("no second copy"), "{error}");
        assert!(swap(lake.old(), lake.new_root()).is_err());
        assert!(delete(lake.old(), lake.new_root()).is_err());
        assert_eq!(names(&lake.old()), names(&lake.new_root()));
    }
}

#[cfg(unix)]
#[test]
fn links_in_the_old_root_are_deleted_after_the_files_that_they_lead_to() {
    use std::os::unix::fs::symlink;
    let lake = Lake::new();
    symlink("good.parquet", lake.old().join("link.parquet")).unwrap();
    let lake = run_plan(lake);
    lake.check();
    let old = names(&lake.old()).len();
    let deleted = delete(lake.old(), lake.new_root()).unwrap();
    assert_eq!(deleted.files, old);
    assert!(fs::symlink_metadata(lake.old().join("link.parquet")).is_err());
    assert!(names(&lake.old()).is_empty());
}

#[cfg(unix)]
#[test]
fn a_copy_that_became_a_link_after_the_comparison_is_noticed() {
    let lake = finished();
    lake.check();
    // The only file whose copy has the same size and, once set, the same time.
    let (old, new) = (
        lake.old().join("good.parquet"),
        lake.new_root().join("good.parquet"),
    );
    let time = fs::metadata(&new).unwrap().modified().unwrap();
    let file = fs::File::options().write(true).open(&old).unwrap();
    file.set_modified(time).unwrap();
    lake.check();
    fs::remove_file(&new).unwrap();
    std::os::unix::fs::symlink(&old, &new).unwrap();
    assert!(swap(lake.old(), lake.new_root()).is_err());
    assert!(delete(lake.old(), lake.new_root()).is_err());
    assert!(old.exists());
}

#[test]
fn a_change_that_keeps_size_and_time_counts() {
    let lake = finished();
    lake.check();
    let path = lake.new_root().join("good.parquet");
    let (mut bytes, time) = (
        fs::read(&path).unwrap(),
        fs::metadata(&path).unwrap().modified().unwrap(),
    );
    bytes[100] ^= 1;
    fs::write(&path, bytes).unwrap();
    let file = fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(time).unwrap();
    if cfg!(unix) {
        assert!(delete(lake.old(), lake.new_root()).is_err());
    }
}

#[test]
fn a_new_root_in_the_old_one_is_refused_before_it_is_created() {
    let lake = Lake::new();
    let plan = plan(lake.old(), &options()).unwrap();
    let inside = lake.old().join("new");
    let error = run(&plan, &inside, &RunOptions::default()).unwrap_err();
    assert!(
        error.to_string().contains("outside of the old one"),
        "{error}"
    );
    assert!(!inside.exists());
}
