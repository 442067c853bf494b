//! The extended stages for Parquet files that are damaged, random, or from other projects.

use std::fs;

use anyhow::{Context, Result};

use super::python::{build_programs, environment, lay_out_package};
use crate::process::{cargo, program, root, run};

/// Command that limits the address space, so that an allocation which a file of a few kilobytes
/// cannot justify fails.
const ADDRESS_SPACE: &str = "prlimit --as=6000000000";

/// Reads files after random changes, in a process whose address space is limited. `BYTELANE_TRIALS` sets the
/// number of files; the default is two million.
pub fn run_mutated() -> Result<()> {
    let folder = root().join("target/mutated-files");
    fs::create_dir_all(&folder).context("cannot create a folder for notes")?;
    let test =
        "test --locked --release --package bytelane-parquet-files --test it -- mutated:: --ignored";
    let mut command = cargo(test);
    command.env("BYTELANE_TRIAL_FOLDER", &folder);
    if std::env::var_os("BYTELANE_TRIALS").is_none() {
        command.env("BYTELANE_TRIALS", "2000000");
    }
    let host = format!("{}-unknown-linux-gnu", std::env::consts::ARCH).to_uppercase();
    let runner = format!("CARGO_TARGET_{}_RUNNER", host.replace('-', "_"));
    run(command.env(runner, ADDRESS_SPACE)).with_context(|| {
        let folder = folder.display();
        format!("the files in {folder} name the trials that ran last")
    })
}

/// Gives every function files whose facts contradict each other, each pair of facts, and files that claim huge arrays in
/// processes of little memory, also by the command and by the Python package.
pub fn run_hostile() -> Result<()> {
    let test = "test --locked --release --package bytelane-parquet-files --test it -- contradictions:: bombs:: --ignored";
    run(&mut cargo(test))?;
    exchange_with(
        "interop/damaged/test_contradictions.py",
        &[("BYTELANE_TRIALS", "5000")],
    )?;
    exchange_with("interop/damaged/test_bombs.py", &[("BYTELANE_BOMBS", "")])
}

/// Counts the instructions of every command while columns, row groups, pages, key-value pairs and files double.
pub fn run_growth() -> Result<()> {
    exchange("interop/damaged/growth.py")
}

/// Writes random tables with pyarrow and random settings, and compares the values after reading them
/// whole, in parts, and rewritten. `BYTELANE_TRIALS` sets the number of tables; the default is 10,000.
pub fn run_random() -> Result<()> {
    exchange("interop/parquet/random_files.py")
}

/// Merges and rewrites random pairs of files over all Arrow types, and compares what pyarrow, Polars, DuckDB and bytelane
/// read. `BYTELANE_TRIALS` sets the number of pairs; the default is 20,000.
pub fn run_pairs() -> Result<()> {
    exchange("interop/pairs/random_pairs.py")
}

/// Flips bits of files of pyarrow, DuckDB and Polars, salvages them, and reads the results. `BYTELANE_TRIALS` sets the number
/// of files; the default is 5,000.
pub fn run_salvaged() -> Result<()> {
    let trials = std::env::var("BYTELANE_TRIALS").unwrap_or("5000".to_owned());
    exchange_with(
        "interop/damaged/test_salvage.py",
        &[("BYTELANE_TRIALS", &trials)],
    )
}

/// Reads the files below `BYTELANE_PARQUET_FILES`, and compares the results with pyarrow, DuckDB
/// and Polars.
pub fn run_foreign() -> Result<()> {
    exchange("interop/parquet/foreign_files.py")
}

fn exchange(script: &str) -> Result<()> {
    exchange_with(script, &[])
}

fn exchange_with(script: &str, variables: &[(&str, &str)]) -> Result<()> {
    let programs = build_programs()?;
    let package = lay_out_package(&programs)?;
    run(program(environment()?)
        .arg(script)
        .envs(variables.iter().copied())
        .env("BYTELANE_PROGRAMS", programs)
        .env("PYTHONPATH", package))
}
