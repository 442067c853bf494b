//! Sets the configuration flags for the target version of Python.

fn main() {
    pyo3_build_config::use_pyo3_cfgs();
}
