//! Advises on a file, one column after the other.

use super::files::Files;
use super::source::Source;
use super::table::Table;
use super::{Advice, AdviseOptions, ColumnAdvice, advise_column, settings};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use bytelane_parquet::parallel::{Limits, all_cores, in_order};
use bytelane_parquet::stack::with_stack;
use bytelane_parquet::{Error, Problem, Result, compression_name};
use std::cell::Cell;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Does what [`advise`](super::advise) does, column by column, for programs that show progress.
///
/// ```no_run
/// use bytelane_parquet_files::advise::{AdviseOptions, Advisor};
///
/// let mut advisor = Advisor::open("weather.parquet", &AdviseOptions::default())?;
/// for column in 0..advisor.columns() {
///     eprintln!("{} of {}", column + 1, advisor.columns());
///     advisor.advise_next()?;
/// }
/// println!("{:.0}%", 100.0 * advisor.advice().saved());
/// # Ok::<(), bytelane_parquet::Error>(())
/// ```
pub struct Advisor {
    path: PathBuf,
    options: AdviseOptions,
    source: Source,
    /// Number of columns that were tried.
    tried: usize,
    /// Advice for the leaves of these columns.
    columns: Vec<ColumnAdvice>,
}

impl Advisor {
    /// Opens a file and reads its header or footer.
    ///
    /// # Errors
    ///
    /// Returns an error, with its place, if the file cannot be read.
    pub fn open(path: impl AsRef<Path>, options: &AdviseOptions) -> Result<Self> {
        let path = path.as_ref();
        let source = Source::open(path, options.memory()).map_err(|error| error.in_file(path))?;
        Ok(Self {
            path: path.to_owned(),
            options: options.clone(),
            source,
            tried: 0,
            columns: Vec::new(),
        })
    }

    /// Opens several Parquet files with the same columns, such as the parts of a data set. The advice covers
    /// all of them and uses a part of the sample from each.
    ///
    /// # Errors
    ///
    /// Returns an error, with its place, if a file cannot be read, and
    /// [`Problem::Input`](bytelane_parquet::Problem::Input) if there is no file or if the columns of a file differ.
    pub fn open_all(paths: &[impl AsRef<Path>], options: &AdviseOptions) -> Result<Self> {
        let mut paths_left = paths.iter().map(AsRef::as_ref);
        let first = paths_left.next().and_then(Path::parent);
        let mut shared = first.unwrap_or(Path::new("")).to_owned();
        for path in paths_left {
            while !path.starts_with(&shared) && shared.pop() {}
        }
        Ok(Self {
            path: shared,
            options: options.clone(),
            source: Source::Parquet(Files::open(paths, options.memory())?),
            tried: 0,
            columns: Vec::new(),
        })
    }

    /// Advises on rows in memory.
    ///
    /// # Errors
    ///
    /// Returns [`Problem::Input`](bytelane_parquet::Problem::Input) if the columns of the batches differ from the
    /// schema.
    pub fn of_batches(
        schema: SchemaRef,
        batches: Vec<RecordBatch>,
        options: &AdviseOptions,
    ) -> Result<Self> {
        Ok(Self {
            path: PathBuf::new(),
            options: options.clone(),
            source: Source::Table(Table::new(schema, batches)?),
            tried: 0,
            columns: Vec::new(),
        })
    }

    /// Returns the number of columns at the top level of the schema. Each one is a unit of work.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.source.columns()
    }

    /// Returns approximately how many bytes of values of a column are tried, or 0 if there is no such column.
    #[must_use]
    pub fn bytes_to_try(&self, column: usize) -> u64 {
        let rows = self.source.rows().min(self.options.rows() as u64);
        (rows as f64 * self.source.bytes_of_row(column)) as u64
    }

    /// Tries the next column; does nothing after the last one.
    ///
    /// # Errors
    ///
    /// Returns an error, with its place, if the column cannot be read.
    pub fn advise_next(&mut self) -> Result<()> {
        if self.tried == self.columns() {
            return Ok(());
        }
        let advice = self.advise_column(self.tried)?;
        self.columns.extend(advice);
        self.tried += 1;
        Ok(())
    }

    /// Tries all remaining columns, several at a time. Calls `proceed` with the number of columns tried so
    /// far, after each column and periodically; if it returns `Break`, the work ends.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`advise_next`](Self::advise_next), and [`Problem::Cancelled`].
    pub fn advise_rest(&mut self, proceed: impl Fn(usize) -> ControlFlow<()>) -> Result<()> {
        let first = self.tried;
        let limits = Limits {
            threads: self.options.threads.unwrap_or_else(all_cores),
            weight: u64::MAX,
            depth: self.source.depth(),
        };
        let units = (first..self.columns()).map(|column| (0, column));
        let tried = Cell::new(first);
        let mut advice = Vec::new();
        let check = || match proceed(tried.get()) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Error::new(Problem::Cancelled)),
        };
        let take = |of_column: Vec<ColumnAdvice>| {
            advice.extend(of_column);
            tried.set(tried.get() + 1);
            check()
        };
        let work = |column| self.advise_column(column);
        let outcome = in_order(limits, units, work, take, check);
        self.columns.extend(advice);
        self.tried = tried.get();
        outcome
    }

    fn advise_column(&self, column: usize) -> Result<Vec<ColumnAdvice>> {
        let advice = with_stack(self.source.depth(), || {
            advise_column(&self.source, column, &self.options)
        });
        advice.map_err(|error| match self.source {
            Source::Table(_) => error,
            _ => error.in_file(&self.path),
        })
    }

    /// Returns the advice for the columns that were tried.
    #[must_use]
    pub fn advice(&self) -> Advice {
        Advice {
            file: self.path.clone(),
            kind: self.source.kind().to_owned(),
            rows: self.source.rows(),
            goal: self.options.goal,
            readers: self.options.readers.to_string(),
            compression: match (self.options.compression, &self.source) {
                (None, Source::Parquet(_)) => String::new(),
                _ => compression_name(self.options.compression_or_default()),
            },
            columns: self.columns.clone(),
            settings: settings::of(&self.source, &self.columns, &self.options),
        }
    }
}
