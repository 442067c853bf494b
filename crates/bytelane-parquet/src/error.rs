//! Errors: what is wrong with a Parquet file, and where.

use crate::Encoding;
use crate::caller::{Setting, read_only_hint};
use arrow_schema::ArrowError;
use parquet::basic::Type;
use parquet::errors::ParquetError;
use std::fmt;
use std::path::{Path, PathBuf};

/// [`Problem`] and its [`Place`].
///
/// Prints as `FILE, row group 2, column price, page 7: PROBLEM`, with the known parts of the place.
#[derive(Debug, thiserror::Error)]
#[error("{}{}{}", .0.place, .0.problem, .0.hint)]
pub struct Error(Box<Located>);

/// Results of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Contents of an error. A single allocation keeps results small.
#[derive(Debug, thiserror::Error)]
#[error("{problem}")]
struct Located {
    place: Place,
    #[source]
    problem: Problem,
    /// Advice that follows the problem.
    hint: String,
}

/// Number of names that a hint lists.
const LISTED: usize = 20;

/// Similarity, from 0 to 1, above which a name may be the one that was meant.
const SIMILAR: f64 = 0.75;

/// Place of an error in a file, as far as it is known.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Place {
    /// Path of the file.
    pub file: Option<PathBuf>,
    /// Index of the row group, from 0.
    pub row_group: Option<usize>,
    /// Path of the column, separated by dots.
    pub column: Option<String>,
    /// Index of the data page within the column chunk, from 0.
    pub page: Option<usize>,
}

/// Kind of error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// Error of the crate `parquet`.
    #[error(transparent)]
    Parquet(#[from] ParquetError),
    /// Error of the Arrow libraries.
    #[error(transparent)]
    Arrow(#[from] ArrowError),
    /// I/O error while reading or writing a file.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// Error of a kernel.
    #[error(transparent)]
    Codec(#[from] bytelane::LengthError),
    /// The file contradicts itself or the format.
    #[error("{0}")]
    Corrupt(String),
    /// The schema has no such column.
    #[error("the file has no column {0:?}")]
    NoSuchColumn(String),
    /// The format does not define the requested encoding for the column's type.
    #[error("the encoding {encoding} does not support columns of the type {physical}")]
    Encoding {
        /// Requested encoding.
        encoding: Encoding,
        /// Physical type of the column.
        physical: Type,
    },
    /// An invalid option.
    #[error("{0}")]
    Option(String),
    /// The caller's input does not match what the caller declared before.
    #[error("{0}")]
    Input(String),
    /// A written file does not contain the expected values.
    #[error("{0}")]
    Different(String),
    /// There is a file with the name of the new one.
    #[error("the file exists; {} replaces it", Setting::Force)]
    Exists,
    /// The file that would be replaced is read-only.
    #[error("the file is read-only{}", read_only_hint())]
    ReadOnly,
    /// The work takes more memory than allowed.
    #[error("it takes more memory than {}", limit_text(*limit))]
    MemoryLimit {
        /// Limit in bytes.
        limit: u64,
    },
    /// A file claims more rows than are decoded of a file of its size.
    #[error(
        "decoding its {rows} rows exceeds the limit of {limit} rows for a file of its size, which an option raises: \
         with_row_limit, row_limit in Python, --row-limit of the command"
    )]
    TooManyRows {
        /// Number of rows according to the footer.
        rows: u64,
        /// Limit in rows.
        limit: u64,
    },
    /// A page takes more memory than allowed for a page of its column.
    #[error("a page of {size} bytes takes more memory than {}", limit_text(*limit))]
    PageTooLarge {
        /// Uncompressed size of the page in bytes.
        size: u64,
        /// Limit in bytes.
        limit: u64,
    },
    /// The values of one array take more bytes than its offsets can address.
    #[error(
        "the values of one array take more than the {limit} bytes that offsets of 32 bits can address: read the column as \
         LargeUtf8 or LargeBinary"
    )]
    OffsetsTooSmall {
        /// Number of bytes that the offsets can address.
        limit: u64,
    },
    /// A file is encrypted, and its keys are missing or do not open it.
    #[error("{0}")]
    Decryption(String),
    /// The caller cancelled the work.
    #[error("cancelled")]
    Cancelled,
    /// The format allows it, but this crate does not support it.
    #[error("{0}")]
    Unsupported(String),
}

impl Error {
    /// Creates an error whose place is not known yet.
    pub fn new(problem: impl Into<Problem>) -> Self {
        let problem = match problem.into() {
            // An error of this crate that Arrow passed on already has its place.
            Problem::Arrow(ArrowError::ExternalError(inner)) => match inner.downcast() {
                Ok(error) => return *error,
                Err(other) => Problem::Arrow(ArrowError::ExternalError(other)),
            },
            // The same for an input that reads from another one.
            Problem::Parquet(ParquetError::External(inner)) => match inner.downcast() {
                Ok(error) => return *error,
                Err(other) => Problem::Parquet(ParquetError::External(other)),
            },
            problem => problem,
        };
        Self(Box::new(Located {
            place: Place::default(),
            problem,
            hint: String::new(),
        }))
    }

    /// Creates an error for a file that contradicts itself.
    #[doc(hidden)]
    pub fn corrupt(what: impl Into<String>) -> Self {
        Self::new(Problem::Corrupt(what.into()))
    }

