//! `bytelane bench` and `bytelane report` in a build without them.

use crate::Outcome;
use anyhow::bail;
use std::ffi::OsString;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    ignored: Vec<OsString>,
}

impl Arguments {
    pub fn run(self) -> anyhow::Result<Outcome> {
        bail!(
            "this build of the command does not measure; to have `bench` and `report`, install it with \
             `--features measuring`: see crates/bytelane-cli/README.md of the repository"
        )
    }
}
