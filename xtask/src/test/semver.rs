//! The stage `semver`: the core's public interface against the last release.

use anyhow::Result;

use crate::process::{cargo, output, program, run};

pub fn run_stage() -> Result<()> {
    let tag = output(program("git").args(["describe", "--tags", "--abbrev=0", "--match", "v*"]))?;
    let check = "semver-checks --package bytelane --baseline-rev";
    run(cargo(check).arg(tag.text.trim()))
}
