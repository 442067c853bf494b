//! `bytelane dataset swap`.

use crate::{Outcome, readable, standard};
use bytelane_dataset::swap;
use std::io::Write;
use std::path::PathBuf;

/// Exchange two verified data sets in one step
///
/// Afterwards, ONE has the files of OTHER, and the other way round; the same command undoes it. Both must be on one file system, and
/// `bytelane dataset verify` must have found the same rows in them.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The directory that readers use
    #[arg(value_name = "ONE")]
    one: PathBuf,
    /// The directory that takes its place
    #[arg(value_name = "OTHER")]
    other: PathBuf,
}

impl Arguments {
    pub fn run(self) -> anyhow::Result<Outcome> {
        let mut out = standard::output()?;
        swap(&self.one, &self.other)?;
        let (one, other) = (readable::path(&self.one), readable::path(&self.other));
        writeln!(
            out,
            "{one} and {other} are exchanged; the same command undoes it"
        )?;
        Ok(Outcome::Fine)
    }
}
