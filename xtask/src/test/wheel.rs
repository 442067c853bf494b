//! The stage `wheel`: builds the Python package, installs it as a user would, and tests it.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::python::{create_environment, environment_with};
use crate::process::{output, program, root, run};

const CRATE: &str = "crates/bytelane-python";

/// What a user does first, in an environment with nothing but the wheel.
const FIRST_STEPS: &str = "\
import bytelane
assert bytelane.backend() in bytelane.backends()
assert bytelane.base64.b64encode(b'bytes') == b'Ynl0ZXM='
assert bytelane.varint.decode(b'\\x01', 'uint32') == b'\\x01\\x00\\x00\\x00'
";

pub fn run_stage() -> Result<()> {
    let python = environment_with(
        "target/wheel/python",
        &format!("{CRATE}/tests/requirements.txt"),
    )?;
    let wheel = build(&python)?;
    alone(&wheel)?;
    install(&python, &wheel)?;
    let package = root().join(CRATE);
    let tool = |module: &str, arguments: &str| {
        run(program(&python)
            .args(["-m", module])
            .args(arguments.split_whitespace())
            .current_dir(&package))
    };
    tool("pytest", "--quiet -p no:cacheprovider tests")?;
    tool("mypy", "--strict python/bytelane tests")?;
    tool(
        "mypy.stubtest",
        "bytelane --mypy-config-file pyproject.toml --allowlist tests/stubtest-allowlist.txt",
    )
}

/// Builds the wheel in the profile of the tests, with what was compiled for them.
fn build(python: &Path) -> Result<PathBuf> {
    let wheels = root().join("target/wheel/wheels");
    if wheels.exists() {
        fs::remove_dir_all(&wheels).context("cannot remove old wheels")?;
    }
    run(program(python)
        .args(["-m", "maturin", "build", "--quiet", "--locked"])
        .args(["--profile", "dev", "--compatibility", "linux", "--out"])
        .arg(&wheels)
        .arg("--manifest-path")
        .arg(root().join(CRATE).join("Cargo.toml"))
        .arg("--target-dir")
        .arg(root().join("target")))?;
    let files = fs::read_dir(&wheels)?.collect::<Result<Vec<_>, _>>()?;
    let [wheel] = files.as_slice() else {
        anyhow::bail!("expected one wheel, but there are {}", files.len());
    };
    let name = wheel.file_name();
    let name = name.to_string_lossy();
    ensure!(
        name.contains("-cp311-abi3-"),
        "{name} is not for the stable interface"
    );
    Ok(wheel.path())
}

/// Installs the wheel into an environment of its own: it needs no other package.
fn alone(wheel: &Path) -> Result<()> {
    let directory = root().join("target/wheel/alone");
    create_environment(&directory)?;
    let python = directory.join("bin/python");
    run(program(&python)
        .args(["-m", "pip", "install", "--quiet", "--no-index"])
        .arg(wheel))?;
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

fn install(python: &Path, wheel: &Path) -> Result<()> {
    let arguments = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--force-reinstall",
    ];
    run(program(python).args(arguments.map(OsStr::new)).arg(wheel))
}
