//! Builds wheels, and tries them on the oldest Python that they are for.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::package::folder;
use super::platform::{Platform, artifacts, profile, tool};
use super::system::{System, WITH_PYTHON};
use crate::process::{compile, output, program, root, run};
use crate::test::languages::python::create_environment_of;
use crate::test::languages::wheel::{aarch64::emulated_python, install};

/// Environment variable that names the root directory of a system with Python for musl.
pub const MUSL_SYSTEM: &str = "BYTELANE_ALPINE";

/// Program that uses the package, without any other.
const STEPS: &str = include_str!("steps.py");

/// Builds the wheel, checks its symbols and its tag, and tries it.
pub fn make(platform: &Platform) -> Result<()> {
    let folder = folder("wheel")?;
    let mut build = tool("maturin")?;
    build
        .args(["build", "--locked", "--zig", "--profile", profile()])
        .args(["--target", platform.triple])
        .args(["--compatibility", platform.wheel])
        .args(["--manifest-path", "crates/bytelane-python/Cargo.toml"])
        .arg("--out")
        .arg(&folder.path);
    compile(&mut build)?;
    let built = only_file(&folder.path)?;
    let wheel = artifacts()?.join(built.file_name().context("a wheel has a name")?);
    fs::rename(&built, &wheel).context("cannot move the wheel")?;
    let unpacked = folder.below("unpacked")?;
    let mut unzip = program("python3");
    unzip.args(["-m", "zipfile", "--extract"]).arg(&wheel);
    run(unzip.arg(&unpacked.path))?;
    platform.check_glibc(&unpacked.path.join("bytelane/_native.abi3.so"))?;
    check_tag(platform, &wheel)?;
    match (platform.has_glibc(), platform.is_emulated()) {
        (true, false) => try_in(&System::debian(WITH_PYTHON)?, &wheel),
        (true, true) => try_emulated(&wheel),
        // `try_musl` does.
        (false, _) => Ok(()),
    }
}

fn only_file(directory: &Path) -> Result<PathBuf> {
    let mut files = fs::read_dir(directory)?;
    let file = files.next().context("maturin wrote no wheel")??;
    ensure!(files.next().is_none(), "maturin wrote several files");
    Ok(file.path())
}

/// Checks with auditwheel that the wheel deserves its tag.
fn check_tag(platform: &Platform, wheel: &Path) -> Result<()> {
    let shown = output(tool("auditwheel")?.arg("show").arg(wheel))?.text;
    let tag = platform.wheel.replace("2014", "_2_17");
    ensure!(shown.contains(&tag), "auditwheel finds no {tag}:\n{shown}");
    Ok(())
}

/// Installs the wheel in a new environment of a system, and uses it.
fn try_in(system: &System, wheel: &Path) -> Result<()> {
    let (directory, seen) = system.trial()?;
    let name = wheel.file_name().context("a wheel has a name")?;
    fs::copy(wheel, directory.join(name)).context("cannot copy the wheel")?;
    let environment = seen.join("environment");
    let python = environment.join("bin/python");
    let python = python.to_str().context("the path is not UTF-8")?;
    run(system.command(&["python3", "-m", "venv"]).arg(&environment))?;
    let pip = ["-m", "pip", "install", "--quiet", "--no-index"];
    run(system.command(&[python]).args(pip).arg(seen.join(name)))?;
    run(system.command(&[python]).args(["-c", STEPS]))
}

/// Uses the wheel with Debian's Python for 64-bit ARM.
fn try_emulated(wheel: &Path) -> Result<()> {
    let directory = root().join("target/release-systems/aarch64");
    let environment = directory.join("python");
    create_environment_of(&emulated_python(&directory)?, &environment)?;
    let python = environment.join("bin/python");
    install(&python, wheel)?;
    run(program(&python).args(["-c", STEPS]))
}

/// Uses the wheel for musl in the system that the environment names.
pub fn try_musl(platform: &Platform) -> Result<()> {
    let system = std::env::var_os(MUSL_SYSTEM).context("the stage needs it")?;
    let machine = platform.triple.split('-').next().unwrap_or_default();
    let end = format!("{}_{machine}.whl", platform.wheel);
    let files = fs::read_dir(artifacts()?)?.collect::<Result<Vec<_>, _>>()?;
    let wheel = files
        .iter()
        .map(|file| file.path())
        .find(|path| path.to_string_lossy().ends_with(&end))
        .with_context(|| format!("there is no wheel *{end}: make it first"))?;
    try_in(&System::at(Path::new(&system)), &wheel)
}
