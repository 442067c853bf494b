//! Many files merged to larger ones, whose pages move as they are.
//!
//! The chunk of a column in a row group is a dictionary and data pages, which begin with rows where a chunk begins. So the chunks of small row
//! groups are joined page by page: dictionaries become one, and the indices of data pages are mapped to it; other pages are copied byte for
//! byte. What footers and indexes say of pages is joined too. Only where a joined dictionary would be too large are the values of a column
//! decoded, and encoded again.

mod encode;
mod input;
mod join;
mod options;
mod outcome;
mod output;
mod plan;
mod row_group;
mod schema;
mod sorting;

pub use options::MergeOptions;
pub use outcome::{Merged, MergedColumn, MergedFile, MergedPages};

use crate::diff::{DiffOptions, diff};
use crate::input::InputFile;
use crate::{Error, Problem, Result};
use input::{Opened, RowGroup};
use outcome::Notes;
use output::Outputs;
use plan::{Part, Plan};
use row_group::Writer;
use std::path::Path;
use std::sync::Arc;

/// Merges the rows of files, in their order, into one file or into several of a size.
///
/// Row groups become as large as [`with_row_group_rows`](MergeOptions::with_row_group_rows) allows. Data pages are copied with
/// their checksums; those with dictionary indices are mapped to the joined dictionary. Statistics, indexes of pages, Bloom filters of one size,
/// size statistics and key-value pairs are joined; sorting columns stay if the ranges of row groups follow each other. What cannot be kept is in
/// [`Merged::notes`].
///
/// Columns are matched by name. An optional column that an input lacks, or has as the type of nulls, is null there. Any other difference of
/// types, nullability or field ids is an error.
///
/// The outputs appear under their names when all of them are complete and on the disk; an output may be one of the inputs. The bytes of the
/// inputs of one row group are in memory, and those of the new one.
///
/// # Errors
///
/// A file cannot be read, is not a Parquet file, is encrypted or damaged; columns differ; an output cannot be written. Outputs are then as
/// they were.
///
/// # Example
///
/// ```no_run
/// use bytelane_parquet::merge::{MergeOptions, merge};
///
/// let merged = merge(&["a.parquet", "b.parquet"], "merged.parquet", &MergeOptions::default())?;
/// println!("{} row groups became {}", merged.row_groups_before, merged.row_groups_after);
/// # Ok::<(), bytelane_parquet::Error>(())
/// ```
pub fn merge(
    inputs: &[impl AsRef<Path>],
    output: impl AsRef<Path>,
    options: &MergeOptions,
) -> Result<Merged> {
    let paths: Vec<&Path> = inputs.iter().map(AsRef::as_ref).collect();
    let mut notes = Notes::default();
    let plan = Plan::new(&paths, &mut notes)?;
    let first = plan.inputs[0].path;
    let permissions = InputFile::open(first).and_then(|file| file.permissions());
    let permissions = permissions.map_err(|error| error.in_file(first))?;
    let outputs = Outputs::new(output.as_ref(), options, &permissions, &plan.footer)?;
    let mut merge = Merge {
        plan: &plan,
        options,
        outputs,
        writer: Writer::new(&plan, notes),
        file: None,
        done: 0,
        total: plan.parts.iter().map(|part| part.bytes).sum(),
    };
    merge.run()?;
    let Merge {
        outputs, writer, ..
    } = merge;
    let mut merged = Merged {
        inputs: paths.len(),
        bytes_before: plan.bytes,
        rows: plan.footer.num_rows as u64,
        row_groups_before: plan.row_groups,
        ..Merged::default()
    };
    (merged.columns, merged.notes) = writer.finish();
    if options.verification {
        verify(&paths, &outputs)?;
        merged.verified = true;
    }
    merged.outputs = outputs.finish()?;
    merged.bytes_after = merged.outputs.iter().map(|file| file.bytes).sum();
    merged.row_groups_after = merged.outputs.iter().map(|file| file.row_groups).sum();
    Ok(merged)
}

/// Compares the rows of the inputs with those of the outputs, which have no names yet.
fn verify(inputs: &[&Path], outputs: &Outputs<'_>) -> Result<()> {
    let Some(unfinished) = outputs.unfinished() else {
        let problem = "a device or a pipe cannot be read again to verify it; write a file";
        return Err(Problem::Option(problem.to_owned()).into());
    };
    let options = DiffOptions::default().with_missing_as_null(true);
    let difference = diff(inputs, &unfinished, &options)?;
    match difference.is_none() {
        true => Ok(()),
        false => {
            let problem = "the merged files have different values";
            Err(Problem::Different(problem.to_owned()).into())
        }
    }
}

/// A merge on its way.
struct Merge<'a> {
    plan: &'a Plan<'a>,
    options: &'a MergeOptions,
    outputs: Outputs<'a>,
    writer: Writer<'a>,
    /// The input that was read last.
    file: Option<(usize, Opened)>,
    /// Bytes of chunks that are done, and of all.
    done: u64,
    total: u64,
}

impl Merge<'_> {
    fn run(&mut self) -> Result<()> {
        let mut parts = &self.plan.parts[..];
        while !parts.is_empty() {
            let count = self.next_row_group(parts);
            if count == 0 {
                self.outputs.end_file()?;
                continue;
            }
            let (these, others) = parts.split_at(count);
            self.write(these)?;
            parts = others;
        }
        if self.outputs.is_new() {
            // A file without rows.
            self.outputs.writer()?;
        }
        self.outputs.end_file()
    }

    /// Returns how many row groups become the next one; 0 if there is no room for it in the file.
    fn next_row_group(&self, parts: &[Part]) -> usize {
        let room = self.outputs.room();
        let (mut rows, mut bytes) = (0_u64, 0.0);
        for (count, part) in parts.iter().enumerate() {
            rows = rows.saturating_add(part.rows);
            bytes += part.bytes as f64 * self.writer.ratio();
            let is_first = count == 0 && self.outputs.is_new();
            if room.is_some_and(|room| bytes > room as f64) && !is_first {
                return count;
            }
            let is_full = self.options.row_groups_kept || rows > self.options.row_group_rows;
            if is_full && count > 0 {
                return count;
            }
        }
        parts.len()
    }

    fn write(&mut self, parts: &[Part]) -> Result<()> {
        let mut groups = Vec::with_capacity(parts.len());
        for part in parts {
            groups.push(self.read(part)?);
        }
        let rows = parts.iter().map(|part| part.rows).sum();
        let bytes: u64 = parts.iter().map(|part| part.bytes).sum();
        let (done, total) = (self.done, self.total);
        let report = || self.options.report(done, total);
        self.writer.write(&groups, self.outputs.writer()?, report)?;
        self.outputs.add_rows(rows);
        self.done += bytes;
        Ok(())
    }

    fn read(&mut self, part: &Part) -> Result<RowGroup> {
        let input = &self.plan.inputs[part.input];
        let file = match self.file.take() {
            Some((index, file)) if index == part.input => file,
            _ => Opened::open(input.path)?,
        };
        self.file = Some((part.input, file.clone()));
        let located = |error: Error| error.in_row_group(part.row_group).in_file(input.path);
        if file.footer.row_groups.len() <= part.row_group {
            return Err(located(Error::corrupt("the file has changed")));
        }
        let layout = Arc::clone(&input.layout);
        RowGroup::read(input.path, file, part.row_group, layout).map_err(located)
    }
}
