//! The stage `mutants`: changes to the code that decides what is read, written and called, each of
//! which some test must notice. `.cargo/mutants.toml` says which files, and explains each change
//! that no test can notice.

use anyhow::Result;

use crate::process::{cargo, run};

pub fn run_stage() -> Result<()> {
    let mut command = cargo("mutants --jobs 2 --output target");
    run(command.env("BYTELANE_TEST_GRID", "reduced"))
}
