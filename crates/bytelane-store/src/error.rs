//! Defines the errors of this crate.

use std::{fmt, io};

/// Result of a function of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Problem with an object, and the URL of the object.
#[derive(Debug, thiserror::Error)]
#[error("{url}: {problem}")]
pub struct Error {
    /// URL of the object or the store.
    pub url: String,
    /// Kind of error.
    pub problem: Problem,
}

/// Kind of error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// There is no such object.
    #[error("there is no such object")]
    Missing,
    /// The object is not the one that was opened or listed before.
    #[error("the object has changed since it was opened or listed; start again")]
    Changed,
    /// Another object has the name that the new one would have.
    #[error("there is another object with this name")]
    Exists,
    /// Unusable URL, or a store that cannot do what is needed.
    #[error("{0}")]
    Input(String),
    /// Error of a local file.
    #[error(transparent)]
    Local(#[from] io::Error),
    /// Error of the store, after retries.
    #[error(transparent)]
    Store(#[from] object_store::Error),
}

impl Error {
    pub(crate) fn new(url: impl Into<String>, problem: impl Into<Problem>) -> Self {
        let problem = match problem.into() {
            Problem::Store(object_store::Error::NotFound { .. }) => Problem::Missing,
            Problem::Store(object_store::Error::Precondition { .. }) => Problem::Changed,
            problem => problem,
        };
        Self {
            url: url.into(),
            problem,
        }
    }

    /// Returns a function that adds a URL to an error.
    pub(crate) fn at<P: Into<Problem>>(url: impl fmt::Display) -> impl FnOnce(P) -> Self {
        move |problem| Self::new(url.to_string(), problem)
    }

    pub(crate) fn input(url: impl fmt::Display, problem: impl Into<String>) -> Self {
        Self::new(url.to_string(), Problem::Input(problem.into()))
    }

    /// Returns whether there is no such object.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        matches!(self.problem, Problem::Missing)
    }
}

/// Drops the URL, which errors of `bytelane-parquet` add again.
impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        let kind = match &error.problem {
            Problem::Missing => io::ErrorKind::NotFound,
            Problem::Exists => io::ErrorKind::AlreadyExists,
            Problem::Input(_) => io::ErrorKind::InvalidInput,
            Problem::Local(error) => error.kind(),
            Problem::Changed | Problem::Store(_) => io::ErrorKind::Other,
        };
        Self::new(kind, error.problem)
    }
}
