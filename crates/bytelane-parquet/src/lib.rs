//! Choose, write, rewrite and read the best Parquet encoding for each column.

pub mod advise;
mod budget;
mod caller;
mod catch_panic;
pub mod check;
mod choice;
mod chunk;
pub mod compatibility;
pub mod diff;
mod error;
mod file;
pub mod filter;
#[doc(hidden)]
pub mod format;
mod input;
pub mod inspect;
mod memory;
pub mod merge;
mod options;
mod page;
mod parallel;
mod progress;
mod read;
mod remote;
pub mod repair;
pub mod rewrite;
mod stack;
mod statistics;
pub mod table;
mod types;
mod write;

pub use caller::{Caller, caller, set_caller};
#[doc(hidden)]
pub use catch_panic::is_caught;
pub use error::{Error, Place, Problem, Result};
pub use input::InputFile;
pub use options::{
    ColumnOptions, ContentDefinedPages, DataPageVersion, Encoding, Encodings, Goal, StringType,
    WriterOptions, compression_name, parse_compression, parse_size,
};
pub use parallel::bounded_threads;
pub use progress::Progress;
pub use read::{
    AsyncReader, Decoded, Footer, Metrics, PushDecoder, PushedBytes, RangeReader, Reader,
    ReaderBuilder,
};
pub use remote::{
    RemoteFile, RemoteFiles, local_path, remote_url, set_remote_files, unsupported_scheme,
};

/// [`Reader`], by its name in the crate `parquet`.
pub type ParquetRecordBatchReader = Reader;
/// [`ReaderBuilder`], by its name in the crate `parquet`.
pub type ParquetRecordBatchReaderBuilder<T> = ReaderBuilder<T>;

pub use file::{NewFile, Replace, real_path};
pub use types::unite;
pub use types::written::{MetadataBytes, metadata_text};
pub use write::{Writer, Written};

/// Libraries whose types appear in this crate's functions.
pub use {arrow_array, arrow_schema, bytelane, parquet, rayon};

/// Code of the documentation page, as doctests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/getting-started/parquet.md")]
mod getting_started {}
