//! The stage `go`: what the Go module tests by itself.

use anyhow::Result;

use crate::process::{program, root, run};

/// The script names what it skips for want of an emulator; the stages `aarch64` and `big-endian`
/// need the same emulators, so that nothing is left out where all is required.
pub fn run_stage() -> Result<()> {
    run(program(root().join("go/test.sh")).args(["--race", "--arm64", "--s390x"]))
}
