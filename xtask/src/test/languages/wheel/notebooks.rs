//! The extended stage `notebooks`: runs the notebooks of the Python package.

use std::fs;

use anyhow::{Context, Result, ensure};

use super::{CRATE, build, install};
use crate::process::{program, root, run};
use crate::test::languages::python::environment_with;

const REQUIREMENTS: &str = "crates/bytelane-python/notebooks/requirements.txt";

/// Runs each notebook in a new kernel. A failed assertion in a cell fails the stage.
pub fn run_stage() -> Result<()> {
    let python = environment_with("target/wheel/notebooks/python", REQUIREMENTS)?;
    install(&python, &build("target/wheel/notebooks/wheels")?)?;
    let results = root().join("target/wheel/notebooks/results");
    let mut found = 0;
    for entry in fs::read_dir(root().join(CRATE).join("notebooks")).context("no notebooks")? {
        let path = entry?.path();
        if path.extension().is_some_and(|it| it == "ipynb") {
            run(program(&python)
                .args(["-m", "nbconvert", "--to", "notebook", "--execute"])
                .arg("--output-dir")
                .arg(&results)
                .arg(&path))?;
            found += 1;
        }
    }
    ensure!(found > 0, "there is no notebook");
    Ok(())
}
