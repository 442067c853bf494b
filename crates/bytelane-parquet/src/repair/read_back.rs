//! Reads a salvaged file back before it gets its name.

use crate::catch_panic::catch_panic;
use crate::check::{CheckOptions, Severity, check};
use crate::chunk::stored_range;
use crate::input::InputFile;
use crate::read::ReaderBuilder;
use crate::rewrite::source::{Column, Root, Source};
use crate::{Error, Problem, Result};
use parquet::file::reader::Length;
use std::path::Path;

/// Part of a file that is wrong or cannot be read.
pub(super) struct Refused {
    pub row_group: Option<usize>,
    pub column: Option<String>,
    pub problem: String,
}

/// Returns the parts of a file that the check of its values rejects, or that the reader or the crate
/// `parquet` cannot read.
pub(super) fn refused(path: &Path) -> Result<Vec<Refused>> {
    let checked = check(path, &CheckOptions::default().with_values(true))?;
    let findings = checked.findings.into_iter();
    let errors = findings.filter(|it| it.severity == Severity::Error);
    let errors = errors.map(|it| Refused {
        row_group: it.row_group,
        column: it.column,
        problem: it.problem,
    });
    let mut refused: Vec<Refused> = errors.collect();
    if !refused.is_empty() {
        return Ok(refused);
    }
    for row_group in 0..checked.row_groups {
        let read = catch_panic(|| read_row_group(path, row_group));
        refused.extend(of_error(read, row_group, None)?);
    }
    if refused.is_empty() {
        refused = refused_by_parquet(path)?;
    }
    Ok(refused)
}

/// Reads a row group as users do.
fn read_row_group(path: &Path, row_group: usize) -> Result<()> {
    let builder = ReaderBuilder::open(path)?.with_row_groups(vec![row_group]);
    for batch in builder.build()? {
        batch?;
    }
    Ok(())
}

/// Returns the part that an error is about. Whatever is valid, but not supported, is not refused.
fn of_error(read: Result<()>, row_group: usize, column: Option<&Root>) -> Result<Option<Refused>> {
    let error = match read {
        Ok(()) => return Ok(None),
        Err(error) => error,
    };
    if let Problem::Io(_) | Problem::Cancelled = error.problem() {
        return Err(error);
    }
    if error.is_obstacle() || error.is_of_memory() || error.is_of_size() {
        return Ok(None);
    }
    let column = column.map(|root| root.in_file().name().to_owned());
    Ok(Some(Refused {
        row_group: Some(row_group),
        column: error.place().column.clone().or(column),
        problem: error.problem().to_string(),
    }))
}

/// Reads all columns with the crate `parquet`, which shares no code with the reader.
fn refused_by_parquet(path: &Path) -> Result<Vec<Refused>> {
    let source = Source::open(InputFile::open(path)?)?;
    let mut refused = Vec::new();
    for row_group in 0..source.row_groups() {
        for root in &source.roots {
            let read = catch_panic(|| witness(&source, row_group, root));
            refused.extend(of_error(read, row_group, Some(root))?);
        }
    }
    Ok(refused)
}

fn witness(source: &Source<InputFile>, index: usize, root: &Root) -> Result<()> {
    let read = root.read().as_ref();
    let read = read.map_err(|why| Error::from(Problem::Unsupported(why.clone())))?;
    let row_group = source.row_group(index)?;
    let part = source.part(&row_group, root)?;
    let chunks = part.chunks.iter();
    let ranges = chunks.map(|chunk| stored_range(chunk, source.reader.len()));
    let ranges = ranges.collect::<Result<Vec<_>>>()?;
    let column = Column {
        row_group: &row_group,
        root,
        part: &part,
        ranges: &ranges,
    };
    let mut rows = 0;
    for array in source.witnessed(column, read, None) {
        rows += array?.len();
    }
    if rows == column.row_count() {
        Ok(())
    } else {
        let count = column.row_count();
        Err(Error::corrupt(format!(
            "the crate parquet reads {rows} rows instead of {count}"
        )))
    }
}
