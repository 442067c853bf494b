//! The stage `mutants`: changes the code that decides what is read, written and called. A test must
//! detect each change. `.cargo/mutants.toml` lists the files, and explains each change that no test
//! can detect.

use std::fs;

use anyhow::{Context, Result, ensure};

use crate::process::{cargo, root, run};

pub fn run_stage() -> Result<()> {
    let mut command = cargo("mutants --package bytelane --jobs 2 --output target");
    run(command.env("BYTELANE_TEST_GRID", "reduced"))?;
    // Without changes to test, the program succeeds as well.
    let detected = fs::read_to_string(root().join("target/mutants.out/caught.txt"));
    let detected = detected.context("cannot read target/mutants.out/caught.txt")?;
    ensure!(!detected.is_empty(), "no change was tested");
    Ok(())
}
