//! The extended stage `sdist`: checks that the source distribution has everything that a build
//! needs.

use anyhow::Result;

use super::{CRATE, FIRST_STEPS, only_file, tools};
use crate::process::{program, root, run};
use crate::test::languages::python::{create_environment, pip};

/// Builds the source distribution, and installs it into an empty environment as users do: with an
/// isolated build in the release profile.
pub fn run_stage() -> Result<()> {
    let mut maturin = program(tools()?);
    maturin
        .args(["-m", "maturin", "sdist", "--manifest-path"])
        .arg(root().join(CRATE).join("Cargo.toml"));
    let sdist = only_file(&mut maturin, "target/wheel/sdist/files")?;

    let directory = root().join("target/wheel/sdist/python");
    create_environment(&directory)?;
    let python = directory.join("bin/python");
    // Share the compiled code of the workspace's release build.
    run(pip(&python)
        .args(["--quiet", "--no-deps"])
        .arg(&sdist)
        .env("CARGO_TARGET_DIR", root().join("target")))?;
    run(program(&python)
        .args(["-c", FIRST_STEPS])
        .current_dir(&directory))?;
    run(program(directory.join("bin/bytelane")).arg("cpu"))
}
