//! The stage `python`: what is exchanged with libraries of Python, see `interop/README.md`.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::process::{cargo, program, root, run};

/// The scripts run programs of the workspace. It is built whole, which the stage `rust` has done before: for some of
/// its packages alone, their dependencies would be compiled again, with fewer features.
const BUILD: &str = "build --locked --workspace --all-targets --target-dir target";

/// Runs every `interop/test_*.py`.
pub fn run_stage() -> Result<()> {
    let programs = build_programs()?;
    run(program(environment()?)
        .args(["-m", "unittest", "discover", "--verbose"])
        .args(["--start-directory", "interop"])
        .env("BYTELANE_PROGRAMS", programs))
}

/// Builds the programs; the directory in which they are.
pub fn build_programs() -> Result<PathBuf> {
    run(&mut cargo(BUILD))?;
    Ok(root().join("target/debug"))
}

/// The interpreter of an environment that has what `interop/requirements.txt` lists; the
/// environment is recreated if that has changed.
fn environment() -> Result<PathBuf> {
    let directory = root().join("target/interop/python");
    let python = directory.join("bin/python");
    let requirements = root().join("interop/requirements.txt");
    let wanted = fs::read_to_string(&requirements)
        .with_context(|| format!("cannot read {}", requirements.display()))?;
    let installed = directory.join("installed.txt");
    if fs::read_to_string(&installed).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    run(program("python3")
        .args(["-m", "venv", "--clear"])
        .arg(&directory))?;
    run(program(&python)
        .args(["-m", "pip", "install", "--quiet", "--only-binary=:all:"])
        .arg("--requirement")
        .arg(&requirements))?;
    fs::write(&installed, wanted).context("cannot note what was installed")?;
    Ok(python)
}
