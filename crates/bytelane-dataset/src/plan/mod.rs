//! Makes plans: which files to merge, split, rewrite or copy.

mod advice;
mod expected;
mod options;
mod pack;
mod sort_sample;
mod sorting;

pub use advice::{ClassAdvice, ColumnSaving, Spread};
pub use expected::Expected;
pub use options::{PlanOptions, SortBy};
pub use sorting::{PromisedOrder, SortAdvice};

use crate::footer::Footer;
use crate::hash::{digits, hash};
use crate::listing::{Listing, SourceFile, list};
use crate::root::Root;
use crate::{Error, Result};
use bytelane_store::{Problem, no_files};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::ops::ControlFlow;
use std::path::{Component, Path, PathBuf};

/// Version of the plan format.
const VERSION: u32 = 1;

/// Number of footers to read between progress reports.
const BATCH: usize = 512;

/// Plan for rewriting a data set.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Plan {
    /// Version of the plan format.
    pub version: u32,
    /// Root of the data set, an absolute path or a URL.
    pub root: PathBuf,
    /// Set if the plan was made from a list of files, so that it ignores other files below the
    /// root.
    pub listed: bool,
    /// Options with which the plan was made.
    pub options: PlanOptions,
    /// Number of files.
    pub files: usize,
    /// Total size of these files in bytes.
    pub bytes: u64,
    /// Total number of rows of these files.
    pub rows: u64,
    /// Estimates for the run.
    pub expected: Expected,
    /// Distinct schemas.
    pub schemas: Vec<Schema>,
    /// Advice for classes of similarly encoded files, from samples.
    pub advice: Vec<ClassAdvice>,
    /// Advice on sort orders for the same classes, if the options ask for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sort_orders: Vec<SortAdvice>,
    /// Units of work; empty if the data set needs no changes.
    pub units: Vec<Unit>,
    /// Files to copy unchanged.
    pub left: Vec<SourceFile>,
    /// Files that cannot be read; a run leaves them out, so the new root is never complete.
    #[serde(default)]
    pub unreadable: Vec<Unreadable>,
    /// Remarks, one sentence each.
    pub notes: Vec<String>,
}

/// File that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Unreadable {
    /// Path relative to the root.
    pub path: String,
    /// Size in bytes.
    pub bytes: u64,
    /// Error message, without the path.
    pub error: String,
}

impl Unreadable {
    /// Keeps the error of a file. An error of a store ends the work instead: it says nothing about the
    /// file.
    fn new(file: SourceFile, root: &Root, error: Error) -> Result<Self> {
        if root.disk().is_none() && !error.is_of_contents() {
            return Err(error);
        }
        let path = format!("{}: ", file.under(root).display());
        let error = error.to_string();
        Ok(Self {
            error: error.strip_prefix(&path).unwrap_or(&error).to_owned(),
            path: file.path,
            bytes: file.bytes,
        })
    }
}

/// Schema of some of the files.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Schema {
    /// Columns with their types, one per line.
    pub columns: String,
    /// Number of files with this schema.
    pub files: usize,
}

/// Change that a unit makes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Action {
    /// Merges several files, or joins the row groups of one file.
    Merge,
    /// Splits a file.
    Split,
    /// Re-encodes columns of a file.
    Rewrite,
    /// Copies files unchanged.
    Copy,
}

impl Action {
    /// Returns the name used in plans.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Merge => "merge",
            Self::Split => "split",
            Self::Rewrite => "rewrite",
            Self::Copy => "copy",
        }
    }
}

/// Unit of work, which is done as a whole or not at all.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Unit {
    /// Hash of the sources and of the options.
    pub id: String,
    /// Change that the unit makes.
    pub action: Action,
    /// Set if the columns of the outputs are re-encoded.
    pub rewrite: bool,
    /// Sources, in the order of their rows.
    pub sources: Vec<SourceFile>,
    /// Total size of the sources in bytes.
    pub bytes: u64,
    /// Total number of rows of the sources; 0 for units that copy files unchanged.
    pub rows: u64,
    /// Estimated size of the outputs in bytes.
    pub expected_bytes: u64,
    /// Reason, as part of a sentence.
    pub reason: String,
}

impl Unit {
    /// Returns the directory of the outputs, relative to the root.
    #[must_use]
    pub fn partition(&self) -> &str {
        self.sources.first().map_or("", SourceFile::partition)
    }
}

