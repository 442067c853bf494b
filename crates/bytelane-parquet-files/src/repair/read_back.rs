//! Reads a salvaged file back before it gets its name.

use crate::check::{CheckOptions, Severity, check, unsorted_rows};
use crate::opened::OpenedFile;
use crate::rewrite::source::{Column, Root, Source};
use bytelane_parquet::catch_panic::catch_panic;
use bytelane_parquet::chunk::stored_range;
use bytelane_parquet::input::InputFile;
use bytelane_parquet::read::ReaderBuilder;
use bytelane_parquet::{Error, Problem, Result, StringType};
use parquet::file::reader::Length;
use std::ops::Range;
use std::path::Path;

/// Maximum number of times that rows are read to find those that cannot be read.
const READS: usize = 128;

/// Part of a file that is wrong or cannot be read.
pub(super) struct Refused {
    pub row_group: Option<usize>,
    /// Rows of the row group that are wrong; empty for all of them.
    pub rows: Vec<Range<u64>>,
    pub column: Option<String>,
    pub problem: String,
}

/// Returns the parts of a file that the check of its values rejects, or that the reader or the crate
/// `parquet` cannot read.
pub(super) fn refused(path: &Path) -> Result<Vec<Refused>> {
    let checked = check(
        path,
        &CheckOptions::default()
            .with_values(true)
            // The rows of the damaged file were counted.
            .with_row_limit(u64::MAX),
    )?;
    let findings = checked.findings.into_iter();
    let errors = findings.filter(|it| it.severity == Severity::Error);
    let errors = errors.map(|it| Refused {
        row_group: it.row_group,
        rows: Vec::new(),
        column: it.column,
        problem: it.problem,
    });
    let mut refused: Vec<Refused> = errors.collect();
    if !refused.is_empty() {
        refused
            .iter_mut()
            .for_each(|it| it.rows = wrong_rows(path, it));
        return Ok(refused);
    }
    if catch_panic(|| read_all(path)).is_err() {
        for row_group in 0..checked.row_groups {
            let read = catch_panic(|| read_rows(path, row_group, None));
            refused.extend(of_error(read, row_group, None)?);
        }
    }
    refused
        .iter_mut()
        .for_each(|it| it.rows = wrong_rows(path, it));
    if refused.is_empty() {
        refused = refused_by_parquet(path)?;
    }
    Ok(refused)
}

/// Returns the rows of a row group that are wrong: those that the reader cannot read, or those that are not in the order
/// of the sorting columns, and the rows before them.
fn wrong_rows(path: &Path, refused: &Refused) -> Vec<Range<u64>> {
    let Some(row_group) = refused.row_group else {
        return Vec::new();
    };
    if refused.column.is_none()
        && let Ok(rows) = unsorted_rows(path, row_group)
        && !rows.is_empty()
    {
        let pairs = rows.into_iter().map(|row| row as u64 - 1..row as u64 + 1);
        return pairs.collect();
    }
    let rows = ReaderBuilder::open(path).map(|file| {
        let row_group = file.metadata().row_groups().get(row_group);
        row_group.map_or(0, |it| u64::try_from(it.num_rows()).unwrap_or(0))
    });
    let mut unreadable = Vec::new();
    let mut left = READS;
    let whole = 0..rows.unwrap_or(0);
    search(path, row_group, whole, &mut left, &mut unreadable);
    unreadable
}

/// Appends the rows of a range that cannot be read. Halves a range until nothing is left of `reads`.
fn search(
    path: &Path,
    row_group: usize,
    rows: Range<u64>,
    reads: &mut usize,
    unreadable: &mut Vec<Range<u64>>,
) {
    let is_read = |rows: &Range<u64>| {
        let rows = Some(rows.clone());
        catch_panic(|| read_rows(path, row_group, rows)).is_ok()
    };
    if rows.is_empty() || (*reads > 0 && is_read(&rows)) {
        return;
    }
    *reads = reads.saturating_sub(1);
    if rows.end - rows.start == 1 || *reads == 0 {
        unreadable.push(rows);
        return;
    }
    let middle = rows.start + (rows.end - rows.start) / 2;
    search(path, row_group, rows.start..middle, reads, unreadable);
    search(path, row_group, middle..rows.end, reads, unreadable);
}

/// Opens the file as users do. Rows that share an entry of a dictionary share its memory: a few bytes make any number of
/// copies of it.
fn opened(path: &Path) -> Result<ReaderBuilder<InputFile>> {
    ReaderBuilder::open(path)?.with_string_type(StringType::StringView)
}

/// Reads all rows, but opens the file once for all row groups.
fn read_all(path: &Path) -> Result<()> {
    let builder = opened(path)?;
    // Rows without columns have nothing to read, whatever their number.
    if builder.schema().fields().is_empty() {
        return Ok(());
    }
    for batch in builder.build()? {
        batch?;
    }
    Ok(())
}

/// Reads a row group, or some of its rows.
fn read_rows(path: &Path, row_group: usize, rows: Option<Range<u64>>) -> Result<()> {
    let mut builder = opened(path)?.with_row_groups(vec![row_group]);
    if let Some(rows) = rows {
        let (offset, count) = (rows.start, rows.end - rows.start);
        builder = builder
            .with_offset(offset as usize)
            .with_limit(count as usize);
    }
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
        rows: Vec::new(),
        column: error.place().column.clone().or(column),
        problem: error.problem().to_string(),
    }))
}

/// Reads all columns with the crate `parquet`, which shares no code with the reader.
fn refused_by_parquet(path: &Path) -> Result<Vec<Refused>> {
    let source = Source::new(OpenedFile::read(InputFile::open(path)?)?)?;
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
    let ranges = chunks.map(|chunk| stored_range(chunk, source.file.reader.len()));
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
