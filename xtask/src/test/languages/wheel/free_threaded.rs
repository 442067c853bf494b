//! The extended stage `wheel-nogil`: tests the package on a free-threaded Python, where memory that
//! may change is copied.

use std::path::Path;

use anyhow::{Result, ensure};

use super::{build_with, install, tests};
use crate::process::{output, program, run};
use crate::test::languages::python::environment_of;

/// First free-threaded Python that PyO3 supports.
pub const PYTHON: &str = "python3.14t";

/// Requirements for this Python: not all libraries of the other tests have packages for it.
const REQUIREMENTS: &str = "crates/bytelane-python/tests/requirements-nogil.txt";

const TESTS: &str = "tests/test_codecs.py tests/test_base64.py";

pub fn run_stage() -> Result<()> {
    let python = environment_of(Path::new(PYTHON), "target/wheel/nogil/python", REQUIREMENTS)?;
    let wheel = build_with("target/wheel/nogil/wheels", "target", |maturin| {
        maturin.arg("--interpreter").arg(&python);
        Ok(())
    })?;
    install(&python, &wheel)?;
    let still_free = "import sys, bytelane; print(sys._is_gil_enabled())";
    let found = output(program(&python).args(["-c", still_free]))?.text;
    ensure!(
        found == "False\n",
        "importing the package turned the lock on"
    );
    run(&mut tests(&python, TESTS))
}
