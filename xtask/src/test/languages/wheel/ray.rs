//! The extended stage `ray`: runs plans of data sets on a local Ray cluster, and kills a worker.

use anyhow::Result;

use super::{CRATE, build, install};
use crate::process::{program, root, run};
use crate::test::python::environment_with;

/// Builds the wheel, installs it with Ray, and runs the script.
pub fn run_stage() -> Result<()> {
    let tests = format!("{CRATE}/tests/on_ray");
    let requirements = format!("{tests}/requirements.txt");
    let python = environment_with("target/wheel/ray/python", &requirements)?;
    install(&python, &build("target/wheel/ray/wheels")?)?;
    run(program(&python).arg(root().join(tests).join("run.py")))
}
