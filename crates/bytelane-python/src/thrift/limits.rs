//! Limits on the cost of a message.

use bytelane_thrift::Limits as WireLimits;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Deepest nesting that the stack of any thread has room for.
const DEPTH: u32 = 512;

/// Limits on the cost of a message: ``depth`` of structs and containers, elements of a ``container``, bytes of a
/// ``string``, and bytes of ``memory`` that all values of a message together may take.
///
/// >>> from bytelane import thrift
/// >>> thrift.Limits(memory=1 << 30)
/// Limits(depth=64, container=2147483647, string=2147483647, memory=1073741824)
#[pyclass(frozen, eq, from_py_object, module = "bytelane.thrift")]
#[derive(Clone, Copy, PartialEq)]
pub struct Limits(WireLimits);

#[pymethods]
impl Limits {
    #[new]
    #[pyo3(signature = (*, depth=64, container=2147483647, string=2147483647, memory=268435456))]
    fn new(depth: u32, container: usize, string: usize, memory: usize) -> PyResult<Self> {
        if depth > DEPTH {
            let message = format!("depth is {depth}; a thread has room for {DEPTH}");
            return Err(PyValueError::new_err(message));
        }
        let limits = WireLimits::default().with_depth(depth);
        let limits = limits.with_container(container).with_string(string);
        Ok(Self(limits.with_total_allocation(memory)))
    }

    #[getter]
    fn depth(&self) -> u32 {
        self.0.depth
    }

    #[getter]
    fn container(&self) -> usize {
        self.0.container
    }

    #[getter]
    fn string(&self) -> usize {
        self.0.string
    }

    #[getter]
    fn memory(&self) -> usize {
        self.0.total_allocation
    }

    fn __repr__(&self) -> String {
        let WireLimits {
            depth,
            container,
            string,
            total_allocation: memory,
            ..
        } = self.0;
        format!("Limits(depth={depth}, container={container}, string={string}, memory={memory})")
    }
}

/// Returns the given limits, or the default ones.
pub fn limits_of(limits: Option<Limits>) -> WireLimits {
    limits.map_or_else(WireLimits::default, |limits| limits.0)
}
