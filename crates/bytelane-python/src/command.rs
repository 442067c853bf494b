//! Runs the command.

use pyo3::prelude::*;
use std::ffi::OsString;

/// Runs the command `bytelane` with these arguments; the first one is its name. Returns the exit
/// code. The process is the command's: a termination signal ends it if the command waits for input.
#[pyfunction]
pub fn command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| bytelane_cli::run(arguments, std::process::exit))
}
