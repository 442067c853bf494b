//! Runs plans: does units of work on several threads, and records them in a journal.

mod meter;
mod options;
mod unit;

pub use options::{Progress, RunOptions, Shard};

use crate::journal::{Entry, History, Journal, Known, State};
use crate::listing::{SourceFile, list};
use crate::plan::{Action, Plan, Unit, unit_id};
use crate::root::Root;
use crate::{Error, Result, STATE_DIRECTORY, journal};
use bytelane_parquet::bounded_threads;
use meter::Total;
use serde::Serialize;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use tempfile::TempDir;

/// Maximum number, and total size in bytes, of files that one unit copies unchanged.
const COPIED: (usize, u64) = (64, 256 << 20);

/// Maximum number of files outside the plan to name.
const NAMED: usize = 10;

/// Name of the file that marks a new root as complete.
pub(crate) const COMPLETE: &str = "complete.json";

/// Name of the file with the plan of a new root.
pub(crate) const PLAN: &str = "plan.json";

/// Outcome of a run.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Run {
    /// Number of units of the plan, including units that copy several files unchanged.
    pub units: usize,
    /// Number of units that this run published.
    pub published: usize,
    /// Number of units that earlier runs, or other shards, had published.
    pub published_before: usize,
    /// Units that failed, in this run or in an earlier one.
    pub failed: Vec<FailedUnit>,
    /// Number of units that other shards have not published yet.
    pub remaining: usize,
    /// Size of the sources of units that this run published, in bytes.
    pub bytes_before: u64,
    /// Size of their outputs in bytes.
    pub bytes_after: u64,
    /// Files of the old root that are not in the plan, up to ten: they were added after the plan
    /// was made.
    pub unplanned: Vec<String>,
    /// Number of files that could not be read when the plan was made, so that the new root lacks them.
    pub unreadable: usize,
    /// Set if the new root has all rows of the old one, according to the plan and a listing of files.
    pub complete: bool,
}

/// Unit that failed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct FailedUnit {
    /// Id of the unit.
    pub unit: String,
    /// Path of its first source.
    pub source: String,
    /// Number of its sources.
    pub sources: usize,
    /// Error message.
    pub error: String,
}

impl Run {
    /// Returns whether the new root has all rows of the old one, according to the plan and a
    /// listing of files.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.complete
    }
}

/// Runs a plan: writes a new root, and never changes the old one.
///
/// Each unit of work is done exactly once, whatever happens: its outputs are written under
/// temporary names, read back, compared with the sources by a fingerprint of all values, and then
/// renamed to final names, which derive from the sources and the values. The journal in
/// [`STATE_DIRECTORY`] records finished work, so the next run continues where this one stopped. A
/// plan without units does nothing.
///
/// Units that fail are recorded; the others are still done.
///
/// # Errors
///
/// The new root is the old one or below it, is not empty, belongs to another plan, or cannot be
/// written to; another process is working on the shard; the run was cancelled.
///
/// # Example
///
/// ```no_run
/// use bytelane_dataset::{Plan, RunOptions, run};
///
/// let outcome = run(&Plan::open("plan.json")?, "lake.new", &RunOptions::default())?;
/// for failed in &outcome.failed {
///     eprintln!("{}: {}", failed.source, failed.error);
/// }
/// # Ok::<(), bytelane_dataset::Error>(())
/// ```
pub fn run(plan: &Plan, new_root: impl AsRef<Path>, options: &RunOptions) -> Result<Run> {
    if plan.is_empty() {
        return Ok(Run {
            complete: plan.unreadable.is_empty(),
            unreadable: plan.unreadable.len(),
            ..Run::default()
        });
    }
    let old = Root::canonical(&plan.root)?;
    let root = prepared(&old, new_root.as_ref(), options.shard)?;
    let hash = plan.hash();
    let (journal, history) = Journal::open(&root, &hash, &options.shard.name())?;
    if root.state(PLAN)?.is_none() {
        root.set_state(PLAN, json(plan)?)?;
    }
    let scratch = Scratch::new(&root, options.shard)?;
    let copies = copies(plan);
    let units: Vec<&Unit> = plan.units.iter().chain(&copies).collect();
    let mut outcome = Run {
        units: units.len(),
        unreadable: plan.unreadable.len(),
        ..Run::default()
    };
    let todo = todo(&units, &history, &root, options, &mut outcome)?;
    let runner = Runner {
        plan,
        old: &old,
        root: &root,
        scratch: scratch.path(),
        journal: &journal,
        history: &history,
        options,
        total: Total::new(options, todo.iter().map(|unit| unit.bytes).sum()),
        threads: threads(options),
        outcome: Mutex::new(outcome),
    };
    let worked = runner.work(&todo);
    // The next run must know the finished units even if this one failed.
    journal.flush()?;
    worked?;
    let mut outcome = runner
        .outcome
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    drop(scratch);
    conclude(plan, &root, &units, &mut outcome)?;
    Ok(outcome)
}

