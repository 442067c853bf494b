//! Defines the errors of this crate.

use std::io;
use std::path::{Path, PathBuf};

/// Result of a function of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Error with its location.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Parquet file that cannot be read or written.
    #[error(transparent)]
    Parquet(#[from] bytelane_parquet::Error),
    /// File or directory that cannot be read or written.
    #[error("{}: {cause}", path.display())]
    Io {
        /// Path of the file or directory.
        path: PathBuf,
        /// Error of the operating system.
        cause: io::Error,
    },
    /// Object or store that cannot be read or written.
    #[error(transparent)]
    Store(bytelane_store::Error),
    /// Unusable argument, plan or directory, with advice.
    #[error("{0}")]
    Input(String),
    /// Source that has changed since the plan was made.
    #[error("{0}: it has changed since the plan was made; make a new plan")]
    Changed(String),
    /// Output whose rows differ from those of its sources.
    #[error(
        "{0}: the output that was made from it and the other sources of its unit had other rows, so it was not published; \
         run `bytelane check --values` on the sources"
    )]
    Different(String),
    /// The caller cancelled the work.
    #[error("cancelled")]
    Cancelled,
}

impl From<bytelane_store::Error> for Error {
    fn from(error: bytelane_store::Error) -> Self {
        match error.problem {
            bytelane_store::Problem::Changed => Self::Changed(error.url),
            bytelane_store::Problem::Local(cause) => Self::Io {
                path: error.url.into(),
                cause,
            },
            _ => Self::Store(error),
        }
    }
}

impl Error {
    /// Returns a function that adds the path to an error of the operating system.
    pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |cause| Self::Io { path, cause }
    }

    /// Returns whether the bytes of a file are at fault, and not the way to it.
    pub(crate) fn is_of_contents(&self) -> bool {
        use bytelane_parquet::Problem;
        use bytelane_parquet::parquet::errors::ParquetError;
        match self {
            Self::Parquet(error) => match error.problem() {
                Problem::Io(_) | Problem::Cancelled => false,
                Problem::Parquet(ParquetError::External(cause)) => !cause.is::<io::Error>(),
                _ => true,
            },
            _ => false,
        }
    }

    /// Returns whether the work was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        match self {
            Self::Cancelled => true,
            Self::Parquet(error) => {
                matches!(error.problem(), bytelane_parquet::Problem::Cancelled)
            }
            _ => false,
        }
    }
}
