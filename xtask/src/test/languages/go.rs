//! The stages `go`, the tests of the Go module, and `thrift-go`.

use anyhow::Result;

use crate::process::{program, root, run};

use super::python;

/// Runs the script of the Go module, which lists the tests that it skips for lack of an emulator.
/// The stages `aarch64` and `big-endian` need the same emulators, so nothing is skipped if all
/// stages are required.
pub fn run_stage() -> Result<()> {
    run(program(root().join("go/test.sh")).args(["--race", "--arm64", "--s390x"]))
}

/// Exchanges messages with Apache Thrift's library for Go; see `interop/README.md`.
pub fn run_thrift() -> Result<()> {
    let programs = python::build_programs()?;
    let prefix = "go:package_prefix=github.com/bytelane/bytelane/interop/thrift/go/";
    run(program("thrift")
        .args(["--gen", prefix, "-out", "interop/thrift/go"])
        .arg("interop/thrift/everything.thrift"))?;
    let directory = root().join("interop/thrift/go");
    run(program("go").args(["vet", "."]).current_dir(&directory))?;
    run(program("go")
        .args(["test", "-count=1", "."])
        .current_dir(directory)
        .env("BYTELANE_PROGRAMS", programs))
}
