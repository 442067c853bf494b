//! Runs the command.

use bytelane_parquet::{Caller, set_caller};
use pyo3::prelude::*;
use std::ffi::OsString;

/// Runs the command `bytelane` with these arguments; the first one is its name. Returns the exit
/// code. The process is the command's: a termination signal ends it if the command waits for input.
#[pyfunction]
pub fn command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    let code = py.detach(|| bytelane_cli::run(arguments, std::process::exit));
    set_caller(Caller::Python);
    code
}
