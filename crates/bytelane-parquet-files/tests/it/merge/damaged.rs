//! Tests damaged inputs: the error names the file, or the output has the rows that the reader
//! finds.

use super::{Files, properties, rows, written};
use bytelane_parquet::Progress;
use bytelane_parquet_files::diff::{DiffOptions, diff};
use bytelane_parquet_files::inspect::{InspectOptions, Inspection, inspect};
use bytelane_parquet_files::merge::{MergeOptions, merge};
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
                // The damage may have changed the name of a column.
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

/// Returns the number of rows of a file with an offset index of which no column has any of these bytes in its page or
/// dictionary; `None` if there are bytes outside the pages. Pages have 300 rows, those of lists a few more.
fn untouched_rows(file: &Inspection, changed: &[u64]) -> Option<u64> {
    const PAGES: [[usize; 2]; 3] = [[0, 315], [300, 629], [600, 700]];
    let columns = || file.row_groups.iter().flat_map(|it| &it.columns);
    let pages = columns().flat_map(|column| &column.pages);
    let end = pages.map(|page| page.offset + page.compressed).max()?;
    if changed.iter().any(|at| !(4..end).contains(at)) {
        return None;
    }
    let rows = usize::try_from(file.rows).ok()?;
    let mut untouched = vec![true; rows];
    for column in columns() {
        let mut pages = PAGES.iter();
        for page in &column.pages {
            let of_page = match page.kind.as_str() {
                "dictionary" => 0..rows,
                _ => pages.next().map(|[first, end]| *first..*end)?,
            };
            let bytes = page.offset..page.offset + page.compressed;
            if changed.iter().any(|at| bytes.contains(at)) {
                untouched[of_page].fill(false);
            }
        }
    }
    Some(untouched.iter().filter(|it| **it).count() as u64)
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
        .with_row_group_size(50)
        .with_progress(Progress::new(|done, total| {
            if done > total / 2 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        }));
    merge(&files.paths, &output, &options).unwrap_err();
    assert_eq!(fs::read(&output).unwrap(), b"old");
    assert_eq!(fs::read_dir(output.parent().unwrap()).unwrap().count(), 5);
}

#[test]
fn changed_bytes_of_files_that_are_split_repaired_or_salvaged_end_no_process() {
    use bytelane_parquet_files::merge::MergePages;
    use bytelane_parquet_files::repair::{RepairOptions, SalvageOptions, repair, salvage};
    let files = Files::new();
    let compression = parquet::basic::Compression::SNAPPY;
    let properties = properties().set_compression(compression);
    let good = written(&rows(0, 700), properties.build());
    let (bad, output) = (files.path("bad"), files.path("output"));
    fs::write(&bad, &good).unwrap();
    let inspection = inspect(&bad, &InspectOptions::default()).unwrap();
    let random = &mut Xoshiro256PlusPlus::seed_from_u64(2);
    let (mut same, mut errors, mut salvaged_rows, mut kept_rows) = (0, 0, 0, 0);
    for trial in 0..400 {
        let mut file = good.clone();
        let mut changed = Vec::new();
        for _ in 0..1 + trial % 3 {
            let at = random.next_u64() as usize % file.len();
            file[at] = random.next_u64() as u8;
            changed.push(at as u64);
        }
        fs::write(&bad, &file).unwrap();
        let options = MergeOptions::default();
        let done = match trial % 4 {
            0 => merge(&[&bad], &output, &options.with_row_group_size(123)).map(drop),
            1 => merge(&[&bad], &output, &options.with_pages(MergePages::Fresh)).map(drop),
            2 => {
                let options = RepairOptions::default().with_bloom_filters(vec!["many".to_owned()]);
                repair(&bad, &output, &options).map(drop)
            }
            _ => {
                if let Ok(salvaged) = salvage(&bad, &output, &SalvageOptions::default()) {
                    salvaged_rows += salvaged.rows;
                    assert!(salvaged.rows <= salvaged.rows_before);
                    // Only the rows of damaged pages are lost, unless the footer or an index is damaged.
                    let untouched = untouched_rows(&inspection, &changed).unwrap_or(0);
                    assert!(salvaged.rows >= untouched, "{trial}: {salvaged:?}");
                    kept_rows += untouched;
                }
                continue;
            }
        };
        if done.is_err() {
            errors += 1;
            continue;
        }
        let options = DiffOptions::default().with_missing_as_null(true);
        if let Ok(difference) = diff(&[&bad], &[&output], &options) {
            assert!(difference.is_none(), "{trial}: {difference:?}");
            same += 1;
        }
    }
    assert!(
        errors > 20 && same > 20 && salvaged_rows > 700 && kept_rows > 700,
        "{errors} {same} {salvaged_rows} {kept_rows}"
    );
}
