//! The stage `wheel`: builds the Python package, installs it as a user would, and tests it. The extended
//! stages for it are in separate modules.

pub mod aarch64;
pub mod free_threaded;
pub mod notebooks;
pub mod scripts;
pub mod sdist;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};

use crate::folder::Folder;
use crate::process::{compile, output, program, root, run};
use crate::test::languages::python::{create_environment, environment_with, pip};

const CRATE: &str = "crates/bytelane-python";

/// Packages that the wheel is built and tested with.
const REQUIREMENTS: &str = "crates/bytelane-python/tests/requirements.txt";

/// First steps of a user, in an environment with only the wheel.
const FIRST_STEPS: &str = "\
import bytelane
assert bytelane.backend() in bytelane.backends()
assert bytelane.base64.b64encode(b'bytes') == b'Ynl0ZXM='
assert bytelane.varint.decode(b'\\x01', 'uint32') == b'\\x01\\x00\\x00\\x00'
";

pub fn run_stage() -> Result<()> {
    let python = tools()?;
    let wheel = build("target/wheel/wheels")?;
    alone(&wheel)?;
    install(&python, &wheel)?;
    run(&mut tests(&python, "tests"))?;
    check_types(&python)
}

/// Returns the interpreter of the environment for tests, which also has maturin.
fn tools() -> Result<PathBuf> {
    environment_with("target/wheel/python", REQUIREMENTS)
}

/// Returns a command that runs a Python module as a tool, in the directory of the package.
fn tool(python: &Path, module: &str, arguments: &str) -> Command {
    let mut command = program(python);
    command
        .args(["-m", module])
        .args(arguments.split_whitespace())
        .current_dir(root().join(CRATE));
    command
}

/// Returns a command that runs the tests in these files or directories.
fn tests(python: &Path, paths: &str) -> Command {
    let options = "--quiet -p no:cacheprovider";
    tool(python, "pytest", &format!("{options} {paths}"))
}

fn check_types(python: &Path) -> Result<()> {
    run(&mut tool(python, "mypy", "--strict python/bytelane tests"))?;
    let options = "--mypy-config-file pyproject.toml --allowlist tests/stubtest-allowlist.txt";
    run(&mut tool(
        python,
        "mypy.stubtest",
        &format!("bytelane {options}"),
    ))
}

/// Builds a wheel in the profile of the tests, and reuses their compiled code.
fn build(wheels: &str) -> Result<PathBuf> {
    build_with(wheels, "target", |_| Ok(()))
}

/// Builds a wheel with another directory for compiled code, and with options that `adapt` adds.
fn build_with(
    wheels: &str,
    target: &str,
    adapt: impl FnOnce(&mut Command) -> Result<()>,
) -> Result<PathBuf> {
    let mut maturin = program(tools()?);
    maturin
        .args(["-m", "maturin", "build", "--locked"])
        .args(["--profile", "dev", "--compatibility", "linux"])
        .arg("--manifest-path")
        .arg(root().join(CRATE).join("Cargo.toml"));
    maturin.arg("--target-dir").arg(root().join(target));
    adapt(&mut maturin)?;
    only_file(&mut maturin, wheels)
}

/// Runs maturin with an empty output directory, and returns its only file.
fn only_file(maturin: &mut Command, directory: &str) -> Result<PathBuf> {
    let directory = Folder::empty(directory)?;
    compile(maturin.arg("--out").arg(&directory.path))?;
    let files = fs::read_dir(&directory.path)?.collect::<Result<Vec<_>, _>>()?;
    match files.as_slice() {
        [file] => Ok(file.path()),
        files => anyhow::bail!("expected one file, but there are {}", files.len()),
    }
}

/// Installs the wheel into an empty environment, because it needs no other package.
fn alone(wheel: &Path) -> Result<()> {
    let name = wheel.file_name().unwrap_or_default().to_string_lossy();
    ensure!(
        name.contains("-cp311-abi3-"),
        "{name} is not for the stable interface"
    );
    let directory = root().join("target/wheel/alone");
    create_environment(&directory)?;
    let python = directory.join("bin/python");
    run(pip(&python).args(["--quiet", "--no-index"]).arg(wheel))?;
    run(program(&python).args(["-c", FIRST_STEPS]))?;
    let version = output(program(directory.join("bin/bytelane")).arg("--version"))?;
    let expected = format!("bytelane {}\n", env!("CARGO_PKG_VERSION"));
    ensure!(
        version.text == expected,
        "the command says {:?}",
        version.text
    );
    Ok(())
}

pub fn install(python: &Path, wheel: &Path) -> Result<()> {
    let options = ["--quiet", "--no-deps", "--force-reinstall"];
    run(pip(python).args(options).arg(wheel))
}
