//! Rewrites existing files with better encodings.

pub(crate) mod encode;
mod index;
mod int96;
mod meaning;
mod measure;
mod options;
mod outcome;
pub(crate) mod plan;
pub(crate) mod source;
mod verify;
mod work;

pub use int96::Int96Unit;
pub use options::RewriteOptions;
use outcome::Moved;
pub use outcome::{ColumnState, Rewritten, RewrittenColumn};

use crate::opened::Reopen;
use bytelane_parquet::file::{FileWriter, Output, is_stream};
use bytelane_parquet::format;
use bytelane_parquet::input::InputFile;
use bytelane_parquet::parallel::in_order;
use bytelane_parquet::stack::with_stack;
use bytelane_parquet::{Error, Problem, Result};
use bytes::Bytes;
use int96::convert_schema;
use plan::Plan;
use source::Source;
use std::cell::Cell;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use verify::verify;
use work::{Unit, Work, units};

/// Re-encodes the columns of a file that benefit, and copies the others unchanged.
///
/// Values stay the same bit for bit. The schema with its field ids, row groups, sorting columns, Bloom
/// filters, statistics with the order in which they were made, key-value metadata and everything else in the
/// footer are kept too. Page indexes are kept where there are any, and new pages have checksums where the old
/// ones have them. Columns are processed on several threads. Memory use depends on the largest row group, not
/// on the file. A column whose values would take more than 128 MiB and 1024 times its bytes is copied, too.
///
/// `output` may be `input`. The new file is written next to it, synced and renamed, so that a crash leaves
/// the old file intact. It gets the permissions of the file that it replaces, or else those of `input`. If
/// `output` is a symbolic link, the file that it points to is replaced. If it is one of several hard links to
/// a file, the others keep the old file. If it is a device or a named pipe, the new file is written to it.
///
/// # Errors
/// Returns an error if the file cannot be read, is not a Parquet file, is encrypted or is damaged; if a named
/// column does not exist, or its type does not support the requested encoding; and if the new file cannot be
/// written or does not hold the same values. `output` is then unchanged, unless it is a device or a pipe. A
/// read-only file is only replaced if [`with_replace`](RewriteOptions::with_replace) allows it.
///
/// # Example
/// ```no_run
/// use bytelane_parquet_files::rewrite::{RewriteOptions, rewrite};
///
/// let rewritten = rewrite("weather.parquet", "weather.parquet", &RewriteOptions::default())?;
/// println!("{} bytes became {}", rewritten.bytes_before, rewritten.bytes_after);
/// # Ok::<(), bytelane_parquet::Error>(())
/// ```
pub fn rewrite(
    input: impl AsRef<Path>,
    output: impl AsRef<Path>,
    options: &RewriteOptions,
) -> Result<Rewritten> {
    let (input, output) = (input.as_ref(), output.as_ref());
    let in_input = |error: Error| error.in_file(input);
    let in_output = |error: Error| error.in_file(output);
    let file = InputFile::open(input).map_err(in_input)?;
    let permissions = file.permissions().map_err(in_input)?;
    let source = Source::open(file).map_err(in_input)?;

    if options.dry_run || is_stream(output) {
        check_unverified(options).map_err(in_output)?;
    }
    if options.dry_run {
        return rewrite_source(&source, io::sink(), output, options).map_err(in_input);
    }
    let new = Output::begin(output, permissions.as_ref(), options.replace, &[input]);
    let new = new.map_err(in_output)?;
    let sink = BufWriter::new(new.file());
    let mut rewritten = rewrite_source(&source, sink, output, options).map_err(in_input)?;
    if let (true, Some(path)) = (options.verify, new.unfinished()) {
        let after = InputFile::open(path).and_then(Source::open);
        verify(&source, &after.map_err(in_output)?, options).map_err(in_output)?;
        rewritten.verified = true;
    }
    new.finish().map_err(in_output)?;
    Ok(rewritten)
}

