//! Choose, write, rewrite and read the best Parquet encoding for each column.

pub mod advise;
mod bare;
mod budget;
mod choice;
mod chunk;
mod contained;
mod error;
mod extension;
mod fields;
mod file;
pub mod filter;
#[doc(hidden)]
pub mod format;
mod input;
pub mod inspect;
mod memory;
mod options;
mod page;
mod parallel;
mod physical;
mod read;
pub mod readers;
pub mod rewrite;
mod stack;
mod statistics;
mod stored;
mod write;

#[doc(hidden)]
pub use contained::is_contained;
pub use error::{Error, Place, Problem, Result};
pub use input::InputFile;
pub use options::{
    ColumnOptions, DataPageVersion, Encoding, Encodings, Goal, WriterOptions, compression_name,
    parse_compression,
};
pub use read::{Reader, ReaderBuilder};

/// [`Reader`] under the name that it has in the crate `parquet`.
pub type ParquetRecordBatchReader = Reader;
/// [`ReaderBuilder`] under the name that it has in the crate `parquet`.
pub type ParquetRecordBatchReaderBuilder<T> = ReaderBuilder<T>;

pub use file::NewFile;
pub use write::{Writer, Written};

/// The libraries whose types appear in this crate's functions.
pub use {arrow_array, arrow_schema, bytelane, parquet};

/// The code of the page, as doctests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/getting-started/parquet.md")]
mod getting_started {}