/// Checks the new root, and creates it.
fn prepared(old: &Root, new_root: &Path, shard: Shard) -> Result<Root> {
    let mut root = Root::of(new_root)?;
    let wrong = |problem: &str| Err(Error::Input(format!("{}: {problem}", new_root.display())));
    if root.overlaps(old)? {
        return wrong("the new root must lie outside of the old one; name another directory");
    }
    if let Some(path) = root.disk() {
        fs::create_dir_all(path).map_err(Error::at(path))?;
        root = Root::canonical(path)?;
    }
    let listing = list(&root.path)?;
    listing.check_plain()?;
    if !listing.files.is_empty() && root.state(PLAN)?.is_none() {
        return wrong("the directory has Parquet files; name a new directory");
    }
    if shard.is_part() && !root.tree.is_exclusive(&root.under(STATE_DIRECTORY))? {
        return wrong(
            "this store ignores the condition that a put must not replace an object (If-None-Match), so several processes could \
             overwrite each other's files; run without --shard, in a single process, or use a store that checks the condition",
        );
    }
    Ok(root)
}

/// Returns the name of the directory, or the prefix of the keys, of a shard's temporary files.
fn scratch_name(shard: Shard) -> String {
    format!("tmp-{}", shard.name())
}

/// Local directory for temporary files, removed at the end.
enum Scratch {
    /// Directory of the new root, so that files can be renamed.
    Beside(PathBuf),
    /// Temporary directory of the system, for outputs that are uploaded.
    Elsewhere(TempDir),
}

impl Scratch {
    /// Creates an empty directory. Removes the temporary files of a process that was killed.
    fn new(root: &Root, shard: Shard) -> Result<Self> {
        let scratch = root.state_path(&scratch_name(shard));
        if root.disk().is_some() {
            if scratch.exists() {
                fs::remove_dir_all(&scratch).map_err(Error::at(&scratch))?;
            }
            fs::create_dir_all(&scratch).map_err(Error::at(&scratch))?;
            return Ok(Self::Beside(scratch));
        }
        for uploaded in root.tree.walk(&scratch, false, &|_| true)? {
            root.tree
                .remove(&root.tree.join(&scratch, &uploaded.below))?;
        }
        let created = tempfile::Builder::new().prefix("bytelane-").tempdir();
        let created = created.map_err(Error::at(&std::env::temp_dir()))?;
        Ok(Self::Elsewhere(created))
    }

    fn path(&self) -> &Path {
        match self {
            Self::Beside(path) => path,
            Self::Elsewhere(directory) => directory.path(),
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Self::Beside(path) = self {
            // Removal fails if something else was created in the directory, which is harmless.
            let _ = fs::remove_dir(path);
        }
    }
}

fn json(value: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec_pretty(value).map_err(|error| Error::Input(error.to_string()))
}

/// Returns units that copy the remaining files.
fn copies(plan: &Plan) -> Vec<Unit> {
    let mut units = Vec::new();
    let mut files: Vec<SourceFile> = Vec::new();
    let mut close = |files: &mut Vec<SourceFile>| {
        let sources = std::mem::take(files);
        if sources.is_empty() {
            return;
        }
        let bytes = sources.iter().map(|file| file.bytes).sum();
        units.push(Unit {
            id: unit_id(Action::Copy, false, &sources, &plan.options),
            action: Action::Copy,
            rewrite: false,
            bytes,
            rows: 0,
            expected_bytes: bytes,
            reason: "nothing to change".to_owned(),
            sources,
        });
    };
    for file in &plan.left {
        let bytes: u64 = files.iter().map(|file| file.bytes).sum();
        let is_elsewhere = files
            .first()
            .is_some_and(|it| it.partition() != file.partition());
        if is_elsewhere || files.len() == COPIED.0 || bytes >= COPIED.1 {
            close(&mut files);
        }
        files.push(file.clone());
    }
    close(&mut files);
    units
}

/// Returns the units to run. Counts the others.
fn todo<'a>(
    units: &[&'a Unit],
    history: &History,
    root: &Root,
    options: &RunOptions,
    outcome: &mut Run,
) -> Result<Vec<&'a Unit>> {
    let there = Sizes::of(root)?;
    let mut todo = Vec::new();
    for (number, unit) in units.iter().enumerate() {
        let last = history.get(&unit.id).and_then(|known| known.last.as_ref());
        match last {
            Some(entry) if entry.state == State::Published && there.have(entry) => {
                outcome.published_before += 1;
            }
            _ if !options.shard.has(number) => {}
            Some(entry) if entry.state == State::Failed && !options.retry_failed => {
                let error = entry.error.clone().unwrap_or_default();
                outcome.failed.push(failed(unit, error));
            }
            _ => todo.push(*unit),
        }
    }
    Ok(todo)
}

/// Sizes of the files of a new root. One listing saves a request for each file of a store.
struct Sizes(HashMap<String, u64>);

impl Sizes {
    fn of(root: &Root) -> Result<Self> {
        let files = list(&root.path)?.files.into_iter();
        Ok(Self(files.map(|file| (file.path, file.bytes)).collect()))
    }

