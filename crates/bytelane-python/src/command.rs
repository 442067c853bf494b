//! Runs the command.

use pyo3::prelude::*;
use std::ffi::OsString;

/// Runs the command `bytelane` with these arguments; the first one is its name. Returns the exit
/// code; help and errors in the arguments end the process.
#[pyfunction]
pub fn command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| bytelane_cli::run(arguments))
}
