//! The stage `parquet-java`: the Java library reads the files that `bytelane merge` writes.

use anyhow::Result;

use super::python::{build_programs, environment};
use crate::process::{program, root, run};

/// Class with `main`.
const WITNESS: &str = "Witness";

/// Merges random files, and compares their rows with parquet-java.
pub fn run_stage() -> Result<()> {
    let programs = build_programs()?;
    let python = environment()?;
    let project = root().join("interop/parquet/java");
    let built = root().join("target/interop/java");
    run(program("mvn")
        .args(["--quiet", "--batch-mode", "--file"])
        .arg(project.join("pom.xml"))
        .arg(format!("-DbuildDirectory={}", built.display()))
        .args(["compile", "dependency:copy-dependencies"]))?;
    let classes = built.join("classes").display().to_string();
    let libraries = built.join("dependency").join("*").display().to_string();
    run(program(&python)
        .arg("interop/parquet/exchange_java.py")
        .args(["java", "-cp", &format!("{classes}:{libraries}"), WITNESS])
        .env("BYTELANE_PROGRAMS", programs))
}