impl Plan {
    /// Returns whether the data set needs no changes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.units.is_empty()
    }

    /// Returns a hash of the work: plans with the same work have the same hash.
    #[must_use]
    pub fn hash(&self) -> String {
        let units = self.units.iter().map(|unit| unit.id.as_str());
        let left: Vec<String> = self.left.iter().map(SourceFile::identity).collect();
        digits(hash(units.chain(left.iter().map(String::as_str))))
    }

    /// Reads a plan.
    ///
    /// # Errors
    ///
    /// The file cannot be read, is not a plan, or names files outside the root.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let text = fs::read(path).map_err(Error::at(path))?;
        Self::parse(&text).map_err(|error| Error::Input(format!("{}: {error}", path.display())))
    }

    /// Parses the text of a plan file.
    ///
    /// # Errors
    ///
    /// The text is not a plan, or names files outside the root.
    pub fn parse(text: &[u8]) -> Result<Self> {
        let plan: Self = serde_json::from_slice(text).map_err(|error| {
            Error::Input(format!(
                "it is not a plan of `bytelane dataset plan`: {error}"
            ))
        })?;
        if plan.version != VERSION {
            return Err(Error::Input(format!(
                "the plan has the version {}, but this program knows {VERSION}; make a new plan",
                plan.version
            )));
        }
        let wrong = |problem| Error::Input(format!("{problem}; make a new plan"));
        plan.check().map_err(wrong)?;
        Ok(plan)
    }

    /// Checks that a plan, which may have been edited, stays below its root and does nothing twice.
    fn check(&self) -> std::result::Result<(), String> {
        let mut all: Vec<&str> = Vec::new();
        for source in self.sources() {
            let mut parts = Path::new(&source.path).components();
            if source.path.is_empty() || !parts.all(|it| matches!(it, Component::Normal(_))) {
                return Err(format!("{:?} is not a path below the root", source.path));
            }
            all.push(&source.path);
        }
        all.sort_unstable();
        if let Some(twice) = all.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(format!("it has the file {:?} twice", twice[0]));
        }
        for unit in &self.units {
            if unit.sources.is_empty() {
                return Err(format!("the unit {} has no sources", unit.id));
            }
            if unit.id != unit_id(unit.action, unit.rewrite, &unit.sources, &self.options) {
                return Err(format!("the unit {} was changed", unit.id));
            }
            if unit
                .sources
                .iter()
                .any(|it| it.partition() != unit.partition())
            {
                return Err(format!(
                    "the unit {} has files of several directories",
                    unit.id
                ));
            }
        }
        Ok(())
    }

    /// Returns all files of the plan.
    pub(crate) fn sources(&self) -> impl Iterator<Item = &SourceFile> {
        let units = self.units.iter().flat_map(|unit| &unit.sources);
        units.chain(&self.left)
    }
}

/// Returns the id of a unit: a hash of everything that its outputs depend on.
pub(crate) fn unit_id(
    action: Action,
    rewrite: bool,
    sources: &[SourceFile],
    options: &PlanOptions,
) -> String {
    let mut texts = vec![
        action.name().to_owned(),
        rewrite.to_string(),
        options.of_outputs(),
    ];
    texts.extend(sources.iter().map(SourceFile::identity));
    let mut id = digits(hash(texts.iter().map(String::as_str)));
    id.truncate(16);
    id
}

/// File with its footer.
pub(crate) struct Read {
    pub file: SourceFile,
    pub footer: Footer,
    /// Index of its schema.
    pub schema: usize,
}

/// Makes a plan for the files below a root.
///
/// Reads the footers of all files, on all cores, and values of a few files for the advice. Uses a
/// few hundred bytes of memory per file.
///
/// # Errors
///
/// The root cannot be read, has no Parquet files, or a table format owns it. Files that are not Parquet files or are damaged are
/// part of the plan, as [`Plan::unreadable`].
///
/// # Example
///
/// ```no_run
/// use bytelane_dataset::{PlanOptions, plan};
///
/// let plan = plan("lake", &PlanOptions::default().with_file_size(512 << 20))?;
/// println!("{} files become {}", plan.files, plan.expected.files_after);
/// # Ok::<(), bytelane_dataset::Error>(())
/// ```
pub fn plan(root: impl AsRef<Path>, options: &PlanOptions) -> Result<Plan> {
    let listing = list(root.as_ref())?.planned(false)?;
    plan_files(root, listing, options, &|_, _| ControlFlow::Continue(()))
}

