//! The extended stages `executors`, `table-formats` and `engines`: run scripts that use the Python package with large libraries.

use anyhow::Result;

use super::{CRATE, build, install};
use crate::process::{program, root, run};
use crate::test::languages::python::environment_with;

/// Runs plans of data sets with every executor, and kills workers and drivers.
pub fn run_executors() -> Result<()> {
    run_script("executors", "executors/all_executors.py")
}

/// Compacts tables of Delta Lake and Apache Iceberg, and deletes rows of them.
pub fn run_table_formats() -> Result<()> {
    run_script("table-formats", "table_formats/delta_and_iceberg.py")
}

/// Reads files for query engines, and compares the rows with those of the engines' own readers.
pub fn run_engines() -> Result<()> {
    run_script("engines", "engines/all_engines.py")
}

/// Builds the wheel, installs it with the requirements beside a script of the tests, and runs the script.
fn run_script(stage: &str, script: &str) -> Result<()> {
    let script = format!("{CRATE}/tests/{script}");
    let (directory, _) = script.rsplit_once('/').expect("a script in a directory");
    let requirements = format!("{directory}/requirements.txt");
    let target = format!("target/wheel/{stage}");
    let python = environment_with(&format!("{target}/python"), &requirements)?;
    install(&python, &build(&format!("{target}/wheels"))?)?;
    run(program(&python).arg(root().join(&script)))
}
