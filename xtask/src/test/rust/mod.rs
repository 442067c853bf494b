//! The stage `rust`: the checks that every change must pass. Stages that build or run Rust with other tools.

pub mod dependencies;
pub mod features;
pub mod fuzz;
pub mod memory;
pub mod miri;
pub mod mutants;
pub mod repeat;
pub mod semver;

use std::process::Command;

use anyhow::{Result, ensure};

use crate::process::{cargo, compile, run, test};
use crate::timings;

/// Runs the tests, then lints and documentation. Each runs even if an earlier one fails.
pub fn run_stage() -> Result<()> {
    let clippy = "clippy --locked --workspace --all-targets -- --deny warnings";
    let mut documentation = cargo("doc --locked --workspace --no-deps");
    documentation.env("RUSTDOCFLAGS", "--deny warnings");
    let results = [
        run(&mut cargo("fmt --all --check")),
        test(|| tests("test --locked --workspace --no-fail-fast"), &[]),
        compile(&mut cargo(clippy)),
        compile(&mut documentation),
    ];
    let failures: Vec<_> = results.into_iter().filter_map(Result::err).collect();
    let messages: Vec<_> = failures.iter().map(|error| error.to_string()).collect();
    ensure!(failures.is_empty(), "{}", messages.join("; "));
    Ok(())
}

/// Returns a test command for this machine.
fn tests(arguments: &str) -> Result<Command> {
    let mut command = cargo(arguments);
    if timings::enabled() {
        let host = format!("{}-unknown-linux-gnu", std::env::consts::ARCH).to_uppercase();
        let variable = format!("CARGO_TARGET_{}_RUNNER", host.replace('-', "_"));
        command.env(variable, timings::runner(""));
    }
    Ok(command)
}
