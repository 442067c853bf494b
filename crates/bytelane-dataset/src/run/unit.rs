//! Runs a unit of work, from its sources to published outputs.

use super::meter::Meter;
use super::{Runner, is_there, scratch_name};
use crate::bytes::{have_same_bytes, sync};
use crate::journal::{Entry, OutputFile, State};
use crate::plan::{Action, Unit};
use crate::{Error, Result};
use bytelane_parquet::Progress;
use bytelane_parquet_files::diff::{DiffOptions, Fingerprint, fingerprint};
use bytelane_parquet_files::merge::merge;
use bytelane_parquet_files::rewrite::rewrite;
use bytelane_store::Put;
use rayon::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};

/// Phases of a unit, as fractions of its work.
const MAKING: (f64, f64) = (0.0, 0.5);
const READING_SOURCES: (f64, f64) = (0.5, 0.75);
const READING_OUTPUTS: (f64, f64) = (0.75, 1.0);

/// Directory with the copies of objects among the temporary files of a unit.
const SOURCES: &str = "sources";

/// Temporary files of a unit, removed if it fails.
struct Files<'a>(&'a Path);

impl Drop for Files<'_> {
    fn drop(&mut self) {
        // Remaining files are removed when the next run begins.
        let _ = fs::remove_dir_all(self.0);
    }
}

