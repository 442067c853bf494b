//! The stage `semver`: compares the core's public interface with the last release.

use anyhow::Result;

use crate::process::{cargo, output, program, run};

pub fn run_stage() -> Result<()> {
    let tag = output(program("git").args(["describe", "--tags", "--abbrev=0", "--match", "v*"]))?;
    let check = "semver-checks --package bytelane --baseline-rev";
    run(cargo(check).arg(tag.text.trim()))
}
