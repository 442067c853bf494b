//! The stages `python`, which exchanges data with Python libraries and checks the tables of records, and `thrift-cpp`;
//! see `interop/README.md`.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::folder::Folder;
use crate::process::{cargo, compile, program, root, run, run_side_by_side};

/// Arguments of cargo that build the programs of scripts and other stages. They select the whole workspace: a
/// selection of packages would recompile dependencies of the stage `rust` with fewer features, and so would the default
/// features of the command.
const PROGRAMS: &str = "build --locked --workspace --exclude bytelane-size --exclude xtask --bins \
    --features bytelane-cli/measuring";

/// Arguments of cargo that build the native half of the package. The stage `wheel` compiles that
/// again, because maturin sets variables that PyO3 depends on; no other stage does.
const LIBRARIES: &str = "build --locked --workspace --lib --features bytelane-cli/measuring";

/// Runs every `test_*.py` of `interop`, of `benchmarks`, and of their directories.
pub fn run_stage() -> Result<()> {
    let programs = build_programs()?;
    let package = lay_out_package(&programs)?;
    let python = environment()?;
    let tests = test_files()?.into_iter().map(|(directory, file)| {
        let mut test = program(&python);
        test.args([
            "-m",
            "unittest",
            "discover",
            "--verbose",
            "--start-directory",
        ])
        .arg(directory)
        .args(["--pattern", &file])
        .env("BYTELANE_PROGRAMS", &programs)
        .env("PYTHONPATH", &package);
        test
    });
    run_side_by_side(tests.collect())
}

/// Returns the directory and the name of each file with tests.
fn test_files() -> Result<Vec<(PathBuf, String)>> {
    let directories = ["interop", "benchmarks"].map(|name| root().join(name));
    let (mut directories, mut found) = (Vec::from(directories), Vec::new());
    while let Some(directory) = directories.pop() {
        let entries = fs::read_dir(&directory);
        for entry in entries.with_context(|| format!("cannot list {}", directory.display()))? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if path.is_dir() {
                directories.push(path);
            } else if name.starts_with("test_") && name.ends_with(".py") {
                found.push((directory.clone(), name.into_owned()));
            }
        }
    }
    ensure!(!found.is_empty(), "there are no tests");
    // In this order, the file that takes longest, in `readers`, begins early.
    found.sort_by(|a, b| b.cmp(a));
    Ok(found)
}

/// Calls the methods of a service over TCP, with a program of Apache Thrift's C++ library on the other
/// side.
pub fn run_thrift_cpp() -> Result<()> {
    let programs = build_programs()?;
    run(program("python3")
        .arg("interop/thrift/exchange_cpp.py")
        .env("BYTELANE_PROGRAMS", programs))
}

/// Creates a directory from which Python can import the package of the same build, because a wheel would
/// need more tools. Returns the directory.
pub fn lay_out_package(programs: &Path) -> Result<PathBuf> {
    compile(cargo(LIBRARIES).args(["--target-dir", "target"]))?;
    let directory = Folder::at("target/interop/package")?;
    let package = directory.below("bytelane")?;
    package.copy_all(&root().join("crates/bytelane-python/python/bytelane"))?;
    let library = format!("{DLL_PREFIX}bytelane_native{DLL_SUFFIX}");
    package.copy(&programs.join(library), "_native.abi3.so")?;
    Ok(directory.path)
}

/// Builds the programs, and returns their directory.
pub fn build_programs() -> Result<PathBuf> {
    compile(cargo(PROGRAMS).args(["--target-dir", "target"]))?;
    Ok(root().join("target/debug"))
}

/// Returns the interpreter of an environment with the packages of `interop/requirements.txt`.
pub fn environment() -> Result<PathBuf> {
    environment_with("target/interop/python", "interop/requirements.txt")
}

/// Returns the interpreter of an environment with the packages of a file; the environment is
/// recreated if the file has changed.
pub fn environment_with(directory: &str, requirements: &str) -> Result<PathBuf> {
    environment_of(Path::new("python3"), directory, requirements)
}

/// Does the same for an interpreter of the caller's choice. It needs no pip: that of `python3`
/// installs the packages.
pub fn environment_of(base: &Path, directory: &str, requirements: &str) -> Result<PathBuf> {
    let directory = root().join(directory);
    let python = directory.join("bin/python");
    let requirements = root().join(requirements);
    let wanted = fs::read_to_string(&requirements)
        .with_context(|| format!("cannot read {}", requirements.display()))?;
    let installed = directory.join("installed.txt");
    if fs::read_to_string(&installed).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    create_environment_of(base, &directory)?;
    run(pip(&python)
        .args(["--quiet", "--only-binary=:all:", "--requirement"])
        .arg(&requirements))?;
    fs::write(&installed, wanted).context("cannot note what was installed")?;
    Ok(python)
}

/// Creates an empty environment, and replaces an existing one.
pub fn create_environment(directory: &Path) -> Result<()> {
    create_environment_of(Path::new("python3"), directory)
}

/// Does the same for an interpreter of the caller's choice.
pub fn create_environment_of(base: &Path, directory: &Path) -> Result<()> {
    run(program(base)
        .args(["-m", "venv", "--clear", "--without-pip"])
        .arg(directory))
}

/// Returns the command that installs packages for an interpreter of an environment.
pub fn pip(python: &Path) -> Command {
    let mut command = program("python3");
    command
        .args(["-m", "pip", "--python"])
        .arg(python)
        .arg("install");
    command
}