    /// Creates an error for a missing column, with the names of those that there are.
    #[doc(hidden)]
    pub fn no_such_column<'a>(name: &str, columns: impl IntoIterator<Item = &'a str>) -> Self {
        let columns: Vec<&str> = columns.into_iter().collect();
        let scored = columns
            .iter()
            .map(|it| (strsim::jaro_winkler(name, it), it));
        let near = scored.max_by(|one, other| one.0.total_cmp(&other.0));
        let near = near.filter(|(score, _)| *score > SIMILAR);
        let meant = near.map(|(_, near)| format!("; did you mean {near:?}?"));
        let listed = columns[..columns.len().min(LISTED)].join(", ");
        let more = match columns.len().saturating_sub(LISTED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let mut error = Self::new(Problem::NoSuchColumn(name.to_owned()));
        error.0.hint = format!(
            "{} The columns: {listed}{more}",
            meant.as_deref().unwrap_or(".")
        );
        error
    }

    /// Replaces the file.
    #[doc(hidden)]
    pub fn of_file(mut self, file: &Path) -> Self {
        self.0.place.file = Some(file.to_owned());
        self
    }

    /// Returns the kind of error.
    #[must_use]
    pub fn problem(&self) -> &Problem {
        &self.0.problem
    }

    /// Returns whether the data may be valid, but cannot be read here.
    #[doc(hidden)]
    pub fn is_obstacle(&self) -> bool {
        let of_parquet = |error: &ParquetError| {
            matches!(error, ParquetError::NYI(_) | ParquetError::ArrowError(_))
        };
        match self.problem() {
            Problem::Unsupported(_) | Problem::Arrow(_) => true,
            Problem::Parquet(error) => of_parquet(error),
            _ => false,
        }
    }

    /// Returns whether the values take more memory than allowed.
    #[doc(hidden)]
    pub fn is_of_memory(&self) -> bool {
        let problem = self.problem();
        matches!(
            problem,
            Problem::MemoryLimit { .. } | Problem::PageTooLarge { .. }
        )
    }

    /// Returns whether reading fewer rows at a time might avoid it.
    #[doc(hidden)]
    pub fn is_of_size(&self) -> bool {
        let problem = self.problem();
        matches!(
            problem,
            Problem::MemoryLimit { .. } | Problem::OffsetsTooSmall { .. }
        )
    }

    /// Returns the place of the error.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.0.place
    }

    /// Adds the file, unless the error has one.
    #[must_use]
    pub fn in_file(mut self, file: &Path) -> Self {
        self.0.place.file.get_or_insert_with(|| file.to_owned());
        self
    }

    /// Adds the row group, unless the error has one.
    #[must_use]
    pub fn in_row_group(mut self, row_group: usize) -> Self {
        self.0.place.row_group.get_or_insert(row_group);
        self
    }

    /// Adds the column, unless the error has one.
    #[must_use]
    pub fn in_column(mut self, column: impl fmt::Display) -> Self {
        self.0
            .place
            .column
            .get_or_insert_with(|| column.to_string());
        self
    }

    /// Adds the data page, unless the error has one.
    #[must_use]
    pub fn in_page(mut self, page: usize) -> Self {
        self.0.place.page.get_or_insert(page);
        self
    }
}

impl<P: Into<Problem>> From<P> for Error {
    fn from(problem: P) -> Self {
        Self::new(problem)
    }
}

/// Arrow's readers pass errors on as their own.
impl From<Error> for ParquetError {
    fn from(error: Error) -> Self {
        ParquetError::External(Box::new(error))
    }
}

impl From<Error> for ArrowError {
    fn from(error: Error) -> Self {
        ArrowError::ExternalError(Box::new(error))
    }
}

impl fmt::Display for Place {
    /// Writes the place and a colon before the problem, or nothing if no part of the place is known.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            self.file.as_ref().map(|file| file.display().to_string()),
            self.row_group.map(|index| format!("row group {index}")),
            self.column
                .as_ref()
                .map(|column| format!("column {column}")),
            self.page.map(|index| format!("page {index}")),
        ];
        let known: Vec<String> = parts.into_iter().flatten().collect();
        if known.is_empty() {
            Ok(())
        } else {
            write!(f, "{}: ", known.join(", "))
        }
    }
}

/// Describes a limit, and the option that changes it.
pub(crate) fn limit_text(limit: u64) -> String {
    format!(
        "the limit of {limit} bytes, which {} raises",
        Setting::MemoryLimit
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_place_wins() {
        let error = Error::corrupt("levels end early")
            .in_page(7)
            .in_column("price")
            .in_column("other")
            .in_row_group(2)
            .in_file(Path::new("trades.parquet"));
        assert_eq!(
            error.to_string(),
            "trades.parquet, row group 2, column price, page 7: levels end early"
        );
        let handed_on = Error::new(ArrowError::from(error)).in_file(Path::new("trades.parquet"));
        assert_eq!(
            handed_on.to_string(),
            "trades.parquet, row group 2, column price, page 7: levels end early"
        );
        assert_eq!(
            Error::new(Problem::NoSuchColumn("x".into())).to_string(),
            "the file has no column \"x\""
        );
    }
}
