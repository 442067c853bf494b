//! Runs plans: does units of work on several threads, and records them in a journal.

mod meter;
mod options;
mod unit;

pub use options::{Progress, RunOptions, Shard};

use crate::journal::{Entry, History, Journal, Known, State};
use crate::listing::{SourceFile, list};
use crate::plan::{Action, Plan, Unit, unit_id};
use crate::{Error, Result, STATE_DIRECTORY, journal, publish};
use meter::Total;
use serde::Serialize;
use std::collections::HashSet;
use std::fs;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Maximum number, and total size in bytes, of files that one unit copies unchanged.
const COPIED: (usize, u64) = (64, 256 << 20);

/// Maximum number of files outside the plan to name.
const NAMED: usize = 10;

/// Name of the file that marks a new root as complete.
pub(crate) const COMPLETE: &str = "complete.json";

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
    /// Set if the new root has all rows of the plan.
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
        self.complete && self.unplanned.is_empty()
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
            complete: true,
            ..Run::default()
        });
    }
    let root = prepared(plan, new_root.as_ref())?;
    let hash = plan.hash();
    let (journal, history) = Journal::open(&root, &hash, &options.shard.name())?;
    let plan_file = root.join(STATE_DIRECTORY).join("plan.json");
    if !plan_file.exists() {
        publish::write(&plan_file, &json(plan)?)?;
    }
    let scratch = scratch(&root, options.shard)?;
    let copies = copies(plan);
    let units: Vec<&Unit> = plan.units.iter().chain(&copies).collect();
    let mut outcome = Run {
        units: units.len(),
        ..Run::default()
    };
    let todo = todo(&units, &history, &root, options, &mut outcome);
    let runner = Runner {
        plan,
        root: &root,
        scratch: &scratch,
        journal: &journal,
        history: &history,
        options,
        total: Total::new(options, todo.iter().map(|unit| unit.bytes).sum()),
        threads: threads(options),
        outcome: Mutex::new(outcome),
    };
    runner.work(&todo)?;
    let mut outcome = runner
        .outcome
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    // Removal fails if something else was created in the directory, which is harmless.
    let _ = fs::remove_dir(&scratch);
    conclude(plan, &root, &units, &mut outcome)?;
    Ok(outcome)
}

/// Checks the new root, and creates it.
fn prepared(plan: &Plan, new_root: &Path) -> Result<PathBuf> {
    fs::create_dir_all(new_root).map_err(Error::at(new_root))?;
    let root = fs::canonicalize(new_root).map_err(Error::at(new_root))?;
    let old = fs::canonicalize(&plan.root).map_err(Error::at(&plan.root))?;
    let wrong = |problem: &str| Err(Error::Input(format!("{}: {problem}", new_root.display())));
    if root.starts_with(&old) || old.starts_with(&root) {
        return wrong("the new root must lie outside of the old one; name another directory");
    }
    let listing = list(&root)?;
    listing.check_plain(&root)?;
    if !root.join(STATE_DIRECTORY).exists() && !listing.files.is_empty() {
        return wrong("the directory has Parquet files; name a new directory");
    }
    Ok(root)
}

/// Creates an empty directory for temporary files. Removes those of a process that was killed.
fn scratch(root: &Path, shard: Shard) -> Result<PathBuf> {
    let scratch = root
        .join(STATE_DIRECTORY)
        .join(format!("tmp-{}", shard.name()));
    if scratch.exists() {
        fs::remove_dir_all(&scratch).map_err(Error::at(&scratch))?;
    }
    fs::create_dir_all(&scratch).map_err(Error::at(&scratch))?;
    Ok(scratch)
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
    root: &Path,
    options: &RunOptions,
    outcome: &mut Run,
) -> Vec<&'a Unit> {
    let mut todo = Vec::new();
    for (number, unit) in units.iter().enumerate() {
        let last = history.get(&unit.id).and_then(|known| known.last.as_ref());
        match last {
            Some(entry) if entry.state == State::Published && is_there(entry, root) => {
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
    todo
}

/// Returns whether the outputs of a unit have their final names.
fn is_there(entry: &Entry, root: &Path) -> bool {
    entry.outputs.iter().all(|output| {
        let metadata = fs::metadata(root.join(&output.path));
        metadata.is_ok_and(|metadata| metadata.len() == output.bytes)
    })
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
fn conclude(plan: &Plan, root: &Path, units: &[&Unit], outcome: &mut Run) -> Result<()> {
    let history = journal::history(&root.join(STATE_DIRECTORY), &plan.hash())?;
    let state = |unit: &Unit| history.get(&unit.id).and_then(Known::state);
    let is_open = |unit: &&&Unit| state(unit) != Some(State::Published);
    let open = units.iter().filter(is_open).count();
    outcome.remaining = open.saturating_sub(outcome.failed.len());
    outcome.complete = open == 0;
    if !outcome.complete {
        return Ok(());
    }
    if !plan.listed {
        let planned: HashSet<&str> = plan.sources().map(|file| file.path.as_str()).collect();
        let files = list(&plan.root)?.files.into_iter().map(|file| file.path);
        let unplanned = files.filter(|path| !planned.contains(path.as_str()));
        outcome.unplanned = unplanned.take(NAMED).collect();
    }
    let marker = root.join(STATE_DIRECTORY).join(COMPLETE);
    if outcome.unplanned.is_empty() && !marker.exists() {
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
        publish::write(&marker, &json(&complete)?)?;
    }
    Ok(())
}

/// Run in progress.
struct Runner<'a> {
    plan: &'a Plan,
    root: &'a Path,
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
        let others = self.options.jobs.get().min(todo.len()).saturating_sub(1);
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
                let error = error.to_string();
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
