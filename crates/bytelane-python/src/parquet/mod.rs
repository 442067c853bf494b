//! Parquet: advice, rewriting, merging, comparing, writing and reading.

mod error;
mod filter;
mod metadata;
mod options;
mod read;
mod table;
mod verbs;
mod watch;
mod write;

pub use error::of_parquet;
pub use options::{parse, to_json, warn_of_obstacles};
pub use table::rows::Table;
pub use verbs::find::{check_outputs, of_store};
pub use watch::watched;

use pyo3::prelude::*;

/// Native half of `bytelane.parquet`.
#[pymodule]
pub mod _parquet {
    #[pymodule_export]
    use super::filter::{Condition, columns_in};
    #[pymodule_export]
    use super::metadata::{
        ColumnChunkMetaData, ColumnSchema, FileMetaData, ParquetSchema, RowGroupMetaData,
        Statistics,
    };
    #[pymodule_export]
    use super::read::dataset::{find_files, read_files, table_schema};
    #[pymodule_export]
    use super::read::file::{Batches, ParquetFile, read_file};
    #[pymodule_export]
    use super::read::metrics::Metrics;
    #[pymodule_export]
    use super::read::partition::partition;
    #[pymodule_export]
    use super::table::column::Column;
    #[pymodule_export]
    use super::table::rows::Table;
    #[pymodule_export]
    use super::table::schema::{Field, Schema};
    #[pymodule_export]
    use super::verbs::advise::advise;
    #[pymodule_export]
    use super::verbs::merge::{check, diff, edit, merge, repair, salvage};
    #[pymodule_export]
    use super::verbs::rewrite::rewrite;
    #[pymodule_export]
    use super::write::writer::{ParquetWriter, write_table};
}
