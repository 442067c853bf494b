//! The extended stage `sdist`: the source distribution has all that a build needs.

use anyhow::Result;

use super::{CRATE, FIRST_STEPS, only_file, tools};
use crate::process::{program, root, run};
use crate::test::python::{create_environment, pip};

/// Builds the source distribution, and installs from it into an empty environment as users do: with an
/// isolated build in the profile for releases.
pub fn run_stage() -> Result<()> {
    let mut maturin = program(tools()?);
    maturin
        .args(["-m", "maturin", "sdist", "--manifest-path"])
        .arg(root().join(CRATE).join("Cargo.toml"));
    let sdist = only_file(&mut maturin, "target/wheel/sdist/files")?;

    let directory = root().join("target/wheel/sdist/python");
    create_environment(&directory)?;
    let python = directory.join("bin/python");
    // The release build of the workspace shares what it has compiled.
    run(pip(&python)
        .args(["--quiet", "--no-deps"])
        .arg(&sdist)
        .env("CARGO_TARGET_DIR", root().join("target")))?;
    run(program(&python)
        .args(["-c", FIRST_STEPS])
        .current_dir(&directory))?;
    run(program(directory.join("bin/bytelane")).arg("cpu"))
}