/// Does the same as [`rewrite`], to a stream such as standard output. If it fails, a part of the new file may
/// have been written. A dry run writes nothing.
///
/// # Errors
/// Returns the errors of [`rewrite`], and an error if `options` request verification, because the output
/// cannot be read again.
pub fn rewrite_to(
    input: impl AsRef<Path>,
    output: &mut impl Write,
    options: &RewriteOptions,
) -> Result<Rewritten> {
    let in_input = |error: Error| error.in_file(input.as_ref());
    let stream = Path::new(STREAM);
    check_unverified(options).map_err(|error| error.in_file(stream))?;
    let file = InputFile::open(input.as_ref()).map_err(in_input)?;
    let source = Source::open(file).map_err(in_input)?;
    let mut nowhere = io::sink();
    let output: &mut dyn Write = if options.dry_run {
        &mut nowhere
    } else {
        output
    };
    rewrite_source(&source, BufWriter::new(output), stream, options).map_err(in_input)
}

/// Name of the stream in errors of [`rewrite_to`].
pub const STREAM: &str = "output";

/// Does the same as [`rewrite`] for a file in memory. Returns the new one, which a dry run makes as well.
///
/// # Errors
/// Returns the errors of [`rewrite`].
pub fn rewrite_bytes(file: Bytes, options: &RewriteOptions) -> Result<(Bytes, Rewritten)> {
    let source = Source::open(file)?;
    let mut bytes = Vec::new();
    let mut rewritten = rewrite_source(&source, &mut bytes, Path::new("memory"), options)?;
    let bytes = Bytes::from(bytes);
    if options.verify {
        verify(&source, &Source::open(bytes.clone())?, options)?;
        rewritten.verified = true;
    }
    Ok((bytes, rewritten))
}

/// Returns an error if verification is requested for output that cannot be read again.
fn check_unverified(options: &RewriteOptions) -> Result<()> {
    let problem = match (options.verify, options.dry_run) {
        (false, _) => return Ok(()),
        (true, true) => "a dry run writes no file, which could be verified",
        (true, false) => {
            "a device, a pipe or a stream cannot be read again to verify it; write a file"
        }
    };
    Err(Problem::Option(problem.to_owned()).into())
}

fn rewrite_source<R: Reopen>(
    source: &Source<R>,
    sink: impl Write,
    name: &Path,
    options: &RewriteOptions,
) -> Result<Rewritten> {
    let plan = with_stack(source.file.depth, || {
        Plan::new(source.file_metadata(), options)
    })?;
    let sizes = source.sizes(options.memory())?;
    let mut new = New {
        source,
        columns: plan.columns(),
        file: FileWriter::new(sink, Some(name.to_owned()))?,
    };
    let work = Work {
        source,
        plan: &plan,
        options,
    };
    let done = Cell::new(0);
    in_order(
        options.limits(&sizes, source),
        units(source),
        |unit| {
            let unit = unit?;
            let moved = work.done(&unit)?;
            Ok((unit, moved))
        },
        |(unit, moved)| {
            options.report(done.get(), sizes.stored)?;
            done.set(done.get() + unit.stored);
            new.add(&unit, moved)
        },
        || options.report(done.get(), sizes.stored),
    )?;
    let mut footer = format::FileMetaData {
        num_rows: source.file.rows(),
        ..(*source.file.footer).clone()
    };
    if let Some(unit) = options.convert_int96 {
        convert_schema(&mut footer, unit)?;
    }
    new.file.finish(footer)?;
    options.report(sizes.stored, sizes.stored)?;
    Ok(Rewritten {
        bytes_before: source.file.reader.len(),
        bytes_after: new.file.position(),
        verified: false,
        columns: new.columns,
    })
}

/// New file while it is written.
struct New<'a, R, W> {
    source: &'a Source<R>,
    columns: Vec<RewrittenColumn>,
    file: FileWriter<W>,
}

impl<R: Reopen, W: Write> New<'_, R, W> {
    /// Writes the next columns.
    fn add(&mut self, unit: &Unit, moved: Vec<Moved>) -> Result<()> {
        let from = &self.source.file.reader;
        let row_group = &unit.row_group;
        let in_group = |error: Error| error.in_row_group(row_group.index);
        for moved in moved {
            let column = &mut self.columns[moved.leaf];
            column.add(&moved);
            let written = self.file.add_chunk(moved.chunk, from);
            written.map_err(|error| in_group(error.in_column(&column.path)))?;
        }
        if unit.roots.end < self.source.roots.len() {
            return Ok(());
        }
        let described = format::RowGroup {
            columns: Vec::new(),
            ..(*row_group.described).clone()
        };
        self.file.end_row_group(described, from).map_err(in_group)
    }
}