impl Runner<'_> {
    /// Runs a unit, and returns the size of its outputs in bytes. If it fails, nothing new is
    /// published, except for outputs that the next attempt finds.
    pub(super) fn attempt(&self, unit: &Unit) -> Result<u64> {
        let meter = Meter::new(&self.total, unit.bytes);
        if self.old.disk().is_some() {
            self.check_sources(unit)?;
        }
        if let Some(verified) = self.renamed_before(unit)? {
            return self.published(unit, verified, &meter);
        }
        self.note(unit, Entry::new(&unit.id, State::Started))?;
        let directory = self.scratch.join(&unit.id);
        fs::create_dir_all(&directory).map_err(Error::at(&directory))?;
        let _files = Files(&directory);
        let sources = self.local_sources(unit, &directory)?;
        let made = self.make(unit, &sources, &directory, &meter)?;
        self.note(unit, Entry::new(&unit.id, State::Written))?;
        let fingerprint = self.compare(unit, &sources, &made, &meter)?;
        if self.old.disk().is_some() {
            // If a source has changed, the bytes that were read may be a mixture of two versions.
            self.check_sources(unit)?;
        }
        let outputs = outputs(unit, &made, fingerprint.as_ref())?;
        let verified = Entry {
            fingerprint,
            outputs: outputs.clone(),
            ..Entry::new(&unit.id, State::Verified)
        };
        self.note(unit, verified.clone())?;
        self.remove_strays(unit, &outputs)?;
        for (number, (made, output)) in made.iter().zip(&outputs).enumerate() {
            let temporary = format!("{}/{}-{number}", scratch_name(self.options.shard), unit.id);
            if self.publish(made, output, fingerprint.as_ref(), &temporary)? {
                self.options.reach(&unit.id, "renamed");
            }
        }
        self.published(unit, verified, &meter)
    }

    /// Records that a unit is published, and returns the size of its outputs in bytes.
    fn published(&self, unit: &Unit, verified: Entry, meter: &Meter) -> Result<u64> {
        let bytes = verified.outputs.iter().map(|output| output.bytes).sum();
        let published = Entry::new(&unit.id, State::Published);
        self.note(
            unit,
            Entry {
                state: published.state,
                time: published.time,
                ..verified
            },
        )?;
        // The unit is done even if the run is cancelled now.
        let _ = meter.finish();
        Ok(bytes)
    }

    /// Returns the entry of a unit whose outputs were all renamed before an earlier run ended, and
    /// still have the rows that were verified then.
    fn renamed_before(&self, unit: &Unit) -> Result<Option<Entry>> {
        let last = self
            .history
            .get(&unit.id)
            .and_then(|known| known.last.as_ref());
        let Some(entry) = last.filter(|it| it.state == State::Verified) else {
            return Ok(None);
        };
        if !is_there(entry, self.root)? {
            return Ok(None);
        }
        let outputs = entry.outputs.iter();
        let paths: Vec<PathBuf> = outputs
            .map(|output| self.root.under(&output.path))
            .collect();
        let is_same = match &entry.fingerprint {
            Some(rows) => fingerprint(&paths, &DiffOptions::default()).is_ok_and(|it| it == *rows),
            None => {
                self.check_sources(unit)?;
                have_same_files(&self.sources(unit), &paths)?
            }
        };
        Ok(is_same.then(|| entry.clone()))
    }

    fn note(&self, unit: &Unit, entry: Entry) -> Result<()> {
        self.journal.append(&entry)?;
        self.options.reach(&unit.id, entry.state.name());
        Ok(())
    }

    fn check_sources(&self, unit: &Unit) -> Result<()> {
        let mut sources = unit.sources.iter();
        sources.try_for_each(|source| source.check(self.old))
    }

    fn sources(&self, unit: &Unit) -> Vec<PathBuf> {
        let sources = unit.sources.iter();
        sources.map(|source| source.under(self.old)).collect()
    }

    /// Returns the sources of a unit as local files. Objects are copied to a temporary directory: each is
    /// read once, and all of its bytes are those of the planned version.
    fn local_sources(&self, unit: &Unit, directory: &Path) -> Result<Vec<PathBuf>> {
        if self.old.disk().is_some() {
            return Ok(self.sources(unit));
        }
        let directory = directory.join(SOURCES);
        let copied = self.old.at_once(|| {
            let sources = unit.sources.par_iter();
            let copied = sources.map(|source| {
                let to = directory.join(&source.path);
                let parent = to.parent().unwrap_or(&directory);
                fs::create_dir_all(parent).map_err(Error::at(parent))?;
                let (path, meta) = (source.under(self.old), source.meta());
                self.old.tree.download(&path, &meta, &to)?;
                Ok(to)
            });
            copied.collect::<Result<Vec<_>>>()
        })?;
        copied.map_err(|error| match error {
            Error::Store(error) if error.is_missing() => Error::Changed(error.url),
            error => error,
        })
    }

    /// Returns the message of an error. Names objects instead of their copies.
    pub(super) fn message(&self, unit: &Unit, error: &Error) -> String {
        let copies = self.scratch.join(&unit.id).join(SOURCES);
        let root = self.old.path.display().to_string();
        error
            .to_string()
            .replace(&copies.display().to_string(), &root)
    }

    /// Writes the outputs under temporary names, and syncs them to disk.
    fn make(
        &self,
        unit: &Unit,
        sources: &[PathBuf],
        directory: &Path,
        meter: &Meter,
    ) -> Result<Vec<PathBuf>> {
        match unit.action {
            // An object has just been copied.
            Action::Copy if sources[0].starts_with(directory) => Ok(sources.to_vec()),
            Action::Copy => copy(sources, directory),
            Action::Rewrite => {
                let output = directory.join("rewritten.parquet");
                self.rewrite(&sources[0], &output, meter)?;
                Ok(vec![output])
            }
            Action::Merge | Action::Split => self.merge(unit, sources, directory, meter),
        }
    }

    fn merge(
        &self,
        unit: &Unit,
        sources: &[PathBuf],
        directory: &Path,
        meter: &Meter,
    ) -> Result<Vec<PathBuf>> {
        let (counting, output) = (meter.clone(), directory.join("merged.parquet"));
        let options = &self.plan.options;
        let mut merging = options
            .merge()
            .with_threads(self.threads)
            .with_progress(Progress::new(move |done, total| {
                counting.report(MAKING, done, total)
            }));
        if unit.action == Action::Split {
            merging = merging.with_file_size(options.file_size());
        }
        let merged = merge(sources, &output, &merging)?;
        let mut made = Vec::new();
        for file in merged.outputs {
            if !unit.rewrite {
                made.push(file.path);
                continue;
            }
            let output = directory.join(format!("rewritten-{}.parquet", made.len()));
            self.rewrite(&file.path, &output, meter)?;
            fs::remove_file(&file.path).map_err(Error::at(&file.path))?;
            made.push(output);
        }
        Ok(made)
    }

    fn rewrite(&self, source: &Path, output: &Path, meter: &Meter) -> Result<()> {
        let counting = meter.clone();
        let options = self
            .plan
            .options
            .rewrite()
            .with_threads(self.threads)
            .with_progress(Progress::new(move |done, total| {
                counting.report(MAKING, done, total)
            }));
        rewrite(source, output, &options)?;
        Ok(())
    }

    /// Reads the outputs back, and compares them with the sources. Returns the fingerprint of the
    /// rows, except for files that were copied byte for byte.
    fn compare(
        &self,
        unit: &Unit,
        sources: &[PathBuf],
        made: &[PathBuf],
        meter: &Meter,
    ) -> Result<Option<Fingerprint>> {
        let different = || Error::Different(sources[0].display().to_string());
        if unit.action == Action::Copy {
            return if sources == made || have_same_files(sources, made)? {
                Ok(None)
            } else {
                Err(different())
            };
        }
        let counted = |phase| {
            let (meter, rows) = (meter.clone(), unit.rows);
            let progress = Progress::new(move |done, _| meter.report(phase, done, rows));
            DiffOptions::default().with_progress(progress)
        };
        let before = fingerprint(sources, &counted(READING_SOURCES))?;
        let after = fingerprint(made, &counted(READING_OUTPUTS))?;
        if before == after {
            Ok(Some(after))
        } else {
            Err(different())
        }
    }

    /// Removes outputs of an earlier attempt that this one lacks: another version of the program
    /// may have split a file elsewhere.
    fn remove_strays(&self, unit: &Unit, outputs: &[OutputFile]) -> Result<()> {
        let perhaps = self.history.get(&unit.id).map(|known| &known.perhaps);
        for stray in perhaps.into_iter().flatten() {
            let is_ours = stray.path.strip_prefix(&prefix(unit));
            let is_ours = is_ours.is_some_and(|rest| !rest.contains('/'));
            if is_ours && !outputs.iter().any(|output| output.path == stray.path) {
                self.root.remove(&stray.path)?;
            }
        }
        Ok(())
    }

    /// Gives an output its final name, and returns true. Returns false if that file exists and has the same
    /// rows: an earlier run ended before it could record the publication. Other rows are an error.
    fn publish(
        &self,
        made: &Path,
        output: &OutputFile,
        rows: Option<&Fingerprint>,
        temporary: &str,
    ) -> Result<bool> {
        let there = self.root.under(&output.path);
        match self.root.publish(made, &output.path, temporary)? {
            Put::Stored | Put::Same => return Ok(true),
            Put::Other => {}
        }
        let is_same = match rows {
            None => have_same_bytes(made, &there)?,
            Some(_) => {
                let options = DiffOptions::default();
                let found = fingerprint(&[&there], &options)?;
                found == fingerprint(&[made], &options)?
            }
        };
        if !is_same {
            let problem = "there is another file with the name of an output; move it away";
            return Err(Error::Input(format!("{}: {problem}", there.display())));
        }
        Ok(false)
    }
}

