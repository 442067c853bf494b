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
    /// The environment has no credentials, and neither has the service that gives them to cloud machines.
    #[error(
        "no credentials were found; set the variables of the store, such as AWS_ACCESS_KEY_ID and \
         AWS_SECRET_ACCESS_KEY, or AWS_SKIP_SIGNATURE=true for a public bucket ({0})"
    )]
    Credentials(#[source] object_store::Error),
    /// Error of the store, after retries.
    #[error(transparent)]
    Store(#[from] object_store::Error),
}

/// Addresses of the services that give credentials to cloud machines. Stores ask them last.
const METADATA: [&str; 2] = ["169.254.169.254", "metadata.google.internal"];

impl Error {
    pub(crate) fn new(url: impl Into<String>, problem: impl Into<Problem>) -> Self {
        let problem = match problem.into() {
            Problem::Store(object_store::Error::NotFound { .. }) => Problem::Missing,
            Problem::Store(object_store::Error::Precondition { .. }) => Problem::Changed,
            Problem::Store(error) => {
                let text = error.to_string();
                if METADATA.iter().any(|address| text.contains(address)) {
                    Problem::Credentials(error)
                } else {
                    Problem::Store(error)
                }
            }
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
            Problem::Credentials(_) => io::ErrorKind::PermissionDenied,
            Problem::Changed | Problem::Store(_) => io::ErrorKind::Other,
        };
        Self::new(kind, error.problem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_credentials_are_named() {
        let failed = |address: &str| {
            let source = format!("Error performing PUT http://{address}/latest/api/token").into();
            let error = object_store::Error::Generic {
                store: "S3",
                source,
            };
            Error::new("s3://bucket/a", error).to_string()
        };
        assert!(failed("169.254.169.254").contains("set the variables of the store"));
        assert!(!failed("store.example").contains("variables"));
    }
}
