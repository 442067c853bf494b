//! The extended stage `wheel-aarch64`: builds the wheel for 64-bit ARM, and runs its tests on Debian's
//! Python of that architecture, emulated.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::{REQUIREMENTS, build_with, install, tests};
use crate::process::{output, program, root, run};
use crate::test::languages::python::environment_of;
use crate::test::machines::cross::{AARCH64, Target};

/// 64-bit ARM, with a dynamically linked libc, which an extension module needs.
const TARGET: Target = Target {
    rustflags: "",
    ..AARCH64
};

/// Options that make apt use the packages of another architecture. The file of installed packages is
/// empty, so that apt downloads everything that Python needs.
const APT: [&str; 6] = [
    "--quiet",
    "--quiet",
    "--yes",
    "--option=APT::Architecture=arm64",
    "--option=APT::Architectures::=arm64",
    "--option=Dir::State::status=/dev/null",
];

const DIRECTORY: &str = "target/wheel/aarch64";

pub fn run_stage() -> Result<()> {
    let emulated = emulated_python(&root().join(DIRECTORY))?;
    let python = environment_of(&emulated, &format!("{DIRECTORY}/python"), REQUIREMENTS)?;
    let machine = "import platform, sys; print(platform.machine(), sys.executable)";
    let found = output(program(&python).args(["-c", machine]))?.text;
    let expected = format!("aarch64 {}\n", python.display());
    ensure!(found == expected, "the emulated Python says {found:?}");

    let wheel = build_with(&format!("{DIRECTORY}/wheels"), "target/cross", |maturin| {
        maturin.args(["--target", TARGET.triple]);
        TARGET.prepare(maturin)?;
        Ok(())
    })?;
    install(&python, &wheel)?;
    let backend = "import bytelane; print(bytelane.backend())";
    let found = output(program(&python).args(["-c", backend]))?.text;
    ensure!(found.trim() == TARGET.backend, "its backend is {found}");
    run(tests(&python, "tests").env("BYTELANE_TEST_GRID", "reduced"))
}

/// Creates a program that runs Debian's Python for 64-bit ARM. It is next to that Python, so that
/// Python finds its library, and reports this program as `sys.executable`. So subprocesses that start
/// `sys.executable`, and the scripts of its environments, run emulated as well.
pub fn emulated_python(directory: &Path) -> Result<PathBuf> {
    let system = directory.join("system");
    let program = system.join("usr/bin/emulated");
    if program.exists() {
        return Ok(program);
    }
    unpack_debian(directory, &system)?;
    let script = format!(
        "#!/bin/sh\nexec {} -0 \"$0\" -L '{system}' '{system}/usr/bin/python3' \"$@\"\n",
        TARGET.runner,
        system = system.display()
    );
    fs::write(&program, script)?;
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755))?;
    Ok(program)
}

/// Downloads and unpacks Python and its dependencies; installs nothing.
fn unpack_debian(directory: &Path, system: &Path) -> Result<()> {
    let archives = directory.join("archives");
    fs::create_dir_all(archives.join("partial"))?;
    run(program("apt-get")
        .args(APT)
        .arg(format!(
            "--option=Dir::Cache::archives={}",
            archives.display()
        ))
        .args(["--no-install-recommends", "--download-only", "install"])
        .args(["python3", "libstdc++6"]))?;
    for entry in fs::read_dir(&archives).context("cannot list the packages")? {
        let path = entry?.path();
        if path.extension().is_some_and(|it| it == "deb") {
            output(program("dpkg-deb").arg("--extract").arg(&path).arg(system))?;
        }
    }
    Ok(())
}
