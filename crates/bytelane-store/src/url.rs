//! Splits URLs into a store and a key.

use crate::{Error, Result};
use object_store::path::Path;
use std::fmt;

/// Schemes of the stores that can be listed and written to.
const STORES: [&str; 9] = [
    "s3", "s3a", "gs", "az", "azure", "adl", "abfs", "abfss", "memory",
];

/// Location of an object, or of all objects below a prefix.
///
/// ```
/// use bytelane_store::Location;
///
/// let location = Location::parse("s3://bucket/lake/year=2024")?;
/// assert_eq!((location.root(), location.key()), ("s3://bucket", "lake/year=2024"));
/// assert_eq!(location.join("a.parquet")?.to_string(), "s3://bucket/lake/year=2024/a.parquet");
/// # Ok::<(), bytelane_store::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Location {
    root: String,
    pub(crate) path: Path,
}

impl Location {
    /// Parses a URL. Keys are literal: `%20` is not a space, as in the tools of the providers, except in
    /// URLs of `https://`.
    ///
    /// # Errors
    ///
    /// The scheme is unknown, there is no bucket, or the key has empty segments or `..`.
    pub fn parse(url: &str) -> Result<Self> {
        let wrong = |problem: &str| Error::input(url, problem);
        let Some((scheme, rest)) = url.split_once("://") else {
            return Err(wrong("this is not a URL; give SCHEME://BUCKET/KEY"));
        };
        let is_web = scheme == "http" || scheme == "https";
        if !is_web && !STORES.contains(&scheme) {
            return Err(wrong("URLs begin with s3://, gs://, az:// or https://"));
        }
        let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
        if bucket.is_empty() {
            return Err(wrong("the URL has no bucket; give SCHEME://BUCKET/KEY"));
        }
        if is_web && key.contains(['?', '#']) {
            return Err(wrong(
                "URLs with a query or a fragment, such as presigned ones, are not supported; download the file first",
            ));
        }
        if key.starts_with('/') {
            return Err(wrong(
                "keys that begin with a slash are not supported; copy the object to another key",
            ));
        }
        let key = key.strip_suffix('/').unwrap_or(key);
        let path = if is_web {
            Path::from_url_path(key)
        } else {
            Path::parse(key)
        };
        Ok(Self {
            root: format!("{scheme}://{bucket}"),
            path: path.map_err(|error| wrong(&error.to_string()))?,
        })
    }

    /// Returns the URL of the store, without a slash at its end.
    #[must_use]
    pub fn root(&self) -> &str {
        &self.root
    }

    /// Returns the key.
    #[must_use]
    pub fn key(&self) -> &str {
        self.path.as_ref()
    }

    /// Returns a URL that is the same for all URLs of an object: the schemes of one provider are one.
    #[must_use]
    pub fn identity(&self) -> String {
        let (scheme, bucket) = self.root.split_once("://").unwrap_or(("", &self.root));
        let (scheme, bucket) = match scheme {
            "s3" | "s3a" => ("s3", bucket),
            // abfss://container@account.dfs.core.windows.net
            "az" | "azure" | "adl" | "abfs" | "abfss" => {
                ("az", bucket.split('@').next().unwrap_or(bucket))
            }
            other => (other, bucket),
        };
        match self.key() {
            "" => format!("{scheme}://{bucket}"),
            key => format!("{scheme}://{bucket}/{key}"),
        }
    }

    /// Returns whether the objects can be listed and written.
    #[must_use]
    pub fn is_store(&self) -> bool {
        !self.root.starts_with("http")
    }

    /// Returns the location of a key below this one.
    ///
    /// # Errors
    ///
    /// The key has empty segments or `..`.
    pub fn join(&self, below: &str) -> Result<Self> {
        let key = match self.key() {
            "" => below.to_owned(),
            key => format!("{key}/{below}"),
        };
        let path = Path::parse(&key);
        Ok(Self {
            root: self.root.clone(),
            path: path
                .map_err(|error| Error::input(format!("{}/{key}", self.root), error.to_string()))?,
        })
    }

    /// Returns the directory of an object.
    pub(crate) fn parent(&self) -> Self {
        let mut parts: Vec<_> = self.path.parts().collect();
        parts.pop();
        self.with_path(Path::from_iter(parts))
    }

    pub(crate) fn with_path(&self, path: Path) -> Self {
        Self {
            root: self.root.clone(),
            path,
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.key() {
            "" => f.write_str(&self.root),
            key => write!(f, "{}/{key}", self.root),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_literal_and_stay_below_the_bucket() {
        let shown = |url: &str| Location::parse(url).map(|it| it.to_string());
        for url in ["s3://b/a b%20c/x=1%3A2.parquet", "gs://b", "az://c/k"] {
            assert_eq!(shown(url).unwrap(), url);
        }
        assert_eq!(shown("s3://b/k/").unwrap(), "s3://b/k");
        let web = Location::parse("https://host:8080/a%20b").unwrap();
        assert_eq!((web.key(), web.is_store()), ("a b", false));
        for url in [
            "s3:///k",
            "ftp://h/k",
            "s3://b/../k",
            "s3://b//k",
            "k",
            "https://h/k?x=1",
        ] {
            assert!(shown(url).is_err(), "{url}");
        }
        let identity = |url: &str| Location::parse(url).unwrap().identity();
        assert_eq!(identity("s3a://b/k/"), identity("s3://b/k"));
        assert_eq!(identity("abfss://c@a.host/k"), identity("az://c/k"));
        let bucket = Location::parse("s3://b").unwrap();
        assert_eq!(bucket.join("k").unwrap().to_string(), "s3://b/k");
        assert!(bucket.join("../k").is_err());
    }
}
