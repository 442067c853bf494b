//! Exchanges an old and a new root, and deletes the old files. Both operations require that the
//! roots have been compared.

use crate::identity::Identities;
use crate::listing::{Listing, SourceFile, list};
use crate::root::Root;
use crate::verify::Mark;
use crate::{Error, Result};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Files that were deleted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Deleted {
    /// Number of files.
    pub files: usize,
    /// Total size in bytes.
    pub bytes: u64,
}

/// Exchanges two roots atomically: afterwards, the first path has the files of the second one, and
/// vice versa. A second exchange undoes it.
///
/// Programs that have opened files continue to read them; programs that list the root see either
/// the old files or the new ones.
///
/// # Errors
///
/// [`verify`](crate::verify()) has not found the same rows in both roots, or a root has changed
/// since; a file of one root is a link to one of the other; a table format owns one of them; they are on
/// different file systems, or on a store, which cannot rename its objects, or the system cannot exchange
/// directories.
///
/// # Example
///
/// ```no_run
/// bytelane_dataset::swap("lake", "lake.new")?;
/// // Back again.
/// bytelane_dataset::swap("lake", "lake.new")?;
/// # Ok::<(), bytelane_dataset::Error>(())
/// ```
pub fn swap(one: impl AsRef<Path>, other: impl AsRef<Path>) -> Result<()> {
    let (one, other) = (one.as_ref(), other.as_ref());
    let roots = [Root::of(one)?, Root::of(other)?];
    let [Some(one), Some(other)] = roots.each_ref().map(Root::disk) else {
        let problem = "objects cannot be renamed in one step; let readers use the new URL, and delete the old files then";
        return Err(Error::Input(format!("{}: {problem}", one.display())));
    };
    let [first, second] = checked(one, other)?;
    let forward = is_verified([&roots[0], &roots[1]], [&first, &second])?;
    if !forward && !is_verified([&roots[1], &roots[0]], [&second, &first])? {
        return Err(not_verified(one, other));
    }
    Identities::of(&first, &roots[0])?.check_apart(&second.files, &roots[1])?;
    exchange(one, other)
}

/// Deletes the Parquet files below a root whose rows are in another root. Other files stay;
/// directories that become empty are removed.
///
/// Before the files of a directory are deleted, the files of the other root that have their rows are
/// looked at again: they must be the verified ones, and others than those that are deleted, not links to
/// them.
///
/// # Errors
///
/// [`verify`](crate::verify()) has not found the rows of the old root in the new one, or one of
/// them has changed since; a file of the new root is a link to one of the old root, or another name of it; a
/// table format owns the old root; a file cannot be deleted.
///
/// # Example
///
/// ```no_run
/// // After the exchange, the old files are where the new ones were.
/// let deleted = bytelane_dataset::delete("lake.new", "lake")?;
/// println!("{} files, {} bytes", deleted.files, deleted.bytes);
/// # Ok::<(), bytelane_dataset::Error>(())
/// ```
pub fn delete(old: impl AsRef<Path>, new: impl AsRef<Path>) -> Result<Deleted> {
    let (old, new) = (old.as_ref(), new.as_ref());
    let listings = checked(old, new)?;
    let (root, new_root) = (Root::of(old)?, Root::of(new)?);
    if !is_verified([&root, &new_root], [&listings[0], &listings[1]])? {
        return Err(not_verified(old, new));
    }
    let identities = Identities::of(&listings[0], &root)?;
    let mut deleted = Deleted::default();
    for [files, kept] in by_directory(&listings).into_values() {
        // They are the only copy from now on.
        if kept.iter().any(|file| file.check(&new_root).is_err()) {
            return Err(not_verified(old, new));
        }
        identities.check_apart(kept, &new_root)?;
        for file in files {
            // A link to a file that was deleted before has no rows.
            if file.check(&root).is_err() && root.tree.meta(&file.under(&root))?.is_some() {
                return Err(not_verified(old, new));
            }
            root.remove(&file.path)?;
            deleted.files += 1;
            deleted.bytes += file.bytes;
        }
    }
    let Some(old) = root.disk() else {
        return Ok(deleted);
    };
    for file in &listings[0].files {
        let path = file.under(&root);
        let directories = path.ancestors().skip(1);
        for directory in directories.take_while(|it| it.starts_with(old) && *it != old) {
            // Directories with other files stay.
            if fs::remove_dir(directory).is_err() {
                break;
            }
        }
    }
    Ok(deleted)
}

/// Groups the files of both roots by their directory. The rows of a directory are in the other root's
/// directory of the same name: so they were verified.
fn by_directory(listings: &[Listing; 2]) -> BTreeMap<&str, [Vec<&SourceFile>; 2]> {
    let mut directories: BTreeMap<&str, [Vec<&SourceFile>; 2]> = BTreeMap::new();
    for (side, listing) in listings.iter().enumerate() {
        for file in &listing.files {
            directories.entry(file.partition()).or_default()[side].push(file);
        }
    }
    directories
}

/// Lists two roots, which must be different.
fn checked(one: &Path, other: &Path) -> Result<[Listing; 2]> {
    if Root::canonical(one)?.overlaps(&Root::canonical(other)?)? {
        let problem = "one root is, or lies in, the other one; name two directories side by side";
        return Err(Error::Input(format!("{}: {problem}", one.display())));
    }
    let listings = [list(one)?, list(other)?];
    listings[0].check_plain()?;
    listings[1].check_plain()?;
    Ok(listings)
}

/// Returns whether the second root is marked as having the rows of the first one, and neither has
/// changed since.
fn is_verified(roots: [&Root; 2], listings: [&Listing; 2]) -> Result<bool> {
    let Some(mark) = Mark::read(roots[1])? else {
        return Ok(false);
    };
    Ok(mark == Mark::of(listings, roots)?)
}

fn not_verified(old: &Path, new: &Path) -> Error {
    let (old, new) = (old.display(), new.display());
    Error::Input(format!(
        "{new}: it was not compared with {old}, or one of them has changed since; run `bytelane dataset verify {old} {new}` first"
    ))
}

#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn exchange(one: &Path, other: &Path) -> Result<()> {
    use bytelane_store::sync_directory;
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    let exchanged = renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE);
    exchanged.map_err(|error| Error::at(one)(error.into()))?;
    for path in [one, other] {
        let parent = path.parent().filter(|it| *it != Path::new(""));
        sync_directory(parent.unwrap_or(Path::new(".")))?;
    }
    Ok(())
}

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
fn exchange(one: &Path, other: &Path) -> Result<()> {
    let (one, other) = (one.display(), other.display());
    Err(Error::Input(format!(
        "{one}: this system cannot exchange two directories in one step; stop its readers, and rename {one} and {other} by hand"
    )))
}
