//! Choice of the instruction set.

use bytelane::Backend;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Returns the name of the instruction set in use: `scalar`, `sse4.1`, `avx2`, `avx512` or `neon`.
///
/// It is the best one of this machine, unless `set_backend` or the environment variable
/// `BYTELANE_BACKEND` selected another.
///
/// >>> import bytelane
/// >>> bytelane.backend() in bytelane.backends()
/// True
#[pyfunction]
pub fn backend() -> String {
    Backend::active().to_string()
}

/// Returns the names of this machine's instruction sets, slowest first.
///
/// >>> import bytelane
/// >>> bytelane.backends()[0]
/// 'scalar'
#[pyfunction]
pub fn backends() -> Vec<String> {
    Backend::available().map(|it| it.to_string()).collect()
}

/// Sets the instruction set of all later calls in this process, for tests and measurements.
///
/// Raises ValueError if there is no such instruction set, or this machine lacks it.
///
/// >>> import bytelane
/// >>> best = bytelane.backend()
/// >>> bytelane.set_backend("scalar")
/// >>> bytelane.backend()
/// 'scalar'
/// >>> bytelane.set_backend(best)
#[pyfunction]
pub fn set_backend(name: &str) -> PyResult<()> {
    let invalid = |error: &dyn std::fmt::Display| {
        let message = format!(
            "{name:?}: {error}; this machine has {}",
            backends().join(", ")
        );
        PyValueError::new_err(message)
    };
    let backend: Backend = name.parse().map_err(|error| invalid(&error))?;
    Backend::set_active(backend).map_err(|error| invalid(&error))
}
