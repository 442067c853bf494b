//! `bytelane dataset delete`.

use crate::{Outcome, readable, standard};
use bytelane_dataset::delete;
use std::io::Write;
use std::path::PathBuf;

/// Delete the Parquet files of a data set whose rows another one has
///
/// `bytelane dataset verify` must have found the rows of DIRECTORY in the other one, and neither may have changed since. This cannot be undone.
/// Other files stay, and so do directories that have some.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The directory, or the URL on a store, whose files are deleted
    #[arg(value_name = "DIRECTORY")]
    old: PathBuf,
    /// The directory or URL with the same rows
    #[arg(long, value_name = "NEW")]
    verified_by: PathBuf,
}

impl Arguments {
    pub fn run(self) -> anyhow::Result<Outcome> {
        let mut out = standard::output()?;
        let deleted = delete(&self.old, &self.verified_by)?;
        let files = readable::plural(deleted.files, "file");
        writeln!(out, "Deleted {files}, {}", readable::size(deleted.bytes))?;
        Ok(Outcome::Fine)
    }
}
