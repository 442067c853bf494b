//! Tests the files around a rewrite, which may succeed or fail.

use super::*;
use bytelane_parquet::Progress;

fn replace(path: &Path, options: &RewriteOptions) -> bytelane_parquet::Result<Rewritten> {
    rewrite(path, path, options)
}

#[test]
fn a_file_can_take_its_own_place() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("data.parquet");
    let before = file(WriterVersion::PARQUET_1_0);
    fs::write(&path, &before).unwrap();
    replace(&path, &other_encodings()).unwrap();
    assert_kept(&before, &fs::read(&path).unwrap().into());
    assert_eq!(
        fs::read_dir(directory.path()).unwrap().count(),
        1,
        "nothing is left beside it"
    );
}

#[test]
#[cfg(unix)]
fn permissions_and_symbolic_links_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let directory = tempfile::tempdir().unwrap();
    let [path, link, copy] = ["data", "link", "copy"].map(|name| directory.path().join(name));
    fs::write(&path, file(WriterVersion::PARQUET_1_0)).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    symlink(&path, &link).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    rewrite(&link, &link, &RewriteOptions::default()).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(mode(&path), 0o640);
    rewrite(&path, &copy, &RewriteOptions::default()).unwrap();
    assert_eq!(mode(&copy), 0o640);
}

#[test]
#[cfg(unix)]
fn a_link_to_a_file_that_is_not_there_yet_stays() {
    use std::os::unix::fs::symlink;
    let directory = tempfile::tempdir().unwrap();
    let [path, target, near, far] =
        ["data", "target", "near", "far"].map(|name| directory.path().join(name));
    fs::write(&path, file(WriterVersion::PARQUET_1_0)).unwrap();
    symlink("target", &near).unwrap();
    symlink(&near, &far).unwrap();
    rewrite(&path, &far, &RewriteOptions::default()).unwrap();
    assert!(fs::symlink_metadata(&near).unwrap().is_symlink());
    assert!(fs::symlink_metadata(&far).unwrap().is_symlink());
    assert!(fs::symlink_metadata(&target).unwrap().is_file());
    let around = directory.path().join("around");
    symlink("around", &around).unwrap();
    assert!(rewrite(&path, &around, &RewriteOptions::default()).is_err());
}

#[test]
fn the_target_stays_as_it_was_when_something_is_wrong() {
    let directory = tempfile::tempdir().unwrap();
    let [path, other] = ["data", "other"].map(|name| directory.path().join(name));
    let mut damaged = file(WriterVersion::PARQUET_1_0).to_vec();
    let middle = damaged.len() / 2;
    damaged[middle..middle + 100].fill(0xff);
    fs::write(&path, &damaged).unwrap();
    fs::write(&other, b"precious").unwrap();
    let error = rewrite(&path, &other, &other_encodings()).unwrap_err();
    assert_eq!(
        error.place().file.as_deref(),
        Some(path.as_path()),
        "{error}"
    );
    assert!(replace(&path, &other_encodings()).is_err());
    assert_eq!(fs::read(&other).unwrap(), b"precious");
    assert_eq!(fs::read(&path).unwrap(), damaged);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2);
    let error = rewrite(&path, directory.path().join("no/such"), &other_encodings()).unwrap_err();
    assert!(matches!(error.problem(), Problem::Io(_)), "{error}");
}

#[test]
fn work_can_be_cancelled() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("data");
    let before = file(WriterVersion::PARQUET_1_0);
    fs::write(&path, &before).unwrap();
    let options = other_encodings().with_progress(Progress::new(|done, total| {
        if done * 2 > total {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }));
    let error = replace(&path, &options).unwrap_err();
    assert!(matches!(error.problem(), Problem::Cancelled), "{error}");
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[test]
fn a_comparison_can_be_cancelled() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("data");
    let before = file(WriterVersion::PARQUET_1_0);
    fs::write(&path, &before).unwrap();
    let finished = AtomicUsize::new(0);
    let options = other_encodings()
        .with_verify(true)
        .with_progress(Progress::new(move |done, total| {
            // Count once when everything is written, and then while it is read again.
            let times = usize::from(done == total);
            match finished.fetch_add(times, Ordering::Relaxed) + times {
                0 | 1 => ControlFlow::Continue(()),
                _ => ControlFlow::Break(()),
            }
        }));
    let error = replace(&path, &options).unwrap_err();
    assert!(matches!(error.problem(), Problem::Cancelled), "{error}");
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}
