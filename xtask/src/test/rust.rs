//! The stages `rust`, what every change must pass, and `miri`.

use anyhow::{Result, ensure};

use crate::process::{cargo, program, run};

/// Format, lints, documentation and tests of the whole workspace; each of them runs, even if one
/// before it fails.
pub fn run_stage() -> Result<()> {
    let clippy = "clippy --locked --workspace --all-targets -- --deny warnings";
    let mut documentation = cargo("doc --locked --workspace --no-deps");
    documentation.env("RUSTDOCFLAGS", "--deny warnings");
    let results = [
        run(&mut cargo("fmt --all --check")),
        run(&mut cargo(clippy)),
        run(&mut documentation),
        run(&mut cargo("test --locked --workspace --no-fail-fast")),
    ];
    let failures: Vec<_> = results.into_iter().filter_map(Result::err).collect();
    let messages: Vec<_> = failures.iter().map(|error| error.to_string()).collect();
    ensure!(failures.is_empty(), "{}", messages.join("; "));
    Ok(())
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
