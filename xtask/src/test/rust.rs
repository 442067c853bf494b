//! The stage `rust`: the checks that every change must pass.

use anyhow::{Result, ensure};

use crate::process::{cargo, run};

/// Format, lints, documentation and tests of the whole workspace; each of them runs, even if an
/// earlier one fails.
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
