//! Choose, write and read the best Parquet encoding for each column.
//!
//! `bytelane-parquet-files` works on whole files with the hidden modules, which may change at any time.

#[doc(hidden)]
pub mod budget;
#[doc(hidden)]
pub mod caller;
#[doc(hidden)]
pub mod catch_panic;
#[doc(hidden)]
pub mod choice;
#[doc(hidden)]
pub mod chunk;
pub mod compatibility;
#[cfg(feature = "encryption")]
mod encryption;
#[doc(hidden)]
pub mod error;
#[doc(hidden)]
pub mod file;
pub mod filter;
#[doc(hidden)]
pub mod format;
#[doc(hidden)]
pub mod input;
#[doc(hidden)]
pub mod memory;
#[doc(hidden)]
pub mod options;
#[doc(hidden)]
pub mod page;
#[doc(hidden)]
pub mod parallel;
#[doc(hidden)]
pub mod progress;
#[doc(hidden)]
pub mod read;
#[doc(hidden)]
pub mod remote;
#[doc(hidden)]
pub mod stack;
#[doc(hidden)]
pub mod statistics;
pub mod table;
#[doc(hidden)]
pub mod types;
mod write;

pub use caller::{Caller, caller, set_caller};
#[doc(hidden)]
pub use catch_panic::is_caught;
#[cfg(feature = "encryption")]
pub use encryption::{
    DecryptedFile, DecryptionKeys, EncryptionAlgorithm, EncryptionKeys, Key, set_decryption_keys,
};
pub use error::{Error, Place, Problem, Result};
pub use input::InputFile;
pub use options::{
    ColumnOptions, ContentDefinedPages, DataPageVersion, Encoding, Encodings, FormatVersion, Goal,
    StringType, TimestampUnit, WriterOptions, compression_name, parse_compression, parse_size,
};
pub use parallel::bounded_threads;
pub use progress::Progress;
pub use read::{
    AsyncReader, Decoded, Footer, GivenTypes, ListType, Metrics, PushDecoder, PushedBytes,
    RangeReader, Reader, ReaderBuilder,
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
