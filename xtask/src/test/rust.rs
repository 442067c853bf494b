//! The stages `rust`, what every change must pass, and `miri`.

use anyhow::Result;

use crate::process::{cargo, program, run};

/// Format, lints, documentation and tests of the whole workspace.
pub fn run_stage() -> Result<()> {
    run(&mut cargo("fmt --all --check"))?;
    run(&mut cargo(
        "clippy --locked --workspace --all-targets -- --deny warnings",
    ))?;
    let mut documentation = cargo("doc --locked --workspace --no-deps");
    run(documentation.env("RUSTDOCFLAGS", "--deny warnings"))?;
    run(&mut cargo("test --locked --workspace"))
}

/// The core's own tests under Miri, which comes with nightly compilers only.
pub fn run_miri() -> Result<()> {
    let mut command = program("rustup");
    let arguments = "run nightly cargo miri test --locked --package bytelane --tests";
    command.args(arguments.split_whitespace());
    command.args(["--target-dir", "target/miri"]);
    command.env("BYTELANE_TEST_GRID", "reduced");
    run(command.env("MIRIFLAGS", "-Zmiri-env-forward=BYTELANE_TEST_GRID"))
}