/// Returns whether each file has the same bytes as its counterpart.
fn have_same_files(these: &[PathBuf], those: &[PathBuf]) -> Result<bool> {
    let mut same = these.len() == those.len();
    for (one, other) in these.iter().zip(those) {
        same = same && have_same_bytes(one, other)?;
    }
    Ok(same)
}

/// Copies files, and syncs the copies to disk.
fn copy(sources: &[PathBuf], directory: &Path) -> Result<Vec<PathBuf>> {
    let mut made = Vec::new();
    for (number, source) in sources.iter().enumerate() {
        let to = directory.join(format!("{number}.parquet"));
        fs::copy(source, &to).map_err(Error::at(source))?;
        sync(&to)?;
        made.push(to);
    }
    Ok(made)
}

/// Returns the prefix of the paths of a unit's outputs.
fn prefix(unit: &Unit) -> String {
    match unit.partition() {
        "" => format!("part-{}-", unit.id),
        partition => format!("{partition}/part-{}-", unit.id),
    }
}

/// Returns the names and sizes of outputs. Names derive from the sources and the values, so a
/// second attempt has the same names, and no other unit has them. Files that are copied unchanged
/// keep their names.
fn outputs(
    unit: &Unit,
    made: &[PathBuf],
    fingerprint: Option<&Fingerprint>,
) -> Result<Vec<OutputFile>> {
    let mut outputs = Vec::new();
    for (number, made) in made.iter().enumerate() {
        let path = match fingerprint {
            None => unit.sources[number].path.clone(),
            Some(fingerprint) => {
                let digits = fingerprint.to_string();
                format!("{}{}-{number}.parquet", prefix(unit), &digits[..16])
            }
        };
        let bytes = fs::metadata(made).map_err(Error::at(made))?.len();
        outputs.push(OutputFile { path, bytes });
    }
    Ok(outputs)
}
