//! Parquet: advice, rewriting, merging, comparing, writing and reading.

mod advise;
mod column;
mod dataset;
mod error;
mod file;
mod filter;
mod find;
mod merge;
mod metadata;
mod metrics;
mod options;
mod partition;
mod rewrite;
mod schema;
mod sink;
mod source;
mod table;
mod watch;
mod write;

pub use error::of_parquet;
pub use find::{check_outputs, of_store};
pub use options::{parse, warn_of_obstacles};
pub use table::Table;
pub use watch::watched;

use pyo3::prelude::*;

/// Native half of `bytelane.parquet`.
#[pymodule]
pub mod _parquet {
    #[pymodule_export]
    use super::advise::advise;
    #[pymodule_export]
    use super::column::Column;
    #[pymodule_export]
    use super::dataset::{find_files, read_files, table_schema};
    #[pymodule_export]
    use super::file::{Batches, ParquetFile, read_file};
    #[pymodule_export]
    use super::filter::Condition;
    #[pymodule_export]
    use super::merge::{check, diff, merge, repair, salvage};
    #[pymodule_export]
    use super::metadata::{
        ColumnChunkMetaData, ColumnSchema, FileMetaData, ParquetSchema, RowGroupMetaData,
        Statistics,
    };
    #[pymodule_export]
    use super::metrics::Metrics;
    #[pymodule_export]
    use super::partition::partition;
    #[pymodule_export]
    use super::rewrite::rewrite;
    #[pymodule_export]
    use super::schema::{Field, Schema};
    #[pymodule_export]
    use super::table::Table;
    #[pymodule_export]
    use super::write::{ParquetWriter, write_table};
}

/// Lets Python handle signals. Returns the exception if a handler raises one, as for Ctrl-C.
fn check_signals() -> PyResult<()> {
    Python::attach(|py| py.check_signals())
}
