//! Defines the errors of this crate.

use crate::Owner;
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
    #[error("there is no such object; check the bucket and the key")]
    Missing,
    /// The object is not the one that was opened or listed before.
    #[error("the object has changed since it was opened or listed; start again")]
    Changed,
    /// Another object has the name that the new one would have.
    #[error("there is another object with this name; name another, or delete it first")]
    Exists,
    /// Unusable URL, or a store that cannot do what is needed.
    #[error("{0}")]
    Input(String),
    /// A directory or a pattern without files to read.
    #[error("{0}")]
    NoFiles(String),
    /// A table format says which files are part of its table.
    #[error("{}", .0.refusal())]
    Owned(Owner),
    /// Error of a local file.
    #[error(transparent)]
    Local(#[from] io::Error),
    /// There are no credentials: neither in the environment, nor from the service that gives them to cloud machines.
    #[error("no credentials were found; set {help} ({source})")]
    Credentials {
        /// Variables that would help.
        help: &'static str,
        /// Error of the store.
        source: object_store::Error,
    },
    /// The credentials do not suffice.
    #[error("the store refuses access; check the credentials and what they allow ({0})")]
    Denied(#[source] object_store::Error),
    /// The server is not the one that it should be, as far as known certificates say.
    #[error(
        "the certificate of the server is not trusted; if it should be, set SSL_CERT_FILE to a file with trusted \
         certificates ({0})"
    )]
    Certificate(#[source] object_store::Error),
    /// There is no such bucket or container.
    #[error("there is no such bucket; check its name, and its region or endpoint")]
    NoBucket,
    /// Error of the store, after retries.
    #[error("{}", without_markup(&.0.to_string()))]
    Store(#[from] object_store::Error),
}

/// Addresses of the services that give credentials to cloud machines. Stores ask them last.
const METADATA: [&str; 2] = ["169.254.169.254", "metadata.google.internal"];

/// Returns the variables with credentials of the store of a URL.
fn variables(url: &str) -> &'static str {
    match url.split_once("://").map_or("", |(scheme, _)| scheme) {
        "s3" | "s3a" => {
            "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE, or AWS_SKIP_SIGNATURE=true for a public bucket"
        }
        "gs" => "GOOGLE_APPLICATION_CREDENTIALS, or GOOGLE_SKIP_SIGNATURE=true for a public bucket",
        _ => {
            "AZURE_STORAGE_ACCOUNT_NAME, and AZURE_STORAGE_ACCOUNT_KEY or AZURE_SKIP_SIGNATURE=true for a public container"
        }
    }
}

/// Returns the kind of an error of a store. Its text is the only thing that tells some of them apart.
fn kind_of(url: &str, error: object_store::Error) -> Problem {
    use object_store::Error as Store;
    let text = with_causes(&error);
    if [
        "NoSuchBucket",
        "ContainerNotFound",
        "The specified bucket does not exist",
    ]
    .iter()
    .any(|code| text.contains(code))
    {
        return Problem::NoBucket;
    }
    match error {
        Store::NotFound { .. } => Problem::Missing,
        Store::Precondition { .. } => Problem::Changed,
        Store::PermissionDenied { .. } | Store::Unauthenticated { .. } => Problem::Denied(error),
        error => {
            let has_none = METADATA.iter().any(|address| text.contains(address))
                || text.contains("Account must be specified");
            if has_none {
                let help = variables(url);
                Problem::Credentials {
                    help,
                    source: error,
                }
            } else if text.contains("certificate") {
                Problem::Certificate(error)
            } else {
                Problem::Store(error)
            }
        }
    }
}

/// Shortens a text with the XML or HTML of a server's answer to the message in it.
fn without_markup(text: &str) -> String {
    let Some(start) = text
        .find("<?xml")
        .or_else(|| text.find("<Error"))
        .or_else(|| text.find("<html"))
    else {
        return text.to_owned();
    };
    let (before, answer) = text.split_at(start);
    let message = answer
        .split_once("<Message>")
        .and_then(|(_, rest)| rest.split_once("</Message>"));
    let message = message.map_or("the server explains it in XML or HTML", |(message, _)| {
        message
    });
    format!("{} {}", before.trim_end(), message.trim())
}

/// Returns the text of an error and of all of its causes.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text += &format!(": {error}");
        cause = error.source();
    }
    text
}

impl Error {
    pub(crate) fn new(url: impl Into<String>, problem: impl Into<Problem>) -> Self {
        let url = url.into();
        let problem = match problem.into() {
            Problem::Store(error) => kind_of(&url, error),
            problem => problem,
        };
        Self { url, problem }
    }

    /// Returns a function that adds a URL to an error.
    pub(crate) fn at<P: Into<Problem>>(url: impl fmt::Display) -> impl FnOnce(P) -> Self {
        move |problem| Self::new(url.to_string(), problem)
    }

    pub(crate) fn input(url: impl fmt::Display, problem: impl Into<String>) -> Self {
        Self::new(url.to_string(), Problem::Input(problem.into()))
    }

    /// Returns whether there is no such object or file.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        match &self.problem {
            Problem::Missing | Problem::NoBucket => true,
            Problem::Local(error) => error.kind() == io::ErrorKind::NotFound,
            _ => false,
        }
    }

    /// Returns whether the credentials do not allow the request.
    pub(crate) fn is_denied(&self) -> bool {
        matches!(self.problem, Problem::Denied(_))
    }
}

/// Drops the URL, which errors of `bytelane-parquet` add again.
impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        let kind = match &error.problem {
            Problem::Missing | Problem::NoBucket | Problem::NoFiles(_) => io::ErrorKind::NotFound,
            Problem::Exists => io::ErrorKind::AlreadyExists,
            Problem::Input(_) | Problem::Owned(_) => io::ErrorKind::InvalidInput,
            Problem::Local(error) => error.kind(),
            Problem::Credentials { .. } | Problem::Denied(_) => io::ErrorKind::PermissionDenied,
            Problem::Changed | Problem::Certificate(_) | Problem::Store(_) => io::ErrorKind::Other,
        };
        Self::new(kind, error.problem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_say_what_would_help() {
        let failed = |url: &str, problem: &str| {
            let source = format!("Error performing PUT {problem}").into();
            let error = object_store::Error::Generic {
                store: "store",
                source,
            };
            Error::new(url, error).to_string()
        };
        let service = "http://169.254.169.254/latest/api/token";
        assert!(failed("s3://bucket/a", service).contains("set AWS_ACCESS_KEY_ID"));
        let service = "http://metadata.google.internal/token";
        assert!(failed("gs://bucket/a", service).contains("set GOOGLE_APPLICATION_CREDENTIALS"));
        let account = "Account must be specified";
        assert!(failed("az://box/a", account).contains("set AZURE_STORAGE_ACCOUNT_NAME"));
        let certificate = "invalid peer certificate: UnknownIssuer";
        assert!(failed("https://host/a", certificate).contains("SSL_CERT_FILE"));
        assert!(!failed("s3://bucket/a", "http://store.example").contains("set "));
        let xml = "<?xml version=\"1.0\"?><Error><Code>NoSuchBucket</Code><Message>Not there</Message></Error>";
        assert!(failed("s3://bucket/a", xml).contains("no such bucket"));
        let xml = "<?xml version=\"1.0\"?><Error><Code>SlowDown</Code><Message>Less, please</Message></Error>";
        let message = failed("s3://bucket/a", xml);
        assert!(
            message.ends_with("Less, please") && !message.contains('<'),
            "{message}"
        );
    }
}