    /// Returns whether the outputs of a unit have their final names.
    fn have(&self, entry: &Entry) -> bool {
        let mut outputs = entry.outputs.iter();
        outputs.all(|output| self.0.get(&output.path) == Some(&output.bytes))
    }
}

/// Returns whether the outputs of a unit have their final names.
fn is_there(entry: &Entry, root: &Root) -> Result<bool> {
    for output in &entry.outputs {
        if root
            .tree
            .meta(&root.under(&output.path))?
            .map(|it| it.bytes)
            != Some(output.bytes)
        {
            return Ok(false);
        }
    }
    Ok(true)
}

fn failed(unit: &Unit, error: String) -> FailedUnit {
    FailedUnit {
        unit: unit.id.clone(),
        source: unit
            .sources
            .first()
            .map(|file| file.path.clone())
            .unwrap_or_default(),
        sources: unit.sources.len(),
        error,
    }
}

/// Returns the number of threads per unit, such that all units together use all cores.
fn threads(options: &RunOptions) -> NonZero<usize> {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    NonZero::new(cores / options.jobs).unwrap_or(NonZero::<usize>::MIN)
}

/// Counts published units. Marks the new root as complete if all of them are published.
fn conclude(plan: &Plan, root: &Root, units: &[&Unit], outcome: &mut Run) -> Result<()> {
    let history = journal::history(root, &plan.hash())?;
    let state = |unit: &Unit| history.get(&unit.id).and_then(Known::state);
    let is_open = |unit: &&&Unit| state(unit) != Some(State::Published);
    let open = units.iter().filter(is_open).count();
    outcome.remaining = open.saturating_sub(outcome.failed.len());
    if open > 0 {
        return Ok(());
    }
    if !plan.listed {
        let sources = plan.sources().map(|file| file.path.as_str());
        let unreadable = plan.unreadable.iter().map(|file| file.path.as_str());
        let planned: HashSet<&str> = sources.chain(unreadable).collect();
        let files = list(&plan.root)?.files.into_iter().map(|file| file.path);
        let unplanned = files.filter(|path| !planned.contains(path.as_str()));
        outcome.unplanned = unplanned.take(NAMED).collect();
    }
    outcome.complete = outcome.unplanned.is_empty() && outcome.unreadable == 0;
    if outcome.complete && root.state(COMPLETE)?.is_none() {
        #[derive(Serialize)]
        struct Complete {
            plan: String,
            units: usize,
            rows: u64,
        }
        let complete = Complete {
            plan: plan.hash(),
            units: units.len(),
            rows: plan.rows,
        };
        root.set_state(COMPLETE, json(&complete)?)?;
    }
    Ok(())
}

/// Run in progress.
struct Runner<'a> {
    plan: &'a Plan,
    old: &'a Root,
    root: &'a Root,
    /// Directory for temporary files.
    scratch: &'a Path,
    journal: &'a Journal,
    history: &'a History,
    options: &'a RunOptions,
    total: Total,
    threads: NonZero<usize>,
    outcome: Mutex<Run>,
}

impl Runner<'_> {
    /// Runs units on several threads until they are done, or one of them cannot be recorded in the
    /// journal.
    fn work(&self, todo: &[&Unit]) -> Result<()> {
        let next = AtomicUsize::new(0);
        let work = || {
            while let Some(unit) = todo.get(next.fetch_add(1, Ordering::Relaxed)) {
                if let Err(error) = self.unit(unit) {
                    // The other threads stop at their next report.
                    self.total.cancel();
                    return Err(error);
                }
            }
            Ok(())
        };
        let others = bounded_threads(self.options.jobs, todo.len()).get() - 1;
        let outcomes: Vec<Result<()>> = thread::scope(|scope| {
            let threads: Vec<_> = (0..others).map(|_| scope.spawn(work)).collect();
            // This thread works too, so that callers notice signals that only their own thread
            // receives.
            let own = work();
            let joined = threads.into_iter().map(|thread| thread.join());
            let joined = joined.map(|it| it.unwrap_or_else(|panic| resume_unwind(panic)));
            joined.chain([own]).collect()
        });
        let mut errors: Vec<Error> = outcomes.into_iter().filter_map(Result::err).collect();
        // An error in one thread cancels the others.
        errors.sort_by_key(Error::is_cancelled);
        errors.into_iter().next().map_or(Ok(()), Err)
    }

    /// Runs a unit, and records its outcome. An error ends the run.
    fn unit(&self, unit: &Unit) -> Result<()> {
        match self.attempt(unit) {
            Ok(bytes) => {
                let mut outcome = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
                outcome.published += 1;
                outcome.bytes_before += unit.bytes;
                outcome.bytes_after += bytes;
                Ok(())
            }
            Err(error) if error.is_cancelled() => Err(error),
            Err(error) => {
                let error = self.message(unit, &error);
                self.journal.append(&Entry {
                    error: Some(error.clone()),
                    ..Entry::new(&unit.id, State::Failed)
                })?;
                let mut outcome = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
                outcome.failed.push(failed(unit, error));
                Ok(())
            }
        }
    }
}
