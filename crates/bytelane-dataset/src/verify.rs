//! Compares the rows of two roots.

use crate::footer::Footer;
use crate::identity::{Identities, state};
use crate::listing::{Listing, list};
use crate::plan::Plan;
use crate::root::Root;
use crate::run::PLAN;
use crate::{Error, Result};
use bytelane_parquet::Progress;
use bytelane_parquet_files::diff::{DiffOptions, Difference, diff};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Name of the file that marks two roots as compared.
const VERIFIED: &str = "verified.json";

/// Outcome of a comparison of two roots.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Verified {
    /// Number of files in the old and the new root.
    pub files: [usize; 2],
    /// Number of rows in the old and the new root.
    pub rows: [u64; 2],
    /// Number of groups compared, each of them the files of one directory with one schema.
    pub groups: usize,
    /// Groups that differ.
    pub differences: Vec<GroupDifference>,
}

/// Group of files whose rows differ.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct GroupDifference {
    /// Directory relative to the root, which is a partition.
    pub partition: String,
    /// Number of files in the old and the new root.
    pub files: [usize; 2],
    /// Difference of the rows, if both have files.
    pub difference: Option<Difference>,
}

impl Verified {
    /// Returns whether both roots have the same rows in each partition.
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.differences.is_empty()
    }
}

/// Mark in a new root that it has the rows of an old one: hashes of the names, sizes and versions of
/// their files.
#[derive(PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Mark {
    pub old: String,
    pub new: String,
}

impl Mark {
    /// Returns the mark for two roots as they are now.
    pub(crate) fn of(listings: [&Listing; 2], roots: [&Root; 2]) -> Result<Self> {
        Ok(Self {
            old: state(listings[0], roots[0])?,
            new: state(listings[1], roots[1])?,
        })
    }

    /// Reads the mark of a new root.
    pub(crate) fn read(root: &Root) -> Result<Option<Self>> {
        let text = root.state(VERIFIED)?;
        Ok(text.and_then(|text| serde_json::from_slice(&text).ok()))
    }

    fn write(&self, root: &Root) -> Result<()> {
        let text = serde_json::to_vec(self).map_err(|error| Error::Input(error.to_string()))?;
        root.set_state(VERIFIED, text)
    }
}

/// Files of both roots, grouped by directory and schema.
type Groups = BTreeMap<(String, String), [Vec<PathBuf>; 2]>;

/// Compares the rows of two roots, directory by directory. The order of rows and file boundaries
/// are ignored.
///
/// If the rows are the same, the new root is marked as verified, which [`swap`](crate::swap) and
/// [`delete`](crate::delete) require. The progress callback receives the number of rows read in the
/// current group, and may return `Break` to cancel.
///
/// # Errors
///
/// A file cannot be read or is damaged; a file of the new root is a link to one of the old root, or another
/// name of it, and so no second copy; a root has changed meanwhile.
///
/// # Example
///
/// ```no_run
/// let verified = bytelane_dataset::verify("lake", "lake.new", |_| std::ops::ControlFlow::Continue(()))?;
/// assert!(verified.is_same(), "{:?}", verified.differences);
/// # Ok::<(), bytelane_dataset::Error>(())
/// ```
pub fn verify(
    old: impl AsRef<Path>,
    new: impl AsRef<Path>,
    progress: impl Fn(u64) -> ControlFlow<()> + Send + Sync + 'static,
) -> Result<Verified> {
    let paths = [old.as_ref(), new.as_ref()];
    let roots = [Root::of(paths[0])?, Root::of(paths[1])?];
    let listings = [listing_of_old(paths[0], &roots[1])?, list(paths[1])?];
    listings[1].check_plain()?;
    Identities::of(&listings[0], &roots[0])?.check_apart(&listings[1].files, &roots[1])?;
    let mark = Mark::of(listings.each_ref(), roots.each_ref())?;
    let mut groups = Groups::new();
    for (side, listing) in listings.iter().enumerate() {
        for file in &listing.files {
            let footer = Footer::read(file, &roots[side])?;
            let key = (file.partition().to_owned(), footer.schema);
            groups.entry(key).or_default()[side].push(file.under(&roots[side]));
        }
    }
    let mut verified = Verified {
        files: [listings[0].files.len(), listings[1].files.len()],
        groups: groups.len(),
        ..Verified::default()
    };
    let progress = Arc::new(progress);
    for ((partition, _), files) in groups {
        let counting = Arc::clone(&progress);
        let options = DiffOptions::default()
            .with_any_order(true)
            .with_progress(Progress::new(move |rows, _| counting(rows)));
        verified.add(partition, &files, &options)?;
    }
    let now = [listing_of_old(paths[0], &roots[1])?, list(paths[1])?];
    if now != listings || Mark::of(now.each_ref(), roots.each_ref())? != mark {
        let problem =
            "a file was added, removed or changed while both roots were read; compare them again";
        return Err(Error::Input(problem.to_owned()));
    }
    if verified.is_same() {
        mark.write(&roots[1])?;
    }
    Ok(verified)
}

/// Lists the files of the old root: those of the plan, if it was made from a list, otherwise all.
fn listing_of_old(old: &Path, new: &Root) -> Result<Listing> {
    let listing = list(old)?;
    if let Some(text) = new.state(PLAN)? {
        let plan = Plan::parse(&text)?;
        let is_its_root = Root::canonical(old).is_ok_and(|root| root.path == plan.root);
        if plan.listed && is_its_root {
            return listing.only(plan.sources().map(|file| file.path.as_str()));
        }
    }
    listing.check_plain()?;
    Ok(listing)
}

impl Verified {
    fn add(
        &mut self,
        partition: String,
        files: &[Vec<PathBuf>; 2],
        options: &DiffOptions,
    ) -> Result<()> {
        let [old, new] = files;
        let mut difference = None;
        if !old.is_empty() && !new.is_empty() {
            let found = diff(old, new, options)?;
            self.rows[0] += found.left_rows;
            self.rows[1] += found.right_rows;
            if found.is_none() {
                return Ok(());
            }
            difference = Some(found);
        }
        self.differences.push(GroupDifference {
            partition,
            files: [old.len(), new.len()],
            difference,
        });
        Ok(())
    }
}
