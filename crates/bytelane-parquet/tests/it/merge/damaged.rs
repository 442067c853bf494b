//! Inputs that are damaged: an error names the file, or the rows are those that the reader finds.

use super::{Files, properties, rows, written};
use bytelane_parquet::diff::{DiffOptions, diff};
use bytelane_parquet::merge::{MergeOptions, merge};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::fs;
use std::ops::ControlFlow;

#[test]
fn changed_bytes_are_an_error_or_change_no_other_rows() {
    let mut files = Files::new();
    files.write(&rows(0, 120), properties().build());
    files.write(&rows(120, 120), properties().build());
    let good = written(
        &rows(240, 120),
        properties().set_bloom_filter_enabled(true).build(),
    );
    let bad = files.path("bad");
    files.paths.push(bad.clone());
    let output = files.path("merged");
    let random = &mut Xoshiro256PlusPlus::seed_from_u64(1);
    let (mut errors, mut merges) = (0, 0);
    for _ in 0..300 {
        let mut file = good.clone();
        let at = random.next_u64() as usize % file.len();
        file[at] ^= 1 << (random.next_u64() % 8);
        if random.next_u64().is_multiple_of(4) {
            let at = random.next_u64() as usize % file.len();
            file[at] = random.next_u64() as u8;
        }
        fs::write(&bad, &file).unwrap();
        match merge(&files.paths, &output, &MergeOptions::default()) {
            Err(_) => {
                errors += 1;
                assert!(!output.exists());
            }
            Ok(merged) => {
                merges += 1;
                assert_eq!(merged.rows, 360);
                // The name of a column may be another one.
                let options = DiffOptions::default().with_missing_as_null(true);
                let difference = diff(&files.paths, &[&output], &options);
                if let Ok(difference) = difference {
                    assert!(difference.is_none(), "{difference:?}");
                }
                fs::remove_file(&output).unwrap();
            }
        }
    }
    assert!(errors > 20 && merges > 20, "{errors} {merges}");
    let left = fs::read_dir(output.parent().unwrap()).unwrap().count();
    assert_eq!(left, 3, "a partial file is left");
}

#[test]
fn cancelled_work_leaves_nothing() {
    let mut files = Files::new();
    for at in 0..4 {
        files.write(&rows(at * 50, 50), properties().build());
    }
    let output = files.path("merged");
    fs::write(&output, "old").unwrap();
    let options = MergeOptions::default()
        .with_row_group_rows(50)
        .with_progress(|done, total| {
            if done > total / 2 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
    merge(&files.paths, &output, &options).unwrap_err();
    assert_eq!(fs::read(&output).unwrap(), b"old");
    assert_eq!(fs::read_dir(output.parent().unwrap()).unwrap().count(), 5);
}
