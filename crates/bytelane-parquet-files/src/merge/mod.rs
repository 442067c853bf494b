//! Merges files into larger ones, or splits them, without re-encoding pages where possible.
//!
//! The chunk of a column in a row group is a dictionary and data pages, the first of which begins
//! with a new row. Chunks of small row groups can therefore be joined page by page: dictionaries
//! are joined, and the indices of data pages are mapped to the joined dictionary; other pages are
//! copied byte for byte. The metadata of pages in footers and indexes is joined, too. The values of
//! a column are re-encoded only if the joined dictionary would be too large.

mod encode;
mod facts;
mod input;
mod join;
mod leaf;
mod meaning;
mod options;
mod outcome;
mod output;
mod part;
mod plan;
mod row_group;
mod run;
mod schema;
mod sorting;
mod verify;
mod window;
mod writer;

pub use facts::{FIELDS, Fact, KEYS, Rule};
pub use options::{MergeOptions, MergePages};
pub(crate) use options::{Repair, Salvage, Scope};
pub use outcome::{Merged, MergedColumn, MergedFile, MergedPages};

use crate::opened::OpenedFile;
use bytelane_parquet::Result;
use bytelane_parquet::input::InputFile;
use bytelane_parquet::options::roots_of;
use bytelane_parquet::progress::Progress;
pub(crate) use input::{Lost, Trial};
use outcome::Notes;
use output::Outputs;
use plan::Plan;
use run::Run;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use verify::verify;
use window::Window;

/// Merges the rows of files, in order, into one file or several files of a given size.
///
/// Row groups become as large as [`with_row_group_size`](MergeOptions::with_row_group_size) allows.
/// Data pages are copied with their checksums; dictionary indices are mapped to the joined
/// dictionary. Statistics, page indexes, size statistics and key-value pairs are joined, and Bloom
/// filters of equal size, too; others are made again from the values. Sorting columns are kept if
/// the ranges of consecutive row groups are in order. [`Merged::notes`] lists whatever cannot be kept.
///
/// Columns are matched by name. An optional column that an input lacks, or has with the null type,
/// is null there. A field that is required in some inputs and optional in others becomes optional:
/// levels are added, values are unchanged. Members of lists and maps may have other names, such as `item` and
/// `element`; those of the first input are kept. Columns of other Arrow types are joined if [`unite`](bytelane_parquet::unite) finds
/// a type for both, and encoded again if values have to be converted. Any other difference of types or field ids is an
/// error. The keys of dictionaries become as wide as the entries of all inputs need.
///
/// The outputs appear under their names once all of them are complete and on disk; an output may be
/// one of the inputs. The inputs' bytes for one row group are in memory, together with the new row
/// group, and the values of as many columns as [threads](MergeOptions::with_threads) encode again.
///
/// # Errors
///
/// A file cannot be read, is not a Parquet file, is encrypted or damaged; columns differ; an output
/// cannot be written. Existing outputs are then unchanged.
///
/// # Example
///
/// ```no_run
/// use bytelane_parquet_files::merge::{MergeOptions, merge};
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
    merge_if(inputs, output, options, |_| Ok(()))
}

/// Same as [`merge`], but the outputs appear under their names only if `accept` returns no error for the
/// paths of the unfinished files.
pub(crate) fn merge_if(
    inputs: &[impl AsRef<Path>],
    output: impl AsRef<Path>,
    options: &MergeOptions,
    accept: impl FnOnce(&Unfinished) -> Result<()>,
) -> Result<Merged> {
    let paths: Vec<&Path> = inputs.iter().map(AsRef::as_ref).collect();
    let mut notes = Notes::default();
    let plan = Plan::new(&paths, options, &mut notes)?;
    let first = plan.inputs[0].path;
    let permissions = InputFile::open(first).and_then(|file| file.permissions());
    let permissions = permissions.map_err(|error| error.in_file(first))?;
    let outputs = Outputs::new(
        output.as_ref(),
        &paths,
        options,
        permissions.as_ref(),
        &plan.footer,
    )?;
    let mut run = Run::new(&plan, options, outputs, notes);
    run.merge()?;
    let (outputs, columns, notes) = run.finish();
    let mut merged = Merged {
        inputs: paths.len(),
        bytes_before: plan.bytes,
        rows: plan.footer.num_rows as u64,
        deleted_rows: plan.deleted_rows,
        row_groups_before: plan.row_groups,
        columns,
        notes,
        ..Merged::default()
    };
    if options.verify {
        let at_end = options.progress.at_end(plan.bytes);
        let progress = Progress::new(move |rows, _| at_end(rows));
        verify(&plan, options, &outputs, progress)?;
        merged.verified = true;
    }
    accept(&outputs.unfinished())?;
    merged.outputs = outputs.finish()?;
    merged.bytes_after = merged.outputs.iter().map(|file| file.bytes).sum();
    merged.row_groups_after = merged.outputs.iter().map(|file| file.row_groups).sum();
    Ok(merged)
}

/// Paths of the files of a merge that do not have their names yet; `None` for a device or a pipe.
pub(crate) type Unfinished = Option<Vec<PathBuf>>;

/// Rows of a row group that cannot be read because pages of a column are damaged.
pub(crate) struct LostRows {
    pub row_group: usize,
    pub column: String,
    pub lost: Lost,
}

/// Returns the rows of a file, or of some of its columns, that are lost, and the number of rows of each of
/// its row groups.
pub(crate) fn lost_rows(
    path: &Path,
    columns: Option<&[String]>,
    progress: &Progress,
) -> Result<(Vec<LostRows>, Vec<u64>)> {
    let file = Window::open(path, columns)?;
    let schema = file.schema().map_err(|error| error.in_file(path))?;
    let columns = schema.columns();
    let mut all = Vec::new();
    let total = file.footer.row_groups.len() * columns.len();
    for row_group in 0..file.footer.row_groups.len() {
        for (leaf, column) in columns.iter().enumerate() {
            let done = row_group * columns.len() + leaf;
            progress.report(done as u64, total as u64)?;
            let lost = input::lost_rows(&file, row_group, leaf, column);
            let lost = lost.map_err(|error| error.in_row_group(row_group).in_file(path))?;
            all.extend(lost.into_iter().map(|lost| LostRows {
                row_group,
                column: column.path().string(),
                lost,
            }));
        }
    }
    let rows = file.footer.row_groups.iter();
    let rows = rows.map(|it| u64::try_from(it.num_rows).unwrap_or(0));
    Ok((all, rows.collect()))
}

/// Returns the names of the top-level columns of a file, or of those that contain these paths.
pub(crate) fn columns_of(path: &Path, columns: Option<&[String]>) -> Result<Vec<String>> {
    let mut names = schema::top_level(&OpenedFile::open(path)?.footer.schema);
    if let Some(columns) = columns {
        let wanted: HashSet<&str> = columns.iter().flat_map(|path| roots_of(path)).collect();
        names.retain(|name| wanted.contains(name.as_str()));
    }
    Ok(names)
}
