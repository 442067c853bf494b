//! The advice for a file, one column after the other.

use super::source::Source;
use super::{Advice, AdviseOptions, ColumnAdvice, advise_column, settings};
use crate::{Result, compression_name};
use std::path::{Path, PathBuf};

/// Does what [`advise`](super::advise) does, column by column, for programs that show progress.
///
/// ```no_run
/// use bytelane_parquet::advise::{AdviseOptions, Advisor};
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
    /// How many columns were tried.
    tried: usize,
    /// The leaves of these.
    columns: Vec<ColumnAdvice>,
}

impl Advisor {
    /// Opens a file and reads its header or footer.
    ///
    /// # Errors
    ///
    /// What cannot be read, with its place.
    pub fn open(path: impl AsRef<Path>, options: &AdviseOptions) -> Result<Self> {
        let path = path.as_ref();
        let source = Source::open(path).map_err(|error| error.in_file(path))?;
        Ok(Self {
            path: path.to_owned(),
            options: options.clone(),
            source,
            tried: 0,
            columns: Vec::new(),
        })
    }

    /// The columns at the schema's outermost level, each of which is one piece of work.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.source.columns()
    }

    /// Approximately how many bytes of values of a column are tried; 0 if there is no such column.
    #[must_use]
    pub fn bytes_to_try(&self, column: usize) -> u64 {
        let rows = self.source.rows().min(self.options.rows as u64);
        (rows as f64 * self.source.bytes_of_row(column)) as u64
    }

    /// Tries the next column; does nothing after the last one.
    ///
    /// # Errors
    ///
    /// What cannot be read, with its place.
    pub fn advise_next(&mut self) -> Result<()> {
        if self.tried == self.columns() {
            return Ok(());
        }
        let Self {
            source,
            path,
            options,
            ..
        } = self;
        let advice = source
            .sample(self.tried, options.rows)
            .and_then(|sampled| advise_column(source, sampled, options));
        self.columns
            .extend(advice.map_err(|error| error.in_file(path))?);
        self.tried += 1;
        Ok(())
    }

    /// The advice for the columns that were tried.
    #[must_use]
    pub fn advice(&self) -> Advice {
        Advice {
            file: self.path.clone(),
            kind: self.source.kind().to_owned(),
            rows: self.source.rows(),
            goal: self.options.goal,
            readers: self.options.readers.to_string(),
            compression: compression_name(self.options.compression),
            columns: self.columns.clone(),
            settings: settings::of(&self.path, &self.columns, &self.options),
        }
    }
}