/// Same as [`plan`], for a listing, such as the current files of a table. The progress callback
/// receives the number of footers and samples read, and their total; it may return `Break` to
/// cancel with [`Error::Cancelled`].
///
/// # Errors
///
/// Same errors as [`plan`].
pub fn plan_files(
    root: impl AsRef<Path>,
    listing: Listing,
    options: &PlanOptions,
    progress: &(dyn Fn(usize, usize) -> ControlFlow<()> + Sync),
) -> Result<Plan> {
    if listing.files.is_empty() {
        let problem = if listing.chosen {
            "no file was chosen".to_owned()
        } else {
            no_files(listing.others)
        };
        let url = root.as_ref().display().to_string();
        let problem = Problem::NoFiles(problem);
        return Err(bytelane_store::Error { url, problem }.into());
    }
    let root = Root::canonical(root.as_ref())?;
    let mut schemas = Schemas::default();
    let mut unreadable = Vec::new();
    let files = read(
        &root,
        listing.files,
        &mut schemas,
        &mut unreadable,
        progress,
    )?;
    let mut groups: BTreeMap<(String, usize), Vec<Read>> = BTreeMap::new();
    let (mut bytes, mut rows, mut empty) = (0, 0, 0);
    let count = files.len();
    for read in files {
        bytes += read.file.bytes;
        rows += read.footer.rows;
        empty += usize::from(read.footer.rows == 0);
        let partition = read.file.partition().to_owned();
        groups
            .entry((partition, read.schema))
            .or_default()
            .push(read);
    }
    let classes = advice::Classes::sample(&root, &groups, options, progress)?;
    let mut sort_orders = Vec::new();
    if options.sort_by.is_some() {
        sort_orders = sorting::advise(&root, &classes.advice, options, progress)?;
    }
    let mut packed = pack::Packed::default();
    for group in groups.into_values() {
        packed.add(group, &classes, options);
    }
    let mut notes = packed.notes();
    for error in &classes.unreadable {
        notes.push(format!("a file of the sample was left out: {error}"));
    }
    if empty > 0 {
        notes.push(format!("files without rows: {empty}"));
    }
    if listing.others > 0 {
        notes.push(format!(
            "other files, which are not Parquet files and which a run does not take over: {}",
            listing.others
        ));
    }
    let pack::Packed { units, left, .. } = packed;
    Ok(Plan {
        version: VERSION,
        root: root.path,
        listed: listing.chosen,
        options: options.clone(),
        files: count,
        bytes,
        rows,
        expected: Expected::new(&units, &left, options),
        schemas: schemas.all,
        advice: classes.advice,
        sort_orders,
        units,
        left,
        unreadable,
        notes,
    })
}

/// Distinct schemas.
#[derive(Default)]
struct Schemas {
    all: Vec<Schema>,
    numbers: HashMap<String, usize>,
}

impl Schemas {
    /// Adds the text of a file's schema if it is new; returns the index of the schema.
    fn take(&mut self, columns: String) -> usize {
        let number = match self.numbers.get(&columns) {
            Some(number) => *number,
            None => {
                let number = self.all.len();
                self.numbers.insert(columns.clone(), number);
                self.all.push(Schema { columns, files: 0 });
                number
            }
        };
        self.all[number].files += 1;
        number
    }
}

/// Reads the footers of files, on all cores; those of objects, with many requests at the same time. Adds
/// files that are not readable to a list.
fn read(
    root: &Root,
    files: Vec<SourceFile>,
    schemas: &mut Schemas,
    unreadable: &mut Vec<Unreadable>,
    progress: &(dyn Fn(usize, usize) -> ControlFlow<()> + Sync),
) -> Result<Vec<Read>> {
    let total = files.len();
    let mut done = 0;
    let mut all = Vec::with_capacity(total);
    let mut files = files.into_iter();
    loop {
        let batch: Vec<SourceFile> = files.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            return Ok(all);
        }
        done += batch.len();
        let read = || {
            let read = batch.into_par_iter().map(|file| {
                let footer = Footer::read(&file, root);
                (file, footer)
            });
            read.collect::<Vec<_>>()
        };
        for (file, footer) in root.at_once(read)? {
            let mut footer = match footer {
                Ok(footer) => footer,
                Err(error) => {
                    unreadable.push(Unreadable::new(file, root, error)?);
                    continue;
                }
            };
            // Only the schema's index is kept for each file.
            let schema = schemas.take(std::mem::take(&mut footer.schema));
            all.push(Read {
                file,
                footer,
                schema,
            });
        }
        if progress(done, total).is_break() {
            return Err(Error::Cancelled);
        }
    }
}
