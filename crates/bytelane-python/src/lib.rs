//! Native half of the Python package: converts arguments, calls a crate, and converts results.
//!
//! It has no logic of its own. The public interface is in `python/bytelane`, with types in its
//! stubs.
#![allow(unsafe_code)] // Python passes pointers: see `buffer`, `memory`, `output` and `arrow`.

mod arrow;
mod backend;
mod buffer;
mod codec;
mod command;
mod dataset;
mod dtype;
mod error;
mod memory;
mod numpy;
mod output;
mod parquet;
mod thrift;

use pyo3::prelude::*;

/// Native half of the package `bytelane`.
#[pymodule]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::backend::{backend, backends, set_backend};
    #[pymodule_export]
    use crate::codec::{
        alp::alp, base64::base64, big_endian::big_endian, bit_packing::bit_packing,
        byte_stream_split::byte_stream_split, delta::delta, fsst::fsst, json_string::json_string,
        rle_hybrid::rle_hybrid, stream_vbyte::stream_vbyte, utf8::utf8, validity::validity,
        varint::varint,
    };
    #[pymodule_export]
    use crate::command::command;

    #[pymodule_export]
    use crate::dataset::_dataset;

    #[pymodule_export]
    use crate::parquet::_parquet;

    #[pymodule_export]
    use crate::thrift::_thrift;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        bytelane_cli::keep_memory();
        bytelane_parquet::set_caller(bytelane_parquet::Caller::Python);
        bytelane_store::install();
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
