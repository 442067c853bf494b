//! The stage `mutants`: changes to the code that decides what is read, written and called. A test
//! must detect each change. `.cargo/mutants.toml` lists the files, and explains each change that no
//! test can detect.

use anyhow::Result;

use crate::process::{cargo, run};

pub fn run_stage() -> Result<()> {
    let mut command = cargo("mutants --jobs 2 --output target");
    run(command.env("BYTELANE_TEST_GRID", "reduced"))
}
