//! Makes the functions of `bytelane-parquet` accept URLs.

use crate::{Error, Location, Object, Result, Store};
use bytelane_parquet::{RemoteFile, RemoteFiles, set_remote_files};
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Stores of all URLs.
struct Stores;

/// Makes all functions of `bytelane-parquet` with a path of a file accept URLs too.
///
/// ```
/// bytelane_store::install();
/// let error = bytelane_parquet::ReaderBuilder::open("s3://").unwrap_err();
/// assert!(error.to_string().contains("no bucket"), "{error}");
/// ```
pub fn install() {
    // A program may install the stores several times, or others.
    let _ = set_remote_files(Box::new(Stores));
}

fn object(url: &str) -> Result<Location> {
    let location = Location::parse(url)?;
    if location.key().is_empty() {
        return Err(Error::input(url, "the URL has no key; give that of a file"));
    }
    Ok(location)
}

impl RemoteFiles for Stores {
    fn open(&self, url: &str) -> io::Result<Arc<dyn RemoteFile>> {
        Ok(Arc::new(Object::open(&object(url)?)?))
    }

    fn replace(&self, url: &str, file: &Path) -> io::Result<()> {
        let location = object(url)?;
        if !location.is_store() {
            let problem =
                "files cannot be written to a web server; give a local path, or the URL of a store";
            return Err(Error::input(url, problem).into());
        }
        Ok(Store::of(&location)?.replace(&location, file)?)
    }

    fn names_beside(&self, url: &str) -> io::Result<Vec<String>> {
        let location = object(url)?;
        Ok(Store::of(&location)?.names_beside(&location)?)
    }

    fn remove(&self, url: &str) -> io::Result<()> {
        let location = object(url)?;
        Ok(Store::of(&location)?.delete(&location)?)
    }
}
