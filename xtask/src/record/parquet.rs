//! Records of whole Parquet files, read to Arrow arrays by bytelane and other libraries: builds what
//! `benchmarks/parquet/compare.py` measures, and runs it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::process::{cargo, program, root, run};
use crate::test::languages::python::{build_programs, environment_with, lay_out_package};

/// Measures everything, and writes the results to a file.
pub fn record(path: &Path) -> Result<()> {
    compare("release", [path])
}

/// Runs every comparison once on small files, to check that all libraries read the same values.
pub fn run_quick() -> Result<()> {
    let path = root().join("target/peers/parquet-quick.csv");
    compare("dev", [path.as_os_str(), "--quick".as_ref()])
}

fn compare<A: AsRef<OsStr>>(profile: &str, arguments: impl IntoIterator<Item = A>) -> Result<()> {
    let requirements = "benchmarks/parquet/requirements.txt";
    let python = environment_with("target/benchmarks/python", requirements)?;
    run(program(python)
        .arg("benchmarks/parquet/compare.py")
        .arg(build_reader(profile)?)
        .args(arguments)
        .arg("--queries")
        .arg(build_queries(profile)?)
        .env("PYTHONPATH", build_package(profile)?))
}

/// Builds the Python package. Returns the directory to import it from.
fn build_package(profile: &str) -> Result<PathBuf> {
    if profile == "dev" {
        return lay_out_package(&build_programs()?);
    }
    let build = "build --quiet --locked --package bytelane-python --target-dir target --profile";
    run(cargo(build).arg(profile))?;
    lay_out_package(&root().join("target").join(profile))
}

/// Builds the program that answers queries with the Rust libraries. Returns its path.
fn build_queries(profile: &str) -> Result<PathBuf> {
    let build = "build --quiet --locked --package bytelane-parquet --example time_queries --target-dir target --profile";
    run(cargo(build).arg(profile))?;
    let path = root()
        .join("target")
        .join(directory_of(profile))
        .join("examples");
    Ok(path.join(format!("time_queries{}", std::env::consts::EXE_SUFFIX)))
}

/// Builds the program that reads files with the Rust libraries. Returns its path.
fn build_reader(profile: &str) -> Result<PathBuf> {
    let build = "build --quiet --locked --manifest-path peers/Cargo.toml --package read-parquet";
    let mut command = cargo(build);
    run(command.args(["--target-dir", "peers/target", "--profile", profile]))?;
    let path = root().join("peers/target").join(directory_of(profile));
    Ok(path.join(format!("read-parquet{}", std::env::consts::EXE_SUFFIX)))
}

/// Returns the directory of a profile's programs.
fn directory_of(profile: &str) -> &str {
    match profile {
        "dev" => "debug",
        profile => profile,
    }
}
