//! Errors of work on data sets.

use std::io;
use std::path::{Path, PathBuf};

/// Results of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// An error, with its place.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A Parquet file cannot be read or written.
    #[error(transparent)]
    Parquet(#[from] bytelane_parquet::Error),
    /// A file or a directory cannot be read or written.
    #[error("{}: {cause}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// Error of the operating system.
        cause: io::Error,
    },
    /// An argument, a plan or a directory that cannot be used, and what would help.
    #[error("{0}")]
    Input(String),
    /// A source that is not the one that was planned.
    #[error("{0}: it has changed since the plan was made; make a new plan")]
    Changed(String),
    /// An output whose rows differ from those of its sources.
    #[error("{0}: its rows differ from those of its sources")]
    Different(String),
    /// The caller cancelled the work.
    #[error("cancelled")]
    Cancelled,
}

impl Error {
    /// Returns a function that adds the path to an error of the operating system.
    pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |cause| Self::Io { path, cause }
    }

    /// Returns true if the work was cancelled.
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
